"""How far a reply has what a rubric asks for (BEAM, Tavakoli et al., 2025): each nugget 0, 1/2 or 1, and their mean."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from evaluation.core.judging.criterion import by_criteria
from evaluation.core.judging.prompted import PROMPTS, PromptedJudge
from memory.core.ports import LanguageModel

NAME = "beam"
PROMPT = PROMPTS / "beam.md.j2"
VALUES = {"met": 1.0, "partly": 0.5, "missed": 0.0}


class Nugget(BaseModel):
    """What the reply has of a nugget, then how far that meets it."""

    reason: str
    met: Literal["met", "partly", "missed"]

    @property
    def value(self) -> float:
        return VALUES[self.met]


def make(model: LanguageModel, name: str) -> PromptedJudge:
    return PromptedJudge(name, model, PROMPT, by_criteria, form=Nugget)
