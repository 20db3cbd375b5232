"""Facts that people add, correct, retract and forget by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from memory.core.types import Fact, GraphFragment, Node, Role, Span
from memory.models import ConflictRecord, EditRecord, EntityRecord, HeldFragmentRecord, Round, Session, TripleRecord
from memory.services import round_complete, round_retract, session_forget, space_create, space_maintain
from memory.services.edits.add import triple_add
from memory.services.edits.audit import FORGOTTEN_SUMMARY, EditRefused
from memory.services.edits.correct import triple_correct, triple_retract
from memory.services.edits.forget import triple_forget
from memory.services.edits.refusals import refusals_of, without_refused
from memory.services.edits.undo import edit_undo
from tests.integration.memory.by_hand import believed, facts_spoken, last_edit, learn, rows_of
from tests.integration.memory.dialogues import START, new_session
from tests.integration.memory.test_forgetting import every_text_of_the_database
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db


@pytest.fixture
def spoken(extractor, monkeypatch) -> None:
    facts_spoken(monkeypatch)


def add(space, ana, subject="Ana", predicate="lives in", value="Lyon", **more) -> TripleRecord:
    return triple_add(space=space, subject=subject, predicate=predicate, value=value, by=ana, **more)


def test_added_fact_is_an_utterance_that_supersedes_like_any_other(space, ana, extractor):
    learn(space, "I live in Paris.")
    lyon = add(space, ana)
    paris = TripleRecord.objects.get(value="Paris")
    assert believed(space) == {("Ana", "livesIn", "Lyon")}
    assert (paris.superseded_by, paris.superseded_in) == (lyon, lyon.round)
    conflict = ConflictRecord.objects.get(old=paris, new=lyon)
    assert (conflict.rule, conflict.decided_by) == ("functional_value", None)
    turn = lyon.sentence.turn
    assert (turn.text, turn.speaker, turn.role) == ("Ana lives in Lyon.", "Ana", Role.USER)
    assert (lyon.round.session.key, lyon.round.maintenance) == ("by-hand", "done")
    assert lyon.sentence.embedding is not None
    assert lyon.sentence.text[lyon.span_start : lyon.span_end] == "Ana lives in Lyon."
    edit = last_edit(space)
    assert (edit.kind, edit.actor, edit.summary) == ("add", ana, "Added “Ana lives in Lyon”.")


def test_added_fact_counts_as_said_last_even_in_a_dialogue_of_the_future(space, ana, extractor):
    [round] = learn(space, "I live in Paris.")
    ahead = timezone.now() + timedelta(days=400)
    round.turns.update(said_at=ahead)
    TripleRecord.objects.update(said_at=ahead)
    assert add(space, ana).said_at == ahead
    assert believed(space) == {("Ana", "livesIn", "Lyon")}


def test_added_fact_beats_what_another_said_of_themself(space, ana, extractor):
    learn(space, "I live in Paris.", speaker="Ben")
    add(space, ana, subject="Ben")
    assert believed(space) == {("Ben", "livesIn", "Lyon")}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("livesIn", "livesIn"), ("lives in", "livesIn"), ("is allergic to", "allergicTo"), ("sister", "hasSister"),
        ("has a sister", "hasSister"), ("favourite color", "hasFavoriteColor"), ("was born in", "bornIn"),
        ("mentors", "mentor"), ("barks at", "barkAt"), ("coversFor", "coversFor"), ("住在", "住在"),
        ("birthday", "birthDate"),
    ],
)  # fmt: skip
def test_predicate_is_meant_by_name_phrase_or_noun(space, ana, extractor, words, name):
    value = "14 May 1990" if name == "birthDate" else "Rex"
    assert add(space, ana, predicate=words, value=value).predicate == name


@pytest.mark.parametrize(
    ("subject", "value"), [("أحمد", "القاهرة"), ("小明", "北京"), ("🐈", "🏡"), ("Ana", "Ж" * 1000), ("x" * 300, "y")]
)
def test_any_script_and_length_is_kept_as_written(space, ana, extractor, subject, value):
    added = add(space, ana, subject=subject, predicate="likes", value=value)
    assert (added.subject.label, added.value) == (subject, value)
    assert TripleRecord.objects.filter(subject__aliases__text=subject).count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"subject": " "}, {"subject": "..."}, {"value": ""}, {"value": "a\0b"}, {"predicate": "?!"}, {"predicate": " "},
        {"value": "x" * 1001}, {"subject": "x" * 301},
        {"valid_from": datetime(2024, 2, 1, tzinfo=UTC), "valid_to": datetime(2024, 1, 1, tzinfo=UTC)},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_said_is_refused_and_leaves_nothing(space, ana, extractor, wrong):
    with pytest.raises(EditRefused):
        add(space, ana, **wrong)
    assert not TripleRecord.objects.exists() and not Session.objects.exists() and not EditRecord.objects.exists()


def test_what_is_known_already_is_refused_and_leaves_nothing(space, ana, extractor):
    learn(space, "I live in Lyon.")
    before = rows_of(space)
    with pytest.raises(EditRefused, match="remembered already"):
        add(space, ana, subject="I")
    assert rows_of(space) == before


def test_denials_numbers_and_times_are_kept(space, ana, extractor):
    denied = add(space, ana, predicate="likes", value="olives", is_negative=True)
    assert denied.sentence.text == "Ana does not like olives."
    assert add(space, ana, predicate="age", value="34").object is None
    assert add(space, ana, predicate="likes", value="42").object is None
    begin = timezone.now() + timedelta(days=30)
    planned = add(space, ana, value="Oslo", valid_from=begin)
    assert (planned.tense, planned.valid_from) == ("future", begin)
    add(space, ana, value="Lyon")
    assert {("Ana", "livesIn", "Lyon"), ("Ana", "livesIn", "Oslo")} <= believed(space)


def test_correction_has_its_own_source_and_the_old_triple_keeps_its(space, ana, extractor):
    learn(space, "I live in Paris.")
    old = TripleRecord.objects.get()
    new = triple_correct(triple=old, value="Lyon", by=ana)
    old.refresh_from_db()
    assert (old.sentence.text, new.sentence.text) == ("I live in Paris.", "Ana lives in Lyon.")
    assert (old.superseded_by, old.superseded_in, new.said_by) == (new, new.round, "Ana")
    assert last_edit(space).summary == "Corrected “Ana lives in Paris” to “Ana lives in Lyon”."


def test_correction_of_predicate_and_subject(space, ana, spoken):
    learn(space, "Ana | worksFor | Airbus.", "Tom | likes | tea.")
    works, likes = TripleRecord.objects.get(predicate="worksFor"), TripleRecord.objects.get(predicate="likes")
    triple_correct(triple=works, predicate="studies at", by=ana)
    triple_correct(triple=likes, subject="Tim", value="coffee", by=ana)
    assert believed(space) == {("Ana", "studiesAt", "Airbus"), ("Tim", "likes", "coffee")}
    assert set(ConflictRecord.objects.values_list("rule", "decided_by")) == {("corrected", ana.pk)}


def test_correction_to_what_is_known_lets_the_known_one_stand(space, ana, spoken):
    learn(space, "Ana | worksFor | Airbus.", "Ana | worksFor | Boeing.")
    old, known = TripleRecord.objects.order_by("pk")
    assert triple_correct(triple=old, value="Boeing", by=ana) == known
    assert believed(space) == {("Ana", "worksFor", "Boeing")}
    assert not Round.objects.filter(session__key="by-hand").exists()


def test_correction_to_another_name_of_the_same_is_refused(space, ana, spoken):
    learn(space, "Maya = Ana's sister | likes | tea.", "Ana | hasSister | Maya.")
    sister = TripleRecord.objects.get(predicate="hasSister")
    with pytest.raises(EditRefused, match="same under another name"):
        triple_correct(triple=sister, value="Ana's sister", by=ana)
    assert ("Ana", "hasSister", "Maya") in believed(space)


def test_older_words_that_are_read_again_do_not_undo_a_correction(space, ana, extractor):
    [round] = learn(space, "I live in Paris.")
    triple_correct(triple=TripleRecord.objects.get(), value="Lyon", by=ana)
    round_retract(round=round)
    round_complete(round=round)
    space_maintain(space_id=space.pk)
    current = TripleRecord.objects.filter(superseded_at=None, valid_to=None)
    assert [row.value for row in current] == ["Lyon"]


def test_what_was_ruled_out_is_dropped_from_older_words_and_taken_from_newer_ones(space, ana, spoken):
    learn(space, "Ana | worksFor | Airbus.", "Ana | owns | Monday.")
    works, owns = TripleRecord.objects.order_by("pk")
    triple_correct(triple=works, value="Boeing", by=ana)
    triple_retract(triple=owns, by=ana)
    said = GraphFragment(
        tuple(
            Fact(Node("ANA"), name, Node(value), Span(0, 1))
            for name, value in (("worksFor", "airbus"), ("worksFor", "Boeing"), ("owns", "Monday"), ("owns", "a car"))
        )
    )
    older = without_refused(said, refusals_of(space.pk, since=START), space_id=space.pk)
    assert [fact.object.label for fact in older.facts] == ["Boeing", "a car"]
    assert without_refused(said, refusals_of(space.pk, since=timezone.now()), space_id=space.pk) == said
    other = space_create(name="Other", owner=ana)
    assert without_refused(said, refusals_of(other.pk, since=START), space_id=other.pk) == said
    edit_undo(edit=last_edit(space), by=ana)
    again = without_refused(said, refusals_of(space.pk, since=START), space_id=space.pk)
    assert [fact.object.label for fact in again.facts] == ["Boeing", "Monday", "a car"]


def test_retracted_triple_holds_no_longer_and_keeps_its_history(space, ana, extractor):
    learn(space, "I live in Paris.", "I live in Lyon.")
    lyon = TripleRecord.objects.get(value="Lyon")
    triple_retract(triple=lyon, by=ana)
    lyon.refresh_from_db()
    assert believed(space) == set() and lyon.superseded_at is not None and lyon.superseded_by is None
    with pytest.raises(EditRefused, match="does not hold"):
        triple_retract(triple=lyon, by=ana)
    edit_undo(edit=last_edit(space), by=ana)
    assert believed(space) == {("Ana", "livesIn", "Lyon")}


def test_forgotten_fact_leaves_none_of_its_words(space, ana, extractor):
    learn(space, "I live in Paris.")
    lyon = triple_correct(triple=TripleRecord.objects.get(), value="Lyon", by=ana)
    nice = add(space, ana, value="Nice")
    triple_forget(triple=lyon, by=ana)
    assert not any("Lyon" in text for text in every_text_of_the_database())
    triple_forget(triple=nice, by=ana)
    assert set(EditRecord.objects.values_list("summary", flat=True)) == {FORGOTTEN_SUMMARY, "Forgot a fact."}
    assert not any("Nice" in text for text in every_text_of_the_database())
    assert not Session.objects.filter(key="by-hand").exists()
    assert last_edit(space).kind == "forget" and last_edit(space).actor == ana


def test_forgotten_session_leaves_no_words_in_the_audit_and_gives_back_what_it_replaced(space, ana, extractor):
    [round] = learn(space, "I live in Paris.")
    add(space, ana)
    session_forget(session=Session.objects.get(key="by-hand"))
    paris = TripleRecord.objects.get()
    assert (paris.value, paris.superseded_at, paris.superseded_by, paris.superseded_in) == ("Paris", None, None, None)
    assert not any("Lyon" in text for text in every_text_of_the_database())
    triple_correct(triple=paris, value="Nice", by=ana)
    session_forget(session=round.session)
    assert not any("Paris" in text for text in every_text_of_the_database())
    assert believed(space) == {("Ana", "livesIn", "Nice")}


def test_middle_of_a_chain_that_is_forgotten_hands_over_the_round_too(space, extractor):
    _, middle, last = learn(space, "I live in Paris.", "I live in Lyon.", "I live in Nice.")
    round_retract(round=middle)
    paris = TripleRecord.objects.get(value="Paris")
    assert (paris.superseded_by.value, paris.superseded_in) == ("Nice", last)


def test_what_was_held_back_forgets_what_it_clashed_with(space, ana, extractor):
    [round] = learn(space, "I live in Paris.")
    paris = TripleRecord.objects.get()
    held = HeldFragmentRecord.objects.create(
        space=space, round=round, sentence=paris.sentence, axiom="functional", reason="Ana lives in Paris already."
    )
    held.against.add(paris)
    triple_forget(triple=paris, by=ana)
    held.refresh_from_db()
    assert "Paris" not in held.reason and held.against.count() == 0
    round_retract(round=round)
    assert not HeldFragmentRecord.objects.exists()


def test_what_was_forgotten_and_what_rests_on_it_cannot_be_undone(space, ana, extractor):
    learn(space, "I live in Paris.")
    lyon = triple_correct(triple=TripleRecord.objects.get(), value="Lyon", by=ana)
    corrected = last_edit(space)
    triple_forget(triple=lyon, by=ana)
    with pytest.raises(EditRefused, match="cannot be brought back"):
        edit_undo(edit=last_edit(space), by=ana)
    with pytest.raises(EditRefused, match="something that it needs was forgotten"):
        edit_undo(edit=corrected, by=ana)


@pytest.mark.django_db(transaction=True)
def test_two_people_who_correct_one_fact_at_once_make_one_correction(space, ana, extractor):
    learn(space, "I live in Paris.")
    paris, outcomes = TripleRecord.objects.get(), []

    def correct(value: str) -> None:
        try:
            outcomes.append(triple_correct(triple=paris, value=value, by=ana).value)
        except EditRefused as refusal:
            outcomes.append(str(refusal))
        finally:
            connection.close()

    people = [seeing_thread(target=correct, args=(value,)) for value in ("Lyon", "Nice", "Rome")]
    for one in people:
        one.start()
    for one in people:
        one.join()
    refused = [outcome for outcome in outcomes if "replaced meanwhile" in outcome]
    assert len(outcomes) == 3 and len(refused) == 2
    assert {value for _, _, value in believed(space)} == set(outcomes) - set(refused)
    assert EntityRecord.objects.count() == 3 and EditRecord.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_addition_while_a_round_is_maintained_is_settled_by_what_was_said_last(space, ana, extractor):
    learn(space, "I live in Paris.")
    extractor.before = lambda: add(space, ana, value="Rome") and setattr(extractor, "before", lambda: None)
    learn(space, "I live in Lyon.")
    current = TripleRecord.objects.filter(superseded_at=None, valid_to=None)
    assert [row.value for row in current] == ["Rome"]


def test_edits_cost_a_bounded_number_of_queries(space, ana, spoken, django_assert_max_num_queries):
    learn(space, *[f"Ana | likes | thing{number}." for number in range(60)])
    with django_assert_max_num_queries(60):
        add(space, ana, predicate="likes", value="tea")
    with django_assert_max_num_queries(60):
        triple_correct(triple=TripleRecord.objects.get(value="thing7"), value="thing seven", by=ana)
    # The words leave the indexes, the sentence graph, the states, the checks of replies and their sources that are aside too;
    # the numbers of rows that are written together are one.
    edit = last_edit(space)
    with django_assert_max_num_queries(67):
        edit_undo(edit=edit, by=ana)


def test_session_of_another_key_is_left_alone(space, ana, extractor):
    kept = new_session(space, key="mine")
    add(space, ana)
    edit_undo(edit=last_edit(space), by=ana)
    assert list(Session.objects.all()) == [kept]


def test_addition_with_which_the_graph_would_break_an_axiom_is_refused_with_the_reason(space, ana, extractor):
    triple_add(space=space, subject="Eva", predicate="hasMother", value="Zoe", by=ana)
    with pytest.raises(EditRefused, match="Eva"):
        triple_add(space=space, subject="Zoe", predicate="hasMother", value="Eva", by=ana)
    assert [row.value for row in TripleRecord.objects.all()] == ["Zoe"]
    assert EditRecord.objects.count() == 1
