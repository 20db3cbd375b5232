"""The frozen types of annotation: a kind of project is what is shown, what is asked, and the guideline that it begins with.

An answer is what one person says of one item: the name of each question with the label that was chosen, or with a list of
facts `[subject, predicate, object, flags]` for the question of form `FACTS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

Facts = Sequence[Sequence[str]]
Answer = Mapping[str, str | Facts]


class QuestionForm(StrEnum):
    CHOICE = "choice"
    FACTS = "facts"


class ShownForm(StrEnum):
    """How a field of an item's content is shown.

    `HEADLINE` and `TEXT` are strings, `DIALOGUE` a list of {"speaker", "text"}, `PASSAGES` a list of {"title", "text"},
    `PAIRS` a mapping of names to strings.
    """

    HEADLINE = "headline"
    TEXT = "text"
    DIALOGUE = "dialogue"
    PASSAGES = "passages"
    PAIRS = "pairs"


@dataclass(frozen=True)
class Label:
    """A label of a question, the key that chooses it, and when it is right. `value` is its figure, where it has one."""

    name: str
    title: str
    key: str
    means: str
    value: float | None = None


@dataclass(frozen=True)
class Question:
    """What is asked of an item; `is_ordinal` where its labels are in order. `metric` is the figure of a run that it gives.

    The labels of a question of form `FACTS` are the flags that a fact may have, and `predicates` its predicates, of which
    "other" stands for "other:<verb phrase>".
    """

    name: str
    title: str
    form: QuestionForm = QuestionForm.CHOICE
    labels: tuple[Label, ...] = ()
    predicates: tuple[str, ...] = ()
    is_ordinal: bool = False
    metric: str = ""

    def label(self, name: str) -> Label | None:
        return next((label for label in self.labels if label.name == name), None)


@dataclass(frozen=True)
class ShownField:
    """A field of an item's content. In one that is `marked`, the words of the headline are marked."""

    name: str
    title: str
    form: ShownForm
    is_needed: bool = True
    is_marked: bool = False


@dataclass(frozen=True)
class ProjectKind:
    name: str
    title: str
    what: str
    questions: tuple[Question, ...]
    shown: tuple[ShownField, ...]
    guideline: str

    def question(self, name: str) -> Question | None:
        return next((question for question in self.questions if question.name == name), None)
