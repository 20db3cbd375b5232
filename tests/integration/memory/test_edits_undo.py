"""An undo brings back exactly what was before, or says why it cannot."""

from __future__ import annotations

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import ConflictRecord, EditRecord, EntityRecord, Space, TripleRecord
from memory.services import space_create
from memory.services.edits.add import triple_add
from memory.services.edits.audit import EditRefused
from memory.services.edits.correct import triple_correct, triple_retract
from memory.services.edits.decide import Verdict, conflict_decide
from memory.services.edits.declare import predicate_declare
from memory.services.edits.merge import entities_merge, entity_split
from memory.services.edits.rename import entity_rename
from memory.services.edits.undo import edit_undo
from tests.hypothesis_profiles import examples
from tests.integration.memory.by_hand import believed, facts_spoken, last_edit, learn, rows_of

pytestmark = pytest.mark.django_db
PEOPLE = ("Ana", "Tom", "Max", "Maxi", "Maya")
PREDICATES = ("livesIn", "worksFor", "likes", "dislikes", "knows", "spouse", "hasSister")
THINGS = ("Paris", "Lyon", "France", "Airbus", "tea", "Tom", "Maya")


@pytest.fixture
def spoken(extractor, monkeypatch) -> None:
    facts_spoken(monkeypatch)


def one_edit(space: Space, ana, choose: random.Random) -> None:
    """Make one edit of any kind; what is refused changes nothing."""
    triples = list(TripleRecord.objects.filter(space=space).order_by("pk"))
    entities = list(EntityRecord.objects.filter(space=space).order_by("pk"))
    conflicts = list(ConflictRecord.objects.filter(space=space).order_by("pk"))
    kind = choose.choice(["add", "correct", "retract", "merge", "merge", "split", "rename", "declare", "decide"])
    if kind == "add" or not triples:
        words = {
            "subject": choose.choice(PEOPLE),
            "predicate": choose.choice(PREDICATES),
            "value": choose.choice(THINGS),
        }
        triple_add(space=space, by=ana, is_negative=choose.random() < 0.2, **words)
    elif kind == "correct":
        part = choose.choice(
            [{"value": choose.choice(THINGS)}, {"subject": choose.choice(PEOPLE)}, {"predicate": "eats"}]
        )
        triple_correct(triple=choose.choice(triples), by=ana, **part)
    elif kind == "retract":
        triple_retract(triple=choose.choice(triples), by=ana)
    elif kind == "merge":
        entities_merge(space=space, keep=choose.choice(entities), gone=choose.choice(entities), by=ana)
    elif kind == "split":
        split = choose.choice(entities)
        own = [row.pk for row in triples if split.pk in (row.subject_id, row.object_id)]
        taken = [name for name in split.aliases.values_list("text", flat=True) if name != split.label]
        label = f"New {choose.randint(1, 5)}"
        entity_split(
            space=space, entity=split, label=label, triples=own[: choose.randint(0, 3)], aliases=taken[:1], by=ana
        )
    elif kind == "rename":
        entity_rename(
            entity=choose.choice(entities), label=f"Name {choose.randint(1, 5)}", aliases_add=["Nick"], by=ana
        )
    elif kind == "declare":
        predicate_declare(space=space, name=choose.choice(PREDICATES), is_functional=choose.random() < 0.7, by=ana)
    elif conflicts:
        conflict_decide(conflict=choose.choice(conflicts), decision=choose.choice(list(Verdict)), by=ana)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_edits_that_are_undone_in_reverse_leave_every_row_as_it_was(ana, spoken, seed):
    choose = random.Random(seed)
    space = space_create(name="Any", owner=ana)
    said = [f"{choose.choice(PEOPLE)} | {choose.choice(PREDICATES)} | {choose.choice(THINGS)}." for _ in range(8)]
    learn(space, *said, "Tom = Ana's brother | likes | tea.")
    states = []
    for _ in range(8):
        before, count = rows_of(space), EditRecord.objects.filter(space=space).count()
        try:
            one_edit(space, ana, choose)
        except EditRefused:
            assert rows_of(space) == before
        if EditRecord.objects.filter(space=space).count() > count:
            states.append(before)
    for edit, before in zip(
        EditRecord.objects.filter(space=space, actor=ana).order_by("-pk"), reversed(states), strict=True
    ):
        edit_undo(edit=edit, by=ana)
        assert rows_of(space) == before, edit.summary


def test_edit_is_undone_once_and_says_by_whom(space, ana, spoken):
    triple_add(space=space, subject="Ana", predicate="likes", value="tea", by=ana)
    done = edit_undo(edit=last_edit(space), by=ana)
    assert done.undone_by == ana and done.undone_at is not None and believed(space) == set()
    with pytest.raises(EditRefused, match="undone already"):
        edit_undo(edit=done, by=ana)


