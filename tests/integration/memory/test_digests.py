"""What maintenance distils: facts of rounds, summaries of sessions, insights over facts, with what each rests on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memory import bootstrap
from memory.core.errors import ModelUnreachable
from memory.core.sentence_graph.digests.types import DigestWriters
from memory.core.types import Role
from memory.models import DigestRecord, MaintenanceState, Round, SentenceRecord, Session, Space
from memory.services import session_create, session_forget, space_maintain
from memory.services.digests import COUNTED_FACTS, INSIGHT_EVERY, INSIGHT_FACTS, write_digests
from memory.services.maintenance import maintenance_retry
from memory.services.recording import turn_record
from memory.services.round_words import RoundReading
from tests.fakes.digests import plain_digests
from tests.fakes.engines import LivesInExtractor, WordEmbedder, engine_of

MORNING = datetime(2024, 5, 3, 9, 0, tzinfo=UTC)
Kind = DigestRecord.Kind


@pytest.fixture
def writers(extractor: LivesInExtractor, monkeypatch: pytest.MonkeyPatch) -> DigestWriters:
    made = plain_digests()
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine_of(extractor, name=made.name, digests=made))
    return made


def say(session: Session, *texts: str, at: datetime = MORNING) -> Round:
    """Write rounds of one user's turn each, and learn them."""
    for index, text in enumerate(texts):
        said = turn_record(
            session=session,
            speaker="Ana",
            role=Role.USER,
            text=text,
            said_at=at + timedelta(minutes=index),
            ends_round=True,
        )
    space_maintain(space_id=session.space_id)
    return said.turn.round


def digests(kind: Kind) -> list[DigestRecord]:
    return list(DigestRecord.objects.filter(kind=kind).order_by("id"))


def test_a_round_has_its_facts_with_source_time_and_vector(space: Space, writers: DigestWriters) -> None:
    round = say(session_create(space=space, started_at=MORNING), "I bake bread. I sold my car.")
    facts = digests(Kind.FACT)
    assert [fact.text for fact in facts] == ["Ana says: I bake bread.", "Ana says: I sold my car."]
    assert [[one.text for one in fact.sentences.all()] for fact in facts] == [["I bake bread."], ["I sold my car."]]
    assert {(fact.round_id, fact.session_id, fact.said_at, fact.engine) for fact in facts} == {
        (round.pk, round.session_id, MORNING, "plain")
    }
    expected = bootstrap.embedder().embed([fact.text for fact in facts])
    assert np.allclose([fact.embedding for fact in facts], expected, atol=1e-6)


def test_running_the_stage_again_changes_nothing(space: Space, writers: DigestWriters) -> None:
    session = session_create(space=space, started_at=MORNING)
    round = say(session, *(f"I saw {number} birds." for number in range(INSIGHT_EVERY)))
    before = {(digest.kind, digest.text, digest.said_at) for digest in DigestRecord.objects.all()}
    write_digests(RoundReading(round, space))(space)
    after = [(digest.kind, digest.text, digest.said_at) for digest in DigestRecord.objects.all()]
    assert len(after) == len(before) == len(set(after) | before)


def test_a_summary_is_written_anew_when_the_rounds_have_doubled(space: Space, writers: DigestWriters) -> None:
    session = session_create(space=space, started_at=MORNING)
    seen = []
    for number in range(1, 9):
        say(session, f"This is number {number}.")
        seen.append([summary.text for summary in digests(Kind.SUMMARY)])
    two, four, eight = (f"This is number 1. ... This is number {number}." for number in (2, 4, 8))
    assert seen == [[], [two], [two], [four], [four], [four], [four], [eight]]
    assert [words.earlier for words in writers.summaries.asked] == ["", two, four]
    [summary] = digests(Kind.SUMMARY)
    assert summary.session_id == session.pk
    # It was read from the summary before, so it rests on what that one rested on too.
    assert {one.text for one in summary.sentences.all()} == {f"This is number {number}." for number in (1, 2, 4, 8)}


def test_a_summary_that_was_forgotten_is_written_with_the_next_round(space: Space, writers: DigestWriters) -> None:
    session = session_create(space=space, started_at=MORNING)
    say(session, "One.", "Two.")
    DigestRecord.objects.filter(kind=Kind.SUMMARY).delete()
    say(session, "Three.")
    assert [summary.text for summary in digests(Kind.SUMMARY)] == ["One. ... Three."]


def test_insights_come_with_every_so_many_facts_and_merge_them(space: Space, writers: DigestWriters) -> None:
    session = session_create(space=space, started_at=MORNING)
    say(session, *(f"I painted {number} boats." for number in range(INSIGHT_EVERY - 1)))
    assert digests(Kind.INSIGHT) == []
    say(session, "I painted many boats.", at=MORNING + timedelta(days=30))
    [insight] = digests(Kind.INSIGHT)
    assert insight.text == "It is all about boats."
    assert insight.said_at == MORNING + timedelta(days=30)
    assert insight.merges.count() == INSIGHT_EVERY
    assert set(insight.sentences.all()) == set(SentenceRecord.objects.all())
    assert len(writers.insights.asked) == 1


