"""The rows of measuring."""

from evaluation.models.scores import ScoreState, TurnScore

__all__ = ["ScoreState", "TurnScore"]
