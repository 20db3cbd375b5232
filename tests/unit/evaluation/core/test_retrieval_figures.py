"""Recall, reciprocal rank, and what counts as found, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.retrieval import (
    Evidence,
    Found,
    Sources,
    context_sessions,
    question_figures,
    reciprocal_rank,
    session_recall,
    turn_recall,
)

KEYS = st.sampled_from("abcdefgh")
TURNS = Found(sessions=("s1", "s1", "s2", "s3"), turns=("s1:1", "s1:4", "s2:2", "s3:1"))
EVIDENCE = Evidence(frozenset({"s1", "s3"}), frozenset({"s1:4", "s3:9"}))


def recall_at(ranking: list[str], evidence: frozenset[str], k: int) -> float | None:
    return session_recall(Found(sessions=tuple(ranking)), Evidence(evidence), k)


def test_recall_is_the_share_of_the_evidence_among_the_first_k() -> None:
    evidence = frozenset({"a", "b", "c"})
    ranking = ["x", "a", "y", "b", "c"]
    assert [recall_at(ranking, evidence, k) for k in (1, 2, 4, 5)] == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_recall_without_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match="needs evidence"):
        recall_at(["a"], frozenset(), 5)


def test_reciprocal_rank_counts_the_first_piece_only() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], frozenset({"a", "b"})) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], frozenset({"a"})) == 0


def test_turns_count_for_their_sessions_within_the_same_first_k() -> None:
    assert session_recall(TURNS, EVIDENCE, 2) == pytest.approx(1 / 2)
    assert session_recall(TURNS, EVIDENCE, 4) == 1
    assert turn_recall(TURNS, EVIDENCE, 4) == pytest.approx(1 / 2)


def test_sources_of_the_first_k_digests_of_each_kind_are_found_as_well() -> None:
    found = Found(
        sessions=("s9",),
        digests={
            "fact": (Sources(frozenset({"s2"}), frozenset({"s2:1"})), Sources(frozenset({"s3"}))),
            "insight": (Sources(frozenset({"s1", "s4"})),),
        },
    )
    assert session_recall(found, EVIDENCE, 1) == pytest.approx(1 / 2)
    assert session_recall(found, EVIDENCE, 2) == 1
    assert context_sessions(found, 1) == {"s9", "s2", "s1", "s4"}


def test_digests_alone_have_a_recall_of_sessions_and_no_rank() -> None:
    found = Found(digests={"fact": (Sources(frozenset({"s1"})),)}, why="only digests")
    figures, why = question_figures(found, EVIDENCE, [5])
    assert figures["session_recall@5"] == pytest.approx(1 / 2)
    assert figures["sessions_in_context@5"] == 1
    assert (figures["mrr"], figures["turn_recall@5"], figures["turn_mrr"]) == (None, None, None)
    assert why == {"mrr": "only digests", "turn_recall@5": "only digests", "turn_mrr": "only digests"}


def test_a_file_that_names_no_turns_has_no_recall_of_turns() -> None:
    figures, why = question_figures(TURNS, Evidence(frozenset({"s2"})), [2, 4])
    assert (figures["session_recall@2"], figures["session_recall@4"]) == (0, 1)
    assert figures["mrr"] == pytest.approx(1 / 3)
    assert why["turn_recall@4"] == "the file names no turns as evidence"


def test_nothing_found_is_nothing_recalled_and_not_unknown() -> None:
    figures, why = question_figures(Found(sessions=(), turns=()), EVIDENCE, [5])
    assert figures == {"session_recall@5": 0, "turn_recall@5": 0, "mrr": 0, "turn_mrr": 0}
    assert why == {}


@given(st.lists(KEYS, unique=True), st.frozensets(KEYS, min_size=1))
def test_recall_never_falls_as_k_grows(ranking: list[str], evidence: frozenset[str]) -> None:
    recalls = [recall_at(ranking, evidence, k) for k in range(len(ranking) + 2)]
    assert recalls == sorted(recalls)
    assert recalls[-1] == len(evidence & set(ranking)) / len(evidence)
