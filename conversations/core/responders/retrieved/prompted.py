"""The responders over a retriever with a language model (SGMem, section 3.4 and Appendix B.1).

A retriever finds the context of each question ("Collect Relevant Context"), and the model writes the reply from it
("Personalized Generation").

Departures from the paper:

- The answer is a few plain sentences, not paragraphs of markdown: this is a chat.
- General knowledge adds no fact about the people of the dialogue.
- Each part of the context is dated and named, and fenced as data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.responders.message import questions_in, read_line, read_message
from conversations.core.responders.retrieved.recollection import SaidMemory, look_through, scored_sentences
from conversations.core.types import Grounds, GroundSentence, Query, ReplyPart, Retrieved, Stage
from memory.core.english.telling_times import say_day
from memory.core.ports import DialogueIndex, LanguageModel, Retriever
from memory.core.prompting import render_prompt
from memory.core.types import (
    CHUNKS,
    DIGESTS,
    Passage,
    Prompt,
    Retrieval,
    Role,
    ScoredSentence,
    Unit,
)

# How many sentences of what the reply was written from are shown for a question.
_GROUNDS = 8
_READ = "is among what the answer was written from"
PROMPT = Path(__file__).parent / "prompts" / "context.md.j2"
_KINDS = {
    Unit.SESSION: "Conversation",
    Unit.ROUND: "Part of a conversation",
    Unit.TURN: "Said",
    Unit.SUMMARY: "Summary of a conversation",
    Unit.FACT: "Noted",
    Unit.INSIGHT: "Noted of several days",
}


@dataclass(frozen=True)
class ContextConfig:
    """Limits of a context in characters: of one passage, of all passages, and of a turn of the history."""

    passage: int = 6_000
    whole: int = 24_000
    history: int = 6
    history_turn: int = 1_500


@dataclass(frozen=True, kw_only=True)
class PromptedRetrieving:
    """Implements `Responder` over any retriever."""

    name: str
    retriever: Retriever
    said: SaidMemory
    write_answer: LanguageModel

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        pieces = read_message(query.text)
        yield Stage("read", read_line(pieces))
        context: list[Passage] = []
        sentences: dict[int, ScoredSentence] = {}
        for text in questions_in(pieces) or [query.text]:
            retrieval = look_through(self.retriever, text, query)
            yield Stage("retrieve", "looked through what was said")
            yield Retrieved(text, retrieval)
            context += context_of(retrieval, self.said.index)
            for item in scored_sentences(retrieval, [text], self.said)[:_GROUNDS]:
                sentences.setdefault(item.sentence.id, item)
        if sentences:
            yield Grounds(sentences=tuple(GroundSentence(item.sentence, _READ) for item in sentences.values()))
        yield Stage("write", "writing the reply")
        yield from streamed(self.write_answer.stream(context_prompt(query, context), config=FAITHFUL))


def context_of(retrieval: Retrieval, index: DialogueIndex) -> list[Passage]:
    """Return the relevant context: K* with M*, F* and I*, best first of each kind."""
    chunks = [
        passage
        for unit in CHUNKS
        for passage in index.passages_of(unit, [one.id for one in retrieval.chunks.get(unit, ())])
    ]
    digests = [
        passage
        for kind in DIGESTS
        for passage in index.passages_of(kind, [one.id for one in retrieval.digests if one.unit is kind])
    ]
    return [*chunks, *digests]


def context_prompt(query: Query, context: Sequence[Passage], *, config: ContextConfig = ContextConfig()) -> Prompt:
    """Return the prompt for an answer from a context. What exceeds the limits is left out, the last first."""
    return render_prompt(
        PROMPT,
        speaker=query.speaker or "the user",
        today=say_day(query.asked_at),
        passages=_fitting([passage_text(passage)[: config.passage] for passage in context], config.whole),
        history=[
            f"{'assistant' if turn.role is Role.ASSISTANT else turn.speaker}: {turn.text[: config.history_turn]}"
            for turn in query.history[-config.history :]
        ],
        message=query.text,
    )


def passage_text(passage: Passage) -> str:
    """Return the words of a passage after its kind, its time and its speaker."""
    who = f", {passage.speaker}" if passage.speaker else ""
    return f"{_KINDS.get(passage.unit, 'Said')}, {passage.said_at:%A}, {say_day(passage.said_at)}{who}:\n{passage.text}"


def _fitting(texts: Sequence[str], limit: int) -> list[str]:
    kept = []
    for text in dict.fromkeys(texts):
        limit -= len(text)
        if limit < 0:
            break
        kept.append(text)
    return kept
