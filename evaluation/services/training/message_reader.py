"""`train message-reader`: from labelled messages to a reader of facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from evaluation.core.calibration import best_threshold, cooled, fitted_temperature, log_odds
from evaluation.core.message_match import SPEAKER, FactLabel, Match
from evaluation.core.message_rows import figure_rows
from evaluation.core.reading_match import right_facts, right_objects
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import ReaderKind, parted, reader_exported, reader_finish, time_rows
from memory.adapters.learning.export import write_config
from memory.adapters.learning.message_reader import (
    BATCH,
    BEFORE_ROOM,
    LONGEST_SPAN,
    OTHER,
    SPEAKERS,
    WINDOW,
    LabelledMessage,
    MessageRecipe,
    read_messages,
)
from memory.adapters.readers.message_reader import KIND, OnnxMessageReader
from memory.core.types import MessageInContext, ReadFact

HELP = "the reader of facts in messages, from labelled messages"
# What is less probable is not looked at for the temperature.
LEAST = 0.01
UNFITTED_TEMPERATURE, UNFITTED_THRESHOLD = 1.0, 0.5
FLAG_THRESHOLD = 0.5
TIMED_MESSAGES = 200
READER = ReaderKind(
    title="the built-in message reader",
    what="Of a message and what was said before it, it gives the lasting facts: predicate, value, whom it is said of, "
    "and whether it is denied, past, future, supposed, asked, reported or corrected, with a calibrated probability.",
    counted="messages",
    limits="It reads 192 word pieces at once, 48 of them of what was said before; a longer message is read in parts. A "
    "value has at most eight words. Flags that are rare among its examples (asked, reported, supposed, corrected) it "
    'misses more often than it finds. It does not know who "she" is, nor what a date is: that is settled after it. '
    "Whose word it is, and what is pasted or played, is not its business either.",
    batch=BATCH,
    window=WINDOW,
)


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    data = read_messages(request.data, sources=request.sources)
    shown, held_out = parted(data.messages, request, of="messages")
    recipe = MessageRecipe(shown, data.glosses, base=request.base)
    config = {
        "kind": KIND,
        "window": WINDOW,
        "first_room": BEFORE_ROOM,
        "longest_span": LONGEST_SPAN,
        "flag_threshold": FLAG_THRESHOLD,
        "temperature": UNFITTED_TEMPERATURE,
        "threshold": UNFITTED_THRESHOLD,
        "predicates": list(data.glosses),
    }
    staged = reader_exported(recipe, request, config)
    fitted, calibration = calibrated(OnnxMessageReader(staged), held_out, tuple(data.glosses))
    write_config(staged, {**config, **fitted})
    reader = OnnxMessageReader(staged)
    rows = reading_rows(held_out, read_messages_with(reader, held_out), tuple(data.glosses))
    times = reading_times(reader, held_out)
    note = (
        f"{data.left_out} messages that only name their source were left out; --sources names the folder of the sets."
    )
    return reader_finish(
        staged,
        request,
        READER,
        sources=Counter(message.source for message in shown),
        held_out=len(held_out),
        left_out=data.left_out,
        calibration=calibration,
        figures=rows,
        times=times,
        also_trained="Every run of up to eight words is scored against every predicate by the embedding of its gloss.",
        notes=[note] if data.left_out else (),
    )


def calibrated(
    reader: OnnxMessageReader, messages: Sequence[LabelledMessage], predicates: Sequence[str]
) -> tuple[dict[str, float], str]:
    """Return the temperature under which what is right is likeliest, the threshold of the best F1, and both in words."""
    found = read_messages_with(reader, messages, least=LEAST)
    labels = [labels_of(message, predicates) for message in messages]
    hits = [hit for wanted, facts in zip(labels, found, strict=True) for hit in right_facts(wanted, facts)]
    logits = log_odds([fact.probability for facts in found for fact in facts])
    if not any(hits):
        return {}, "Nothing that it read of what was held out is right, so that nothing could be fitted."
    temperature = fitted_temperature(logits, [int(hit) for hit in hits])
    threshold = best_threshold(cooled(logits, temperature), hits, wanted=sum(map(len, labels)))
    words = (
        f"Logits are divided by {temperature:.3f}, fitted on the {len(hits):,} readings of held-out messages that are not "
        f"hopeless (over {LEAST}), each right or wrong as a whole. Facts are taken from {threshold.value:.3f} on, where F1 "
        "is best."
    )
    return {"temperature": temperature, "threshold": threshold.value}, words


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
