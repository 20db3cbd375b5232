"""The log of acts: what is told, who reads it, that nothing of it changes, and what forgetting leaves of it."""

from __future__ import annotations

import csv
import io
import logging

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import DatabaseError, connection, connections, transaction
from django.test import AsyncClient, Client
from django.urls import reverse

from memory.models import ActRecord, EngineRecord, Membership, Space, SpaceInvitation
from memory.services import space_create, space_forget
from memory.services.accounts import sign_in_path
from memory.services.acts import act_record
from memory.services.added_engines import engine_add
from memory.services.members import invitation_take, member_add

pytestmark = pytest.mark.django_db
PASSWORD = "a long phrase of words"
FROM = {"REMOTE_ADDR": "203.0.113.7"}


@pytest.fixture(autouse=True)
def unlimited() -> None:
    cache.clear()


@pytest.fixture
def ana() -> User:
    return User.objects.create_user("ana", password=PASSWORD)


@pytest.fixture
def space(ana: User) -> Space:
    return space_create(name="Ana's memory", owner=ana)


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss", password=PASSWORD)


def browser_of(user: User) -> Client:
    client = Client(**FROM)
    client.force_login(user)
    return client


def acts(**chosen: object) -> list[tuple[object, ...]]:
    told = ActRecord.objects.filter(**chosen).order_by("pk")
    return list(told.values_list("kind", "actor__username", "subject__username", "space_id", "words", "address"))


def test_sign_ins_failures_and_sign_outs_are_told_without_a_password(ana):
    browser, path = Client(**FROM), reverse("sign-in")
    browser.post(path, {"username": "ana", "password": "wrong-secret"})
    browser.post(path, {"username": "nobody", "password": "wrong-secret"})
    browser.post(path, {"username": "ana", "password": PASSWORD})
    browser.post(reverse("sign-out"))
    assert acts() == [
        ("sign_in_failed", None, "ana", None, "ana", "203.0.113.7"),
        ("sign_in_failed", None, None, None, "nobody", "203.0.113.7"),
        ("sign_in", "ana", None, None, "", "203.0.113.7"),
        ("sign_out", "ana", None, None, "", "203.0.113.7"),
    ]


def test_links_are_told_when_made_and_when_used_without_the_link(ana):
    link = sign_in_path(ana)
    Client(**FROM).post(link)
    assert acts() == [("link", None, "ana", None, "", ""), ("sign_in", "ana", None, None, "", "203.0.113.7")]
    assert not any(part in str(acts()) for part in link.split("/") if len(part) > 8)


def test_members_exports_and_engines_are_told_with_who_did_it(ana, space):
    ben, browser = User.objects.create_user("ben"), browser_of(ana)
    before = ActRecord.objects.latest("pk").pk
    browser.post(reverse("member-new", args=[space.pk]), {"username": "ben"})
    invitation_take(invitation_id=SpaceInvitation.objects.get().pk, user=ben)
    browser.get(reverse("space-export", args=[space.pk]))
    browser.get(reverse("api-graph", args=[space.pk]))
    browser.post(reverse("member-remove", args=[space.pk, ben.pk]))
    engine_add(by=ana, name="Mine", base_url="http://127.0.0.1:1/v1", model="small", key="sk-secret")
    browser.post(reverse("engine-remove", args=[EngineRecord.objects.get().pk]))
    assert acts(pk__gt=before) == [
        ("invited", "ana", None, space.pk, "ben", "203.0.113.7"),
        ("member_added", None, "ben", space.pk, "", ""),
        ("export", "ana", None, space.pk, "everything, as JSON", "203.0.113.7"),
        ("export", "ana", None, space.pk, "the graph, as turtle", "203.0.113.7"),
        ("member_removed", "ana", "ben", space.pk, "", "203.0.113.7"),
        ("engine_added", "ana", None, None, "Mine", ""),
        ("engine_removed", "ana", None, None, "Mine", "203.0.113.7"),
    ]


