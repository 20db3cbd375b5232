"""`manage.py export_graph --space S`: a space's graph as RDF, with its history and provenance."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.management.spaces import space_named
from memory.models import ActRecord
from memory.services.acts import act_record
from memory.services.exchange import graph_export


class Command(BaseCommand):
    help = "Write the graph of a space as RDF, to a file or to the standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--space", required=True, metavar="NAME", help="the name of the space, or its number")
        parser.add_argument("--format", choices=[form.value for form in GraphFormat], default=GraphFormat.TURTLE.value)
        parser.add_argument("--out", type=Path, metavar="FILE", help="where to write (default: the standard output)")

    def handle(self, *args: Any, **options: Any) -> None:
        space = space_named(options["space"])
        act_record(kind=ActRecord.Kind.EXPORT, space=space, words=f"the graph, as {options['format']}")
        document = graph_export(space=space, form=GraphFormat(options["format"]))
        if options["out"] is None:
            for piece in document:
                self.stdout.write(piece, ending="")
            return
        try:
            with options["out"].open("w", encoding="utf-8", newline="") as file:
                file.writelines(document)
        except OSError as error:
            raise CommandError(f"{options['out']} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"Wrote the graph of {space.name} to {options['out']}.")
