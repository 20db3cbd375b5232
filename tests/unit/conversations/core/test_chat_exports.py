"""Exports of other programs are read a chat at a time: the branch that is shown, and what is left out and why."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.core.chat_exports import catalogue, chatgpt, elements
from conversations.core.chat_exports.catalogue import ChatExport
from conversations.core.chat_exports.elements import entries_of
from conversations.core.chat_exports.types import Chat, ChatMessage, LeftOut, key_text, moment_of, unknown
from conversations.core.errors import ImportRefused
from memory.core.types import Role
from tests.chat_exports import (
    NOON,
    chatgpt_chat,
    chatgpt_message,
    claude_chat,
    claude_message,
    librechat_chat,
    librechat_message,
    mem0_memory,
    openmemory_memory,
    openwebui_chat,
    openwebui_message,
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
            form="chatgpt",
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
    assert export.share == 1.0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "holds no chats"),
        (b"hello", "holds no chats"),
        (b"[]", "holds no chats"),
        (b'[{"title": "no tree"}]', "is not an export that can be read"),
        (b"[[1]]", "is not an export that can be read"),
        (b'{"facts": [{"memory": "x"}]}', "is not an export that can be read"),
        (b'[{"mapping": 3}, null, "x"]', "is not an export that can be read"),
        (b"[hello]", "is not JSON"),
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
        ImportRefused,
        match=r"ChatGPT's export .*`mapping`.*Claude's.*`chat_messages`.*Open WebUI's.*LibreChat's.*Mem0's.*`memory`",
    ):
        read(written([{"title": "no tree"}]))


def test_damaged_archive_is_refused():
    whole = bytearray(zipped([chatgpt_chat(f"chat-{number}") for number in range(50)]).getvalue())
    middle = len(whole) // 2
    whole[middle : middle + 8] = b"\x00" * 8
    with pytest.raises(ImportRefused):
        read(io.BytesIO(bytes(whole)))


def left_out(chats: list[Chat]) -> Counter[str]:
    return sum((Counter(chat.left_out) for chat in chats), Counter())


def test_broken_chats_are_counted_by_kind_and_the_others_are_read_wherever_they_stand():
    broken = [None, {"mapping": 3}, {}, [1], "x", 'y "z"', 7.5, True, {"mapping": {"a": None}}, {"chat_messages": 1}]
    good, last = chatgpt_chat("good"), chatgpt_chat("last")
    for content in ([*broken, good, last], [good, *broken]):
        chats = read(written(content))
        assert [chat.key for chat in chats if chat.messages] == ["good", "last"][
            : content.count(good) + content.count(last)
        ]
        assert left_out(chats) == {
            LeftOut.UNREADABLE: 3,
            unknown("entries", "null"): 1,
            unknown("entries", "an object without messages"): 1,
            unknown("entries", "a list"): 1,
            unknown("entries", "a text"): 2,
            unknown("entries", "a number"): 1,
            unknown("entries", "true or false"): 1,
        }


def test_entries_of_several_programs_are_each_read_as_what_they_are():
    told = [
        chatgpt_chat("one"),
        claude_chat("two"),
        openwebui_chat("three"),
        librechat_chat("four"),
        mem0_memory("5", "x"),
    ]
    assert [(chat.form, chat.key) for chat in read(written(told))] == [
        ("chatgpt", "one"), ("claude", "two"), ("openwebui", "three"), ("librechat", "four"), ("mem0", "ana"),
    ]  # fmt: skip


@pytest.mark.parametrize("make", [chatgpt_chat, claude_chat, openwebui_chat, librechat_chat])
def test_chat_by_itself_is_read(make):
    assert read(written(make())) == read(written([make()])) != []


def test_openwebui_branch_that_is_shown_is_read():
    [chat] = read(written([openwebui_chat()]))
    assert (chat.key, chat.title, chat.started_at) == ("owui-1", "A cat", NOON)
    assert chat.messages == (
        ChatMessage("owui-1-a", Role.USER, "I have a cat named Tom.", after(60)),
        ChatMessage("owui-1-c", Role.ASSISTANT, "How old is Tom?", after(80)),
    )
    assert chat.left_out == {LeftOut.BRANCHES: 1, LeftOut.INSTRUCTIONS: 1, LeftOut.FILES: 1}
    bare = openwebui_chat()["chat"] | {"id": "bare"}
    assert said(read(written([bare]))[0]) == said(chat)
    old = {"id": "old", "title": "t", "chat": {"messages": [{"role": "user", "content": "I live in Lyon."}]}}
    assert said(read(written([old]))[0]) == [("user", "I live in Lyon.")]


def test_openwebui_counts_what_is_no_word_of_anybody():
    told = [
        openwebui_message("s", None, "system", "Be short."),
        openwebui_message("q", "s", "user", "Is it raining?"),
        openwebui_message("e", "q", "assistant", "", error={"content": "No such model."}),
        openwebui_message("t", "e", "assistant", '<details type="tool_calls" done="true">x</details>'),
        openwebui_message("n", "t", "assistant", '<details type="canvas">x</details> Yes.'),
    ]
    [chat] = read(written([openwebui_chat("c", *told)]))
    assert said(chat) == [("user", "Is it raining?"), ("assistant", "Yes.")]
    assert chat.left_out == {
        LeftOut.INSTRUCTIONS: 1, LeftOut.ERRORS: 1, LeftOut.TOOLS: 1, unknown("parts of messages", "canvas"): 1
    }  # fmt: skip


def test_librechat_branch_that_was_written_last_is_read_in_a_row_and_as_a_tree():
    flat = librechat_chat()
    [chat] = read(written(flat))
    assert (chat.key, chat.title, chat.started_at) == ("libre-1", "A bird", after(60))
    assert chat.messages == (
        ChatMessage("libre-1-a", Role.USER, "I have a bird named Kiki.", after(60)),
        ChatMessage("libre-1-c", Role.ASSISTANT, "How old is Kiki?", after(180)),
    )
    assert chat.left_out == {LeftOut.BRANCHES: 1, LeftOut.INSTRUCTIONS: 1}
    first, *answers = flat["messages"]
    tree = {key: flat[key] for key in flat if key != "messages"} | {"recursive": True}
    assert read(written(tree | {"messagesTree": [first | {"children": answers}]})) == [chat]


def test_librechat_counts_what_is_no_word_of_anybody():
    told = [
        librechat_message("a", None, "Hello.", by_person=True, minute=1, files=[{"file_id": "x"}]),
        librechat_message("b", "a", "Something went wrong.", minute=2, error=True),
        librechat_message("c", "b", "", minute=3, content=[{"type": "tool_call"}, {"type": "hologram"}]),
        librechat_message("d", "c", "", minute=4, content=[{"type": "text", "text": {"value": "Hi!"}}]),
        librechat_message("e", "d", " ", minute=5),
    ]
    [chat] = read(written(librechat_chat("c", *told)))
    assert said(chat) == [("user", "Hello."), ("assistant", "Hi!")]
    assert chat.left_out == {
        LeftOut.FILES: 1, LeftOut.ERRORS: 1, LeftOut.TOOLS: 1, LeftOut.WORDLESS: 1,
        unknown("parts of messages", "hologram"): 1,
    }  # fmt: skip


def test_chats_that_chatgpt_was_not_to_remember_are_left_out_by_that_reason():
    chats = read(written([chatgpt_chat("a") | {"is_do_not_remember": True}, chatgpt_chat("b")]))
    assert [chat.key for chat in chats if chat.messages] == ["b"]
    assert left_out(chats) == {LeftOut.NOT_REMEMBERED: 1}
    assert read(written([chatgpt_chat("a") | {"is_do_not_remember": False}]))[0].messages


def test_chatgpt_content_of_an_unknown_kind_is_named():
    nodes = (
        chatgpt_message("q", "root", "user", "Draw."),
        chatgpt_message("h", "q", "assistant", kind="hologram"),
    )
    assert read(written([chatgpt_chat("c", "t", *nodes)]))[0].left_out == {unknown("messages", "hologram"): 1}


def test_claude_attachments_and_voice_are_words_and_unknown_blocks_are_named():
    spoken = [
        {"type": "voice_note", "title": "Rex", "text": "Rex is four."},
        {"type": "voice_note"},
        {"type": "hologram"},
    ]
    pasted = [{"file_name": "paste.txt", "extracted_content": "Rex likes bones."}, {"file_name": "x.bin"}]
    chat = claude_chat(
        "c",
        "A dog",
        claude_message("a", "human", "Read this.", minute=1, attachments=pasted),
        claude_message("b", "assistant", minute=2, content=spoken),
        claude_message("d", "human", minute=3, attachments=pasted[:1]),
        claude_message("e", "human", minute=4, content=[{"type": "text", "text": ""}]),
    )
    [got] = read(written([chat]))
    assert [(one.key, one.text) for one in got.messages] == [
        ("a:0", "Rex likes bones."), ("a", "Read this."), ("b", "Rex is four."), ("d:0", "Rex likes bones."),
    ]  # fmt: skip
    assert got.left_out == {
        LeftOut.FILES: 1,
        LeftOut.WORDLESS: 1,
        unknown("parts of messages", "voice_note"): 1,
        unknown("parts of messages", "hologram"): 1,
    }


def test_what_claude_noted_is_named_for_what_it_is():
    notes = [{"conversations_memory": "Ana has a dog.", "project_memories": {"p": "A book."}, "account_uuid": "x"}]
    chats = read(zipped([claude_chat()], memories=json.dumps(notes)))
    assert [(chat.form, len(chat.messages)) for chat in chats] == [("claude", 2), ("claude", 0)]
    assert left_out(chats) == {LeftOut.NOTES: 2}


@pytest.mark.parametrize("name", ["memories", "items"])
def test_memories_of_openmemory_are_read_but_for_those_that_are_gone(name):
    told = [openmemory_memory("1", "Ana lives in Lyon"), openmemory_memory("2", "Ana lives in Ulm", state="deleted")]
    chats = read(
        written({"user": {"user_id": "ana"}, "apps": [{"id": "x"}], name: told, "status_history": [{"id": "y"}]})
    )
    assert [(chat.key, said(chat)) for chat in chats] == [("ana-id", [("user", "Ana lives in Lyon")]), ("", [])]
    assert left_out(chats) == {LeftOut.GONE: 1}


def bomb(size: int, *, members: int = 1, name: str = "conversations-{}.json", content: bytes = b" ") -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(members):
            archive.writestr(name.format(number), content * size)
    packed.seek(0)
    return packed


class Watched(io.BytesIO):
    """A file that counts what is read of it."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        self.taken += len(piece)
        return piece


