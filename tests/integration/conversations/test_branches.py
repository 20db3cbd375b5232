"""Versions of messages: each keeps what followed it, the memory holds the one that is shown, and nothing is lost between."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from conversations.core.errors import MessageRefused
from conversations.models import Conversation, Reply, ReplyState, TitleBy
from conversations.selectors import conversation_of, transcript, version_in
from conversations.services import (
    conversation_create,
    conversation_delete,
    conversation_export,
    message_edit,
    message_post,
    reply_regenerate,
    reply_run,
    version_show,
)
from memory import bootstrap
from memory.models import MaintenanceState, OutboxRecord, Round, SentenceRecord, TripleRecord, Turn
from memory.services import (
    round_add_turn,
    round_complete,
    round_open,
    space_create,
    space_maintain,
    space_personal,
    stages,
)
from memory.services import versions as memory_versions
from memory.services.edits.correct import triple_correct
from memory.services.edits.forget_many import memory_forget
from memory.services.space_json import space_export
from tests.fakes.engines import WordEmbedder
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


@pytest.fixture
def talk(ana: User) -> Conversation:
    return conversation_create(owner=ana, space=space_personal(user=ana), responder="graph")


def replied(conversation: Conversation, text: str) -> Reply:
    return settled(message_post(conversation=conversation, text=text))


def settled(reply: Reply) -> Reply:
    reply_run(reply_id=reply.pk)
    space_maintain(space_id=reply.conversation.space_id)
    reply.refresh_from_db()
    assert (reply.state, reply.error) == (ReplyState.DONE, "")
    return reply


def show(conversation: Conversation, round_id: int) -> None:
    version_show(conversation=conversation, round=Round.everything.get(pk=round_id))
    space_maintain(space_id=conversation.space_id)


def said(conversation: Conversation) -> list[str]:
    """Return the person's messages as they stand, oldest first."""
    return [view.user_turn.text for view in transcript(conversation) if view.user_turn is not None]


