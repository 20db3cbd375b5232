"""The responders `fused`, `sgmem` and those of the recipes: a retriever finds the context of a question, and the
reply is written from it (SGMem, section 3.4, "Collect Relevant Context" and "Personalized Generation").

Departures from the paper: without a language model the reply quotes the sentences that support it, with who said them
and when, and says so where none does. What a message states is acknowledged, not answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conversations.core.responders.answers import UNKNOWN, Answer, answer
from conversations.core.responders.graph import by_rule, read_line
from conversations.core.responders.kinds import may_hold_value
from conversations.core.responders.message import Kind, Piece, read_message
from conversations.core.responders.phrasing import quoted
from conversations.core.responders.recall import Recollection
from conversations.core.responders.retrieved.elapsed import (
    ElapsedQuestion,
    elapsed_question,
    elapsed_text,
    event_sentence,
)
from conversations.core.responders.retrieved.recollection import SaidMemory, recollect, scored_sentences
from conversations.core.responders.retrieved.writer import ContextWriter, context_of
from conversations.core.responders.telling import told_words
from conversations.core.types import Delta, Grounds, GroundSentence, Query, ReplyPart, Retrieved, Stage
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_forms import parted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.ports import DateResolver, KnowledgeExtractor, Retriever, SyntacticParser
from memory.core.types import Passage, Retrieval, RetrievalQuery, ScoredSentence

NOTHING_TELLS_IT = "I looked through what was said and found no sentence that tells it."
_SAYS_IT = "says it in these words"
_READ = "is among what the answer was written from"


@dataclass(frozen=True)
class RetrievingConfig:
    """`limit` is the K of the recipes (SGMem, section 4.4), `grounds` how many sentences a written reply shows."""

    limit: int = 5
    grounds: int = 8


class RetrievingResponder:
    """Implements `Responder` over any retriever. `writer` is None for the built-in engine, whose replies are quotations."""

    def __init__(
        self,
        *,
        name: str,
        retriever: Retriever,
        said: SaidMemory,
        parser: SyntacticParser,
        extractor: KnowledgeExtractor,
        dates: DateResolver,
        writer: ContextWriter | None = None,
        config: RetrievingConfig = RetrievingConfig(),
    ) -> None:
        self.name = name
        self._retriever = retriever
        self._said = said
        self._parser = parser
        self._extractor = extractor
        self._dates = dates
        self._writer = writer
        self._config = config

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        pieces = read_message(query.text)
        yield Stage("read", read_line(pieces))
        if self._writer is not None:
            yield from self._written(query, pieces, self._writer)
        else:
            answers = self._answers(query, pieces)
            yield from by_rule(pieces, query, answers, memory=self._said.memory, extractor=self._extractor)

    def _answers(self, query: Query, pieces: Sequence[Piece]) -> Iterator[ReplyPart | Answer]:
        for text in _questions(pieces):
            asked = elapsed_question(text)
            sought = asked.when if asked is not None else text
            retrieval = self._retrieve(sought, query)
            yield Stage("retrieve", "looked through what was said")
            yield Retrieved(text, retrieval)
            [question] = read_questions([sought], parser=self._parser)
            found = recollect(question, query, retrieval, self._said)
            yield self._elapsed(asked, found, query) if asked is not None else self._answer(found, query, retrieval)

    def _written(self, query: Query, pieces: Sequence[Piece], writer: ContextWriter) -> Iterator[ReplyPart]:
        context: list[Passage] = []
        sentences: dict[int, ScoredSentence] = {}
        for text in _questions(pieces) or [query.text]:
            retrieval = self._retrieve(text, query)
            yield Stage("retrieve", "looked through what was said")
            yield Retrieved(text, retrieval)
            context += context_of(retrieval, self._said.index)
            for item in scored_sentences(retrieval, [text], self._said)[: self._config.grounds]:
                sentences.setdefault(item.sentence.id, item)
        if sentences:
            yield Grounds(sentences=tuple(GroundSentence(item.sentence, _READ) for item in sentences.values()))
        yield Stage("write", "writing the reply")
        for text in writer.write(query, context):
            if text:
                yield Delta(text)

    def _retrieve(self, text: str, query: Query) -> Retrieval:
        asked = RetrievalQuery(text=text, asked_at=query.asked_at, asked_by=query.speaker)
        return self._retriever.retrieve(asked, limit=self._config.limit)

    def _answer(self, found: Recollection, query: Query, retrieval: Retrieval) -> Answer:
        made = answer(found, query, dates=self._dates)
        if made.is_known:
            return made
        best = _number_or_name(found.question, found.sentences) or _untimed(found)
        if best is not None:
            return _quoting(found.question, best, query)
        why = retrieval.reason if retrieval.is_empty else ""
        return Answer(f"{UNKNOWN} {why or NOTHING_TELLS_IT}", is_known=False)

    def _elapsed(self, asked: ElapsedQuestion, found: Recollection, query: Query) -> Answer:
        event = event_sentence(
            found.question, found.sentences, is_first=asked.is_first, asked_at=query.asked_at, dates=self._dates
        )
        if event is None:
            return Answer(f"{UNKNOWN} {NOTHING_TELLS_IT}", is_known=False)
        source, day = event
        return Answer(
            f"{elapsed_text(day, query.asked_at, asked.unit)} ago. {quoted(source, asker=query.speaker)}",
            Grounds(sentences=(GroundSentence(source, "says when it was"),)),
        )


def _questions(pieces: Sequence[Piece]) -> list[str]:
    return [part for piece in pieces if piece.kind is Kind.QUESTION for part in parted(piece.text)]


def _number_or_name(question: GraphQuestion, found: Sequence[ScoredSentence]) -> ScoredSentence | None:
    """Return the best sentence with such a value, where a number, an age or a name is asked for."""
    if question.wanted not in {Wanted.COUNT, Wanted.AGE, Wanted.NAME}:
        return None
    return next((item for item in found if may_hold_value(question, item.sentence.text)), None)


def _untimed(found: Recollection) -> ScoredSentence | None:
    """Return the best sentence that tells of an event whose time is asked for, and not when: it is quoted with its day."""
    return next(iter(found.sentences), None) if found.question.wanted in {Wanted.TIME, Wanted.DURATION} else None


def _quoting(question: GraphQuestion, item: ScoredSentence, query: Query) -> Answer:
    return Answer(
        quoted(told_words(question, item.sentence), asker=query.speaker),
        Grounds(sentences=(GroundSentence(item.sentence, _SAYS_IT),)),
    )
