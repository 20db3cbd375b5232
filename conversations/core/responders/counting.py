"""Answers "how many" questions: with the number that was said, else with the number of known things, worded as such."""

from collections.abc import Sequence
from dataclasses import dataclass

from conversations.core.responders.phrasing import distinct, is_kin
from memory.core.english.inflection import singular
from memory.core.english.numbers import in_words
from memory.core.knowledge_graph.verbalisation import joined, thing_text
from memory.core.naming import key_of
from memory.core.types import Polarity, Triple


@dataclass(frozen=True)
class Count:
    """`said` are triples that state a number or that there is none; `known` are the things known."""

    said: tuple[Triple, ...] = ()
    known: tuple[Triple, ...] = ()


def count(triples: Sequence[Triple]) -> Count:
    """Return the triples that answer a count; both empty where the question's kind cannot be counted."""
    kept = distinct([triple for triple in triples if triple.polarity is Polarity.POSITIVE and not triple.is_any])
    counted = [triple for triple in kept if triple.predicate.startswith("hasNumberOf")]
    if counted:
        return Count(said=tuple(counted[:1]))
    things = [triple for triple in kept if not _is_group(triple)]
    if not things:
        return Count(said=tuple([triple for triple in triples if triple.is_any][:1])) if not kept else Count()
    if not is_kin(things[0]):
        return Count()
    return Count(known=tuple(things))


def known_count_text(things: Sequence[Triple], *, asker: str) -> str:
    """Return "I know of two: Ben and Maya."."""
    return (
        f"I know of {in_words(len(things))}: {joined([thing_text(triple.object, asker=asker) for triple in things])}."
    )


def _is_group(triple: Triple) -> bool:
    """Return whether the object stands for several at once: "Ana's kids"."""
    head = key_of(triple.object).rpartition("'s ")[2].split()
    return (
        not triple.object[:1].isupper() | ("'s " not in triple.object) and bool(head) and singular(head[-1]) != head[-1]
    )
