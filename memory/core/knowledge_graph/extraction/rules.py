"""The rules of the clause reader as one set of named steps.

A rule is a function, and its name is the function's. An extractor is built with a set; to leave a rule out is to build it
with a set that lacks it, which is how `bench reading` tells what each rule is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from memory.core.knowledge_graph.extraction.wording import PlainText
from memory.core.types import Fact, Token, Utterance

if TYPE_CHECKING:
    from memory.core.knowledge_graph.extraction.clauses import Clause, Scene
    from memory.core.knowledge_graph.extraction.frames import Frame

# Each gives the words back as they are where it has nothing to change.
Wording = Callable[[PlainText], PlainText]
Framing = Callable[[str], "Frame"]
Naming = Callable[[Sequence[Utterance]], frozenset[str]]
Repair = Callable[[list[Token]], list[Token]]
# Of readers of one kind the first counts that does not give None.
HeadReader = Callable[["Scene", int], "list[Fact] | None"]
ClauseReader = Callable[["Scene", "Clause"], "list[Fact] | None"]
# Each gives the facts of a clause, or of a sentence, with what else they say.
Consequence = Callable[["Scene", "Clause", list[Fact]], list[Fact]]
Addition = Callable[["Scene", int, list[Fact]], list[Fact]]
Revision = Callable[["Scene", list[Fact]], list[Fact]]


@dataclass(frozen=True)
class SaidBefore:
    """The facts of what a speaker said before a sentence: all, those of the last that had any, those of the one before.

    `is_announced` is true after a sentence that only said that something was wrong.
    """

    earlier: tuple[Fact, ...]
    latest: tuple[Fact, ...]
    previous: tuple[Fact, ...]
    is_announced: bool


# Gives the facts of a sentence as they are put by what it does to those before it.
Answer = Callable[[str, list[Fact], SaidBefore], list[Fact]]


@dataclass(frozen=True)
class EventRule:
    """What a verb of some says that somebody's state became, and the verbs, as lemmas."""

    read: ClauseReader
    verbs: frozenset[str]


@dataclass(frozen=True)
class RuleSet:
    """The rules by the place where they are asked, in their order."""

    wordings: tuple[Wording, ...] = ()
    framings: tuple[Framing, ...] = ()
    namings: tuple[Naming, ...] = ()
    repairs: tuple[Repair, ...] = ()
    heads: tuple[HeadReader, ...] = ()
    copulas: tuple[ClauseReader, ...] = ()
    verbs: tuple[ClauseReader, ...] = ()
    events: tuple[EventRule, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    additions: tuple[Addition, ...] = ()
    answers: tuple[Answer, ...] = ()
    revisions: tuple[Revision, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the rules, in the order in which they are asked."""
        return tuple(dict.fromkeys(name_of(rule) for field in fields(self) for rule in getattr(self, field.name)))

    def without(self, name: str) -> RuleSet:
        """Return the set that lacks the rule of this name."""
        kept = {
            field.name: tuple(rule for rule in getattr(self, field.name) if name_of(rule) != name)
            for field in fields(self)
        }
        return replace(self, **kept)

    def event_of(self, verb: str) -> ClauseReader | None:
        """Return the reader of a verb that changes somebody's state, by its lemma."""
        return next((event.read for event in self.events if verb in event.verbs), None)


def name_of(rule: Callable[..., object] | EventRule) -> str:
    return rule.read.__name__ if isinstance(rule, EventRule) else rule.__name__
