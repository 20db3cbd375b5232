"""Numbers in replies: the last one, and whether two are the same (GSM8K, Cobbe et al., 2021)."""

from __future__ import annotations

import re
from decimal import Decimal

# A minus belongs to a number only where nothing that can be counted down from stands before it.
NUMBER = re.compile(r"(?:(?<![\w.,])-)?\d[\d,]*(?:\.\d+)?")
DIGITS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")


def numbers_in(text: str) -> list[Decimal]:
    """Return the numbers that are written in digits, in order: "2 dozen at $1,200.50" gives 2 and 1200.50."""
    return [Decimal(found.group().replace(",", "")) for found in NUMBER.finditer(text)]


def last_number(text: str) -> Decimal | None:
    """Return the last number that is written in digits."""
    return next(reversed(numbers_in(text)), None)


def number_of(text: str) -> Decimal | None:
    """Return the one number that a text is, or None: "1,200" and "-3.5" are, "3 or 4" is not."""
    digits = text.strip()
    return Decimal(digits.replace(",", "")) if DIGITS.fullmatch(digits) else None
