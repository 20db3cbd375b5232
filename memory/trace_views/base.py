"""The base class of views of trace steps: a view reads what steps refer to, in batches, and shows it on a page and as text.

Steps that belong together are shown as one block, at the place of the first. A view is a class that names its kind, and a
template `trace/<kind>.html`, which gets the block as `shown`:

    class DreamView(StepView[Dream]):
        kind = Dream

        def lines(self, shown: Dream) -> list[str]:
            return [f"Dreamt of {shown.sheep} sheep"]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar, Generic, TypeVar

from memory.core.tracing import TraceStep, UnknownStep
from memory.selectors.tracing import NumberedStep

StepT = TypeVar("StepT", bound=TraceStep)
FACTS_A_STEP = 8
ALL_FACTS = 1_000

_VIEWS: dict[type[TraceStep], StepView[Any]] = {}


@dataclass(frozen=True)
class Reading:
    """For whom a trace is shown: the space, the reader ("you"), and the limit of facts a step."""

    space_id: int
    reader: str = ""
    facts: int = FACTS_A_STEP
    is_ended: bool = True


@dataclass(frozen=True)
class Block:
    """Steps that one template shows together."""

    kind: str
    number: int
    template: str
    shown: Any
    lines: tuple[str, ...]


class StepView(Generic[StepT]):
    """Shows the steps of one kind, or of kinds that are drawn together."""

    kind: ClassVar[type[TraceStep]]
    with_kinds: ClassVar[tuple[type[TraceStep], ...]] = ()

    def __init_subclass__(cls) -> None:
        _VIEWS.update(dict.fromkeys((cls.kind, *cls.with_kinds), cls()))

    def group(self, one: NumberedStep) -> Hashable:
        """Return the key that steps of one block share: the search that they are of; others are a block of their own."""
        return getattr(one.step, "search", ("alone", one.number))

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        """Return what the template gets for each group, reading everything that they need at once."""
        return [group[0].step for group in groups]

    def lines(self, shown: Any) -> list[str]:
        """Return a block as lines of text; a line that belongs to an earlier one is indented by two spaces."""
        raise NotImplementedError


class UnknownView(StepView[UnknownStep]):
    kind = UnknownStep

    def group(self, one: NumberedStep) -> Hashable:
        return getattr(one.step, "called", "")

    def lines(self, shown: UnknownStep) -> list[str]:
        return [f"A step that this version does not know ({shown.called})"]


def load(room: str, path: Iterable[str]) -> None:
    """Import the modules of a package, which registers its views."""
    for module in iter_modules(path):
        import_module(f"{room}.{module.name}")


def blocks_of(steps: Sequence[NumberedStep], reading: Reading) -> list[Block]:
    """Return steps as blocks in order; each kind reads its data once for all its steps."""
    groups: dict[StepView[Any], dict[Hashable, list[NumberedStep]]] = {}
    for one in steps:
        view = _VIEWS[type(one.step)]
        groups.setdefault(view, {}).setdefault(view.group(one), []).append(one)
    blocks = []
    for view, grouped in groups.items():
        together = list(grouped.values())
        for group, shown in zip(together, view.shown_many(together, reading), strict=True):
            kind = view.kind.kind
            lines = tuple(view.lines(shown))
            blocks.append(Block(kind, group[0].number, f"trace/{kind}.html", shown, lines))
    return sorted(blocks, key=lambda block: block.number)
