"""What the built-in engine says of a search: the facts that answer, or those that lead there and the one that is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from conversations.core.responders.d_smart_clauses import WHERE
from conversations.core.responders.d_smart_phrases import PREPOSITIONS
from conversations.core.responders.phrasing import distinct, is_nameless, is_relation
from conversations.core.types import Grounds, GroundSentence, GroundTriple
from memory.core.knowledge_graph.inflection import past_participle, third_person
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.verbalisation import (
    Assertion,
    assertion_of_triple,
    finished,
    is_asker,
    joined,
    possessive,
    sentences,
    thing_text,
    with_article,
)
from memory.core.reasoning_tree.rule_based_plan import Link, Plan, Solution
from memory.core.types import SourceSentence, Triple

_LISTED = 6
_STEP, _ANSWERS = "is a step of the way", "answers the question"


class Wording:
    """Says triples to one asker at a time."""

    def __init__(self, *, asker: str, asked_at: datetime) -> None:
        self._asker = asker
        self._asked_at = asked_at

    def told(self, triples: Sequence[Triple]) -> str:
        """Return triples as sentences, in their order: whose sister she is stands with what she does."""
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
        """Return how many there are and which: "2: Ben and Omar."."""
        names = [thing_text(label, asker=self._asker) for label in labels]
        return finished(f"{len(names)}: {joined(names)}")

    def missing(self, link: Link, plan: Plan, furthest: Solution) -> str:
        """Return which link nothing was told of: "You haven't told me where Airbus has an office."."""
        source = furthest.fillers.get(link.source)
        target = furthest.fillers.get(link.target)
        subject = self._definite(source.label) if source else self._described(link.source, plan)
        if link.is_role:
            if source is None and target is not None:
                return f"You haven't told me whose {link.words} {thing_text(target.label, asker=self._asker)} is."
            owner = possessive(source.label, asker=self._asker) if source else f"{subject}'s"
            is_person = predicate_named("has" + "".join(w.capitalize() for w in link.words.split())).range == "Person"
            return f"You haven't told me {'who' if is_person else 'who or what'} {owner} {link.words} is."
        label = target.label if target is not None else None
        return f"You haven't told me {self._clause(link, plan, subject, source is not None, label)}."

    def _clause(self, link: Link, plan: Plan, subject: str, is_known: bool, target: str | None) -> str:
        verb, tail, is_place = _parts(link.words)
        is_you = is_asker(subject, asker=self._asker) or subject == "you"
        said = self._finite(verb, is_you=is_you)
        if target is not None and not is_known:
            return f"who or what {said} {tail} {self._definite(target)}".replace("  ", " ")
        noun = plan.things[link.target].noun
        if target is not None:
            value = with_article(target) if plan.things[link.target].value else self._definite(target)
            return f"whether {subject} {said} {tail} {value}".replace("  ", " ")
        lead = "where" if is_place or noun == "place" else f"which {noun}" if noun and noun != "person" else "what"
        return f"{lead} {subject} {said} {tail}".strip()

    def _finite(self, verb: str, *, is_you: bool) -> str:
        first, *rest = verb.split()
        if first == "born":
            return "were born" if is_you else "was born"
        if first == "be":
            form = "are" if is_you else "is"
            return " ".join(
                [form, *(word if word in {"married", "engaged"} else past_participle(word) for word in rest)]
            )
        return " ".join([first if is_you else third_person(first), *rest])

    def _definite(self, label: str) -> str:
        text = thing_text(label, asker=self._asker)
        return text if text == "you" or text.startswith("your ") or not text[:1].islower() else f"the {text}"

    def _described(self, place: int, plan: Plan) -> str:
        thing = plan.things[place]
        return f"the {thing.noun}" if thing.noun else "that person"

    def grounds(self, triples: Sequence[Triple], answering: Sequence[Triple]) -> Grounds:
        """Return what the reply rests on: what answers, then the steps that lead there."""
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


def _parts(words: str) -> tuple[str, str, bool]:
    *said, last = words.split()
    if last == WHERE:
        is_be = said[:1] == ["be"]
        verb = " ".join(said if is_be else said[:1])
        return verb, "" if is_be else f"its {' '.join(said[1:])}" if said[1:] else "", True
    if said and last in PREPOSITIONS:
        return " ".join(said), last, False
    return words, "", False
