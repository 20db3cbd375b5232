"""`bench annotation` measures what it says, with a few items and people, and leaves nothing behind."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache

from evaluation.core.errors import EvaluationError
from evaluation.models import AnnotationItem, AnnotationProject
from evaluation.performance import annotation
from memory.models import Space

OPTIONS = {"items": (200,), "annotators": 3, "answers": 2, "pause": 0.01, "quiet": True}


@pytest.fixture(autouse=True)
def unthrottled():
    cache.clear()


@pytest.mark.django_db(transaction=True)
def test_bench_measures_and_leaves_nothing(monkeypatch):
    monkeypatch.setattr(annotation, "WARM_UP", 1)
    monkeypatch.setattr(annotation, "ROUNDS", 4)
    rows = annotation.measure(OPTIONS)
    costs = ["p50_ms", "p95_ms", "cpu_ms", "queries"]
    assert [(row.name, row.metric, row.group, row.n) for row in rows] == [
        *((name, metric, "200", 4) for name in ("agreement", "next item", "end of the queue") for metric in costs),
        *((name, metric, "200", 6) for name in ("store at once", "next item at once") for metric in costs[:2]),
    ]
    assert all(row.value is not None and row.value > 0 for row in rows)
    assert not AnnotationProject.objects.exists() and not Space.objects.exists()
    assert not User.objects.filter(username__startswith="bench-").exists()


@pytest.mark.django_db(transaction=True)
def test_bench_wants_enough_items():
    with pytest.raises(EvaluationError, match="10 items are too few"):
        annotation.measure({**OPTIONS, "items": (10,)})
    assert not AnnotationItem.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_bench_ends_with_the_reason_where_somebody_is_refused(monkeypatch):
    monkeypatch.setattr(annotation, "WARM_UP", 0)
    monkeypatch.setattr(annotation, "ROUNDS", 1)
    monkeypatch.setattr("rest_framework.throttling.UserRateThrottle.allow_request", lambda *_: False)
    monkeypatch.setattr("rest_framework.throttling.UserRateThrottle.wait", lambda _: 1)
    with pytest.raises(EvaluationError, match="answered 429"):
        annotation.measure(OPTIONS)
    assert not AnnotationProject.objects.exists()
