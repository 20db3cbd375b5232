"""Reads the file of a run whole, and freezes the cases that the plan chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.benchmarks import mtbench101
from evaluation.benchmarks.catalogue import AUTO, detect_format, read_cases
from evaluation.benchmarks.task_catalogue import TASK_FORMATS, read_tasks, task_format
from evaluation.core.errors import RunRefused, UnknownName
from evaluation.core.retrieval import read_evidence
from evaluation.core.runs.identity import content_digest, frozen
from evaluation.core.runs.items import ItemSpec, dialogues_of, of_each_category, question_items, turn_items
from evaluation.core.runs.plan import ANSWERS, DIALOGUES, RETRIEVAL, RunPlan
from evaluation.core.tasks.types import Task
from evaluation.core.types import Case

SHOWN_IDS = 20


@dataclass(frozen=True)
class FrozenCase:
    """A case as a run keeps it: its content and its items. For the cache count `digest` and, for each item, `asked`."""

    key: str
    content: dict[str, Any]
    digest: str
    items: tuple[ItemSpec, ...]
    asked: tuple[Any, ...]


@dataclass(frozen=True)
class FrozenFile:
    """What a run measures of a file: its format's name, the chosen cases, and how many questions of them it cannot."""

    benchmark: str
    cases: tuple[FrozenCase, ...]
    skipped: tuple[tuple[str, int], ...] = ()


def file_freeze(path: Path, plan: RunPlan) -> FrozenFile:
    """Return what the plan chooses of a file, which is read whole. Raises `EvaluationError` where nothing is to measure."""
    read = dialogues_freeze if plan.kind == DIALOGUES else questions_freeze
    file = read(path, plan)
    cases = tuple(case for case in file.cases if case.items)
    if not cases:
        what = "a turn of a user" if plan.kind == DIALOGUES else "a question"
        evidence = " whose evidence is in its case" if plan.kind == RETRIEVAL else ""
        raise RunRefused(f"{path.name}: no case that was asked for has {what}{evidence}. There is nothing to measure.")
    return replace(file, cases=cases)


def kind_of(path: Path, format: str = AUTO) -> str:
    """Return the kind of run that a file is for: its dialogues are held where it has no questions about them."""
    if is_of_tasks(path, format):
        return DIALOGUES
    return DIALOGUES if mtbench101.NAME in (format, format == AUTO and detect_format(path)) else ANSWERS


def is_of_tasks(path: Path, format: str) -> bool:
    return task_format(path) is not None if format == AUTO else format in [one.NAME for one in TASK_FORMATS]


def questions_freeze(path: Path, plan: RunPlan) -> FrozenFile:
    if is_of_tasks(path, plan.format):
        raise RunRefused(f"{path.name} has tasks, and no questions about a dialogue. Choose the kind {DIALOGUES}.")
    benchmark = detect_format(path) if plan.format == AUTO else plan.format
    cases = plan.chosen(named(list(read_cases(path, format=benchmark)), plan, path.name))
    frozen_cases = tuple(question_case(case, plan, benchmark) for case in cases)
    return FrozenFile(benchmark, frozen_cases, skipped_of(cases) if plan.kind == RETRIEVAL else ())


def skipped_of(cases: Sequence[Case]) -> tuple[tuple[str, int], ...]:
    """Return how many questions no retriever can be measured by, and why."""
    read = [read_evidence(case) for case in cases]
    lost = sum(unknown.leaves_nothing for one in read for unknown in one.unknown)
    counts = {
        "the file names no evidence for them": sum(one.without_evidence for one in read),
        "none of their evidence is in the case": lost,
    }
    return tuple((why, count) for why, count in counts.items() if count)


def question_case(case: Case, plan: RunPlan, benchmark: str) -> FrozenCase:
    asked = case.questions
    if plan.kind == RETRIEVAL:
        asked = tuple(one.question for one in read_evidence(case).asked)
    chosen = replace(case, questions=tuple(of_each_category(asked, plan.questions)))
    return freeze(chosen, question_items(chosen, benchmark=benchmark), benchmark)


def dialogues_freeze(path: Path, plan: RunPlan) -> FrozenFile:
    """Read tasks over several turns, or else the dialogues of recorded cases, of which the user's half is played."""
    if is_of_tasks(path, plan.format):
        benchmark, tasks = read_tasks(path, modes=plan.modes)
        if plan.format not in (AUTO, benchmark):
            raise RunRefused(f"{path.name} is a file of {benchmark}, not of {plan.format}. Name its own format.")
    else:
        benchmark = detect_format(path) if plan.format == AUTO else plan.format
        tasks = [task for case in read_cases(path, format=benchmark) for task in dialogues_of(case)]
    chosen = plan.chosen(named(tasks, plan, path.name))
    return FrozenFile(benchmark, tuple(freeze(task, turn_items(task), benchmark) for task in chosen))


def freeze(case: Case | Task, items: Sequence[ItemSpec], benchmark: str) -> FrozenCase:
    content = frozen(case)
    if isinstance(case, Task):
        key, asked = f"{case.id}/{case.mode}" if case.mode else case.id, [spec.key for spec in items]
    else:
        key, asked = case.id, content["questions"]
    return FrozenCase(key, content, content_digest(content), tuple(items), tuple((benchmark, one) for one in asked))


def named(cases: list[Any], plan: RunPlan, file: str) -> list[Any]:
    """Return the cases of the id that the plan names, or all. Raises `UnknownName`."""
    if not plan.only:
        return cases
    found = [case for case in cases if case.id == plan.only]
    if not found:
        ids = ", ".join(case.id for case in cases[:SHOWN_IDS])
        raise UnknownName(f"{file} has no case {plan.only!r}. Cases: {ids}{', ...' if len(cases) > SHOWN_IDS else ''}.")
    return found
