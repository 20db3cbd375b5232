"""The administrator's lists: bounded in queries at any size, and read-only where services own the change."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from conversations.services import conversation_create, message_post
from dsmart_web import urls  # noqa: F401 (finds the admin's pages)
from memory.models import SentenceRecord, TripleRecord
from memory.services import space_maintain, space_personal
from tests.fakes.engines import small_models
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db
OURS = [model for model in admin.site._registry if model._meta.app_label in ("memory", "conversations")]


@pytest.fixture(scope="module")
def administrator(module_db) -> User:
    """A superuser with a memory of two sessions and a conversation, made once."""
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        user = User.objects.create_superuser("boss", first_name="Ana")
        space = space_personal(user=user)
        for start in range(2):
            say(new_session(space, key=str(start)), *[f"I live in Town{start}{number}." for number in range(8)])
        space_maintain(space_id=space.pk)
        message_post(conversation=conversation_create(owner=user, space=space), text="Where do I live?")
    return user


@pytest.fixture
def boss(administrator: User, db) -> Client:
    client = Client()
    client.force_login(administrator)
    return client


def test_rows_of_both_apps_are_registered():
    assert {"Space", "TripleRecord", "ConflictRecord", "Round", "Conversation", "Reply"} <= {
        row.__name__ for row in OURS
    }


def test_every_model_is_called_by_a_word_and_many_by_its_plural():
    assert {row.__name__: (row._meta.verbose_name, row._meta.verbose_name_plural) for row in OURS} == {
        "Space": ("space", "spaces"),
        "Session": ("session", "sessions"),
        "Round": ("round", "rounds"),
        "Turn": ("turn", "turns"),
        "SentenceRecord": ("sentence", "sentences"),
        "EntityRecord": ("entity", "entities"),
        "AliasRecord": ("alias", "aliases"),
        "TripleRecord": ("triple", "triples"),
        "ConflictRecord": ("conflict", "conflicts"),
        "PredicateRecord": ("predicate", "predicates"),
        "HeldFragmentRecord": ("held fragment", "held fragments"),
        "GraphCheckRecord": ("graph check", "graph checks"),
        "EditRecord": ("edit", "edits"),
        "StateRecord": ("state", "states"),
        "StateElementRecord": ("state element", "state elements"),
        "StateChangeRecord": ("state change", "state changes"),
        "OutboxRecord": ("outbox", "outboxes"),
        "KnowledgeBaseRecord": ("knowledge base", "knowledge bases"),
        "Conversation": ("conversation", "conversations"),
        "Reply": ("reply", "replies"),
        "ReplyEvent": ("reply event", "reply events"),
        "ReplyTrace": ("reply trace", "reply traces"),
    }


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_list_and_row_are_shown_in_few_queries(boss, model, django_assert_max_num_queries):
    options = model._meta
    with django_assert_max_num_queries(8):
        listed = boss.get(reverse(f"admin:{options.app_label}_{options.model_name}_changelist"))
    assert listed.status_code == 200
    row = model.objects.first()
    if row is None:
        return
    with django_assert_max_num_queries(14):
        shown = boss.get(reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[row.pk]))
    assert shown.status_code == 200


def test_remembered_rows_cannot_be_changed_here(boss):
    triple = TripleRecord.objects.earliest("id")
    paths = [reverse(f"admin:memory_triplerecord_{name}", args=[triple.pk]) for name in ("change", "delete")]
    assert [boss.post(path, {"value": "Rome", "post": "yes"}).status_code for path in paths] == [403, 403]
    triple.refresh_from_db()
    assert triple.value == "Town00"


def test_list_of_many_counts_to_a_limit_only(boss, monkeypatch):
    from memory.admin import BoundedPaginator

    monkeypatch.setattr(BoundedPaginator, "LIMIT", 5)
    page = boss.get(reverse("admin:memory_sentencerecord_changelist")).content.decode()
    assert SentenceRecord.objects.count() > 5 and "5 sentences" in page
