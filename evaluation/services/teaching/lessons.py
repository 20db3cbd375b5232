"""What all lessons share: what they are asked for with, which dialogues are asked about, and the form of a chat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.teachable import TeachableDialogue, read_teachable
from evaluation.core.errors import EvaluationError, MalformedBenchmark
from memory.adapters.learning.triple_selector import is_kept_back
from memory.core.errors import LanguageModelError, UnparsableReply
from memory.core.types import Message

CHAT, SELECTOR = "chat", "selector"
AT_ONCE = 16
# After so many dialogues in a row that nothing came of, the teacher is taken to be gone.
SILENT = 16
AnswerT = TypeVar("AnswerT")


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


def dialogues_of(request: TeachingRequest, lessons: Lessons) -> list[TeachableDialogue]:
    """Return the dialogues to ask about, each once.

    Chats leave out those that `evaluate selection` measures by; `train triple-selector` holds the same ones out itself.
    """
    found: dict[tuple[str, ...], TeachableDialogue] = {}
    for one in read_teachable(request.data):
        if isinstance(one, MalformedBenchmark):
            lessons.leave_out("cannot be read", str(one))
        elif request.form == CHAT and is_kept_back(one.dialogue):
            lessons.leave_out("kept back for evaluate selection")
        elif one.dialogue in found:
            lessons.leave_out("is there twice")
        else:
            found[one.dialogue] = one
    return list(found.values())[: request.limit]


def answered(
    dialogues: Sequence[TeachableDialogue],
    ask: Callable[[Sequence[TeachableDialogue]], list[AnswerT | LanguageModelError]],
    lessons: Lessons,
    *,
    is_quiet: bool,
) -> Iterator[tuple[TeachableDialogue, AnswerT]]:
    """Yield each dialogue with what came of asking about it; one that fails is left out.

    Raises `EvaluationError` where the teacher no longer answers.
    """
    silent = 0
    with progress_bar(len(dialogues), title="lessons", unit="dialogues", hidden=is_quiet) as bar:
        for start in range(0, len(dialogues), AT_ONCE):
            some = dialogues[start : start + AT_ONCE]
            for one, answer in zip(some, ask(some), strict=True):
                if not isinstance(answer, LanguageModelError):
                    silent = 0
                    yield one, answer
                elif isinstance(answer, UnparsableReply):
                    silent = 0
                    lessons.leave_out("the reply has not the asked form", str(answer))
                else:
                    silent += 1
                    lessons.leave_out("the teacher did not answer", str(answer))
                if silent == SILENT:
                    raise EvaluationError(
                        f"The teacher did not answer {SILENT} times in a row: {answer} "
                        "The same command goes on with what it has not answered yet."
                    )
            bar.update(len(some))


def chat(messages: Sequence[Message]) -> dict[str, object]:
    """Return a line of a file that causal language models are fine-tuned with."""
    return {"messages": [{"role": str(one.role), "content": one.content} for one in messages]}
