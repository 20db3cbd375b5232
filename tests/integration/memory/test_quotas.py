"""Quotas: what is counted, that it is counted in the same transaction, the refusals, and two who come at once."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from conversations.core.errors import SpaceFull
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create, conversation_delete, message_edit, message_post
from memory.adapters.row_security.scope import everything
from memory.core.errors import QuotaReached
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.core.types import Role
from memory.models import ActRecord, Session, Space, Turn, UsageRecord
from memory.services import round_open, session_create, session_forget, space_create, space_forget
from memory.services.exchange import graph_import
from memory.services.quotas import ROWS_TO_FOLD, Amounts, quota_of, space_quota_set, usage_of
from tests.fakes.engines import small_models

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    small_models(monkeypatch)


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana", first_name="Ana")


@pytest.fixture
def space(ana: User) -> Space:
    return space_create(name="Ana's memory", owner=ana)


def limit(space: Space, *, turns: int = 0, size: int = 0, imports: int = 0) -> None:
    space_quota_set(space=space, turns=turns, size=size, imports=imports)


def say(session: Session, text: str) -> Turn:
    now = timezone.now()
    return round_open(session=session, speaker="Ana", role=Role.USER, text=text, said_at=now)


def exported(*texts: str) -> bytes:
    now = timezone.now().isoformat()
    turns = [{"role": "user", "speaker": "Ana", "text": text, "said_at": now} for text in texts]
    return json.dumps(
        {"format": "dsmart-conversation", "version": 1, "title": "Old", "started_at": now, "turns": turns}
    ).encode()


def counted(space: Space) -> tuple[int, int]:
    texts = Turn.objects.filter(space=space).values_list("text", flat=True)
    return len(texts), sum(len(text.encode()) for text in texts)


def test_database_counts_additions_changes_and_deletions_of_any_kind(space, ana):
    session = session_create(space=space, started_at=timezone.now())
    say(session, "Süß.")
    other = session_create(space=space, started_at=timezone.now())
    turn = say(other, "One.")
    shared = {"round": turn.round, "session": other, "space": space, "role": "user", "said_at": turn.said_at}
    Turn.objects.bulk_create([Turn(**shared, index=n, speaker="A", text="x" * n) for n in (1, 2)])
    assert usage_of(space) == Amounts(4, 13, 0) and counted(space) == (4, 13)
    Turn.objects.filter(pk=turn.pk).update(text="One and more.")
    Turn.objects.filter(space=space).update(speaker="B")
    assert usage_of(space) == Amounts(4, 22, 0) and counted(space) == (4, 22)
    session_forget(session=other)
    assert usage_of(space) == Amounts(1, 6, 0) and counted(space) == (1, 6)
    with transaction.atomic():
        say(session, "Never said.")
        transaction.set_rollback(True)
    assert usage_of(space) == Amounts(1, 6, 0)


def test_counts_go_with_their_space(space, ana):
    say(session_create(space=space, started_at=timezone.now()), "One.")
    space_forget(space=space)
    connection.check_constraints()
    assert not UsageRecord.objects.exists()


def test_many_changes_are_summed_up_and_mean_the_same(space, django_assert_max_num_queries):
    session = session_create(space=space, started_at=timezone.now())
    say(session, "One.")
    UsageRecord.objects.bulk_create([UsageRecord(space=space, turns=1, bytes=2) for _ in range(ROWS_TO_FOLD)])
    UsageRecord.objects.create(space=space, imported_on=timezone.localdate())
    with django_assert_max_num_queries(2):
        assert usage_of(space) == Amounts(ROWS_TO_FOLD + 1, 2 * ROWS_TO_FOLD + 4, 1)
    assert UsageRecord.objects.filter(space=space).count() == 2
    assert usage_of(space) == Amounts(ROWS_TO_FOLD + 1, 2 * ROWS_TO_FOLD + 4, 1)


def test_limits_are_the_spaces_own_else_the_settings(space, settings):
    settings.DSMART_QUOTA_TURNS, settings.DSMART_QUOTA_BYTES, settings.DSMART_QUOTA_IMPORTS = 10, 20, 30
    assert quota_of(space) == Amounts(10, 20, 30)
    space_quota_set(space=space, turns=5, size=None, imports=0)
    assert quota_of(Space.objects.get()) == Amounts(5, 20, 0)
    (told,) = ActRecord.objects.filter(kind="quota").values_list("space_id", "words")
    assert told == (space.pk, "turns: 5, bytes: the default, imports a day: no limit")


def test_message_without_room_is_refused_and_forgetting_makes_room(space, ana):
    limit(space, turns=1)
    first = conversation_create(owner=ana, space=space)
    message_post(conversation=first, text="One.")
    second = conversation_create(owner=ana, space=space)
    with pytest.raises(SpaceFull, match=r"This memory may hold 1 turn, and holds 1. Forget a conversation, or ask"):
        message_post(conversation=second, text="Two.")
    assert counted(space) == (1, 4)
    conversation_delete(conversation=first)
    message_post(conversation=second, text="Two.")
    assert counted(space) == (1, 4)


def test_edit_may_not_grow_over_the_bytes(space, ana):
    limit(space, size=20)
    reply = message_post(conversation=conversation_create(owner=ana, space=space), text="123456789")
    Reply.objects.update(state=ReplyState.DONE)
    with pytest.raises(SpaceFull, match="may hold 20 bytes of words, and holds 9 bytes"):
        message_edit(reply=reply, text="123456789012")
    assert Turn.objects.get().text == "123456789"
    message_edit(reply=reply, text="12345678901")
    assert Turn.objects.get().text == "12345678901"
    assert usage_of(space).bytes == 20, "what was said before is kept as a version"


def test_graph_import_is_counted_and_refused_whole(space):
    facts = b'<http://a.org/Ana> <http://a.org/livesIn> "Paris" .\n'
    limit(space, imports=1)
    graph_import(space=space, content=facts, form=GraphFormat.TURTLE, name="a.ttl")
    with pytest.raises(QuotaReached, match=r"1 import a day may be brought into this memory. Try again tomorrow"):
        graph_import(space=space, content=facts.replace(b"Paris", b"Lyon"), form=GraphFormat.TURTLE, name="b.ttl")
    before = usage_of(space)
    limit(space, turns=before.turns)
    with pytest.raises(QuotaReached, match=r"turns?, and holds"):
        graph_import(space=space, content=facts.replace(b"Paris", b"Nice"), form=GraphFormat.TURTLE, name="c.ttl")
    assert usage_of(space) == before and counted(space) == (before.turns, before.bytes)


def test_fact_by_hand_takes_room_too(space, ana):
    limit(space, turns=1)
    api, path = APIClient(), reverse("api-triples", args=[space.pk])
    api.force_authenticate(ana)
    assert (
        api.post(path, {"subject": "Ana", "predicate": "livesIn", "value": "Paris"}, format="json").status_code == 201
    )
    refused = api.post(path, {"subject": "Ana", "predicate": "owns", "value": "a cat"}, format="json")
    assert refused.status_code == 429 and refused.json()["detail"].startswith(
        "This memory may hold 1 turn, and holds 1."
    )
    assert Turn.objects.count() == 1


def test_pages_refuse_with_the_sentence(space, ana):
    browser = Client()
    browser.force_login(ana)
    limit(space, turns=1, imports=1)
    conversation = conversation_create(owner=ana, space=space)
    message_post(conversation=conversation, text="One.")
    refused = browser.post(reverse("message-new", args=[conversation.pk]), {"text": "Two."})
    assert refused.status_code == 429 and "This memory may hold 1 turn" in refused.content.decode()
    limit(space, imports=1, turns=50)
    for number in range(2):
        file = SimpleUploadedFile("old.json", exported(f"Number {number}."), content_type="application/json")
        page = browser.post(reverse("conversation-import"), {"file": file}, follow=True).content.decode()
    assert "1 import a day may be brought into this memory." in page
    assert Conversation.objects.filter(title="Old").count() == 1
    settings_page = " ".join(browser.get(reverse("space-settings", args=[space.pk])).content.decode().split())
    assert 'Turns <span class="meta">2 of 50</span>' in settings_page
    assert 'aria-label="Imports today: 1 of 1"' in settings_page


@pytest.mark.parametrize(
    ("given", "status", "sentence"),
    [
        ({"turns": 1}, 429, "This memory may hold 1 turn, and holds 1."),
        ({"bytes": 5}, 413, "This memory may hold 5 bytes of words, and holds 4 bytes."),
    ],
)
def test_api_refuses_messages_and_turns_alike(space, ana, given, status, sentence):
    boss = APIClient()
    boss.force_authenticate(User.objects.create_superuser("boss"))
    told = boss.patch(reverse("api-space-quota", args=[space.pk]), given, format="json").json()
    assert told["limits"] == {"turns": 0, "bytes": 0, "imports": 0} | given
    assert told["own"] == {"turns": None, "bytes": None, "imports": None} | given
    session = session_create(space=space, started_at=timezone.now())
    say(session, "One.")
    api = APIClient()
    api.force_authenticate(ana)
    conversation = conversation_create(owner=ana, space=space)
    turn = {"role": "user", "speaker": "Ana", "text": "Two."}
    answers = [
        api.post(reverse("api-messages", args=[conversation.pk]), {"text": "Two."}, format="json"),
        api.post(reverse("api-turns", args=[session.pk]), turn, format="json"),
    ]
    assert [answer.status_code for answer in answers] == [status, status]
    assert all(answer.json()["detail"].startswith(sentence) for answer in answers)
    assert counted(space) == (1, 4)
    assert api.get(reverse("api-space-quota", args=[space.pk])).json()["used"] == {"turns": 1, "bytes": 4, "imports": 0}


@pytest.mark.parametrize("given", [{"turns": -1}, {"bytes": "many"}, {"imports": 2**40}])
def test_api_takes_only_limits_and_only_from_administrators(space, ana, given):
    path = reverse("api-space-quota", args=[space.pk])
    boss, owner = APIClient(), APIClient()
    boss.force_authenticate(User.objects.create_superuser("boss"))
    owner.force_authenticate(ana)
    assert boss.patch(path, given, format="json").status_code == 400
    assert owner.patch(path, {"turns": 0}, format="json").status_code == 403
    assert quota_of(Space.objects.get()) == Amounts(0, 0, 0)


@pytest.mark.django_db(transaction=True)
def test_two_at_once_cannot_pass_the_limit_together(space, ana):
    limit(space, turns=5)
    sessions = [session_create(space=space, started_at=timezone.now()) for _ in range(8)]
    together = threading.Barrier(8)

    def post(session: Session) -> bool:
        together.wait()
        try:
            with everything():
                say(session, "At once.")
        except QuotaReached:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(post, sessions))
    assert sum(taken) == 5 and counted(space)[0] == 5
