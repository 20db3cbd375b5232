"""The same items as CSV, a row each: texts in cells of their own, lists as JSON. No cell is a formula to a spreadsheet.

`content.FIELD` is what is shown, `final.QUESTION`, `machine.QUESTION` and `gold.QUESTION` are answers. A table tells
nothing of the project: versions of the guideline that labels name, and the project lacks, are made with the text that it has.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.benchmarks.reading import Field, parse, read_rows
from evaluation.core.annotation.drafts import ItemRecord
from evaluation.core.annotation.types import ProjectKind, QuestionForm, ShownForm
from evaluation.core.errors import MalformedAnnotation, MalformedBenchmark
from evaluation.services.annotation.files.lines import read_record, refuse
from memory.core.csv_lines import FORMULA

SIDES = ("machine", "gold", "final")
PLAIN = ("key", "place", "dataset", "stratum", "cluster", "standing", "why", "machine_by")
NUMBERS = ("place", "uncertainty", "disagreement")
LISTS = ("source", "labels", "settlements")
TEXTS = (ShownForm.HEADLINE, ShownForm.TEXT)


def columns_of(kind: ProjectKind) -> list[str]:
    answers = [f"{side}.{question.name}" for side in SIDES for question in kind.questions]
    return [*PLAIN, *(f"content.{field.name}" for field in kind.shown), *answers, *LISTS]


def table_lines(records: Iterable[Mapping[str, Any]], kind: ProjectKind) -> Iterator[str]:
    """Yield the lines of the table, its head first."""
    columns = columns_of(kind)
    yield line(columns)
    for record in records:
        yield line([cell(value_at(record, column)) for column in columns])


def value_at(record: Mapping[str, Any], column: str) -> Any:
    whole, _, part = column.partition(".")
    value = record[whole]
    return (value or {}).get(part) if part else value


def cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text


def line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def is_table(names: Sequence[str]) -> bool:
    return "key" in names and any(name.startswith("content.") for name in names)


def read_table(path: Path, kind: ProjectKind) -> Iterator[ItemRecord]:
    """Yield the items of a table. Raises `MalformedAnnotation` that names the row, the head being row 1, and the column."""
    forms = {
        **{f"content.{field.name}": field.form in TEXTS for field in kind.shown},
        **{f"{side}.{one.name}": one.form is QuestionForm.CHOICE for side in SIDES for one in kind.questions},
        **dict.fromkeys((*PLAIN, *NUMBERS), True),
        **dict.fromkeys(LISTS, False),
    }
    for number, row in enumerate(read_rows(path), start=2):
        if unknown := [name for name in row if name is not None and name not in forms]:
            raise MalformedAnnotation(f"row 1: there is no column {unknown[0]!r}. Columns: {', '.join(forms)}.")
        yield read_record(Field(record_at(row, number, forms), number), kind)


def record_at(row: Mapping[str | None, Any], number: int, forms: Mapping[str, bool]) -> dict[str, Any]:
    """Return a row as the record that it was written from."""
    if None in row:
        raise MalformedAnnotation(f"row {number} has more cells than the head of the table.")
    record: dict[str, Any] = {}
    for column, text in row.items():
        if column is None or not text:
            continue
        value = read_cell(text, Field(text, number, column), is_text=forms[column])
        whole, _, part = column.partition(".")
        if part:
            record.setdefault(whole, {})[part] = value
        else:
            record[whole] = value
    return record


def read_cell(text: str, where: Field, *, is_text: bool) -> Any:
    plain = text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA) else text
    if where.path in NUMBERS:
        try:
            return float(plain)
        except ValueError:
            refuse(where, f"expected a number, got {plain!r}")
    if is_text:
        return plain
    try:
        return parse(plain, where="the cell")
    except MalformedBenchmark as error:
        refuse(where, str(error))
