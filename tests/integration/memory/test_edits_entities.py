"""Entities that people merge, split and rename, predicates that they declare, and conflicts that they decide."""

from __future__ import annotations

import pytest

from memory.models import ConflictRecord, EditRecord, EntityRecord, PredicateRecord, TripleRecord
from memory.services import session_forget, space_create
from memory.services.edits.add import triple_add
from memory.services.edits.audit import EditRefused
from memory.services.edits.correct import triple_correct, triple_retract
from memory.services.edits.decide import Verdict, conflict_decide
from memory.services.edits.declare import predicate_declare
from memory.services.edits.merge import entities_merge, entity_split
from memory.services.edits.rename import entity_rename
from memory.services.edits.undo import edit_undo
from tests.integration.memory.by_hand import believed, facts_spoken, last_edit, learn, rows_of
from tests.integration.memory.test_forgetting import every_text_of_the_database

pytestmark = pytest.mark.django_db


@pytest.fixture
def spoken(extractor, monkeypatch) -> None:
    facts_spoken(monkeypatch)


def named(label: str) -> EntityRecord:
    return EntityRecord.objects.get(label=label)


def merge(space, ana, keep: str, gone: str) -> EntityRecord:
    return entities_merge(space=space, keep=named(keep), gone=named(gone), by=ana)


def names_of(label: str) -> set[str]:
    return set(named(label).aliases.values_list("text", flat=True))


def test_merged_entity_has_what_was_said_and_is_called_of_both(space, ana, spoken):
    learn(space, "Max = Maxi | likes | tea.", "Maximilian | likes | rain.", "Ana | knows | Max.", "Max | eats | fish.")
    triple_retract(triple=TripleRecord.objects.get(predicate="eats"), by=ana)
    merge(space, ana, "Maximilian", "Max")
    assert believed(space) == {
        ("Maximilian", "likes", "tea"),
        ("Maximilian", "likes", "rain"),
        ("Ana", "knows", "Maximilian"),
    }
    assert names_of("Maximilian") == {"Maximilian", "Max", "Maxi"}
    assert TripleRecord.objects.get(predicate="eats").subject == named("Maximilian")
    assert last_edit(space).summary == "Merged “Max” into “Maximilian”."
    learn(space, "Max | likes | snow.", "Maxi | likes | sun.")
    assert {value for who, _, value in believed(space) if who == "Maximilian"} == {"tea", "rain", "snow", "sun"}


def test_merge_keeps_what_both_said_once_and_settles_what_clashes_by_what_was_said_last(space, ana, spoken):
    learn(
        space, "Max | likes | tea.", "Maxi | likes | tea.", "Maxi | livesIn | Oslo.", "Max | livesIn | Rome.",
        "Maxi | likes | noise.", "Max | dislikes | noise.", "Max | worksFor | Airbus.", "Maxi | worksFor | Boeing.",
    )  # fmt: skip
    before = rows_of(space)
    merge(space, ana, "Maxi", "Max")
    assert believed(space) == {
        ("Maxi", "likes", "tea"), ("Maxi", "livesIn", "Rome"), ("Maxi", "dislikes", "noise"),
        ("Maxi", "worksFor", "Airbus"), ("Maxi", "worksFor", "Boeing"),
    }  # fmt: skip
    older, again = TripleRecord.objects.filter(value="tea").order_by("pk")
    assert again.superseded_by == older and older.superseded_at is None
    assert not ConflictRecord.objects.filter(old=again).exists()
    assert set(ConflictRecord.objects.values_list("old__value", "old__predicate", "rule")) == {
        ("Oslo", "livesIn", "functional_value"), ("noise", "likes", "disjoint_properties"),
    } or set(ConflictRecord.objects.values_list("old__value", "old__predicate", "rule")) == {
        ("Oslo", "livesIn", "functional_value"), ("noise", "likes", "polarity"),
    }  # fmt: skip
    edit_undo(edit=last_edit(space), by=ana)
    assert rows_of(space) == before


