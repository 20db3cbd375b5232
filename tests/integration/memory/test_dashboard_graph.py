"""The graph of the dashboard: what it shows as of a turn and against another, from where, how much of it, and to whom."""

from __future__ import annotations

from itertools import combinations_with_replacement
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from memory.core.types import Modality, Role
from memory.models import EntityRecord, Space, TripleRecord, Turn
from memory.selectors import (
    Sight,
    entities_starting,
    graph_as_of,
    graph_difference,
    neighbourhood,
    neighbourhoods,
    recent_facts,
    was_believed_at,
)
from memory.services import space_create, space_maintain
from tests.fakes.engines import small_models
from tests.integration.memory.by_hand import facts_spoken
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db

SAID = (
    "Ana | livesIn | Paris.",
    "Ana | hasSister | Maya.",
    "Maya | livesIn | Oslo.",
    "Ana | livesIn | Lyon.",
    "Maya | livesIn | Bergen.",
    "Ana | age | 34.",
    "Tom | livesIn | Berlin.",
)


@pytest.fixture(scope="module")
def told(module_db) -> int:
    """A dialogue of Ana's about herself and Maya, and a stranger's memory beside it, made once."""
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        facts_spoken(patch)
        space = space_create(name="Ana's memory", owner=User.objects.create_user("ana", first_name="Ana"))
        say(new_session(space, key="s"), *SAID)
        say(new_session(space_create(name="Other", owner=User.objects.create_user("ben"))), "Ben | livesIn | Rome.")
        for each in Space.objects.all():
            space_maintain(space_id=each.pk)
    return space.pk


@pytest.fixture
def space(told: int, db) -> Space:
    return Space.objects.get(pk=told)


def graph_now(space: Space) -> QuerySet[TripleRecord]:
    return TripleRecord.objects.filter(space=space, superseded_at=None, modality=Modality.ASSERTED)


@pytest.fixture
def ana(space: Space) -> User:
    return space.members.get()


@pytest.fixture
def turns(space: Space, extractor, monkeypatch) -> list[Turn]:
    """The user's turns."""
    facts_spoken(monkeypatch)
    return list(Turn.objects.filter(space=space, role=Role.USER).select_related("round").order_by("pk"))


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def entity(label: str) -> EntityRecord:
    return EntityRecord.objects.get(label=label)


def drawn(client: Client, space: Space, **asked: object) -> dict:
    answer = client.get(reverse("space-graph-data", args=[space.pk]), asked)
    assert answer.status_code == 200
    return answer.json()


def sentences(graph: dict) -> dict[str, str]:
    return {edge["words"]: edge["state"] for edge in graph["edges"] if not edge.get("is_fold")}


def listed(client: Client, space: Space, **asked: object) -> str:
    return client.get(reverse("space-graph", args=[space.pk]), asked).content.decode()


def test_graph_begins_with_the_reader_and_goes_on_while_there_is_room(space, turns, reader, monkeypatch):
    TripleRecord.objects.filter(value="34").update(object=None)
    monkeypatch.setattr(neighbourhoods, "ROOM", 3)
    graph = drawn(reader, space)
    own = {"You live in Lyon.": "holds", "Your sister is Maya.": "holds", "You are 34 years old.": "holds"}
    assert sentences(graph) == own
    roots = [node["label"] for node in graph["nodes"] if node.get("is_root")]
    assert roots == ["You"]
    more = {node["label"]: (node.get("more", ""), node.get("badge", "")) for node in graph["nodes"]}
    assert more["Maya"] == ("1 more", "+1")
    assert [node["label"] for node in graph["nodes"] if node.get("is_value")] == ["34"]

    monkeypatch.setattr(neighbourhoods, "ROOM", 4)
    near = own | {"Maya lives in Bergen.": "holds"}
    assert sentences(drawn(reader, space)) == near
    monkeypatch.setattr(neighbourhoods, "ROOM", 5)
    assert sentences(drawn(reader, space)) == near | {"Tom lives in Berlin.": "holds"}


def test_what_is_opened_takes_nothing_away(space, turns, reader, monkeypatch):
    say(new_session(space, key="s"), *[f"Maya | knows{number} | Thing{number}." for number in range(6)])
    space_maintain(space_id=space.pk)
    monkeypatch.setattr(neighbourhoods, "ROOM", 7)
    before = sentences(drawn(reader, space))
    after = sentences(drawn(reader, space, open=entity("Tom").pk))
    assert before.items() <= after.items() and "Tom lives in Berlin." in after


def test_graph_is_that_of_the_turn(space, turns, reader):
    assert list(sentences(drawn(reader, space, as_of=turns[0].pk))) == ["You live in Paris."]
    maya = entity("Maya").pk
    assert set(sentences(drawn(reader, space, as_of=turns[2].pk, entity=maya))) == {
        "Your sister is Maya.",
        "Maya lives in Oslo.",
    }
    assert "Maya lives in Bergen." in sentences(drawn(reader, space, as_of=turns[4].pk, entity=maya))


