"""A question as the built-in engine's search sees it: its plan over the memory, and the one look that ends it.

A plan whose links are all told answers by itself. Where a described thing is found but what is asked of it is another
kind of question ("How old is the owner of the bakery?"), its name is put into the question, and `graph` looks once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from conversations.core.responders.answers import Answer
from conversations.core.responders.d_smart.missing import MissingLink
from conversations.core.responders.d_smart.phrases import spelled
from conversations.core.responders.d_smart.plans import plan_of, shortest_ways
from conversations.core.responders.d_smart.questions import Aim, ChainQuestion
from conversations.core.responders.d_smart.vocabulary import REGIONS, QuestionVocabulary
from conversations.core.responders.d_smart.wording import Wording
from conversations.core.types import Grounds, Query
from memory.core.knowledge_graph.ontology import is_region, predicate_named
from memory.core.naming import key_of
from memory.core.ports import MemoryReader
from memory.core.reasoning_tree.rule_based import Outlook
from memory.core.reasoning_tree.rule_based_plan import (
    End,
    Link,
    Plan,
    PlanMatch,
    Solution,
    Thing,
    object_end,
    solve,
    subject_end,
)
from memory.core.types import Entity, Triple

_ANSWERS_LISTED = 6
# Not functional in general, but what somebody drives or where they study is asked for as the one that there is.
_ONE_AT_A_TIME = frozenset(
    {"drives", "studiesAt", "worksFor", "comesFrom", "headquartersIn", "hasOwner", "hasBoss", "locatedIn"}
)
_LOOKED = 3
_ENTRIES = 4
Look = Callable[[str], Answer]


@dataclass(frozen=True)
class Finding:
    """What a question's reading found in a subgraph: the reply, what it rests on, whether it answers."""

    reply: str
    grounds: Grounds = field(default_factory=Grounds)
    is_answered: bool = False


