"""The file of played tasks, one JSON a line: what stands whole in it was played, whatever became of the process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from evaluation.core.errors import EvaluationError, MalformedBenchmark
from evaluation.core.tasks.types import PlayedTask

PLAYED = TypeAdapter(PlayedTask)


class PlayedFile:
    """Played tasks by their keys. Of several lines with one key the last counts."""

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one, and cut off a last line that was not written to its end.

        Raises `MalformedBenchmark` with the number of another line that is no played task, and `EvaluationError`.
        """
        self._path = path
        try:
            content = path.read_bytes() if path.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            self._played = {one.key: one for one in played_lines(whole.splitlines(), path.name)}
            if len(whole) < len(content):
                os.truncate(path, len(whole))
        except OSError as error:
            raise self._unusable(error) from error

    def find(self, key: str) -> PlayedTask | None:
        return self._played.get(key)

    def add(self, played: PlayedTask) -> None:
        """Write a line, and wait until the disk has it."""
        line = PLAYED.dump_json(played)
        try:
            with self._path.open("ab") as file:
                file.write(line + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._unusable(error) from error
        self._played[played.key] = played

    def _unusable(self, error: OSError) -> EvaluationError:
        return EvaluationError(f"{self._path} cannot be used: {error.strerror}. Give --items another path.")


def played_lines(lines: Sequence[bytes], name: str) -> list[PlayedTask]:
    played = []
    for number, line in enumerate(lines, start=1):
        try:
            played.append(PLAYED.validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise MalformedBenchmark(f"{name}, line {number}, field {where}: {first['msg']}") from error
    return played
