"""Takes the measures of an experiment by what there is already: measurements of `evaluate`, benches and runs."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.bootstrap import judge_admit, make_judge
from evaluation.core.errors import EvaluationError, MalformedBenchmark, UnknownFormat
from evaluation.core.experiments.comparison import MEASURED, named
from evaluation.core.experiments.tables import Conditions, ExperimentResult
from evaluation.core.experiments.types import ENGINE, Experiment, Measure
from evaluation.core.report import Row
from evaluation.experiments.data_files import data_check
from evaluation.experiments.run_measure import run_rows_of
from evaluation.performance.catalogue import BENCHES
from evaluation.quality.catalogue import EVALUATIONS
from memory import bootstrap
from memory.core.errors import MemoryCoreError

PARTS = ("only", "limit", "questions", "sample", "repeat")
# Wrong data is the fault of whoever gave it; everything else that a measure lacks stands in a row.
FATAL = (MalformedBenchmark, UnknownFormat)


@dataclass(frozen=True)
class Asked:
    """What an experiment is asked for: its name, its files, who plays and judges, and how much of the data is taken.

    `scratch` is a folder for what measurements keep while they last, `folder` for what they leave.
    """

    name: str
    data: tuple[Path, ...]
    options: Mapping[str, object]
    scratch: Path
    folder: Path
    quiet: bool = False

    def chosen(self, *names: str) -> dict[str, object]:
        """Return the options of these names that are given."""
        return {name: value for name in names if (value := self.options.get(name)) not in (None, "")}


def experiment_take(experiment: Experiment, asked: Asked) -> ExperimentResult:
    """Return the measured rows beside the paper's, with the conditions. Raises `EvaluationError` for wrong data."""
    data = data_check(experiment, asked.data)
    engine = str(asked.options.get("engine") or settings.DSMART_ENGINE)
    bootstrap.engine_admit(engine)
    asked = replace(asked, options={**asked.options, "engine": engine})
    judge = judge_check(experiment, str(asked.options.get("judge") or ""), engine)
    parts = parts_of(experiment, asked)
    rows = [
        row
        for measure in experiment.measures
        for setting in measure.settings()
        for row in named(taken(setting, asked), setting.as_name)
    ]
    made_with = identity(
        code_folder=settings.BASE_DIR,
        data=asked.data,
        config={"experiment": experiment.name, **{key: str(value) for key, value in asked.options.items()}},
    )
    conditions = Conditions(
        data=data,
        engine=engine,
        has_model=bootstrap.has_language_model(engine),
        judge=judge,
        parts=tuple(parts.items()),
        identity=made_with,
    )
    return ExperimentResult(experiment, conditions, rows)


def parts_of(experiment: Experiment, asked: Asked) -> dict[str, str]:
    """Return how much of the data is taken, by what was asked for and else by the experiment itself."""
    own = {name: value for measure in experiment.measures for name, value in measure.options.items() if name in PARTS}
    taking = {name: [one.what for one in experiment.measures if name in options_of(one)] for name in PARTS}
    told = {}
    for name, value in {**own, **asked.chosen(*PARTS)}.items():
        if not taking[name]:
            raise EvaluationError(f"{experiment.name} has no measurement that takes --{name}. Leave it out.")
        is_of_all = len(taking[name]) == len(experiment.measures)
        told[name] = str(value) if is_of_all else f"{value} (of {', '.join(dict.fromkeys(taking[name]))})"
    return told


def options_of(measure: Measure) -> Collection[str]:
    """Return the names of the options that a measure takes of what an experiment is asked for."""
    kind, _, name = measure.what.partition(" ")
    if kind != "evaluate":
        return PARTS if kind == "run" else ("engine",)
    parser = ArgumentParser(exit_on_error=False)
    EVALUATIONS[name].add_arguments(parser)
    return [action.dest for action in parser._actions]


def judge_check(experiment: Experiment, judge: str, engine: str) -> str:
    """Return the whole name of a judge, "" for none. Raises `EvaluationError` for one that does not fit or cannot judge."""
    if not judge:
        return ""
    if not experiment.judges:
        raise EvaluationError(f"{experiment.name} takes no judge. Leave --judge out.")
    if ENGINE in experiment.judges:
        bootstrap.engine_admit(judge)
        return bootstrap.engine(judge).name
    kind = judge.partition("@")[0]
    if kind not in experiment.judges:
        fitting = " or ".join(experiment.judges)
        raise EvaluationError(
            f"{experiment.name} is judged by {fitting}, such as {experiment.judges[0]}@ENGINE, not {kind}."
        )
    judge_admit(judge)
    return make_judge(judge, engine).name


def taken(measure: Measure, asked: Asked) -> list[Row]:
    """Return the rows of one measure, or one that says why it could not be taken."""
    kind, _, name = measure.what.partition(" ")
    try:
        return list(TAKERS[kind](name, measure, asked))
    except FATAL:
        raise
    except (EvaluationError, MemoryCoreError) as error:
        return [Row(measure.what, MEASURED, None, why=str(error))]


def evaluate_take(name: str, measure: Measure, asked: Asked) -> Sequence[Row]:
    evaluation = EVALUATIONS[name]
    parser = ArgumentParser(exit_on_error=False)
    evaluation.add_arguments(parser)
    # What was played of tasks is not played again where it is left in the folder.
    played = asked.folder / f"{asked.name}.played.jsonl"
    kept = {"data": asked.data[0], "vectors": asked.scratch / "vectors", "transcript": played}
    if "items" in measure.options:
        kept["items"] = asked.folder / str(measure.options["items"])
    given = {**measure.options, **asked.chosen(*asked.options), **kept}
    options = parser.parse_args(words_of(parser, given, list(map(str, asked.data))))
    return evaluation.run({**vars(options), "verbosity": 0 if asked.quiet else 1}).rows


def words_of(parser: ArgumentParser, given: Mapping[str, object], files: Sequence[str]) -> list[str]:
    """Return the words of a command line that gives a parser what it knows of some options, and files where it takes them."""
    words = list(files) if any(action.dest == "files" for action in parser._actions) else []
    for action in (action for action in parser._actions if action.option_strings):
        flag = action.option_strings[0]
        value = given.get(action.dest, given.get(flag.lstrip("-")))
        if value not in (None, "", False):
            words += [flag] if value is True else [flag, str(value)]
    return words


def bench_take(name: str, measure: Measure, asked: Asked) -> Iterator[Row]:
    bench = BENCHES[name]
    given = {**measure.options, **asked.chosen("engine")}
    parsed = {
        option.name: option.parse(str(given[option.name])) if option.name in given else option.default
        for option in bench.OPTIONS
    }
    yield from bench.measure({**parsed, "quiet": asked.quiet})


def run_take(name: str, measure: Measure, asked: Asked) -> Sequence[Row]:
    options = {**measure.options, **asked.chosen("engine", "judge", *PARTS), **fixed(measure)}
    return run_rows_of(name, options, path=asked.data[0], name=asked.name, quiet=asked.quiet)


def fixed(measure: Measure) -> dict[str, object]:
    """Return what nobody can choose otherwise: an engine that the experiment names for some of its systems."""
    return {name: value for name, value in measure.options.items() if name == "engine"}


TAKERS: Mapping[str, Callable[[str, Measure, Asked], Iterator[Row] | Sequence[Row]]] = {
    "evaluate": evaluate_take,
    "bench": bench_take,
    "run": run_take,
}