def test_everything_that_is_shown_and_more_is_what_the_selectors_give(space, turns):
    everybody = list(EntityRecord.objects.filter(space=space).values_list("pk", flat=True))
    for at in (None, *turns):
        whole = set(graph_now(space) if at is None else graph_as_of(space, at))
        shown = neighbourhood(space, everybody, Sight(at=at))
        assert {edge.triple for edge in shown.edges} == whole
        assert all(node.more == 0 for node in shown.nodes)
        for one in everybody:
            part = neighbourhood(space, [one], Sight(at=at))
            of_it = {row for row in whole if one in (row.subject_id, row.object_id)}
            assert {edge.triple for edge in part.edges} == of_it
            degrees = {
                node.entity.pk: len([row for row in whole if node.entity.pk in (row.subject_id, row.object_id)])
                for node in part.nodes
            }
            known = {edge.triple.pk for edge in part.edges}
            for node in part.nodes:
                here = [row for row in whole if row.pk in known and node.entity.pk in (row.subject_id, row.object_id)]
                assert node.more == degrees[node.entity.pk] - len(here)


def test_difference_is_that_of_the_selectors_between_any_two_turns(space, turns):
    for earlier, later in combinations_with_replacement(turns, 2):
        expected = {(row.pk, row.change) for row in graph_difference(space, earlier, later).changes}
        # Whichever of the two is chosen first, time goes forwards.
        for sight in (Sight(at=later, against=earlier), Sight(at=earlier, against=later)):
            shown = recent_facts(space, sight)
            assert {(edge.triple.pk, edge.state) for edge in shown.edges} == expected
    for earlier in turns:
        now = {row.pk for row in graph_now(space)}
        then = {row.pk for row in graph_as_of(space, earlier)}
        shown = recent_facts(space, Sight(against=earlier))
        assert {(edge.triple.pk, edge.state) for edge in shown.edges} == {
            *((pk, "added") for pk in now - then),
            *((pk, "superseded") for pk in then - now),
        }


def test_difference_of_two_turns_is_told_by_state(space, turns, reader):
    shown = sentences(drawn(reader, space, entity=entity("Ana").pk, against=turns[1].pk, as_of=turns[4].pk))
    assert shown == {"You live in Lyon.": "added", "Your sister is Maya.": "holds", "You live in Paris.": "superseded"}
    html = listed(reader, space, against=turns[1].pk, as_of=turns[4].pk)
    assert "+ 2 added" in html and "− 1 gone" in html and "<s>You live in Paris.</s>" in html
    back = sentences(drawn(reader, space, entity=entity("Ana").pk, against=turns[4].pk, as_of=turns[1].pk))
    assert back == shown
    from_now = listed(reader, space, against=turns[1].pk)
    assert "to now:" in " ".join(from_now.split()) and "− 1 gone" in from_now


def test_what_was_replaced_is_shown_when_it_is_asked_for(space, turns, reader):
    shown = sentences(drawn(reader, space, past="1"))
    assert shown["You live in Paris."] == "past" and shown["You live in Lyon."] == "holds"
    assert "You live in Paris." not in sentences(drawn(reader, space))
    earlier = sentences(drawn(reader, space, past="1", as_of=turns[1].pk))
    assert earlier["You live in Paris."] == "holds" and "You live in Lyon." not in earlier
    assert "2 facts that were replaced are shown" in listed(reader, space, past="1")
    assert "Nothing was replaced up to this turn." in listed(reader, space, past="1", as_of=turns[0].pk)


def test_what_was_replaced_is_shown_before_all_else_and_wherever_it_is(space, turns, reader, monkeypatch):
    say(new_session(space, key="s"), *[f"Ana | knows{number} | Thing{number}." for number in range(6)])
    space_maintain(space_id=space.pk)
    monkeypatch.setattr(neighbourhoods, "ROOM", 3)
    assert "You live in Paris." in sentences(drawn(reader, space, past="1"))
    TripleRecord.objects.filter(value="Paris").delete()
    assert sentences(drawn(reader, space, past="1"))["Maya lives in Oslo."] == "past"


def test_one_fact_is_believed_at_a_turn_as_the_graph_is(space, turns):
    for turn in turns:
        then = set(graph_as_of(space, turn))
        assert {fact for fact in TripleRecord.objects.filter(space=space) if was_believed_at(fact, turn)} == then


def test_only_what_is_believed_is_drawn(space, turns, reader):
    TripleRecord.objects.filter(value="Lyon").update(modality=Modality.HYPOTHETICAL)
    assert "You live in Lyon." not in sentences(drawn(reader, space))
    assert "You live in Lyon." not in sentences(drawn(reader, space, past="1"))


