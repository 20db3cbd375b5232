"""Exports of other programs are read a chat at a time: the branch that is shown, and what is left out and why."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.core.chat_exports import elements
from conversations.core.chat_exports.catalogue import ChatExport
from conversations.core.chat_exports.elements import entries_of
from conversations.core.chat_exports.types import Chat, ChatMessage, LeftOut, key_text, moment_of
from conversations.core.errors import ImportRefused
from memory.core.types import Role
from tests.chat_exports import (
    NOON,
    chatgpt_chat,
    chatgpt_message,
    claude_chat,
    claude_message,
    mem0_memory,
    written,
    zipped,
)
from tests.hypothesis_profiles import examples


def read(stream: io.BytesIO, name: str = "conversations.json") -> list[Chat]:
    return list(ChatExport(stream, name=name).chats())


def said(chat: Chat) -> list[tuple[str, str]]:
    return [(one.role.value, one.text) for one in chat.messages]


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_chatgpt_chat_is_read_with_ids_times_and_title():
    assert read(written([chatgpt_chat()])) == [
        Chat(
            "chat-1",
            "A move",
            NOON,
            (
                ChatMessage("chat-1-a", Role.USER, "I live in Lyon.", after(60)),
                ChatMessage("chat-1-b", Role.ASSISTANT, "Lyon is lovely.", after(70)),
                ChatMessage("chat-1-c", Role.USER, "I work for Acme.", after(80)),
                ChatMessage("chat-1-d", Role.ASSISTANT, "What do you do there?", after(90)),
            ),
        )
    ]


def test_chatgpt_branch_that_is_shown_is_read():
    nodes = (
        chatgpt_message("q", "root", "user", "I live in Lyon."),
        chatgpt_message("old", "q", "assistant", "Where?", at=1),
        chatgpt_message("new", "q", "assistant", "In Lyon!", at=2),
        chatgpt_message("other", "root", "user", "I live in Ulm.", at=3),
        chatgpt_message("answer", "other", "assistant", "Ulm!", at=4),
    )
    [chat] = read(written([chatgpt_chat("c", "t", *nodes, current="new")]))
    assert said(chat) == [("user", "I live in Lyon."), ("assistant", "In Lyon!")]
    assert chat.left_out == {LeftOut.BRANCHES: 3}
    untold = chatgpt_chat("c", "t", *nodes) | {"current_node": None}
    assert said(read(written([untold]))[0]) == [("user", "I live in Ulm."), ("assistant", "Ulm!")]


def test_chatgpt_leaves_out_tools_instructions_and_images_by_name():
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    speech = {"content_type": "audio_transcription", "text": "And I sing."}
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    nodes = (
        chatgpt_message("s", "root", "system", "", at=0),
        chatgpt_message("i", "s", "user", "Call me Bob.", **hidden),
        chatgpt_message("q", "i", "user", image, "This is my cat.", kind="multimodal_text"),
        chatgpt_message("v", "q", "user", speech, kind="multimodal_text"),
        chatgpt_message("k", "v", "assistant", "print(1)", kind="code", recipient="python"),
        chatgpt_message("t", "k", "tool", "1", kind="execution_output"),
        chatgpt_message("h", "t", "assistant", kind="thoughts"),
        chatgpt_message("a", "h", "assistant", "It is a tabby.\ue200cite\ue202turn0\ue201", at=9),
        chatgpt_message("p", "a", "user", image, kind="multimodal_text"),
    )
    [chat] = read(written([chatgpt_chat("c", "t", *nodes)]))
    assert said(chat) == [("user", "This is my cat."), ("user", "And I sing."), ("assistant", "It is a tabby.")]
    assert chat.left_out == {LeftOut.FILES: 2, LeftOut.TOOLS: 2, LeftOut.INSTRUCTIONS: 2}


def test_claude_chat_is_read_block_by_block():
    tools = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": []},
        {"type": "text", "text": "Rex is four."},
    ]
    chat = claude_chat(
        "c",
        "A dog",
        claude_message("a", "human", "I have a dog.", minute=1, attachments=[{"file_name": "x.txt"}]),
        claude_message("b", "assistant", minute=2, content=tools),
        claude_message("e", "human", minute=3),
        claude_message("f", "assistant", minute=4, content=[], text="From an older export."),
    )
    [got] = read(written([chat]))
    assert (got.key, got.title, got.started_at) == ("c", "A dog", NOON)
    assert said(got) == [
        ("user", "I have a dog."),
        ("assistant", "Let me look.\n\nRex is four."),
        ("assistant", "From an older export."),
    ]
    assert got.messages[0].said_at == datetime(2024, 5, 1, 12, 1, 0, 123456, tzinfo=UTC)
    assert got.left_out == {LeftOut.FILES: 1, LeftOut.INSTRUCTIONS: 1, LeftOut.TOOLS: 2, LeftOut.WORDLESS: 1}


def test_claude_branch_that_ends_last_is_read():
    answers = {"a": "00000000-0000-4000-8000-000000000000", "b": "a", "c": "a", "d": "c"}
    told = [
        claude_message(key, "human" if key == "a" else "assistant", f"words {key}", parent_message_uuid=parent)
        for key, parent in answers.items()
    ]
    [chat] = read(written([claude_chat("x", "t", *told)]))
    assert [one.key for one in chat.messages] == ["a", "c", "d"]
    assert chat.left_out == {LeftOut.BRANCHES: 1}


@pytest.mark.parametrize("wrap", [lambda told: told, lambda told: {"results": told}, lambda told: {"memories": told}])
def test_mem0_memories_are_parts_of_one_chat_a_person(wrap):
    told = [mem0_memory("1", "Ana lives in Lyon"), mem0_memory("2", "Bob likes tea", "bob"), mem0_memory("3", " ")]
    chats = read(written(wrap(told)), "mem0.json")
    assert [(chat.key, chat.title, said(chat)) for chat in chats] == [
        ("ana", "Memories from Mem0, ana", [("user", "Ana lives in Lyon")]),
        ("bob", "Memories from Mem0, bob", [("user", "Bob likes tea")]),
        ("ana", "Memories from Mem0, ana", []),
    ]
    assert chats[0].messages[0].said_at == NOON
    assert chats[2].left_out == {LeftOut.WORDLESS: 1}


def test_archives_are_read_without_unpacking():
    assert read(zipped([claude_chat()]), "data.zip") == read(written([claude_chat()]))
    held = zipped(
        [chatgpt_chat("two")], "conversations-001.json", **{"conversations-000": json.dumps([chatgpt_chat("one")])}
    )
    export = ChatExport(held, name="data.zip")
    assert [chat.key for chat in export.chats()] == ["one", "two"]
    assert (export.form, export.share) == ("chatgpt", 1.0)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "holds no chats"),
        (b"hello", "holds no chats"),
        (b"[]", "holds no chats"),
        (b'[{"title": "no tree"}]', "is not an export that can be read"),
        (b"[[1]]", "is not an export that can be read"),
        (b'{"facts": [{"memory": "x"}]}', "holds no chats"),
        (b'[{"mapping": {}}', "ends in the middle"),
        (b'[{"mapping" {}}]', "is not JSON"),
        (b'[{"mapping": {}}]]', "is not JSON"),
        (b"\xff\xfe[{]", "is not text in UTF-8"),
        (b'[{"mapping": {}, "title": "\xc3', "is not text in UTF-8"),
        (b"PK\x03\x04 but no archive", "cannot be unpacked"),
        (zipped({}, "notes.json").getvalue(), "There is no conversations.json in export"),
    ],
)
def test_file_of_another_form_is_refused_by_a_sentence(content, why):
    with pytest.raises(ImportRefused, match=why) as refusal:
        read(io.BytesIO(content), "export")
    assert str(refusal.value).endswith(".")


def test_refusal_names_what_was_expected():
    with pytest.raises(
        ImportRefused, match=r"ChatGPT's export .*`mapping`.*Claude's.*`chat_messages`.*Mem0's.*`memory`"
    ):
        read(written([{"title": "no tree"}]))


def test_damaged_archive_is_refused():
    whole = bytearray(zipped([chatgpt_chat(f"chat-{number}") for number in range(50)]).getvalue())
    middle = len(whole) // 2
    whole[middle : middle + 8] = b"\x00" * 8
    with pytest.raises(ImportRefused):
        read(io.BytesIO(bytes(whole)))


def test_broken_chats_are_counted_and_the_others_are_read():
    broken = [{"mapping": 3}, {"mapping": {"a": 1}, "current_node": "a"}, {}, [1], "x", {"mapping": {"a": None}}]
    chats = read(written([chatgpt_chat("good"), *broken, chatgpt_chat("last")]))
    assert [chat.key for chat in chats if chat.messages] == ["good", "last"]
    assert sum((Counter(chat.left_out) for chat in chats), Counter()) == {LeftOut.UNREADABLE: 5}


def test_circle_of_messages_ends():
    nodes = (chatgpt_message("a", "root", "user", "One."), chatgpt_message("b", "a", "assistant", "Two."))
    chat = chatgpt_chat("c", "t", *nodes)
    chat["mapping"]["a"]["parent"] = "b"
    assert said(read(written([chat]))[0]) == [("user", "One."), ("assistant", "Two.")]


def test_entries_are_cut_out_wherever_a_piece_ends(monkeypatch):
    content = [{"a": 'x "quoted" \\ {[', "b": [[], {}, {"c": "\u00e9\U0001f600"}]}, {"title": "]"}, {"n": 1.5}]
    document = json.dumps(content, ensure_ascii=False).encode()
    for size in range(1, 12):
        monkeypatch.setattr(elements, "READ_AT_ONCE", size)
        assert list(entries_of(io.BytesIO(document), lists=())) == content
        held = json.dumps({"memories": [{"no": 1}], "x": {"results": [{"no": 2}]}, "results": content}).encode()
        assert list(entries_of(io.BytesIO(held), lists={"results"})) == content


@given(
    st.lists(st.dictionaries(st.text(), st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=8))),
    st.integers(1, 40),
)
@settings(max_examples=examples(300), deadline=None)
def test_entries_are_those_that_a_parser_of_the_whole_finds(content, size):
    class Slow(io.BytesIO):
        def read(self, _: int = -1) -> bytes:
            return super().read(size)

    assert list(entries_of(Slow(json.dumps(content).encode()), lists=())) == content


def test_entry_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(elements, "ENTRY_LIMIT", 1_000)
    monkeypatch.setattr(elements, "READ_AT_ONCE", 100)
    with pytest.raises(ImportRefused, match="It is no chat"):
        list(entries_of(io.BytesIO(b'[{"a": "' + b"x" * 5_000 + b'"}]'), lists=()))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"x": "' + b"x" * 5_000, "too long to stand outside of a chat"),
        (b'{"x": ' + b"[" * 5_000, "nested too deep"),
        (b'[{"a": [' + b"[]," * 500 + b"[]]}]", "or in more than"),
    ],
)
def test_what_would_take_much_memory_is_refused(monkeypatch, content, said):
    monkeypatch.setattr(elements, "OUTSIDE_LIMIT", 1_000)
    monkeypatch.setattr(elements, "MARKS_LIMIT", 100)
    monkeypatch.setattr(elements, "READ_AT_ONCE", 100)
    with pytest.raises(ImportRefused, match=said):
        list(entries_of(io.BytesIO(content), lists=()))


def test_what_is_escaped_in_a_text_is_no_piece(monkeypatch):
    monkeypatch.setattr(elements, "MARKS_LIMIT", 100)
    monkeypatch.setattr(elements, "READ_AT_ONCE", 100)
    entry = {"a": "й\n" * 500}
    assert list(entries_of(io.BytesIO(json.dumps([entry]).encode()), lists=())) == [entry]


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_that_is_packed_as_no_export_is_refused(way):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", way) as archive:
        archive.writestr("conversations.json", written([chatgpt_chat()]).getvalue())
    with pytest.raises(ImportRefused, match="packed in a way that no export is"):
        ChatExport(packed, name="data.zip")


def test_archive_whose_end_points_outside_of_it_is_refused():
    content = bytearray(zipped([chatgpt_chat()]).getvalue())
    place = content.rindex(b"PK\x05\x06") + 16
    content[place : place + 4] = (len(content) + 5_000).to_bytes(4, "little")
    with pytest.raises(ImportRefused):
        list(ChatExport(io.BytesIO(bytes(content)), name="data.zip").chats())


def test_mutated_exports_are_read_or_refused():
    chooser = random.Random(7)
    for make in (chatgpt_chat, claude_chat, lambda: mem0_memory("1", "Ana lives in Lyon")):
        document = written([make()]).getvalue()
        for _ in range(200):
            mutated = bytearray(document)
            for _ in range(chooser.randint(1, 6)):
                mutated[chooser.randrange(len(mutated))] = chooser.choice(b'{}[]",:0a\\\x00\xff')
            with suppress(ImportRefused):
                assert all(isinstance(chat, Chat) for chat in read(io.BytesIO(bytes(mutated))))


def test_moments_are_read_in_both_notations():
    assert moment_of("2024-05-01T12:00:00Z") == moment_of("2024-05-01T05:00:00-07:00") == moment_of(1714564800) == NOON
    assert [moment_of(bad) for bad in (None, True, "soon", 1e20, float("nan"), "0001-01-01", -1, {})] == [None] * 8


def test_keys_are_ids_or_digests():
    assert key_text("a-1") == "a-1"
    assert len(key_text("x" * 500)) == len(key_text(None, "some words")) == 40
    assert key_text("x" * 500) != key_text("y" * 500)
