"""Types of conversations: the query to a responder, and the parts of a reply: words, grounds, steps."""

from dataclasses import dataclass
from datetime import datetime

from conversations.core.tracing.retrieval import Retrieved as Retrieved
from conversations.core.tracing.search import search_steps
from conversations.core.tracing.stage import Stage as Stage
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.reasoning_tree.types import Level, SearchResult
from memory.core.tracing import Together, TraceStep
from memory.core.types import SourceSentence, Triple, Utterance


@dataclass(frozen=True)
class Query:
    """A user's message q_t with its history H_{t-1}, oldest first.

    `is_remembered` is false where nothing said in the conversation is learnt, though memory may be asked. `round_id` is the
    round of a message that was stored.
    """

    text: str
    speaker: str
    asked_at: datetime
    history: tuple[Utterance, ...] = ()
    is_remembered: bool = True
    round_id: int | None = None


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
class GroundKnowledge:
    """A triple of a knowledge base, which is its source."""

    triple: KnowledgeTriple
    why: str


@dataclass(frozen=True)
class Grounds:
    """What the reply rests on, most important first."""

    triples: tuple[GroundTriple, ...] = ()
    sentences: tuple[GroundSentence, ...] = ()
    knowledge: tuple[GroundKnowledge, ...] = ()

    def with_more(self, more: "Grounds") -> "Grounds":
        """Return the grounds of both, each once as it came first, in the order in which they came."""
        triples = {item.triple.id: item for item in reversed((*self.triples, *more.triples))}
        sentences = {item.sentence.id: item for item in reversed((*self.sentences, *more.sentences))}
        known = {item.triple: item for item in reversed((*self.knowledge, *more.knowledge))}
        return Grounds(
            tuple(reversed(triples.values())), tuple(reversed(sentences.values())), tuple(reversed(known.values()))
        )


@dataclass(frozen=True)
class Reasoning:
    """A part of a search for the reply: a finished level, or the end of the `search`-th search."""

    part: Level | SearchResult
    search: int = 0

    def steps(self) -> tuple[TraceStep, ...]:
        return search_steps(self.part, search=self.search)


@dataclass(frozen=True)
class Changed:
    """Says that the message was a wish about the memory, and no statement; `edit_id` is what was done and can be undone."""

    edit_id: int | None = None


ReplyPart = Delta | Grounds | TraceStep | Together | Reasoning
