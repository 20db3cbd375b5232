"""`evaluate messages`: how well the built-in engine reads the lasting facts out of what people write."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.core.message_match import ReadMessage
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of
from evaluation.services.messages import messages_evaluate

HELP = "precision, recall and F1 of the facts that are read out of labelled messages"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="JSONL of p, s, r and f")
    parser.add_argument(
        "--sources",
        type=Path,
        metavar="DIR",
        help="holds locomo/*.json and mtbench101/*.jsonl, for lines that name a message instead of its words",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="at most the first N messages")
    parser.add_argument(
        "--items", type=Path, metavar="OUT", help="write what each message was misread for, one JSON a line"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the extractor, group the register."""
    limit = most_of(options)
    path, sources = options["data"], options["sources"]
    result = messages_evaluate(path=path, sources=sources, limit=limit, quiet=options["verbosity"] == 0)
    items_write(map(item, result.read), options["items"])
    made_with = identity(code_folder=settings.BASE_DIR, data=[path], config={"limit": limit})
    return Report("evaluate messages", made_with, result.rows())


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
