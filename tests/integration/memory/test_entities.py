"""Which entity a name means, across rounds and in both orders."""

from __future__ import annotations

import pytest

from memory.core.types import Node
from memory.models import AliasRecord, EditRecord, EntityRecord, Round, TripleRecord
from memory.services import round_complete, round_retract, space_create, space_maintain
from memory.services.edits.undo import edit_undo
from memory.services.entities import EntityRegister
from tests.integration.memory.by_hand import believed, facts_spoken, learn, rows_of
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def spoken(extractor, monkeypatch) -> None:
    facts_spoken(monkeypatch)


@pytest.fixture
def round(space) -> Round:
    [made] = say(new_session(space), "Hello.")
    return made


def of(round: Round, *nodes: Node) -> list[EntityRecord]:
    register = EntityRegister(round, nodes)
    return [register.entity_of(node) for node in nodes]


@pytest.mark.parametrize(
    "words",
    [
        ["Ana's sister | likes | tea.", "Maya = Ana's sister | likes | rain.", "Maya | likes | sun."],
        ["Maya | likes | tea.", "Maya = Ana's sister | likes | rain.", "Ana's sister | likes | sun."],
        ["Ana's sister | likes | tea.", "Maya | likes | rain.", "Maya = Ana's sister | likes | sun."],
        ["Maya | likes | tea.", "Ana's sister | likes | rain.", "Maya = Ana's sister | likes | sun."],
        ["Ana's sister | likes | tea.", "Maya | likes | rain.", "Maya = Ana's sister | likes | rain.", "Maya | likes | sun."],
    ],
)  # fmt: skip
def test_my_sister_maya_is_maya_in_every_order(space, spoken, words):
    learn(space, *words)
    assert believed(space) == {("Maya", "likes", value) for value in ("tea", "rain", "sun")}
    assert EntityRecord.objects.filter(label__in=["Maya", "Ana's sister"]).count() == 1
    assert set(AliasRecord.objects.filter(entity__label="Maya").values_list("text", flat=True)) == {
        "Maya",
        "Ana's sister",
    }


def test_joining_that_words_bring_settles_clashes_and_can_be_undone(space, ana, spoken):
    learn(space, "Ana's sister | livesIn | Oslo.", "Maya | livesIn | Rome.", "Maya = Ana's sister | likes | tea.")
    assert believed(space) == {("Maya", "livesIn", "Rome"), ("Maya", "likes", "tea")}
    edit = EditRecord.objects.get()
    assert (edit.kind, edit.actor) == ("merge", None)
    assert edit.summary == "Took “Ana's sister” and “Maya” for one, as it was said."
    edit_undo(edit=edit, by=ana)
    assert ("Ana's sister", "livesIn", "Oslo") in believed(space)
    learn(space, "Maya = Ana's sister | likes | rain.")
    assert EntityRecord.objects.filter(label="Ana's sister").exists()


def test_second_brother_is_not_the_first(space, spoken):
    learn(space, "Tom = Ana's brother | likes | tea.", "Max = Ana's brother | likes | rain.")
    assert believed(space) == {("Tom", "likes", "tea"), ("Max", "likes", "rain")}
    assert AliasRecord.objects.get(text="Ana's brother").entity.label == "Tom"


def test_two_of_one_name_are_one_until_somebody_parts_them(space, spoken):
    learn(space, "Tom = Ana's brother | likes | tea.", "Tom = Ana's boss | likes | rain.")
    assert believed(space) == {("Tom", "likes", "tea"), ("Tom", "likes", "rain")}


def test_kinds_that_exclude_each_other_are_two(round):
    sister, city, again = of(
        round, Node("Paris", kind="Person"), Node("Paris", kind="Place"), Node("paris", kind="Person")
    )
    assert sister == again != city
    assert of(round, Node("Maya", kind="Person", aliases=("Rex",)), Node("Rex", kind="Animal"))[1].label == "Rex"


@pytest.mark.parametrize(
    ("first", "second"),
    [("أحمد", "أحمد"), ("北京", " 北京 "), ("🐈‍⬛", "🐈‍⬛"), ("Zoë", "ZOE"), ("Ελένη", "ελένη"),
     ("O’Neil", "o'neil"), ("Straße", "STRASSE")],
)  # fmt: skip
def test_one_name_in_any_script_means_one(round, first, second):
    [one], [two] = of(round, Node(first)), of(round, Node(second))
    assert one == two and one.label == first
    assert EntityRecord.objects.count() == 1


def test_name_beyond_the_limit_is_cut_and_found_again(round):
    [one], [two] = of(round, Node("ж" * 400)), of(round, Node("ж" * 400))
    assert one == two and len(one.label) == 300


def test_word_that_an_entity_was_named_by_is_kept_and_learnt_later(round):
    [cat] = of(round, Node("cat", lemma="cat", pos="NOUN"))
    assert (cat.lemma, cat.pos) == ("cat", "NOUN")
    of(round, Node("dog"))
    [dog] = of(round, Node("dog", lemma="dog", pos="NOUN", kind="Animal"))
    dog.refresh_from_db()
    assert (dog.lemma, dog.pos, dog.kind) == ("dog", "NOUN", "Animal")
    [kept] = of(round, Node("cat", lemma="kitten", pos="PROPN"))
    assert (kept.lemma, kept.pos) == ("cat", "NOUN")


def test_entity_that_goes_by_the_name_is_meant_before_one_that_is_also_called_so(space, round):
    nick = EntityRecord.objects.create(space=space, label="Nicholas")
    own = EntityRecord.objects.create(space=space, label="Nick")
    for entity in (nick, own):
        AliasRecord.objects.create(space=space, entity=entity, text="Nick", key="nick")
    assert of(round, Node("Nick")) == [own]
    assert EntityRegister(round, [Node("Nick")], preferred=[nick.pk]).entity_of(Node("Nick")) == nick


def test_names_of_another_space_mean_nothing_here(space, round, ana):
    other = space_create(name="Other", owner=ana)
    theirs = EntityRecord.objects.create(space=other, label="Maya")
    AliasRecord.objects.create(space=other, entity=theirs, text="Maya", key="maya")
    assert of(round, Node("Maya")) != [theirs]


def test_register_costs_the_same_at_any_size(space, round, django_assert_num_queries):
    def fill(start: int) -> None:
        made = EntityRecord.objects.bulk_create(
            EntityRecord(space=space, label=f"E{n}") for n in range(start, start + 500)
        )
        AliasRecord.objects.bulk_create(
            AliasRecord(space=space, entity=one, text=one.label, key=one.label.lower()) for one in made
        )

    for start in (0, 500):
        fill(start)
        with django_assert_num_queries(1):
            of(round, *[Node(f"E{n}") for n in range(20)])


def test_round_that_is_read_again_means_the_same_entities(space, spoken):
    rounds = learn(space, "Maya | likes | tea.", "Maya = Ana's sister | likes | rain.")
    before = believed(space)
    round_retract(round=rounds[1])
    round_complete(round=rounds[1])
    space_maintain(space_id=space.pk)
    assert believed(space) == before
    assert TripleRecord.objects.count() == 2 and EntityRecord.objects.filter(label="Maya").count() == 1
    assert rows_of(space)["AliasRecord"] and not EditRecord.objects.exists()
