"""What cases of the format `jsonl` say of their supersessions, in two further fields of a case.

    {"id": "move-1", ..., "supersedes": [{"old": "Paris", "new": "Lyon"}, {"old": "the choir"}], "keeps": ["Airbus"]}

`supersedes`: values that must no longer be believed, and what took their place, if anything did. `keeps`: values that
must still be. A case without `supersedes` has none, as soon as any case of the file has the field.
"""

from __future__ import annotations

from pathlib import Path

from evaluation.benchmarks import dialogue_jsonl
from evaluation.benchmarks.catalogue import detect_format
from evaluation.benchmarks.reading import Field, read_json_lines
from evaluation.core.supersessions import Expectation


def expectations(path: Path) -> dict[str, Expectation] | None:
    """Return what each case expects, by its id, or None where the file does not say. Raises `MalformedBenchmark`."""
    if detect_format(path) != dialogue_jsonl.NAME:
        return None
    records = list(read_json_lines(path))
    if not any(record.find("supersedes") for record in records):
        return None
    return {record.need("id").name(): expectation(record) for record in records}


def expectation(record: Field) -> Expectation:
    changes, keeps = record.find("supersedes"), record.find("keeps")
    return Expectation(
        retired=tuple(change.need("old").answer() for change in changes.items()) if changes else (),
        kept=tuple(kept.answer() for kept in keeps.items()) if keeps else (),
    )
