"""Changing memory by hand over the API."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from memory.models import ConflictRecord, EditRecord, EntityRecord, Space, TripleRecord
from memory.services import space_create
from tests.fakes.engines import small_models
from tests.integration.memory.api import address, client_of, results
from tests.integration.memory.by_hand import believed, facts_spoken, learn, rows_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(ana) -> APIClient:
    return client_of(ana)


@pytest.fixture(scope="module")
def learnt(module_db) -> int:
    """A memory of Ana, Tom and Tommy, in which Lyon has replaced Paris, made once."""
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        facts_spoken(patch)
        space = space_create(name="Ana's memory", owner=User.objects.create_user("ana", first_name="Ana"))
        learn(
            space,
            "Ana | livesIn | Paris.",
            "Ana | livesIn | Lyon.",
            "Tom | likes | tea.",
            "Tommy = Zoë's dad | likes | rain.",
        )
    return space.pk


@pytest.fixture
def known(learnt: int, db, extractor, monkeypatch) -> Space:
    facts_spoken(monkeypatch)
    return Space.objects.get(pk=learnt)


@pytest.fixture
def ana(known: Space) -> User:
    return known.members.get()


def entity(label: str) -> int:
    return EntityRecord.objects.get(label=label).pk


def test_fact_is_added_and_the_one_it_contradicts_superseded(api, known):
    body = {"subject": "I", "predicate": "lives in", "value": " Nice ", "valid_from": "2024-05-01T00:00:00Z"}
    added = api.post(address("triples", known.pk), body, format="json")
    assert added.status_code == 201, added.content
    shown = added.json()
    assert (shown["subject"]["label"], shown["predicate"], shown["value"]) == ("Ana", "livesIn", "Nice")
    assert shown["supersedes"] == [TripleRecord.objects.get(value="Lyon").pk]
    assert shown["source"]["text"] == f"added by Ana on {timezone.now():%-d %B %Y}"
    assert shown["valid_from"] == "2024-05-01T00:00:00Z"
    again = api.post(address("triples", known.pk), {**body, "valid_from": None}, format="json")
    assert again.status_code == 409 and again.json() == {"detail": "This is remembered already."}


@pytest.mark.parametrize(
    "body",
    [
        {}, {"subject": "Ana", "predicate": "likes"}, {"subject": "", "predicate": "likes", "value": "tea"},
        {"subject": "a\0", "predicate": "likes", "value": "tea"}, {"subject": "A", "predicate": "p" * 121, "value": "x"},
        {"subject": ["A"], "predicate": {}, "value": 1.5}, {"subject": "A", "predicate": "is", "value": "x" * 1001},
    ],
)  # fmt: skip
def test_additions_that_are_no_facts_change_nothing(api, known, body):
    before = rows_of(known)
    assert api.post(address("triples", known.pk), body, format="json").status_code == 400
    assert rows_of(known) == before


def test_times_in_the_wrong_order_are_refused_with_the_reason(api, known):
    body = {
        "subject": "Ana",
        "predicate": "likes",
        "value": "tea",
        "valid_from": "2024-05-01",
        "valid_to": "2024-04-01",
    }
    body |= {"valid_from": "2024-05-01T00:00Z", "valid_to": "2024-04-01T00:00Z"}
    answer = api.post(address("triples", known.pk), body, format="json")
    assert answer.status_code == 409 and "cannot end before it begins" in answer.json()["detail"]


def test_predicate_and_subject_are_corrected(api, known):
    tea = TripleRecord.objects.get(value="tea")
    changed = api.patch(address("triple", tea.pk), {"predicate": "drinks", "subject": "Tim"}, format="json")
    assert changed.status_code == 200 and ("Tim", "drinks", "tea") in believed(known)
    assert api.patch(address("triple", changed.json()["id"]), {}, format="json").status_code == 400


def test_retraction_forgetting_audit_and_undo(api, known, ana):
    tea, rain = TripleRecord.objects.get(value="tea"), TripleRecord.objects.get(value="rain")
    assert api.post(address("triple-retract", tea.pk)).json()["is_active"] is False
    assert api.post(address("triple-retract", tea.pk)).status_code == 409
    assert api.delete(address("triple", rain.pk)).status_code == 204
    forgotten, retracted = results(api.get(address("edits", known.pk)))
    assert (forgotten["kind"], forgotten["summary"], forgotten["can_undo"]) == ("forget", "Forgot a fact.", False)
    assert (retracted["kind"], retracted["actor"], retracted["can_undo"]) == ("correct", "ana", True)
    assert retracted["summary"] == "Said that this is wrong: “Tom likes tea”."
    undone = api.post(address("edit-undo", retracted["id"]))
    assert undone.status_code == 200 and undone.json()["undone_by"] == "ana" and undone.json()["can_undo"] is False
    assert ("Tom", "likes", "tea") in believed(known)
    assert "undone already" in api.post(address("edit-undo", retracted["id"])).json()["detail"]
    assert "cannot be brought back" in api.post(address("edit-undo", forgotten["id"])).json()["detail"]


def test_entities_are_found_by_any_part_of_any_name(api, known):
    def called(**asked: str) -> list[str]:
        return [row["label"] for row in results(api.get(address("entities", known.pk), asked))]

    assert called(q="ZOE") == ["Tommy"] and called(q="tom") == ["Tommy", "Tom"] and called(q="nobody") == []
    assert set(called()) == {"Ana", "Paris", "Lyon", "Tom", "tea", "Tommy", "rain"}
    assert called(limit="1") == ["rain"]
    assert api.get(address("entities", known.pk), {"q": "x" * 301}).status_code == 400
    shown = api.get(address("entity", entity("Tommy"))).json()
    assert shown["aliases"] == ["Tommy", "Zoë's dad"] and (shown["lemma"], shown["pos"]) == ("tommy", "X")


def test_lists_cost_the_same_at_any_length(api, known, django_assert_num_queries):
    for times in range(2):
        for name, queries in (("entities", 3), ("predicates", 3), ("edits", 2)):
            with django_assert_num_queries(queries):
                api.get(address(name, known.pk))
        for number in range(5):
            body = {"subject": "Tom", "predicate": f"likes {number}", "value": f"thing {times}"}
            assert api.post(address("triples", known.pk), body, format="json").status_code == 201


def test_entity_is_renamed_merged_and_split(api, known):
    tommy, tom = entity("Tommy"), entity("Tom")
    renamed = api.patch(address("entity", tommy), {"label": "Thomas", "aliases_add": ["T."]}, format="json").json()
    assert (renamed["label"], renamed["aliases"]) == ("Thomas", ["Tommy", "Zoë's dad", "Thomas", "T."])
    taken = api.patch(address("entity", tommy), {"label": "Tom"}, format="json")
    assert taken.status_code == 409 and "Merge the two" in taken.json()["detail"]
    merged = api.post(address("entity-merge", tommy), {"entity": tom}, format="json")
    assert merged.status_code == 200 and "Tom" in merged.json()["aliases"]
    assert api.get(address("entity", tom)).status_code == 404
    assert api.post(address("entity-merge", tommy), {"entity": tommy}, format="json").status_code == 409
    assert api.post(address("entity-merge", tommy), {"entity": tom}, format="json").status_code == 404
    tea = TripleRecord.objects.get(value="tea").pk
    body = {"label": "Thom", "triples": [tea], "aliases": ["Tom"]}
    split = api.post(address("entity-split", tommy), body, format="json")
    assert split.status_code == 201 and split.json()["aliases"] == ["Tom", "Thom"]
    assert {("Thom", "likes", "tea"), ("Thomas", "likes", "rain")} <= believed(known)


@pytest.mark.parametrize("body", [{}, {"entity": 0}, {"entity": "x"}, {"entity": 10**30}, {"entity": None}])
def test_hostile_merges_are_bad_requests(api, known, body):
    assert api.post(address("entity-merge", entity("Tom")), body, format="json").status_code == 400


def test_entity_of_another_space_is_not_merged(api, known, ana, django_user_model):
    foreign = EntityRecord.objects.create(space=Space.objects.create(name="Elsewhere"), label="X")
    assert api.post(address("entity-merge", entity("Tom")), {"entity": foreign.pk}, format="json").status_code == 404
    own = Space.objects.create(name="Mine too")
    own.memberships.create(user=ana)
    mine = EntityRecord.objects.create(space=own, label="Y")
    assert api.post(address("entity-merge", entity("Tom")), {"entity": mine.pk}, format="json").status_code == 404
    assert not EditRecord.objects.exists()


def test_predicate_is_declared_and_the_list_tells(api, known):
    learn(known, "Tom | likes | snow.")  # Said before the tea.
    put = api.put(address("predicate", known.pk, "likes"), {"is_functional": True}, format="json")
    assert put.json() == {"name": "likes", "words": "likes", "is_functional": True, "is_declared": True, "triples": 2}
    rows = api.get(address("predicates", known.pk)).json()
    assert [(row["name"], row["is_functional"], row["is_declared"]) for row in rows] == [
        ("likes", True, True), ("livesIn", True, False),
    ]  # fmt: skip
    assert ConflictRecord.objects.filter(old__value="snow", new__value="tea").exists()
    assert api.get(address("predicate", known.pk, "worksFor")).json()["is_functional"] is False
    assert api.put(address("predicate", known.pk, "likes"), {}, format="json").status_code == 400
    assert api.put(address("predicate", known.pk, "?"), {"is_functional": True}, format="json").status_code == 409


def test_conflict_is_reversed_and_accepted(api, known):
    [conflict] = results(api.get(address("conflicts", known.pk)))
    decided = api.post(address("conflict-decide", conflict["id"]), {"decision": "reverse"}, format="json").json()
    assert (decided["decision"], decided["decided_by"], decided["old"]["is_active"]) == ("kept", "ana", True)
    assert ("Ana", "livesIn", "Paris") in believed(known)
    accepted = api.post(address("conflict-decide", conflict["id"]), {"decision": "accept"}, format="json").json()
    assert (accepted["decision"], accepted["old"]["is_active"], accepted["new"]["is_active"]) == (
        "superseded",
        False,
        True,
    )
    assert api.post(address("conflict-decide", conflict["id"]), {"decision": "x"}, format="json").status_code == 400
