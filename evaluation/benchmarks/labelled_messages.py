"""Labelled messages, in the form of `memory/training/messages/GUIDE.md`: {"p", "s", "r", "f"}, one a line.

A message of a public set is named instead of written out, {"source", "r", "f"}: "locomo/<sample>/<dialogue id>" or
"mtbench101/<task>/<id>/<user turn, counted from 0>". Its words are then read from a folder that holds `locomo/*.json` and
`mtbench101/*.jsonl`. What was said before it is the turn before it in its session, or the beginning of the reply before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.benchmarks import locomo, mtbench101
from evaluation.benchmarks.reading import (
    SPEAKERS,
    TURN_PAUSE,
    UNDATED,
    Field,
    parse,
    read_json,
    read_json_lines,
    unreadable,
)
from evaluation.core.errors import EvaluationError, MalformedBenchmark
from evaluation.core.folding import contains_words
from evaluation.core.message_match import FactLabel
from memory.core.types import Role, Utterance

# Who writes a message whose author has no name: the first whom its words do not speak of.
WRITERS = ("Ana", "Ruth", "Igor")
REPLY_CHARACTERS = 400
FACT_PARTS = 4


@dataclass(frozen=True)
class MessageTurns:
    """A message, and the turn before it where there is one."""

    said: Utterance
    before: Utterance | None = None


@dataclass(frozen=True)
class LabelledMessage:
    """A message with its register and the facts that an annotator found in it. `line` is its place in the file."""

    line: int
    register: str
    turns: MessageTurns
    labels: tuple[FactLabel, ...]


@dataclass(frozen=True)
class MessageFile:
    """The messages of a file. `bad_lines` says for each other line its number and what is wrong."""

    messages: tuple[LabelledMessage, ...]
    bad_lines: tuple[str, ...]


def read_messages(path: Path, *, sources: Path | None = None) -> MessageFile:
    """Return the messages of a file, in order. Empty lines are skipped.

    Raises `EvaluationError` for what cannot be read, and for named messages without a folder of sources, and
    `MalformedBenchmark` for a source that does not follow its format, and for a file without a single message.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise unreadable(path, error) from error
    named = source_turns(sources) if sources is not None else None
    messages: list[LabelledMessage] = []
    bad_lines: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = Field(parse(line.decode("utf-8-sig"), where=f"record {number}"), number)
            messages.append(message_of(record, named))
        except MalformedBenchmark as error:
            bad_lines.append(str(error))
        except UnicodeDecodeError as error:
            bad_lines.append(f"record {number}: not a text in UTF-8 ({error.reason})")
    if not messages:
        why = bad_lines[0] if bad_lines else "there is no record in it"
        raise MalformedBenchmark(f"{path.name} holds no labelled message: {why}")
    return MessageFile(tuple(messages), tuple(bad_lines))


def message_of(record: Field, named: Mapping[str, MessageTurns] | None) -> LabelledMessage:
    source, register = record.find("source"), record.find("r")
    turns = written(record) if source is None else found(source, named)
    group = source.name().partition("/")[0] if register is None and source is not None else record.need("r").name()
    return LabelledMessage(record.record, group, turns, tuple(map(label_of, record.need("f").items())))


def label_of(fact: Field) -> FactLabel:
    parts = fact.items()
    if len(parts) != FACT_PARTS:
        fact.fail("[subject, predicate, object, flags]")
    subject, predicate, value, flags = parts
    flags.text()
    return FactLabel(subject.name(), predicate.name(), value.name())


def written(record: Field) -> MessageTurns:
    """Return a message that is written out. What the other one said may be missing."""
    before = record.find("p")
    return turns_of(record.need("s").text(), before.text() if before is not None else "")


def found(source: Field, named: Mapping[str, MessageTurns] | None) -> MessageTurns:
    if named is None:
        raise EvaluationError(
            f"Record {source.record} names a message of a public set, {source.name()!r}, instead of its words. "
            "Give --sources, the folder of the sets."
        )
    if source.name() not in named:
        source.fail("a message of the folder of sources")
    return named[source.name()]


def turns_of(text: str, before: str) -> MessageTurns:
    """Return a message to the assistant."""
    writer = next((name for name in WRITERS if not contains_words(f"{before} {text}", name)), WRITERS[-1])
    said = Utterance(writer, Role.USER, text, UNDATED + TURN_PAUSE)
    if not before.strip():
        return MessageTurns(said)
    return MessageTurns(said, Utterance(SPEAKERS[Role.ASSISTANT], Role.ASSISTANT, before, UNDATED))


def source_turns(folder: Path) -> dict[str, MessageTurns]:
    """Return the messages of the public sets in a folder, by their names."""
    if not folder.is_dir():
        raise EvaluationError(f"{folder} is no folder. Give --sources the folder that holds locomo and mtbench101.")
    turns: dict[str, MessageTurns] = {}
    for path in sorted(folder.glob("locomo/*.json")):
        content = read_json(path)
        for number, value in enumerate(content if isinstance(content, list) else [content], start=1):
            turns.update(locomo_turns(Field(value, number)))
    for path in sorted(folder.glob("mtbench101/*.jsonl")):
        for record in read_json_lines(path):
            turns.update(mtbench101_turns(record))
    return turns


def locomo_turns(record: Field) -> Iterator[tuple[str, MessageTurns]]:
    """Yield a conversation's turns as they were typed, without the captions of what is shared beside them."""
    conversation = record.need("conversation")
    case = locomo.case(record)
    for session in case.sessions:
        before: Utterance | None = None
        for turn, given in zip(session.turns, conversation.need(session.key).items(), strict=True):
            words = given.find("text")
            said = Utterance(turn.speaker, turn.role, words.text() if words is not None else "", turn.said_at)
            yield f"{locomo.NAME}/{case.id}/{turn.key}", MessageTurns(said, before)
            before = said


def mtbench101_turns(record: Field) -> Iterator[tuple[str, MessageTurns]]:
    case = mtbench101.case(record)
    reply = ""
    for number, exchange in enumerate(record.need("history").items()):
        name = f"{mtbench101.NAME}/{case.category}/{case.id}/{number}"
        yield name, turns_of(exchange.need("user").text(), reply)
        reply = exchange.need("bot").text()[:REPLY_CHARACTERS]
