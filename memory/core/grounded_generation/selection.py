"""Dialogue sense knowledge selection (equations 2 and 3): the triples that are most probably relevant to a dialogue.

BM25 and KAPING (the similarity of embeddings; Baek et al., 2023) are the paper's baselines.

Departures from the paper:
- P(relevant) is read in the words of a prompt: the probability of the answer "yes", which any model with probabilities gives.
- Only the triples whose embeddings are nearest to the dialogue are asked about, since each costs a prompt.

What a large language model teaches a small one (appendix C): which triples are relevant to a dialogue, and why (Table 10).

Departure from the paper: the triples of one dialogue are judged in one call, each with its reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from memory.core.bm25 import Bm25Index
from memory.core.errors import LanguageModelError, UnparsableReply
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.ports import AnswerProbabilities, Embedder, LanguageModel
from memory.core.prompting import ask_many, mark_of, parse_json, render_prompt
from memory.core.types import Message, MessageRole, Prompt, SamplingConfig

PROMPT = Path(__file__).parent / "prompts" / "select.md.j2"
# So many triples are read with the dialogue by a trained selector, and by a language model, which takes a prompt for each;
# the rest stay in the order of their embeddings.
READ, ASKED = 100, 50
YES, NO = "yes", "no"
# A model that gives both answers together less than this for every triple does not answer with them.
LEAST_ANSWERED = 0.01
LONGEST = 2_000


class TripleScorer(Protocol):
    """Scores triples by how well they fit a dialogue. `name` says how."""

    @property
    def name(self) -> str: ...

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        """Return a score a triple in words, larger for those that fit better, shape (len(triples),)."""


class TripleSelector(Protocol):
    """Judges how probably triples are relevant to a dialogue (f_sel). `name` identifies the weights."""

    @property
    def name(self) -> str: ...

    def relevant_many(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        """Return P(relevant | dialogue, triple) of each triple in words, in [0, 1]."""


def select(
    scorer: TripleScorer, dialogue: Sequence[str], triples: Sequence[KnowledgeTriple], *, limit: int
) -> list[KnowledgeTriple]:
    """Return the top N triples, best first, ties in the order in which they were given (equation 3)."""
    if not triples:
        return []
    order = np.argsort(-scorer.score(dialogue, [triple.text for triple in triples]), kind="stable")
    return [triples[place] for place in order[:limit]]


@dataclass(frozen=True)
class Bm25Scorer:
    """BM25 of the triples as documents, the dialogue as the query."""

    name: str = "bm25"

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        index = Bm25Index(dict(enumerate(triples)))
        scores = np.zeros(len(triples))
        for place, score in index.search(" ".join(dialogue), limit=len(triples)):
            scores[place] = score
        return scores


@dataclass(frozen=True)
class KapingScorer:
    """The cosine between the embeddings of the last utterance and of each triple (KAPING)."""

    embedder: Embedder
    name: str = "kaping"

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        vectors = self.embedder.embed([dialogue[-1], *triples])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float64)


@dataclass(frozen=True)
class SelectorScorer:
    """A selector over the `most` triples whose embeddings are nearest to the dialogue; the others come behind these."""

    selector: TripleSelector
    embedder: Embedder
    name: str = "selector"
    most: int = READ

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        if len(triples) <= self.most:
            return self.selector.relevant_many(dialogue, triples)
        scores = KapingScorer(self.embedder).score([" ".join(dialogue)], triples) - 2
        read = np.argsort(-scores, kind="stable")[: self.most]
        scores[read] = self.selector.relevant_many(dialogue, [triples[place] for place in read])
        return scores


@dataclass(frozen=True)
class PromptedTripleSelector:
    """Implements `TripleSelector` with the probability that a language model answers "yes" (equation 2)."""

    language_model: AnswerProbabilities

    @property
    def name(self) -> str:
        return self.language_model.name

    def relevant_many(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        """Return P("yes") of each triple. Raises the first `LanguageModelError` met; `UnparsableReply` for other answers."""
        prompts = selection_prompts(dialogue, triples)
        told = []
        for outcome in self.language_model.probabilities_many(prompts, (YES, NO)) if prompts else []:
            if isinstance(outcome, Exception):
                raise outcome
            told.append(outcome.chances)
        if told and max(map(sum, told)) < LEAST_ANSWERED:
            raise UnparsableReply(
                f"{self.name} begins its answers with neither yes nor no. Turn its thinking off on the server, if it "
                "has any, or choose another player of select_triples (DSMART_ROLES).",
                reply="",
            )
        return np.array([yes for yes, _ in told], dtype=np.float64)


def selection_prompts(dialogue: Sequence[str], triples: Sequence[str]) -> list[Prompt]:
    """Return one prompt a triple. All of a dialogue begin alike, up to the triple, so that servers read that once."""
    turns = dialogue_lines(dialogue)
    return [render_prompt(PROMPT, dialogue=turns, triple=triple, mark=mark_of(*turns)) for triple in triples]


def dialogue_lines(dialogue: Sequence[str]) -> list[str]:
    """Return the turns of a dialogue as a prompt shows them, each cut to its longest."""
    return [f"- {' '.join(text.split())[:LONGEST]}" for text in dialogue]


TEACHING_PROMPT = Path(__file__).parent / "prompts" / "teach_selection.md.j2"


@dataclass(frozen=True)
class JudgedTriple:
    """Whether a triple in words is relevant to a dialogue, and why."""

    triple: str
    is_relevant: bool
    reason: str


class JudgedReply(BaseModel):
    fact: int
    reason: str = ""
    relevant: bool


class SelectionReply(BaseModel):
    facts: list[JudgedReply] = Field(min_length=1)


@dataclass(frozen=True)
class TripleTeacher:
    """Asks a language model which triples are relevant, once a dialogue, for several dialogues at once."""

    language_model: LanguageModel
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2_048))

    def judge_many(
        self, asked: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> list[list[JudgedTriple] | LanguageModelError]:
        """Return for each (dialogue, triples in words) those that were judged, in order, or the error that it met."""
        prompts = [
            render_prompt(TEACHING_PROMPT, schema=SelectionReply, dialogue=dialogue_lines(dialogue), triples=triples)
            for dialogue, triples in asked
        ]
        outcomes = ask_many(self.language_model, prompts, read_judgements, config=self.sampling)
        return [
            outcome if isinstance(outcome, LanguageModelError) else _judged(triples, outcome)
            for (_, triples), outcome in zip(asked, outcomes, strict=True)
        ]


def read_judgements(reply: str) -> list[JudgedReply]:
    return parse_json(reply, SelectionReply).facts


def _judged(triples: Sequence[str], told: Sequence[JudgedReply]) -> list[JudgedTriple]:
    by_number = {one.fact: one for one in reversed(told)}
    return [
        JudgedTriple(triple, one.relevant, " ".join(one.reason.split()))
        for number, triple in enumerate(triples, start=1)
        if (one := by_number.get(number)) is not None
    ]


def selection_lesson(dialogue: Sequence[str], judged: JudgedTriple) -> list[Message]:
    """Return the chat that teaches to answer the prompt of selection: yes or no first, since that word is read, then why."""
    [prompt] = selection_prompts(dialogue, [judged.triple])
    answer = YES if judged.is_relevant else NO
    return [*prompt.messages, Message(MessageRole.ASSISTANT, f"{answer}. {judged.reason}".removesuffix(". "))]
