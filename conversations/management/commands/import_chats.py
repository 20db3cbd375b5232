"""`manage.py import_chats FILE`: bring the chats of another program into a memory."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from conversations.core.chat_exports.catalogue import ChatExport
from conversations.core.errors import ImportRefused
from conversations.services.chat_imports import Choices, Preview, chats_import, export_preview
from memory.core.errors import QuotaReached
from memory.management.spaces import space_named
from memory.services import space_personal
from memory.services.accounts import owner_account

STEPS = 1_000


class Command(BaseCommand):
    help = (
        "Bring the chats of an export of ChatGPT, Claude, Open WebUI or LibreChat, or Mem0's memories, into the owner's "
        "memory. A second run adds only what is new; one that was interrupted goes on where it stopped."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", type=Path, metavar="FILE", help="the .zip, its conversations.json, or memories as JSON"
        )
        parser.add_argument(
            "--space", default="", metavar="S", help="a space's name or number (default: the owner's own)"
        )
        parser.add_argument("--preview", action="store_true", help="say what is in the file, and import nothing")
        parser.add_argument(
            "--since", type=date.fromisoformat, metavar="DAY", help="only chats that began then or later"
        )
        parser.add_argument(
            "--only", action="append", metavar="KEY", help="only the chat with this key; may be repeated"
        )
        parser.add_argument("--not-remembered", action="store_true", help="keep the words, and learn nothing of them")
        parser.add_argument("--score", action="store_true", help="score the other program's turns as replies")

    def handle(self, *, file: Path, space: str, preview: bool, verbosity: int, **options: Any) -> None:
        owner = owner_account()
        where = space_named(space) if space else space_personal(user=owner)
        choices = Choices(
            since=options["since"],
            keys=frozenset(options["only"]) if options["only"] else None,
            remember=not options["not_remembered"],
            replies=options["score"],
        )
        try:
            with (
                file.open("rb") as stream,
                tqdm(total=STEPS, desc=file.name[:40], disable=not verbosity, mininterval=0.5) as bar,
            ):
                export = ChatExport(
                    stream, name=file.name, on_read=lambda share: bar.update(round(share * STEPS) - bar.n)
                )
                if preview:
                    found = export_preview(space=where, owner=owner, export=export)
                else:
                    added = chats_import(space=where, owner=owner, export=export, choices=choices)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        except (ImportRefused, QuotaReached) as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(as_lines(found) if preview else str(added))


def as_lines(preview: Preview) -> str:
    """Return what is in an export in lines, one a chat after the totals."""
    told = preview.as_json()
    span = f", from {told['first']} to {told['last']}" if told["first"] else ""
    known = f" {preview.known_messages:,} messages are here already." if preview.known_messages else ""
    lines = [f"{told['program']}: {preview.chats:,} chats with {preview.messages:,} messages{span}.{known}"]
    lines += [f"Left out: {one['what']}: {one['count']:,}." for one in told["left_out"]]
    lines += [f"{one['key']}  {one['began']}  {one['messages']:,}  {one['title']}" for one in told["listed"]]
    if preview.chats > len(told["listed"]):
        lines.append(f"... and {preview.chats - len(told['listed']):,} more.")
    return "\n".join(lines)
