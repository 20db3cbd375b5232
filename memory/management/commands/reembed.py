"""`manage.py reembed [--space S]`: make vectors anew after a change of the embedder."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from memory.core.errors import MemoryCoreError
from memory.management.spaces import space_named
from memory.models import Space
from memory.services.leases import LeaseLost
from memory.services.reembedding import SpaceBusy, space_reembed, spaces_to_reembed


class Command(BaseCommand):
    help = (
        "Make the vectors of a memory anew with the embedder that there is now, and whatever else its indexes lack. "
        "Whoever stops it loses one step: the next call goes on there."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--space", metavar="NAME", default="", help="the name of a space, or its number (default: all that need it)"
        )

    def handle(self, *, space: str, **options: Any) -> None:
        spaces = list(spaces_to_reembed())
        if space:
            wanted = space_named(space)
            spaces = [one for one in spaces if one.pk == wanted.pk]
        if not spaces:
            self.stdout.write("All vectors are there, and all are of the embedder that there is now.")
        for one in spaces:
            self.reembed(one)

    def reembed(self, space: Space) -> None:
        with tqdm(desc=space.name[:40], unit="sentences", dynamic_ncols=True, mininterval=0.5) as bar:

            def show(left: int) -> None:
                if bar.total is None or bar.total < left:
                    bar.reset(total=left)
                bar.update(bar.total - left - bar.n)

            try:
                space_reembed(space=space, on_left=show)
            except (MemoryCoreError, SpaceBusy) as error:
                raise CommandError(f"{space.name}: {error}") from error
            except LeaseLost as error:
                raise CommandError(f"{space.name}: another worker took over. Run this again to go on.") from error
            except Space.DoesNotExist:
                return
        self.stdout.write(f"{space.name}: done.")
