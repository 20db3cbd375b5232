"""The words of talking: what a responder is asked, and the parts that a reply is made of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.core.reasoning_tree.types import Level, SearchResult
from memory.core.types import Retrieval, SourceSentence, Triple, Utterance


@dataclass(frozen=True)
class Query:
    """A user's message and what stands around it: q_t with its history H_{t-1}, oldest first.

    `is_remembered` is false where the chat teaches nothing, though what is remembered may be asked for.
    """

    text: str
    speaker: str
    asked_at: datetime
    history: tuple[Utterance, ...] = ()
    is_remembered: bool = True


@dataclass(frozen=True)
class Stage:
    """A step of the pipeline that began: `name` for machines, `detail` for the quiet line of progress."""

    name: str
    detail: str


@dataclass(frozen=True)
class Delta:
    """The next piece of the reply's text."""

    text: str


@dataclass(frozen=True)
class GroundTriple:
    triple: Triple
    why: str


@dataclass(frozen=True)
class GroundSentence:
    sentence: SourceSentence
    why: str


@dataclass(frozen=True)
class Grounds:
    """What the reply rests on, most important first."""

    triples: tuple[GroundTriple, ...] = ()
    sentences: tuple[GroundSentence, ...] = ()


@dataclass(frozen=True)
class Reasoning:
    """The next piece of the reply's reasoning tree: a level that is done, or the end of the search."""

    part: Level | SearchResult


@dataclass(frozen=True)
class Retrieved:
    """What was found among what was said for one question of the message, and how it came about."""

    question: str
    retrieval: Retrieval


ReplyPart = Stage | Delta | Grounds | Reasoning | Retrieved
