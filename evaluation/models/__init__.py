"""The rows of measuring."""

from evaluation.models.annotation import (
    Annotation,
    AnnotationItem,
    AnnotationProject,
    Guideline,
    ItemLease,
    ItemSkip,
    ItemStanding,
    MachinePass,
    ProjectOrder,
    QueuePlace,
    ReviewEvent,
    ReviewInvitation,
    ReviewMember,
    ReviewRole,
    Settlement,
)
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
