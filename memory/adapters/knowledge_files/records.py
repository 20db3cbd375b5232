"""What the lines of a file of knowledge state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class NameKind(IntEnum):
    """How a name is given; the first kind that a thing has names it."""

    LABEL = 0
    FALLBACK = 1
    ALIAS = 2


@dataclass(frozen=True)
class StatedTriple:
    """A triple of things by their identities: names, or IRIs where the format has them."""

    line: int
    subject: str
    relation: str
    object: str


@dataclass(frozen=True)
class StatedName:
    """A name of a thing, by the thing's identity."""

    line: int
    identity: str
    name: str
    kind: NameKind = NameKind.ALIAS


@dataclass(frozen=True)
class StatedPassage:
    line: int
    title: str
    text: str


StatedRecord = StatedTriple | StatedName | StatedPassage
