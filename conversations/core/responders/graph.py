"""The responder `graph`: answers from the knowledge graph, failing that from the best remembered sentences.

D-SMART without its search: one look into the graph for each question, one for what a statement changes. Without a
language model the sentences are written by rule, and what is not known is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from conversations.core.responders.acknowledgement import acknowledge
from conversations.core.responders.answers import Answer, answer
from conversations.core.responders.message import Kind, Piece, read_message
from conversations.core.responders.recall import Recollection, recall
from conversations.core.types import Delta, Grounds, Query, ReplyPart, Stage
from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_forms import parted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import DateResolver, KnowledgeExtractor, MemoryReader, SyntacticParser

_COURTESIES = {
    Kind.GREETING: "Hello! Tell me something about you, or ask what I remember.",
    Kind.THANKS: "You are welcome.",
    Kind.FAREWELL: "Goodbye! I keep what you told me.",
    Kind.SMALL_TALK: (
        "I am the built-in engine: I remember what you tell me and answer from it. Tell me something, or ask what I remember."
    ),
    Kind.ASSENT: "All right.",
    Kind.NOISE: "I found no words in that. Tell me something about you, or ask what I remember.",
}
CANNOT = (
    "The built-in engine only answers from memory, so it cannot do that. "
    "To plug in a language model, open Settings > Engine."
)
EMPTY = "Tell me something about you, or ask what I remember."


class AnswerWriter(Protocol):
    """Writes the whole reply from what was recalled, where the engine has a language model."""

    def write(self, query: Query, found: Sequence[Recollection]) -> Iterator[str]:
        """Yield the reply's text as it comes."""


class GraphResponder:
    """Implements `Responder`. `writer` is None for the built-in engine, whose replies are written by rule."""

    name = "graph"

    def __init__(
        self,
        *,
        memory: MemoryReader,
        parser: SyntacticParser,
        extractor: KnowledgeExtractor,
        dates: DateResolver,
        writer: AnswerWriter | None = None,
    ) -> None:
        self._memory = memory
        self._parser = parser
        self._extractor = extractor
        self._dates = dates
        self._writer = writer

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        pieces = read_message(query.text)
        yield Stage("read", read_line(pieces))
        if self._writer is not None:
            yield from self._written(query, pieces, self._writer)
        else:
            answers = self._answers(query, pieces)
            yield from by_rule(pieces, query, answers, memory=self._memory, extractor=self._extractor)

    def _answers(self, query: Query, pieces: Sequence[Piece]) -> Iterator[ReplyPart | Answer]:
        for question in self._questions(pieces):
            found = recall(question, query, memory=self._memory, dates=self._dates)
            yield Stage("recall", looked_at(found))
            yield answer(found, query, dates=self._dates)

    def _written(self, query: Query, pieces: Sequence[Piece], writer: AnswerWriter) -> Iterator[ReplyPart]:
        questions = self._questions(pieces) or [_as_question(query)]
        recollections = []
        for question in questions:
            found = recall(question, query, memory=self._memory, dates=self._dates)
            recollections.append(found)
            yield Stage("recall", looked_at(found))
        grounds = _merged([answer(found, query, dates=self._dates).grounds for found in recollections])
        if grounds != Grounds():
            yield grounds
        yield Stage("write", "writing the reply")
        for text in writer.write(query, recollections):
            if text:
                yield Delta(text)

    def _questions(self, pieces: Sequence[Piece]) -> list[GraphQuestion]:
        asked = [part for piece in pieces if piece.kind is Kind.QUESTION for part in parted(piece.text)]
        return read_questions(asked, parser=self._parser) if asked else []


def by_rule(
    pieces: Sequence[Piece],
    query: Query,
    answers: Iterator[ReplyPart | Answer],
    *,
    memory: MemoryReader,
    extractor: KnowledgeExtractor,
) -> Iterator[ReplyPart]:
    """Yield the reply to a message without a language model: what it states is acknowledged, then each answer given once."""
    spoken = False
    for told in told_back(pieces, query, memory=memory, extractor=extractor):
        spoken = spoken or isinstance(told, Delta)
        yield told
    answered: set[str] = set()
    for part in answers:
        if not isinstance(part, Answer):
            yield part
        elif part.text not in answered:
            answered.add(part.text)
            if part.grounds != Grounds():
                yield part.grounds
            yield from deltas(part.text, is_first=not spoken)
            spoken = True
    yield from said_besides(pieces, query, spoken=spoken)


def told_back(
    pieces: Sequence[Piece], query: Query, *, memory: MemoryReader, extractor: KnowledgeExtractor
) -> Iterator[ReplyPart]:
    """Yield the acknowledgement of what a message states."""
    statements = [piece.text for piece in pieces if piece.kind is Kind.STATEMENT]
    if statements:
        yield Stage("understand", "read what you told me")
        noted = acknowledge(statements, query, memory=memory, extractor=extractor)
        yield from deltas(noted.text, is_first=True)


def said_besides(pieces: Sequence[Piece], query: Query, *, spoken: bool) -> Iterator[Delta]:
    """Yield what is said to requests, and to a message that neither states nor asks anything."""
    kinds = list(dict.fromkeys(piece.kind for piece in pieces))
    if Kind.REQUEST in kinds:
        yield from deltas(CANNOT, is_first=not spoken)
    elif not spoken:
        courtesy = next((_COURTESIES[kind] for kind in kinds if kind in _COURTESIES and kind is not Kind.NOISE), None)
        said = courtesy or (_COURTESIES[Kind.NOISE] if kinds else EMPTY)
        is_kept = query.is_remembered or said != _COURTESIES[Kind.FAREWELL]
        yield from deltas(said if is_kept else "Goodbye!", is_first=True)


def looked_at(found: Recollection) -> str:
    """Return the quiet line of progress for a question: "looked at Maya"."""
    labels = [entity.label for entity in found.subject.entities][:2]
    things = " and ".join(labels) or _mention_text(found.question.subject) or "what was said"
    return f"looked at {things}"


def _mention_text(mention: QuestionTerm | None) -> str:
    return "" if mention is None or mention.is_speaker else mention.text


def _as_question(query: Query) -> GraphQuestion:
    return GraphQuestion(text=query.text[:600], wanted=Wanted.VALUE, content=content_stems(query.text[:600]))


def _merged(grounds: Sequence[Grounds]) -> Grounds:
    triples = {item.triple.id: item for one in grounds for item in one.triples}
    sentences = {item.sentence.id: item for one in grounds for item in one.sentences}
    return Grounds(tuple(triples.values()), tuple(sentences.values()))


def read_line(pieces: Sequence[Piece]) -> str:
    questions = sum(piece.kind is Kind.QUESTION for piece in pieces)
    if questions:
        return "read your question" if questions == 1 else f"read your {questions} questions"
    return "read your message"


def deltas(text: str, *, is_first: bool) -> Iterator[Delta]:
    """Yield a text in groups of three words, with the space that parts it from what was said before."""
    words = text.split(" ")
    for start in range(0, len(words), 3):
        lead = "" if start == 0 and is_first else " "
        yield Delta(lead + " ".join(words[start : start + 3]))
