"""The words of labelled messages that only name their source: public words that stay with their publisher.

A label file names such a message as "mtbench101/TASK/ID/TURN", the user's turn (from 0) of a dialogue of MT-Bench-101.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.adapters.learning.label_files import labelled_rows
from memory.core.errors import TrainingRefused

MTBENCH101 = "mtbench101"
# Of the reply before, as much as the annotators saw.
REPLY_CHARACTERS = 300


@dataclass(frozen=True)
class SourceWords:
    """What the other one said just before, and the message."""

    before: str
    text: str


def source_words(folder: Path) -> dict[str, SourceWords]:
    """Return the messages of the sets in a folder by their names. Raises `TrainingRefused` where the set is not there."""
    files = sorted((folder / MTBENCH101).glob("*.jsonl"))
    if not files:
        raise TrainingRefused(f"{folder} holds no {MTBENCH101}/*.jsonl. Give --sources the folder of the public sets.")
    return {
        name: words
        for path in files
        for dialogue in labelled_rows(path, _turns, what=f"dialogue of {MTBENCH101}")
        for name, words in dialogue
    }


def _turns(row: dict[str, Any]) -> list[tuple[str, SourceWords]]:
    replies = ["", *(exchange["bot"][:REPLY_CHARACTERS] for exchange in row["history"])]
    return [
        (f"{MTBENCH101}/{row['task']}/{row['id']}/{number}", SourceWords(reply, exchange["user"]))
        for number, (exchange, reply) in enumerate(zip(row["history"], replies, strict=False))
    ]
