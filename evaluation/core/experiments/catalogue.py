"""The experiments by name, from the files beside this module: one a paper, and one of the house."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from evaluation.core.errors import MalformedExperiment, UnknownName
from evaluation.core.experiments.definitions import read_experiments
from evaluation.core.experiments.types import Experiment

FILES = ("d_smart.toml", "sgmem.toml", "goal_mem.toml", "slsm.toml", "drg.toml", "house.toml")


@cache
def experiments() -> Mapping[str, Experiment]:
    """Return all experiments in the order of the files. Raises `MalformedExperiment`, also where two have one name."""
    found: dict[str, Experiment] = {}
    for file in FILES:
        text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
        for experiment in read_experiments(text, file=file):
            if experiment.name in found:
                raise MalformedExperiment(f"{file}: two experiments are called {experiment.name}.")
            found[experiment.name] = experiment
    return found


def experiment_named(name: str) -> Experiment:
    if name not in experiments():
        raise UnknownName(
            f"There is no experiment {name!r}. `manage.py experiment --list` names all {len(experiments())}."
        )
    return experiments()[name]
