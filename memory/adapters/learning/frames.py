"""Questions with places to fill in, and the labelled messages from which they are filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory.adapters.learning.label_files import labelled

SPEAKER = "me"


@dataclass(frozen=True)
class Frame:
    """A question with places for whom it is about and, where it asks yes or no, for a value."""

    predicate: str
    is_of_speaker: bool
    is_yes_no: bool
    want: str
    time: str
    text: str

    def asked(self, subject: str, value: str) -> str:
        return self.text.replace("{X}", subject).replace("{V}", value)


@dataclass(frozen=True)
class Message:
    """A message with what was said before it, and its facts: subject, predicate, value, flags."""

    text: str
    before: str
    facts: tuple[tuple[str, str, str, str], ...]


def read_frames(folder: Path) -> list[Frame]:
    """Return the frames of a folder's files. Raises `TrainingRefused` that names a bad line."""
    return labelled(
        folder,
        lambda row: Frame(
            row["predicate"], row["subject"] == SPEAKER, row["form"] == "yes-no", row["want"], row["time"], row["q"]
        ),
        what="frame of a question",
    )


def read_idle(folder: Path) -> list[str]:
    """Return the labelled messages of a folder that state nothing."""
    rows = labelled(folder, lambda row: row, what="labelled message")
    return [row["s"] for row in rows if row.get("s") and not row["f"]]


def read_told(folder: Path) -> list[Message]:
    """Return the labelled messages of a folder that come with their words and have facts."""
    rows = labelled(folder, lambda row: row, what="labelled message")
    return [
        Message(row["s"], row.get("p", ""), tuple(tuple(fact) for fact in row["f"]))
        for row in rows
        if row.get("s") and row["f"]
    ]
