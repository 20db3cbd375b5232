"""How facts and sentences go out by the doors, the same by each."""

from datetime import datetime

from pydantic import BaseModel, Field

from conversations.models import Reply
from memory.core.types import Polarity, SourceSentence
from memory.models import TripleRecord
from memory.stores import source_of


class Source(BaseModel):
    """A sentence that somebody said; of a fact set by hand, who set it and when."""

    id: int = Field(description="The number of the sentence.")
    text: str
    speaker: str
    said_at: datetime
    why: str = Field("", description="Why it was taken.")


class KnownFact(BaseModel):
    """A fact of the memory: subject, predicate and value, with the sentence that says so."""

    id: int = Field(description="The number of the fact, by which it is corrected and forgotten.")
    subject: str
    predicate: str
    value: str
    is_negative: bool = Field(description="True where it is not so.")
    holds: bool = Field(description="False once something replaced it.")
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source: Source
    why: str = Field("", description="Why it was taken.")


class KnowledgeUsed(BaseModel):
    """A triple of a knowledge base."""

    source: str = Field(description="The name of the knowledge base.")
    subject: str
    predicate: str
    value: str
    why: str = ""


class Used(BaseModel):
    """What an answer rests on."""

    facts: list[KnownFact] = []
    sentences: list[Source] = []
    knowledge: list[KnowledgeUsed] = []


def fact_of(row: TripleRecord, *, why: str = "") -> KnownFact:
    """Return a fact with its source; the row has its ends and its sentence."""
    return KnownFact(
        id=row.pk,
        subject=row.subject.label,
        predicate=row.predicate,
        value=row.object.label if row.object is not None else row.value,
        is_negative=row.polarity == Polarity.NEGATIVE,
        holds=row.superseded_at is None,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        source=sentence_of(source_of(row.sentence)),
        why=why,
    )


def sentence_of(sentence: SourceSentence, *, why: str = "") -> Source:
    return Source(id=sentence.id, text=sentence.shown, speaker=sentence.speaker, said_at=sentence.said_at, why=why)


def used_by(reply: Reply) -> Used:
    """Return what a reply rests on; it was read with its grounds."""
    return Used(
        facts=[fact_of(one.triple, why=one.why) for one in reply.triples_used.all()],
        sentences=[sentence_of(source_of(one.sentence), why=one.why) for one in reply.sentences_used.all()],
        knowledge=[
            KnowledgeUsed(
                source=one.base.name, subject=one.subject, predicate=one.relation, value=one.object, why=one.why
            )
            for one in reply.knowledge_used.all()
        ],
    )
