"""Whether the last reply of a conversation meets its pass criterion (MultiChallenge, Deshpande et al., 2025).

The judge sees the reply and the criterion, as there; where there are several, all must be met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.core.judging.prompted import PROMPTS, NotJudged, PromptedJudge
from evaluation.core.judging.types import NO_CRITERIA, ReplyToJudge
from memory.core.ports import LanguageModel

NAME = "criterion"
PROMPT = PROMPTS / "criterion.md.j2"


def make(model: LanguageModel, name: str) -> PromptedJudge:
    return PromptedJudge(name, model, PROMPT, by_criteria, together=min)


def by_criteria(one: ReplyToJudge) -> Sequence[Mapping[str, object]]:
    """Return each criterion; there is a verdict for each."""
    if not one.criteria:
        raise NotJudged(NO_CRITERIA)
    return [{"criterion": criterion} for criterion in one.criteria]