def test_a_wider_insight_takes_the_place_of_a_narrower_one(space: Space, writers: DigestWriters) -> None:
    session = session_create(space=space, started_at=MORNING)
    say(session, *(f"I painted {number} boats." for number in range(2 * INSIGHT_EVERY)))
    assert len(writers.insights.asked) == 2
    [insight] = digests(Kind.INSIGHT)
    assert insight.merges.count() == 2 * INSIGHT_EVERY


def test_what_insights_are_drawn_from_is_bounded(space: Space, writers: DigestWriters) -> None:
    session = session_create(space=space, started_at=MORNING)
    say(session, *(" ".join(f"I painted {number}{part} boats." for part in "abcdefgh") for number in range(12)))
    assert len(writers.insights.asked) == 12
    assert max(len(group) for group in writers.insights.asked) == INSIGHT_FACTS


def test_facts_that_show_nothing_are_not_counted_for_ever(
    space: Space, writers: DigestWriters, django_assert_max_num_queries
) -> None:
    session = session_create(space=space, started_at=MORNING)
    round = say(session, "I am here.")
    DigestRecord.objects.bulk_create(
        DigestRecord(space=space, kind=Kind.FACT, text=f"Fact {number}.", said_at=MORNING)
        for number in range(2 * COUNTED_FACTS)
    )
    with django_assert_max_num_queries(20):
        write_digests(RoundReading(round, space))
    assert len(writers.insights.asked) == (1 if round.index % INSIGHT_EVERY == 0 else 0)


def test_a_session_that_is_not_remembered_has_none(space: Space, writers: DigestWriters) -> None:
    session = session_create(space=space, started_at=MORNING)
    round = say(session, "I am here.")
    DigestRecord.objects.all().delete()
    Session.objects.filter(pk=session.pk).update(is_remembered=False)
    write_digests(RoundReading(round, space))(space)
    assert not DigestRecord.objects.exists()


def test_an_engine_without_writers_makes_none(space: Space, extractor: LivesInExtractor) -> None:
    round = say(session_create(space=space, started_at=MORNING), "I am here.")
    assert (round.refresh_from_db(), round.maintenance)[1] == MaintenanceState.DONE
    assert not DigestRecord.objects.exists()


def test_a_writer_that_fails_costs_its_own_digest_and_can_be_tried_again(space: Space, writers: DigestWriters) -> None:
    def refuse() -> None:
        raise ModelUnreachable("The server does not answer.")

    session = session_create(space=space, started_at=MORNING)
    writers.summaries.before = refuse
    round = say(session, "One.", "Two.")
    round.refresh_from_db()
    assert round.maintenance == MaintenanceState.FAILED and round.maintained_at is not None
    assert round.maintenance_error == "The conversation was not summed up. The server does not answer."
    assert digests(Kind.SUMMARY) == [] and len(digests(Kind.FACT)) == 2
    writers.summaries.before = lambda: None
    maintenance_retry(round=round)
    space_maintain(space_id=space.pk)
    assert [summary.text for summary in digests(Kind.SUMMARY)] == ["One. ... Two."]
    assert len(digests(Kind.FACT)) == 2


def test_forgetting_a_session_leaves_no_digest_of_it(space: Space, writers: DigestWriters) -> None:
    first = session_create(space=space, started_at=MORNING)
    second = session_create(space=space, started_at=MORNING)
    say(first, *(f"I painted {number} boats." for number in range(INSIGHT_EVERY - 1)))
    say(second, "I painted more boats.", "I am done.")
    assert len(digests(Kind.INSIGHT)) == 1
    session_forget(session=first)
    left = {digest.text for digest in DigestRecord.objects.all()}
    assert left == {
        "Ana says: I painted more boats.", "Ana says: I am done.", "I painted more boats. ... I am done."
    }  # fmt: skip


def test_the_built_in_engine_tells_facts_by_name_and_date(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    session = session_create(space=space, started_at=datetime(2022, 7, 9, 17, 13, tzinfo=UTC))
    turn_record(
        session=session,
        speaker="James",
        role=Role.USER,
        text="By the way, I bought tickets to Toronto, and I'm leaving the day after tomorrow evening.",
        said_at=session.started_at,
        ends_round=True,
    )
    space_maintain(space_id=space.pk)
    assert Round.objects.get().maintenance_error == ""
    assert [fact.text for fact in digests(Kind.FACT)] == [
        "James bought tickets to Toronto, and James is leaving on the evening of 11 July 2022."
    ]
