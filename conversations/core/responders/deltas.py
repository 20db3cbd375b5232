"""Splits the words of a reply into the pieces that are streamed, and tells in its trace what was answered with them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from conversations.core.tracing.answered import Answered
from conversations.core.types import Changed, Delta, Grounds, ReplyPart
from memory.core.errors import UnparsableReply
from memory.core.plain_text import has_words
from memory.core.types import SamplingConfig

NOTHING_SAID = "The model ended its reply without a word. Try again, or choose another model or way of answering."
OtherT = TypeVar("OtherT", bound=Changed)
# Words about known facts leave little to invent.
FAITHFUL = SamplingConfig(temperature=0.2)


def deltas(text: str, *, is_first: bool = True) -> Iterator[Delta]:
    """Yield a text in groups of three words, with a space before it unless it `is_first`."""
    words = text.split(" ")
    for start in range(0, len(words), 3):
        lead = "" if start == 0 and is_first else " "
        yield Delta(lead + " ".join(words[start : start + 3]))


def with_answers(parts: Iterator[ReplyPart | OtherT]) -> Iterator[ReplyPart | OtherT]:
    """Yield the parts of a reply and, as the last step of each answer, its words as they were said and their grounds.

    A responder that tells its answers apart has yielded their steps (`Answered`); what it did not is one answer.
    """
    text, grounds = "", Grounds()
    try:
        for part in parts:
            match part:
                case Delta():
                    text += part.text
                case Grounds():
                    grounds = grounds.with_more(part)
                case Answered() if has_words(text):
                    part, text, grounds = concluded(part, text, grounds), "", Grounds()
            yield part
        if has_words(text):
            yield concluded(Answered(), text, grounds)
    finally:
        # Whoever closes this ends the responder, and the model's reply that it reads.
        close = getattr(parts, "close", None)
        if close is not None:
            close()


def concluded(step: Answered, text: str, grounds: Grounds) -> Answered:
    return replace(
        step,
        text=text.strip(),
        triples=tuple(item.triple.id for item in grounds.triples),
        sentences=tuple(item.sentence.id for item in grounds.sentences),
    )


def streamed(texts: Iterator[str]) -> Iterator[Delta]:
    """Yield the text of a language model as it comes, from its first visible character on, without NUL (no database has it).

    Raises `UnparsableReply` where there is none: an empty reply is a failed one.
    """
    lead = ""
    texts = (text.replace("\0", "") for text in texts)
    for text in texts:
        lead += text
        if has_words(lead):
            yield Delta(lead)
            break
    else:
        raise UnparsableReply(NOTHING_SAID, reply=lead)
    yield from (Delta(text) for text in texts if text)
