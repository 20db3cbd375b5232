"""What the learned detector asks its judge about, and what it makes of the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from memory.core.knowledge_graph.conflict.learned import (
    LearnedConflictConfig,
    LearnedConflictDetector,
    denial_of,
)
from memory.core.types import (
    ChangeVerdict,
    ConflictCase,
    ConflictRule,
    Fact,
    GraphFragment,
    Modality,
    Polarity,
    Role,
    Span,
    Supersession,
    Tense,
    Triple,
    Utterance,
)
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact


@dataclass
class TaughtJudge:
    """A `ChangeJudge` that knows what each new sentence does to whatever was said before, and what it was asked."""

    knows: dict[str, ChangeVerdict]
    acts_from: float = 0.9
    name: str = "taught"
    asked: list[tuple[str, str]] = field(default_factory=list)
    calls: int = 0

    def judge_many(self, pairs: Sequence[tuple[Utterance, Utterance]]) -> list[ChangeVerdict]:
        self.calls += 1
        self.asked += [(old.text, new.text) for old, new in pairs]
        return [self.knows.get(new.text, STANDS) for _, new in pairs]


ENDS = ChangeVerdict(0.02, 0.91, 0.01, 0.02, 0.02, 0.02)
REPLACES = ChangeVerdict(0.9, 0.02, 0.01, 0.02, 0.03, 0.02)
DOUBTS = ChangeVerdict(0.1, 0.7, 0.05, 0.05, 0.05, 0.05)
STANDS = ChangeVerdict(0.01, 0.01, 0.01, 0.07, 0.8, 0.1)
PANDA = "I drive a Fiat Panda."
SOLD = "Sold the Panda!"


def remembered(*facts: Fact, text: str = PANDA, speaker: str = "Ana") -> tuple[Triple, ...]:
    graph = Graph()
    graph.say(*facts, at=1, by=speaker)
    return tuple(replace(triple, source=replace(triple.source, text=text)) for triple in graph.triples)


def case(sentence: str, *facts: Fact, candidates: Sequence[Triple], speaker: str = "Ana") -> ConflictCase:
    return ConflictCase(GraphFragment(facts), tuple(candidates), day(30), speaker, sentence=sentence)


def found(judge: TaughtJudge, *cases: ConflictCase) -> list[list[Supersession]]:
    return LearnedConflictDetector(judge).find_many(cases)


def test_value_that_a_sentence_names_ends_by_its_denial() -> None:
    [panda] = remembered(fact("Ana", "drives", "Fiat Panda"))
    judge = TaughtJudge({SOLD: ENDS})
    denial = denial_of(panda, Span(0, len(SOLD)))
    assert found(judge, case(SOLD, candidates=[panda])) == [[Supersession(panda, denial, ConflictRule.LEARNED, 0.91)]]
    assert (denial.subject.label, denial.predicate, denial.object.label) == ("Ana", "drives", "Fiat Panda")
    assert denial.polarity is Polarity.NEGATIVE
    assert judge.asked == [(PANDA, SOLD), ("I drive a Fiat Panda.", SOLD)]


def test_fact_of_the_same_predicate_takes_the_place_of_what_it_replaces() -> None:
    [choir] = remembered(fact("Ana", "memberOf", "choir"), text="I sing in a choir.")
    band = fact("Ana", "memberOf", "band")
    said = "It's a band for me these days."
    judge = TaughtJudge({said: REPLACES})
    expected = [[Supersession(choir, band, ConflictRule.LEARNED, 0.91)]]
    assert found(judge, case(said, band, candidates=[choir])) == expected


def test_one_sentence_that_told_several_things_does_not_end_those_that_stand() -> None:
    [panda] = remembered(fact("Ana", "drives", "Fiat Panda"), text="I had a row in the Fiat Panda.")

    class Halved(TaughtJudge):
        def judge_many(self, pairs: Sequence[tuple[Utterance, Utterance]]) -> list[ChangeVerdict]:
            return [ENDS if old.text.startswith("I had a row") else DOUBTS for old, _ in pairs]

    assert found(Halved({}), case(SOLD, candidates=[panda])) == [[]]


@pytest.mark.parametrize(("verdict", "facts"), [(REPLACES, []), (ENDS, [fact("Ana", "memberOf", "band")])])
def test_verdict_must_fit_what_would_take_the_place(verdict: ChangeVerdict, facts: list[Fact]) -> None:
    triples = remembered(fact("Ana", "memberOf", "choir"))
    said = "The choir, the band."
    assert found(TaughtJudge({said: verdict}), case(said, *facts, candidates=triples)) == [[]]


def test_doubt_and_what_coexists_change_nothing() -> None:
    triples = remembered(fact("Ana", "drives", "Fiat Panda"))
    judge = TaughtJudge({SOLD: DOUBTS})
    assert found(judge, case(SOLD, candidates=triples), case("The Panda is red.", candidates=triples)) == [[], []]
    assert {new for _, new in judge.asked} == {SOLD, "The Panda is red."}


@pytest.mark.parametrize(
    ("triple", "sentence", "facts", "speaker"),
    [
        pytest.param(fact("Ana", "drives", "Fiat Panda"), "I like tea.", [], "Ana", id="not named"),
        pytest.param(fact("Ana", "drives", "Fiat Panda"), SOLD, [], "Bob", id="somebody else's word"),
        pytest.param(fact("Ana", "drives", "Panda", tense=Tense.PAST), SOLD, [], "Ana", id="over already"),
        pytest.param(fact("Ana", "drives", "Panda", polarity=Polarity.NEGATIVE), SOLD, [], "Ana", id="denied already"),
        pytest.param(fact("Ana", "visited", "Rome"), "Rome is far.", [], "Ana", id="an event, which stays"),
        pytest.param(
            fact("Ana", "drives", "Panda"), "The Panda!", [fact("Ana", "drives", "Panda")], "Ana", id="said again"
        ),
        pytest.param(
            fact("Ana", "livesIn", "Rome"), "Rome, bye.", [fact("Ana", "livesIn", "Oslo")], "Ana", id="by a rule"
        ),
        pytest.param(
            fact("Ana", "memberOf", "choir"),
            "A band?",
            [fact("Ana", "memberOf", "band", modality=Modality.HYPOTHETICAL)],
            "Ana",
            id="not asserted",
        ),
    ],
)
def test_pairs_that_are_decided_or_cannot_change_are_not_asked_about(
    triple: Fact, sentence: str, facts: list[Fact], speaker: str
) -> None:
    judge = TaughtJudge({sentence: ENDS})
    assert found(judge, case(sentence, *facts, candidates=remembered(triple), speaker=speaker)) == [[]]
    assert judge.asked == []


def test_what_the_assistant_said_is_no_old_sentence() -> None:
    [panda] = remembered(fact("Ana", "drives", "Fiat Panda"))
    generated = replace(panda, source=replace(panda.source, role=Role.ASSISTANT))
    pasted = replace(panda, source=replace(panda.source, is_own=False))
    judge = TaughtJudge({SOLD: ENDS})
    assert found(judge, case(SOLD, candidates=[generated, pasted])) == [[]]
    assert judge.asked == []


def test_a_round_is_one_bounded_batch_of_the_last_told_first() -> None:
    graph = Graph()
    for number in range(1, 41):
        graph.say(fact("Ana", "owns", f"{number} lamp"), at=number % 20, by="Ana")
    judge = TaughtJudge({})
    cases = [case("The lamp is lit.", candidates=graph.triples), case("My lamp.", candidates=graph.triples[:1])]
    assert LearnedConflictDetector(judge).find_many(cases) == [[], []]
    assert (judge.calls, len(judge.asked)) == (1, 2 * LearnedConflictConfig().triples) == (1, 32)
    assert {old for old, _ in judge.asked if old.startswith("I own")} == {
        f"I own {number} lamp." for number in [19, 39, 18, 38, 17, 37, 16, 36, 15, 35, 14, 34, 13, 33, 12, 32]
    }
    assert found(TaughtJudge({})) == []
