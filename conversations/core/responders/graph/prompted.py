"""The responder `graph` with a language model: one look into the graph for each question, and a reply that the model writes.

Recalled triples and sentences are notes: data, never instruction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conversations.core.responders.message import questions_in, read_line, read_message
from conversations.core.responders.recall import Recollection, looked_at, recall, with_sentences
from conversations.core.responders.writing import WRITTEN_FROM, Material, grounds_of, written
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import LanguageModel, MemoryReader, QuestionReader
from memory.core.types import Role, SourceSentence, Triple

_FACT_LIMIT = 30
_SENTENCE_LIMIT = 8


@dataclass(frozen=True, kw_only=True)
class PromptedGraph:
    """Implements `Responder`."""

    name: str = "graph"
    memory: MemoryReader
    write_answer: LanguageModel
    read_questions: QuestionReader | None

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        pieces = read_message(query.text)
        yield Stage("read", read_line(pieces))
        found = []
        asked = read_questions(questions_in(pieces), reader=self.read_questions)
        for question in asked or [_as_question(query)]:
            recalled = recall(question, query, memory=self.memory)
            yield Stage("recall", looked_at(recalled))
            # A triple may answer less than the words beside it.
            found.append(recalled if recalled.nearest else with_sentences(recalled, query, self.memory))
        said = _said(found)
        yield from grounds_of(_answering(found), said, why=WRITTEN_FROM)
        yield from written(query, Material(_facts(found), said), write_answer=self.write_answer)


def _answering(found: Sequence[Recollection]) -> tuple[Triple, ...]:
    """Return the triples that answer by rule, then those that led to them, each once."""
    ordered = [*(t for one in found for t in one.triples), *(t for one in found for t in one.subject.relation)]
    return tuple({triple.id: triple for triple in ordered}.values())


def _facts(found: Sequence[Recollection]) -> tuple[Triple, ...]:
    """Return the triples that answer and lead there, then all others that were read, each once."""
    ordered = [*_answering(found), *(triple for one in found for triple in one.all_triples)]
    return tuple({triple.id: triple for triple in ordered}.values())[:_FACT_LIMIT]


def _said(found: Sequence[Recollection]) -> tuple[SourceSentence, ...]:
    """Return the nearest sentences, each once, without an assistant's words."""
    ordered = [item.sentence for one in found for item in one.nearest]
    kept = {sentence.id: sentence for sentence in ordered if sentence.role is Role.USER}
    return tuple(kept.values())[:_SENTENCE_LIMIT]


def _as_question(query: Query) -> GraphQuestion:
    return GraphQuestion(text=query.text[:600], wanted=Wanted.VALUE, content=content_stems(query.text[:600]))
