"""Conflict detection by a judge that was taught by examples (D-SMART, the p_c of Equation 2): what the rules leave undecided.

A triple is held against a new sentence of the same speaker where the sentence names the triple's value ("Sold the Panda!",
the Fiat Panda) or tells another value of its slot. The judge reads two pairs: the sentence that told the triple and the new
one, and the triple in words and the new one, since a sentence may tell several things of which one has changed. Where both
are sure, from `acts_from` on, which was fitted on pairs that the judge had not seen, the triple gives way: to the other value
where it was replaced or corrected, to its own denial where it ended.

Departures from the paper:
- The paper asks a language model about the whole graph. Here a small model sees a bounded number of pairs of sentences, and
  only pairs about which no rule says anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory.core.english.grammatical_person import as_the_other_says
from memory.core.knowledge_graph.conflict.comparison import (
    UNDECLARED,
    asserted,
    believed,
    holds,
    same_ends,
    same_subject,
)
from memory.core.knowledge_graph.conflict.precedence import prevails
from memory.core.knowledge_graph.conflict.prompted import PLURAL
from memory.core.knowledge_graph.conflict.rule_based import find_supersessions
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.stems import content_stem_list, content_stems
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, sentence
from memory.core.ports import ChangeJudge
from memory.core.types import (
    ChangeVerdict,
    ConflictCase,
    ConflictRule,
    Fact,
    Node,
    Polarity,
    Role,
    Span,
    Supersession,
    Tense,
    Triple,
    Utterance,
)

# Of what one more is a matter of course. A second employer may be none: "I work for Siemens now" ends the first.
OF_COURSE = frozenset(PLURAL) - {"worksFor"}
# Of what there may be several, two that are named on one day are two: they are judged as if a week lay between.
APART = timedelta(days=7)


@dataclass(frozen=True)
class LearnedConflictConfig:
    """`triples` bounds what one round costs: the 32 pairs of 16 are one batch of the judge, about a tenth of a second."""

    triples: int = 16


@dataclass(frozen=True)
class _Pair:
    """A triple beside a case whose sentence may change it, and the fact that would take its place."""

    place: int
    triple: Triple
    fact: Fact
    is_named: bool


class LearnedConflictDetector:
    """A `ConflictDetector` that asks a `ChangeJudge` about cases of one sentence each, all of them in one batch."""

    def __init__(
        self,
        judge: ChangeJudge,
        *,
        ontology: Ontology = UNDECLARED,
        config: LearnedConflictConfig = LearnedConflictConfig(),
    ) -> None:
        self._judge = judge
        self._ontology = ontology
        self._config = config

    def find_many(self, cases: Sequence[ConflictCase]) -> list[list[Supersession]]:
        """Return the candidates of each case that the judge surely sees give way, each with how sure it is."""
        pairs = [pair for place, case in enumerate(cases) for pair in undecided(place, case, ontology=self._ontology)]
        # Values that are named come first, then what was said last.
        pairs.sort(key=lambda pair: (not pair.is_named, -pair.triple.source.said_at.timestamp(), -pair.triple.id))
        asked = pairs[: self._config.triples]
        verdicts = self._judge.judge_many(
            [reading for pair in asked for reading in _readings(pair.triple, cases[pair.place])]
        )
        found: list[list[Supersession]] = [[] for _ in cases]
        for number, pair in enumerate(asked):
            sure = min(_sureness(pair.fact, verdict) for verdict in verdicts[2 * number : 2 * number + 2])
            if sure >= self._judge.acts_from:
                found[pair.place].append(Supersession(pair.triple, pair.fact, ConflictRule.LEARNED, round(sure, 2)))
        return found


def undecided(place: int, case: ConflictCase, *, ontology: Ontology) -> Iterator[_Pair]:
    """Yield the triples of a case that its sentence may change, and about which no rule and no fact of it decides."""
    decided = {found.old.id for found in find_supersessions(case, ontology=ontology)}
    facts = [fact for fact in asserted(case.fragment) if fact.tense is not Tense.FUTURE]
    words = content_stems(case.sentence)
    for triple in believed(case.candidates):
        if triple.id in decided or not _may_change(triple, case, ontology):
            continue
        if any(fact.predicate == triple.predicate and same_ends(fact, triple, ontology) for fact in facts):
            continue
        others = [fact for fact in facts if _is_in_slot(fact, triple)]
        # The last word of a name is its head: "the Panda" is the Fiat Panda.
        is_named = any(word in words for word in content_stem_list(triple.object)[-1:])
        if not others and not is_named:
            continue
        fact = others[0] if others else denial_of(triple, Span(0, len(case.sentence)))
        if prevails(fact, triple, case, ontology):
            yield _Pair(place, triple, fact, is_named)


def denial_of(triple: Triple, span: Span) -> Fact:
    """Return the denial of a triple, which ends it where nothing is told in its place."""
    is_literal = triple.object_id is None
    return Fact(
        subject=Node(triple.subject.label, triple.subject.kind, is_speaker=triple.subject.is_speaker),
        predicate=triple.predicate,
        object=Node(triple.object, "" if is_literal else triple.object_kind, is_literal=is_literal),
        span=span,
        polarity=Polarity.NEGATIVE,
    )


def _may_change(triple: Triple, case: ConflictCase, ontology: Ontology) -> bool:
    """Return whether a triple is a state that its speaker, who speaks again, said to hold."""
    source = triple.source
    is_own = source.is_own and source.role is Role.USER and source.speaker == case.speaker
    is_state = triple.polarity is Polarity.POSITIVE and not triple.is_any and holds(triple, case.said_at)
    return (
        is_own and is_state and source.said_at <= case.said_at and ontology.predicate_named(triple.predicate).is_state
    )


def _is_in_slot(fact: Fact, triple: Triple) -> bool:
    """Return whether a fact gives a triple's slot another value, and one more would be no matter of course."""
    return same_subject(fact, triple) and fact.predicate == triple.predicate and fact.predicate not in OF_COURSE


def _readings(triple: Triple, case: ConflictCase) -> list[tuple[Utterance, Utterance]]:
    """Return the pairs that the judge reads: what told the triple, then the triple itself in its speaker's words."""
    source = triple.source
    new = Utterance(case.speaker, case.role, case.sentence, case.said_at)
    said_at = min(source.said_at, case.said_at - APART) if triple.predicate in PLURAL else source.said_at
    told = as_the_other_says(sentence(assertion_of_triple(triple, at=case.said_at), asker=source.speaker))
    return [(Utterance(source.speaker, source.role, text, said_at), new) for text in (source.text, told)]


def _sureness(fact: Fact, verdict: ChangeVerdict) -> float:
    """Return how probably another value took a triple's place; where the fact is a denial, how probably it ended."""
    return verdict.ends if fact.polarity is Polarity.NEGATIVE else verdict.replaces + verdict.corrects
