"""Penman notation, checked before anything is believed of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import penman
from penman.exceptions import PenmanError
from penman.models.amr import model as amr_model

LONGEST = 20_000
_ROLE = re.compile(r":[A-Za-z][A-Za-z0-9-]*\Z")
_CONCEPT = re.compile(r"[^\s()/:\"]+\Z")


class InvalidAmr(ValueError):
    """A text is no AMR graph; the message says to a model what is wrong."""


@dataclass(frozen=True)
class AmrGraph:
    """A graph with every role in its forward direction. `concepts` has the concept of each variable."""

    top: str
    concepts: dict[str, str]
    roles: tuple[tuple[str, str, str], ...]


def read_penman(text: str) -> AmrGraph:
    """Return the first graph of a text. Raises `InvalidAmr`."""
    if len(text) > LONGEST:
        raise InvalidAmr(f"the graph is over {LONGEST} characters.")
    try:
        graph = penman.decode(text, model=amr_model)
    except PenmanError as error:
        raise InvalidAmr(f"it is no Penman notation: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise InvalidAmr("the graph is nested too deeply.") from None
    concepts: dict[str, str] = {}
    for variable, _, concept in graph.instances():
        if concept is None or not _CONCEPT.match(concept):
            raise InvalidAmr(f"the variable {variable!r} has no concept.")
        if concepts.setdefault(variable, concept) != concept:
            raise InvalidAmr(f"the variable {variable!r} stands for two concepts.")
    roles = []
    for source, role, target in (*graph.edges(), *graph.attributes()):
        if source not in concepts or not _ROLE.match(role) or target is None:
            raise InvalidAmr(f"the role {role!r} of {source!r} joins nothing.")
        if target not in concepts and _is_variable(target):
            raise InvalidAmr(f"the variable {target!r} is used and never introduced.")
        roles.append((source, role[1:], target))
    if graph.top not in concepts:
        raise InvalidAmr("the graph has no top.")
    return AmrGraph(graph.top, concepts, tuple(roles))


def _is_variable(target: str) -> bool:
    # AMR names variables by a letter and a number; "i" alone is one too.
    return re.fullmatch(r"[a-z]\d*", target) is not None
