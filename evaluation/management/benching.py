"""What the two bench commands share: their arguments and their report."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.core.report import Report, Row
from evaluation.performance.catalogue import BENCHES, options_of


def arguments_add(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHES)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the rows to this file too")
    for name, option in options_of(BENCHES).items():
        parser.add_argument(f"--{name}", dest=name, type=option.parse, metavar=name.upper(), help=option.help)


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the benches' own options that were given on the command line."""
    return {name: options[name] for name in options_of(BENCHES) if options.get(name) is not None}


def report_of(names: Sequence[str], given: Mapping[str, Any], rows: Sequence[Row]) -> Report:
    data = [given["data"]] if "data" in given else []
    made_with = identity(code_folder=settings.BASE_DIR, data=data, config={"benches": list(names), **given})
    return Report("bench", made_with, rows)
