"""Puts facts of a memory into prompts, one a line, and takes lines out of replies."""

from __future__ import annotations

from collections.abc import Sequence

from memory.core.english.telling_times import say_day
from memory.core.english.times import WEEKDAYS
from memory.core.plain_text import NOT_TEXT
from memory.core.types import MemoryUnit

# Summaries and reports are the longest facts.
LONGEST = 1_200


def fact_lines(facts: Sequence[MemoryUnit]) -> str:
    """Return facts in their order, numbered from 1: "2. [Sunday, 7 May 2023] Ana: I moved to Lyon."."""
    return "\n".join(f"{number}. {fact_line(fact)}" for number, fact in enumerate(facts, start=1))


def fact_line(fact: MemoryUnit) -> str:
    """Return a fact on one line with the day on which it was said, and by whom where it is one person's words."""
    day = f"{WEEKDAYS[fact.said_at.weekday()]}, {say_day(fact.said_at)}"
    words = on_one_line(f"{fact.speaker}: {fact.text}" if fact.speaker else fact.text)
    return f"[{day}] {words[:LONGEST]}"


def on_one_line(text: str) -> str:
    """Return text without line breaks, and without characters that no database can hold."""
    return " ".join(NOT_TEXT.sub(" ", text).split())