def test_member_who_was_invited_accepted_and_added_nobody(ana, space):
    ben = User.objects.create_user("ben")
    browser_of(ana).post(reverse("member-new", args=[space.pk]), {"username": "ben"})
    browser_of(ben).post(reverse("invitation-accept", args=[SpaceInvitation.objects.get().pk]))
    page = " ".join(browser_of(ana).get(reverse("space-acts", args=[space.pk])).content.decode().split())
    assert "ben: accepted the invitation<" in page and "added a member<" not in page


def test_token_of_a_program_names_its_person(ana, space):
    from memory.services.tokens import token_make

    plain = token_make(user=ana, scope="read")
    Client(HTTP_AUTHORIZATION=f"Token {plain}", **FROM).get(reverse("api-space-export", args=[space.pk]))
    assert acts(kind="export") == [("export", "ana", None, space.pk, "everything, as JSON", "203.0.113.7")]
    assert plain not in str(acts())


@pytest.mark.django_db(transaction=True)
async def test_act_is_told_alike_where_requests_are_asynchronous(ana, space):
    browser = AsyncClient()
    await browser.aforce_login(ana)
    answer = await browser.get(reverse("space-export", args=[space.pk]))
    assert b"sessions" in b"".join([piece async for piece in answer.streaming_content])
    told = await sync_to_async(acts)(kind="export")
    await sync_to_async(connections.close_all)()
    assert told == [("export", "ana", None, space.pk, "everything, as JSON", "127.0.0.1")]


def test_administrator_reading_a_space_is_told_to_its_owners_but_a_member_is_not(ana, space, boss):
    administrator = browser_of(boss)
    mine = space_create(name="Own", owner=boss)
    administrator.get(reverse("admin:memory_space_changelist"))
    administrator.get(reverse("admin:memory_space_change", args=[space.pk]))
    administrator.get(reverse("admin:memory_space_change", args=[mine.pk]))
    assert acts(kind="staff_read") == [
        ("staff_read", "boss", None, space.pk, "a list of space", "203.0.113.7"),
        ("staff_read", "boss", None, space.pk, f"space {space.pk}", "203.0.113.7"),
    ]
    page = browser_of(ana).get(reverse("space-acts", args=[space.pk])).content.decode()
    assert f"boss: read as an administrator, space {space.pk}" in " ".join(page.split())


def test_powers_given_by_an_administrator_are_told(ana, boss):
    form = {
        "username": "ana",
        "is_active": "on",
        "is_staff": "on",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00",
    }
    answer = browser_of(boss).post(reverse("admin:auth_user_change", args=[ana.pk]), form)
    assert answer.status_code == 302 and User.objects.get(pk=ana.pk).is_staff
    ((kind, by, about, _, words, _),) = acts(kind="staff_change")
    assert (kind, by, about) == ("staff_change", "boss", "ana") and "Staff status" in words


@pytest.mark.parametrize(
    "change",
    [
        "update memory_actrecord set kind = 'export'",
        "update memory_actrecord set words = 'other'",
        "update memory_actrecord set words = '', created_at = now() - interval '1 day'",
        "delete from memory_actrecord",
    ],
)
def test_log_only_grows(ana, change):
    act_record(kind=ActRecord.Kind.SIGN_IN, by=ana, words="first")
    before = list(ActRecord.objects.values())
    with pytest.raises(DatabaseError, match="The log of acts only grows"), transaction.atomic():
        connection.cursor().execute(change)
    assert list(ActRecord.objects.values()) == before


