"""Triples, conflicts and the search in sentences over the API."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from memory.core.types import ConflictRule
from memory.models import ConflictRecord, Space, TripleRecord
from memory.services import space_create, space_maintain
from tests.fakes.engines import small_models
from tests.integration.memory.api import address, client_of, results
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(ana) -> APIClient:
    return client_of(ana)


@pytest.fixture(scope="module")
def told(module_db) -> int:
    """A memory in which Lyon has replaced Paris, made once."""
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        space = space_create(name="Ana's memory", owner=User.objects.create_user("ana", first_name="Ana"))
        say(new_session(space, key="s"), "Hello. I live in Paris. It rains.", "Now I live in Lyon.")
        space_maintain(space_id=space.pk)
    return space.pk


@pytest.fixture
def moved(told: int, db, extractor) -> Space:
    return Space.objects.get(pk=told)


@pytest.fixture
def ana(moved: Space) -> User:
    return moved.members.get()


def values(api: APIClient, space: Space, **asked: object) -> list[str]:
    return [row["value"] for row in results(api.get(address("triples", space.pk), asked))]


def test_triples_are_those_that_hold_unless_others_are_asked_for(api, moved):
    assert values(api, moved) == ["Lyon"]
    assert values(api, moved, status="active") == ["Lyon"]
    assert values(api, moved, status="superseded") == ["Paris"]
    assert values(api, moved, status="all") == ["Lyon", "Paris"]
    TripleRecord.objects.filter(value="Lyon").update(valid_to=timezone.now() - timedelta(days=1))
    assert values(api, moved) == [] and values(api, moved, status="active") == ["Lyon"]
    TripleRecord.objects.filter(value="Lyon").update(valid_to=None, valid_from=timezone.now() + timedelta(days=1))
    assert values(api, moved) == []


def test_triples_are_narrowed_by_subject_predicate_and_session(api, moved, extractor):
    session = new_session(moved, key="other")
    say(session, "I live in Rome.", speaker="Ben")
    space_maintain(space_id=moved.pk)
    assert values(api, moved, subject="  ANA ") == ["Lyon"]
    assert values(api, moved, subject="ben") == ["Rome"]
    assert values(api, moved, subject="nobody") == []
    assert values(api, moved, predicate="livesIn", session=session.pk) == ["Rome"]
    assert values(api, moved, predicate="worksFor") == []


@pytest.mark.parametrize("asked", [{"status": "x"}, {"session": "x"}, {"subject": "a\x00"}, {"predicate": "p" * 121}])
def test_triples_refuse_what_cannot_be_asked(api, moved, asked):
    assert api.get(address("triples", moved.pk), asked).status_code == 400


def test_triples_of_a_session_elsewhere_are_not_found(api, moved, django_user_model):
    foreign = new_session(Space.objects.create(name="Elsewhere"))
    assert api.get(address("triples", moved.pk), {"session": foreign.pk}).status_code == 404


def test_triple_shows_where_it_comes_from_and_what_it_replaced(api, moved):
    old, new = TripleRecord.objects.get(value="Paris"), TripleRecord.objects.get(value="Lyon")
    shown = api.get(address("triple", new.pk)).json()
    assert shown["supersedes"] == [old.pk] and shown["is_active"] is True
    assert shown["subject"]["label"] == "Ana" and shown["object"]["label"] == "Lyon"
    assert shown["source"]["text"] == "Now I live in Lyon."
    start, end = shown["source"]["span"]
    assert shown["source"]["text"][start:end] == "I live in Lyon"
    assert shown["source"]["said_by"] == "Ana" and shown["source"]["turn"] == new.sentence.turn_id
    replaced = api.get(address("triple", old.pk)).json()
    assert (replaced["superseded_by"], replaced["is_active"]) == (new.pk, False)


def test_correction_replaces_and_keeps_the_history(api, moved):
    old = TripleRecord.objects.get(value="Lyon")
    corrected = api.patch(address("triple", old.pk), {"value": " Nantes "}, format="json")
    assert corrected.status_code == 200
    assert corrected.json()["value"] == "Nantes" and corrected.json()["supersedes"] == [old.pk]
    assert values(api, moved) == ["Nantes"]
    conflict = results(api.get(address("conflicts", moved.pk)))[0]
    assert (conflict["rule"], conflict["decided_by"], conflict["old"]["id"]) == ("corrected", "ana", old.pk)
    again = api.patch(address("triple", old.pk), {"value": "Nice"}, format="json")
    assert again.status_code == 409 and "replaced meanwhile" in again.json()["detail"]


@pytest.mark.parametrize("value", ["", " ", "a\x00b", "x" * 1001, None, {"a": 1}, ["Lyon"]])
def test_hostile_correction_changes_nothing(api, moved, value):
    lyon = TripleRecord.objects.get(value="Lyon")
    assert api.patch(address("triple", lyon.pk), {"value": value}, format="json").status_code == 400
    assert values(api, moved) == ["Lyon"]


def test_forgotten_triple_is_gone_and_the_past_does_not_come_back(api, moved):
    lyon = TripleRecord.objects.get(value="Lyon")
    assert api.delete(address("triple", lyon.pk)).status_code == 204
    assert api.get(address("triple", lyon.pk)).status_code == 404
    assert values(api, moved) == []


def test_conflict_has_both_sides_and_the_rule(api, moved):
    [conflict] = results(api.get(address("conflicts", moved.pk)))
    assert (conflict["old"]["value"], conflict["new"]["value"]) == ("Paris", "Lyon")
    assert (conflict["rule"], conflict["decision"], conflict["decided_by"]) == ("functional_value", "superseded", None)
    assert conflict["confidence"] is None
    ConflictRecord.objects.update(rule=ConflictRule.LEARNED, confidence=0.75)
    [learned] = results(api.get(address("conflicts", moved.pk)))
    assert (learned["rule"], learned["confidence"]) == ("learned", 0.75)


def test_search_finds_the_sentence_by_its_words(api, moved, ana, monkeypatch):
    hits = api.get(address("sentences", moved.pk), {"q": "rains today?", "limit": 2}).json()
    assert hits[0]["text"] == "It rains." and hits[0]["speaker"] == "Ana" and len(hits) == 2
    assert hits[0]["score"] >= hits[1]["score"]


@pytest.mark.parametrize("asked", [{}, {"q": ""}, {"q": "x" * 1001}, {"q": "a\x00b"}, {"q": "a", "limit": 51}])
def test_search_refuses_what_cannot_be_asked(api, moved, asked):
    assert api.get(address("sentences", moved.pk), asked).status_code == 400


@pytest.mark.parametrize("words", ["' or 1=1; --", "or or or", "!!! ???", "a:*&b | !c", "🏡", "\\"])
def test_search_takes_any_words(api, moved, words):
    assert api.get(address("sentences", moved.pk), {"q": words}).status_code == 200


def test_lists_cost_the_same_at_any_length(api, moved, django_assert_num_queries):
    session = new_session(moved, key="s")
    for _ in range(2):
        with django_assert_num_queries(2):
            api.get(address("triples", moved.pk), {"status": "all"})
        with django_assert_num_queries(2):
            api.get(address("conflicts", moved.pk))
        say(session, *[f"I live in Town{number}." for number in range(15)])
        space_maintain(space_id=moved.pk)
    newest = TripleRecord.objects.latest("id")
    with django_assert_num_queries(2):
        api.get(address("triple", newest.pk))
