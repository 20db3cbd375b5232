"""The rules beside the message reader as named steps, each of which gives a sentence's facts with what it adds or changes.

A rule is a function, and its name is the function's. An extractor is built with a sequence of them; to leave a rule out is to
build it without, which is how `bench reading` tells what each rule is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memory.core.knowledge_graph.extraction.clauses import Scene
from memory.core.types import Fact


@dataclass(frozen=True)
class SaidBefore:
    """The facts of what a speaker said before a sentence: all, and those of the last that had any.

    `is_announced` is true after a sentence that only said that something was wrong.
    """

    earlier: tuple[Fact, ...]
    latest: tuple[Fact, ...]
    is_announced: bool


Rule = Callable[[Scene, list[Fact], SaidBefore], list[Fact]]
