"""`bench memory`: the memory of the idle product after a reply, and the heavy packages that it has imported.

The product is the server's process with its children and every process of the embedded PostgreSQL. The figure is the
proportional set size (PSS), which counts a page that several processes share once; `rss_mb` counts it for each. Python
reports the imported modules (-X importtime).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.processes import family, is_known, residence
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.performance.served import guests, served_product
from evaluation.performance.sockets import talk

HELP = "resident memory of the whole product, idle after a reply"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("settle", float, 5.0, "seconds from the reply to the measurement (default: 5)"),
)
KILOBYTES_A_MEGABYTE = 1000
HEAVY = ("torch", "transformers")


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return memory by part and for the whole, and whether torch and transformers were imported."""
    if not is_known():
        return [Row("memory", "resident_mb", None, unit="MB", why="only Linux tells what a process occupies")]
    with guests() as come, served_product(python_options=("-X", "importtime")) as product:
        got = asyncio.run(talk(product, come(), rounds=3, on_reply=lambda count: None))
        if got.failure:
            raise EvaluationError(f"The server did not reply: {got.failure}")
        time.sleep(options["settle"])
        parts = {"server": family(product.pid), "postgres": postgres_family()}
        parts["server"] = [pid for pid in parts["server"] if pid not in parts["postgres"]]
        rows = residence_rows(parts)
        imported = imported_packages(product.errors)
    return rows + [
        Row("memory", f"{name}_imported", int(name in imported), unit="packages", n=len(imported)) for name in HEAVY
    ]


def postgres_family() -> list[int]:
    """Return the processes of the embedded PostgreSQL; none for an external server."""
    if settings.DATABASE_URL:
        return []
    pid_file = settings.EMBEDDED_POSTGRES_HOME / "data" / "postmaster.pid"
    try:
        return family(int(pid_file.read_text().split()[0]))
    except (FileNotFoundError, IndexError, ValueError) as error:
        raise EvaluationError(f"The embedded PostgreSQL does not tell its process in {pid_file}.") from error


def residence_rows(parts: Mapping[str, list[int]]) -> list[Row]:
    try:
        sizes = {name: [residence(pid) for pid in pids] for name, pids in parts.items()}
    except PermissionError as error:
        return [Row("memory", "resident_mb", None, unit="MB", why=f"{error.filename} may not be read")]
    every = [size for part in sizes.values() for size in part]
    rows = [Row("memory", "resident_mb", megabytes(sum(size.pss for size in every)), unit="MB", n=len(every))]
    rows += [
        Row("memory", "resident_mb", megabytes(sum(size.pss for size in part)), unit="MB", n=len(part), group=name)
        for name, part in sizes.items()
    ]
    return [*rows, Row("memory", "rss_mb", megabytes(sum(size.rss for size in every)), unit="MB", n=len(every))]


def megabytes(kilobytes: int) -> float:
    return round(kilobytes / KILOBYTES_A_MEGABYTE, 1)


def imported_packages(errors: Path) -> set[str]:
    """Return the packages that Python reports as imported.

    A package counts if a module inside it was imported, because failed attempts are reported too.
    """
    lines = errors.read_text(errors="replace").splitlines()
    modules = (line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:"))
    return {module.partition(".")[0] for module in modules if "." in module}
