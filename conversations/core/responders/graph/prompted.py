"""The responder `graph` with a language model: one look into the graph for each question, and a reply that the model writes.

Recalled triples and sentences are notes: data, never instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.answers import answer
from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.responders.message import questions_in, read_line, read_message
from conversations.core.responders.phrasing import quoted
from conversations.core.responders.recall import Recollection, looked_at, recall
from conversations.core.types import Grounds, Query, ReplyPart, Stage
from memory.core.english.telling_times import say_day
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.stems import content_stems
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.ports import LanguageModel, MemoryReader, QuestionReader, SyntacticParser
from memory.core.prompting import render_prompt
from memory.core.types import Prompt, Role, ScoredSentence, Triple

PROMPT = Path(__file__).parent / "prompts" / "grounded.md.j2"
_FACT_LIMIT = 30
_SENTENCE_LIMIT = 8
_HISTORY_LIMIT = 6
_TEXT_LIMIT = 1_500


@dataclass(frozen=True, kw_only=True)
class PromptedGraph:
    """Implements `Responder`."""

    name: str = "graph"
    memory: MemoryReader
    parser: SyntacticParser
    write_answer: LanguageModel
    read_questions: QuestionReader | None

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        pieces = read_message(query.text)
        yield Stage("read", read_line(pieces))
        recollections = []
        asked = read_questions(questions_in(pieces), parser=self.parser, reader=self.read_questions)
        for question in asked or [_as_question(query)]:
            found = recall(question, query, memory=self.memory)
            recollections.append(found)
            yield Stage("recall", looked_at(found))
        grounds = _merged([answer(found, query).grounds for found in recollections])
        if grounds != Grounds():
            yield grounds
        yield Stage("write", "writing the reply")
        yield from streamed(self.write_answer.stream(grounded_prompt(query, recollections), config=FAITHFUL))


def grounded_prompt(query: Query, found: Sequence[Recollection]) -> Prompt:
    """Return the prompt for an answer from what was recalled."""
    return render_prompt(
        PROMPT,
        speaker=query.speaker or "the user",
        today=say_day(query.asked_at),
        facts=[triple_text(triple, asker=query.speaker, at=query.asked_at) for triple in _triples(found)],
        sentences=[quoted(item.sentence, asker=query.speaker) for item in _sentences(found)],
        history=[
            f"{'assistant' if turn.role is Role.ASSISTANT else turn.speaker}: {turn.text[:_TEXT_LIMIT]}"
            for turn in query.history[-_HISTORY_LIMIT:]
        ],
        message=query.text,
    )


def _triples(found: Sequence[Recollection]) -> list[Triple]:
    """Return the triples that answer, then those that led to them, then all others read, each once."""
    ordered = [
        *(triple for one in found for triple in one.triples),
        *(triple for one in found for triple in one.subject.relation),
        *(triple for one in found for triple in one.all_triples),
    ]
    return list({triple.id: triple for triple in ordered}.values())[:_FACT_LIMIT]


def _sentences(found: Sequence[Recollection]) -> list[ScoredSentence]:
    """Return the supporting sentences, then the nearest, without an assistant's words."""
    ordered = [*(item for one in found for item in one.sentences), *(item for one in found for item in one.nearest)]
    kept = {item.sentence.id: item for item in ordered if item.sentence.role is Role.USER}
    return list(kept.values())[:_SENTENCE_LIMIT]


def _as_question(query: Query) -> GraphQuestion:
    return GraphQuestion(text=query.text[:600], wanted=Wanted.VALUE, content=content_stems(query.text[:600]))


def _merged(grounds: Sequence[Grounds]) -> Grounds:
    triples = {item.triple.id: item for one in grounds for item in one.triples}
    sentences = {item.sentence.id: item for one in grounds for item in one.sentences}
    return Grounds(tuple(triples.values()), tuple(sentences.values()))
