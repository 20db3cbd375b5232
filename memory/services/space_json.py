"""Exports everything of a space as one JSON document, piece by piece, so that a space of any size can be exported."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet

from memory.models import (
    ConflictRecord,
    KnowledgeBaseRecord,
    Session,
    Space,
    StateChangeRecord,
    StateElementRecord,
    TripleRecord,
    Turn,
)
from memory.selectors.owned import readable_by
from memory.services.edits.journal import plain

FORMAT = "dsmart-space"
PAGE = 500


def columns(own: str, **others: str) -> dict[str, str]:
    """Return the columns of a table by the names that they are told under: their own, and other names for others."""
    return {"id": "id", **{name: name for name in own.split()}, **others}


# What is told of each table, by its own names.
TABLES: Mapping[str, tuple[type[Model], Mapping[str, str]]] = {
    "sessions": (Session, columns("key title started_at is_remembered")),
    "turns": (Turn, columns("role speaker text said_at is_aside", session="session_id", round="round_id")),
    "triples": (
        TripleRecord,
        columns(
            "predicate polarity tense confidence valid_from valid_to recorded_at superseded_at said_by said_at",
            subject="subject__label",
            object="value",
            superseded_by="superseded_by_id",
            sentence="sentence__text",
            turn="sentence__turn_id",
        ),
    ),
    "conflicts": (
        ConflictRecord,
        columns("rule confidence decision created_at", old="old_id", new="new_id", decided_by="decided_by__username"),
    ),
    "state_elements": (
        StateElementRecord,
        columns(
            "key kind status description words basis details",
            session="session_id",
            turn="said_in_id",
            triple="triple_id",
        ),
    ),
    "state_changes": (
        StateChangeRecord,
        columns(
            "before after because evidence cause proposed created_at",
            session="session_id",
            element="element_id",
            by="by__username",
        ),
    ),
    "knowledge_bases": (
        KnowledgeBaseRecord,
        columns("name source licence form state entities triples passages", sha256="digest"),
    ),
}


# The tables whose rows have a session, and its name.
SESSIONS = {"sessions": "", "turns": "session", "state_elements": "session", "state_changes": "session"}


def space_export(*, space: Space, reader: User) -> Iterator[str]:
    """Yield the pieces of a JSON document with the sessions, turns, triples, conflicts and states that a member reads.

    Turns of versions that are put aside (`is_aside`) are among them: they are the space's words, too.

    Of a knowledge base it tells which one it is: what it states is in the file that it came from.
    """
    yield f'{{"format": "{FORMAT}", "version": 1, "name": {json.dumps(space.name)}'
    for name, (model, told) in TABLES.items():
        yield f',\n"{name}": ['
        rows = model._base_manager.filter(space=space)
        if name in SESSIONS:
            rows = rows.filter(readable_by(reader, SESSIONS[name]))
        for number, row in enumerate(pages(rows.values(*told.values()))):
            item = {name: plain(row[column]) for name, column in told.items()}
            # No status is told as null.
            item |= {name: item[name] or None for name in ("before", "after") if name in item}
            yield (",\n" if number else "\n") + json.dumps(item, ensure_ascii=False)
        yield "]"
    yield "}\n"


def pages(rows: QuerySet[Any, Any]) -> Iterator[Any]:
    """Yield the rows by id, `PAGE` a query, so that no cursor stays open while a slow client downloads."""
    after = 0
    while page := list(rows.filter(pk__gt=after).order_by("pk")[:PAGE]):
        yield from page
        last = page[-1]
        after = last["id"] if isinstance(last, dict) else last.pk