def test_opening_shows_the_neighbourhood_and_leaves_no_more_behind(space, turns, reader):
    graph = drawn(reader, space, open=entity("Maya").pk)
    assert "Maya lives in Bergen." in sentences(graph)
    assert {node["label"]: node.get("more", "") for node in graph["nodes"]}["Maya"] == ""


def test_what_is_too_much_is_folded_into_groups_that_open(space, turns, reader, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "ROOM", 6)
    monkeypatch.setattr(neighbourhoods, "STEP", 4)
    likes = [f"Hub | likes | Thing{number}." for number in range(9)]
    say(new_session(space, key="s"), *likes, "Tom | knows | Hub.", "Hub | livesIn | Rome.")
    space_maintain(space_id=space.pk)
    hub = entity("Hub").pk

    def shown(**asked: object) -> tuple[int, list[tuple[str, str, str]]]:
        graph = drawn(reader, space, entity=hub, **asked)
        ends = {node["id"]: node for node in graph["nodes"] if node.get("is_fold")}
        labels = {edge["target"]: edge["label"] for edge in graph["edges"]}
        folds = [(labels[name], node["label"], node["opens"]) for name, node in ends.items()]
        return len(graph["edges"]) - len(folds), folds

    key = f"{hub}:out:likes"
    assert shown() == (6, [("likes", "5 more", urlencode({"group": key}))])
    assert shown(group=key) == (11, [])
    assert shown(group=f"{hub}:in:likes") == shown(), "nobody likes the hub"
    html = listed(reader, space, entity=hub)
    assert "Hub, likes: 5 more" in html and f"group={hub}%3Aout%3Alikes" in html
    newest = {f"Hub likes Thing{number}." for number in (8, 7, 6, 5)}
    assert newest < set(sentences(drawn(reader, space, entity=hub)))


def test_more_kinds_of_facts_than_there_is_room_for_are_one_group(space, turns, reader, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "ROOM", 4)
    say(new_session(space, key="s"), *[f"Hub | knows{number} | Thing{number}." for number in range(9)])
    space_maintain(space_id=space.pk)
    hub = entity("Hub").pk

    def held(**asked: object) -> list[tuple[str, str]]:
        ends = drawn(reader, space, entity=hub, **asked)["nodes"]
        return [(node["label"], node["opens"]) for node in ends if node.get("is_fold")]

    opens = f"open={hub}"
    assert [held(open=[hub] * again) for again in range(3)] == [[("5 more", opens)], [("1 more", opens)], []]
    monkeypatch.setattr(neighbourhoods, "READ", 6)
    assert held() == [("at least 2 more", opens)]


def test_what_leads_to_a_hub_is_shown_first(space, turns, reader, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "ROOM", 3)
    hub = [f"Old | knows{number} | Thing{number}." for number in range(3)]
    say(
        new_session(space, key="s"),
        "Root | likes | Old.",
        *[f"Root | likes | {name}." for name in ("Figs", "Rain", "Chess", "Lavender")],
        *hub,
    )
    space_maintain(space_id=space.pk)
    assert set(sentences(drawn(reader, space, entity=entity("Root").pk))) == {
        "Root likes Old.",
        "Root likes Lavender.",
        "Root likes Chess.",
    }


@pytest.mark.parametrize("asked", ["likes", "1:likes", "1:up:likes", "x:out:likes", "1:out:"])
def test_what_names_no_group_is_not_found(space, turns, reader, asked):
    assert reader.get(reverse("space-graph", args=[space.pk]), {"group": asked}).status_code == 404


def test_there_is_room_for_so_much_and_it_is_said(space, turns, reader, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "EDGES", 4)
    everybody = list(EntityRecord.objects.filter(space=space).values_list("pk", flat=True))
    graph = drawn(reader, space, open=everybody)
    assert len(graph["edges"]) == 4 and graph["is_cut"]
    assert "There is more than fits here." in listed(reader, space, open=everybody)


def test_table_has_the_facts_of_the_picture(space, turns, reader):
    for asked in ({}, {"as_of": turns[2].pk}, {"against": turns[1].pk}, {"past": "1"}, {"entity": entity("Maya").pk}):
        page = reader.get(reverse("space-graph", args=[space.pk]), asked)
        rows = {(edge.triple.pk, str(edge.state)) for edge in page.context["rows"]}
        picture = drawn(reader, space, **asked)
        assert rows == {(edge["fact"], edge["state"]) for edge in picture["edges"]}
        assert all(words.replace("'", "&#x27;") in page.content.decode() for words in sentences(picture))


