"""Lines of CSV for spreadsheets, which take a cell that begins like a formula for one."""

import csv
import io
from collections.abc import Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_line(values: Sequence[object]) -> str:
    """Return one line of CSV in which no cell of text is a formula."""
    out = io.StringIO()
    csv.writer(out).writerow([harmless(value) for value in values])
    return out.getvalue()


def harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
