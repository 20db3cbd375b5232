"""The dashboard's lists: what they find, whose it is, and that they cost the same however much there is."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.core.types import Axiom, Fact, Modality, Node, Span, Tense, Violation
from memory.models import ConflictRecord, EntityRecord, SentenceRecord, Space, TripleRecord, Turn
from memory.selectors.lists import Asked, FactStatus, facts_page
from memory.services import space_create
from memory.services.edits.decide import Verdict, conflict_decide
from memory.services.held_fragments import fragment_hold
from memory.stores import triples_of
from tests.fakes.engines import small_models
from tests.integration.memory.by_hand import facts_spoken, learn

pytestmark = pytest.mark.django_db
LISTS = ("space-triples", "space-sentences", "space-entities", "space-conflicts")
MOST_QUERIES = 12
HOSTILE = ("'; drop table memory_space; --", "1" * 400, "<script>alert(1)</script>", "-1", "0", "٣", "a & ! | (b")

PARAMETERS = (
    "q", "predicate", "speaker", "standing", "before", "rule", "decision", "by", "kind", "session", "entity", "as_of",
)  # fmt: skip


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def stranger(db) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ben"))
    return client


@pytest.fixture(scope="module")
def learnt(module_db) -> int:
    """A memory in which Lyon replaced Paris, with a denial, a plan and a report, made once."""
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        facts_spoken(patch)
        space = space_create(name="Ana's memory", owner=User.objects.create_user("ana", first_name="Ana"))
        learn(space, "Ana | livesIn | Paris.", "Ana | likes | tea.")
        learn(space, "Ana | livesIn | Lyon.", "Tom=Tommy | worksFor | Airbus.", speaker="Ana")
        learn(space, "Tom | likes | Mount Rainier.", speaker="Tom")
        TripleRecord.objects.filter(value="tea").update(polarity="negative")
        TripleRecord.objects.filter(value="Airbus").update(tense=Tense.FUTURE)
        TripleRecord.objects.filter(value="Mount Rainier").update(modality=Modality.REPORTED, attributed_to="Max")
    return space.pk


@pytest.fixture
def talked(learnt: int, db, extractor, monkeypatch) -> Space:
    facts_spoken(monkeypatch)
    return Space.objects.get(pk=learnt)


@pytest.fixture
def ana(talked: Space) -> User:
    return talked.members.get()


def shown(client: Client, name: str, space: Space, **asked: object) -> str:
    answer = client.get(reverse(name, args=[space.pk]), asked)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def facts_in(html: str) -> set[str]:
    known = {str(pk): value for pk, value in TripleRecord.objects.values_list("pk", "value")}
    return {value for pk, value in known.items() if f'id="fact-{pk}"' in html}


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ({}, {"Lyon", "tea", "Airbus"}),
        ({"standing": "replaced"}, {"Paris"}),
        ({"standing": "denied"}, {"tea"}),
        ({"standing": "planned"}, {"Airbus"}),
        ({"standing": "reported"}, {"Mount Rainier"}),
        ({"standing": "any"}, {"Paris", "Lyon", "tea", "Airbus", "Mount Rainier"}),
        ({"standing": "no such"}, {"Lyon", "tea", "Airbus"}),
        ({"q": "lyon"}, {"Lyon"}),
        ({"q": "tommy"}, {"Airbus"}),
        ({"q": "rain", "standing": "any"}, {"Mount Rainier"}),
        ({"q": "nothing at all"}, set()),
        ({"predicate": "livesIn", "standing": "any"}, {"Paris", "Lyon"}),
        ({"speaker": "Tom", "standing": "any"}, {"Mount Rainier"}),
        ({"speaker": "Tom", "predicate": "livesIn"}, set()),
    ],
)
def test_facts_are_found_by_what_is_asked(reader, talked, asked, values):
    assert facts_in(shown(reader, "space-triples", talked, **asked)) == values


def test_facts_are_found_by_entity_session_and_turn(reader, talked):
    tom = EntityRecord.objects.get(label="Tom")
    assert facts_in(shown(reader, "space-triples", talked, entity=tom.pk)) == {"Airbus"}
    first = Turn.objects.earliest("pk")
    assert facts_in(shown(reader, "space-triples", talked, session=first.session_id)) == {"tea"}
    assert facts_in(shown(reader, "space-triples", talked, as_of=first.pk)) == {"Paris"}
    lyon = Turn.objects.get(text="Ana | livesIn | Lyon.")
    assert facts_in(shown(reader, "space-triples", talked, as_of=lyon.pk)) == {"Lyon", "tea"}
    assert facts_in(shown(reader, "space-triples", talked, as_of=lyon.pk, standing="replaced")) == {"Paris"}
    assert facts_in(shown(reader, "space-triples", talked, as_of=first.pk, q="lyon", standing="any")) == set()


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("text", ["", "ana"])
def test_every_fact_is_on_one_page_and_only_one(talked, size, text):
    last = Turn.objects.select_related("round").latest("pk")
    for as_of in (None, last):
        asked = Asked(text=text, as_of=as_of)
        whole = facts_page(talked, asked, status=FactStatus.ANY)
        pages = [facts_page(talked, asked, status=FactStatus.ANY, size=size)]
        while pages[-1].older:
            pages.append(facts_page(talked, asked, status=FactStatus.ANY, size=size, before=pages[-1].older))
        assert [fact.pk for page in pages for fact in page.rows] == [fact.pk for fact in whole.rows]
        assert len(whole.rows) >= 3 and whole.older == ""


def test_held_back_fragments_are_listed_with_why(reader, talked):
    sentence = SentenceRecord.objects.get(text="Ana | livesIn | Lyon.")
    clash = triples_of(TripleRecord.objects.filter(value="Lyon"))
    fact = Fact(Node("Ana"), "spouse", Node("Ana"), Span(0, 3))
    fragment_hold(
        round=sentence.turn.round,
        sentence=sentence,
        facts=[fact],
        violations=[Violation(Axiom.FUNCTIONAL, ("spouse",), (fact, *clash))],
    )
    html = shown(reader, "space-triples", talked, standing="held")
    assert "Only one of the two can be so at a time." in html and reverse("sentence", args=[sentence.pk]) in html
    assert "Nothing was held back." in shown(
        reader, "space-triples", talked, standing="held", as_of=Turn.objects.earliest("pk").pk
    )


def test_sentences_are_found_and_lead_to_their_turn_and_their_facts(reader, talked):
    lyon = SentenceRecord.objects.get(text="Ana | livesIn | Lyon.")
    html = shown(reader, "space-sentences", talked, q="lyon")
    assert reverse("sentence", args=[lyon.pk]) in html and html.count('id="sentence-') == 1
    assert reverse("triple", args=[TripleRecord.objects.get(value="Lyon").pk]) in html
    assert shown(reader, "space-sentences", talked, speaker="Tom").count('id="sentence-') == 1
    assert shown(reader, "space-sentences", talked, as_of=lyon.turn_id, q="airbus").count('id="sentence-') == 0


def test_entities_are_found_by_any_of_their_names(reader, talked):
    tom = EntityRecord.objects.get(label="Tom")
    assert reverse("entity", args=[tom.pk]) in shown(reader, "space-entities", talked, q="tomm")
    assert shown(reader, "space-entities", talked, q="rainier").count('class="fact entity-line"') == 1
    assert "Nobody and nothing is called so." in shown(reader, "space-entities", talked, q="zzz")


def test_conflicts_show_both_sides_and_are_found_by_rule_decision_and_decider(reader, ana, talked):
    conflict = ConflictRecord.objects.get()
    html = shown(reader, "space-conflicts", talked)
    assert "Ana | livesIn | Paris." in html and "Ana | livesIn | Lyon." in html
    assert "Only one of the two can be so at a time." in html and "functional value" in html
    for asked, is_found in (
        ({"rule": "functional_value"}, True),
        ({"rule": "polarity"}, False),
        ({"decision": "superseded"}, True),
        ({"decision": "kept"}, False),
        ({"by": "rules"}, True),
        ({"by": "me"}, False),
        ({"as_of": Turn.objects.earliest("pk").pk}, False),
    ):
        assert (f'id="conflict-{conflict.pk}"' in shown(reader, "space-conflicts", talked, **asked)) is is_found, asked
    conflict_decide(conflict=conflict, decision=Verdict.REVERSE, by=ana)
    html = shown(reader, "space-conflicts", talked, by="me", decision="kept")
    assert "You decided so." in html and "Undo" in html
    alone = reader.get(reverse("conflict", args=[conflict.pk])).content.decode()
    assert "Changed by hand" in alone and "Undo" in alone


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_another_are_not_found(stranger, talked, name):
    assert stranger.get(reverse(name, args=[talked.pk])).status_code == 404


def test_filters_find_nothing_of_another_space(reader, ana, talked, monkeypatch):
    other = space_create(name="Other", owner=ana)
    theirs = EntityRecord.objects.get(label="Tom")
    session = Turn.objects.earliest("pk").session_id
    assert facts_in(shown(reader, "space-triples", other, q="lyon", standing="any")) == set()
    assert facts_in(shown(reader, "space-triples", other, session=session, standing="any")) == set()
    assert reader.get(reverse("space-triples", args=[other.pk]), {"entity": theirs.pk}).status_code == 404
    assert shown(reader, "space-entities", other, q="tom").count("entity-line") == 0
    assert "Paris" not in shown(reader, "space-sentences", other)


@pytest.mark.parametrize("name", LISTS)
def test_hostile_parameters_are_answered_with_a_page_or_not_found(reader, talked, name):
    for parameter in PARAMETERS:
        for value in HOSTILE:
            answer = reader.get(reverse(name, args=[talked.pk]), {parameter: value})
            assert answer.status_code in (200, 404), (parameter, value)
            assert b"<script>alert" not in answer.content


@pytest.mark.parametrize("name", LISTS)
def test_queries_do_not_grow_with_the_list(reader, talked, name):
    def queries(**asked: object) -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            shown(reader, name, talked, **asked)
        return len(seen)

    few = queries()
    learn(talked, *[f"Ana | visited | Town {number}." for number in range(12)])
    learn(talked, *[f"Ana | livesIn | Town {number}." for number in range(12)])
    many = queries()
    assert many <= few + 1 and many <= MOST_QUERIES
    turn = Turn.objects.earliest("pk")
    everything = {"q": "town", "predicate": "visited", "speaker": "Ana", "session": turn.session_id, "as_of": turn.pk}
    assert queries(**everything, entity=EntityRecord.objects.get(label="Ana").pk, standing="any") <= MOST_QUERIES
