"""Whether an answer is factually right and complete against the gold answer (SGMem, section 4.2, Appendix B.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.core.judging.prompted import PROMPTS, NotJudged, PromptedJudge
from evaluation.core.judging.types import NO_ANSWER, ReplyToJudge
from memory.core.ports import LanguageModel

NAME = "answer"
PROMPT = PROMPTS / "answer.md.j2"


def make(model: LanguageModel, name: str) -> PromptedJudge:
    return PromptedJudge(name, model, PROMPT, by_answers)


def by_answers(one: ReplyToJudge) -> Sequence[Mapping[str, object]]:
    """Return the accepted answers; none where the right reply says that it is not known."""
    if one.expected is None:
        raise NotJudged(NO_ANSWER)
    return [{"answers": one.expected}]
