"""What a judge is shown, what it says, and the port of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

NO_ANSWER = "the benchmark gives no answer to compare with"
NO_CRITERIA = "the benchmark gives no criteria for this reply"


@dataclass(frozen=True)
class ReplyToJudge:
    """A reply to a question, and what it is held against.

    `expected` are accepted answers: empty where the right reply says that it is not known, None where there is nothing to
    compare with. `criteria` are sentences that the reply is to meet, of benchmarks that have such. `dialogue` is what was
    said before, oldest first, as (speaker, words).
    """

    question: str
    expected: tuple[str, ...] | None
    reply: str
    category: str = ""
    benchmark: str = ""
    dialogue: tuple[tuple[str, str], ...] = ()
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """A judge's figure of a reply and its reason. Without a value the reply is unscored, and `why` says why."""

    value: float | None
    reason: str = ""
    why: str = ""


# The figure of judges that say whether, or how far, a reply is right.
JUDGED = "judged"


class ReplyJudge(Protocol):
    """Judges replies. `name` is its kind and engine, `metric` the figure that it gives.

    `digest` is a hash of what it judges by: prompt and form of the reply, or the rule.
    """

    @property
    def name(self) -> str: ...

    @property
    def metric(self) -> str: ...

    @property
    def digest(self) -> str: ...

    def judge_many(self, replies: Sequence[ReplyToJudge]) -> list[Judgement]:
        """Return one judgement a reply, in order. What cannot be judged, or is judged unreadably, has no value.

        Raises `ModelUnreachable` where the model behind the judge does not answer: a later try may succeed.
        """
