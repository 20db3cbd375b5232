"""`manage.py restore FILE`: a backup in the place of the database, whole or not at all."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dsmart_web.backups.errors import BackupError
from dsmart_web.backups.restoring import backup_restore, is_key_of
from dsmart_web.embedded import postmaster
from dsmart_web.embedded.database import database_running
from dsmart_web.embedded.preparation import data_folder_prepare

OTHER_KEY = (
    "It was made with another secret key: sign in again, and enter the keys of added engines anew, or give this product that "
    "key as DSMART_SECRET_KEY."
)


class Command(BaseCommand):
    help = "Restore a backup that `backup` wrote, into the database of the settings. All of it, or nothing changes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a backup")
        parser.add_argument("--replace", action="store_true", help="put it in the place of all that the database has")
        parser.add_argument("--yes", action="store_true", help="do not ask before something is replaced")
        parser.add_argument("--with-secret-key", action="store_true", help="take the secret key from the backup too")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        data_folder_prepare()
        if not settings.DATABASE_URL and is_used():
            raise CommandError("The product is running on this data folder. Stop it, and try again.")

        def replace() -> bool:
            return options["replace"] and (options["yes"] or confirmed())

        try:
            with database_running():
                made = backup_restore(file, replace=replace, with_secret_key=options["with_secret_key"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        rows = sum(made.rows.values())
        self.stdout.write(
            f"Restored {file}, made on {made.made_at} by version {made.product}: {rows:,} rows, counted again."
        )
        if not options["with_secret_key"] and not is_key_of(made):
            self.stdout.write(OTHER_KEY)


def is_used() -> bool:
    """Return whether a process uses the embedded server."""
    home: Path = settings.EMBEDDED_POSTGRES_HOME
    return home.exists() and not postmaster.is_free(home / "users.lock")


def confirmed() -> bool:
    """Ask the person at the terminal. Where there is none, the answer is no."""
    if not sys.stdin.isatty():
        raise CommandError("This replaces all that the database has. Add --yes to say so.")
    return input("This replaces all that the database has, for good. Type yes to go on: ").strip().lower() == "yes"
