"""The real parser and readers, loaded once for all tests of English, and a language model that says what it is told."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from functools import cache
from pathlib import Path

from memory.adapters.parser.spacy_parser import SpacyParser
from memory.adapters.readers.answer_reader import OnnxAnswerReader
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.adapters.readers.question_reader import OnnxQuestionReader
from memory.adapters.readers.reference_reader import OnnxReferenceReader
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.types import Completion, Prompt, SamplingConfig, TokenUsage

PRETRAINED = Path(__file__).resolve().parents[2] / "memory" / "pretrained" / "parser"


@cache
def real_parser() -> SpacyParser:
    return SpacyParser(Path(os.environ.get("DSMART_PARSER") or PRETRAINED))


@cache
def real_references() -> OnnxReferenceReader:
    return OnnxReferenceReader(PRETRAINED.parent / "reference_reader")


@cache
def real_answers() -> OnnxAnswerReader:
    return OnnxAnswerReader(PRETRAINED.parent / "answer_reader")


@cache
def real_questions() -> OnnxQuestionReader:
    return OnnxQuestionReader(PRETRAINED.parent / "question_reader")


@cache
def real_extractor() -> LearnedExtractor:
    return LearnedExtractor(reader=OnnxMessageReader(PRETRAINED.parent / "message_reader"), parser=real_parser())


class Saying:
    """A `LanguageModel` that says one reply after the other, the last one again and again."""

    name = "saying"

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[Prompt] = []

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion]:
        self.asked += prompts
        return [Completion(self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]) for _ in prompts]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        [whole] = self.complete_many([prompt], config=config)
        yield whole.text
        return None
