"""Passages of text as JSONL: an object with `title` and `text` a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.adapters.knowledge_files.lines import Lines
from memory.adapters.knowledge_files.records import StatedPassage
from memory.core.plain_text import NOT_TEXT

LONGEST_TITLE, LONGEST_TEXT = 300, 20_000


class PassageLine(BaseModel):
    model_config = ConfigDict(strict=True, str_strip_whitespace=True)

    title: str = Field("", max_length=LONGEST_TITLE)
    text: str = Field(min_length=1, max_length=LONGEST_TEXT)


def read_passages(lines: Lines, beside: Path | None = None) -> Iterator[StatedPassage]:
    for number, line in lines:
        try:
            passage = PassageLine.model_validate_json(line)
        except ValidationError as error:
            [first, *_] = error.errors()
            place = ".".join(str(part) for part in first["loc"])
            what = f"expected an object with a title and a text; {f'{place}: ' if place else ''}{first['msg']}"
            raise lines.refusal(number, what, line) from None
        if NOT_TEXT.search(passage.title + passage.text):
            raise lines.refusal(number, "expected text, found a character that is none", line)
        yield StatedPassage(number, passage.title, passage.text)
