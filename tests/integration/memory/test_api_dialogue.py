"""Spaces, sessions and turns over the API."""

from __future__ import annotations

from base64 import b64encode

import pytest
from rest_framework.test import APIClient

from memory.api.parsing import BODY_LIMIT_BYTES
from memory.models import MaintenanceState, OutboxRecord, Round, Session, Space, Turn
from memory.services import space_create, space_maintain
from memory.services.members import member_add
from tests.integration.memory.api import address, client_of, results
from tests.integration.memory.dialogues import START, new_session, say

pytestmark = pytest.mark.django_db
USER_TURN = {
    "role": "user",
    "speaker": "Ana",
    "text": "I live in Paris.",
    "said_at": "2024-03-02T18:20:00Z",
    "key": "D1:1",
}
REPLY_TURN = {"role": "assistant", "speaker": "assistant", "text": "How nice.", "key": "D1:2"}


@pytest.fixture
def api(ana) -> APIClient:
    return client_of(ana)


@pytest.fixture
def turns(space) -> str:
    return address("turns", new_session(space).pk)


def test_space_is_made_read_renamed_and_forgotten(api, ana):
    made = api.post(address("spaces"), {"name": "Team"}, format="json")
    assert made.status_code == 201 and made.json()["role"] == "owner"
    path = address("space", made.json()["id"])
    assert api.patch(path, {"name": "Crew"}, format="json").json()["name"] == "Crew"
    read = api.get(path).json()
    assert (read["name"], read["counts"]["triples"]) == ("Crew", 0)
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404 and not Space.objects.exists()


def test_space_of_the_body_changes_nothing(api, ana, space, django_user_model):
    foreign = space_create(name="Foreign", owner=django_user_model.objects.create_user("ben"))
    body = {"title": "T", "space": foreign.pk, "owner": 999, "id": 1}
    made = api.post(address("sessions", space.pk), body, format="json")
    assert made.status_code == 201 and made.json()["space"] == space.pk
    assert not Session.objects.filter(space=foreign).exists()


def test_member_reads_but_does_not_rename_or_forget(space, django_user_model):
    ben = django_user_model.objects.create_user("ben")
    member_add(space=space, user=ben)
    api = client_of(ben)
    assert api.get(address("space", space.pk)).json()["role"] == "member"
    assert api.patch(address("space", space.pk), {"name": "x"}, format="json").status_code == 403
    assert api.delete(address("space", space.pk)).status_code == 403
    assert Space.objects.get(pk=space.pk).name == space.name


def test_spaces_show_the_askers_role_once_each(api, space, django_user_model):
    member_add(space=space, user=django_user_model.objects.create_user("ben"))
    assert [(row["id"], row["role"]) for row in results(api.get(address("spaces")))] == [(space.pk, "owner")]


def test_session_with_the_same_key_is_one(api, space):
    body = {"title": "First", "key": "conv-26", "started_at": "2024-03-02T18:20:00Z"}
    first = api.post(address("sessions", space.pk), body, format="json")
    second = api.post(address("sessions", space.pk), {**body, "title": "Second"}, format="json")
    assert first.json()["id"] == second.json()["id"] and second.json()["title"] == "First"
    assert Session.objects.count() == 1


def test_turns_make_rounds_that_are_remembered(api, space, turns, extractor):
    first = api.post(turns, USER_TURN, format="json")
    assert first.status_code == 201 and first.json()["maintenance"] == "waiting"
    second = api.post(turns, REPLY_TURN, format="json")
    assert second.json()["round"] == first.json()["round"] and second.json()["maintenance"] == "pending"
    assert OutboxRecord.objects.filter(arguments={"space_id": space.pk}).count() == 1
    assert space_maintain(space_id=space.pk) == 1
    assert [row["value"] for row in results(api.get(address("triples", space.pk)))] == ["Paris"]


def test_turn_sent_again_is_stored_once_by_key_or_header(api, turns):
    assert api.post(turns, USER_TURN, format="json").status_code == 201
    again = api.post(turns, USER_TURN, format="json")
    assert again.status_code == 200 and again.json()["key"] == "D1:1"
    bare = {name: value for name, value in REPLY_TURN.items() if name != "key"}
    codes = [api.post(turns, bare, format="json", HTTP_IDEMPOTENCY_KEY="r-1").status_code for _ in range(2)]
    assert codes == [201, 200]
    assert Turn.objects.count() == 2 and Round.objects.count() == 1


def test_key_of_another_turn_is_a_conflict(api, turns):
    api.post(turns, USER_TURN, format="json")
    answer = api.post(turns, {**USER_TURN, "text": "Something else."}, format="json")
    assert answer.status_code == 409 and "Nothing was stored" in answer.json()["detail"]
    assert Turn.objects.count() == 1


def test_next_user_ends_the_round_before(api, turns):
    for number, speaker in enumerate(("Ana", "Ben", "Ana")):
        api.post(turns, {"role": "user", "speaker": speaker, "text": f"Words {number}."}, format="json")
    states = list(Round.objects.order_by("index").values_list("maintenance", flat=True))
    assert states == [MaintenanceState.PENDING, MaintenanceState.PENDING, MaintenanceState.WAITING]
    last = {"role": "user", "speaker": "Ben", "text": "Bye.", "ends_round": True}
    assert api.post(turns, last, format="json").json()["maintenance"] == "pending"


