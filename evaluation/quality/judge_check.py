"""`evaluate judge-check`: how often a judge takes wrong, vague and right replies for right, and how it agrees with people."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.bootstrap import judge_admit, make_judge
from evaluation.core.errors import EvaluationError
from evaluation.core.judging.catalogue import BY_ANSWERS
from evaluation.core.judging.check import CheckedReply, check_rows
from evaluation.core.report import Report, Row
from evaluation.quality.options import items_write, most_of, reported, usual_options
from evaluation.services.judge_check import judge_check, override_rows

HELP = (
    "a judge's errors on wrong, vague and right replies made of gold answers, and its agreement with people's figures"
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, metavar="FILE", help="a benchmark's file with short answers")
    usual_options(parser, data="", format=True, items="each reply with its verdict")
    parser.add_argument("--judge", default="words", metavar="J", help="KIND or KIND@ENGINE (default: words)")
    parser.add_argument("--questions", type=int, metavar="N", help="N questions of the file, drawn by --seed")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="what draws replies and questions (default: 0)"
    )
    parser.add_argument(
        "--overrides", type=int, metavar="RUN", help="agreement with the figures people gave in this run"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the judge, group what was done to the gold answer, or the figure people gave."""
    path, run_id = options["data"], options["overrides"]
    if path is None and run_id is None:
        raise EvaluationError(
            "Nothing to check the judge against is named. Give --data FILE, --overrides RUN, or both."
        )
    rows: list[Row] = []
    config = {"judge": options["judge"], "questions": most_of(options, "questions"), "overrides": run_id}
    if path is not None:
        judge_admit(options["judge"])
        judge = make_judge(options["judge"])
        kind = options["judge"].partition("@")[0]
        if kind not in BY_ANSWERS:
            raise EvaluationError(
                f"The judge {kind!r} holds replies against no gold answer. Those that do: {', '.join(BY_ANSWERS)}."
            )
        checked = judge_check(
            path=path,
            judge=judge,
            format=options["format"],
            questions=config["questions"],
            seed=options["seed"],
            quiet=options["verbosity"] == 0,
        )
        items_write(map(item, checked), options["items"])
        rows += check_rows(judge.name, checked)
        config |= {"judge": judge.name, "digest": judge.digest}
    if run_id is not None:
        rows += override_rows(run_id)
    data = [path] if path is not None else []
    return reported("judge-check", rows, data=data, config=config, seed=options["seed"])


def item(checked: CheckedReply) -> dict[str, object]:
    """Return a reply and its verdict as JSON."""
    altered, judgement = checked.altered, checked.judgement
    return {
        "case": altered.gold.case,
        "question": altered.gold.question,
        "answers": list(altered.gold.answers),
        "sort": altered.sort.value,
        "kind": altered.kind,
        "reply": altered.reply,
        "value": judgement.value,
        "reason": judgement.reason,
        "why": judgement.why,
    }
