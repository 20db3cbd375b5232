"""What `manage.py evaluate` can measure. A new measurement is a module beside this one, and a line here."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, Protocol

from evaluation.core.report import Report
from evaluation.quality import (
    answers,
    chaining,
    complexity,
    consistency,
    entailment,
    facts,
    generation,
    judge_check,
    messages,
    questions,
    reformulation,
    retrieval,
    run,
    selection,
    splitting,
    states,
    tasks,
)


class Evaluation(Protocol):
    HELP: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the measurement's own options; `--json` is there already."""

    def run(self, options: Mapping[str, Any]) -> Report:
        """Measure and return the report."""


EVALUATIONS: dict[str, Evaluation] = {
    "run": run,
    "questions": questions,
    "entailment": entailment,
    "consistency": consistency,
    "complexity": complexity,
    "retrieval": retrieval,
    "messages": messages,
    "answers": answers,
    "chaining": chaining,
    "states": states,
    "tasks": tasks,
    "reformulation": reformulation,
    "selection": selection,
    "splitting": splitting,
    "facts": facts,
    "generation": generation,
    "judge-check": judge_check,
}