def test_several_replies_of_one_round(api, turns):
    api.post(turns, USER_TURN, format="json")
    api.post(turns, {**REPLY_TURN, "ends_round": False}, format="json")
    api.post(turns, {**REPLY_TURN, "key": "D1:3", "text": "Really."}, format="json")
    [made] = Round.objects.all()
    assert made.turns.count() == 3 and made.maintenance == MaintenanceState.PENDING


def test_forgotten_session_takes_its_words_along(api, space, extractor):
    session = new_session(space)
    say(session, "I live in Paris.")
    space_maintain(space_id=space.pk)
    assert api.delete(address("session", session.pk)).status_code == 204
    assert not Turn.objects.exists() and results(api.get(address("triples", space.pk))) == []


def test_turns_are_paged_in_order_without_gaps(api, space):
    session = new_session(space)
    say(session, *[f"Words {number}." for number in range(7)])
    seen, page = [], address("turns", session.pk) + "?limit=4"
    while page:
        answer = api.get(page)
        seen += [row["index"] for row in results(answer)]
        page = answer.json()["next"]
    assert seen == list(range(14))
    assert len(results(api.get(address("turns", session.pk) + "?limit=100000"))) == 14


def test_lists_cost_the_same_at_any_length(api, space, django_assert_num_queries):
    session = new_session(space)
    say(session, "One.")
    paths = {
        "spaces": address("spaces"),
        "sessions": address("sessions", space.pk),
        "turns": address("turns", session.pk),
    }
    expected = {"spaces": 1, "sessions": 2, "turns": 2}
    for _ in range(2):
        for name, path in paths.items():
            with django_assert_num_queries(expected[name]):
                api.get(path)
        say(session, *["More."] * 20)
        for number in range(20):
            new_session(space, key=str(number))
            space_create(name=str(number), owner=space.members.get())


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"role": "user", "speaker": "Ana"},
        {**USER_TURN, "role": "system"},
        {**USER_TURN, "text": ""},
        {**USER_TURN, "text": "a\x00b"},
        {**USER_TURN, "speaker": "a\x00b"},
        {**USER_TURN, "text": {"$ne": 1}},
        {**USER_TURN, "text": ["a"]},
        {**USER_TURN, "text": "x" * 20_001},
        {**USER_TURN, "speaker": "x" * 121},
        {**USER_TURN, "key": "k" * 201},
        {**USER_TURN, "said_at": "yesterday"},
        {**USER_TURN, "said_at": "9999-99-99T00:00:00Z"},
        {**USER_TURN, "said_at": "9999-12-31T23:59:59Z"},
        {**USER_TURN, "said_at": "0001-01-01T00:00:00Z"},
        {**USER_TURN, "said_at": "0001-01-01T00:00:00+14:00"},
        {**USER_TURN, "ends_round": "perhaps"},
        [],
        "text",
        7,
        None,
    ],
)
def test_hostile_turn_is_refused_and_nothing_is_stored(api, turns, body):
    answer = api.post(turns, body, format="json")
    assert answer.status_code == 400, answer.content
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b'{"text": "\\ud800"}', b"[" * 100_000, b"1" * 10_000, b'{"a":' * 50_000, b"NaN"]
)
def test_hostile_bytes_are_refused_and_nothing_is_stored(api, turns, raw):
    answer = api.post(turns, raw, content_type="application/json")
    assert answer.status_code == 400, answer.content
    assert not Turn.objects.exists()


def test_lone_surrogate_and_control_characters_do_not_reach_the_database(api, turns):
    raw = b'{"role": "user", "speaker": "Ana", "text": "half \\ud83d a face"}'
    assert api.post(turns, raw, content_type="application/json").status_code == 400
    header = api.post(turns, USER_TURN | {"key": ""}, format="json", HTTP_IDEMPOTENCY_KEY="a\x00b")
    assert header.status_code == 400
    assert not Turn.objects.exists()


def test_unicode_is_kept_as_it_is(api, turns):
    words = "Я живу в Łodzi 🏡 \u202eabc ﷺ café"
    assert api.post(turns, {**USER_TURN, "text": words}, format="json").json()["text"] == words


def test_body_over_the_limit_is_refused_before_it_is_read(api, turns):
    answer = api.post(turns, b'{"text": "' + b"x" * BODY_LIMIT_BYTES + b'"}', content_type="application/json")
    assert answer.status_code == 413 and "512 KB" in answer.json()["detail"]


def test_other_forms_of_bodies_are_refused(api, turns):
    assert api.post(turns, USER_TURN, format="multipart").status_code == 415


def test_numbers_beyond_the_database_are_not_found(api):
    assert api.get(f"/api/sessions/{10**30}/").status_code == 404
    assert api.get(f"/api/spaces/{2**63}/triples/").status_code == 404


@pytest.mark.parametrize("cursor", ["x", "é", b64encode(b"p=words").decode(), b64encode(b"o=-1").decode(), "=" * 9000])
def test_broken_cursor_is_not_an_error_of_the_server(api, space, cursor):
    assert api.get(address("sessions", space.pk), {"cursor": cursor}).status_code in (200, 404)


def test_said_at_of_the_source_is_kept(api, turns):
    answer = api.post(turns, USER_TURN, format="json")
    assert answer.json()["said_at"] == START.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("key", ["by-hand", "import:0123"])
def test_keys_of_the_products_own_sessions_are_refused(api, space, key):
    refused = api.post(f"/api/spaces/{space.pk}/sessions/", {"key": key}, format="json")
    assert refused.status_code == 400
    assert "the product's own" in refused.json()["key"][0]
    assert not Session.objects.exists()
