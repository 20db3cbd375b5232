"""The rows of measuring."""

from evaluation.models.facts import CheckState, FactCheck, FactGround, FactRecord
from evaluation.models.scores import ScoreState, TurnScore

__all__ = ["CheckState", "FactCheck", "FactGround", "FactRecord", "ScoreState", "TurnScore"]