def test_edit_under_a_later_one_names_what_has_to_be_undone_first(space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.")
    lyon = triple_correct(triple=TripleRecord.objects.get(), value="Lyon", by=ana)
    first = last_edit(space)
    triple_correct(triple=lyon, value="Nice", by=ana)
    with pytest.raises(EditRefused, match="Undo that first: Corrected “Ana lives in Lyon” to “Ana lives in Nice”"):
        edit_undo(edit=first, by=ana)
    assert believed(space) == {("Ana", "livesIn", "Nice")}
    edit_undo(edit=last_edit(space), by=ana)
    edit_undo(edit=first, by=ana)
    assert believed(space) == {("Ana", "livesIn", "Paris")}


def test_edit_that_was_outdated_by_words_cannot_be_undone(space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.")
    lyon = triple_add(space=space, subject="Ana", predicate="livesIn", value="Lyon", by=ana)
    TripleRecord.objects.filter(pk=lyon.pk).update(said_at="2020-01-01T00:00Z")
    lyon.sentence.turn.said_at = "2020-01-01T00:00Z"
    lyon.sentence.turn.save()
    learn(space, "Ana | livesIn | Nice.")
    before = rows_of(space)
    with pytest.raises(EditRefused, match="What was said or changed since rests on it"):
        edit_undo(edit=last_edit(space), by=ana)
    assert rows_of(space) == before and believed(space) == {("Ana", "livesIn", "Nice")}


def test_entity_that_an_addition_made_stays_where_others_speak_of_it(space, ana, spoken):
    triple_add(space=space, subject="Ana", predicate="likes", value="Lyon", by=ana)
    learn(space, "Lyon | isA | town.")
    edit_undo(edit=last_edit(space), by=ana)
    assert believed(space) == {("Lyon", "isA", "town")}
    assert not EntityRecord.objects.filter(label="Ana").exists()


def test_name_that_was_given_anew_stands_in_the_way_of_its_return(space, ana, spoken):
    learn(space, "Tom | likes | tea.", "Tom = Tommy | likes | rain.")
    tom = EntityRecord.objects.get(label="Tom")
    entity_rename(entity=tom, aliases_remove=["Tommy"], by=ana)
    removal = last_edit(space)
    entity_rename(entity=tom, aliases_add=["Tommy"], by=ana)
    with pytest.raises(EditRefused, match="Undo that first: Also called “Tommy”"):
        edit_undo(edit=removal, by=ana)


def test_merge_after_which_the_kept_one_was_renamed_waits_for_that_to_be_undone(space, ana, spoken):
    learn(space, "Ana | knows | Max.", "Ana | knows | Maxi.")
    keep, gone = EntityRecord.objects.get(label="Max"), EntityRecord.objects.get(label="Maxi")
    before = rows_of(space)
    entities_merge(space=space, keep=keep, gone=gone, by=ana)
    merged = last_edit(space)
    entity_rename(entity=keep, label="Maximilian", by=ana)
    with pytest.raises(EditRefused, match="Undo that first: Renamed"):
        edit_undo(edit=merged, by=ana)
    edit_undo(edit=last_edit(space), by=ana)
    edit_undo(edit=merged, by=ana)
    assert rows_of(space) == before


def queries_of_undoing(space: Space, ana) -> int:
    with CaptureQueriesContext(connection) as queries:
        edit_undo(edit=last_edit(space), by=ana)
    return len(queries)


def test_undo_of_what_changed_many_rows_takes_as_many_queries_as_of_few(ana, spoken):
    counts = []
    for number in (3, 30):
        space = space_create(name=f"Of {number}", owner=ana)
        learn(space, *(f"Ana | likes | thing {index}." for index in range(number)), "Tom | knows | Ana.")
        predicate_declare(space=space, name="likes", is_functional=True, by=ana)
        assert TripleRecord.objects.filter(space=space, superseded_at=None, predicate="likes").count() == 1
        counts.append(queries_of_undoing(space, ana))
        assert TripleRecord.objects.filter(space=space, superseded_at=None, predicate="likes").count() == number
        tom, other = (EntityRecord.objects.get(space=space, label=label) for label in ("Tom", "thing 0"))
        entity_rename(entity=tom, aliases_add=[f"Tom {index}" for index in range(number)], by=ana)
        entities_merge(space=space, keep=other, gone=tom, by=ana)
        counts.append(queries_of_undoing(space, ana))
        assert tom.aliases.count() == number + 1
    assert counts[:2] == counts[2:]
