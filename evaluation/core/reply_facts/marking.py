"""Marks sentences in the rendered, clean HTML of a reply. Whatever stands in it stays, in its order, and every element whole.

A sentence is found by its letters and digits alone, since marks of Markdown and white space are not rendered as they were
written. Each piece of text that it covers is wrapped by itself, so that no element is cut. What stands in code or in a
button is no sentence. One that cannot be found is left to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

_TOKEN = re.compile(r'<(?:[^>"]|"[^"]*")*>|[^<]+')
_UNIT = re.compile(r"&[^;\s&]+;|.", re.DOTALL)
_CLOSING, _OPENING = ".!?…,:;\"'”’)]", "\"'“‘(["
_ENDS_BLOCK = re.compile(r"</(?:p|h\d)>")
_BEFORE = re.compile(r"</?(?:li|td|th|blockquote|ul|ol|div|pre|table)\b|<(?:p|h\d|hr)\b")


@dataclass(frozen=True)
class Marking:
    """A sentence to mark: its rendered words, those before it as written, and the HTML around it.

    `sign` comes behind it (and behind a link that it ends in), `below` behind the paragraph or list item that it stands in.
    """

    words: str
    before: str
    opening: str
    closing: str
    sign: str = ""
    below: str = ""


@dataclass(frozen=True)
class _Letter:
    token: int
    unit: int
    is_prose: bool


def text_of(html: str) -> str:
    """Return the text of clean HTML without its elements."""
    return unescape("".join(token for token in _TOKEN.findall(html) if not token.startswith("<")))


def marked(html: str, markings: Sequence[Marking]) -> tuple[str, list[Marking]]:
    """Return the HTML with the sentences marked, and those that were not found."""
    tokens = _TOKEN.findall(html)
    units = [[] if token.startswith("<") else _UNIT.findall(token) for token in tokens]
    letters, text = _letters(tokens, units)
    inside: dict[tuple[int, int], Marking] = {}
    lost: list[Marking] = []
    signs: dict[tuple[int, int], str] = {}
    below: dict[int, str] = {}
    for one in markings:
        found = _found(one, letters, text)
        covered = _covered(found, units) if found else []
        if not covered or any(place in inside for place in covered):
            lost.append(one)
            continue
        inside |= dict.fromkeys(covered, one)
        last = covered[-1]
        place = _after_link(tokens, last)
        signs[place] = signs.get(place, "") + one.sign
        panel = _after_block(tokens, last[0])
        below[panel] = below.get(panel, "") + one.below
    pieces = []
    for number, token in enumerate(tokens):
        pieces += [
            below.get(number, ""),
            _wrapped(number, token, units[number], inside, signs),
            signs.get((number, -1), ""),
        ]
    return "".join([*pieces, below.get(len(tokens), "")]), lost


def _letters(tokens: Sequence[str], units: Sequence[Sequence[str]]) -> tuple[list[_Letter], str]:
    """Return the letters and digits of the text with their places; those of buttons are left out."""
    letters, text, buttons, code = [], [], 0, 0
    for number, token in enumerate(tokens):
        buttons += token.startswith("<button") - token.startswith("</button")
        code += token.startswith("<pre") - token.startswith("</pre")
        for place, unit in enumerate(units[number] if not buttons else ()):
            if unescape(unit).isalnum():
                letters.append(_Letter(number, place, not code))
                text.append(unescape(unit))
    return letters, "".join(text)


def _found(one: Marking, letters: Sequence[_Letter], text: str) -> Sequence[_Letter]:
    """Return the letters of a sentence: of several equal ones, that with as many before it as in the written words."""
    wanted = _bare(one.words)
    start = -1
    for _ in range(_count(_bare(one.before), wanted) + 1 if wanted else 0):
        start = text.find(wanted, start + 1)
        if start < 0:
            return ()
    found = letters[start : start + len(wanted)] if wanted else ()
    return found if all(letter.is_prose for letter in found) else ()


def _bare(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _count(text: str, wanted: str) -> int:
    """Return how often a text has the wanted one, overlapping ones too."""
    count, start = 0, text.find(wanted)
    while start >= 0:
        count, start = count + 1, text.find(wanted, start + 1)
    return count


def _covered(found: Sequence[_Letter], units: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return the places of a sentence's text, with the punctuation around it, in order."""
    first, last = found[0], found[-1]
    start, end = first.unit, last.unit + 1
    while start > 0 and unescape(units[first.token][start - 1]) in _OPENING:
        start -= 1
    while end < len(units[last.token]) and unescape(units[last.token][end]) in _CLOSING:
        end += 1
    places = [(number, place) for number in range(first.token, last.token + 1) for place in range(len(units[number]))]
    return [place for place in places if (first.token, start) <= place < (last.token, end)]


def _after_link(tokens: Sequence[str], last: tuple[int, int]) -> tuple[int, int]:
    """Return where the sign of a sentence goes: behind its last piece of text, or behind the link which that stands in."""
    for number in range(last[0] + 1, len(tokens)):
        if tokens[number].startswith("<a "):
            break
        if tokens[number] == "</a>":
            return number, -1
    return last


def _after_block(tokens: Sequence[str], last: int) -> int:
    """Return before which token something goes that stands below the block of a text."""
    for number in range(last + 1, len(tokens)):
        if _ENDS_BLOCK.match(tokens[number]):
            return number + 1
        if _BEFORE.match(tokens[number]):
            return number
    return len(tokens)


def _wrapped(
    number: int,
    token: str,
    units: Sequence[str],
    inside: dict[tuple[int, int], Marking],
    signs: dict[tuple[int, int], str],
) -> str:
    if not units:
        return token
    pieces: list[str] = []
    run, current = "", None
    for place, unit in enumerate([*units, ""]):
        now = inside.get((number, place))
        if now is not current or not unit:
            pieces.append(f"{current.opening}{run}{current.closing}" if current is not None and run.strip() else run)
            run, current = "", now
        run += unit
        if (number, place) in signs:
            pieces += [f"{current.opening}{run}{current.closing}" if current is not None else run, signs[number, place]]
            run, current = "", None
    return "".join(pieces)
