"""The model card of adapters of a language model, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from evaluation.core.reader_card import OWN_LICENCE, SOURCES, UNKNOWN, figure
from evaluation.core.report import Row

TEMPLATE = Path(__file__).with_name("adapter_card.md.j2")
GIVEN = {"given": ("the file of --data", "its owner's"), "own": ("written for this project", OWN_LICENCE)}


@dataclass(frozen=True)
class AdapterCard:
    """What a card says of adapters: `figures` are losses on what was held out."""

    title: str
    what: str
    base: str
    sources: Mapping[str, int]
    held_out: int
    trained: str
    command: str
    figures: Sequence[Row]


def adapter_card(card: AdapterCard) -> str:
    described = {name: GIVEN.get(name, SOURCES.get(name, UNKNOWN)) for name in card.sources}
    # Markdown, which a browser never gets as it is.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(card=card, described=described, figure=figure)
