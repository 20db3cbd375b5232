"""`bench maintenance`: what a round costs after its reply, in a space that already holds many triples, all linked.

Beside the whole there is a row for each step, as the round itself keeps it. What a stage does outside of its steps (reading,
committing) is under the stage's name, and `other` is what no stage does. `prompt_triples` is the mean number of triples that
a language model would be shown to look for conflicts with a turn; it is counted after the round, whatever the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows
from evaluation.core.report import Row
from evaluation.core.types import group_rounds
from evaluation.performance.costs import ActionCosts, BenchOption, sizes
from evaluation.performance.dialogue import SESSIONS, made_up_case
from evaluation.selectors import failed_round_count, failed_round_reason
from evaluation.services.population import space_populate
from evaluation.services.replay import round_replay
from evaluation.services.sentence_population import sentences_link
from evaluation.services.spaces import temporary_space
from memory import bootstrap
from memory.bootstrap.roles import EXTRACT_FACTS
from memory.core.knowledge_graph.conflict.prompted import prompt_triples
from memory.models import Round
from memory.services import session_create, space_maintain
from memory.services.conflict_cases import conflict_cases
from memory.services.round_words import round_sentences, utterances
from memory.stores import ontology_of

HELP = "maintenance of a round, at a number of triples in the space"
OPTIONS: tuple[BenchOption, ...] = (
    sizes("triples", (10_000,)),
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
    costs = ActionCosts("maintenance", WARM_UP_ROUNDS)
    steps: list[dict[str, float]] = []
    shown: list[int] = []
    with temporary_space(title="bench maintenance") as space:
        space_populate(space=space, triples=triples, quiet=options["quiet"])
        sentences_link(space=space, quiet=options["quiet"])
        with progress_bar(wanted, title=f"maintenance at {triples}", unit="rounds", hidden=options["quiet"]) as bar:
            for case_session in case.sessions:
                session = session_create(space=space, started_at=case_session.started_at, key=case_session.key)
                for turns in group_rounds(case_session.turns)[: wanted - len(steps)]:
                    round_replay(session, turns, engine=options["engine"])
                    with costs.one():
                        space_maintain(space_id=space.pk)
                    round = session.rounds.latest("index")
                    steps.append({**round.stage_ms, "other": costs.milliseconds[-1] - sum(round.stage_ms.values())})
                    shown += prompt_sizes(round, engine=options["engine"])
                    bar.update(1)
        failed, failure = failed_round_count(space), failed_round_reason(space)
    rows = [*costs.rows(str(triples)), *step_rows(steps[WARM_UP_ROUNDS:], group=str(triples))]
    rows.append(
        Row("maintenance", "prompt_triples", fmean(shown or [0]), unit="triples", n=len(shown), group=str(triples))
    )
    if failed:
        rows.append(Row("maintenance", "rounds_failed", failed, unit="rounds", group=str(triples), why=failure))
    return rows


def step_rows(rounds: Sequence[Mapping[str, float]], *, group: str) -> list[Row]:
    """Return median and 95th percentile of each step, the dearest first; a round without a step counts as 0."""
    total: Counter[str] = Counter()
    for steps in rounds:
        total.update(steps)
    return [
        row
        for name, _ in total.most_common()
        for row in cost_rows("maintenance", [steps.get(name, 0.0) for steps in rounds], group=group, prefix=f"{name}_")
    ]


def prompt_sizes(round: Round, *, engine: str) -> list[int]:
    """Return the number of triples in the conflict prompt about each turn of the round that asserts something."""
    sentences = round_sentences(round)
    fragments = bootstrap.engine(engine).player(EXTRACT_FACTS).extract_many(utterances(sentences))
    cases = conflict_cases(
        space_id=round.space_id, sentences=sentences, fragments=fragments, ontology=ontology_of(round.space_id)
    )
    return [prompt_triples(asked.case) for asked in cases]
