"""What every measuring command does with its report: the table on standard output, the one form to a file and back."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper

from evaluation.core.errors import MalformedReport
from evaluation.core.report import Report


def report_write(report: Report, *, stdout: OutputWrapper, json_path: Path | None) -> None:
    stdout.write(report.as_table())
    if json_path is None:
        return
    try:
        json_path.write_text(report.as_json(), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{json_path} cannot be written: {error.strerror}. Give --json another path.") from error


def report_read(path: Path) -> Report:
    """Return the report that a file holds. Raises `MalformedReport`, which names the file."""
    try:
        return Report.from_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MalformedReport(f"{path} cannot be read: {error.strerror}.") from error
    except (MalformedReport, UnicodeDecodeError) as error:
        raise MalformedReport(f"{path}: {error}") from error
