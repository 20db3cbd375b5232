"""Reads a question that leans on what was said before as its speaker would have put it to a stranger, then asks it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conversations.core.ports import Responder
from conversations.core.responders.message import Kind, read_message
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.english.references import Reformulation, in_full
from memory.core.ports import ReferenceReader
from memory.core.types import Span, UtteranceInDialogue

# So many utterances before a question may say what it means.
REACH = 6


@dataclass(frozen=True)
class SaidInFull:
    """Implements `Responder`: another one, which is asked what a question means rather than what it says.

    What a message states stays as it was said: memory reads it with its own context.
    """

    responder: Responder
    references: ReferenceReader

    @property
    def name(self) -> str:
        return self.responder.name

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        said = self._in_full(query)
        if said.replacements:
            yield Stage("resolve", f"read it as “{said.text.strip()}”")
        yield from self.responder.reply(replace(query, text=said.text))

    def _in_full(self, query: Query) -> Reformulation:
        asked = [piece.text for piece in read_message(query.text) if piece.kind is Kind.QUESTION]
        places = [Span(start, start + len(one)) for one in asked if (start := query.text.find(one)) >= 0]
        if not places or not query.history:
            return Reformulation(query.text)
        before = query.history[-REACH:]
        said = UtteranceInDialogue(
            query.text,
            tuple(one.text.replace("\n", " ") for one in before),
            tuple(one.speaker != query.speaker for one in before),
        )
        [found] = self.references.resolve_many([said])
        meant = [
            one for one in found if any(place.start <= one.span.start and one.span.end <= place.end for place in places)
        ]
        return in_full(said, meant, threshold=self.references.threshold)
