"""The exports that can be read, by the program that writes them. A new one is a module beside these and a line here."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, BinaryIO

from conversations.core.chat_exports import chatgpt, claude, mem0
from conversations.core.chat_exports.elements import entries_of
from conversations.core.chat_exports.types import Chat, ExportForm, LeftOut
from conversations.core.errors import ImportRefused

FORMS: dict[str, ExportForm] = {"chatgpt": chatgpt, "claude": claude, "mem0": mem0}
LISTS = frozenset({"conversations", "results", "memories"})
EXPECTED = (
    "Expected is ChatGPT's export (conversations.json: a list of chats with `mapping`), Claude's (a list of chats with "
    "`chat_messages`) or Mem0's memories (a list of objects with `memory`), by itself or in the .zip that was "
    "downloaded."
)
# Large exports come in several numbered files.
MEMBER = re.compile(r"(^|/)(conversations([-_]\d+)?|memories)\.json$", re.IGNORECASE)
# What an archive of some megabytes may become; no export of anybody is larger.
UNPACKED_LIMIT = 16 * 1024**3
PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# What unpacking raises for an archive that is broken, or packed in a way that is not known.
BROKEN = (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, EOFError)


class ChatExport:
    """An export that is being read: by which program it was written, how large it is and how much of it was read.

    `form` is "" until the first entry was read.
    """

    def __init__(self, stream: BinaryIO, *, name: str) -> None:
        """`stream` can be moved in. Raises `ImportRefused` for an archive without an export in it."""
        self._stream = stream
        self._archive = None
        self.name = PurePath(name).name or "the file"
        self.form = ""
        self.bytes_read = 0
        stream.seek(0)
        if stream.read(4) == b"PK\x03\x04":
            self._archive = self._opened_archive()
            self.size = sum(member.file_size for member in self._members())
        else:
            self.size = stream.seek(0, 2)

    @property
    def share(self) -> float:
        return min(self.bytes_read / self.size, 1.0) if self.size else 1.0

    def chats(self) -> Iterator[Chat]:
        """Yield the chats from the beginning. What of an entry cannot be read is a chat without messages, which says so.

        Raises `ImportRefused` for a file of an unknown form, and where it breaks off.
        """
        self.form, self.bytes_read = "", 0
        try:
            for opened in self._parts():
                with opened as part:
                    for entry in entries_of(_Counted(part, self), lists=LISTS):
                        yield self._chat_of(entry)
        except BROKEN as error:
            raise self._broken(error) from error
        if not self.form:
            raise ImportRefused(f"{self.name} holds no chats that can be read. {EXPECTED}")

    def _chat_of(self, entry: Any) -> Chat:
        if not self.form:
            told = [name for name, form in FORMS.items() if isinstance(entry, dict) and form.is_entry(entry)]
            if not told:
                raise ImportRefused(f"{self.name} is not an export that can be read. {EXPECTED}")
            self.form = told[0]
        try:
            return FORMS[self.form].read(entry)
        except (KeyError, TypeError, ValueError, AttributeError):
            return Chat("", "", None, (), Counter({LeftOut.UNREADABLE: 1}))

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
            archive = zipfile.ZipFile(self._stream)
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
        if sum(member.file_size for member in members) > UNPACKED_LIMIT:
            raise ImportRefused(f"{self.name} becomes larger than {UNPACKED_LIMIT // 1024**3} GB: it is no export.")
        return archive

    def _members(self) -> list[zipfile.ZipInfo]:
        infos = self._archive.infolist() if self._archive is not None else []
        return sorted((info for info in infos if MEMBER.search(info.filename)), key=lambda info: info.filename)


class _Counted:
    """A stream that counts what is read of it."""

    def __init__(self, stream: BinaryIO, export: ChatExport) -> None:
        self._stream = stream
        self._export = export

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(size)
        self._export.bytes_read += len(piece)
        if self._export.bytes_read > UNPACKED_LIMIT:
            raise ImportRefused(
                f"{self._export.name} becomes larger than {UNPACKED_LIMIT // 1024**3} GB: it is no export."
            )
        return piece


@contextmanager
def _left_open(stream: BinaryIO) -> Iterator[BinaryIO]:
    yield stream