def test_archive_of_blanks_is_refused_before_it_is_unpacked():
    packed = bomb(8 * 1024**2, members=3).getvalue()
    file = Watched(packed)
    with pytest.raises(ImportRefused, match="becomes more than 100 times as large unpacked"):
        ChatExport(file, name="data.zip")
    assert file.taken < 4 + 66 * 1024 + 2_000, "only the list of its files is read"


def test_archive_that_overstates_its_packed_size_is_refused_all_the_same():
    packed = bytearray(bomb(24 * 1024**2).getvalue())
    place = packed.rindex(b"PK\x01\x02") + 20
    packed[place : place + 4] = (2**31).to_bytes(4, "little")
    with pytest.raises(ImportRefused, match="becomes more than 100 times as large unpacked"):
        ChatExport(io.BytesIO(bytes(packed)), name="data.zip")


def test_archive_of_very_many_files_is_refused_before_they_are_listed(monkeypatch):
    monkeypatch.setattr(catalogue, "DIRECTORY_LIMIT", 10_000)
    with pytest.raises(ImportRefused, match="holds more files than an export does"):
        ChatExport(bomb(1, members=300), name="data.zip")


def lying_end(packed: bytes) -> bytes:
    """Return an archive whose end tells that its list of files begins at its end."""
    at = packed.rindex(b"PK\x05\x06")
    return packed[: at + 4] + b"PK\x05\x06" + packed[at + 8 :]


