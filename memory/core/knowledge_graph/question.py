"""What a question asks of a knowledge graph: the words that `question_reader` fills in.

A question becomes a `GraphQuestion`: the subject whose triples can answer, the predicates that could, and which part of a
triple is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from memory.core.types import AskedKind


class Wanted(StrEnum):
    """The part of a triple, or the reading of several, that answers."""

    VALUE = "value"
    PLACE = "place"
    PERSON = "person"
    SUBJECT = "subject"
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
    """A thing as the question names it, a term: "my sister's boss" is "boss" owned by "sister" owned by the speaker.

    `role` is the common noun that stands beside a name: "sister" in "my sister Maya". `is_speaker` is true of first
    persons; `is_pronoun` is true of third persons, which only the dialogue can resolve.
    """

    text: str
    owner: QuestionTerm | None = None
    role: str = ""
    is_speaker: bool = False
    is_pronoun: bool = False


SPEAKER = QuestionTerm("I", is_speaker=True)


@dataclass(frozen=True)
class GraphQuestion:
    """A question to the graph.

    `subject` is None where the subject itself is wanted ("Who lives in Lyon?"). `verb` is the base form ("be" for
    copulas), `noun` the asked attribute or kind ("favourite band", "city"), `object` what the question gives on the
    other side. `predicates` are names of the ontology, best first; none where the words name no known predicate.
    `content` are the folded stems of the words that carry meaning, `is_past` is true where former times are asked for
    by words ("before", "used to"), `is_finished` where the verb is in the past, `is_perfect` where it asks for the
    past and the present alike ("Have I ever been to Rome?"), `is_future` where
    it asks for plans, `time` is a date expression as written. `excluded` names
    what the answer shall leave out ("besides French"). `kind` is what it is put to: the memory, unless a reader is sure.
    """

    text: str
    wanted: Wanted
    subject: QuestionTerm | None = None
    verb: str = ""
    preposition: str = ""
    noun: str = ""
    object: QuestionTerm | None = None
    predicates: tuple[str, ...] = ()
    is_past: bool = False
    is_finished: bool = False
    is_perfect: bool = False
    is_future: bool = False
    is_negative: bool = False
    is_list: bool = False
    time: str = ""
    excluded: str = ""
    kind: AskedKind = AskedKind.MEMORY
    content: frozenset[str] = field(default_factory=frozenset)
