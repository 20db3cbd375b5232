"""Our recall, reciprocal rank and bootstrap against independent implementations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.intervals import bootstrap_interval
from evaluation.core.retrieval import Evidence, Found, reciprocal_rank, session_recall
from tests.hypothesis_profiles import examples

RANKED = st.lists(st.booleans(), min_size=1, max_size=12).filter(any)


@given(RANKED, st.integers(1, 12))
@settings(max_examples=examples(100))
def test_recall_equals_sklearns_of_what_is_among_the_first_k(relevant: list[bool], k: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    ranking = [str(place) for place in range(len(relevant))]
    evidence = frozenset(key for key, is_relevant in zip(ranking, relevant, strict=True) if is_relevant)
    retrieved = [place < k for place in range(len(relevant))]
    ours = session_recall(Found(sessions=tuple(ranking)), Evidence(evidence), k)
    assert ours == pytest.approx(metrics.recall_score(relevant, retrieved))


@given(RANKED)
@settings(max_examples=examples(100))
def test_reciprocal_rank_of_one_piece_equals_sklearns_label_ranking_precision(relevant: list[bool]) -> None:
    """With a single relevant label, the label ranking average precision is the reciprocal rank."""
    metrics = pytest.importorskip("sklearn.metrics")
    ranking = [str(place) for place in range(len(relevant))]
    only = relevant.index(True)
    truth = np.eye(1, len(relevant), only)
    scores = -np.arange(len(relevant), dtype=float)[None, :]
    theirs = metrics.label_ranking_average_precision_score(truth, scores)
    assert reciprocal_rank(ranking, frozenset({str(only)})) == pytest.approx(theirs)


def test_bootstrap_of_single_observations_equals_scipys_percentile_interval() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(5).uniform(size=200)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, random_state=1)
    ours = bootstrap_interval({str(place): [value] for place, value in enumerate(values)}, draws=20_000)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.003)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.003)


def test_bootstrap_of_clusters_equals_drawing_them_one_by_one() -> None:
    generator = np.random.default_rng(2)
    clusters = {str(case): generator.uniform(size=generator.integers(1, 30)).tolist() for case in range(8)}
    groups = [np.array(values) for values in clusters.values()]
    draws = np.random.default_rng(9)
    means = [
        np.concatenate([groups[place] for place in draws.integers(0, len(groups), len(groups))]).mean()
        for _ in range(20_000)
    ]
    low, high = np.quantile(means, [0.025, 0.975])
    ours = bootstrap_interval(clusters, draws=20_000)
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.004)
