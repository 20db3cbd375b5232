"""Labelled examples: files of one JSON object a line, public sets, digests that identify them and choose what is held out."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from memory.core.errors import TrainingRefused

T = TypeVar("T")


def label_files(folder: Path) -> list[Path]:
    """Return the label files of a folder, in order. Raises `TrainingRefused` where there are none."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise TrainingRefused(f"There are no labelled examples (*.jsonl) in {folder}.")
    return files


def labelled(folder: Path, read: Callable[[dict[str, Any]], T], *, what: str) -> list[T]:
    """Return what `read` makes of the lines of a folder's files, in order. Raises `TrainingRefused` as `labelled_rows`."""
    return [one for path in label_files(folder) for one in labelled_rows(path, read, what=what)]


def published(folder: Path, sets: Mapping[str, Callable[[Path], Iterable[T]]]) -> list[T]:
    """Return what is read of public sets, by their places in a folder. Raises `TrainingRefused` for one of another form."""
    found: list[T] = []
    for place, read in sets.items():
        try:
            found += read(folder / place)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, csv.Error) as error:
            raise TrainingRefused(f"{folder / place} is not the set as it was published: {error}.") from error
    return found


def labelled_rows(path: Path, read: Callable[[dict[str, Any]], T], *, what: str) -> Iterator[T]:
    """Yield what `read` makes of each line that is not empty.

    Raises `TrainingRefused` with the number of a line that is no JSON object, or that `read` cannot take: it raises what a
    missing or a wrong field raises by itself, or `ValueError` that says why.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise TrainingRefused(f"{path} cannot be read: {reason}.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield read(json.loads(line))
        except KeyError as error:
            raise TrainingRefused(f"{path}, line {number} is no {what}: it has no {error}.") from error
        except (ValueError, TypeError, AttributeError, IndexError) as error:
            raise TrainingRefused(f"{path}, line {number} is no {what}: {error}.") from error


def digest_of(parts: Iterable[str]) -> str:
    """Return the SHA-256 of texts, one behind the other."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
    return digest.hexdigest()


def is_drawn(text: str, *, one_in: int) -> bool:
    """Return whether a text is among the one in so many that its digest draws: always so, whatever is beside it."""
    return int(digest_of([text])[:8], 16) % one_in == 0
