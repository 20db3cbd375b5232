"""What the triples of a space answer to a question: the ends of those recalled that the question does not name."""

from collections.abc import Iterator
from dataclasses import dataclass

from conversations.core.responders.recall import recall
from conversations.core.types import Query
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import MemoryReader, QuestionReader
from memory.core.types import Polarity


@dataclass(frozen=True)
class TripleValue:
    """An end of a triple that may answer, and the sentence that says so."""

    words: str
    sentence: int


@dataclass(frozen=True, kw_only=True)
class AskedTriples:
    """Puts questions to the triples of one space."""

    query: Query
    memory: MemoryReader
    reader: QuestionReader | None

    def values_of(self, text: str) -> Iterator[TripleValue]:
        asked = content_stems(text)
        for question in read_questions([text], reader=self.reader):
            for triple in recall(question, self.query, memory=self.memory).triples:
                if triple.polarity is Polarity.POSITIVE:
                    ends = [end for end in (triple.object, triple.subject.label) if content_stems(end) - asked]
                    yield from (TripleValue(end, triple.source.id) for end in ends[:1])
