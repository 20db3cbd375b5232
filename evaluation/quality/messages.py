"""`evaluate messages`: how well the built-in engine reads the lasting facts out of what people write."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.core.message_match import ReadMessage
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of, reported, usual_options
from evaluation.services.messages import messages_evaluate

HELP = "precision, recall and F1 of the facts that are read out of labelled messages"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, data="JSONL of p, s, r and f", limit="messages", items="what each message was misread for")
    parser.add_argument(
        "--sources",
        type=Path,
        metavar="DIR",
        help="holds locomo/*.json and mtbench101/*.jsonl, for lines that name a message instead of its words",
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the extractor, group the register."""
    limit = most_of(options)
    path, sources = options["data"], options["sources"]
    result = messages_evaluate(path=path, sources=sources, limit=limit, quiet=options["verbosity"] == 0)
    items_write(map(item, result.read), options["items"])
    return reported("messages", result.rows(), data=[path], config={"limit": limit})


def item(message: ReadMessage) -> dict[str, object]:
    """Return a message's outcome as JSON: what was missed, in the annotator's words, and what was read wrongly."""
    return {
        "reader": message.reader,
        "line": message.line,
        "register": message.register,
        "right": message.match.facts.right,
        "missed": [[label.subject, label.predicate, label.object] for label in message.match.missed],
        "false": [[fact.subject.label, fact.predicate, fact.object.label] for fact in message.match.false],
        "error": message.error,
    }
