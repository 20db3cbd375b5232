"""Says an utterance in full: what its pronouns mean and what was left out, in the words of what was said before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory.core.english.grammatical_person import as_the_other_says
from memory.core.english.stop_words import STOP_WORDS
from memory.core.types import Reference, Span, UtteranceInDialogue


@dataclass(frozen=True)
class Replacement:
    """Where words of an utterance gave way, and where those that say it in full stand; the first span may be empty."""

    said: Span
    in_full: Span


@dataclass(frozen=True)
class Reformulation:
    """An utterance that a stranger to the dialogue understands, aligned with what was said."""

    text: str
    replacements: tuple[Replacement, ...] = ()


def in_full(said: UtteranceInDialogue, references: Iterable[Reference], *, threshold: float) -> Reformulation:
    """Return an utterance with what its references mean in their places, as far as they are probable enough.

    References must not overlap. What another speaker said is put as the speaker of the utterance would: "your sister" of the
    turn before is "my sister".
    """
    text, at = "", 0
    replacements = []
    for reference in sorted(references, key=lambda one: one.span.start):
        words = words_for(reference, said)
        put = said.text[reference.span.start : reference.span.end]
        if reference.probability < threshold or words.casefold() == put.casefold():
            continue
        text += said.text[at : reference.span.start]
        if not put:
            text += " " if text and not text[-1].isspace() else ""
        begins = len(text)
        text += words
        replacements.append(Replacement(reference.span, Span(begins, len(text))))
        at = reference.span.end
        if not put and said.text[at : at + 1].isalnum():
            text += " "
    return Reformulation(text + said.text[at:], tuple(replacements))


def words_for(reference: Reference, said: UtteranceInDialogue) -> str:
    """Return the words that take the place of a reference."""
    meant = reference.meant.text
    if said.is_of_other(reference.meant.span.start):
        meant = as_the_other_says(meant)
    first = meant.split()[0]
    if first.casefold() in STOP_WORDS - {"i"}:
        meant = meant[:1].lower() + meant[1:]
    words = f"{reference.link} {meant}".strip() + ("'s" if reference.is_owner else "")
    opens = reference.span.start == 0 and said.text[:1].isupper()
    return words[:1].upper() + words[1:] if opens else words
