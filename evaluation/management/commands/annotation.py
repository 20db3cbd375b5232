"""`manage.py annotation WHAT`: files of labels in and out, samples of runs and conversations, and the machine's answers."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from evaluation.adapters.progress import progress_bar
from evaluation.core.annotation.catalogue import kinds
from evaluation.core.errors import EvaluationError, UnknownName
from evaluation.models import AnnotationItem, AnnotationProject, MachinePass, ProjectOrder
from evaluation.quality.options import most_of
from evaluation.quality.run import user_of
from evaluation.selectors import space_named
from evaluation.selectors.annotation.projects import projects_of
from evaluation.selectors.runs import runs_of
from evaluation.services.annotation.files.importing import PEOPLE, items_import, project_import
from evaluation.services.annotation.files.writing import WRITTEN, project_export
from evaluation.services.annotation.from_conversations import conversations_sample
from evaluation.services.annotation.from_runs import run_sample
from evaluation.services.annotation.machine import machine_promise, machine_run
from evaluation.services.annotation.sampling import Sample
from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.services import space_personal


class Command(BaseCommand):
    requires_system_checks: list[str] = []
    help = "Bring items and labels into annotation projects and take them out, as curators do on the pages of Review."

    def add_arguments(self, parser: ArgumentParser) -> None:
        whats = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        bring = whats.add_parser("import", help="a file of items, with or without labels, as a project or into one")
        bring.add_argument("file", type=Path, metavar="FILE")
        bring.add_argument("--project", type=int, metavar="ID", help="add to this project in place of making one")
        bring.add_argument("--name", default="", metavar="N", help="what the new project is called")
        bring.add_argument(
            "--kind", default="", choices=["", *kinds()], metavar="K", help=f"one of {', '.join(kinds())}"
        )
        bring.add_argument("--annotators", type=int, metavar="N", help="how many people label an item")
        bring.add_argument("--order", choices=ProjectOrder.values, help="which items come first (default: random)")
        bring.add_argument("--labelled-by", default=PEOPLE, metavar="N", help="whose labels those without a name are")
        bring.add_argument("--limit", type=int, metavar="N", help="at most the first N items")
        bring.add_argument("--machine", action="store_true", help="let the machine answer them, here and now")
        take = whats.add_parser("export", help="the items of a project with their labels")
        take.add_argument("file", type=Path, metavar="FILE")
        take.add_argument("--form", choices=list(WRITTEN), help="(default: told by the file's name)")
        take.add_argument(
            "--full", action="store_true", help="open items too: who takes these labels nothing more in the project"
        )
        draw = whats.add_parser(
            "sample", help="items drawn from a run, or from the conversations of the project's memory"
        )
        draw.add_argument("--run", type=int, metavar="ID", help="from this run's replies")
        draw.add_argument("--system", default="", metavar="S", help="only those of one system of the run")
        draw.add_argument("--limit", type=int, default=100, metavar="N", help="at most N (default: 100)")
        draw.add_argument("--order", choices=ProjectOrder.values, default=ProjectOrder.RANDOM.value)
        draw.add_argument("--seed", type=int, default=0)
        draw.add_argument("--since", type=date.fromisoformat, metavar="DAY", help="said on this day or later")
        draw.add_argument("--until", type=date.fromisoformat, metavar="DAY", help="said on this day or before")
        play = whats.add_parser("machine", help="the machine's answers to the items that have none, here and now")
        for one in (take, draw, play):
            one.add_argument("--project", type=int, required=True, metavar="ID")
        for one in (bring, take, draw, play):
            one.add_argument("--user", default="", metavar="U", help="who does it (default: the owner's account)")
        for one in (bring, play):
            one.add_argument("--engine", default="", metavar="E", help="what answers (default: DSMART_ENGINE)")
        bring.add_argument("--space", default="", metavar="S", help="whose team labels (default: the user's own space)")

    def handle(self, *, what: str, **options: Any) -> None:
        try:
            ACTS[what](self, user_of(options["user"]), options)
        except (EvaluationError, MemoryCoreError, PermissionDenied) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error

    def bring(self, user: User, options: dict[str, Any]) -> None:
        given = {"by": user, "path": options["file"], "labelled_by": options["labelled_by"], "limit": most_of(options)}
        if options["project"] is not None:
            project = project_of(user, options["project"])
            count = items_import(project=project, **given)
        else:
            space = space_named(user, options["space"]) if options["space"] else space_personal(user=user)
            settings = {name: options[name] for name in ("name", "kind", "annotators", "order")}
            project, count = project_import(space=space, **given, **settings)
        self.stdout.write(f"Project {project.pk}, “{project.name}”: {new_items(count)}.")
        if options["machine"]:
            self.machine(project, options)

    def take(self, user: User, options: dict[str, Any]) -> None:
        form = options["form"] or options["file"].suffix.removeprefix(".")
        pieces = project_export(
            project=project_of(user, options["project"]), by=user, form=form, is_full=options["full"]
        )
        with options["file"].open("w", encoding="utf-8", newline="") as out:
            out.writelines(pieces)
        self.stdout.write(f"Saved to {options['file']}.")

    def draw(self, user: User, options: dict[str, Any]) -> None:
        project = project_of(user, options["project"])
        sample = Sample(**{name: options[name] for name in ("limit", "order", "seed", "since", "until")})
        if options["run"] is None:
            count = conversations_sample(project=project, by=user, sample=sample)
        else:
            run = runs_of(user).filter(pk=options["run"]).first()
            if run is None:
                raise UnknownName(f"There is no run {options['run']} of {user.username}'s.")
            count = run_sample(project=project, run=run, by=user, sample=sample, system=options["system"])
        self.stdout.write(f"{new_items(count)}.")

    def play(self, user: User, options: dict[str, Any]) -> None:
        self.machine(project_of(user, options["project"]), options)

    def machine(self, project: AnnotationProject, options: dict[str, Any]) -> None:
        bootstrap.engine_admit(options["engine"])
        machine_promise(project=project, engine=options["engine"], is_here=True)
        waiting = AnnotationItem.objects.filter(project=project, machine__isnull=True).count()
        with progress_bar(waiting, title="machine", unit="items", hidden=options["verbosity"] == 0) as bar:
            answered = machine_run(project_id=project.pk, seconds=float("inf"), on_items=bar.update)
        ended = MachinePass.objects.get(project=project)
        if ended.why:
            raise CommandError(ended.why)
        self.stdout.write(f"{answered:,} answers of the machine, {ended.failed} that could not be read.")


ACTS = {"import": Command.bring, "export": Command.take, "sample": Command.draw, "machine": Command.play}


def project_of(user: User, project_id: int) -> AnnotationProject:
    """Return one of the person's projects. Raises `UnknownName`."""
    found = projects_of(user).filter(pk=project_id).first()
    if found is None:
        raise UnknownName(f"There is no annotation project {project_id} of {user.username}'s.")
    return found


def new_items(count: int) -> str:
    return f"{count:,} new item{'' if count == 1 else 's'}"
