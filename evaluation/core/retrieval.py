"""Metrics of retrieval: recall at a cut-off, and the reciprocal rank of the first hit.

Recall is the share of the evidence among the first k of a ranking; the reciprocal rank is 1 over the rank of the first piece
of evidence, 0 where none is ranked (Manning, Raghavan and Schuetze, 2008, sections 8.3 and 8.4).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

NO_EVIDENCE = "a recall needs evidence, got none"


@dataclass(frozen=True)
class Sources:
    """The keys of the sessions and turns that a digest names as its sources."""

    sessions: frozenset[str] = frozenset()
    turns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Found:
    """What a retriever found for one question, as keys of the case, best first.

    `sessions` are those of the ranked chunks, one a chunk, so a session may be repeated. It is None where the recipe ranks
    something else, which `why` names. `digests` has the sources of each kind of digest in order.
    """

    sessions: tuple[str, ...] | None = None
    turns: tuple[str, ...] | None = None
    digests: Mapping[str, tuple[Sources, ...]] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True)
class Evidence:
    """The keys of the sessions that contain a question's answer, and of the turns where the file names them."""

    sessions: frozenset[str]
    turns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class QuestionOutcome:
    """The figures of one retriever for one question: a value, or None with the reason in `why`."""

    retriever: str
    case: str
    question_id: str
    category: str
    figures: Mapping[str, float | None]
    seconds: float
    why: Mapping[str, str] = field(default_factory=dict)


def covered_share(found: Collection[str], evidence: frozenset[str]) -> float:
    """Return the share of the evidence that was found. Raises `ValueError` where there is no evidence."""
    if not evidence:
        raise ValueError(NO_EVIDENCE)
    return len(evidence.intersection(found)) / len(evidence)


def reciprocal_rank(ranking: Sequence[str], evidence: frozenset[str]) -> float:
    """Return 1 over the rank, counted from 1, of the first evidence; 0 where none is ranked."""
    places = (place for place, key in enumerate(ranking, start=1) if key in evidence)
    first = next(places, None)
    return 1 / first if first else 0.0


def session_recall(found: Found, evidence: Evidence, k: int) -> float | None:
    """Return the recall of evidence sessions at k; sources of the first k digests of each kind count as found."""
    if found.sessions is None and not found.digests:
        return None
    return covered_share(context_sessions(found, k), evidence.sessions)


def turn_recall(found: Found, evidence: Evidence, k: int) -> float | None:
    """Return the recall of evidence turns at k; None where no turns are ranked or the file names none."""
    if found.turns is None or not evidence.turns:
        return None
    of_digests = {turn for ranking in found.digests.values() for sources in ranking[:k] for turn in sources.turns}
    return covered_share(of_digests.union(found.turns[:k]), evidence.turns)


def context_sessions(found: Found, k: int) -> set[str]:
    """Return the sessions of the first k chunks and of the first k digests of each kind."""
    of_digests = {
        session for ranking in found.digests.values() for sources in ranking[:k] for session in sources.sessions
    }
    return of_digests.union((found.sessions or ())[:k])


def question_figures(
    found: Found, evidence: Evidence, cuts: Sequence[int]
) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return all figures of a question, and the reason for each that is None."""
    figures: dict[str, float | None] = {}
    for k in cuts:
        figures[f"session_recall@{k}"] = session_recall(found, evidence, k)
        figures[f"turn_recall@{k}"] = turn_recall(found, evidence, k)
    figures["mrr"] = None if found.sessions is None else reciprocal_rank(found.sessions, evidence.sessions)
    has_turns = found.turns is not None and bool(evidence.turns)
    figures["turn_mrr"] = reciprocal_rank(found.turns or (), evidence.turns) if has_turns else None
    for k in cuts if found.digests else ():
        figures[f"sessions_in_context@{k}"] = float(len(context_sessions(found, k)))
    no_turns = "the file names no turns as evidence" if found.turns is not None else found.why
    return figures, {
        name: no_turns if "turn" in name else found.why for name, value in figures.items() if value is None
    }
