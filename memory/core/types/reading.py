"""What a learned reader finds in words: spans with probabilities."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from memory.core.types.dialogue import Span


class FactFlag(StrEnum):
    """How a fact is said, where it is not simply so. The values are those of the labelled examples."""

    DENIED = "neg"
    PAST = "past"
    FUTURE = "fut"
    SUPPOSED = "hyp"
    ASKED = "ask"
    REPORTED = "rep"
    CORRECTED = "fix"


@dataclass(frozen=True)
class MessageInContext:
    """A message to read, and what was said just before it."""

    text: str
    before: str = ""


@dataclass(frozen=True)
class WordSpan:
    """A run of words: of the message, or of what was said before it."""

    text: str
    span: Span
    is_before: bool = False


@dataclass(frozen=True)
class ReadFact:
    """A fact that a reader found. `subject` is None for the speaker; `probability` is that all of it is right."""

    subject: WordSpan | None
    predicate: str
    object: WordSpan
    flags: frozenset[FactFlag]
    probability: float


@dataclass(frozen=True)
class UtteranceInDialogue:
    """An utterance whose references are to be resolved, and the turns before it, the oldest first.

    `of_other` tells of each turn whether another speaker said it; without it two speakers took turns.
    """

    text: str
    before: tuple[str, ...] = ()
    of_other: tuple[bool, ...] = ()

    def is_of_other(self, place: int) -> bool:
        """Return whether another speaker said what stands at a place of the turns before, joined by line breaks."""
        turn = "\n".join(self.before).count("\n", 0, place) if self.before else 0
        if self.of_other:
            return self.of_other[turn]
        return (len(self.before) - turn) % 2 == 1


@dataclass(frozen=True)
class Reference:
    """Words of an utterance, or an empty span where some were left out, and what they mean, in what was said before.

    `span` is in characters of the utterance, `meant` of the turns before it, joined by line breaks. `is_owner` says that the
    words stand for an owner ("her"), `link` is the word that brings in what was left out ("of").
    """

    span: Span
    meant: WordSpan
    probability: float
    is_owner: bool = False
    link: str = ""


@dataclass(frozen=True)
class SaidTurn:
    """A turn to read, with who said it, and what was said just before it, by whom."""

    text: str
    speaker: str = ""
    before: str = ""
    before_speaker: str = ""


@dataclass(frozen=True)
class QuestionOnTurns:
    """A question put to turns, which are in the order in which they were said."""

    question: str
    turns: tuple[SaidTurn, ...]


@dataclass(frozen=True)
class ReadAnswer:
    """The words of a turn that answer best, and how probably they are the answer: no other turn, and not nothing.

    `yes` is how probably the words say yes, where the question asks yes or no.
    """

    words: WordSpan
    probability: float
    yes: float = 0.5


class AskedKind(StrEnum):
    """What a question is put to: the memory, or something that no memory of a person holds or does."""

    MEMORY = "memory"
    WORLD = "world"
    CHAT = "chat"
    TASK = "task"
    FORGET = "forget"
    CORRECT = "correct"


class AskedTime(StrEnum):
    """The time that a question is about; `DATED` where it names one."""

    NOW = "now"
    PAST = "past"
    EVER = "ever"
    FUTURE = "future"
    DATED = "dated"


ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Likely(Generic[ValueT]):
    """A value with the calibrated probability that it is right."""

    value: ValueT
    probability: float


@dataclass(frozen=True)
class TermPath:
    """What a question speaks of: the speaker (None) or words of it, then relations: my sister's boss."""

    start: WordSpan | None
    relations: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadQuestion:
    """A question as a reader understands it; of one that asks several things, the first.

    `predicates` are likeliest first; `value` is what it gives on the other side ("Lyon" in "Does Ana live in Lyon?"), or
    None.
    """

    kind: Likely[AskedKind]
    want: Likely[str]
    form: Likely[str]
    time: Likely[AskedTime]
    predicates: tuple[Likely[str], ...]
    subject: Likely[TermPath]
    value: Likely[TermPath | None]
