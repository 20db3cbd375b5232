"""`manage.py import_graph FILE --space S`: bring an exported graph, or anybody's RDF, into a space."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.core.errors import QuotaReached
from memory.core.knowledge_graph.rdf.parsing import GraphFileRefused
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.management.spaces import space_named
from memory.services.exchange import graph_import
from memory.services.exchange.rdf_import import limits


class Command(BaseCommand):
    help = "Bring RDF from a file into a space: all of it or nothing. Nothing is ever fetched."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--space", required=True, metavar="NAME", help="the name of the space, or its number")
        parser.add_argument(
            "--format", choices=[form.value for form in GraphFormat], help="by default what the file's name tells"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        told = options["format"] or GraphFormat.of_file(file.name)
        if told is None:
            raise CommandError(f"The name of {file} does not tell its format. Give --format.")
        space = space_named(options["space"])
        try:
            with file.open("rb") as stream:
                content = stream.read(limits().size + 1)
            added = graph_import(space=space, content=content, form=GraphFormat(told), name=file.name)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        except (GraphFileRefused, QuotaReached) as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(str(added))
