"""Report rows of reading messages: precision, recall and F1 of whole facts, and of their objects alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.interval_rows import grouped, mean_row
from evaluation.core.message_match import Match, MessageMatch
from evaluation.core.report import Row


@dataclass(frozen=True)
class ReadMessage:
    """A labelled message, named by its line, as one extractor read it. `error` says why it was not read."""

    reader: str
    line: int
    register: str
    match: MessageMatch
    error: str = ""


def message_rows(messages: Sequence[ReadMessage]) -> list[Row]:
    """Return the rows of each reader, of all messages and of each register. A message that failed counts as read empty."""
    by_reader = grouped(messages, lambda message: message.reader)
    return [row for reader, own in by_reader.items() for row in reader_rows(reader, own)]


def reader_rows(reader: str, messages: Sequence[ReadMessage]) -> Iterator[Row]:
    for group in ("", *dict.fromkeys(message.register for message in messages)):
        inside = [message for message in messages if group in ("", message.register)]
        yield from figure_rows(reader, "", {one.line: one.match.facts for one in inside}, group=group)
        yield from figure_rows(reader, "object_", {one.line: one.match.objects for one in inside}, group=group)
    failed = [message for message in messages if message.error]
    if failed:
        yield Row(reader, "failed", len(failed), unit="messages", n=len(messages), why=failed[0].error)


def figure_rows(reader: str, prefix: str, matches: Mapping[int, Match], *, group: str) -> Iterator[Row]:
    """Yield precision over the facts that were read, recall over those that were labelled, and F1 over both."""
    right = {line: match.right for line, match in matches.items()}
    read = {line: match.read for line, match in matches.items()}
    labelled = {line: match.labelled for line, match in matches.items()}
    yield share_row(reader, f"{prefix}precision", right, read, group=group, none="no fact was read")
    yield share_row(reader, f"{prefix}recall", right, labelled, group=group, none="no fact is labelled")
    # F1 is the share of the facts of both sides that have a counterpart on the other.
    paired = {line: 2 * count for line, count in right.items()}
    both = {line: read[line] + labelled[line] for line in matches}
    none = "no fact was read, and none is labelled"
    yield share_row(reader, f"{prefix}f1", paired, both, group=group, none=none)


def share_row(
    reader: str, metric: str, hits: Mapping[int, int], counts: Mapping[int, int], *, group: str, none: str
) -> Row:
    """Return the share of the hits, with an interval for which whole messages are drawn; `n` counts what they are of."""
    clusters = {str(line): [1.0] * hits[line] + [0.0] * (count - hits[line]) for line, count in counts.items() if count}
    return mean_row(reader, metric, clusters, group=group, none=none)
