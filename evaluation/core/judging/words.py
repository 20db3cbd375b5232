"""Judges by words alone: a reply is right that contains an accepted answer (`answer_match`). It asks no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evaluation.core.answer_match import is_right
from evaluation.core.judging.types import JUDGED, NO_ANSWER, Judgement, ReplyToJudge

NAME = "words"
RULES = ("answer_match.py", "dates.py", "folding.py", "refusals.py")


@dataclass(frozen=True)
class WordsJudge:
    """Implements `ReplyJudge`."""

    name: str = NAME
    metric: str = JUDGED

    @property
    def digest(self) -> str:
        """Return the digest of the modules that the rule is made of."""
        folder = Path(__file__).parent.parent
        return sha256(b"".join((folder / name).read_bytes() for name in RULES)).hexdigest()

    def judge_many(self, replies: Sequence[ReplyToJudge]) -> list[Judgement]:
        return [judged(one) for one in replies]


def judged(one: ReplyToJudge) -> Judgement:
    if one.expected is None:
        return Judgement(None, why=NO_ANSWER)
    return Judgement(float(is_right(one.reply, answers=one.expected)))
