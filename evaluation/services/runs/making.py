"""Makes runs: the file is read whole, its cases are frozen, every item is there with its key of the cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from evaluation.adapters.identity import content_digest
from evaluation.core.errors import RunRefused
from evaluation.core.naming import KEY_LIMIT, NAME_LIMIT, fitted
from evaluation.core.runs.identity import RunIdentity
from evaluation.core.runs.plan import RunPlan
from evaluation.models import EvaluationRun, RunCase, RunItem
from evaluation.services.runs.cache import finished_copy
from evaluation.services.runs.identity import identity_of
from evaluation.services.runs.reading import FrozenCase, FrozenFile, file_freeze
from evaluation.services.runs.systems import plan_settle
from memory.core.errors import MemoryCoreError
from memory.models import Space

CASES_A_BATCH, ITEMS_A_BATCH = 20, 1_000
ITEMS_LIMIT = 200_000
CATEGORY_LIMIT, TAG_LIMIT = 60, 40


def run_create(
    *,
    space: Space,
    by: User,
    path: Path,
    plan: RunPlan,
    name: str = "",
    data_name: str = "",
    tags: Sequence[str] = (),
) -> EvaluationRun:
    """Make a run that waits to be started, with what the space's earlier runs have finished of it already.

    Raises `EvaluationError`, and stores nothing, for a malformed file, for systems that are not there or that the engine
    cannot play, and where there is nothing to measure.
    """
    settled = plan_settle(plan, space)
    file = file_freeze(path, settled)
    size_check(file, settled)
    settled = replace(settled, skipped=file.skipped)
    try:
        identity = identity_of(settled, data=content_digest(path))
    except MemoryCoreError as error:
        raise RunRefused(str(error)) from error
    shown = data_name or path.name
    with transaction.atomic():
        run = EvaluationRun.objects.create(
            space=space,
            created_by=by,
            name=fitted(name.strip() or f"{file.benchmark}, {', '.join(settled.systems)}", NAME_LIMIT),
            tags=[fitted(tag.strip(), TAG_LIMIT) for tag in tags if tag.strip()],
            kind=settled.kind,
            benchmark=file.benchmark,
            data_name=fitted(shown, KEY_LIMIT),
            systems=list(settled.systems),
            engine=settled.engine,
            judge=settled.judge,
            plan=settled.as_json(),
            identity=identity.as_json(),
            identity_digest=identity.digest,
            keeps_spaces=settled.keeps_spaces,
        )
        rows = RunCase.objects.bulk_create(
            [
                RunCase(run=run, index=index, key=fitted(case.key, KEY_LIMIT), content=case.content)
                for index, case in enumerate(file.cases)
            ],
            batch_size=CASES_A_BATCH,
        )
        items = list(items_of(run, list(zip(rows, file.cases, strict=True)), settled, identity))
        RunItem.objects.bulk_create(items, batch_size=ITEMS_A_BATCH)
        finished_copy(run)
    return run


def size_check(file: FrozenFile, plan: RunPlan) -> None:
    """Raise `RunRefused` for more items than a run may have, before any is made."""
    asked = sum(len(case.items) for case in file.cases)
    if (count := asked * len(plan.systems) * plan.repeat) > ITEMS_LIMIT:
        raise RunRefused(
            f"This run would have {count:,} items, of {asked:,} questions or turns, {len(plan.systems)} systems and "
            f"{plan.repeat:,} repetitions; at most {ITEMS_LIMIT:,} can be measured. Limit its cases, or name fewer systems."
        )


def items_of(
    run: EvaluationRun, cases: Sequence[tuple[RunCase, FrozenCase]], plan: RunPlan, identity: RunIdentity
) -> Iterator[RunItem]:
    """Yield the items of all cases: of a case, all of the first repetition first, and of it all of the first system."""
    index = 0
    for row, case in cases:
        keys = [fitted(spec.key, KEY_LIMIT) for spec in case.items]
        if len(set(keys)) < len(keys):
            raise RunRefused(f"Case {case.key!r} has two questions of one id. Give each an id of its own.")
        for repeat in range(plan.repeat):
            for system in plan.systems:
                for key, spec, asked in zip(keys, case.items, case.asked, strict=True):
                    yield RunItem(
                        run=run,
                        case=row,
                        index=index,
                        system=system,
                        repeat=repeat,
                        key=key,
                        position=spec.position,
                        category=fitted(spec.category, CATEGORY_LIMIT),
                        question=spec.question,
                        expected=None if spec.expected is None else list(spec.expected),
                        evidence=[fitted(one, KEY_LIMIT) for one in spec.evidence],
                        cache_key=identity.item_key(case=case.digest, item=asked, system=system, repeat=repeat),
                    )
                    index += 1
