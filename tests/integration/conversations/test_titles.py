"""A conversation is titled once by what it is about; what a person chose stays, and what is forgotten is in no title."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from conversations.models import Conversation, TitleBy
from conversations.services import conversation_create, conversation_rename, message_edit, message_post, reply_run
from conversations.services.titles import TITLE_TASK, title_make
from memory import bootstrap
from memory.models import OutboxRecord, SentenceRecord
from memory.services import space_maintain, space_personal
from memory.services.edits.forget_many import memory_forget
from tests.fakes.engines import WordEmbedder
from tests.integration.conversations.test_d_smart import scripted

pytestmark = pytest.mark.django_db
ASKED = "title as the JSON object"
PRESENT = "Hello! I need to buy a present for Henrik."


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


@pytest.fixture
def talk_with(ana: User, settings: Any, tmp_path: Path) -> Any:
    """Return a conversation whose engine gives these titles, and "Noted." to everything else."""

    def talk(*titles: object) -> Conversation:
        entries = [{"when": ASKED, "reply": title, "times": 1} for title in titles]
        engine = scripted(settings, tmp_path, *entries, {"reply": "Noted."})
        return conversation_create(owner=ana, space=space_personal(user=ana), responder="base", engine=engine)

    return talk


def say(talk: Conversation, text: str) -> Any:
    reply = message_post(conversation=talk, text=text)
    reply_run(reply_id=reply.pk)
    space_maintain(space_id=talk.space_id)
    reply.refresh_from_db()
    return reply


def titles_made(talk: Conversation) -> list[bool]:
    promised = OutboxRecord.objects.filter(task=TITLE_TASK)
    made = [title_make(**one.arguments) for one in promised.order_by("pk")]
    promised.delete()
    talk.refresh_from_db()
    return made


def test_title_is_made_once_after_the_first_reply(talk_with):
    talk = talk_with({"title": "A present for Henrik"}, {"title": "Another"})
    say(talk, PRESENT)
    talk.refresh_from_db()
    assert (talk.title, talk.title_by) == (PRESENT, TitleBy.WORDS)
    assert titles_made(talk) == [True]
    assert (talk.title, talk.title_by) == ("A present for Henrik", TitleBy.ENGINE)
    say(talk, "Something for fishing.")
    assert titles_made(talk) == [] and talk.title == "A present for Henrik"


def test_greeting_is_titled_by_what_follows_and_gives_up_after_the_third_message(talk_with):
    talk = talk_with({"title": ""}, {"title": ""}, {"title": ""}, {"title": "Too late"})
    for text in ("Hi!", "Well.", "So.", "A present for Henrik."):
        say(talk, text)
    assert titles_made(talk) == [False] * 3
    assert (talk.title, talk.title_by) == ("Hi!", TitleBy.WORDS)


@pytest.mark.parametrize(
    "reply", ["I would call it Dinner.", {"name": "Dinner"}, {"title": ["Dinner"]}, {"title": "x" * 300}]
)
def test_garbage_of_a_model_leaves_the_first_words(talk_with, reply):
    talk = talk_with(reply, reply)
    say(talk, PRESENT)
    assert titles_made(talk) == [False]
    assert (talk.title, talk.title_by) == (PRESENT, TitleBy.WORDS)


def test_title_of_a_person_is_never_overwritten(talk_with, ana):
    talk = talk_with({"title": "A present"})
    say(talk, PRESENT)
    conversation_rename(conversation=talk, title="Henrik")
    assert titles_made(talk) == [False] and talk.title == "Henrik"
    named = conversation_create(owner=ana, space=talk.space, title="Mine", engine=talk.engine, responder="base")
    say(named, PRESENT)
    assert titles_made(named) == [] and named.title == "Mine"


def test_edit_of_the_first_message_takes_the_title_back_and_makes_another(talk_with):
    talk = talk_with({"title": "A present for Henrik"}, {"title": "A dinner"})
    first = say(talk, PRESENT)
    titles_made(talk)
    edited = message_edit(reply=first, text="Help me plan a dinner.")
    talk.refresh_from_db()
    assert (talk.title, talk.title_by) == ("Help me plan a dinner.", TitleBy.WORDS)
    reply_run(reply_id=edited.pk)
    space_maintain(space_id=talk.space_id)
    assert titles_made(talk) == [True] and talk.title == "A dinner"


def test_title_keeps_no_words_that_are_forgotten(talk_with, ana):
    talk = talk_with({"title": "A present for Henrik"})
    say(talk, PRESENT)
    titles_made(talk)
    [said] = SentenceRecord.objects.filter(text__contains="Henrik", turn__role="user")
    memory_forget(space=talk.space, by=ana, sentences=[said.pk])
    talk.refresh_from_db()
    assert (talk.title, talk.title_by) == ("Hello! [forgotten]", TitleBy.WORDS)


def test_words_that_are_forgotten_while_a_title_is_made_are_not_in_it(talk_with, ana, monkeypatch):
    talk = talk_with({"title": "A present for Henrik"})
    say(talk, PRESENT)
    [said] = SentenceRecord.objects.filter(text__contains="Henrik", turn__role="user")

    class Forgets:
        def title_many(self, openings: Any) -> list[str]:
            memory_forget(space=talk.space, by=ana, sentences=[said.pk])
            return ["A present for Henrik"]

    class Engine:
        def player(self, role: Any) -> Forgets:
            return Forgets()

    monkeypatch.setattr(bootstrap, "engine", lambda name: Engine())
    assert titles_made(talk) == [False] and "Henrik" not in talk.title
