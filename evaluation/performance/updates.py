"""`bench updates`: whether facts that changed are superseded, and only those."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.core.report import Row
from evaluation.core.supersessions import NAME
from evaluation.performance.costs import BenchOption
from evaluation.services.supersessions import supersessions_measure

HELP = "precision and recall of supersessions, and facts wrongly retired"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("data", Path, None, "a benchmark file (default: the project's own cases, tests/data/updates.jsonl)"),
    BenchOption("engine", str, "", "the engine that remembers (default: DSMART_ENGINE)"),
)
OWN_CASES = Path("tests") / "data" / "updates.jsonl"


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the three figures for all cases and by category, each with its interval."""
    own = settings.BASE_DIR / OWN_CASES
    if options["data"] is None and not own.is_file():
        why = f"{OWN_CASES} comes with a checkout of the project; give another file with --data"
        return [Row(NAME, "supersession_precision", None, unit="ratio", why=why)]
    path = options["data"] or own
    result = supersessions_measure(path=path, engine=options["engine"], quiet=options["quiet"])
    return result.rows()
