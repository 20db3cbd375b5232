"""What is forgotten is gone, and only that."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection
from psycopg import sql

from memory.models import AliasRecord, EntityRecord, SentenceRecord, TripleRecord, Turn
from memory.services import (
    round_retract,
    session_forget,
    space_forget,
    space_maintain,
    triple_correct,
    triple_forget,
)
from memory.services.edits.audit import EditRefused
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db


def learn(space, *texts: str):
    rounds = say(new_session(space), *texts)
    space_maintain(space_id=space.pk)
    return rounds


def believed() -> list[str]:
    return sorted(TripleRecord.objects.filter(superseded_at=None).values_list("value", flat=True))


def test_retracted_round_gives_back_what_it_had_replaced(space, extractor):
    _, second = learn(space, "I live in Paris.", "I live in Lyon.")
    round_retract(round=second)
    assert believed() == ["Paris"]
    assert not EntityRecord.objects.filter(label="Lyon").exists()
    assert list(second.turns.values_list("role", "text")) == [("user", "I live in Lyon.")]


def test_retracted_round_in_the_middle_leaves_the_newest_value(space, extractor):
    _, middle, _ = learn(space, "I live in Paris.", "I live in Lyon.", "I live in Nice.")
    round_retract(round=middle)
    assert believed() == ["Nice"]
    assert TripleRecord.objects.get(value="Paris").superseded_by.value == "Nice"


def test_forgotten_session_leaves_none_of_its_words(space, extractor):
    [round] = learn(space, "I live in Paris.")
    learn(space, "I live in Lyon.")
    session_forget(session=round.session)
    assert not any("Paris" in text for text in every_text_of_the_database())
    assert believed() == ["Lyon"]


def test_forgotten_space_leaves_nothing(space, extractor):
    learn(space, "I live in Paris.")
    space_forget(space=space)
    for model in (Turn, SentenceRecord, TripleRecord, EntityRecord, AliasRecord):
        assert not model.objects.exists()


def test_forgotten_triple_does_not_bring_the_old_one_back(space, extractor):
    learn(space, "I live in Paris.", "I live in Lyon.")
    triple_forget(triple=TripleRecord.objects.get(value="Lyon"))
    assert believed() == []


def test_corrected_triple_supersedes_and_can_be_corrected_back(space, ana, extractor):
    learn(space, "I live in Paris.")
    lyon = triple_correct(triple=TripleRecord.objects.get(), value="Lyon", by=ana)
    back = triple_correct(triple=lyon, value="Paris", by=ana)
    assert believed() == ["Paris"]
    assert lyon.sentence.text == "Ana lives in Lyon."
    assert lyon.supersedes.get().sentence.text == "I live in Paris."
    assert back.conflicts_as_new.get().decided_by == ana
    assert EntityRecord.objects.filter(label="Paris").count() == 1


def test_correction_of_a_replaced_or_empty_value_is_refused(space, extractor):
    learn(space, "I live in Paris.", "I live in Lyon.")
    with pytest.raises(EditRefused, match="replaced meanwhile"):
        triple_correct(triple=TripleRecord.objects.get(value="Paris"), value="Nice")
    with pytest.raises(EditRefused, match="Write what is right"):
        triple_correct(triple=TripleRecord.objects.get(value="Lyon"), value="  ")
    assert believed() == ["Lyon"]


def every_text_of_the_database() -> list[str]:
    """Return every row of every table of the product as text."""
    tables = [model._meta.db_table for model in apps.get_models()]
    with connection.cursor() as cursor:
        rows = []
        for table in tables:
            cursor.execute(sql.SQL("select t::text from {} t").format(sql.Identifier(table)))
            rows += [row[0] for row in cursor.fetchall()]
    return rows
