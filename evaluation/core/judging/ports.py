"""The port of judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from evaluation.core.judging.types import Judgement, ReplyToJudge

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