def test_table_is_paged(space, turns, reader):
    say(new_session(space, key="s"), *[f"Hub | knows{number} | Thing{number}." for number in range(60)])
    space_maintain(space_id=space.pk)
    hub = entity("Hub").pk
    first = reader.get(reverse("space-graph", args=[space.pk]), {"entity": hub, "open": [hub] * 4}).context["rows"]
    second = reader.get(reverse("space-graph", args=[space.pk]), {"entity": hub, "open": [hub] * 4, "page": 2}).context[
        "rows"
    ]
    assert (len(first), len(second)) == (50, 10)
    odd = reader.get(reverse("space-graph", args=[space.pk]), {"entity": hub, "page": "99999999999999999999"})
    assert odd.status_code == 200


def test_search_finds_by_how_a_name_begins_and_only_here(space, turns, reader):
    find = reverse("space-graph-find", args=[space.pk])
    assert [row.label for row in entities_starting(space, "MA")] == ["Maya"]
    assert "Maya" in reader.get(find, {"q": "ma"}).content.decode()
    assert "Nothing is named so." in reader.get(find, {"q": "rome"}).content.decode()
    assert "Nothing is named so." in reader.get(find, {"q": "%"}).content.decode()
    assert reader.get(find).content.decode().strip() == ""
    assert "Maya" in listed(reader, space, q="may")


def test_fact_leads_to_its_sentence_and_its_turn(space, turns, reader):
    fact = TripleRecord.objects.get(value="Lyon")
    html = reader.get(reverse("space-graph-fact", args=[space.pk, fact.pk])).content.decode()
    assert "You live in Lyon." in html and "<mark>Ana | livesIn | Lyon.</mark>" in html
    assert reverse("sentence", args=[fact.sentence_id]) in html
    assert f"{reverse('space-graph', args=[space.pk])}?as_of={turns[3].pk}" in html
    beside = listed(reader, space, fact=fact.pk)
    assert "<mark>Ana | livesIn | Lyon.</mark>" in beside and f'data-chosen="fact-{fact.pk}"' in beside


def test_fact_that_held_then_is_not_struck_then(space, turns, reader):
    fact = TripleRecord.objects.get(value="Paris")
    address = reverse("space-graph-fact", args=[space.pk, fact.pk])
    now, then = (reader.get(address, asked).content.decode() for asked in ({}, {"as_of": turns[0].pk}))
    assert "<s>You live in Paris.</s>" in now and "It held as of this turn." not in now
    assert "<s>You live in Paris.</s>" not in then and "It held as of this turn." in then and "was replaced by" in then


def test_entity_shows_its_facts_at_the_turn(space, turns, reader):
    address = reverse("space-graph-entity", args=[space.pk, entity("Maya").pk])
    assert "Maya lives in Bergen." in reader.get(address).content.decode()
    assert "Maya lives in Oslo." in reader.get(address, {"as_of": turns[2].pk}).content.decode()
    assert "Nothing is known about it as of this turn." in reader.get(address, {"as_of": turns[0].pk}).content.decode()


@pytest.mark.parametrize("name", ["entity", "open", "about", "fact"])
@pytest.mark.parametrize("asked", ["abc", "-3", "0", "9" * 19, "9" * 500, "1;drop"])
def test_what_is_no_number_of_a_row_is_not_found(space, turns, reader, name, asked):
    assert reader.get(reverse("space-graph", args=[space.pk]), {name: asked}).status_code == 404


def test_rows_of_another_space_are_not_found_nor_shown(space, turns, reader):
    other = Space.objects.get(name="Other")
    ben, fact = entity("Ben"), TripleRecord.objects.get(value="Rome")
    assert reader.get(reverse("space-graph", args=[other.pk])).status_code == 404
    for name, value in (("entity", ben.pk), ("fact", fact.pk)):
        assert reader.get(reverse("space-graph", args=[space.pk]), {name: value}).status_code == 404
    assert reader.get(reverse("space-graph-fact", args=[space.pk, fact.pk])).status_code == 404
    assert reader.get(reverse("space-graph-entity", args=[space.pk, ben.pk])).status_code == 404
    assert "Rome" not in str(drawn(reader, space, open=ben.pk))
    assert "Rome" not in listed(reader, space, open=ben.pk, about=ben.pk)


def test_newest_facts_are_shown_where_the_reader_is_not_known(space, turns, reader, ana):
    User.objects.filter(pk=ana.pk).update(first_name="Somebody else", username="somebody")
    graph = drawn(reader, space)
    assert len(graph["edges"]) == graph_now(space).count() and not any(node.get("is_root") for node in graph["nodes"])


def test_nothing_known_of_an_entity_is_said(space, turns, reader):
    html = listed(reader, space, entity=entity("Tom").pk, as_of=turns[0].pk)
    assert "Nothing is known about Tom as of this turn." in html
    same = listed(reader, space, against=turns[6].pk, as_of=turns[6].pk)
    assert "Nothing differs between the two turns." in same
