"""Print a one-time sign-in link."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.services.accounts import AccountRefused, account_create, owner_account, sign_in_path


class Command(BaseCommand):
    help = "Print a link that signs in once, within a day: the owner, or the account of --user."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", default="", metavar="NAME", help="whose link (default: the owner's)")
        parser.add_argument("--create", action="store_true", help="make the account of --user if there is none")
        parser.add_argument(
            "--address",
            default="",
            metavar="URL",
            help="where the product answers, such as https://memory.example.org (default: where `make run` does)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        account = self.account(options["user"], create=options["create"])
        if not account.is_active:
            raise CommandError(f"The account {account.username!r} is switched off.")
        self.stdout.write((options["address"].rstrip("/") or default_address()) + sign_in_path(account))

    def account(self, name: str, *, create: bool) -> User:
        if not name:
            return owner_account()
        known = User.objects.filter(username=name).first()
        if known is not None:
            return known
        if not create:
            raise CommandError(f"There is no account {name!r}. Add --create to make it.")
        try:
            return account_create(username=name)
        except AccountRefused as error:
            raise CommandError(str(error)) from error


def default_address() -> str:
    """Return the address on this machine, or the first public host name where the product is behind HTTPS."""
    if settings.BEHIND_HTTPS:
        return f"https://{settings.ALLOWED_HOSTS[0]}"
    return "http://localhost:8080"
