"""Measuring how the built-in engine reads labelled messages, each message as if its writer had just sent it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.labelled_messages import LabelledMessage, MessageTurns, read_messages
from evaluation.core.message_match import ReadMessage, message_match, message_rows
from evaluation.core.report import Row
from memory import bootstrap
from memory.bootstrap.models import BUILTIN
from memory.bootstrap.roles import EXTRACT_FACTS
from memory.core.ports import KnowledgeExtractor
from memory.core.types import Fact, Utterance

logger = logging.getLogger(__name__)

BUILT_IN = "built-in"


@dataclass(frozen=True)
class MessagesResult:
    """The messages as they were read, and what was wrong with other lines of the file."""

    read: tuple[ReadMessage, ...]
    bad_lines: tuple[str, ...]

    def rows(self) -> list[Row]:
        rows = message_rows(self.read)
        if self.bad_lines:
            why = "; ".join(self.bad_lines)
            rows.append(Row("messages", "bad_lines", len(self.bad_lines), unit="lines", why=why))
        return rows


def messages_evaluate(
    *, path: Path, sources: Path | None = None, limit: int | None = None, quiet: bool = False
) -> MessagesResult:
    """Return how the built-in engine reads the messages of a file, at most `limit` of them."""
    file = read_messages(path, sources=sources)
    messages = file.messages[:limit]
    extractor = bootstrap.engine(BUILTIN).player(EXTRACT_FACTS)
    read: list[ReadMessage] = []
    with progress_bar(len(messages), title=path.stem, unit="messages", hidden=quiet) as bar:
        for message in messages:
            read.append(message_read(message, reader=BUILT_IN, extractor=extractor))
            bar.update(1)
    return MessagesResult(tuple(read), file.bad_lines)


def message_read(message: LabelledMessage, *, reader: str, extractor: KnowledgeExtractor) -> ReadMessage:
    """Return a message as an extractor reads it. An error counts for this message only, as if nothing were read."""
    facts: list[Fact] = []
    failure = ""
    try:
        facts = facts_read(message.turns, extractor=extractor)
    except Exception as error:
        logger.exception("Line %d was not read by %s.", message.line, reader)
        failure = str(error) or type(error).__name__
    return ReadMessage(reader, message.line, message.register, message_match(message.labels, facts), failure)


def facts_read(turns: MessageTurns, *, extractor: KnowledgeExtractor) -> list[Fact]:
    """Return the facts of a message's sentences, with what was said before it as their context."""
    context = [turns.before] if turns.before is not None else []
    fragments = extractor.extract_many(list(sentences_of(turns.said)), context=context)
    return [fact for fragment in fragments for fact in fragment.facts]


def sentences_of(said: Utterance) -> Iterator[Utterance]:
    """Yield the sentences of a message, as upkeep does."""
    [spans] = bootstrap.segmenter().segment_many([said.text])
    end = spans[0].span.start if spans else 0
    for sentence in spans:
        breaks = said.text[end : sentence.span.start].count("\n")
        yield Utterance(said.speaker, said.role, sentence.text, said.said_at, breaks)
        end = sentence.span.end
