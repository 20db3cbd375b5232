"""Puts a search's result into words by rule: the facts that answer, or those that lead there and the missing one."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from conversations.core.responders.phrasing import distinct, is_nameless, is_relation
from conversations.core.types import Grounds, GroundSentence, GroundTriple
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.verbalisation import (
    Assertion,
    assertion_of_triple,
    finished,
    is_asker,
    joined,
    sentences,
    thing_text,
)
from memory.core.types import SourceSentence, Triple

_LISTED = 6
_STEP, _ANSWERS = "is a step of the way", "answers the question"


class Wording:
    """Writes triples as sentences to one asker."""

    def __init__(self, *, asker: str, asked_at: datetime) -> None:
        self._asker = asker
        self._asked_at = asked_at

    def told(self, triples: Sequence[Triple]) -> str:
        """Return triples as sentences in order; a relation is told with a fact ("your sister Maya works ...")."""
        led, kept = _led_in(distinct(triples), self._asker)
        said = [assertion_of_triple(triple, at=self._asked_at) for triple in kept]
        # Of several together the names say enough.
        alone = {one.subject for one in said if sum(_is_like(one, other) for other in said) == 1}
        assertions = [self._named(one, led) if one.subject in alone else one for one in said]
        return " ".join(sentences(_of_several(assertions), asker=self._asker))

    def _named(self, made: Assertion, led: dict[str, str]) -> Assertion:
        role = led.pop(made.subject, "")
        return replace(made, subject=f"your {role} {made.subject}") if role else made

    def counted(self, labels: Sequence[str]) -> str:
        """Return a number and the names: "2: Ben and Omar."."""
        names = [thing_text(label, asker=self._asker) for label in labels]
        return finished(f"{len(names)}: {joined(names)}")

    def without_echoes(self, triples: Sequence[Triple]) -> list[Triple]:
        """Return the triples that say more than the question does."""
        return [triple for triple in triples if not is_nameless(triple)]

    def grounds(self, triples: Sequence[Triple], answering: Sequence[Triple]) -> Grounds:
        """Return the grounds of the reply: what answers, then the steps that lead there."""
        last = {triple.id for triple in answering}
        ordered = [*answering, *(triple for triple in triples if triple.id not in last)]
        sources: dict[int, SourceSentence] = {}
        for triple in ordered:
            sources.setdefault(triple.source.id, triple.source)
        return Grounds(
            tuple(GroundTriple(triple, _ANSWERS if triple.id in last else _STEP) for triple in ordered),
            tuple(GroundSentence(source, "is where this was said") for source in list(sources.values())[:_LISTED]),
        )


def _is_like(one: Assertion, other: Assertion) -> bool:
    return replace(one, subject="") == replace(other, subject="")


def _of_several(assertions: Sequence[Assertion]) -> list[Assertion]:
    """Return what is said of several in the same words as said of them together: "Lena and Omar work for Orbita"."""
    found: dict[Assertion, list[str]] = {}
    for made in assertions:
        subjects = found.setdefault(replace(made, subject=""), [])
        if made.subject not in subjects:
            subjects.append(made.subject)
    return [replace(made, subject=joined(subjects)) for made, subjects in found.items()]


def _led_in(triples: Sequence[Triple], asker: str) -> tuple[dict[str, str], list[Triple]]:
    """Part the asker's relations, which become "your sister Maya" in the next sentence about her, from the rest."""
    roles: dict[str, str] = {}
    kept: list[Triple] = []
    for place, triple in enumerate(triples):
        later = {one.subject.label for one in triples[place + 1 :]}
        is_own = is_asker(triple.subject.label, asker=asker) and is_relation(triple) and triple.predicate != "spouse"
        is_name = "'s " not in triple.object.replace("’", "'")
        if is_own and is_name and triple.object in later and triple.object not in roles:
            roles[triple.object] = predicate_named(triple.predicate).noun
        elif is_nameless(triple) and triple.object in later:
            # "Your husband" says whose he is.
            continue
        else:
            kept.append(triple)
    return roles, kept
