"""`manage.py check_facts`: check what past replies state, or what another verifier is to read."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from conversations.models import Conversation
from evaluation.adapters.progress import progress_bar
from evaluation.core.errors import EvaluationError
from evaluation.core.reply_facts.types import figures_of
from evaluation.models import CheckState, FactCheck
from evaluation.selectors import space_named
from evaluation.selectors.facts import verdicts_in
from evaluation.services.fact_checks import checks_run, unclaimed
from evaluation.services.fact_promises import checks_catch_up
from memory.core.errors import MemoryCoreError
from memory.services.accounts import owner_account


class Command(BaseCommand):
    requires_system_checks = []
    help = (
        "Check what the replies of a space state, the newest first, where their engine's verifier has not done so yet. "
        "A second run adds nothing; one that was interrupted goes on where it stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--space", required=True, metavar="NAME", help="one of the owner's spaces")
        parser.add_argument("--conversation", type=int, metavar="ID", help="only the replies of this conversation")

    def handle(self, *, space: str, conversation: int | None, **options: Any) -> None:
        try:
            chosen = space_named(owner_account(), space)
            promised = checks_catch_up(space=chosen, conversation_id=self.conversation_in(chosen.pk, conversation))
        except (EvaluationError, MemoryCoreError) as error:
            raise CommandError(str(error)) from error
        ended = 0
        with progress_bar(unclaimed().count(), title="facts", unit="replies", hidden=options["verbosity"] == 0) as bar:
            while unclaimed().exists():
                ended += checks_run(on_check=lambda: bar.update(1))
        failed = FactCheck.objects.filter(space=chosen, state=CheckState.FAILED).count()
        figures = figures_of(verdicts_in(chosen, conversation))
        self.stdout.write(
            f"{promised} replies were promised a check, {ended} were checked. "
            f"{figures.supported} of {figures.claims} statements are supported "
            f"(Dialogue Fact Score {shown(figures.score)}, NEIP {shown(figures.not_enough)})."
        )
        if failed:
            self.stderr.write(
                f"{failed} replies could not be checked: the conversation says why, and offers another try."
            )

    def conversation_in(self, space_id: int, conversation_id: int | None) -> int | None:
        """Return the id of a conversation over the space. Raises `CommandError` for any other."""
        if conversation_id is None:
            return None
        if not Conversation.objects.filter(pk=conversation_id, space=space_id).exists():
            raise CommandError(f"There is no conversation {conversation_id} over this space.")
        return conversation_id


def shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
