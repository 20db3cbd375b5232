"""Reads that evaluation needs and no other app does."""

from evaluation.selectors.replayed import (
    SPACES_SHOWN,
    GraphCounts,
    failed_round_count,
    failed_round_reason,
    failed_rounds,
    first_user_speaker,
    graph_counts,
    listed,
    rounds_to_maintain,
    space_named,
    turn_keys,
)
from evaluation.selectors.scores import (
    DecidingSentence,
    ScoreStanding,
    SessionFigures,
    TurnScoreView,
    present_scores,
    session_figures,
    session_scores,
)
