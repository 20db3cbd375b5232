"""The benches by name. A new one is a module beside these with HELP, OPTIONS and `measure`, and a line here."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.errors import UnknownName
from evaluation.performance import (
    annotation,
    backbones,
    backward_chaining,
    dashboard,
    graph_actions,
    graph_check,
    imports,
    knowledge,
    maintenance,
    memory,
    people,
    queue,
    reading,
    reasoning_tree,
    replay,
    reply,
    roles,
    sentence_graph,
    sockets,
    updates,
)
from evaluation.performance.costs import Bench, BenchOption

BENCHES: dict[str, Bench] = {
    "reply": reply,
    "maintenance": maintenance,
    "graph-check": graph_check,
    "replay": replay,
    "sockets": sockets,
    "memory": memory,
    "people": people,
    "queue": queue,
    "updates": updates,
    "reading": reading,
    "graph-actions": graph_actions,
    "reasoning-tree": reasoning_tree,
    "backward-chaining": backward_chaining,
    "roles": roles,
    "sentence-graph": sentence_graph,
    "backbones": backbones,
    "dashboard": dashboard,
    "knowledge": knowledge,
    "annotation": annotation,
    "import": imports,
}


def benches_named(names: Sequence[str]) -> dict[str, Bench]:
    """Return the benches of these names, all where none is named. Raises `UnknownName`."""
    for name in names:
        if name not in BENCHES:
            raise UnknownName(f"There is no bench {name!r}. Benches: {', '.join(BENCHES)}.")
    return {name: BENCHES[name] for name in names or BENCHES}


def options_of(benches: dict[str, Bench]) -> dict[str, BenchOption]:
    """Return the options of the benches by name; benches that share an option have it once."""
    return {option.name: option for bench in benches.values() for option in bench.OPTIONS}
