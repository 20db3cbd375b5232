"""`manage.py import_knowledge FILE --space S --name N`: bring a knowledge base from a file into a space."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from memory.adapters.knowledge_files import FORMS
from memory.core.errors import KnowledgeRefused
from memory.management.spaces import space_named
from memory.services.knowledge import KnowledgeFile, knowledge_import
from memory.services.knowledge.importing import path_opened

STEPS = 1_000


class Command(BaseCommand):
    help = (
        "Bring a knowledge base from a file into a space: all of it or nothing. Triples as lines with tabs, N-Triples or "
        "OpenDialKG's files; passages as JSONL with title and text. Nothing is ever fetched."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the file; of OpenDialKG valid2id.txt")
        parser.add_argument("--space", required=True, metavar="S", help="the name of the space, or its number")
        parser.add_argument("--name", required=True, metavar="N", help="what the base is called where it is a source")
        parser.add_argument("--licence", default="", metavar="TEXT", help="under which licence it is used")
        parser.add_argument("--form", choices=list(FORMS), default="", help="by default what the file holds tells")
        parser.add_argument("--aliases", type=Path, metavar="FILE", help="other names: lines of name, tab, alias")

    def handle(self, *, file: Path, space: str, name: str, licence: str, form: str, **options: Any) -> None:
        where = space_named(space)
        try:
            given = KnowledgeFile(
                file.name, file.stat().st_size, path_opened(file), file.parent, form, options["aliases"]
            )
            with tqdm(total=STEPS, desc=name[:40], bar_format="{l_bar}{bar}| {elapsed} so far", mininterval=0.5) as bar:
                base, is_new = knowledge_import(
                    space=where,
                    file=given,
                    name=name.strip()[:120],
                    licence=licence[:500],
                    on_progress=lambda share: bar.update(round(share * STEPS) - bar.n),
                )
        except OSError as error:
            raise CommandError(f"{error.filename or file} cannot be read: {error.strerror}.") from error
        except KnowledgeRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        if not is_new:
            self.stdout.write(f"This file is here already, as {base.name!r}.")
            return
        self.stdout.write(
            f"{base.name}: {base.triples:,} triples of {base.entities:,} entities, {base.aliases:,} other names, "
            f"{base.passages:,} passages."
        )
