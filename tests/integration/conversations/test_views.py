"""The pages of talking: what they show, whose they are, and what they cost."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from conversations import allowance, events
from conversations.core.tracing.stage import Stage
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import (
    conversation_archive,
    conversation_create,
    conversation_export,
    message_post,
    reply_run,
)
from conversations.services.trace import new_trace
from memory.models import Turn
from memory.services import space_create, space_personal
from memory.services.members import member_add
from memory.services.tracing import TraceWriter
from tests.fakes.engines import WordByWordResponder

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture(autouse=True)
def fresh_allowance() -> None:
    cache.clear()


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def stranger(db) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ben"))
    return client


@pytest.fixture
def reply(conversation: Conversation, answering) -> Reply:
    made = message_post(conversation=conversation, text="Where do I live?")
    reply_run(reply_id=made.pk)
    made.refresh_from_db()
    return made


def test_first_message_makes_a_conversation_without_memory_by_the_chosen_engine(reader):
    answer = reader.post(
        reverse("conversation-new"), {"text": "Hello there", "without_memory": "on", "engine": "builtin"}
    )
    made = Conversation.objects.get()
    assert answer.url == reverse("conversation", args=[made.pk])
    assert (made.title, made.engine, made.session.is_remembered) == ("Hello there", "builtin", False)
    assert Reply.objects.get().state == ReplyState.QUEUED


@pytest.mark.parametrize(
    ("posted", "said"),
    [
        ({"text": "  "}, "Write something first."),
        ({"text": "x" * 20_001}, "20,001 characters"),
        ({"text": "Hi", "engine": "http:nobody"}, "is not one of the available choices"),
    ],
)
def test_first_message_that_cannot_be_taken_is_refused_in_place_and_leaves_nothing(reader, posted, said):
    answer = reader.post(reverse("conversation-new"), posted)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Conversation.objects.exists()


def test_first_message_into_the_memory_of_another_is_refused(reader):
    foreign = space_personal(user=User.objects.create_user("ben"))
    answer = reader.post(reverse("conversation-new"), {"text": "Hi", "space": foreign.pk})
    assert "Choose one of your memories." in answer.content.decode()
    assert not Conversation.objects.exists()


def chosen_space(answer) -> list[str]:
    return re.findall(r'<option value="(\d+)" selected>', answer.content.decode().partition('id="id_space"')[2])


def test_whoever_was_let_into_an_older_memory_still_begins_in_their_own(reader, stranger, ana):
    shared = space_personal(user=ana)
    ben = User.objects.get(username="ben")
    own = space_personal(user=ben)
    member_add(space=shared, user=ben)
    assert chosen_space(stranger.get(reverse("talk"))) == [str(own.pk)]


def test_refused_first_message_keeps_the_memory_that_was_chosen(reader, ana):
    space_personal(user=ana)
    trip = space_create(name="Trip", owner=ana)
    answer = reader.post(reverse("conversation-new"), {"text": "bell \x07", "space": trip.pk})
    assert (answer.status_code, chosen_space(answer)) == (422, [str(trip.pk)])


def test_conversation_page_shows_the_reply_with_its_times_and_escapes_what_was_said(reader, conversation, answering):
    answering(WordByWordResponder("You live in **Paris** <script>alert(1)</script>"))
    made = message_post(conversation=conversation, text="<b>Where</b> do I live?")
    reply_run(reply_id=made.pk)
    html = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "<strong>Paris</strong>" in html
    assert "&lt;b&gt;Where&lt;/b&gt; do I live?" in html
    assert "<script>alert" not in html
    assert "in all" in html


def test_unfinished_reply_is_shown_as_far_as_it_has_come_with_its_last_number(reader, conversation):
    made = message_post(conversation=conversation, text="Tell me")
    TraceWriter(new_trace(made)).store([Stage("read"), Stage("memory", "looking up")])
    for number, kind, data in [
        (2, "state", {"state": "running"}),
        (3, "delta", {"text": "void"}),
        (4, "reset", {}),
        (5, "step", {"steps": [1, 2], "kinds": ["stage"]}),
        (6, "delta", {"text": "Once "}),
        (7, "delta", {"text": "upon"}),
    ]:
        events.record(made, number=number, kind=kind, data=data)
    html = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert 'data-last-number="7"' in html
    assert '<div class="words plain streaming">Once upon</div>' in html
    assert "looking up" in html.lower()


def test_failed_reply_says_what_happened_and_offers_another_try(reader, conversation):
    made = message_post(conversation=conversation, text="Tell me")
    Reply.objects.filter(pk=made.pk).update(state=ReplyState.FAILED, error="The server did not answer.")
    html = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "The server did not answer." in html
    assert reverse("reply-retry", args=[made.pk]) in html


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("get", "conversation"),
        ("post", "message-new"),
        ("post", "conversation-rename"),
        ("post", "conversation-engine"),
        ("post", "conversation-archive"),
        ("post", "conversation-delete"),
    ],
)
def test_conversation_of_another_is_not_found(stranger, conversation, method, name):
    answer = getattr(stranger, method)(reverse(name, args=[conversation.pk]), {"text": "x", "title": "x"})
    assert answer.status_code == 404
    conversation.refresh_from_db()
    assert (conversation.title, conversation.archived_at) == ("", None)
    assert not Turn.objects.exists()


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_export_of_another_is_not_found(stranger, conversation, form):
    assert stranger.get(reverse("conversation-export", args=[conversation.pk, form])).status_code == 404


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("get", "reply"),
        ("get", "reply-round"),
        ("get", "reply-edit"),
        ("post", "reply-edit"),
        ("post", "reply-regenerate"),
        ("post", "reply-retry"),
        ("post", "reply-stop"),
    ],
)
def test_reply_of_another_is_not_found(stranger, reply, method, name):
    answer = getattr(stranger, method)(reverse(name, args=[reply.pk]), {"text": "x"}, **HTMX)
    assert answer.status_code == 404
    assert Reply.objects.count() == 1


def test_signed_out_reader_is_sent_to_sign_in(conversation):
    answer = Client().get(reverse("conversation", args=[conversation.pk]))
    assert answer.status_code == 302
    assert answer.url.startswith(reverse("sign-in"))


def test_post_without_token_is_refused(ana, conversation):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ana)
    assert client.post(reverse("conversation-delete", args=[conversation.pk])).status_code == 403
    assert Conversation.objects.filter(pk=conversation.pk).exists()


def test_message_from_a_page_without_script_is_taken_once(reader, conversation):
    for _ in range(2):
        reader.post(reverse("message-new", args=[conversation.pk]), {"text": "Hello", "key": "one"})
    assert Turn.objects.get().text == "Hello"


def test_message_that_is_refused_keeps_its_words(reader, conversation):
    answer = reader.post(reverse("message-new", args=[conversation.pk]), {"text": "bell \x07"})
    assert answer.status_code == 422
    assert "not text" in answer.content.decode()
    assert "bell" in answer.content.decode()


def test_messages_faster_than_the_allowance_are_refused_with_the_reason(reader, conversation, monkeypatch):
    monkeypatch.setattr(allowance, "MESSAGES_A_MINUTE", 1)
    monkeypatch.setattr(allowance.time, "time", lambda: 1_000_000.0)
    reader.post(reverse("message-new", args=[conversation.pk]), {"text": "One"})
    answer = reader.post(reverse("message-new", args=[conversation.pk]), {"text": "Two"})
    assert answer.status_code == 429
    assert Turn.objects.get().text == "One"


def test_rename_archive_and_delete(reader, conversation):
    reader.post(reverse("conversation-rename", args=[conversation.pk]), {"title": "Moving house"})
    reader.post(reverse("conversation-archive", args=[conversation.pk]), {"archived": "1"})
    assert "Moving house" not in reader.get(reverse("conversation-list")).content.decode()
    assert "Moving house" in reader.get(reverse("history") + "?archived=1").content.decode()
    reader.post(reverse("conversation-archive", args=[conversation.pk]), {"archived": "0"})
    assert "Moving house" in reader.get(reverse("conversation-list")).content.decode()
    reader.post(reverse("conversation-delete", args=[conversation.pk]))
    assert not Conversation.objects.exists()


def test_empty_name_and_unknown_engine_are_refused_with_a_sentence(reader, conversation):
    address = reverse("conversation-rename", args=[conversation.pk])
    assert "needs a name" in reader.post(address, {"title": ""}, follow=True).content.decode()
    address = reverse("conversation-engine", args=[conversation.pk])
    assert "no engine of that name" in reader.post(address, {"engine": "magic"}, follow=True).content.decode()


def test_search_finds_only_own_words_and_marks_them(reader, stranger, conversation):
    message_post(conversation=conversation, text="The lighthouse keeper was called Aurelio.")
    found = reader.get(reverse("conversation-list"), {"q": "lighthouse"}).content.decode()
    assert "<mark>lighthouse</mark>" in found
    assert "lighthouse" not in reader.get(reverse("history"), {"q": "submarine"}).content.decode()
    foreign = stranger.get(reverse("history"), {"q": "lighthouse"}).content.decode()
    assert "Aurelio" not in foreign


def test_search_result_with_markup_in_it_is_text(reader, conversation):
    message_post(conversation=conversation, text="lighthouse <img src=x onerror=alert(1)>")
    assert "<img" not in reader.get(reverse("conversation-list"), {"q": "lighthouse"}).content.decode()


def test_list_of_conversations_is_paged(reader, ana):
    space = space_personal(user=ana)
    for number in range(45):
        conversation_create(owner=ana, space=space, title=f"Talk {number}")
    first = reader.get(reverse("conversation-list")).content.decode()
    second = reader.get(reverse("conversation-list"), {"page": 2}).content.decode()
    assert ("Talk 44<" in first, "Talk 0<" in first) == (True, False)
    assert ("Talk 44<" in second, "Talk 0<" in second) == (False, True)


def test_long_conversation_is_paged_back_to_its_beginning(reader, conversation):
    for number in range(35):
        message_post(conversation=conversation, text=f"message-{number}.")
    address = reverse("conversation", args=[conversation.pk])
    end = reader.get(address).content.decode()
    assert "message-4." not in end and "message-5." in end
    earlier = reader.get(address, {"before": 5}, **HTMX).content.decode()
    assert "message-4." in earlier and "message-5." not in earlier and "<html" not in earlier


def test_address_with_words_for_a_number_shows_the_end_and_says_so(reader, conversation):
    html = reader.get(reverse("conversation", args=[conversation.pk]), {"before": "x'--"}).content.decode()
    assert "not a number" in html


def test_palette_offers_places_and_own_conversations(reader, stranger, ana):
    conversation_create(owner=ana, space=space_personal(user=ana), title="Garden plans")
    assert "Garden plans" in reader.get(reverse("palette"), {"q": "garden"}).content.decode()
    assert "Garden plans" not in stranger.get(reverse("palette"), {"q": "garden"}).content.decode()
    assert reverse("history") in reader.get(reverse("palette"), {"q": "all"}).content.decode()


def test_reply_is_answered_anew_in_place(reader, reply):
    html = reader.post(reverse("reply-regenerate", args=[reply.pk]), **HTMX).content.decode()
    fresh = Reply.objects.get(round__aside_with=None)
    assert fresh.pk != reply.pk
    assert f'data-reply="{fresh.pk}"' in html and "data-live" in html


def test_answering_anew_while_a_reply_is_written_is_refused_in_place(reader, reply):
    message_post(conversation=reply.conversation, text="Next")
    html = reader.post(reverse("reply-regenerate", args=[reply.pk]), **HTMX).content.decode()
    assert "still being written" in html


def test_edited_message_is_answered_with_its_new_words(reader, reply):
    form = reader.get(reverse("reply-edit", args=[reply.pk]), **HTMX).content.decode()
    assert "Where do I live?</textarea>" in form
    empty = reader.post(reverse("reply-edit", args=[reply.pk]), {"text": ""}, **HTMX).content.decode()
    assert "empty" in empty
    html = reader.post(reverse("reply-edit", args=[reply.pk]), {"text": "Where did I live?"}, **HTMX).content.decode()
    assert "Where did I live?" in html and "data-live" in html
    stale = reader.post(reverse("reply-edit", args=[reply.pk]), {"text": "Who am I?"}, **HTMX).content.decode()
    assert "still being written" in stale


def test_stop_asks_the_worker_to_end(reader, conversation):
    made = message_post(conversation=conversation, text="Tell me")
    assert reader.post(reverse("reply-stop", args=[made.pk]), **HTMX).status_code == 204
    made.refresh_from_db()
    assert made.stop_requested


def test_exported_conversation_can_be_imported_and_read(reader, reply):
    answer = reader.get(reverse("conversation-export", args=[reply.conversation_id, "json"]))
    assert 'filename="where-do-i-live.json"' in answer["Content-Disposition"]
    assert answer["Cache-Control"] == "private, no-store"
    file = SimpleUploadedFile("talk.json", answer.content, content_type="application/json")
    html = reader.post(reverse("conversation-import"), {"file": file}, follow=True).content.decode()
    assert Conversation.objects.count() == 2
    assert "Where do I live?" in html and "You live in Paris." in html


@pytest.mark.parametrize(
    ("payload", "said"),
    [(b"\xff\xfe\x00", "not text"), (b"{}", "is not an export that can be read"), (b"[", "not JSON"), (b"", "empty")],
)
def test_wrong_file_is_refused_with_a_sentence(reader, payload, said):
    answer = reader.post(reverse("conversation-import"), {"file": SimpleUploadedFile("x.json", payload)}, follow=True)
    assert said in answer.content.decode()
    assert not Conversation.objects.exists()


def test_markdown_export_reads_as_a_dialogue(reply):
    text = conversation_export(conversation=reply.conversation, format="markdown")
    assert "Where do I live?" in text and "You live in Paris." in text


def test_export_in_an_unknown_form_is_not_found(reader, conversation):
    assert reader.get(f"/c/{conversation.pk}/export/pdf/").status_code == 404


def test_talk_page_costs_a_bounded_number_of_queries(reader, conversation, answering, django_assert_max_num_queries):
    for number in range(12):
        reply_run(reply_id=message_post(conversation=conversation, text=f"message {number}").pk)
    message_post(conversation=conversation, text="not answered yet")
    with django_assert_max_num_queries(12):
        reader.get(reverse("conversation", args=[conversation.pk]))
    with django_assert_max_num_queries(12):
        reader.get(reverse("talk"))


def test_pages_carry_no_inline_script_or_style_and_say_so_in_their_policy(reader, reply):
    answer = reader.get(reverse("conversation", args=[reply.conversation_id]))
    html = answer.content.decode()
    assert "style=" not in html and "onclick=" not in html and "<style" not in html
    assert all("src=" in tag for tag in html.split("<script")[1:])
    assert "script-src 'self'" in answer["Content-Security-Policy"]


def test_archived_conversation_is_still_readable_at_its_address(reader, conversation):
    conversation_archive(conversation=conversation, archived=True)
    html = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "Bring back from the archive" in html


def test_imported_memoryless_conversation_stays_without_memory(reader, ana):
    made = conversation_create(owner=ana, space=space_personal(user=ana), remember=False)
    exported = json.loads(conversation_export(conversation=made, format="json"))
    assert exported["remember"] is False


@pytest.mark.parametrize("name", ["conversation-list", "history", "palette"])
def test_number_that_no_database_can_hold_breaks_nothing(reader, name):
    assert reader.get(reverse(name), {"q": "a", "current": "9" * 5_000}).status_code == 200
