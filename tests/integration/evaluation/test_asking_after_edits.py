"""What people change by hand, the next answer follows: the built-in engine, asked before and after."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from conversations.services.asking import question_ask
from memory import bootstrap
from memory.models import ConflictRecord, EditRecord, EntityRecord, Space, TripleRecord
from memory.services import round_complete, round_retract, space_create, space_maintain, triple_correct, triple_forget
from memory.services.edits.add import triple_add
from memory.services.edits.correct import triple_retract
from memory.services.edits.decide import Verdict, conflict_decide
from memory.services.edits.declare import predicate_declare
from memory.services.edits.merge import entities_merge
from memory.services.edits.rename import entity_rename
from memory.services.edits.undo import edit_undo
from tests.fakes.engines import WordEmbedder
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana", first_name="Ana")


@pytest.fixture
def space(ana, monkeypatch) -> Space:
    """The real parser and dates; the vectors of words stand in for the encoder."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    return space_create(name="Ana's memory", owner=ana)


def learn(space: Space, *texts: str):
    rounds = say(new_session(space), *texts)
    space_maintain(space_id=space.pk)
    return rounds


def ask(space: Space, question: str) -> str:
    later = timezone.now() + timedelta(minutes=1)
    return question_ask(space_id=space.pk, question=question, asked_by="Ana", asked_at=later, responder="graph").text


def undo_last(space: Space, ana: User) -> None:
    edit_undo(edit=EditRecord.objects.filter(space=space, undone_at=None).latest("pk"), by=ana)


def test_addition_correction_retraction_and_their_undo(space, ana):
    learn(space, "I live in Paris.")
    assert "Paris" in ask(space, "Where do I live?")
    triple_add(space=space, subject="I", predicate="lives in", value="Lyon", by=ana)
    assert "Lyon" in ask(space, "Where do I live?")
    triple_correct(triple=TripleRecord.objects.get(value="Lyon"), value="Nice", by=ana)
    answer = ask(space, "Where do I live?")
    assert "Nice" in answer and "Lyon" not in answer
    triple_retract(triple=TripleRecord.objects.get(value="Nice"), by=ana)
    answer = ask(space, "Where do I live?")
    assert "don't know where you live now" in answer and "Nice" not in answer
    for expected in ("Nice", "Lyon", "Paris"):
        undo_last(space, ana)
        assert expected in ask(space, "Where do I live?")


def test_fact_written_by_hand_is_found_by_its_words(space, ana):
    triple_add(space=space, subject="Ana", predicate="allergic to", value="peanuts", by=ana)
    assert "peanuts" in ask(space, "What am I allergic to?")
    triple_forget(triple=TripleRecord.objects.get(), by=ana)
    assert "peanuts" not in ask(space, "What am I allergic to?")


def test_message_that_is_read_again_does_not_bring_back_what_was_corrected(space, ana):
    [round] = learn(space, "I work for Airbus.")
    triple_correct(triple=TripleRecord.objects.get(predicate="worksFor"), value="Boeing", by=ana)
    round_retract(round=round)
    round_complete(round=round)
    space_maintain(space_id=space.pk)
    assert "Boeing" in ask(space, "Who do I work for?")


def test_merge_rename_and_undo(space, ana, settings):
    # The facts alone: whoever reads the words back may take Maja for the sister by herself.
    settings.DSMART_ROLES = {"read_answers": "off"}
    learn(space, "My sister is called Maya.", "Maja works for Airbus.")
    assert "Airbus" not in ask(space, "Who does my sister work for?")
    keep, gone = EntityRecord.objects.get(label="Maya"), EntityRecord.objects.get(label="Maja")
    entities_merge(space=space, keep=keep, gone=gone, by=ana)
    assert "Airbus" in ask(space, "Who does my sister work for?")
    assert "Airbus" in ask(space, "Who does Maja work for?")
    entity_rename(entity=keep, label="Maia", by=ana)
    assert "Maia" in ask(space, "What is my sister's name?")
    undo_last(space, ana)
    undo_last(space, ana)
    assert "Airbus" not in ask(space, "Who does my sister work for?")


def test_declaration_and_verdict(space, ana):
    learn(space, "I work for Airbus.", "I work for Boeing.")
    assert "Airbus" in ask(space, "Who do I work for?") and "Boeing" in ask(space, "Who do I work for?")
    predicate_declare(space=space, name="worksFor", is_functional=True, by=ana)
    answer = ask(space, "Who do I work for?")
    assert "Boeing" in answer and "Airbus" not in answer
    conflict_decide(conflict=ConflictRecord.objects.get(), decision=Verdict.REVERSE, by=ana)
    answer = ask(space, "Who do I work for?")
    assert "Airbus" in answer and "Boeing" not in answer
