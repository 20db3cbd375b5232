"""`manage.py backup FILE`: the whole database in one file, while the product runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dsmart_web.backups.errors import BackupError
from dsmart_web.backups.making import backup_make
from dsmart_web.embedded.database import database_running
from memory.services.quotas import in_bytes

WITHOUT_KEY = (
    "The secret key is not in it. Elsewhere, people sign in again, and the keys of added engines can be read only with this "
    "product's key: keep {key} safe, or make the backup with --with-secret-key."
)
WITH_KEY = "The secret key is in it: whoever has the file can read the keys of added engines, and sign in as anybody."


class Command(BaseCommand):
    help = "Write a consistent backup of the whole database to a file, checked, while the product runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="where to write it")
        parser.add_argument("--replace", action="store_true", help="put it in the place of a file that is there")
        parser.add_argument("--with-secret-key", action="store_true", help="put the secret key into it too")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            with database_running():
                made = backup_make(file, replace=options["replace"], with_secret_key=options["with_secret_key"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = in_bytes(file.stat().st_size)
        rows = sum(made.rows.values())
        self.stdout.write(f"Wrote {file} ({size}, {rows:,} rows of {len(made.rows)} tables), and read it again.")
        self.stdout.write(WITH_KEY if options["with_secret_key"] else WITHOUT_KEY.format(key=key_place()))


def key_place() -> str:
    from django.conf import settings

    return "DSMART_SECRET_KEY" if settings.SECRET_KEY_IS_GIVEN else str(settings.DSMART_HOME / "secret_key")
