"""Chats of other programs become conversations: once each, also when they come again, grow, or are broken off."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.core.chat_exports.catalogue import ChatExport
from conversations.core.chat_exports.types import LeftOut, unknown
from conversations.core.errors import ImportRefused
from conversations.models import Conversation, TitleBy
from conversations.services import chat_imports
from conversations.services.chat_imports import ChatsImported, Choices, chats_import, export_preview
from memory.models import MaintenanceState, Membership, OutboxRecord, Round, Session, Space, Turn
from memory.services import space_create, space_personal
from tests.chat_exports import (
    NOON,
    chatgpt_chat,
    chatgpt_message,
    claude_chat,
    claude_message,
    librechat_chat,
    mem0_memory,
    openmemory_memory,
    openwebui_chat,
    written,
    zipped,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def space(ana: User) -> Space:
    return space_personal(user=ana)


def brought_in(space: Space, ana: User, stream: io.BytesIO, **choices) -> ChatsImported:
    export = ChatExport(stream, name="conversations.json")
    return chats_import(space=space, owner=ana, export=export, choices=Choices(**choices))


def words(**of) -> list[tuple[str, str, str, str]]:
    turns = Turn.objects.filter(**of).order_by("session_id", "index")
    return list(turns.values_list("speaker", "role", "text", "key"))


def test_chat_becomes_a_conversation_that_is_learnt(space, ana):
    assert str(brought_in(space, ana, zipped([chatgpt_chat()]))) == "4 messages in 1 conversation."
    conversation = Conversation.objects.get()
    assert (conversation.owner, conversation.space, conversation.title) == (ana, space, "A move")
    assert (conversation.session.started_at, conversation.session.replies_by) == (NOON, Session.NOBODY)
    assert conversation.updated_at == Turn.objects.latest("index").said_at
    assert words() == [
        ("Ana", "user", "I live in Lyon.", "chat-1-a"),
        ("ChatGPT", "assistant", "Lyon is lovely.", "chat-1-b"),
        ("Ana", "user", "I work for Acme.", "chat-1-c"),
        ("ChatGPT", "assistant", "What do you do there?", "chat-1-d"),
    ]
    rounds = Round.objects.order_by("index", "turns__index").values_list("index", "maintenance", "turns__index")
    assert list(rounds) == [(0, "pending", 0), (0, "pending", 1), (1, "pending", 2), (1, "pending", 3)]
    assert not Turn.objects.filter(is_generated=True).exists()
    assert OutboxRecord.objects.filter(task="memory.maintain_space").count() == 1


def test_same_file_adds_nothing_and_a_newer_one_what_is_new(space, ana):
    brought_in(space, ana, written([chatgpt_chat(), claude_chat()][:1]))
    before = words()
    assert str(brought_in(space, ana, written([chatgpt_chat()]))) == "Everything that was chosen was here already."
    assert words() == before
    newer = chatgpt_chat()
    more = chatgpt_message("chat-1-e", "chat-1-d", "user", "I am a welder.", at=200)
    newer["mapping"]["chat-1-e"], newer["current_node"] = more, "chat-1-e"
    added = brought_in(space, ana, written([newer, chatgpt_chat("chat-2", "Another")]))
    assert str(added) == "5 messages in 2 conversations. 4 were here already."
    first = Session.objects.get(key=f"chatgpt:{ana.pk}:chat-1")
    assert words(session=first) == [*before, ("Ana", "user", "I am a welder.", "chat-1-e")]
    assert Conversation.objects.count() == 2


def test_each_of_a_team_has_a_chat_that_both_import(space, ana):
    ben = User.objects.create_user("ben", first_name="Ben")
    Membership.objects.create(user=ben, space=space)
    for person in (ana, ben):
        assert brought_in(space, person, written([claude_chat()])).messages == 2
    assert sorted(Conversation.objects.values_list("owner__username", flat=True)) == ["ana", "ben"]
    assert {speaker for speaker, *_ in words(role="user")} == {"Ana", "Ben"}


def test_chosen_chats_are_imported(space, ana):
    old = claude_chat("old", "Old") | {"created_at": "2023-01-01T00:00:00Z"}
    content = [old, claude_chat("new", "New"), claude_chat("other", "Other")]
    brought_in(space, ana, written(content), since=date(2024, 1, 1), keys=frozenset({"old", "new"}))
    assert list(Conversation.objects.values_list("title", flat=True)) == ["New"]


def test_what_is_not_to_be_remembered_is_only_kept(space, ana, django_capture_on_commit_callbacks):
    brought_in(space, ana, written([claude_chat()]), remember=False)
    assert list(Round.objects.values_list("maintenance", flat=True)) == [MaintenanceState.SKIPPED]
    assert (
        not Session.objects.get().is_remembered and not OutboxRecord.objects.filter(task__contains="maintain").exists()
    )


def test_wish_of_a_chat_is_neither_carried_out_nor_learnt(space, ana):
    told = [
        claude_message("a", "human", "I live in Paris.", minute=1),
        claude_message("b", "human", "Forget that I live in Paris.", minute=2),
    ]
    brought_in(space, ana, written([claude_chat("c", "t", *told)]))
    states = Round.objects.order_by("index").values_list("maintenance", "is_wish")
    assert list(states) == [("pending", False), ("skipped", True)]


def test_memories_of_mem0_are_rounds_of_one_conversation(space, ana):
    told = [mem0_memory(str(number), f"Ana likes tea number {number}") for number in range(120)]
    assert str(brought_in(space, ana, written({"results": told}))) == "120 messages in 1 conversation."
    assert Round.objects.count() == 120
    assert set(Turn.objects.values_list("speaker", "role")) == {("Ana", "user")}


def test_messages_without_a_time_or_of_the_future_are_placed(space, ana):
    nodes = (
        chatgpt_message("a", "root", "user", "I live in Lyon.", create_time=None),
        chatgpt_message("b", "a", "assistant", "Lovely.", at=30),
        chatgpt_message("c", "b", "user", "I like tea.", create_time=None),
        chatgpt_message("d", "c", "assistant", "Me too.", at=10**9),
    )
    brought_in(space, ana, written([chatgpt_chat("x", "t", *nodes)]))
    moments = list(Turn.objects.order_by("index").values_list("said_at", flat=True))
    assert (moments[0] - NOON).total_seconds() == 0
    assert (moments[1], moments[2]) == (moments[2], moments[1]) and (moments[1] - NOON).total_seconds() == 30
    assert moments[2] < moments[3] <= Conversation.objects.get().created_at


def test_message_that_is_too_long_is_left_out(space, ana, settings):
    settings.DSMART_MESSAGE_LIMIT = 20
    told = [
        claude_message("a", "human", "I like tea.", minute=1),
        claude_message("b", "assistant", "Long words, long words.", minute=2),
    ]
    export = ChatExport(written([claude_chat("c", "t", *told)]), name="x")
    found = export_preview(space=space, owner=ana, export=export).as_json()
    assert found["left_out"] == [{"what": "messages that are longer than a message may be here", "count": 1}]
    assert brought_in(space, ana, written([claude_chat("c", "t", *told)])).messages == 1


def test_chats_without_a_message_to_bring_in_are_counted_once_each(space, ana):
    wordless = claude_chat("c-3", "t", claude_message("a", "human"))
    chats = [claude_chat(), claude_chat("c-2") | {"chat_messages": []}, wordless, {"chat_messages": 1}]
    found = export_preview(space=space, owner=ana, export=ChatExport(written([*chats, *chats]), name="x"))
    assert (found.chats, found.left_out) == (
        1, {LeftOut.EMPTY: 2, LeftOut.WORDLESS: 2, LeftOut.UNREADABLE: 2},
    )  # fmt: skip


def test_preview_names_the_programs_and_a_bounded_number_of_reasons(space, ana):
    blocks = [{"type": f"kind-{number}"} for number in range(chat_imports.REASONS + 5)]
    told = claude_message("a", "human", content=[{"type": "text", "text": "I like tea."}, *blocks])
    content = [None, claude_chat("c", "t", told), openwebui_chat(), claude_chat()]
    found = export_preview(space=space, owner=ana, export=ChatExport(written(content), name="x")).as_json()
    assert (found["form"], found["program"], found["chats"]) == ("claude", "Claude and Open WebUI", 3)
    counted = {one["what"]: one["count"] for one in found["left_out"]}
    known = {LeftOut.BRANCHES: 1, LeftOut.INSTRUCTIONS: 1, LeftOut.FILES: 1, LeftOut.OTHERS: 6}
    kinds = [f"kind-{number}" for number in range(chat_imports.REASONS - 1)]
    assert counted == known | {unknown("parts of messages", kind): 1 for kind in kinds} | {
        unknown("entries", "null"): 1
    }


def test_chats_of_several_programs_in_one_file_are_each_their_own(space, ana):
    told = [
        claude_chat("same"),
        openwebui_chat("same"),
        librechat_chat("same"),
        openmemory_memory("1", "Ana lives in Lyon"),
    ]
    assert brought_in(space, ana, written([None, *told]), replies=True).conversations == 4
    assert dict(Session.objects.values_list("key", "replies_by")) == {
        f"claude:{ana.pk}:same": "Claude",
        f"openwebui:{ana.pk}:same": "Open WebUI",
        f"librechat:{ana.pk}:same": "LibreChat",
        f"mem0:{ana.pk}:ana-id": "Mem0",
    }
    assert brought_in(space, ana, written(told)).messages == 0


def test_preview_says_what_is_there_and_stores_nothing(space, ana):
    brought_in(space, ana, written([chatgpt_chat()]))
    before = words()
    content = [
        chatgpt_chat(),
        chatgpt_chat("chat-2", "Another", chatgpt_message("x", "root", "user", "Hi.", at=86_400)),
    ]
    export = ChatExport(written([*content, {"mapping": 1}]), name="x")
    assert export_preview(space=space, owner=ana, export=export).as_json() == {
        "form": "chatgpt",
        "program": "ChatGPT",
        "chats": 2,
        "messages": 5,
        "known_messages": 4,
        "first": "2024-05-01",
        "last": "2024-05-02",
        "left_out": [{"what": "entries that cannot be read", "count": 1}],
        "listed": [
            {"key": "chat-1", "title": "A move", "began": "2024-05-01", "messages": 4},
            {"key": "chat-2", "title": "Another", "began": "2024-05-01", "messages": 1},
        ],
    }
    assert words() == before


def test_queries_do_not_grow_with_the_length_of_a_chat(space, ana):
    counts = []
    for key, length in (("a", 10), ("b", 300)):
        told = [
            claude_message(f"{key}-{number}", ("human", "assistant")[number % 2], f"Words {number}.")
            for number in range(length)
        ]
        with CaptureQueriesContext(connection) as queries:
            assert brought_in(space, ana, written([claude_chat(key, "t", *told)])).messages == length
        counts.append(len(queries))
    assert counts[0] == counts[1] < 30


def test_messages_that_were_put_aside_are_here_already(space, ana):
    brought_in(space, ana, written([chatgpt_chat()]))
    Turn.everything.update(is_aside=True)
    again = brought_in(space, ana, written([chatgpt_chat()]))
    assert (again.messages, again.known_messages) == (0, 4)


def test_two_imports_at_once_store_a_message_once(space, ana, monkeypatch):
    monkeypatch.setattr(chat_imports, "turns_known", lambda *_: {})
    stored = [brought_in(space, ana, written([chatgpt_chat()])).messages for _ in range(2)]
    assert stored == [4, 0] and Turn.objects.count() == 4


def test_title_that_a_chat_had_is_kept_and_a_chat_without_one_gets_one(space, ana):
    brought_in(space, ana, written([chatgpt_chat(), chatgpt_chat("chat-2", "")]))
    titles = dict(Conversation.objects.values_list("title", "title_by"))
    assert titles == {"A move": TitleBy.PERSON, "From ChatGPT": TitleBy.WORDS}


def test_file_that_breaks_off_keeps_what_was_read(space, ana):
    whole = written([claude_chat(str(number)) for number in range(60)]).getvalue()
    cut = io.BytesIO(whole[: len(whole) - 40])
    with pytest.raises(ImportRefused, match="ends in the middle"):
        brought_in(space, ana, cut)
    assert Conversation.objects.count() == chat_imports.CHATS_AT_ONCE
    assert brought_in(space, ana, io.BytesIO(whole)).conversations == 60 - chat_imports.CHATS_AT_ONCE


class Made(io.RawIOBase):
    """An export that is never whole anywhere: it is written while it is read."""

    def __init__(self, chats: int, messages: int) -> None:
        self._size = (chats, messages)
        self.seek(0)

    def _written(self, chats: int, messages: int) -> Iterator[bytes]:
        for number in range(chats):
            told = [
                claude_message(f"{number}-{place}", ("human", "assistant")[place % 2], "Some words. " * 20)
                for place in range(messages)
            ]
            yield b"[,"[number > 0 :][:1] + json.dumps(claude_chat(str(number), "t", *told)).encode()
        yield b"]"

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and (piece := next(self._pieces, b"")):
            self._rest += piece
        given, self._rest = self._rest[:size], self._rest[size:]
        return given

    def seek(self, *where: int) -> int:
        self._pieces, self._rest = self._written(*self._size), b""
        return 10**9


def test_large_export_is_read_in_bounded_memory(space, ana):
    """Of 10 MB a few chats are held at a time."""
    export = ChatExport(Made(500, 20), name="conversations.json")
    tracemalloc.start()
    held = [sum(len(chat.messages) for chat in part) for part in chat_imports.parts_of(export)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(held) == 10_000
    assert peak < 7 * 1024**2


def test_command_previews_and_imports(ana, space, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("conversations.management.commands.import_chats.owner_account", lambda: ana)
    file = tmp_path / "conversations.json"
    file.write_bytes(written([chatgpt_chat(), chatgpt_chat("chat-2", "Another")]).getvalue())

    def run(*options: str) -> str:
        out = io.StringIO()
        call_command("import_chats", str(file), *options, stdout=out, verbosity=0)
        return out.getvalue()

    assert run("--preview") == (
        "ChatGPT: 2 chats with 8 messages, from 2024-05-01 to 2024-05-01.\n"
        "chat-1  2024-05-01  4  A move\nchat-2  2024-05-01  4  Another\n"
    )
    assert not Conversation.objects.exists()
    assert run("--only", "chat-2", "--score") == "4 messages in 1 conversation.\n"
    assert Session.objects.get().replies_by == "ChatGPT"
    other = space_create(name="Elsewhere", owner=ana)
    assert run("--space", "Elsewhere", "--not-remembered") == "8 messages in 2 conversations.\n"
    assert Session.objects.filter(space=other, is_remembered=False).count() == 2


def test_command_says_what_is_wrong(ana, space, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("conversations.management.commands.import_chats.owner_account", lambda: ana)
    wrong = tmp_path / "x.json"
    wrong.write_text('[{"title": "x"}]')
    for words, why in (
        ([str(tmp_path / "none.zip")], "cannot be read: No such file or directory."),
        ([str(wrong)], "is not an export that can be read. Expected is ChatGPT's export"),
        ([str(wrong), "--space", "nowhere"], "There is no space 'nowhere'."),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("import_chats", *words, verbosity=0)
