"""Agreement by hand: figures, intervals, warnings, and what cannot be told. Other libraries are in tests/comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.annotation.agreement import (
    Comparison,
    Estimate,
    LabelAgreement,
    PairAgreement,
    agreement_of,
    project_agreement,
)
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.patterns import Pattern, pattern_of, read_pattern
from evaluation.core.confusion import Confusion
from tests.hypothesis_profiles import examples

FACTS, SCALES, MESSAGE = (kind_named(name) for name in ("fact_verdict", "human_evaluation", "message_facts"))
BRAGA, PORTO, PASTA = ["me", "livesIn", "Braga", ""], ["me", "livesIn", "Porto", "past"], ["me", "likes", "pasta", ""]


def verdicts(count: int, *, machine: str = "", final: str = "", **people: str) -> Counter[Pattern]:
    def said(label: str) -> dict[str, str] | None:
        return {"verdict": label} if label else None

    answers = {name: {"verdict": label} for name, label in people.items()}
    text = pattern_of(FACTS, people=answers, machine=said(machine), final=said(final))
    return Counter({read_pattern(text): count})


def of_people(counts: Counter[Pattern]) -> Comparison:
    [one] = agreement_of(FACTS, counts)
    assert one.people is not None
    return one.people


def test_two_people_are_compared_by_hand():
    # Of 10 items: 5 both true, 3 both false, 2 that ben alone calls true. By chance: 0.5 * 0.7 + 0.5 * 0.3 = 0.5.
    found = of_people(
        verdicts(5, ana="true", ben="true")
        + verdicts(3, ana="false", ben="false")
        + verdicts(2, ana="false", ben="true")
    )
    table = Confusion(Counter({("true", "true"): 5, ("false", "false"): 3, ("false", "true"): 2}))
    assert (found.items, found.n, found.raw.value, found.kappa.value) == (10, 10, 0.8, pytest.approx(0.6))
    # 12 labels are true and 8 false: 1 - 19 * (2 * 2) / (2 * 12 * 8).
    assert found.alpha.value == pytest.approx(1 - 19 * 4 / 192)
    assert (found.ordinal_alpha, found.facts_f1) == (None, None)
    assert found.labels == (
        LabelAgreement("true", "True", 0.6, pytest.approx(10 / 12)),
        LabelAgreement("false", "False", 0.4, pytest.approx(6 / 8)),
        LabelAgreement("not_enough_information", "Not enough information", 0.0, None),
        LabelAgreement("not_a_claim", "Not a claim", 0.0, None),
    )
    assert found.confusion == table
    assert found.pairs == (PairAgreement("ana", "ben", 10, 0.8, pytest.approx(0.6), None, table),)
    assert found.warning == ""


def test_a_label_that_the_kind_has_no_more_is_counted_behind_the_others():
    text = '{"people":{"ana":{"verdict":"maybe"},"ben":{"verdict":"true"}}}'
    found = of_people(Counter({read_pattern(text): 1}))
    assert found.labels[-1] == LabelAgreement("maybe", "maybe", 0.5, 0.0)
    assert found.confusion.counts == {("maybe", "true"): 1}


def test_an_item_of_three_people_is_three_comparisons_and_each_label_counts_once():
    found = of_people(verdicts(1, ana="true", ben="true", cy="false"))
    assert (found.items, found.n) == (1, 3)
    assert found.raw.value == pytest.approx(1 / 3)
    assert [label.share for label in found.labels[:2]] == pytest.approx([2 / 3, 1 / 3])
    assert [(pair.one, pair.other, pair.raw) for pair in found.pairs] == [
        ("ana", "ben", 1.0),
        ("ana", "cy", 0.0),
        ("ben", "cy", 0.0),
    ]


def test_the_final_answer_stands_against_the_machine_and_peoples_own_while_there_is_none():
    [found] = agreement_of(
        FACTS,
        verdicts(4, machine="true", final="true", ana="true", ben="false")
        + verdicts(1, machine="false", ana="true", ben="false")
        + verdicts(2, ana="true", ben="true", final="true"),
    )
    assert found.machine is not None
    assert (found.machine.items, found.machine.n) == (5, 6)
    assert found.machine.confusion.counts == {("true", "true"): 4, ("true", "false"): 1, ("false", "false"): 1}
    # The figures of `evaluate facts`.
    assert found.machine.raw.value == pytest.approx(found.machine.confusion.accuracy)
    assert found.machine.kappa.value == pytest.approx(found.machine.confusion.kappa)
    assert found.people is not None
    assert (found.people.items, found.people.n) == (7, 7)


def test_nothing_to_compare_is_none():
    [found] = agreement_of(FACTS, verdicts(3, ana="true") + verdicts(1, machine="true"))
    assert (found.people, found.machine) == (None, None)
    assert [one.people for one in agreement_of(SCALES, Counter())] == [None, None, None]


def test_of_one_label_alone_there_is_no_chance_to_beat():
    found = of_people(verdicts(40, ana="true", ben="true"))
    assert (found.raw, found.kappa, found.alpha) == (Estimate(1.0), Estimate(None), Estimate(None))
    assert found.warning.startswith("100% of the labels are “True”.")


def test_of_few_items_no_interval_is_told():
    few = verdicts(3, ana="true", ben="true") + verdicts(2, ana="true", ben="false")
    assert of_people(few).raw == Estimate(0.6)
    more = few + verdicts(1, ana="false", ben="false")
    assert of_people(more).raw.low is not None


def test_an_interval_holds_its_figure_narrows_with_items_and_is_the_same_again():
    def found(times: int) -> Comparison:
        return of_people(
            verdicts(6 * times, ana="true", ben="true")
            + verdicts(2 * times, ana="false", ben="false")
            + verdicts(2 * times, ana="false", ben="true")
        )

    wide, narrow = found(5), found(500)
    for one, other in ((wide.raw, narrow.raw), (wide.kappa, narrow.kappa), (wide.alpha, narrow.alpha)):
        assert one.low < one.value < one.high
        assert 8 < (one.high - one.low) / (other.high - other.low) < 12.5
    # The binomial of 5,000 items has a standard error of 0.4 / sqrt(5000).
    assert narrow.raw.high - narrow.raw.low == pytest.approx(2 * 1.96 * 0.4 / 5_000**0.5, rel=0.1)
    assert found(5) == wide


def test_where_one_label_is_nearly_all_a_warning_says_so():
    most = verdicts(90, ana="true", ben="true") + verdicts(10, ana="false", ben="false")
    assert of_people(most).warning == ""
    assert of_people(most + verdicts(1, ana="true", ben="true")).warning == (
        "90% of the labels are “True”. With so few others, kappa and alpha can be low although nearly all labels agree: read "
        "them beside the raw agreement and the agreement on each label."
    )


def test_scales_have_an_alpha_that_minds_how_far_labels_are_apart():
    def found(other: str) -> Comparison:
        counts: Counter[Pattern] = Counter()
        for one, two, count in (("0", "0", 5), ("1", "1", 5), ("2", "2", 5), ("0", other, 5)):
            people = {name: {"fluency": label} for name, label in (("ana", one), ("ben", two))}
            counts[read_pattern(pattern_of(SCALES, people=people, machine=None, final=None))] += count
        people_found = agreement_of(SCALES, counts)[1].people
        assert people_found is not None
        return people_found

    near, far = found("1"), found("2")
    assert near.raw == far.raw
    assert near.ordinal_alpha is not None
    assert far.ordinal_alpha is not None
    assert far.ordinal_alpha.value < far.alpha.value < near.ordinal_alpha.value


def messages(*items: Mapping[str, Any]) -> Counter[Pattern]:
    def answer(facts: Any) -> Any:
        return None if facts is None else {"facts": facts}

    return Counter(
        read_pattern(
            pattern_of(
                MESSAGE,
                people={name: answer(item[name]) for name in ("ana", "ben", "cy") if name in item},
                machine=answer(item.get("machine")),
                final=answer(item.get("final")),
            )
        )
        for item in items
    )


def test_facts_are_compared_by_whether_there_are_any_and_by_which_are_shared():
    [found] = agreement_of(
        MESSAGE,
        messages(
            {"ana": [BRAGA, PORTO], "ben": [BRAGA], "machine": [BRAGA, PASTA], "final": [BRAGA, PORTO]},
            {"ana": [PASTA], "ben": [], "machine": [PASTA]},
            {"ana": [], "ben": []},
            {"ana": [PASTA], "cy": [PASTA]},
        ),
    )
    assert found.people is not None
    assert found.machine is not None
    # ana and ben share 1 fact of 3 and 1; ana and cy 1 of 1 and 1.
    assert found.people.facts_f1 == Estimate(pytest.approx(2 * 2 / 6))
    assert [(pair.one, pair.other, pair.n, pair.facts_f1) for pair in found.people.pairs] == [
        ("ana", "ben", 3, pytest.approx(2 * 1 / 4)),
        ("ana", "cy", 1, 1.0),
    ]
    assert found.people.confusion.counts == {("some", "some"): 2, ("some", "none"): 1, ("none", "none"): 1}
    # The final facts against the machine's, 1 of 2 and 2; while there are none, ana's 1 of 1 and 1, and ben's 0 of 0 and 1.
    assert found.machine.facts_f1 == Estimate(pytest.approx(2 * 2 / 7))
    assert found.machine.confusion.counts == {("some", "some"): 2, ("none", "some"): 1}


def test_of_no_facts_at_all_there_is_no_f1():
    [found] = agreement_of(MESSAGE, messages({"ana": [], "ben": []}))
    assert found.people is not None
    assert (found.people.facts_f1, found.people.raw) == (Estimate(None), Estimate(1.0))


def test_a_project_is_told_whole_and_by_data_set():
    hybrid = verdicts(3, ana="true", ben="true")
    open_dial = verdicts(2, ana="true", ben="false") + verdicts(1, ana="true", ben="true")
    found = project_agreement(FACTS, {"opendialkg": open_dial, "hybridialogue": hybrid})
    assert found.whole == agreement_of(FACTS, hybrid + open_dial)
    assert list(found.datasets.items()) == [
        ("hybridialogue", agreement_of(FACTS, hybrid)),
        ("opendialkg", agreement_of(FACTS, open_dial)),
    ]
    alone = project_agreement(FACTS, {"": hybrid})
    assert alone.datasets == {"": alone.whole}
    assert project_agreement(FACTS, {}).datasets == {}


labels = st.sampled_from([label.name for label in FACTS.questions[0].labels])
said = st.dictionaries(st.sampled_from(["ana", "ben", "cy", "dot"]), labels, max_size=4)


@settings(max_examples=examples(200))
@given(items=st.lists(st.tuples(said, st.integers(1, 50)), max_size=12))
def test_figures_lie_in_their_range_whatever_was_said(items: list[tuple[dict[str, str], int]]):
    counts = sum((verdicts(count, **people) for people, count in items), Counter())
    [found] = agreement_of(FACTS, counts)
    of_two = sum(count for people, count in items if len(people) > 1)
    if found.people is None:
        assert of_two == 0
        return
    assert found.people.items == of_two
    assert found.people.n == sum(pair.n for pair in found.people.pairs) == found.people.confusion.total
    assert sum(label.share for label in found.people.labels) == pytest.approx(1)
    for figure, lowest in ((found.people.raw, 0), (found.people.kappa, -1), (found.people.alpha, -1)):
        assert figure.value is None or lowest <= figure.value <= 1
        assert figure.low is None or lowest <= figure.low <= figure.high <= 1
