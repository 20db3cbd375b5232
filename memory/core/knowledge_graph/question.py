"""What a question asks of a knowledge graph: the pattern that `question_reader` reads.

A question becomes a `GraphQuestion`: the subject whose triples can answer, the predicates that could, and which part of a
triple is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from memory.core.types import AskedKind, AskedTime, TermPath


class Wanted(StrEnum):
    """The part of a triple, or the reading of several, that answers."""

    VALUE = "value"
    PLACE = "place"
    PERSON = "person"
    TIME = "time"
    DURATION = "duration"
    COUNT = "count"
    TRUTH = "truth"
    NAME = "name"
    IDENTITY = "identity"
    AGE = "age"
    REASON = "reason"
    MANNER = "manner"
    RELATION = "relation"
    EVERYTHING = "everything"


@dataclass(frozen=True)
class QuestionTerm:
    """A thing as the question names it, a term: "my sister's boss" is "boss" owned by "sister" owned by the speaker."""

    text: str
    owner: QuestionTerm | None = None
    is_speaker: bool = False


SPEAKER = QuestionTerm("I", is_speaker=True)


@dataclass(frozen=True)
class GraphQuestion:
    """A question to the graph.

    `subject` is None where it was not read, `value` is what the question gives on the other side ("Lyon" in "Does Ana live in
    Lyon?"), `value_path` the same as it was read. `predicates` are names of the ontology, best first; none where the question
    names no known predicate. `when` is the time asked about, `time` its date expression as written. `excluded` names what the
    answer shall leave out ("besides French"), `is_denied` is true of "What don't I eat?". `content` are the folded stems of
    the words that carry meaning, `kind` is what the question is put to: the memory, unless the reader is sure.
    """

    text: str
    wanted: Wanted
    subject: QuestionTerm | None = None
    value: QuestionTerm | None = None
    predicates: tuple[str, ...] = ()
    when: AskedTime = AskedTime.NOW
    time: str = ""
    excluded: str = ""
    is_denied: bool = False
    is_list: bool = False
    kind: AskedKind = AskedKind.MEMORY
    content: frozenset[str] = field(default_factory=frozenset)
    value_path: TermPath | None = None

    @property
    def is_past(self) -> bool:
        return self.when is AskedTime.PAST
