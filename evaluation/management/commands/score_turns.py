"""`manage.py score_turns`: score turns from before, or those that another model is to read."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation import bootstrap as evaluation_bootstrap
from evaluation.adapters.progress import progress_bar
from evaluation.core.errors import EvaluationError
from evaluation.selectors import space_named
from evaluation.services.score_promises import replies_choose, scores_catch_up
from evaluation.services.scores import scores_run, unclaimed
from memory import bootstrap
from memory.models import Session, Space
from memory.services.accounts import owner_account


class Command(BaseCommand):
    requires_system_checks = []
    help = (
        "Score the replies that the configured model and strategy have not read yet, the newest first. "
        "A second run adds nothing; one that was interrupted goes on where it stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--space", default="", metavar="NAME", help="one of the owner's spaces (default: all spaces)"
        )
        parser.add_argument(
            "--replies-by",
            default="",
            metavar="SPEAKER",
            help="count this speaker's turns as the replies of the dialogues of --space in which they talk",
        )
        parser.add_argument("--limit", type=int, metavar="N", help="promise at most N turns")

    def handle(self, *, space: str, limit: int | None, replies_by: str, **options: Any) -> None:
        if limit is not None and limit < 1:
            raise CommandError("--limit must be at least 1.")
        model = bootstrap.entailment_model()
        if model is None:
            raise CommandError(bootstrap.entailment_absence())
        try:
            chosen = space_named(owner_account(), space) if space else None
        except EvaluationError as error:
            raise CommandError(str(error)) from error
        if replies_by:
            self._replies_choose(chosen, replies_by)
        promised = scores_catch_up(model=model.name, space=chosen, limit=limit)
        waiting = unclaimed().count()
        with progress_bar(waiting, title="scores", unit="turns", hidden=options["verbosity"] == 0) as bar:
            written = 0
            while unclaimed().exists():
                written += scores_run(on_turn=lambda: bar.update(1))
        self.stdout.write(
            f"{promised} turns were promised a score, {written} were read by {model.name}, "
            f"{evaluation_bootstrap.strategy().name}."
        )

    def _replies_choose(self, space: Space | None, speaker: str) -> None:
        if space is None:
            raise CommandError("--replies-by needs --space: whose dialogues they are.")
        sessions = Session.objects.filter(space=space, turns__speaker=speaker).distinct()
        if not sessions:
            raise CommandError(f"{speaker} says nothing in {space.name}.")
        for session in sessions:
            replies_choose(session=session, speaker=speaker)