def test_merge_leaves_what_the_kept_one_had_side_by_side(space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.", "Ana | livesIn | France.", "Anna | likes | tea.")
    merge(space, ana, "Ana", "Anna")
    assert {value for _, name, value in believed(space) if name == "livesIn"} == {"Paris", "France"}


def test_what_related_two_that_are_one_says_nothing_any_more(space, ana, spoken):
    learn(space, "Max | knows | Maxi.", "Maxi | likes | tea.")
    merge(space, ana, "Max", "Maxi")
    assert believed(space) == {("Max", "likes", "tea")}


def test_merge_makes_the_kept_one_the_speaker(space, ana, spoken):
    learn(space, "Ana | likes | tea.", "Anna Vidal | likes | rain.")
    assert merge(space, ana, "Anna Vidal", "Ana").is_speaker
    edit_undo(edit=last_edit(space), by=ana)
    assert not named("Anna Vidal").is_speaker and named("Ana").is_speaker


def test_merges_that_make_no_sense_are_refused(space, ana, spoken):
    learn(space, "Rex:Animal | likes | tea.", "Tom:Person | likes | tea.")
    with pytest.raises(EditRefused, match="one entity already"):
        merge(space, ana, "Tom", "Tom")
    with pytest.raises(EditRefused, match="“Tom” is known as Person and “Rex” as Animal"):
        merge(space, ana, "Tom", "Rex")
    other = space_create(name="Other", owner=ana)
    foreign = EntityRecord.objects.create(space=other, label="Tom Jones")
    with pytest.raises(EntityRecord.DoesNotExist):
        entities_merge(space=space, keep=named("Tom"), gone=foreign, by=ana)
    with pytest.raises(EntityRecord.DoesNotExist):
        entities_merge(space=other, keep=named("Tom"), gone=foreign, by=ana)
    assert not EditRecord.objects.exists()


def test_undone_merge_is_exact_and_is_not_concluded_again_from_words(space, ana, spoken):
    learn(space, "Ana's sister | likes | tea.", "Maya | likes | rain.")
    before = rows_of(space)
    merge(space, ana, "Maya", "Ana's sister")
    edit_undo(edit=last_edit(space), by=ana)
    assert rows_of(space) == before
    learn(space, "Maya = Ana's sister | likes | sun.")
    assert believed(space) == {("Ana's sister", "likes", "tea"), ("Maya", "likes", "rain"), ("Maya", "likes", "sun")}


def test_split_entity_takes_its_facts_and_names_and_later_words_mean_it(space, ana, spoken):
    learn(
        space,
        "Tom = Ana's boss | likes | tea.",
        "Tom | plays | chess.",
        "Ana | knows | Tom.",
        "Tom = Tommy | eats | fish.",
    )
    before = rows_of(space)
    chosen = TripleRecord.objects.filter(predicate__in=["plays", "knows"])
    boss = entity_split(
        space=space,
        entity=named("Tom"),
        label="Tom Brandt",
        triples=[row.pk for row in chosen],
        aliases=["ANA'S BOSS"],
        by=ana,
    )
    assert believed(space) == {
        ("Tom", "likes", "tea"), ("Tom", "eats", "fish"), ("Tom Brandt", "plays", "chess"), ("Ana", "knows", "Tom Brandt"),
    }  # fmt: skip
    assert names_of("Tom") == {"Tom", "Tommy"} and names_of("Tom Brandt") == {"Tom Brandt", "Ana's boss"}
    learned = rows_of(space)
    edit_undo(edit=last_edit(space), by=ana)
    assert rows_of(space) == before
    assert learned != before
    boss = entity_split(space=space, entity=named("Tom"), label="Tom Brandt", aliases=["Ana's boss"], by=ana)
    learn(space, "Ana's boss | likes | golf.", "Tom = Ana's boss | likes | beer.")
    assert {("Tom Brandt", "likes", "golf"), ("Tom", "likes", "beer")} <= believed(space)
    assert set(boss.aliases.values_list("text", flat=True)) == {"Tom Brandt", "Ana's boss"}
    with pytest.raises(EditRefused, match="rests on it"):
        edit_undo(edit=EditRecord.objects.filter(kind="split").latest("pk"), by=ana)


def test_split_to_a_name_that_the_entity_had_is_not_joined_again(space, ana, spoken):
    learn(space, "Maya = Ana's sister | likes | tea.", "Maya | likes | rain.")
    tea = TripleRecord.objects.get(value="tea")
    entity_split(space=space, entity=named("Maya"), label="Ana's sister", triples=[tea.pk], by=ana)
    learn(space, "Maya = Ana's sister | likes | sun.")
    assert believed(space) == {("Ana's sister", "likes", "tea"), ("Maya", "likes", "rain"), ("Maya", "likes", "sun")}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"label": " tom"}, "name of its own"), ({"label": ""}, "Write a name"), ({"label": "Ana"}, "called so already"),
        ({"label": "T", "aliases": ["Tom"]}, "keeps its own name"), ({"label": "T", "aliases": ["Ben"]}, "not a name"),
        ({"label": "T", "triples": [10**9]}, "not about this entity"),
    ],
)  # fmt: skip
def test_splits_that_make_no_sense_are_refused(space, ana, spoken, more, reason):
    learn(space, "Tom | likes | tea.", "Ana | likes | rain.")
    before = rows_of(space)
    with pytest.raises(EditRefused, match=reason):
        entity_split(space=space, entity=named("Tom"), by=ana, **more)
    assert rows_of(space) == before


