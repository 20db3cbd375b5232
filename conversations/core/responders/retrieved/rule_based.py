"""The responders over a retriever without a language model: the answer reader reads what was retrieved (SGMem, 3.4).

Departure from the paper: nothing is generated. The reply gives the words of a turn that answer, or says that none
does and quotes the sentence that is nearest.
Statements of a message are acknowledged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conversations.core.responders.answers import UNKNOWN, Answer
from conversations.core.responders.message import Piece, questions_in
from conversations.core.responders.phrasing import quoted
from conversations.core.responders.recall import Recollection
from conversations.core.responders.reply_by_rule import reply_by_rule
from conversations.core.responders.retrieved.recollection import SaidMemory, look_through, scored_sentences
from conversations.core.responders.said_answers import SaidAnswers, SaidPassages
from conversations.core.responders.subjects import find_given, find_subject, look_up
from conversations.core.types import Query, ReplyPart, Retrieved, Stage
from memory.core.knowledge_graph.question import GraphQuestion
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.naming import key_of
from memory.core.ports import (
    AnswerReader,
    MessageListener,
    QuestionReader,
    Retriever,
)
from memory.core.types import Role, ScoredSentence

NOTHING_TELLS_IT = "I looked through what was said and found no sentence that tells it."
NEAREST = "Nothing that was said tells it surely. The nearest:"


@dataclass(frozen=True, kw_only=True)
class RuleBasedRetrieving:
    """Implements `Responder` over any retriever."""

    name: str
    retriever: Retriever
    said: SaidMemory
    listener: MessageListener
    read_questions: QuestionReader | None
    read_answers: AnswerReader | None

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield from reply_by_rule(query, self._answers, listener=self.listener)

    def _answers(self, query: Query, pieces: Sequence[Piece]) -> Iterator[ReplyPart | Answer]:
        for question in read_questions(questions_in(pieces), reader=self.read_questions):
            retrieval = look_through(self.retriever, question.text, query)
            yield Stage("retrieve", "looked through what was said")
            yield Retrieved(question.text, retrieval)
            near = scored_sentences(retrieval, [question.text], self.said)
            turns = list(dict.fromkeys(item.sentence.turn_id for item in near))
            made = self._read(question, query, turns)
            if made is None:
                why = retrieval.reason if retrieval.is_empty else ""
                made = Answer(f"{UNKNOWN} {why or nearest(near, query)}", is_known=False)
            yield replace(made, question=question.text)

    def _read(self, question: GraphQuestion, query: Query, turns: Sequence[int]) -> Answer | None:
        if self.read_answers is None:
            return None
        passages = SaidPassages(retriever=self.retriever, index=self.said.index, sentences=self.said.sentences)
        reading = SaidAnswers(passages=passages, reader=self.read_answers)
        names = look_up(question, query, self.said.memory)
        subject = find_subject(question, query, names, self.said.memory)
        return reading.read(Recollection(question, subject, find_given(question, query, names)), query, turns)


def nearest(near: Sequence[ScoredSentence], query: Query) -> str:
    """Return that nothing tells it, with the sentence nearest to the question, where people said any."""
    said = [one for one in near if one.sentence.role is Role.USER and not one.sentence.text.rstrip().endswith("?")]
    said = [one for one in said if key_of(one.sentence.text) != key_of(query.text)]
    if not said:
        return NOTHING_TELLS_IT
    best = max(said, key=lambda one: one.similarity)
    return f"{NEAREST} {quoted(best.sentence, asker=query.speaker)}"
