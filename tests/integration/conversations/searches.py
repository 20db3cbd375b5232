"""A few facts that were said, and a search through them, with the least that both need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from memory.core.naming import key_of
from memory.core.reasoning_tree.types import ActionKind, Fate, Level, SearchNode
from memory.core.types import Role, Triple
from memory.models import AliasRecord, EntityRecord, SentenceRecord, Session, Space, TripleRecord
from memory.services import round_open
from memory.stores import triple_of
from tests.fakes.searching import ROOT, node


def fact(session: Session, subject: str, predicate: str, object: str) -> Triple:
    """Return a fact that Ana has said in the session, in a round of its own."""
    turn = round_open(
        session=session, speaker="Ana", role=Role.USER, text=f"{subject} {predicate} {object}.", said_at=timezone.now()
    )
    sentence = SentenceRecord.objects.create(
        space=turn.space, turn=turn, index=0, start=0, end=len(turn.text), text=turn.text
    )
    row = TripleRecord.objects.create(
        space=turn.space,
        subject=entity(turn.space, subject),
        predicate=predicate,
        object=entity(turn.space, object),
        value=object,
        value_key=key_of(object),
        recorded_at=turn.said_at,
        round=turn.round,
        sentence=sentence,
        span_start=0,
        span_end=len(turn.text),
        said_by="Ana",
        said_at=turn.said_at,
    )
    return triple_of(row)


def entity(space: Space, label: str) -> EntityRecord:
    known = AliasRecord.objects.filter(space=space, key=key_of(label)).select_related("entity").first()
    if known is not None:
        return known.entity
    made = EntityRecord.objects.create(space=space, label=label)
    AliasRecord.objects.create(space=space, entity=made, text=label, key=key_of(label))
    return made


@dataclass(frozen=True)
class Example:
    """A search in three levels: looks at Maya, looks at Airbus, answers; each with steps that lead nowhere."""

    levels: Sequence[Level]
    looked_at_maya: SearchNode
    looked_at_airbus: SearchNode
    answer: SearchNode


def example(works: Triple, seat: Triple) -> Example:
    maya = node(1, ROOT, ActionKind.EXPAND_ENTITY, "Maya", added=[works], value=0.8)
    unknown = node(
        2,
        ROOT,
        ActionKind.EXPAND_ENTITY,
        "Bob",
        fate=Fate.DROPPED,
        value=0.0,
        reason='Nothing called "Bob" is remembered.',
    )
    thought = node(3, ROOT, ActionKind.THINK, text="Maya may work somewhere.", value=0.3)
    airbus = node(4, maya, ActionKind.EXPAND_ENTITY, "Airbus", added=[seat], value=0.9)
    path = node(
        5, maya, ActionKind.FIND_PATH, "Maya", "Toulouse", fate=Fate.DUPLICATE, reason="This step was already taken."
    )
    answer = node(6, airbus, ActionKind.ANSWER, text="In Toulouse.", value=0.95)
    pushed = node(3, ROOT, ActionKind.THINK, text="Maya may work somewhere.", value=0.3, fate=Fate.PRUNED)
    levels = [
        Level(0, (ROOT,), waits=0, milliseconds=0.0),
        Level(1, (maya, unknown, thought), waits=2, milliseconds=50.0),
        Level(2, (airbus, path, pushed), waits=2, milliseconds=60.0),
        Level(3, (answer,), waits=1, milliseconds=30.0),
    ]
    return Example(levels, maya, airbus, answer)
