"""What the backbones ask for beside the shared ports."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory.core.types import Triple, Utterance


@dataclass(frozen=True)
class Gist:
    """What utterances come to: a text, and those of the utterances that it rests on."""

    text: str
    rests_on: tuple[Utterance, ...]


class Summariser(Protocol):
    """Sums utterances up, by the role `summarise`."""

    def summarise_many(self, groups: Sequence[Sequence[Utterance]]) -> list[Gist]:
        """Return the gist of each group, which is not empty; a gist has a text and rests on a few utterances."""


class TripleTeller(Protocol):
    def __call__(self, triple: Triple, *, at: datetime) -> str:
        """Return a triple as a sentence, as it stands at a time."""
