"""`evaluate run`: systems side by side on a benchmark, item by item, resumable, from the cache where nothing changed."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from evaluation.benchmarks.catalogue import AUTO, FORMATS
from evaluation.benchmarks.task_catalogue import TASK_FORMATS
from evaluation.bootstrap import judge_admit
from evaluation.core.errors import EvaluationError, UnknownName
from evaluation.core.report import Report
from evaluation.core.runs.plan import KINDS, RETRIEVAL, RunPlan
from evaluation.core.tasks.types import Mode
from evaluation.models import EvaluationRun, RunState
from evaluation.quality.options import usual_options
from evaluation.quality.retrieval import cuts
from evaluation.selectors import space_named
from evaluation.selectors.runs import runs_of
from evaluation.services.runs import run_create, run_resume, run_start
from evaluation.services.runs.here import run_play_here
from evaluation.services.runs.reading import kind_of
from evaluation.services.runs.rows import run_report
from memory import bootstrap
from memory.models import Space
from memory.services import space_personal
from memory.services.accounts import owner_account

HELP = "responders or retrievers side by side on a benchmark: stored item by item, resumable, cached"


def add_arguments(parser: ArgumentParser) -> None:
    names = [AUTO, *FORMATS, *(one.NAME for one in TASK_FORMATS)]
    parser.add_argument("benchmark", nargs="?", choices=names, default=AUTO, help="(default: told by the file)")
    parser.add_argument("--data", type=Path, metavar="FILE", help="the benchmark's file or folder")
    parser.add_argument("--responders", default="", metavar="LIST", help='who answers, with commas; "all" is every one')
    parser.add_argument("--retrievers", default="", metavar="LIST", help="who finds the evidence, in memory")
    parser.add_argument(
        "--kind", choices=KINDS, default="", help="(default: dialogues for their benchmarks, else answers)"
    )
    usual_options(parser, data="", engine="what plays the roles (default: DSMART_ENGINE)", case="case")
    parser.add_argument("--judge", default="", metavar="J", help="who judges replies: KIND or KIND@ENGINE")
    parser.add_argument("--questions", type=int, metavar="N", help="at most N questions of each category of a case")
    parser.add_argument("--sample", type=int, metavar="SEED", help="draw the cases by this seed, not the first ones")
    parser.add_argument("--repeat", type=int, default=1, metavar="R", help="play each item R times (default: 1)")
    parser.add_argument("--k", type=cuts, default=(5, 10), metavar="LIST", help="cut-offs of recall (default: 5,10)")
    parser.add_argument("--no-digests", action="store_true", help="retrievers that read digests are left out")
    parser.add_argument("--mode", default=Mode.SHARDED.value, metavar="LIST", help="how sharded tasks are told")
    parser.add_argument("--name", default="", metavar="N", help="what the run is called")
    parser.add_argument("--space", default="", metavar="S", help="whose members see it (default: the user's own space)")
    parser.add_argument("--user", default="", metavar="U", help="who runs it (default: the owner's account)")
    parser.add_argument(
        "--keep-spaces", action="store_true", help="keep the spaces that it is played in, as the user's"
    )
    parser.add_argument("--resume", type=int, metavar="RUN", help="go on with this run in place of making one")


def run(options: Mapping[str, Any]) -> Report:
    """Make or resume a run, play it here, and return its rows: name the system, group the category or the turn."""
    user = user_of(options["user"])
    judge_admit(options["judge"])
    started = resumed(options, user) if options["resume"] else made(options, user)
    played = run_play_here(run=started, quiet=options["verbosity"] == 0)
    if played.state != RunState.DONE:
        reason = f": {played.why}" if played.why else "."
        raise EvaluationError(
            f"The run {played.pk} is {played.get_state_display().lower()}{reason} What ended is kept. "
            f"Go on with: manage.py evaluate run --resume {played.pk}"
        )
    return run_report(played)


def made(options: Mapping[str, Any], user: User) -> EvaluationRun:
    if options["data"] is None:
        raise EvaluationError("No file is named. Give --data FILE, or --resume RUN.")
    plan = plan_of(options)
    space: Space = space_named(user, options["space"]) if options["space"] else space_personal(user=user)
    created = run_create(space=space, by=user, path=options["data"], plan=plan, name=options["name"])
    return run_start(run=created, is_here=True)


def resumed(options: Mapping[str, Any], user: User) -> EvaluationRun:
    known = runs_of(user).filter(pk=options["resume"]).first()
    if known is None:
        raise UnknownName(f"There is no run {options['resume']} of {user.username}'s.")
    bootstrap.engine_admit(known.engine)
    if known.state == RunState.WAITING:
        return run_start(run=known, is_here=True)
    return run_resume(run=known, path=options["data"], is_here=True)


def plan_of(options: Mapping[str, Any]) -> RunPlan:
    """Return the plan that the options ask for. Raises `EvaluationError`."""
    responders, retrievers = (names_in(options[name]) for name in ("responders", "retrievers"))
    if bool(responders) == bool(retrievers):
        raise EvaluationError("Name what is measured: either --responders or --retrievers, such as --responders graph.")
    return RunPlan(
        kind=RETRIEVAL if retrievers else options["kind"] or kind_of(options["data"], options["benchmark"]),
        systems=responders or retrievers,
        engine=options["engine"],
        judge=options["judge"],
        format=options["benchmark"],
        only=options["only"],
        limit=options["limit"],
        questions=options["questions"],
        sample=options["sample"],
        repeat=options["repeat"],
        keeps_spaces=options["keep_spaces"],
        cuts=options["k"],
        writes_digests=not options["no_digests"],
        modes=names_in(options["mode"]),
    )


def names_in(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def user_of(name: str) -> User:
    if not name:
        return owner_account()
    found = User.objects.filter(username=name).first()
    if found is None:
        raise UnknownName(f"There is no account {name!r}.")
    return found
