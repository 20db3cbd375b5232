"""Patterns: the same for the same labels by the same people, read back whole, and no larger than an index takes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.annotation.catalogue import kind_named, kinds
from evaluation.core.annotation.patterns import (
    FINAL,
    MACHINE,
    NAME_LONGEST,
    Overlap,
    Pattern,
    pattern_of,
    read_pattern,
    short_name,
)
from evaluation.core.annotation.types import ProjectKind, QuestionForm
from evaluation.core.errors import MalformedAnnotation
from tests.hypothesis_profiles import examples

FACTS, SCALES, MESSAGE = (kind_named(name) for name in ("fact_verdict", "human_evaluation", "message_facts"))
BRAGA, PORTO = ["me", "livesIn", "Braga", ""], ["me", "livesIn", "Porto", "past"]
# A row of a B-tree of PostgreSQL holds so many bytes.
INDEX_ROW = 2_704

names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=150)
some_facts = st.lists(st.sampled_from([BRAGA, PORTO, ["me", "livesIn", "BRAGA", ""]]), max_size=3)


@st.composite
def answers(draw: st.DrawFn, kind: ProjectKind) -> dict[str, Any]:
    return {
        question.name: draw(some_facts)
        if question.form is QuestionForm.FACTS
        else draw(st.sampled_from([label.name for label in question.labels]))
        for question in kind.questions
    }


@st.composite
def items(draw: st.DrawFn) -> tuple[ProjectKind, dict[str, Any]]:
    kind = draw(st.sampled_from(list(kinds().values())))
    one = answers(kind)
    people = st.dictionaries(names, one, max_size=9)
    sides = {"people": draw(people), "machine": draw(st.none() | one), "final": draw(st.none() | one)}
    return kind, sides


def test_a_pattern_says_who_said_what():
    text = pattern_of(
        FACTS,
        people={"ben": {"verdict": "true"}, "ana": {"verdict": "false"}},
        machine={"verdict": "true"},
        final={"verdict": "false"},
    )
    assert text == (
        '{"final":{"verdict":"false"},"machine":{"verdict":"true"},'
        '"people":{"ana":{"verdict":"false"},"ben":{"verdict":"true"}}}'
    )
    read = read_pattern(text)
    assert (read.people, read.machine, read.final, read.overlaps) == (
        {"ana": {"verdict": "false"}, "ben": {"verdict": "true"}},
        {"verdict": "true"},
        {"verdict": "false"},
        {},
    )


def test_nothing_said_is_the_pattern_of_a_new_item():
    assert pattern_of(FACTS, people={}, machine=None, final=None) == "{}"
    assert read_pattern("{}") == Pattern("{}")


def test_facts_are_counted_two_sides_at_a_time():
    text = pattern_of(
        MESSAGE,
        people={"zoe": {"facts": [BRAGA]}, "ana": {"facts": [BRAGA, PORTO]}},
        machine={"facts": []},
        final={"facts": [PORTO]},
    )
    read = read_pattern(text)
    assert read.people == {"ana": {"facts": "some"}, "zoe": {"facts": "some"}}
    assert (read.machine, read.final) == ({"facts": "none"}, {"facts": "some"})
    ana, zoe = 0, 1
    assert read.overlaps == {
        "facts": (
            Overlap(ana, zoe, shared=1, of_one=2, of_other=1),
            Overlap(ana, MACHINE, shared=0, of_one=2, of_other=0),
            Overlap(zoe, MACHINE, shared=0, of_one=1, of_other=0),
            Overlap(FINAL, MACHINE, shared=0, of_one=1, of_other=0),
        )
    }


def test_patterns_are_counted_by_their_text():
    one, same, other = (
        pattern_of(FACTS, people=people, machine=None, final=None)
        for people in (
            {"ana": {"verdict": "true"}, "ben": {"verdict": "false"}},
            {"ben": {"verdict": "false"}, "ana": {"verdict": "true"}},
            {"ben": {"verdict": "true"}, "ana": {"verdict": "false"}},
        )
    )
    assert Counter(map(read_pattern, [one, same, other])) == {read_pattern(one): 2, read_pattern(other): 1}


def test_a_question_that_an_older_answer_lacks_is_absent():
    text = pattern_of(SCALES, people={"ana": {"fluency": "2"}}, machine=None, final=None)
    assert read_pattern(text).people == {"ana": {"fluency": "2"}}


def test_long_names_are_cut_and_stay_apart():
    one, other = "a" * 150 + "1", "a" * 150 + "2"
    assert short_name("ana") == "ana"
    assert short_name(one) != short_name(other)
    assert {len(short_name(name)) for name in (one, other)} == {NAME_LONGEST}
    assert short_name("a\x00b\ud800") == "a\ufffdb\ufffd"


@pytest.mark.parametrize("kind", kinds().values(), ids=lambda kind: kind.name)
def test_a_pattern_of_most_people_with_the_longest_names_fits_an_index(kind: ProjectKind):
    longest = {
        question.name: [["me", "other:x", f"{number}", ""] for number in range(100)]
        if question.form is QuestionForm.FACTS
        else max((label.name for label in question.labels), key=len)
        for question in kind.questions
    }
    people = {f"{number}" + "\U00020000" * 149: longest for number in range(9)}
    text = pattern_of(kind, people=people, machine=longest, final=longest)
    assert len(read_pattern(text).people) == 9
    assert len(text.encode()) < INDEX_ROW


@settings(max_examples=examples(400))
@given(item=items(), chance=st.randoms())
def test_a_pattern_is_read_back_and_does_not_depend_on_the_order_of_people(item: Any, chance: Any):
    kind, sides = item
    text = pattern_of(kind, **sides)
    shuffled = list(sides["people"].items())
    chance.shuffle(shuffled)
    assert pattern_of(kind, **{**sides, "people": dict(shuffled)}) == text

    def labels(answer: dict[str, Any] | None) -> dict[str, str]:
        return {
            name: said if isinstance(said, str) else "some" if said else "none" for name, said in (answer or {}).items()
        }

    read = read_pattern(text)
    assert read.people == {short_name(name): labels(answer) for name, answer in sides["people"].items()}
    assert (read.machine, read.final) == (labels(sides["machine"]), labels(sides["final"]))
    assert json.loads(text) == json.loads(json.dumps(json.loads(text), sort_keys=True))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '{"who":{}}',
        '{"people":["ana"]}',
        '{"people":{"ana":"true"}}',
        '{"machine":{"verdict":1}}',
        '{"machine":null}',
        '{"facts":{"facts":[[0,1,2,3]]}}',
        '{"facts":{"facts":[[0,-3,0,0,0]]}}',
        '{"facts":{"facts":[[0,1,0,0,0]]},"people":{"ana":{"facts":"none"}}}',
        '{"facts":{"facts":[[-2,-1,3,2,3]]}}',
        '{"facts":{"facts":[[-2,-1,-1,2,3]]}}',
        '{"facts":{"facts":[[-2,-1,"1",2,3]]}}',
        "[" * 100_000,
    ],
)
def test_a_text_that_is_no_pattern_is_refused_in_a_sentence(text: str):
    with pytest.raises(MalformedAnnotation, match="This sums up no labels: ") as raised:
        read_pattern(text)
    assert len(str(raised.value)) < 400


@settings(max_examples=examples(1_000))
@given(text=st.text() | st.recursive(st.integers() | st.text(), st.lists).map(json.dumps))
def test_garbage_is_refused(text: str):
    with pytest.raises(MalformedAnnotation):
        read_pattern(text)
