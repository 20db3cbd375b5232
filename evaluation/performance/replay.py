"""`bench replay`: a long dialogue, and whether a turn costs as much at its end as at its beginning."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import only_cases, read_cases
from evaluation.core.costs import cost_rows, first_decile_mean, last_decile_mean
from evaluation.core.errors import UnknownName
from evaluation.core.report import Row
from evaluation.core.types import Case
from evaluation.performance.costs import BenchOption
from evaluation.performance.dialogue import made_up_case
from evaluation.selectors import failed_round_count, failed_round_reason
from evaluation.services.replay import case_replay
from evaluation.services.spaces import temporary_space
from memory import bootstrap

HELP = "replay of a dialogue: time a turn, first tenth against last"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption(
        "data", Path, None, "a benchmark file; its first case is replayed (default: a made-up dialogue of 419 turns)"
    ),
    BenchOption("only", str, "", "the id of the case of --data"),
    BenchOption("engine", str, "", "the engine that remembers (default: DSMART_ENGINE)"),
)


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the rows of one replay into a fresh space."""
    case = chosen_case(options["data"], options["only"])
    bootstrap.engine_warm(options["engine"])
    with (
        temporary_space(title="bench replay") as space,
        progress_bar(case.turn_count, title="replay", unit="turns", hidden=options["quiet"]) as bar,
    ):
        began = time.perf_counter()
        done = case_replay(case=case, space=space, file_stem="bench", engine=options["engine"], on_turns=bar.update)
        seconds = time.perf_counter() - began
        failed, failure = failed_round_count(space), failed_round_reason(space)
    first, last = first_decile_mean(done.turn_ms), last_decile_mean(done.turn_ms)
    return [
        Row("replay", "seconds", seconds, unit="s", n=done.turns, group=case.id),
        *cost_rows("replay", done.turn_ms, group=case.id),
        Row("replay", "first_decile_ms", first, unit="ms", group=case.id),
        Row("replay", "last_decile_ms", last, unit="ms", group=case.id),
        Row("replay", "last_to_first", last / first, unit="ratio", group=case.id),
        Row("replay", "rounds_failed", failed, unit="rounds", n=done.rounds, group=case.id, why=failure),
    ]


def chosen_case(data: Path | None, only: str) -> Case:
    if data is None:
        return made_up_case()
    case = next(only_cases(read_cases(data), only=only), None)
    if case is None:
        raise UnknownName(f"{data.name} has no case {only!r}.")
    return case
