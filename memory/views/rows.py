"""Reads row ids from what a browser sends, and the rows that they mean."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest

from memory.selectors.pages import LARGEST_ID

Row = TypeVar("Row")


def or_404(read: Callable[[], Row]) -> Row:
    """Return what a selector reads. Raises `Http404` where the row does not exist, or is not for this reader."""
    try:
        return read()
    except ObjectDoesNotExist as error:
        raise Http404 from error


def number_in(request: HttpRequest, name: str) -> int | None:
    """Return a URL parameter as a row id, None where it is absent. Raises `Http404` where it is no id."""
    return number_asked(request.GET.get(name, ""))


def number_asked(text: str) -> int | None:
    """Return the row id that a text is, None where it is empty. Raises `Http404` where it is no id."""
    number = row_number(text)
    if text and number is None:
        raise Http404
    return number


def row_number(text: str) -> int | None:
    """Return the row id that a text is, or None."""
    is_number = text.isascii() and text.isdecimal() and len(text) < 20
    return int(text) if is_number and 0 < int(text) < LARGEST_ID else None


def row_numbers(texts: Iterable[str]) -> list[int]:
    """Return the row ids among the texts, each once."""
    found = (row_number(text) for text in texts)
    return list(dict.fromkeys(number for number in found if number is not None))
