"""What had to go, what had to stay, and the figures of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.supersessions import (
    Expectation,
    Judgement,
    StoredTriple,
    expectation_from_questions,
    judge,
    supersession_rows,
)
from evaluation.core.types import CaseQuestion

ANA, MAYA = "1", "2"


def believed(value: str, *, subject: str = ANA, predicate: str = "livesIn") -> StoredTriple:
    return StoredTriple(subject, predicate, value, is_superseded=False)


def given_up(value: str, *, subject: str = ANA, predicate: str = "livesIn") -> StoredTriple:
    return StoredTriple(subject, predicate, value, is_superseded=True)


def asked(question: str, *answers: str, forbidden: tuple[str, ...] = ()) -> CaseQuestion:
    return CaseQuestion("1", question, datetime(2024, 3, 1, tzinfo=UTC), "Ana", answers, forbidden)


def judged(expected: Expectation, *stored: StoredTriple) -> Judgement:
    return judge("case", "moves", expected, stored)


def test_a_move_is_right_found_and_costs_nothing_that_was_kept() -> None:
    expected = Expectation(retired=("Paris",), kept=("Airbus", "Lyon"))
    result = judged(expected, given_up("Paris"), believed("Lyon"), believed("Airbus", predicate="worksFor"))
    assert result.superseded_rightly == (True,)
    assert result.expected_found == (True,)
    assert result.kept_lost == (False, False)


def test_what_nobody_asked_to_go_is_wrong_and_lost() -> None:
    expected = Expectation(retired=("Paris",), kept=("Airbus", "guitar"))
    result = judged(expected, believed("Paris"), given_up("Airbus", predicate="worksFor"))
    assert result.superseded_rightly == (False,)
    assert result.expected_found == (False,)
    assert result.kept_lost == (True,), "the guitar was never stored and does not count"


def test_the_same_fact_said_again_is_not_given_up() -> None:
    expected = Expectation(kept=("Split",))
    assert judged(expected, given_up("Split"), believed("Split")) == Judgement("case", "moves", (), (), (False,))
    of_another = judged(expected, given_up("Split"), believed("Split", subject=MAYA))
    assert of_another.kept_lost == (True,)


@pytest.mark.parametrize(
    ("wanted", "value", "is_found"),
    [
        ("sailing boat", "boat", True),
        ("Honda City", "a Honda City", True),
        ("20 May", "2024-05-20", True),
        ("Dr. Hofmann", "dr hofmann", True),
        ("three", "3", True),
        ("Four", "4 nephews", True),
        ("three", "13", False),
        ("law", "lawn", False),
        ("Paris", "", False),
    ],
)
def test_values_meet_by_their_words_and_dates(wanted: str, value: str, is_found: bool) -> None:
    assert judged(Expectation(retired=(wanted,)), given_up(value)).expected_found == (is_found,)


def test_a_partial_expectation_judges_only_what_it_names() -> None:
    partial = Expectation(retired=("Paris",), kept=("Airbus",), is_whole=False)
    stored = (given_up("Paris"), given_up("green", predicate="hasColor"), given_up("Airbus", predicate="worksFor"))
    assert judged(partial, *stored).superseded_rightly == (True, False)
    whole = Expectation(retired=("Paris",), kept=("Airbus",))
    assert judged(whole, *stored).superseded_rightly == (True, False, False)


def test_questions_tell_what_had_to_go_by_the_slot() -> None:
    stored = (believed("Paris"), believed("Graz", subject=MAYA), believed("Lyon"))
    questions = [asked("Where do I live?", "Lyon", forbidden=("Paris", "Graz")), asked("Where is Maya?", "Graz")]
    expected = expectation_from_questions(questions, stored)
    assert expected == Expectation(retired=("Paris",), kept=("Lyon",), is_whole=False)


def test_questions_about_the_past_do_not_ask_the_present_to_go() -> None:
    stored = (given_up("Paris"), believed("Lyon"))
    questions = [
        asked("Where do I live?", "Lyon", forbidden=("Paris",)),
        asked("Where did I use to live?", "Paris", forbidden=("Lyon",)),
    ]
    assert expectation_from_questions(questions, stored) == Expectation(retired=("Paris",), is_whole=False)


def test_what_was_said_of_the_past_need_not_go() -> None:
    used_to = StoredTriple(ANA, "livesIn", "Paris", is_superseded=False, is_past=True)
    questions = [asked("Where do I live?", "Lyon", forbidden=("Paris",))]
    assert expectation_from_questions(questions, [used_to, believed("Lyon")]).retired == ()
    assert expectation_from_questions(questions, [believed("Paris"), believed("Lyon")]).retired == ("Paris",)


def test_questions_without_a_short_answer_tell_nothing() -> None:
    unscored = CaseQuestion("1", "Who?", datetime(2024, 3, 1, tzinfo=UTC), "Ana", None)
    assert expectation_from_questions([unscored], [believed("Paris")]) == Expectation(is_whole=False)


def test_rows_are_three_for_all_and_those_with_something_to_count_by_category() -> None:
    rows = supersession_rows(
        [
            Judgement("a", "moves", (True, False), (True,), (False, False)),
            Judgement("b", "moves", (), (False,), (True, False)),
            Judgement("c", "questions", (), (), (False,)),
        ]
    )
    assert [(row.name, row.metric, row.group, row.n, row.value) for row in rows] == [
        ("updates", "supersession_precision", "", 2, 0.5),
        ("updates", "supersession_recall", "", 2, 0.5),
        ("updates", "wrongly_retired", "", 5, 0.2),
        ("updates", "supersession_precision", "moves", 2, 0.5),
        ("updates", "supersession_recall", "moves", 2, 0.5),
        ("updates", "wrongly_retired", "moves", 4, 0.25),
        ("updates", "wrongly_retired", "questions", 1, 0.0),
    ]
    assert all(row.low <= row.value <= row.high for row in rows)


def test_nothing_to_count_has_no_value_and_says_why() -> None:
    rows = supersession_rows([Judgement("a", "questions", (), (), ())])
    assert [(row.metric, row.value, row.n, row.why) for row in rows] == [
        ("supersession_precision", None, 0, "nothing was given up"),
        ("supersession_recall", None, 0, "nothing had to go"),
        ("wrongly_retired", None, 0, "nothing that must stay was stored"),
    ]


VALUES = st.sampled_from(["Paris", "Lyon", "Oslo", "Split"])
TRIPLES = st.lists(st.builds(StoredTriple, st.sampled_from([ANA, MAYA]), st.just("livesIn"), VALUES, st.booleans()))


@given(TRIPLES, st.lists(VALUES, unique=True), st.lists(VALUES, unique=True))
def test_a_memory_that_gives_nothing_up_loses_and_finds_nothing(stored, old, kept) -> None:
    untouched = [believed(triple.value, subject=triple.subject) for triple in stored]
    result = judged(Expectation(tuple(old), tuple(kept)), *untouched)
    assert result.superseded_rightly == ()
    assert result.expected_found == (False,) * len(old)
    assert not any(result.kept_lost)


@given(TRIPLES, st.lists(VALUES, unique=True))
def test_each_expected_value_counts_once_however_often_it_is_stored(stored, old) -> None:
    result = judged(Expectation(tuple(old)), *stored)
    assert len(result.expected_found) == len(old)
    assert any(result.superseded_rightly) == any(result.expected_found)
