"""The responder `graph` by rule: answers from the knowledge graph, failing that from the best remembered sentences.

D-SMART without its search: one look into the graph for each question, one for what a statement changes. The sentences are
written by rule, and what is not known is said to be unknown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conversations.core.responders.answers import Answer, answer
from conversations.core.responders.message import Piece, questions_in
from conversations.core.responders.recall import looked_at, recall
from conversations.core.responders.reply_by_rule import reply_by_rule
from conversations.core.responders.said_answers import SaidPassages, read_back
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.ports import AnswerReader, MemoryReader, MessageListener, QuestionReader


@dataclass(frozen=True, kw_only=True)
class RuleBasedGraph:
    """Implements `Responder`."""

    name: str = "graph"
    memory: MemoryReader
    passages: SaidPassages
    listener: MessageListener
    read_questions: QuestionReader | None
    read_answers: AnswerReader | None

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield from reply_by_rule(query, self._answers, listener=self.listener)

    def _answers(self, query: Query, pieces: Sequence[Piece]) -> Iterator[ReplyPart | Answer]:
        back = read_back(self.read_answers, passages=self.passages)
        for question in read_questions(questions_in(pieces), reader=self.read_questions):
            found = recall(question, query, memory=self.memory)
            yield Stage("recall", looked_at(found))
            yield replace(answer(found, query, read_back=back), question=question.text)