def far_end(packed: bytes) -> bytes:
    """Return an archive whose end is empty and leads to another one of 64 bits, which is the true one."""
    at = packed.rindex(b"PK\x05\x06")
    entries, size, start = struct.unpack_from("<xxHLL", packed, at + 8)
    true = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    return packed[:at] + true + locator + b"PK\x05\x06" + bytes(18)


@pytest.mark.parametrize("lying", [lying_end, far_end])
def test_archive_that_lies_of_its_list_is_refused_all_the_same(monkeypatch, lying):
    packed = lying(bomb(1, members=300).getvalue())
    assert len(zipfile.ZipFile(io.BytesIO(packed)).infolist()) >= 300
    monkeypatch.setattr(catalogue, "DIRECTORY_LIMIT", 10_000)
    with pytest.raises(ImportRefused, match="holds more files than an export does"):
        ChatExport(io.BytesIO(packed), name="data.zip")


def test_what_is_opened_and_never_ended_is_looked_at_once():
    folded = openwebui_message("a", None, "assistant", "So. " + '<details type="reasoning">' * 100_000)
    [chat] = read(written([openwebui_chat("x", folded)]))
    assert chat.messages[0].text.startswith("So. <details") and len(chat.messages[0].text) > 2_000_000
    assert chatgpt.REFERENCE.sub("", "\ue200" * 1_000_000 + "cite\ue201.") == "\ue200" * 999_999 + "."


