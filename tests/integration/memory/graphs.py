"""A memory with everything that an export must carry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from memory.core.naming import key_of
from memory.core.types import ConflictRule, Modality, Polarity, Role, Tense
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EntityRecord,
    MaintenanceState,
    PredicateRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from tests.fakes.engines import WordEmbedder

START = datetime(2024, 3, 2, 18, 20, 0, 123456, tzinfo=UTC)
HOSTILE = 'He said "no\\n" \\ 🏡\r\n\ttabs\x0b & <b>מאיה</b> \u202e ]]> {{x}} \x85\u2028 <http://a b>'


def entity(space: Space, label: str, *aliases: str, source: Round | None = None, **fields: Any) -> EntityRecord:
    row = EntityRecord.objects.create(space=space, label=label, **fields)
    for name in (label, *aliases):
        AliasRecord.objects.create(space=space, entity=row, text=name, key=key_of(name)[:300], source_round=source)
    return row


def spoken(session: Session, text: str, *, speaker: str = "Ana", **fields: Any) -> SentenceRecord:
    """Return the one sentence of a new round that is maintained."""
    index = session.rounds.count()
    said_at = START + timedelta(minutes=index)
    state = {"maintenance": MaintenanceState.DONE, "maintenance_stage": "senses", "maintained_at": said_at, **fields}
    round = Round.objects.create(space=session.space, session=session, index=index, **state)
    turn = Turn.objects.create(
        space=session.space,
        session=session,
        round=round,
        index=index,
        role=Role.USER,
        speaker=speaker,
        text=text,
        said_at=said_at,
        key=f"k{index}" if index % 2 else "",
    )
    [vector] = WordEmbedder().embed([text])
    return SentenceRecord.objects.create(
        space=session.space, turn=turn, index=0, start=0, end=len(text), text=text, embedding=vector
    )


def triple(
    sentence: SentenceRecord, subject: EntityRecord, predicate: str, value: EntityRecord | str, **fields: Any
) -> TripleRecord:
    words = value if isinstance(value, str) else value.label
    said = {
        "object": None if isinstance(value, str) else value,
        "recorded_at": sentence.turn.said_at + timedelta(seconds=3),
        "said_by": sentence.turn.speaker,
        "said_at": sentence.turn.said_at,
        **fields,
    }
    return TripleRecord.objects.create(
        space=sentence.space,
        subject=subject,
        predicate=predicate,
        value=words,
        value_key=key_of(words)[:300],
        round=sentence.turn.round,
        sentence=sentence,
        span_start=0,
        span_end=len(sentence.text),
        **said,
    )


def rich_memory(space: Space, by: User) -> Space:
    """Fill a space with a history: superseded, denied, supposed, reported, literal and foreign-script triples."""
    session = Session.objects.create(space=space, started_at=START, title="Über Umzüge 🏡", key="chat-1")
    silent = Session.objects.create(space=space, started_at=START, title="Not remembered", is_remembered=False)
    spoken(silent, "Keep this to yourself.", maintenance=MaintenanceState.SKIPPED)
    other = Session.objects.create(space=space, started_at=START + timedelta(days=1))
    first = spoken(session, "I live in Paris.", statement="Ana lives in Paris.")
    second = spoken(session, "I live in Lyon now.")
    third = spoken(other, HOSTILE, speaker="בן")
    spoken(other, "Will it work?", maintenance=MaintenanceState.FAILED, maintenance_error="No answer.")
    ana = entity(space, "Ana", "Anna Müller", source=first.turn.round, kind="Person", is_speaker=True)
    paris = entity(space, "Paris", kind="Place", lemma="Paris", pos="PROPN", synset="paris-noun-1")
    lyon = entity(space, "Lyon", kind="Place", supersense="noun.location", dul_class="d0:Location")
    sister = entity(space, "Paris", "Ana's sister", kind="Person")
    maya = entity(space, "מאיה", "Maya 🏡", 'the "one"\\', kind="Person", dul_class="dul:Person")
    old = triple(first, ana, "livesIn", paris, phrase="live in", confidence=0.85)
    new = triple(second, ana, "livesIn", lyon, phrase="live in", valid_from=START)
    TripleRecord.objects.filter(pk=old.pk).update(
        superseded_at=START + timedelta(minutes=1, seconds=4), superseded_by=new, superseded_in=second.turn.round
    )
    rule = ConflictRecord.objects.create(space=space, old=old, new=new, rule=ConflictRule.FUNCTIONAL_VALUE)
    ConflictRecord.objects.filter(pk=rule.pk).update(created_at=START + timedelta(minutes=2))
    other_job = triple(second, ana, "worksFor", entity(space, "Airbus", kind="Organization"))
    ConflictRecord.objects.create(
        space=space, old=other_job, new=new, rule=ConflictRule.LEARNED, confidence=0.75, decision="kept", decided_by=by
    )
    triple(second, ana, "hasSister", sister)
    triple(second, ana, "likes", paris, polarity=Polarity.NEGATIVE)
    triple(second, ana, "worksFor", "anything", is_any=True, polarity=Polarity.NEGATIVE)
    triple(second, ana, "age", "34", confidence=1 / 3)
    triple(second, ana, "livedIn", paris, tense=Tense.PAST, valid_from=START - timedelta(days=900), valid_to=START)
    triple(third, maya, "לומדת", HOSTILE, phrase=HOSTILE[:300])
    triple(third, maya, "has50%Off/#?", "a\x01b\x1f")
    triple(third, maya, "likes", sister, modality=Modality.REPORTED, attributed_to="Tom")
    triple(third, ana, "wants", "a dog", modality=Modality.HYPOTHETICAL, tense=Tense.FUTURE)
    PredicateRecord.objects.create(space=space, name="worksFor", is_functional=True, declared_by=by)
    PredicateRecord.objects.create(space=space, name="לומדת", is_functional=False)
    return space
