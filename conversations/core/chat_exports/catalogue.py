"""The exports that can be read, by the program that writes them. A new one is a module beside these and a line here."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import PurePath
from typing import Any, BinaryIO

from conversations.core.chat_exports import chatgpt, claude, librechat, mem0, openwebui
from conversations.core.chat_exports.elements import entries_of
from conversations.core.chat_exports.types import Chat, ExportForm, LeftOut, unknown
from conversations.core.errors import ImportRefused

FORMS: dict[str, ExportForm] = {
    "chatgpt": chatgpt, "claude": claude, "openwebui": openwebui, "librechat": librechat, "mem0": mem0
}  # fmt: skip
LISTS = frozenset({"conversations", "results", "memories", "items"})
EXPECTED = (
    "Expected is ChatGPT's export (conversations.json: a list of chats with `mapping`), Claude's (a list of chats with "
    "`chat_messages`), Open WebUI's (a list of chats with `chat`), LibreChat's (a conversation with `conversationId` and "
    "`messages`) or Mem0's memories (a list of objects with `memory` or `content`), by itself or in the .zip that was "
    "downloaded."
)
KINDS = {type(None): "null", str: "a text", list: "a list", bool: "true or false"}
# Large exports come in several numbered files.
MEMBER = re.compile(r"(^|/)(conversations([-_]\d+)?|memories)\.json$", re.IGNORECASE)
# No export of anybody is larger, unpacked. Text is packed to a tenth, blanks to a thousandth.
UNPACKED_LIMIT = 16 * 1024**3
RATIO_LIMIT, UNPACKED_FREELY = 100, 16 * 1024**2
ENTRIES_LIMIT = 300_000
# The list of an archive's files, which is read as one piece.
DIRECTORY_LIMIT = 8 * 1024**2
# So much of a file is looked through for something that can be read before it is taken.
LOOKED_AT = 4 * 1024**2
PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# What unpacking raises for an archive that is broken, or packed in a way that is not known.
BROKEN = (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, EOFError)


class DirectoryTooLong(Exception):
    """Raised where more of a file is to be read at once than the list of an archive's files may have."""


class BoundedReads:
    """A file of which no more than `DIRECTORY_LIMIT` bytes are read at once, whatever an archive tells of itself."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def read(self, size: int = -1) -> bytes:
        if size > DIRECTORY_LIMIT:
            raise DirectoryTooLong
        return self._stream.read(size)


class ChatExport:
    """An export that is being read: how large it is, and how much of it was read."""

    def __init__(self, stream: BinaryIO, *, name: str, on_read: Callable[[float], None] = lambda share: None) -> None:
        """`stream` can be moved in. `on_read` is told the share after each piece; what it raises ends the reading.

        Raises `ImportRefused` for an archive without an export in it, and for one that would become too large.
        """
        self._stream = stream
        self._archive: zipfile.ZipFile | None = None
        self._on_read = on_read
        self._is_glance = False
        self.name = PurePath(name).name or "the file"
        self.bytes_read = self.entries = 0
        packed = self.size = stream.seek(0, 2)
        stream.seek(0)
        if stream.read(4) == b"PK\x03\x04":
            self._archive = self._opened_archive()
            self.size = sum(member.file_size for member in self._members())
        if self.size > UNPACKED_LIMIT:
            raise ImportRefused(
                f"{self.name} is larger than {UNPACKED_LIMIT // 1024**3} GB, unpacked: it is no export."
            )
        if self.size > max(UNPACKED_FREELY, RATIO_LIMIT * packed):
            raise ImportRefused(
                f"{self.name} becomes more than {RATIO_LIMIT} times as large unpacked: it is no export."
            )

    @property
    def share(self) -> float:
        return min(self.bytes_read / self.size, 1.0) if self.size else 1.0

    def chats(self) -> Iterator[Chat]:
        """Yield the chats from the beginning, each told by itself. An entry that cannot be read is a chat without messages.

        Raises `ImportRefused` for a file of nothing that can be read, for one of too many entries, and where it breaks off.
        """
        self.bytes_read, self.entries, is_export = 0, 0, False
        try:
            for opened in self._parts():
                with opened as part:
                    for entry in entries_of(_Counted(part, self), lists=LISTS):
                        self.entries += 1
                        if self.entries > ENTRIES_LIMIT:
                            raise ImportRefused(
                                f"{self.name} has more than {ENTRIES_LIMIT:,} entries. Bring it in in several files."
                            )
                        chat = chat_of(entry)
                        is_export = is_export or bool(chat.form)
                        yield chat
        except BROKEN as error:
            raise self._broken(error) from error
        if not is_export:
            holds = "is not an export that can be read" if self.entries else "holds no chats that can be read"
            raise ImportRefused(f"{self.name} {holds}. {EXPECTED}")

    def check(self) -> None:
        """Look for a chat in the beginning of the export. Raises `ImportRefused` where that is all of it, and holds none."""
        self._is_glance = True
        with suppress(_SeenEnough):
            any(chat.form for chat in self.chats())
        self._is_glance = False

    def note_read(self, size: int) -> None:
        self.bytes_read += size
        if self._is_glance and self.bytes_read > LOOKED_AT:
            raise _SeenEnough
        self._on_read(self.share)

    def _parts(self) -> Iterator[Any]:
        if self._archive is None:
            self._stream.seek(0)
            yield _left_open(self._stream)
            return
        for member in self._members():
            try:
                opened = self._archive.open(member)
            except ValueError as error:
                raise self._broken(error) from error
            yield opened

    def _broken(self, error: Exception) -> ImportRefused:
        return ImportRefused(f"{self.name} cannot be unpacked ({error}). Download the export again.")

    def _opened_archive(self) -> zipfile.ZipFile:
        try:
            archive = zipfile.ZipFile(BoundedReads(self._stream))
        except DirectoryTooLong:
            raise ImportRefused(
                f"{self.name} holds more files than an export does. Choose the .zip that was downloaded."
            ) from None
        except (*BROKEN, ValueError) as error:
            raise self._broken(error) from error
        self._archive = archive
        members = self._members()
        if not members:
            raise ImportRefused(f"There is no conversations.json in {self.name}. {EXPECTED}")
        if any(member.compress_type not in PACKED for member in members):
            raise ImportRefused(
                f"{self.name} is packed in a way that no export is. Choose the .zip that was downloaded."
            )
        return archive

    def _members(self) -> list[zipfile.ZipInfo]:
        infos = self._archive.infolist() if self._archive is not None else []
        return sorted((info for info in infos if MEMBER.search(info.filename)), key=lambda info: info.filename)


class _SeenEnough(Exception):
    """Ends a look at the beginning of an export."""


class _Counted:
    """A stream that tells its export how much is read of it."""

    def __init__(self, stream: BinaryIO, export: ChatExport) -> None:
        self._stream = stream
        self._export = export

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(size)
        self._export.note_read(len(piece))
        return piece


def chat_of(entry: Any) -> Chat:
    """Return the chat of an entry of any form; one without messages, which says why, where it cannot be read."""
    for name, form in FORMS.items():
        if isinstance(entry, dict) and form.is_entry(entry):
            try:
                return replace(form.read(entry), form=name)
            except (KeyError, TypeError, ValueError, AttributeError):
                return Chat("", "", None, (), Counter({LeftOut.UNREADABLE: 1}))
    kind = "an object without messages" if isinstance(entry, dict) else KINDS.get(type(entry), "a number")
    return Chat("", "", None, (), Counter({unknown("entries", kind): 1}))


@contextmanager
def _left_open(stream: BinaryIO) -> Iterator[BinaryIO]:
    yield stream