def test_forgetting_a_space_or_a_person_keeps_their_acts_without_words(ana, space, boss):
    act_record(kind=ActRecord.Kind.EXPORT, by=boss, space=space, words="of the space")
    act_record(kind=ActRecord.Kind.EXPORT, by=boss, words="of nobody else")
    act_record(kind=ActRecord.Kind.SIGN_IN_FAILED, subject=ana, words="ana")
    number, space_id = ana.pk, space.pk
    space_forget(space=space, by=ana)
    ana.delete()
    kept = list(ActRecord.objects.order_by("pk").values_list("kind", "actor_id", "subject_id", "space_id", "words"))
    assert kept == [
        ("export", boss.pk, None, space_id, ""),
        ("export", boss.pk, None, None, "of nobody else"),
        ("sign_in_failed", None, number, None, ""),
        ("forget", number, None, space_id, ""),
        ("account_deleted", None, number, None, ""),
    ]
    page = " ".join(browser_of(boss).get(reverse("acts")).content.decode().split())
    assert f"deleted account {number}: forgot a memory in memory {space_id}, forgotten" in page


def test_page_filters_pages_and_writes_a_table(ana, space, boss, django_assert_max_num_queries):
    member_add(space=space, user=User.objects.create_user("ben"))
    for number in range(40):
        act_record(kind=ActRecord.Kind.EXPORT, by=ana, space=space, words=f"=file{number}")
    browser, path = browser_of(ana), reverse("space-acts", args=[space.pk])
    with django_assert_max_num_queries(8):
        first = browser.get(path).content.decode()
    assert "=file39" in first and "=file5<" not in first and 'rel="next"' in first
    older = browser.get(path + "?before=" + oldest_in(first)).content.decode()
    assert "=file5" in older and "=file39" not in older
    by_ben = browser.get(path, {"person": "ben"}).content.decode()
    assert "added a member (ben)" in " ".join(by_ben.split()) and "=file" not in by_ben
    assert "=file" not in browser.get(path, {"kind": "import"}).content.decode()
    offered = 'value="backup"'
    assert offered not in first and offered in browser_of(boss).get(reverse("acts")).content.decode()
    assert "=file" not in browser.get(path, {"until": "2020-01-01"}).content.decode()
    assert browser.get(path, {"since": "no day"}).status_code == 422
    table = list(csv.reader(io.StringIO(b"".join(browser.get(path, {"form": "csv", "kind": "export"})).decode())))
    assert len(table) == 41 and table[0][:4] == ["time", "act", "by", "about"]
    assert table[1][1:7] == ["export", "ana", "", str(space.pk), "'=file39", ""]


def oldest_in(page: str) -> str:
    return page.split("?before=")[1].split('"')[0]


def test_log_is_read_by_owners_and_administrators_only(ana, space, boss):
    ben, eve = User.objects.create_user("ben"), User.objects.create_user("eve")
    member_add(space=space, user=ben)
    paths = [reverse(name, args=[space.pk]) for name in ("space-acts", "api-space-acts")]
    paths += [reverse("acts"), reverse("api-acts")]
    codes = {
        user.username: [browser_of(user).get(path).status_code for path in paths] for user in (ana, ben, eve, boss)
    }
    assert codes == {
        "ana": [200, 200, 403, 403],
        "ben": [403, 403, 403, 403],
        "eve": [404, 404, 403, 403],
        "boss": [404, 404, 200, 200],
    }


def test_api_tells_acts(ana, space):
    Membership.objects.get(space=space, user=ana)
    act_record(kind=ActRecord.Kind.EXPORT, by=ana, space=space, words="everything")
    told = browser_of(ana).get(reverse("api-space-acts", args=[space.pk]), {"kind": "export"}).json()["results"]
    made = ActRecord.objects.get(kind="export")
    assert told == [
        {
            "id": made.pk,
            "kind": "export",
            "by": "ana",
            "about": "",
            "space": space.pk,
            "details": "everything",
            "address": "",
            "request_id": "",
            "created_at": made.created_at.isoformat().replace("+00:00", "Z"),
        }
    ]


def test_log_is_no_log_of_secrets(ana, caplog):
    caplog.set_level(logging.DEBUG)
    Client(**FROM).post(reverse("sign-in"), {"username": "ana", "password": "wrong-secret"})
    assert "wrong-secret" not in caplog.text + str(acts())