def test_entries_of_an_export_are_limited(monkeypatch):
    monkeypatch.setattr(catalogue, "ENTRIES_LIMIT", 20)
    export = ChatExport(written([chatgpt_chat(str(number)) for number in range(30)]), name="x.json")
    with pytest.raises(ImportRefused, match="has more than 20 entries"):
        list(export.chats())


def test_look_at_an_export_ends_after_its_beginning(monkeypatch):
    monkeypatch.setattr(catalogue, "LOOKED_AT", 3 * elements.READ_AT_ONCE)
    export = ChatExport(io.BytesIO(b" " * (20 * elements.READ_AT_ONCE)), name="x.json")
    export.check()
    assert export.bytes_read == 4 * elements.READ_AT_ONCE
    with pytest.raises(ImportRefused, match="holds no chats"):
        list(export.chats())
    with pytest.raises(ImportRefused, match="is not an export"):
        ChatExport(written([None, {"title": "x"}]), name="x.json").check()


def test_reading_ends_where_whoever_is_told_of_it_says_so():
    class Stopped(Exception):
        pass

    shares: list[float] = []

    def told(share: float) -> None:
        shares.append(share)
        if len(shares) == 3:
            raise Stopped

    blanks = io.BytesIO(b" " * (20 * elements.READ_AT_ONCE))
    with pytest.raises(Stopped):
        list(ChatExport(blanks, name="x.json", on_read=told).chats())
    assert shares == [0.05, 0.1, 0.15]


def test_circle_of_messages_ends():
    nodes = (chatgpt_message("a", "root", "user", "One."), chatgpt_message("b", "a", "assistant", "Two."))
    chat = chatgpt_chat("c", "t", *nodes)
    chat["mapping"]["a"]["parent"] = "b"
    assert said(read(written([chat]))[0]) == [("user", "One."), ("assistant", "Two.")]


def test_entries_are_cut_out_wherever_a_piece_ends(monkeypatch):
    content = [
        None,
        {"a": 'x "quoted" \\ {[', "b": [[], {}, {"c": "\u00e9\U0001f600"}]},
        {"title": "]"},
        -12.5,
        {"n": 1},
    ]
    document = json.dumps(content, ensure_ascii=False).encode()
    for size in range(1, 12):
        monkeypatch.setattr(elements, "READ_AT_ONCE", size)
        assert list(entries_of(io.BytesIO(document), lists=())) == content
        assert list(entries_of(io.BytesIO(b'{"x": ' + document + b"}"), lists=())) == [{"x": content}]
        held = json.dumps({"memories": [{"no": 1}], "x": {"results": [{"no": 2}]}, "results": content}).encode()
        assert list(entries_of(io.BytesIO(held), lists={"results"})) == content


@given(
    st.lists(
        st.dictionaries(st.text(), st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=8))
        | st.none()
        | st.floats(allow_nan=False)
        | st.text(st.characters(codec="ascii", exclude_characters='"\\\x7f', min_codepoint=32))
    ),
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
        (b'["' + b"x" * 5_000, "too long to stand outside of a chat"),
        (b"[" + b"1" * 5_000, "too long to stand outside of a chat"),
        (b'{"x": "' + b"x" * 50_000, "An entry of the file is longer"),
        (b"[" * 510, "nested too deep"),
        (b'[{"a": [' + b"[]," * 500 + b"[]]}]", "or in more than"),
    ],
)
def test_what_would_take_much_memory_is_refused(monkeypatch, content, said):
    monkeypatch.setattr(elements, "OUTSIDE_LIMIT", 1_000)
    monkeypatch.setattr(elements, "ENTRY_LIMIT", 20_000)
    monkeypatch.setattr(elements, "MARKS_LIMIT", 500)
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
    for make in (
        chatgpt_chat,
        claude_chat,
        openwebui_chat,
        librechat_chat,
        lambda: mem0_memory("1", "Ana lives in Lyon"),
    ):
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
