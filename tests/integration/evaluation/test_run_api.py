"""The API of runs: what it tells, what it refuses, and whose it is."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from evaluation.models import EvaluationRun, ScoreOverride
from evaluation.services.runs import run_rows
from memory.models import Space
from memory.services.tokens import token_make
from tests.integration.evaluation.measured_runs import item_of, made_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(owner: User) -> APIClient:
    return APIClient(enforce_csrf_checks=True, HTTP_AUTHORIZATION=f"Token {token_make(user=owner)}")


@pytest.fixture
def run(space: Space, owner: User) -> EvaluationRun:
    return made_run(space, owner, right={"graph": [1.0, 0.0, 1.0, None]}, failed=[1], tags=["nightly"], name="First")


def test_list_tells_runs_and_is_filtered(api, run, owner, space):
    made_run(space, owner, right={"d_smart": [1.0]}, name="Second")
    told = api.get(reverse("api-runs")).json()["results"]
    assert [(one["name"], one["state"], one["created_by"]) for one in told] == [
        ("Second", "done", owner.username), ("First", "done", owner.username),
    ]  # fmt: skip
    assert told[1]["identity"] == run.identity and told[1]["plan"]["systems"] == ["graph"]
    filtered = api.get(reverse("api-runs"), {"tag": "nightly", "system": "graph"}).json()["results"]
    assert [one["id"] for one in filtered] == [run.pk]
    assert api.get(reverse("api-runs"), {"state": "nonsense"}).status_code == 400


def test_run_has_its_progress_and_figures(api, run):
    told = api.get(reverse("api-run", args=[run.pk])).json()
    assert told["progress"] == {"total": 4, "done": 3, "failed": 1, "cached": 0, "unscored": 1, "seconds_left": 0.0}
    assert [(one["name"], one["metric"], one["group"], one["value"], one["n"]) for one in told["figures"]] == [
        (row.name, row.metric, row.group, row.value, row.n) for row in run_rows(run)
    ]


def test_items_are_filtered_paged_and_told_with_their_scores(api, run, monkeypatch):
    address = reverse("api-run-items", args=[run.pk])
    with CaptureQueriesContext(connection) as seen:
        told = api.get(address).json()
    assert len(seen) <= 7 and told["next"] is None
    assert [(one["key"], one["state"], one["scores"][0]["value"]) for one in told["results"]] == [
        ("q0", "done", 1.0), ("q1", "failed", 0.0), ("q2", "done", 1.0), ("q3", "done", None),
    ]  # fmt: skip
    assert (
        "trace" not in told["results"][0] and told["results"][3]["scores"][0]["why"] == "The judge answered in prose."
    )
    assert [one["key"] for one in api.get(address, {"standing": "failed"}).json()["results"]] == ["q1"]
    monkeypatch.setattr("evaluation.selectors.run_items.PAGE", 3)
    first = api.get(address).json()
    assert first["next"] == 2
    assert [one["key"] for one in api.get(address, {"after": first["next"]}).json()["results"]] == ["q3"]
    assert api.get(address, {"after": "x"}).status_code == 400


def test_override_is_given_and_taken_back(api, run, owner):
    item = item_of(run, 3)
    address = reverse("api-item-override", args=[item.pk])
    answer = api.post(address, {"metric": "accuracy", "value": 1, "comment": "It is right."}, format="json")
    score = answer.json()["scores"][0]
    assert (answer.status_code, score["value"], score["measured"]) == (201, 1.0, None)
    assert [(one["value"], one["comment"], one["by"]) for one in score["overrides"]] == [
        (1.0, "It is right.", owner.username)
    ]
    back = api.post(address, {"metric": "accuracy", "value": None}, format="json").json()["scores"][0]
    assert back["value"] is None and [one["value"] for one in back["overrides"]] == [None, 1.0]
    detail = api.get(reverse("api-item", args=[item.pk])).json()
    assert detail["trace"] == item.trace and detail["passages"] == item.passages and detail["case"] == "case-1"


@pytest.mark.parametrize(
    "given",
    [
        {"metric": "accuracy"},
        {"metric": "accuracy", "value": 2, "comment": "x"},
        {"metric": "accuracy", "value": 1},
        {"metric": "beauty", "value": 1, "comment": "x"},
        {"metric": "accuracy", "value": None},
        {"metric": "accuracy", "value": "right", "comment": "x"},
    ],
)
def test_override_that_cannot_stand_is_refused(api, run, given):
    answer = api.post(reverse("api-item-override", args=[item_of(run, 0).pk]), given, format="json")
    assert answer.status_code == 400 and answer.json() and not ScoreOverride.objects.exists()


def test_another_spaces_run_is_not_found(run):
    eve = APIClient(HTTP_AUTHORIZATION=f"Token {token_make(user=User.objects.create_user('eve'))}")
    item = item_of(run, 0).pk
    paths = [
        *(reverse(name, args=[run.pk]) for name in ("api-run", "api-run-items")),
        reverse("api-run-export", args=[run.pk, "json"]),
        reverse("api-item", args=[item]),
    ]
    assert [eve.get(path).status_code for path in paths] == [404] * 4
    given = {"metric": "accuracy", "value": 0, "comment": "x"}
    assert eve.post(reverse("api-item-override", args=[item]), given, format="json").status_code == 404
    assert eve.get(reverse("api-runs")).json()["results"] == [] and not ScoreOverride.objects.exists()


def test_export_is_the_pages_own(api, run):
    answer = api.get(reverse("api-run-export", args=[run.pk, "csv"]))
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "private, no-store"
    assert api.get(reverse("api-run-export", args=[run.pk, "xml"])).status_code == 404
    assert APIClient().get(reverse("api-runs")).status_code == 401
