"""The judges by name. A new one is a module beside these with NAME, PROMPT and `make`, and its name here."""

from __future__ import annotations

from collections.abc import Callable

from evaluation.core.judging import answer, beam, criterion, gpt_score, locomo, longmemeval, words
from evaluation.core.judging.types import ReplyJudge
from memory.core.ports import LanguageModel

ASKING: dict[str, Callable[[LanguageModel, str], ReplyJudge]] = {
    module.NAME: module.make for module in (answer, locomo, longmemeval, gpt_score, criterion, beam)
}
# Those that hold a reply against accepted answers, and so can be checked with altered ones.
BY_ANSWERS = (words.NAME, answer.NAME, locomo.NAME, longmemeval.NAME)
