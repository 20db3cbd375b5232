"""The rows of measuring."""

from evaluation.models.facts import CheckState, FactCheck, FactGround, FactRecord
from evaluation.models.runs import (
    CaseState,
    EvaluationRun,
    ItemScore,
    ItemState,
    RunCase,
    RunItem,
    RunKind,
    RunState,
    ScoreOverride,
)
from evaluation.models.scores import ScoreState, TurnScore

__all__ = [
    "CaseState",
    "CheckState",
    "EvaluationRun",
    "FactCheck",
    "FactGround",
    "FactRecord",
    "ItemScore",
    "ItemState",
    "RunCase",
    "RunItem",
    "RunKind",
    "RunState",
    "ScoreOverride",
    "ScoreState",
    "TurnScore",
]