def dies(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def known(conversation: Conversation) -> set[tuple[str, str]]:
    rows = TripleRecord.objects.filter(space=conversation.space_id, superseded_at=None)
    return set(rows.values_list("predicate", "value"))


def test_edit_of_an_earlier_message_keeps_what_followed_as_a_version_and_teaches_only_what_is_shown(talk):
    replied(talk, "I have a dog.")
    paris = replied(talk, "I live in Paris.")
    replied(talk, "I work for Airbus.")
    before = known(talk)
    lyon = settled(message_edit(reply=paris, text="I live in Lyon."))
    assert said(talk) == ["I have a dog.", "I live in Lyon."]
    assert known(talk) == {("livesIn", "Lyon"), *(before - {("livesIn", "Paris"), ("worksFor", "Airbus")})}
    assert not SentenceRecord.objects.filter(text__contains="Airbus").exists()

    show(talk, paris.round_id)
    assert said(talk) == ["I have a dog.", "I live in Paris.", "I work for Airbus."]
    assert known(talk) == before
    assert [view.versions.number for view in transcript(talk)] == [1, 1, 1]
    assert [view.versions.ids for view in transcript(talk)][1] == (paris.round_id, lyon.round_id)
    assert set(Round.objects.values_list("maintenance", flat=True)) == {MaintenanceState.DONE}


def test_a_version_returns_with_its_own_versions_further_down(talk):
    first = replied(talk, "I live in Paris.")
    dog = replied(talk, "I have a dog.")
    cat = settled(message_edit(reply=dog, text="I have a cat."))
    second = settled(message_edit(reply=first, text="I live in Lyon."))
    with pytest.raises(MessageRefused, match="belongs to a version that is not shown"):
        show(talk, dog.round_id)
    show(talk, first.round_id)
    assert said(talk) == ["I live in Paris.", "I have a cat."]
    show(talk, dog.round_id)
    assert said(talk) == ["I live in Paris.", "I have a dog."]
    show(talk, second.round_id)
    show(talk, first.round_id)
    assert said(talk) == ["I live in Paris.", "I have a dog."]
    assert transcript(talk)[1].versions.ids == (dog.round_id, cat.round_id)


def test_title_is_of_the_version_that_is_shown(talk):
    first = replied(talk, "I live in Paris.")
    again = settled(reply_regenerate(reply=first))
    Conversation.objects.update(title="Life in Paris", title_by=TitleBy.ENGINE)
    show(talk, first.round_id)
    talk.refresh_from_db()
    assert talk.title == "Life in Paris"
    lyon = settled(message_edit(reply=first, text="I live in Lyon."))
    for reply, title in ((again, "I live in Paris."), (lyon, "I live in Lyon.")):
        show(talk, reply.round_id)
        talk.refresh_from_db()
        assert (talk.title, talk.title_by) == (title, TitleBy.WORDS)


def test_what_a_version_replaced_holds_again_while_it_is_aside(talk):
    replied(talk, "I live in Rome.")
    moved = replied(talk, "I live in Paris now.")
    assert ("livesIn", "Rome") not in known(talk)
    other = settled(message_edit(reply=moved, text="I have a dog."))
    assert ("livesIn", "Rome") in known(talk) and ("livesIn", "Paris") not in known(talk)
    show(talk, moved.round_id)
    assert ("livesIn", "Paris") in known(talk) and ("livesIn", "Rome") not in known(talk)
    show(talk, other.round_id)
    assert ("livesIn", "Rome") in known(talk)


def test_what_a_person_corrected_meanwhile_stays(talk):
    rome = replied(talk, "I live in Rome.")
    settled(message_edit(reply=rome, text="I live in Paris."))
    triple_correct(triple=TripleRecord.objects.get(value="Paris"), value="Milan", by=talk.owner)
    show(talk, rome.round_id)
    held = {value for predicate, value in known(talk) if predicate == "livesIn"}
    assert "Milan" in held and "Paris" not in held
    show(talk, transcript(talk)[0].versions.ids[1])
    assert {value for predicate, value in known(talk) if predicate == "livesIn"} == {"Milan"}


def test_words_that_are_forgotten_are_gone_from_every_version(talk):
    first = replied(talk, "My landlord is called Piet. I live in Rome.")
    settled(reply_regenerate(reply=first))
    [piet] = SentenceRecord.objects.filter(text__contains="Piet", turn__role="user")
    memory_forget(space=talk.space, by=talk.owner, sentences=[piet.pk])
    assert not Turn.everything.filter(role="user", text__contains="Piet").exists()
    show(talk, first.round_id)
    assert "Piet" not in {value for _, value in known(talk)}
    assert ("livesIn", "Rome") in known(talk)


def test_scores_sources_and_traces_stay_with_their_reply(talk, monkeypatch):
    told = replied(talk, "I live in Rome.")
    asked = replied(talk, "Where do I live?")
    used = set(asked.triples_used.values_list("triple__value", "why"))
    assert used and asked.trace.steps.exists()
    settled(message_edit(reply=told, text="I live in Paris."))
    assert asked.trace.steps.exists()
    sent: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr("conversations.events.send_to_group", lambda group, message: sent.append((group, message)))
    show(talk, told.round_id)
    assert set(asked.triples_used.values_list("triple__value", "why")) == used
    found = {"type": "sources.found", "conversation": talk.pk, "replies": [asked.pk]}
    assert [one for one in sent if one[1]["type"] == "sources.found"] == [(f"conversation.{talk.pk}", found)]
    assert asked.sentences_used.count() == Reply.objects.get(pk=asked.pk).sentences_used.count()


def test_regenerating_twenty_times_keeps_all_and_teaches_once(talk):
    reply = replied(talk, "I live in Paris.")
    for _ in range(20):
        reply = reply_regenerate(reply=reply)
        reply_run(reply_id=reply.pk)
        reply.refresh_from_db()
        assert reply.state == ReplyState.DONE
    space_maintain(space_id=talk.space_id)
    [view] = transcript(talk)
    assert (view.versions.number, len(view.versions.ids)) == (21, 21)
    assert SentenceRecord.objects.filter(text="I live in Paris.", turn__role="user").count() == 1
    assert known(talk) == {("livesIn", "Paris")}
    assert Reply.objects.filter(conversation=talk).count() == 21


def test_versions_are_not_opened_or_shown_while_a_reply_is_written(talk):
    first = replied(talk, "I live in Rome.")
    second = settled(message_edit(reply=first, text="I live in Paris."))
    waiting = message_post(conversation=talk, text="And now?")
    for act in (
        lambda: message_edit(reply=second, text="No."),
        lambda: reply_regenerate(reply=second),
        lambda: show(talk, first.round_id),
    ):
        with pytest.raises(MessageRefused, match="still being written"):
            act()
    settled(waiting)
    with pytest.raises(MessageRefused, match="not shown now"):
        message_edit(reply=first, text="No.")
    assert said(talk) == ["I live in Paris.", "And now?"]


def test_version_that_is_shown_is_shown_again_without_a_change(talk):
    first = replied(talk, "I live in Rome.")
    settled(message_edit(reply=first, text="I live in Paris."))
    outbox = OutboxRecord.objects.count()
    version_show(conversation=talk, round=transcript(talk)[0].round)
    assert OutboxRecord.objects.count() == outbox and said(talk) == ["I live in Paris."]


def test_two_tabs_that_switch_at_once_leave_one_whole_version(talk):
    first = replied(talk, "I live in Rome.")
    second = settled(message_edit(reply=first, text="I live in Paris."))
    third = settled(message_edit(reply=second, text="I live in Oslo."))
    faults: list[Exception] = []

    def switch(round_id: int) -> None:
        try:
            for _ in range(3):
                version_show(conversation=talk, round=Round.everything.get(pk=round_id))
        except Exception as fault:
            faults.append(fault)
        finally:
            connection.close()

    tabs = [seeing_thread(target=switch, args=(one.round_id,)) for one in (first, second, third)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join(60)
    assert faults == []
    space_maintain(space_id=talk.space_id)
    [text] = said(talk)
    assert known(talk) == {("livesIn", text.removeprefix("I live in ").rstrip("."))}
    assert Round.everything.filter(session=talk.session).exclude(aside_with=None).count() == 2


def test_a_fault_in_the_middle_leaves_everything_as_it_was(talk, monkeypatch):
    first = replied(talk, "I live in Rome.")
    settled(message_edit(reply=first, text="I live in Paris."))
    before = known(talk)

    monkeypatch.setattr(memory_versions, "maintenance_enqueue", dies)
    with pytest.raises(KeyboardInterrupt):
        version_show(conversation=talk, round=Round.everything.get(pk=first.round_id))
    assert said(talk) == ["I live in Paris."] and known(talk) == before


def test_what_was_not_learnt_when_the_worker_died_is_learnt_by_the_next(talk, monkeypatch):
    first = replied(talk, "I live in Rome.")
    replied(talk, "I have a dog.")
    settled(message_edit(reply=first, text="I live in Paris."))
    version_show(conversation=talk, round=Round.everything.get(pk=first.round_id))
    assert list(Round.objects.values_list("maintenance", flat=True)) == [MaintenanceState.PENDING] * 2
    with monkeypatch.context() as killed:
        killed.setattr(stages, "fragments_commit", dies)
        with pytest.raises(KeyboardInterrupt):
            space_maintain(space_id=talk.space_id)
    assert known(talk) == set() and SentenceRecord.objects.filter(text="I live in Rome.").exists()
    space_maintain(space_id=talk.space_id)
    assert {("livesIn", "Rome")} < known(talk)


def imported(talk: Conversation, count: int) -> Reply:
    """Return the reply to the first of so many rounds that were learnt."""
    for number in range(count):
        turn = round_open(
            session=talk.session, speaker="Ana", role="user", text=f"I met Person{number}.", said_at=talk.created_at
        )
        Reply.objects.create(
            space=talk.space,
            conversation=talk,
            round=turn.round,
            engine="builtin",
            responder="graph",
            state=ReplyState.DONE,
            text="Noted.",
        )
        round_add_turn(
            round=turn.round,
            speaker="assistant",
            role="assistant",
            text="Noted.",
            said_at=turn.said_at,
            is_generated=True,
        )
        round_complete(round=turn.round)
    space_maintain(space_id=talk.space_id)
    return Reply.objects.filter(conversation=talk).order_by("pk")[0]


def test_edit_of_the_first_of_fifty_rounds_takes_bounded_queries(talk, ana):
    counts, first = {}, None
    for length in (5, 50):
        other = conversation_create(owner=ana, space=space_create(name=f"Of {length}", owner=ana), responder="graph")
        first = imported(other, length)
        with CaptureQueriesContext(connection) as edited:
            message_edit(reply=first, text="I met nobody.")
        counts[length] = len(edited)
    assert counts[50] <= counts[5] + 5, counts
    assert Round.objects.filter(session=other.session).count() == 1


def test_what_is_aside_is_in_no_list_and_no_export(talk):
    first = replied(talk, "I live in Rome, near the zebra crossing.")
    settled(message_edit(reply=first, text="I live in Paris."))
    client = Client()
    client.force_login(talk.owner)
    pages = [
        reverse("conversation", args=[talk.pk]),
        reverse("history") + "?q=zebra",
        reverse("space-reasoning", args=[talk.space_id]),
        reverse("space-sentences", args=[talk.space_id]),
    ]
    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200 and "zebra crossing" not in answer.content.decode(), page
    exported = json.loads(conversation_export(conversation=talk, format="json"))
    assert exported["turns"][0]["text"] == "I live in Paris."
    assert exported["versions_left_out"] == 1
    conversation_delete(conversation=talk)
    assert not Round.everything.exists() and not Turn.everything.exists() and not Reply.objects.exists()


def test_page_shows_and_switches_versions_in_place(talk):
    first = replied(talk, "I live in Rome.")
    second = settled(message_edit(reply=first, text="I live in Paris."))
    client = Client()
    client.force_login(talk.owner)
    page = client.get(reverse("conversation", args=[talk.pk])).content.decode()
    assert "Version 2 of 2" in page and reverse("version-show", args=[first.round_id]) in page
    switched = client.post(reverse("version-show", args=[first.round_id]), **HTMX)
    assert "Version 1 of 2" in switched.content.decode() and "I live in Rome." in switched.content.decode()
    assert "dialogue-changed" in switched.headers["HX-Trigger-After-Swap"]
    since = client.get(reverse("conversation", args=[talk.pk]), {"since": 0}, **HTMX).content.decode()
    assert "I live in Rome." in since and "<html" not in since
    plain = client.post(reverse("version-show", args=[second.round_id]))
    assert plain.status_code == 302 and plain.url.endswith(f"#round-{second.round_id}")
    message_post(conversation=talk, text="Wait")
    refused = client.post(reverse("version-show", args=[first.round_id]), **HTMX).content.decode()
    assert "still being written" in refused and "Version 2 of 2" in refused


def test_api_tells_versions_edits_and_switches(talk):
    first = replied(talk, "I live in Rome.")
    client = Client()
    client.force_login(talk.owner)
    empty = client.post(reverse("api-reply-edit", args=[first.pk]), {"text": " "}, content_type="application/json")
    assert empty.status_code == 400
    edited = client.post(
        reverse("api-reply-edit", args=[first.pk]), {"text": "I live in Paris."}, content_type="application/json"
    )
    assert edited.status_code == 202
    assert client.post(reverse("api-version-show", args=[first.round_id])).status_code == 409
    settled(Reply.objects.get(pk=edited.json()["id"]))
    [round] = client.get(reverse("api-messages", args=[talk.pk])).json()
    assert round["versions"] == [first.round_id, round["id"]]
    assert client.post(reverse("api-version-show", args=[first.round_id])).status_code == 204
    [round] = client.get(reverse("api-messages", args=[talk.pk])).json()
    assert (round["id"], round["message"]) == (first.round_id, "I live in Rome.")


def test_versions_of_another_person_are_not_found(talk):
    first = replied(talk, "I live in Rome.")
    stranger = User.objects.create_user("eve")
    client = Client()
    client.force_login(stranger)
    assert client.post(reverse("version-show", args=[first.round_id])).status_code == 404
    assert client.post(reverse("api-version-show", args=[first.round_id])).status_code == 404
    assert (
        client.post(
            reverse("api-reply-edit", args=[first.pk]), {"text": "x"}, content_type="application/json"
        ).status_code
        == 404
    )
    with pytest.raises(Round.DoesNotExist):
        version_in(stranger, first.round_id)
    assert conversation_of(talk.owner, talk.pk) == talk


def test_message_that_is_sent_again_after_its_edit_is_not_stored_twice(talk):
    first = settled(message_post(conversation=talk, text="I live in Rome.", key="k"))
    settled(message_edit(reply=first, text="I live in Paris."))
    assert message_post(conversation=talk, text="I live in Rome.", key="k") == first
    assert said(talk) == ["I live in Paris."]


def test_chat_that_is_not_remembered_has_versions_that_teach_nothing(ana):
    talk = conversation_create(owner=ana, space=space_personal(user=ana), responder="graph", remember=False)
    first = replied(talk, "I live in Rome.")
    settled(message_edit(reply=first, text="I live in Paris."))
    show(talk, first.round_id)
    assert said(talk) == ["I live in Rome."] and known(talk) == set()
    assert Round.objects.get().maintenance == MaintenanceState.SKIPPED


def test_export_of_a_space_has_all_words_and_says_which_are_aside(talk):
    first = replied(talk, "I live in Rome.")
    settled(message_edit(reply=first, text="I live in Paris."))
    turns = json.loads("".join(space_export(space=talk.space, reader=talk.owner)))["turns"]
    assert [(one["text"], one["is_aside"]) for one in turns if one["role"] == "user"] == [
        ("I live in Rome.", True),
        ("I live in Paris.", False),
    ]
