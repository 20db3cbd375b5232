"""Figures on audited gold answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.benchmarks.locomo_audit import read_audit
from evaluation.core.audit import Answered, AuditedQuestion, audit_of, audited_scores, said_of
from evaluation.core.errors import MalformedBenchmark
from evaluation.core.runs.metrics import EffectiveScore

AUDITED = [
    AuditedQuestion("When did Ann move?", "2022", "WRONG_CITATION", "2022"),
    AuditedQuestion("How long did it take?", "six months", "TEMPORAL_ERROR", "five months"),
    AuditedQuestion("Whose bowl?", "Ann's", "ATTRIBUTION_ERROR", "Bob's"),
    AuditedQuestion("What did Ann read?", "Dune", "HALLUCINATION", "Nothing (the book is never named)"),
]
ANSWERED = {
    1: Answered("When did Ann move?", ("2022",), "temporal", "In 2022."),
    2: Answered("How long did it take?", ("six months",), "single-hop", "Five months."),
    3: Answered("Whose bowl?", ("Ann's",), "single-hop", "Ann's"),
    4: Answered("What did Ann read?", ("Dune",), "single-hop", "Dune"),
    5: Answered("Where is Bob?", ("Rome",), "single-hop", "Oslo"),
    6: Answered("how long DID it take", ("Six months.",), "single-hop", "It took six months."),
}


def score(
    item: int, metric: str = "accuracy", value: float | None = 1.0, *, has_failed: bool = False
) -> EffectiveScore:
    return EffectiveScore(1, item, "a", str(item), "graph", 0, "", 1, metric, value, value, False, has_failed)


def test_an_audit_keeps_replaces_and_leaves_out() -> None:
    scores = [score(1), score(2, value=0.0), score(3), score(4), score(5, value=0.0), score(6)]
    kept = audited_scores(scores, ANSWERED, audit_of(AUDITED))
    assert {one.item: one.value for one in kept} == {1: 1.0, 2: 1.0, 5: 0.0, 6: 0.0}
    assert {one.metric for one in kept} == {"audited_accuracy"}
    assert replace(kept[0], metric="accuracy") == scores[0]


def test_of_a_replaced_answer_only_words_are_compared_anew() -> None:
    scores = [
        score(2, "token_f1", 0.5),
        score(2, "exact_match", 0.0),
        score(2, "judged", 0.0),
        score(2, "evidence_recall"),
    ]
    kept = audited_scores(scores, ANSWERED, audit_of(AUDITED))
    assert [(one.metric, one.value) for one in kept] == [("audited_token_f1", 1.0), ("audited_exact_match", 1.0)]


def test_failed_and_unscored_items_stay_what_they_are() -> None:
    scores = [score(1, value=0.0, has_failed=True), score(2, value=0.0, has_failed=True), score(5, "judged", None)]
    kept = audited_scores(scores, ANSWERED, audit_of(AUDITED))
    assert [(one.item, one.value) for one in kept] == [(1, 0.0), (2, 0.0), (5, None)]


def test_what_an_audit_says_is_found_by_question_and_answer() -> None:
    audit = audit_of(AUDITED)
    assert said_of(audit, ANSWERED[6]) == AUDITED[1]
    assert said_of(audit, ANSWERED[1]) is None
    assert said_of(audit, replace(ANSWERED[3], expected=("Cy's",))) is None


@pytest.mark.parametrize(
    ("error", "correct", "replacement"),
    [
        ("TEMPORAL_ERROR", "July 2023", "July 2023"),
        ("TEMPORAL_ERROR", "July 2023 (not June)", ""),
        ("INCOMPLETE", "one; two", ""),
        ("INCOMPLETE", "word " * 13, ""),
        ("AMBIGUOUS", "July 2023", ""),
    ],
)
def test_only_a_short_answer_to_a_sound_question_replaces_one(error: str, correct: str, replacement: str) -> None:
    assert AuditedQuestion("?", "x", error, correct).replacement == replacement


def record(**fields: object) -> dict[str, object]:
    return {"question": "When?", "golden_answer": 2022, "error_type": "INCOMPLETE", "correct_answer": "2023", **fields}


def test_an_audit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "errors.json"
    path.write_text(json.dumps([record(reasoning="x")]))
    assert read_audit(path) == [AuditedQuestion("When?", "2022", "INCOMPLETE", "2023")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected a list of questions"),
        ({"question": "x"}, "expected a list of questions"),
        ([record(error_type="TYPO")], "record 1, field error_type: expected one of WRONG_CITATION"),
        ([record(), record(correct_answer=None)], "record 2, field correct_answer: missing"),
        ([record(question="")], "record 1, field question: expected a name"),
        (["x"], "record 1: expected an object"),
    ],
)
def test_a_faulty_audit_is_refused(content: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "errors.json"
    path.write_text(json.dumps(content))
    with pytest.raises(MalformedBenchmark, match=message):
        read_audit(path)