def test_renamed_entity_keeps_its_former_name_and_shows_the_new_one(space, ana, spoken):
    learn(space, "Ana | livesIn | Lion.", "Lion | isA | town.")
    before = rows_of(space)
    entity_rename(entity=named("Lion"), label="Lyon", aliases_add=["Lugdunum", "LYON"], by=ana)
    assert believed(space) == {("Ana", "livesIn", "Lyon"), ("Lyon", "isA", "town")}
    assert TripleRecord.objects.get(predicate="livesIn").value == "Lyon"
    assert names_of("Lyon") == {"Lion", "Lyon", "Lugdunum"}
    edit_undo(edit=last_edit(space), by=ana)
    assert rows_of(space) == before


def test_name_that_was_taken_away_is_not_learnt_again(space, ana, spoken):
    learn(space, "Maya = Ana's sister | likes | tea.")
    entity_rename(entity=named("Maya"), aliases_remove=["ana's sister"], by=ana)
    learn(space, "Maya = Ana's sister | likes | rain.")
    assert names_of("Maya") == {"Maya"}
    edit_undo(edit=last_edit(space), by=ana)
    learn(space, "Maya = Ana's sister | likes | sun.")
    assert names_of("Maya") == {"Maya", "Ana's sister"}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"label": "Ana"}, "“Ana” is called so already. Merge the two"), ({"aliases_add": ["ANA"]}, "called so already"),
        ({"label": "..."}, "A name needs"), ({"aliases_remove": ["Tom"]}, "keeps the name"),
        ({"aliases_remove": ["Ben"]}, "not a name"), ({"label": "x" * 301}, "at most 300"),
    ],
)  # fmt: skip
def test_names_that_make_no_sense_are_refused(space, ana, spoken, more, reason):
    learn(space, "Tom | likes | tea.", "Ana | likes | rain.")
    before = rows_of(space)
    with pytest.raises(EditRefused, match=reason):
        entity_rename(entity=named("Tom"), by=ana, **more)
    assert rows_of(space) == before and not EditRecord.objects.exists()


def test_forgotten_entity_leaves_no_name_in_the_audit(space, ana, spoken):
    [round] = learn(space, "Zebulon | likes | tea.")
    learn(space, "Tom | likes | rain.")
    entity_rename(entity=named("Zebulon"), label="Zeb", by=ana)
    merge(space, ana, "Tom", "Zeb")
    session_forget(session=round.session)
    assert not any("Zebulon" in text for text in every_text_of_the_database())
    assert set(named("Tom").aliases.values_list("text", flat=True)) == {"Tom", "Zeb"}, "Zeb was written by hand."


