"""Ages."""

from __future__ import annotations

import re

from memory.core.english.numbers import in_digits
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.modality import is_perfect
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.types import Fact, Node, Tense

_YEARS = frozenset({"year", "years", "yr", "yrs", "yo", "y", "old"})


def read_age(scene: Scene, clause: Clause) -> list[Fact]:
    tree, head = scene.tree, clause.head
    number = head if tree.pos(head) == "NUM" else None
    if number is None and tree.low(head) in _YEARS:
        below = [node for node in tree.subtree(head) if tree.pos(node) == "NUM"]
        number = below[0] if below else None
    if number is None or clause.tense is Tense.PAST:
        return []
    others = [
        tree.low(node)
        for node in dict.fromkeys([head, *tree.children(number), *tree.children(head)])
        if node > number
        and tree.pos(node) in ("NOUN", "ADJ", "SYM", "PROPN")
        and not tree.is_dep(node, "conj", "parataxis")
    ]
    match = re.fullmatch(r"\d{1,3}", tree.low(number))
    if tree.children(head, "case") or any(
        word not in _YEARS and word not in ("today", "now", "month", "months") for word in others[:2]
    ):
        return []
    # A bare word is too little to tell an age of the speaker: "I've been one".
    is_bare_word = match is None and number == head and not others
    is_of_speaker = any(subject.node.is_speaker for subject in clause.subjects)
    if is_bare_word and (is_of_speaker or is_perfect(tree, head)) or match and is_perfect(tree, head) and not others:
        return []
    value = in_digits(tree.low(number))
    if not re.fullmatch(r"\d{1,3}", value) or int(value) > 125:
        return []
    unit = " months" if {"month", "months"} & set(others) else ""
    people = tuple(
        m
        for m in clause.subjects
        if m.node.is_speaker or m.node.kind in ("Person", "Animal", "") and (m.relation or m.is_proper or not m.noun)
    )
    facts = []
    for person in people:
        mention = Mention(Node(value + unit, is_literal=True, pos="NUM"), (number,))
        facts += write(scene, clause, "age", mention, subject=person, phrase="be", period=(None, None))
    return facts
