"""Evidence that names something, and evidence that does not."""

from __future__ import annotations

from datetime import UTC, datetime

from evaluation.core.report import Row
from evaluation.core.retrieval import Evidence, evidence_rows, read_evidence
from evaluation.core.types import Case, CaseQuestion, CaseSession, CaseTurn
from memory.core.types import Role

DAY = datetime(2024, 1, 1, tzinfo=UTC)


def session(key: str, *turns: str) -> CaseSession:
    return CaseSession(key, DAY, tuple(CaseTurn(Role.USER, "Ann", "Hello.", DAY, turn) for turn in turns))


def question(number: str, *evidence: str, marked: tuple[str, ...] = ()) -> CaseQuestion:
    return CaseQuestion(number, "Who?", DAY, "Ann", None, evidence=evidence, marked=marked)


def case(*questions: CaseQuestion) -> Case:
    return Case("c", "", (session("s1", "D1:1", "D1:2"), session("s2", "D2:1")), questions)


def rows_by_metric(*cases: Case) -> dict[str, Row]:
    return {row.metric: row for row in evidence_rows([read_evidence(one) for one in cases])}


def test_turns_bring_their_sessions() -> None:
    (asked,) = read_evidence(case(question("1", "D1:2", "D2:1"))).asked
    assert asked.evidence == Evidence(frozenset({"s1", "s2"}), frozenset({"D1:2", "D2:1"}))


def test_sessions_are_evidence_by_themselves_and_with_their_marked_turns() -> None:
    plain, marked = read_evidence(case(question("1", "s2"), question("2", "s1", marked=("D1:1",)))).asked
    assert plain.evidence == Evidence(frozenset({"s2"}))
    assert marked.evidence == Evidence(frozenset({"s1"}), frozenset({"D1:1"}))


def test_a_stray_reference_is_counted_and_the_rest_is_measured() -> None:
    read = read_evidence(case(question("1", "D4:36", "D1:1")))
    assert [asked.evidence.turns for asked in read.asked] == [{"D1:1"}]
    assert [(one.references, one.leaves_nothing) for one in read.unknown] == [(("D4:36",), False)]


def test_every_question_is_in_one_of_the_counts() -> None:
    rows = rows_by_metric(case(question("1", "D1:1"), question("2"), question("3", "somewhere")), case())
    assert [rows[metric].value for metric in ("measured", "without_evidence", "evidence_names_nothing")] == [1, 1, 1]
    assert rows["measured"].n == 3
    assert rows["references_unknown"].value == 1
    assert "'somewhere' of c, question 3" in rows["references_unknown"].why


def test_only_the_first_strays_are_shown() -> None:
    rows = rows_by_metric(case(*(question(str(number), f"x{number}") for number in range(8))))
    assert rows["references_unknown"].value == 8
    assert rows["references_unknown"].why.endswith("and 3 more")


def test_nothing_amiss_says_nothing() -> None:
    rows = rows_by_metric(case(question("1", "D1:1")))
    assert [rows[metric].why for metric in rows] == [""] * 4
