"""The times that a sentence names, with the tokens that name them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.core.english.times import TimeReference, times_in
from memory.core.english.trees import Tree
from memory.core.types import TimeSpan


@dataclass(frozen=True)
class TimeMention:
    """A phrase for a time: its tokens, what it means, and the time as a span in the time zone of its speaker."""

    tokens: tuple[int, ...]
    reference: TimeReference
    time: TimeSpan


def find_times(tree: Tree, *, said_at: datetime) -> list[TimeMention]:
    """Return the times that a sentence names exactly; lengths ("for three years") count back from now."""
    found = list[TimeMention]()
    for reference in times_in(tree.text, said_at=said_at):
        tokens = tuple(
            token.index
            for token in tree.tokens
            if token.start >= reference.span.start and token.end <= reference.span.end + 1 and token.pos != "PUNCT"
        )
        if tokens and not reference.is_vague:
            found.append(TimeMention(tokens, reference, reference.during(said_at)))
    return found
