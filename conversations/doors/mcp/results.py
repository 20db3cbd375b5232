"""What the tools answer, each with the schema that clients are shown."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from conversations.doors.shown import KnownFact, Source, Used


class Remembered(BaseModel):
    """What became of a text: it is stored; `learnt` once its facts are, `pending` while they are still read."""

    state: Literal["learnt", "pending", "failed"]
    facts: list[KnownFact] = Field(description="The facts that were read from it.")
    replaced: list[KnownFact] = Field(description="Earlier facts that these replaced.")
    note: str = ""


class Recalled(BaseModel):
    """What was said nearest to a query, best first, and the facts that were read from it."""

    sentences: list[Source]
    facts: list[KnownFact]


class Answer(Used):
    """An answer, how it was found step by step, and what it rests on."""

    text: str
    proof: list[str] = Field(description="How it was found; a line that belongs to an earlier one is indented.")


class About(BaseModel):
    """What is known about somebody or something, newest first."""

    facts: list[KnownFact]
    has_more: bool = Field(description="True where there are more facts than asked for.")
    similar: list[str] = Field(description="Where nothing is known: names that contain these letters.")


class Change(BaseModel):
    """A fact that does not hold any more."""

    at: datetime
    fact: KnownFact
    replaced_by: KnownFact | None = Field(description="Null where it was taken back and nothing took its place.")
    rule: str = Field(description="Which rule decided it; empty where none did.")


class Changes(BaseModel):
    """What changed since a time, newest first."""

    since: datetime
    ended: list[Change]
    added: list[KnownFact]


class Corrected(BaseModel):
    """The fact that holds now, null where one was only taken back. It can be undone on the page of edits."""

    fact: KnownFact | None


class ForgottenRows(BaseModel):
    """How much was forgotten, for good."""

    facts: int
    sentences: int
