"""`train message-reader`: from labelled messages to a reader of facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from evaluation.core.calibration import best_threshold, cooled, fitted_temperature, log_odds
from evaluation.core.message_match import SPEAKER, FactLabel, Match, figure_rows, right_facts, right_objects
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import parted, reader_exported, time_rows
from memory.adapters.learning.message_reader import (
    LONGEST_SPAN,
    OTHER,
    SPEAKERS,
    LabelledMessage,
    MessageRecipe,
    read_messages,
)
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.core.types import MessageInContext, ReadFact

HELP = "the reader of facts in messages, from labelled messages"
# What is less probable is not looked at for the temperature.
LEAST = 0.01
FLAG_THRESHOLD = 0.5
TIMED_MESSAGES = 200


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    data = read_messages(request.data, sources=request.sources, own=request.own)
    predicates = tuple(data.glosses)
    shown, held_out = parted(data.messages, request, of="messages")
    exported = reader_exported(
        MessageRecipe(shown, data.glosses, base=request.base),
        request,
        OnnxMessageReader,
        longest_span=LONGEST_SPAN,
        flag_threshold=FLAG_THRESHOLD,
        temperature=1.0,
        threshold=0.5,
        predicates=list(predicates),
    )
    found = read_messages_with(exported.reading(), held_out, least=LEAST)
    fitted = fitted_numbers(found, [labels_of(message, predicates) for message in held_out])
    reader = exported.reading(**fitted)
    note = (
        f"{data.left_out} messages that only name their source were left out; --sources names the folder of the sets."
    )
    return exported.finish(
        reading_rows(held_out, read_messages_with(reader, held_out), predicates),
        reading_times(reader, held_out),
        sources=Counter(message.source for message in shown),
        held_out=len(held_out),
        left_out=data.left_out,
        notes=[note] if data.left_out else (),
        fitted=fitted,
        readings=sum(map(len, found)),
        hopeless=LEAST,
    )


def fitted_numbers(found: Sequence[Sequence[ReadFact]], labels: Sequence[Sequence[FactLabel]]) -> dict[str, float]:
    """Return the temperature under which what is right is likeliest, and the threshold of the best F1, if any is right."""
    hits = [hit for wanted, facts in zip(labels, found, strict=True) for hit in right_facts(wanted, facts)]
    if not any(hits):
        return {}
    logits = log_odds([fact.probability for facts in found for fact in facts])
    temperature = fitted_temperature(logits, [int(hit) for hit in hits])
    threshold = best_threshold(cooled(logits, temperature), hits, wanted=sum(map(len, labels)))
    return {"temperature": temperature, "threshold": threshold.value}


def read_messages_with(
    reader: OnnxMessageReader, messages: Sequence[LabelledMessage], *, least: float | None = None
) -> list[tuple[ReadFact, ...]]:
    return reader.read_many([in_context(message) for message in messages], least=least)


def in_context(message: LabelledMessage) -> MessageInContext:
    return MessageInContext(message.text, message.before)


def labels_of(message: LabelledMessage, predicates: Sequence[str]) -> list[FactLabel]:
    """Return a message's labels as the reader can give them: what has no name of its own is `other`."""
    return [
        FactLabel(
            SPEAKER if fact.subject.casefold() in SPEAKERS else fact.subject,
            fact.predicate if fact.predicate in predicates else OTHER,
            fact.object,
        )
        for fact in message.facts
    ]


def reading_rows(
    messages: Sequence[LabelledMessage], read: Sequence[tuple[ReadFact, ...]], predicates: Sequence[str]
) -> list[Row]:
    """Return precision, recall and F1 of whole facts, and F1 of objects alone, over all messages and by register."""
    labelled = [labels_of(message, predicates) for message in messages]
    whole = [match_of(labels, facts, right_facts) for labels, facts in zip(labelled, read, strict=True)]
    objects = [match_of(labels, facts, right_objects) for labels, facts in zip(labelled, read, strict=True)]
    rows: list[Row] = []
    for group in ("", *dict.fromkeys(message.register for message in messages if message.register)):
        inside = [place for place, message in enumerate(messages) if group in ("", message.register)]
        rows += figure_rows(BUILT_IN, "", {place: whole[place] for place in inside}, group=group)
        of_objects = figure_rows(BUILT_IN, "object_", {place: objects[place] for place in inside}, group=group)
        rows += (row for row in of_objects if row.metric == "object_f1")
    return rows


def match_of(
    labels: Sequence[FactLabel],
    read: Sequence[ReadFact],
    right: Callable[[Sequence[FactLabel], Sequence[ReadFact]], list[bool]],
) -> Match:
    return Match(len(labels), len(read), sum(right(labels, read)))


def reading_times(reader: OnnxMessageReader, messages: Sequence[LabelledMessage]) -> list[Row]:
    """Return what reading a message takes."""
    one_by_one = [partial(reader.read_many, [in_context(message)]) for message in messages[:TIMED_MESSAGES]]
    return time_rows(one_by_one, group="a message")
