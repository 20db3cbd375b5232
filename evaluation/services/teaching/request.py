"""What lessons are asked for with, and what becomes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CHAT, SELECTOR = "chat", "selector"


@dataclass(frozen=True)
class TeachingRequest:
    """The dialogues, the knowledge base that has triples for them, the teacher, and the file and form of the lessons."""

    data: Path
    out: Path
    engine: str
    triples: Path | None = None
    form: str = CHAT
    limit: int | None = None
    is_quiet: bool = False


@dataclass
class Lessons:
    """The lines to write, and what was left out, counted by reason and with the first case of each."""

    lines: list[dict[str, object]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    cases: dict[str, str] = field(default_factory=dict)

    def leave_out(self, reason: str, case: str = "") -> None:
        self.left_out[reason] += 1
        self.cases.setdefault(reason, case)

    def told(self) -> Iterator[str]:
        """Yield a line for each reason, the most frequent first."""
        for reason, count in self.left_out.most_common():
            case = self.cases[reason]
            yield f"{count:,} left out: {reason}{f' ({case})' if case else ''}"
