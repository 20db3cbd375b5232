"""`bench maintenance`: what a round costs after its reply, in a space that already holds many triples."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from evaluation.adapters.progress import progress_bar
from evaluation.benches.dialogue import SESSIONS, made_up_case
from evaluation.benches.options import BenchOption, cost_rows, whole_numbers
from evaluation.core.report import Row
from evaluation.core.rounds import group_rounds
from evaluation.selectors import failed_round_count, failed_round_reason
from evaluation.services.population import space_populate
from evaluation.services.replay import round_replay
from evaluation.services.spaces import temporary_space
from memory import bootstrap
from memory.services import session_create, space_maintain

HELP = "maintenance of a round, at a number of triples in the space"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption(
        "triples", whole_numbers, (10_000,), "how many triples the space holds, several with commas (default: 10000)"
    ),
    BenchOption("rounds", int, 60, "how many rounds are measured (default: 60)"),
    BenchOption("engine", str, "", "the engine that remembers (default: DSMART_ENGINE)"),
)
WARM_UP_ROUNDS = 5


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return median and 95th percentile for each size."""
    bootstrap.engine_warm(options["engine"])
    return [row for triples in options["triples"] for row in measure_at(triples, options)]


def measure_at(triples: int, options: Mapping[str, Any]) -> list[Row]:
    wanted = options["rounds"] + WARM_UP_ROUNDS
    case = made_up_case(turns=2 * wanted + SESSIONS, seed=1)
    costs: list[float] = []
    with temporary_space(title="bench maintenance") as space:
        space_populate(space=space, triples=triples, quiet=options["quiet"])
        with progress_bar(wanted, title=f"maintenance at {triples}", unit="rounds", hidden=options["quiet"]) as bar:
            for case_session in case.sessions:
                session = session_create(space=space, started_at=case_session.started_at, key=case_session.key)
                for turns in group_rounds(case_session.turns)[: wanted - len(costs)]:
                    round_replay(session, turns, engine=options["engine"])
                    began = time.perf_counter()
                    space_maintain(space_id=space.pk)
                    costs.append((time.perf_counter() - began) * 1000)
                    bar.update(1)
        failed, failure = failed_round_count(space), failed_round_reason(space)
    rows = cost_rows("maintenance", costs[WARM_UP_ROUNDS:], group=str(triples))
    if failed:
        rows.append(Row("maintenance", "rounds_failed", failed, unit="rounds", group=str(triples), why=failure))
    return rows
