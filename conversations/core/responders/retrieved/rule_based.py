"""The responders over a retriever by rule: the reply quotes retrieved sentences that support an answer (SGMem, 3.4).

Departure from the paper: nothing is generated. The reply says who said a sentence and when, or that no sentence answers.
Statements of a message are acknowledged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conversations.core.responders.answers import UNKNOWN, Answer, answer
from conversations.core.responders.kinds import may_hold_value
from conversations.core.responders.message import Piece, questions_in
from conversations.core.responders.phrasing import quoted
from conversations.core.responders.recall import Recollection
from conversations.core.responders.reply_by_rule import reply_by_rule
from conversations.core.responders.retrieved.elapsed import (
    ElapsedQuestion,
    elapsed_question,
    elapsed_text,
    event_sentence,
)
from conversations.core.responders.retrieved.recollection import SaidMemory, look_through, recollect
from conversations.core.responders.telling import told_words
from conversations.core.types import Grounds, GroundSentence, Query, ReplyPart, Retrieved, Stage
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.ports import MessageListener, QuestionReader, Retriever, SyntacticParser
from memory.core.types import Retrieval, ScoredSentence

NOTHING_TELLS_IT = "I looked through what was said and found no sentence that tells it."
_SAYS_IT = "says it in these words"


@dataclass(frozen=True, kw_only=True)
class RuleBasedRetrieving:
    """Implements `Responder` over any retriever."""

    name: str
    retriever: Retriever
    said: SaidMemory
    parser: SyntacticParser
    listener: MessageListener
    read_questions: QuestionReader | None

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield from reply_by_rule(query, self._answers, listener=self.listener)

    def _answers(self, query: Query, pieces: Sequence[Piece]) -> Iterator[ReplyPart | Answer]:
        for text in questions_in(pieces):
            asked = elapsed_question(text)
            sought = asked.when if asked is not None else text
            retrieval = look_through(self.retriever, sought, query)
            yield Stage("retrieve", "looked through what was said")
            yield Retrieved(text, retrieval)
            [question] = read_questions([sought], parser=self.parser, reader=self.read_questions)
            found = recollect(question, query, retrieval, self.said)
            made = self._elapsed(asked, found, query) if asked is not None else self._answer(found, query, retrieval)
            yield replace(made, question=text)

    def _answer(self, found: Recollection, query: Query, retrieval: Retrieval) -> Answer:
        made = answer(found, query)
        if made.is_known:
            return made
        best = _number_or_name(found.question, found.sentences) or _untimed(found)
        if best is not None:
            return _quoting(found.question, best, query)
        why = retrieval.reason if retrieval.is_empty else ""
        return Answer(f"{UNKNOWN} {why or NOTHING_TELLS_IT}", is_known=False)

    def _elapsed(self, asked: ElapsedQuestion, found: Recollection, query: Query) -> Answer:
        event = event_sentence(found.question, found.sentences, is_first=asked.is_first, asked_at=query.asked_at)
        if event is None:
            return Answer(f"{UNKNOWN} {NOTHING_TELLS_IT}", is_known=False)
        source, day = event
        return Answer(
            f"{elapsed_text(day, query.asked_at, asked.unit)} ago. {quoted(source, asker=query.speaker)}",
            Grounds(sentences=(GroundSentence(source, "says when it was"),)),
        )


def _number_or_name(question: GraphQuestion, found: Sequence[ScoredSentence]) -> ScoredSentence | None:
    """Return the best sentence with a value of the kind, where a number, an age or a name is asked for."""
    if question.wanted not in {Wanted.COUNT, Wanted.AGE, Wanted.NAME}:
        return None
    return next((item for item in found if may_hold_value(question, item.sentence.text)), None)


def _untimed(found: Recollection) -> ScoredSentence | None:
    """Return the best sentence about an event whose asked time it does not state; it is quoted with its day."""
    return next(iter(found.sentences), None) if found.question.wanted in {Wanted.TIME, Wanted.DURATION} else None


def _quoting(question: GraphQuestion, item: ScoredSentence, query: Query) -> Answer:
    return Answer(
        quoted(told_words(question, item.sentence), asker=query.speaker),
        Grounds(sentences=(GroundSentence(item.sentence, _SAYS_IT),)),
    )