class PlanReading:
    """Implements `QuestionReading` for a question that was read as a chain."""

    def __init__(
        self, chain: ChainQuestion, query: Query, *, memory: MemoryReader, look: Look, entries: Sequence[Entity] = ()
    ) -> None:
        self._chain = chain
        self._query = query
        self._memory = memory
        self._look = look
        self._entries = tuple(entries)
        self.plan = plan_of(chain, query, memory)
        self.words = QuestionVocabulary(self.plan.things, memory=memory, asked_at=query.asked_at, asker=query.speaker)
        self._wording = Wording(asker=query.speaker, asked_at=query.asked_at)
        self._answers: dict[str, Answer] = {}
        self._seen: dict[frozenset[int], tuple[Outlook, Finding]] = {}

    def outlook(self, triples: Sequence[Triple]) -> Outlook:
        return self._read(triples)[0]

    def finding(self, triples: Sequence[Triple]) -> Finding:
        """Return what can be said of the question from a subgraph."""
        return self._read(triples)[1]

    def nearness(self, triples: Sequence[Triple]) -> float:
        return max(self.words.similarity(self._query.text, triples), default=0.0)

    def with_entries(self, entries: Iterable[Entity]) -> PlanReading:
        self._entries = tuple(entries)
        return self

    @property
    def anchors(self) -> list[Entity]:
        """The entities that the question names, the speaker among them."""
        used = {place for link in self.plan.links for place in (link.source, link.target)} | set(self._chain.pair or ())
        named = [entity for place in sorted(used) for entity in self.plan.things[place].known]
        return list({entity.id: entity for entity in named}.values())

    def _read(self, triples: Sequence[Triple]) -> tuple[Outlook, Finding]:
        key = frozenset(triple.id for triple in triples)
        if key not in self._seen:
            self._seen[key] = self._connected(triples) if self._chain.pair else self._planned(triples)
        return self._seen[key]

    # Chains

    def _planned(self, triples: Sequence[Triple]) -> tuple[Outlook, Finding]:
        match = solve(self.plan, triples, self.words) if self.plan.links else PlanMatch((), Solution({}, {}), None)
        finding = (
            self._solved(match)
            or self._differing(match, triples)
            or self._looked(triples)
            or self._replaced(match, triples)
        )
        coverage = match.coverage(self.plan)
        if finding is not None:
            return Outlook(coverage, finding.reply, is_answered=True), finding
        refusal = self._refusal(match)
        names = [end.label for end in match.frontier][:_ENTRIES]
        if not names:
            names = [entity.label for entity in self.anchors][:_ENTRIES]
        return Outlook(coverage, refusal.reply, pairs=self._pairs(names, triples), names=tuple(names)), refusal

    def _solved(self, match: PlanMatch) -> Finding | None:
        if not match.is_solved or self._chain.aim is Aim.LOOK:
            return None
        answer = self._chain.answer
        solutions = _by_answer(match.solutions, answer)[:_ANSWERS_LISTED]
        triples = _together(solutions)
        if self._chain.aim is Aim.COUNT and answer is not None:
            labels = list(dict.fromkeys(one.fillers[answer].label for one in _by_answer(match.solutions, answer)))
            return Finding(self._wording.counted(labels), self._wording.grounds(triples, triples), is_answered=True)
        last = _together([Solution(one.fillers, _last_said(one)) for one in solutions])
        said = self._wording.told(triples)
        grounds = self._wording.grounds(triples, last)
        if self._chain.aim is Aim.TRUTH:
            return Finding(f"Yes. {said}", grounds, is_answered=True)
        return Finding(said, grounds, is_answered=True)

    def _differing(self, match: PlanMatch, triples: Sequence[Triple]) -> Finding | None:
        """Answer no where two things are told to have different ones of what the question asks them to share."""
        shared = self._shared()
        if match.is_solved or self._chain.aim is not Aim.TRUTH or shared is None:
            return None
        *kept, last = [place for place, link in enumerate(self.plan.links) if link.target == shared]
        if not kept:
            return None
        links = list(self.plan.links)
        links[last] = replace(links[last], target=len(self.plan.things))
        apart = replace(self.plan, things=(*self.plan.things, self.plan.things[shared]), links=tuple(links))
        relaxed = solve(apart, triples, self.words)
        if not relaxed.is_solved or any(_is_same(one, shared, len(self.plan.things)) for one in relaxed.solutions):
            return None
        told = _together(
            [Solution(one.fillers, _shared_said(one, self.plan.links, shared)) for one in relaxed.solutions]
        )
        return Finding(
            f"No. {self._wording.told(told[:_ANSWERS_LISTED])}", self._wording.grounds(told, told), is_answered=True
        )

    def _replaced(self, match: PlanMatch, triples: Sequence[Triple]) -> Finding | None:
        """Answer no where the last link is told with another value, of what people have one of at a time."""
        if match.is_solved or self._chain.aim is not Aim.TRUTH or not self.plan.links:
            return None
        last = len(self.plan.links) - 1
        given = self.plan.things[self.plan.links[last].target]
        if match.missing != self.plan.links[last] or not given.is_given or _is_wide(given.words):
            return None
        links = (*self.plan.links[:last], replace(self.plan.links[last], target=len(self.plan.things)))
        relaxed = solve(replace(self.plan, things=(*self.plan.things, Thing("")), links=links), triples, self.words)
        told = _together(relaxed.solutions)
        if any(_is_wide(triple.object) for one in relaxed.solutions for triple in one.said.get(last, ())):
            return None
        says = {triple.predicate for one in relaxed.solutions for triple in one.said.get(last, ())}
        if not says or not all(name in _ONE_AT_A_TIME or predicate_named(name).is_functional for name in says):
            return None
        return Finding(f"No. {self._wording.told(told)}", self._wording.grounds(told, told), is_answered=True)

    def _shared(self) -> int | None:
        targets = [link.target for link in self.plan.links if not self.plan.things[link.target].is_given]
        return next((target for target in targets if targets.count(target) > 1), None)

    def _looked(self, triples: Sequence[Triple]) -> Finding | None:
        """Put the names of what was found into the question, and look once for what is asked of it."""
        if self._shared() is not None or self._chain.aim is Aim.COUNT or self._is_owner_asked():
            return None
        place = next(iter(self._chain.described), None)
        if place is None:
            return None
        part = self._part(place)
        found = solve(part, triples, self.words)
        if not part.links:
            return None
        answers = []
        for solution in _by_answer(found.solutions, place)[:_LOOKED]:
            text = self._with_name(place, solution.fillers[place].label)
            made = self._looked_for(text) if text else None
            if made is not None and made.is_known and self._is_of_kind(made):
                answers.append((solution, made))
        if not answers:
            return None
        known = {triple.id for triple in triples}
        if any(
            item.triple.id not in known and item.triple.superseded_at is None
            for _, made in answers
            for item in made.grounds.triples
        ):
            return None
        steps = _together([solution for solution, _ in answers])
        return Finding(
            " ".join(dict.fromkeys([self._wording.told(_leading(steps)), *(made.text for _, made in answers)])).strip(),
            _joined([*(made.grounds for _, made in answers), self._wording.grounds(steps, ())]),
            is_answered=True,
        )

    def _looked_for(self, text: str) -> Answer:
        """Look once for a text, however many subgraphs lead to it."""
        if text not in self._answers:
            self._answers[text] = self._look(text)
        return self._answers[text]

    def _is_owner_asked(self) -> bool:
        """Return whether it is asked whose something is, which the look for what that does cannot tell."""
        return any(link.is_role and link.source == self._chain.answer for link in self.plan.links)

    def _is_of_kind(self, made: Answer) -> bool:
        """Return whether an answer gives what the question calls for: a town is no country, and may be in any."""
        triples = [item.triple for item in made.grounds.triples if item.why not in {"says who is meant"}]
        asks_region = self._chain.answer is not None and self.plan.things[self._chain.answer].noun in REGIONS
        if not triples:
            return not asks_region
        ends = [end for triple in triples for end in (object_end(triple), subject_end(triple))]
        if self._chain.answer is not None:
            return any(self.words.suits(self.plan.things[self._chain.answer], end, triples) for end in ends)
        asked = {key_of(thing.words) for thing in self.plan.things if is_region(thing.words)}
        told = {end.key for end in ends}
        return (
            not asked or bool(asked & told) or not made.text.startswith("No") or any(is_region(e.label) for e in ends)
        )

    def _part(self, place: int) -> Plan:
        """Return the part of the plan that describes a thing."""
        start, end = self._chain.sketch.things[place].span
        inside = {
            other
            for other, thing in enumerate(self._chain.sketch.things)
            if thing.is_speaker or start <= thing.span[0] and thing.span[1] <= end
        }
        return replace(self.plan, links=tuple(link for link in self.plan.links if {link.source, link.target} <= inside))

    def _with_name(self, place: int, label: str) -> str:
        start, end = self._chain.sketch.things[place].span
        tokens = self._chain.tokens
        if not tokens or end <= start:
            return ""
        parts = [spelled(tokens[:start]), label, spelled(tokens[end:])]
        return re.sub(r"\s+('s|’s|n't)", r"\1", " ".join(parts).strip()) + "?"

    def _refusal(self, match: PlanMatch) -> Finding:
        known = self._wording.without_echoes(match.furthest.triples)
        said = self._wording.told(known) if known else ""
        if match.missing is None:
            reply = f"{said} You haven't told me what you ask." if said else "I don't know that yet."
            return Finding(reply, self._wording.grounds(known, ()))
        link = MissingLink(
            match.missing, plan=self.plan, chain=self._chain, furthest=match.furthest, asker=self._query.speaker
        )
        lead = f"{said} " if said else "I don't know that yet. "
        return Finding(f"{lead}{link.sentence()}", self._wording.grounds(known, ()))

    def _pairs(self, names: Sequence[str], triples: Sequence[Triple]) -> tuple[tuple[str, str], ...]:
        """Return what to connect: the ends of the way so far with what is near to the question, and its names."""
        others = [entity.label for entity in (*self._entries, *self.anchors)]
        reached = {key_of(end.label) for triple in triples for end in (subject_end(triple), object_end(triple))}
        wanted = [other for other in dict.fromkeys(others) if key_of(other) not in reached]
        starts = [entity.label for entity in self.anchors][:2] if not triples else list(names[:2])
        return tuple(
            (start, other) for other in wanted[:_ENTRIES] for start in starts[:2] if key_of(start) != key_of(other)
        )[:_ENTRIES]

    # Connections

    def _connected(self, triples: Sequence[Triple]) -> tuple[Outlook, Finding]:
        ends = [self._ends(place, triples) for place in self._chain.pair or ()]
        ways = shortest_ways(ends[0], ends[1], triples)
        if ways:
            told = list(dict.fromkeys(triple for way in ways[:2] for triple in way))
            finding = Finding(self._wording.told(told), self._wording.grounds(told, told), is_answered=True)
            return Outlook(1.0, finding.reply, is_answered=True), finding
        names = [end.label for found in ends for end in found][:_ENTRIES]
        unknown = [
            self._chain.sketch.things[place].words
            for place, end in zip(self._chain.pair or (), ends, strict=True)
            if not end
        ]
        reply = "I don't know that yet."
        if unknown:
            reply += f" Nobody has told me about {unknown[0]} so far."
        elif len(names) > 1:
            first, second = _said(names[0], self._query), _said(names[-1], self._query)
            reply += f" You haven't told me anything that connects {first} and {second}."
        pairs = tuple((a.label, b.label) for a in ends[0] for b in ends[1] if not a.is_same(b))[:_ENTRIES]
        return Outlook(0.0, reply, pairs=pairs, names=tuple(names)), Finding(reply)

    def _ends(self, place: int, triples: Sequence[Triple]) -> list[End]:
        known = self.plan.things[place].known
        if known or not self.plan.links:
            return [End(entity.id, entity.label, entity.kind) for entity in known]
        found = solve(self.plan, triples, self.words)
        return [one.fillers[place] for one in found.solutions if place in one.fillers] or list(found.frontier)