def test_declared_functional_predicate_keeps_what_was_said_last_and_is_undone_whole(space, ana, spoken):
    learn(
        space,
        "Ana | worksFor | Airbus.",
        "Tom | worksFor | Shell.",
        "Ana | worksFor | Boeing.",
        "Ana | worksFor | Dell.",
    )
    before = rows_of(space)
    predicate_declare(space=space, name="works for", is_functional=True, by=ana)
    assert believed(space) == {("Ana", "worksFor", "Dell"), ("Tom", "worksFor", "Shell")}
    assert set(ConflictRecord.objects.values_list("old__value", "rule")) == {
        ("Airbus", "functional_value"), ("Boeing", "functional_value"),
    }  # fmt: skip
    assert last_edit(space).summary == "Declared that “works for” has one value at a time."
    triple_add(space=space, subject="Ana", predicate="works for", value="Siemens", by=ana)
    assert ("Ana", "worksFor", "Dell") not in believed(space)
    edit_undo(edit=last_edit(space), by=ana)
    edit_undo(edit=EditRecord.objects.get(kind="declare"), by=ana)
    assert rows_of(space) == before


def test_declaration_is_made_once_and_can_be_taken_the_other_way(space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.")
    first = predicate_declare(space=space, name="livesIn", is_functional=False, by=ana)
    assert predicate_declare(space=space, name="lives in", is_functional=False, by=ana) == first
    assert EditRecord.objects.count() == 1
    triple_add(space=space, subject="Ana", predicate="livesIn", value="Lyon", by=ana)
    assert {value for _, _, value in believed(space)} == {"Paris", "Lyon"}
    predicate_declare(space=space, name="livesIn", is_functional=True, by=ana)
    assert {value for _, _, value in believed(space)} == {"Lyon"}
    assert PredicateRecord.objects.get().is_functional


def test_reversed_conflict_lets_the_old_triple_hold_again(space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.", "Ana | livesIn | Lyon.")
    before = rows_of(space)
    conflict = ConflictRecord.objects.get()
    decided = conflict_decide(conflict=conflict, decision=Verdict.REVERSE, by=ana)
    assert (decided.decision, decided.decided_by) == ("kept", ana)
    assert believed(space) == {("Ana", "livesIn", "Paris")}
    assert TripleRecord.objects.get(value="Lyon").superseded_by.value == "Paris"
    conflict_decide(conflict=conflict, decision=Verdict.ACCEPT, by=ana)
    assert believed(space) == {("Ana", "livesIn", "Lyon")}
    for edit in EditRecord.objects.order_by("-pk"):
        edit_undo(edit=edit, by=ana)
    assert rows_of(space) == before


def test_reversed_conflict_brings_back_what_stood_beside_the_old_triple(space, ana, spoken):
    learn(space, "Ana | livesIn | France.", "Ana | livesIn | Paris.", "Ana | livesIn | Berlin.")
    paris = ConflictRecord.objects.get(old__value="Paris")
    conflict_decide(conflict=paris, decision=Verdict.REVERSE, by=ana)
    assert {value for _, _, value in believed(space)} == {"France", "Paris"}
    assert set(ConflictRecord.objects.values_list("decision", flat=True)) == {"kept"}


def test_conflict_whose_sides_were_replaced_since_cannot_be_decided(space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.", "Ana | livesIn | Lyon.")
    conflict = ConflictRecord.objects.get()
    triple_correct(triple=TripleRecord.objects.get(value="Lyon"), value="Nice", by=ana)
    with pytest.raises(EditRefused, match="Neither of the two holds"):
        conflict_decide(conflict=conflict, decision=Verdict.REVERSE, by=ana)
    assert believed(space) == {("Ana", "livesIn", "Nice")}


def test_merge_of_many_facts_costs_a_bounded_number_of_queries(space, ana, spoken, django_assert_max_num_queries):
    learn(
        space, *[f"Max | likes | thing{n}." for n in range(40)], *[f"Maxi | likes | thing{n}." for n in range(20, 60)]
    )
    with django_assert_max_num_queries(60):
        merge(space, ana, "Max", "Maxi")
    assert len(believed(space)) == 60
    with django_assert_max_num_queries(80):
        edit_undo(edit=last_edit(space), by=ana)
