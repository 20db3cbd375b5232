"""Habits by their signs: what is taken regularly, what was done for a time and not once, which one "it" is."""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.types import Tense

_REGULARLY = re.compile(
    r"\b(?:every|each|daily|twice|once an?|times a|in the (?:morning|evening)s?|at night|for (?:my|the|her|his)|"
    r"in (?:spring|summer|"
    r"autumn|winter|fall)|before bed|mornings|evenings|tablets?|pills?|medicine|medication|doctor|no longer|any ?more)\b",
    re.IGNORECASE,
)
_NOT_DOSES = frozenset(
    "bus train tram taxi cab metro subway ferry plane bike car photo photograph picture walk stroll break nap "
    "bath shower class "
    "course lesson exam test call look trip care turn time note ride advice chance seat lift stairs dog child kid".split()
)


def is_taken(scene: Scene, clause: Clause, node: int, value: Mention) -> bool:
    """Return whether something is taken regularly, as a medicine is: "I take metformin every morning"."""
    tree = scene.tree
    is_plain = (
        not tree.words(node, "det") & {"a", "an", "the"} and value.relation is None and value.noun not in _NOT_DOSES
    )
    is_habit = clause.tense is Tense.PRESENT or bool(clause.prefix)
    return is_plain and is_habit and _REGULARLY.search(scene.utterance.text) is not None


# What tells that something in the past tense was so for a time, and not once.
_FORMERLY = re.compile(
    r"\b(?:before that|back then|back in the day|in those days|at the time|as a (?:child|kid|student|teen\w*|"
    r"boy|girl)|at school|"
    r"when i was (?:young\w*|a \w+|little|small)|years ago|in my (?:youth|teens|twenties|previous life)|"
    r"formerly|previously|"
    r"until \w+|till \w+|for \w+ (?:years|months)|for years|for ages|growing up|once upon a time|earlier)\b",
    re.IGNORECASE,
)
_LASTING = frozenset({"play", "drink", "eat", "use", "ride", "watch", "read", "run", "cook", "smoke", "vape"})


def is_former_habit(scene: Scene, clause: Clause, stem: str) -> bool:
    """Return whether a clause tells what somebody used to do: "Before that I played the recorder"."""
    is_past = clause.tense is Tense.PAST and not clause.prefix
    return is_past and stem in _LASTING and _FORMERLY.search(scene.tree.text) is not None
