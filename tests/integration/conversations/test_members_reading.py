"""What members of a space read of one another (ADR 0044): chat, API and dashboard are asked the same, and agree."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from conversations.models import Conversation
from conversations.services import conversation_create
from memory.models import Membership, Space, TripleRecord, Turn
from memory.services import space_create, space_maintain
from memory.services.members import member_add, member_remove
from tests.fakes.engines import small_models
from tests.integration.memory.dialogues import say

pytestmark = pytest.mark.django_db
TOLD, UNTOLD = "I live in Lyon.", "I fear the marmalade audit."


@pytest.fixture
def team(ana: User) -> tuple[Space, User]:
    space = space_create(name="Team", owner=ana)
    ben = User.objects.create_user("ben", first_name="Ben")
    member_add(space=space, user=ben)
    return space, ben


def led_by(owner: User, space: Space, text: str, *, remember: bool) -> Conversation:
    made = conversation_create(owner=owner, space=space, title=f"About {text}", remember=remember)
    say(made.session, text)
    return made


@pytest.fixture
def talks(ana, team, monkeypatch) -> tuple[Conversation, Conversation]:
    """A conversation of Ana's that is remembered, and one that is not."""
    space, _ = team
    small_models(monkeypatch)
    made = led_by(ana, space, TOLD, remember=True), led_by(ana, space, UNTOLD, remember=False)
    space_maintain(space_id=space.pk)
    return made


def chat(reader: User, talk: Conversation) -> bool:
    """Return whether the chat lets a person read or find a conversation, by any of its doors."""
    browser = Client()
    browser.force_login(reader)
    page = browser.get(reverse("conversation", args=[talk.pk]))
    found = browser.get(
        reverse("conversation-list"), {"q": "Lyon marmalade".split()[talk.session.is_remembered is False]}
    )
    doors = {page.status_code == 200, f"/c/{talk.pk}/" in found.content.decode()}
    doors.add(browser.get(reverse("conversation-export", args=[talk.pk, "json"])).status_code == 200)
    assert len(doors) == 1
    return doors.pop()


def api(reader: User, talk: Conversation) -> tuple[bool, bool]:
    """Return whether the API gives a person the conversation, and whether it gives them the words."""
    client = APIClient()
    client.force_authenticate(reader)
    said = Turn.objects.get(session=talk.session, role="user")
    leads = client.get(reverse("api-conversation", args=[talk.pk])).status_code == 200
    sessions = client.get(reverse("api-sessions", args=[talk.space_id])).json()["results"]
    words = {
        talk.session_id in [one["id"] for one in sessions],
        client.get(reverse("api-session", args=[talk.session_id])).status_code == 200,
        client.get(reverse("api-turns", args=[talk.session_id])).status_code == 200,
        client.get(reverse("api-turn", args=[said.pk])).status_code == 200,
    }
    export = b"".join(client.get(reverse("api-space-export", args=[talk.space_id]))).decode()
    words.add(said.text in [turn["text"] for turn in json.loads(export)["turns"]])
    assert len(words) == 1
    return leads, words.pop()


def dashboard(reader: User, talk: Conversation) -> bool:
    """Return whether the pages of the memory, and its export, show a person the words."""
    browser = Client()
    browser.force_login(reader)
    said = Turn.objects.get(session=talk.session, role="user")
    line = browser.get(reverse("space-timeline", args=[talk.space_id]), {"session": talk.session_id})
    as_of = browser.get(reverse("space-triples", args=[talk.space_id]), {"as_of": said.pk})
    export = b"".join(browser.get(reverse("space-export", args=[talk.space_id]))).decode()
    seen = {said.text in export, as_of.status_code == 200 and said.text[:-1] in as_of.content.decode()}
    if line.status_code == 200 or talk.session.is_remembered:
        seen.add(said.text in line.content.decode())
    assert len(seen) == 1
    return seen.pop()


def test_what_is_remembered_is_read_by_all_members_and_its_conversation_by_whoever_leads_it(ana, team, talks):
    _, ben = team
    remembered, _ = talks
    assert (chat(ana, remembered), api(ana, remembered), dashboard(ana, remembered)) == (True, (True, True), True)
    assert (chat(ben, remembered), api(ben, remembered), dashboard(ben, remembered)) == (False, (False, True), True)


def test_who_is_removed_opens_their_conversations_over_the_memory_no_more_until_they_are_let_in_again(team):
    space, ben = team
    page = reverse("conversation", args=[led_by(ben, space, "I keep bees.", remember=True).pk])
    browser = Client()
    browser.force_login(ben)
    found = [browser.get(page).status_code]
    member_remove(membership=Membership.objects.get(space=space, user=ben))
    found.append(browser.get(page).status_code)
    member_add(space=space, user=ben)
    found.append(browser.get(page).status_code)
    assert found == [200, 404, 200]


def test_what_is_not_remembered_is_read_by_whoever_leads_it_alone(ana, team, talks):
    _, ben = team
    _, unremembered = talks
    assert (chat(ana, unremembered), api(ana, unremembered)) == (True, (True, True))
    assert (chat(ben, unremembered), api(ben, unremembered), dashboard(ben, unremembered)) == (
        False, (False, False), False,
    )  # fmt: skip


def test_fact_is_read_with_who_said_it_and_in_which_words(ana, team, talks):
    space, ben = team
    triple = TripleRecord.objects.get(space=space, value="Lyon")
    client, browser = APIClient(), Client()
    client.force_authenticate(ben)
    browser.force_login(ben)
    told = client.get(reverse("api-triple", args=[triple.pk])).json()
    page = browser.get(reverse("triple", args=[triple.pk])).content.decode()
    assert (told["source"]["text"], told["source"]["said_by"]) == (TOLD, "Ana")
    assert TOLD in page and "Ana" in page


def test_stranger_reads_nothing(team, talks):
    stranger = User.objects.create_user("cleo")
    client = APIClient()
    client.force_authenticate(stranger)
    space, _ = team
    for name, number in (
        ("api-session", talks[0].session_id),
        ("api-sessions", space.pk),
        ("api-space-export", space.pk),
    ):
        assert client.get(reverse(name, args=[number])).status_code == 404
    assert not any(chat(stranger, talk) for talk in talks)
