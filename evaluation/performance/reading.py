"""`bench reading`: how well messages are read, by the product's reader and by another one's weights beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.labelled_messages import LabelledMessage, read_messages, turns_of
from evaluation.core.message_match import SPEAKER, FactLabel, figure_rows, message_match
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.services.messages import BUILT_IN, facts_read
from memory import bootstrap
from memory.adapters.learning import message_reader as recipe
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor

HELP = "F1 of reading messages, by set: what the training held out, and what nobody who writes code has seen"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("data", Path, None, "a file of labelled messages instead of those sets"),
    BenchOption("than", Path, None, "the folder of another message reader's weights, read beside the product's own"),
)
OWN_MESSAGES = Path("memory") / "training" / "messages"
UNSEEN = Path("tests") / "data" / "unseen"
HELD_OUT = "held out"


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the figures of each reader on each set, which is the row's group."""
    path, folders = options["data"], {BUILT_IN: Path(settings.DSMART_MESSAGE_READER)}
    if options["than"] is not None:
        folders["than"] = options["than"]
    sets = own_sets() if path is None else {path.stem: read_messages(path).messages}
    rows: list[Row] = []
    total = len(folders) * sum(map(len, sets.values()))
    with progress_bar(total, title="reading", unit="messages", hidden=options["quiet"]) as bar:
        for name, folder in folders.items():
            extractor = LearnedExtractor(reader=OnnxMessageReader(folder), parser=bootstrap.parser())
            for group, messages in sets.items():
                matches = {}
                for place, message in enumerate(messages):
                    matches[place] = message_match(message.labels, facts_read(message.turns, extractor=extractor))
                    bar.update(1)
                rows += figure_rows(name, "", {at: match.facts for at, match in matches.items()}, group=group)
                rows += figure_rows(name, "object_", {at: match.objects for at, match in matches.items()}, group=group)
    return rows


def own_sets() -> dict[str, tuple[LabelledMessage, ...]]:
    """Return the sets that come with the product by name; of real messages only the labels do."""
    written = sorted((settings.BASE_DIR / UNSEEN).glob("messages_*.jsonl"))
    unseen = {path.stem: read_messages(path).messages for path in written if path.stem != "messages_real"}
    return {HELD_OUT: tuple(held_out_messages(settings.BASE_DIR / OWN_MESSAGES)), **unseen}


def held_out_messages(folder: Path) -> Iterator[LabelledMessage]:
    """Yield the messages of a folder that the training of the message reader holds out."""
    for line, message in enumerate(recipe.read_messages(folder).messages, start=1):
        if message.is_held_out:
            turns = turns_of(message.text, message.before)
            yield LabelledMessage(line, message.register, turns, tuple(labels_of(message)))


def labels_of(message: recipe.LabelledMessage) -> Iterator[FactLabel]:
    for fact in message.facts:
        subject = SPEAKER if fact.subject.casefold() in recipe.SPEAKERS else fact.subject
        yield FactLabel(subject, fact.predicate, fact.object)
