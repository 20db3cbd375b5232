"""Pages of lists by keyset: a page starts after a row, not after a number of rows to skip, and nothing is counted."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet

PAGE = 30
LARGEST_ID = 2**63 - 1
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """The rows of a page and the key of the next page; the key is empty on the last page."""

    rows: list[Row] = field(default_factory=list)
    older: str = ""


def page_of(rows: QuerySet[Row], *, order: tuple[str, ...] = ("pk",), before: str = "", size: int = PAGE) -> Page[Row]:
    """Return a page of the rows, in descending order of the fields of `order`, after the row that `before` names.

    `order` are one or two integer fields with an index in that order. A `before` that is no key gives the first page.
    """
    at = place_in(before, len(order))
    if at:
        rows = rows.filter(smaller(order, at))
    found = list(rows.order_by(*(f"-{name}" for name in order))[: size + 1])
    older = place_of(found[size - 1], order) if len(found) > size else ""
    return Page(found[:size], older)


def smaller(order: tuple[str, ...], at: tuple[int, ...]) -> Q:
    if len(order) == 1:
        return Q(**{f"{order[0]}__lt": at[0]})
    # The first condition says nothing new, and is what the index can begin at.
    return Q(**{f"{order[0]}__lte": at[0]}) & (
        Q(**{f"{order[0]}__lt": at[0]}) | Q(**{order[0]: at[0], f"{order[1]}__lt": at[1]})
    )


def place_of(row: Any, order: tuple[str, ...]) -> str:
    return ".".join(str(getattr(row, name)) for name in order)


def place_in(text: str, parts: int) -> tuple[int, ...]:
    """Return the numbers of a page key such as "120.7"; empty for a malformed key."""
    numbers = text.split(".") if len(text) < 50 else []
    if len(numbers) != parts or not all(part.isascii() and part.isdecimal() for part in numbers):
        return ()
    at = tuple(int(part) for part in numbers)
    return at if max(at) < LARGEST_ID else ()
