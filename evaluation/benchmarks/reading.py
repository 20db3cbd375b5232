"""Reads JSON files of others: every value knows its path in the file, so that an error can name it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

from evaluation.core.errors import EvaluationError, MalformedBenchmark
from evaluation.core.types import CaseSession
from memory.core.types import Role
from memory.core.types.calendar import in_the_calendar

SHOWN_VALUE_LENGTH = 60
LONGEST_CELL = 10_000_000


@dataclass(frozen=True)
class Field:
    """A value of a record and its path. Every method raises `MalformedBenchmark` where the value is of another type."""

    value: object
    record: int
    path: str = ""

    def fail(self, expected: str) -> NoReturn:
        shown = repr(self.value)
        if len(shown) > SHOWN_VALUE_LENGTH:
            shown = shown[: SHOWN_VALUE_LENGTH - 1] + "…"
        where = f"record {self.record}, field {self.path}" if self.path else f"record {self.record}"
        raise MalformedBenchmark(f"{where}: expected {expected}, got {shown}")

    def find(self, name: str) -> Field | None:
        """Return the field, or None where it is absent or null."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        if self.value.get(name) is None:
            return None
        return Field(self.value[name], self.record, f"{self.path}.{name}" if self.path else name)

    def need(self, name: str) -> Field:
        found = self.find(name)
        if found is None:
            where = f"{self.path}.{name}" if self.path else name
            raise MalformedBenchmark(f"record {self.record}, field {where}: missing")
        return found

    def names(self) -> list[str]:
        if not isinstance(self.value, dict):
            self.fail("an object")
        return list(self.value)

    def items(self) -> list[Field]:
        if not isinstance(self.value, list):
            self.fail("a list")
        return [Field(value, self.record, f"{self.path}[{index}]") for index, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.fail("a text")
        return storable(self.value)

    def name(self) -> str:
        """Return an id or a name: a non-empty text, or a whole number as text."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        text = self.text().strip()
        if not text:
            self.fail("a name")
        return text

    def answer(self) -> str:
        """Return a short answer as text; some files write numbers as JSON numbers."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        if not isinstance(self.value, str) or not self.value.strip():
            self.fail("an answer (a text or a number)")
        return storable(self.value).strip()

    def role(self) -> Role:
        if self.value not in (Role.USER.value, Role.ASSISTANT.value):
            self.fail("'user' or 'assistant'")
        return Role(str(self.value))

    def moment(self) -> datetime:
        """Return an ISO 8601 date and time; one without a zone is in UTC."""
        try:
            return in_utc(datetime.fromisoformat(self.text().strip()))
        except (ValueError, OverflowError):
            self.fail("a date and time such as 2024-03-02T18:20:00")

    def moment_like(self, pattern: re.Pattern[str], form: str, example: str) -> datetime:
        """Return the time that the pattern's groups, joined by spaces, spell in strptime's form; ISO 8601 is taken too."""
        match = pattern.fullmatch(self.text().strip())
        try:
            if match:
                return in_utc(datetime.strptime(" ".join(match.groups()), form).replace(tzinfo=UTC))
            return in_utc(datetime.fromisoformat(self.text().strip()))
        except (ValueError, OverflowError):
            self.fail(f"a date and time such as {example}")


def in_utc(moment: datetime) -> datetime:
    """Return the moment in UTC; raise `ValueError` or `OverflowError` where it cannot be kept."""
    return in_the_calendar(moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC))


def storable(text: str) -> str:
    """Return the text without what a database cannot hold: NUL characters and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def read_json(path: Path) -> object:
    """Return the content of a JSON file."""
    return parse(read_text(path), where=path.name)


def read_json_lines(path: Path) -> Iterator[Field]:
    """Yield the records of a file with one JSON object a line. Empty lines are skipped and not counted."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            record = 0
            for line in lines:
                if line.strip():
                    record += 1
                    yield Field(parse(line, where=f"record {record}"), record)
    except UnicodeDecodeError as error:
        raise MalformedBenchmark(f"{path.name}: not a text in UTF-8 ({error.reason})") from error
    except OSError as error:
        raise unreadable(path, error) from error


def read_text(path: Path, *, most: int = -1) -> str:
    """Return a file's text, or at most so many characters of its beginning."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return file.read(most)
    except UnicodeDecodeError as error:
        raise MalformedBenchmark(f"{path.name}: not a text in UTF-8 ({error.reason})") from error
    except OSError as error:
        raise unreadable(path, error) from error


def read_rows(path: Path) -> Iterator[dict[str | None, Any]]:
    """Yield the rows of a table by the names of its head, which its cells are divided as: by commas, semicolons or tabs."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            yield from csv.DictReader(file, delimiter=divider(head), strict=True)
    except UnicodeDecodeError as error:
        raise MalformedBenchmark(f"{path.name}: not a text in UTF-8 ({error.reason})") from error
    except OSError as error:
        raise unreadable(path, error) from error
    except csv.Error as error:
        raise MalformedBenchmark(f"{path.name} is no table: {error}") from error


def columns_of(head: str) -> list[str]:
    """Return the names of a table's columns by its first line."""
    return next(csv.reader([head.strip()], delimiter=divider(head)), [])


def divider(head: str) -> str:
    return max(",;\t", key=head.count)


def unreadable(path: Path, error: OSError) -> EvaluationError:
    return EvaluationError(f"{path} cannot be read: {error.strerror or error}. Give the path of a benchmark file.")


def parse(text: str, *, where: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise MalformedBenchmark(
            f"{where}: not JSON ({error.msg} at line {error.lineno}, column {error.colno})"
        ) from error
    except ValueError as error:
        raise MalformedBenchmark(f"{where}: a number has too many digits") from error
    except RecursionError as error:
        raise MalformedBenchmark(f"{where}: nested too deeply") from error


SPEAKERS = {Role.USER: "User", Role.ASSISTANT: "Assistant"}

# Files without a time for every turn: one follows the other after this pause, short enough that sessions a few minutes apart
# do not overlap.
TURN_PAUSE = timedelta(seconds=15)

QUESTION_DELAY = timedelta(minutes=1)

# The first moment of dialogues that have no date at all, so that a second replay of the file is the same.
UNDATED = datetime(2024, 1, 1, 12, 0, tzinfo=UTC)


def first_user_speaker(sessions: Sequence[CaseSession]) -> str:
    """Return the first speaker on the user's side, whose memory the dialogue becomes."""
    users = (turn.speaker for session in sessions for turn in session.turns if turn.role is Role.USER)
    return next(users, SPEAKERS[Role.USER])


def last_moment(sessions: Sequence[CaseSession]) -> datetime:
    return max((turn.said_at for session in sessions for turn in session.turns), default=UNDATED)
