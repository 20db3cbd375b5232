"""Types of what was said: utterances, sentences and their parses, rounds and statements."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Whose side of the dialogue a turn is on. Two people in a recorded dialogue are both users."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Span:
    """A half-open range of characters, [start, end), in the text that it is said of."""

    start: int
    end: int


@dataclass(frozen=True)
class Utterance:
    """One turn, or one sentence of it, as the core sees it: who said what, and when (aware datetime).

    `breaks` is the number of line breaks between a sentence and the one before it in its turn.
    """

    speaker: str
    role: Role
    text: str
    said_at: datetime
    breaks: int = 0


@dataclass(frozen=True)
class SentenceSpan:
    """One sentence of a turn and where it stands in the turn's text."""

    text: str
    span: Span


@dataclass(frozen=True)
class Token:
    """One token of a dependency parse (Universal Dependencies). `head` is an index; the root is its own head."""

    index: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    morph: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence and its dependency tree; token offsets count from the start of `text`."""

    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class TimeSpan:
    """The time that a date expression means, [start, end), as wide as its words ("in 2019" is the whole year)."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class DialogueRound:
    """A round h_t of D-SMART: its sentences in order, the user's and the assistant's, each with who said it and when."""

    sentences: tuple[Utterance, ...]


@dataclass(frozen=True)
class Statement:
    """The assertion s_t that a round makes, as sentences (D-SMART, step 1).

    `sources` has, for each sentence of the statement, the index of the round's sentence that it rests on.
    """

    sentences: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True)
class RoundToRead:
    """The sentences of a round, to be read with what was said `before` them and what is `known` of it, in sentences."""

    sentences: tuple[Utterance, ...]
    before: tuple[Utterance, ...] = ()
    known: tuple[str, ...] = ()


# The key of a turn that a page wrote down for a person begins with this; what the person did and a number follow.
BY_HAND = "by-hand"


def done_by_hand(key: str) -> str:
    """Return "corrected" or "added" by the key of a turn whose words the product wrote for a person; "" for all others."""
    lead, _, rest = key.partition(":")
    return rest.partition(":")[0] if lead == BY_HAND else ""


def as_grounds(text: str, *, by_hand: str, speaker: str, said_at: datetime) -> str:
    """Return the words of a sentence; of one that no person wrote, what was done, by whom and when."""
    return f"{by_hand} by {speaker} on {said_at:%-d %B %Y}" if by_hand else text


@dataclass(frozen=True)
class SourceSentence:
    """A stored sentence with its speaker, turn and time.

    `is_own` is false where the speaker does not speak for themselves: in a quotation, pasted text, role or fiction.
    `by_hand` is what the speaker did on a page ("corrected") where the product wrote the sentence for it: that is `shown`
    then, and the text is never quoted as anybody's words.
    """

    id: int
    text: str
    speaker: str
    said_at: datetime
    turn_id: int
    role: Role = Role.USER
    is_own: bool = True
    by_hand: str = ""

    @property
    def shown(self) -> str:
        return as_grounds(self.text, by_hand=self.by_hand, speaker=self.speaker, said_at=self.said_at)


@dataclass(frozen=True)
class ScoredSentence:
    """A sentence found for a query; a higher score is better, comparable within one result only."""

    sentence: SourceSentence
    score: float
    similarity: float = 0.0
