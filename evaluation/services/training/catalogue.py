"""What `manage.py train` can train. A new model is a module beside this one, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from evaluation.services.training import answer_reader, message_reader
from evaluation.services.training.request import TrainingRequest, TrainingResult


class Training(Protocol):
    HELP: str

    def train(self, request: TrainingRequest) -> TrainingResult:
        """Make the model in `request.out`, with its card, and return what was measured of it."""


@dataclass(frozen=True)
class Trainable:
    """A model with the defaults of its training: the folder of its examples, the steps and their learning rate."""

    training: Training
    data: str
    steps: int
    decay_share: float
    learning_rate: float
    takes: frozenset[str] = frozenset()


TRAININGS: Mapping[str, Trainable] = {
    "message-reader": Trainable(message_reader, "messages", 4_800, 0.6, 1.5e-4, frozenset({"sources"})),
    "answer-reader": Trainable(answer_reader, "questions", 1_300, 0.6, 1.2e-4, frozenset({"public"})),
}
