"""Writes the two sides of a conflict case as numbered lines, for a language model to read and to name by number.

    2. Ana livesIn Paris  (said 2024-01-02 by Ana; in the words "We have a flat in Paris now.")

A denial has "not" before its predicate. Two things of one name are told apart by their kind, or by a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memory.core.naming import key_of
from memory.core.types import ConflictCase, Fact, Node, Polarity, Role, Tense, Triple

LABEL_LIMIT = 200
SPEAKER_LIMIT = 60
WORDS_LIMIT = 300

Names = Mapping[int, str]


def triple_lines(triples: Sequence[Triple], names: Names, *, quoted: Iterable[int]) -> list[str]:
    """Return one numbered line a triple of the graph; those whose ids are `quoted` with the words that told them."""
    wanted = set(quoted)
    return [
        f"{number}. {_stated(triple, names)}  ({'; '.join(_about(triple, with_words=triple.id in wanted))})"
        for number, triple in enumerate(triples, start=1)
    ]


def fact_lines(facts: Sequence[Fact], case: ConflictCase, names: Names) -> list[str]:
    """Return one numbered line a fact of the fragment, under the names that the graph has for its ends."""
    known = {key_of(name): name for name in names.values()}
    told = "; ".join([_told(case.role, case.speaker, f"{case.said_at:%Y-%m-%d}")])
    return [
        f"{number}. {_name(fact.subject, known)} {_predicate(fact.predicate, fact.polarity)} {_name(fact.object, known)}"
        f"  ({'; '.join([told, *_when(fact)])})"
        for number, fact in enumerate(facts, start=1)
    ]


def names_of(triples: Sequence[Triple]) -> dict[int, str]:
    """Return a name for each entity of the triples, by its id; no two have the same."""
    kinds: dict[int, tuple[str, str]] = {}
    for triple in triples:
        kinds.setdefault(triple.subject.id, (triple.subject.label, triple.subject.kind))
        if triple.object_id is not None:
            kinds.setdefault(triple.object_id, (triple.object, triple.object_kind))
    names: dict[int, str] = {}
    taken: set[str] = set()
    for entity, (label, kind) in kinds.items():
        plain = _one_line(label, LABEL_LIMIT)
        choices = (plain, *([f"{plain} [{kind}]"] if kind else []), f"{plain} [{entity}]")
        names[entity] = next((name for name in choices if key_of(name) not in taken), choices[-1])
        taken.add(key_of(names[entity]))
    return names


def _stated(triple: Triple, names: Names) -> str:
    value = (
        "anything"
        if triple.is_any
        else f'"{_one_line(triple.object, LABEL_LIMIT)}"'
        if triple.object_id is None
        else names[triple.object_id]
    )
    return f"{names[triple.subject.id]} {_predicate(triple.predicate, triple.polarity)} {value}"


def _name(node: Node, known: Mapping[str, str]) -> str:
    if node.is_any:
        return "anything"
    if node.is_literal:
        return f'"{_one_line(node.label, LABEL_LIMIT)}"'
    found = (known[key] for name in (node.label, *node.aliases) if (key := key_of(name)) in known)
    return next(found, _one_line(node.label, LABEL_LIMIT))


def _predicate(name: str, polarity: Polarity) -> str:
    return f"not {name}" if polarity is Polarity.NEGATIVE else name


def _about(triple: Triple, *, with_words: bool) -> list[str]:
    source = triple.source
    parts = [_told(source.role, source.speaker, f"{source.said_at:%Y-%m-%d}"), *_when(triple)]
    words = _one_line(source.text, WORDS_LIMIT).replace('"', "'")
    return [*parts, f'in the words "{words}"'] if with_words and words else parts


def _told(role: Role, speaker: str, day: str) -> str:
    return f"said {day} by {'the assistant' if role is Role.ASSISTANT else _one_line(speaker, SPEAKER_LIMIT)}"


def _when(holds: Triple | Fact) -> list[str]:
    parts = {Tense.PAST: ["in the past"], Tense.FUTURE: ["planned"], Tense.PRESENT: []}[holds.tense]
    if holds.valid_from is not None:
        parts = [*parts, f"from {holds.valid_from:%Y-%m-%d}"]
    return [*parts, f"until {holds.valid_to:%Y-%m-%d}"] if holds.valid_to is not None else parts


def _one_line(text: str, limit: int) -> str:
    return " ".join(text.split())[:limit]
