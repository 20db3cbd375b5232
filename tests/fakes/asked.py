"""A question reader that understands every question alike."""

from __future__ import annotations

from collections.abc import Sequence

from memory.core.types import AskedKind, AskedTime, Likely, ReadQuestion, TermPath

PLAIN = ReadQuestion(
    kind=Likely(AskedKind.MEMORY, 1.0),
    want=Likely("thing", 0.5),
    form=Likely("what", 0.5),
    time=Likely(AskedTime.NOW, 1.0),
    predicates=(),
    subject=Likely(TermPath(None), 1.0),
    value=Likely(None, 1.0),
)


class OneReading:
    """Implements `QuestionReader`."""

    name = "one reading"

    def __init__(self, read: ReadQuestion) -> None:
        self._read = read

    def read_many(self, questions: Sequence[str]) -> list[ReadQuestion]:
        return [self._read] * len(questions)