def _by_answer(solutions: Iterable[Solution], answer: int | None) -> list[Solution]:
    """Return one solution for each filler of a place."""
    if answer is None:
        return list(solutions)[:1]
    found: dict[str, Solution] = {}
    for one in solutions:
        if answer in one.fillers:
            found.setdefault(one.fillers[answer].key, one)
    return list(found.values())


def _together(solutions: Iterable[Solution]) -> list[Triple]:
    return list({triple.id: triple for one in solutions for triple in one.triples}.values())


def _last_said(solution: Solution) -> dict[int, tuple[Triple, ...]]:
    last = max(solution.said, default=None)
    return {} if last is None else {last: solution.said[last]}


def _shared_said(solution: Solution, links: Sequence[Link], shared: int) -> dict[int, tuple[Triple, ...]]:
    return {place: said for place, said in solution.said.items() if links[place].target == shared}


def _is_same(solution: Solution, first: int, second: int) -> bool:
    return solution.fillers[first].is_same(solution.fillers[second])


def _leading(steps: Sequence[Triple]) -> list[Triple]:
    """Return the steps that say more than whose relation somebody is."""
    return [
        triple
        for triple in steps
        if not (predicate_named(triple.predicate).verb == "have" or triple.predicate == "spouse")
    ]


def _joined(grounds: Sequence[Grounds]) -> Grounds:
    triples = {item.triple.id: item for one in reversed(grounds) for item in one.triples}
    sentences = {item.sentence.id: item for one in grounds for item in one.sentences}
    return Grounds(tuple(reversed(triples.values())), tuple(sentences.values()))


def _said(label: str, query: Query) -> str:
    return "you" if key_of(label) == key_of(query.speaker) else label


def _is_wide(place: str) -> bool:
    """Return whether a place holds others, so that who is told to be in one of them may be in it as well."""
    return is_region(place) or place.lower().endswith(("shire", " county", " district", " region", " province"))
