"""Changing memory from the dashboard's lists: two people at once, reversals that cannot be, entities, forgetting many."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, connections
from django.test import Client
from django.urls import reverse

from conversations.models import Conversation
from conversations.services.messages import title_from
from memory.adapters.row_security.scope import as_owner
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    Membership,
    PredicateRecord,
    Round,
    SentenceRecord,
    Space,
    TripleRecord,
    Turn,
)
from memory.services import space_create, triple_correct
from memory.services.edits import forget_many
from memory.services.edits.audit import EditRefused
from memory.services.edits.correct import triple_retract
from memory.services.edits.decide import Verdict, conflict_decide
from memory.services.edits.forget_many import FORGOTTEN_WORDS, memory_forget, what_goes
from memory.services.edits.undo import edit_undo
from tests.integration.memory.by_hand import believed, facts_spoken, last_edit, learn, rows_of

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
SEEN = re.compile(r'name="seen" value="(\w+)"')


@pytest.fixture
def spoken(extractor, monkeypatch) -> None:
    facts_spoken(monkeypatch)


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def ben(space: Space) -> User:
    ben = User.objects.create_user("ben", first_name="Ben")
    Membership.objects.create(space=space, user=ben, role=Membership.Role.MEMBER)
    return ben


def stamp_in(client: Client, name: str, pk: int) -> str:
    """Return the stamp in the first form of a page that somebody has open."""
    found = SEEN.search(client.get(reverse(name, args=[pk])).content.decode())
    assert found is not None
    return found[1]


def test_second_editor_of_a_fact_sees_what_changed_and_keeps_their_words(reader, ben, space, spoken):
    learn(space, "Ana | livesIn | Paris.")
    fact = TripleRecord.objects.get(value="Paris")
    seen = stamp_in(reader, "triple", fact.pk)
    triple_correct(triple=fact, value="Lyon", by=ben)
    before = rows_of(space)
    asked = {"value": "Nantes", "seen": seen}
    html = reader.post(reverse("triple-correct", args=[fact.pk]), asked, **HTMX).content.decode()
    assert "Ben changed this meanwhile" in html and "Ana lives in Lyon" in html and "Nothing was overwritten" in html
    assert 'value="Nantes"' in html
    assert rows_of(space) == before
    # The form now is that of the fact that holds: whoever sends it again knows what they replace.
    lyon = TripleRecord.objects.get(value="Lyon")
    assert reverse("triple-correct", args=[lyon.pk]) in html
    again = {"value": "Nantes", "seen": SEEN.search(html)[1]}
    reader.post(reverse("triple-correct", args=[lyon.pk]), again, **HTMX)
    assert ("Ana", "livesIn", "Nantes") in believed(space)


def test_second_editor_without_script_gets_the_page_with_their_words(reader, ben, space, spoken):
    learn(space, "Ana | livesIn | Paris.")
    fact = TripleRecord.objects.get(value="Paris")
    seen = stamp_in(reader, "triple", fact.pk)
    triple_correct(triple=fact, value="Lyon", by=ben)
    answer = reader.post(reverse("triple-correct", args=[fact.pk]), {"value": "Nantes", "seen": seen})
    assert answer.status_code == 422
    assert "Ben changed this meanwhile" in answer.content.decode() and 'value="Nantes"' in answer.content.decode()


def test_retraction_of_what_changed_meanwhile_is_refused(reader, ben, space, spoken):
    learn(space, "Ana | likes | tea.")
    fact = TripleRecord.objects.get(value="tea")
    seen = stamp_in(reader, "triple", fact.pk)
    triple_retract(triple=fact, by=ben)
    html = reader.post(reverse("triple-retract", args=[fact.pk]), {"seen": seen}, **HTMX).content.decode()
    assert "Ben changed this meanwhile" in html
    assert EditRecord.objects.count() == 1


def test_second_judge_of_a_conflict_sees_the_first_decision(reader, ben, space, spoken):
    learn(space, "Ana | livesIn | Paris.", "Ana | livesIn | Lyon.")
    conflict = ConflictRecord.objects.get()
    seen = stamp_in(reader, "conflict", conflict.pk)
    conflict_decide(conflict=conflict, decision=Verdict.REVERSE, by=ben)
    asked = {"decision": "reverse", "seen": seen}
    html = reader.post(reverse("conflict-decide", args=[conflict.pk]), asked, **HTMX).content.decode()
    assert "Ben changed this meanwhile" in html and "Ana lives in Paris" in html
    assert EditRecord.objects.count() == 1


def test_agreement_with_a_decision_is_recorded_as_the_persons(reader, ana, space, spoken):
    learn(space, "Ana | livesIn | Paris.", "Ana | livesIn | Lyon.")
    conflict = ConflictRecord.objects.get()
    page = reader.get(reverse("conflict", args=[conflict.pk])).content.decode()
    assert "that is right" in page
    asked = {"decision": "accept", "seen": SEEN.search(page)[1]}
    reader.post(reverse("conflict-decide", args=[conflict.pk]), asked, **HTMX)
    conflict.refresh_from_db()
    assert conflict.decided_by == ana and conflict.decision == "superseded"
    assert ("Ana", "livesIn", "Lyon") in believed(space)
    assert "that is right" not in reader.get(reverse("conflict", args=[conflict.pk])).content.decode()


def test_reversal_that_breaks_an_axiom_is_refused_with_it(reader, space, ana, spoken):
    learn(space, "Ana | likes | tea.", "Ana | hates | nothing.")
    tea = TripleRecord.objects.get(value="tea")
    denied = triple_correct(triple=tea, value="coffee", by=ana)
    conflict = ConflictRecord.objects.get(old=tea, new=denied)
    learn(space, "Ana | dislikes | tea.")
    before = believed(space)
    asked = {"decision": "reverse"}
    html = reader.post(reverse("conflict-decide", args=[conflict.pk]), asked, **HTMX).content.decode()
    assert "Both cannot be true at once." in html and "You dislike tea." in html
    # The form is still there, as the conflict is now: once the other fact is put right, it can be sent again.
    assert 'role="alert"' in html and f'action="{reverse("conflict-decide", args=[conflict.pk])}"' in html
    assert "Then this holds: You like tea." in html and SEEN.search(html)
    assert believed(space) == before
    conflict.refresh_from_db()
    assert conflict.decision == "superseded"


def test_undo_that_breaks_an_axiom_is_refused_with_it(space, ana, spoken):
    learn(space, "Ana | likes | tea.")
    triple_retract(triple=TripleRecord.objects.get(value="tea"), by=ana)
    edit = last_edit(space)
    learn(space, "Ana | dislikes | tea.")
    before = rows_of(space)
    with pytest.raises(EditRefused, match="Both cannot be true at once"):
        edit_undo(edit=edit, by=ana)
    assert rows_of(space) == before


def test_entity_is_renamed_merged_and_split_from_its_page(reader, space, ana, spoken):
    learn(space, "Tom=Tommy | worksFor | Airbus.", "Max | likes | tea.")
    tom, max_ = EntityRecord.objects.get(label="Tom"), EntityRecord.objects.get(label="Max")
    page = reader.get(reverse("entity", args=[tom.pk])).content.decode()
    seen = SEEN.search(page)[1]
    assert "Tommy" in page and "Tom works for Airbus." in page
    answer = reader.post(reverse("entity-rename", args=[tom.pk]), {"label": "Thomas", "also": "T.", "seen": seen})
    assert answer.status_code == 302
    tom.refresh_from_db()
    assert tom.label == "Thomas"
    stale = reader.post(reverse("entity-rename", args=[tom.pk]), {"label": "Tomas", "also": "TT", "seen": seen})
    html = stale.content.decode()
    assert stale.status_code == 422 and "You changed this meanwhile" in html and 'value="Tomas"' in html
    found = reader.get(reverse("entity", args=[tom.pk]), {"with": "max"}).content.decode()
    assert f'name="entity" value="{max_.pk}"' in found
    reader.post(reverse("entity-merge", args=[tom.pk]), {"entity": max_.pk, "seen": SEEN.search(found)[1]})
    assert ("Thomas", "likes", "tea") in believed(space)
    tea = TripleRecord.objects.get(value="tea")
    asked = {"label": "Thomas", "triple": tea.pk}
    refused = reader.post(reverse("entity-split", args=[tom.pk]), asked)
    assert refused.status_code == 422 and "The new one needs a name of its own." in refused.content.decode()
    assert f'name="triple" value="{tea.pk}" form="split" checked' in refused.content.decode()
    asked = {"label": "Maximilian", "triple": tea.pk, "alias": "Max"}
    assert reader.post(reverse("entity-split", args=[tom.pk]), asked).status_code == 302
    assert ("Maximilian", "likes", "tea") in believed(space)
    page = reverse("entity", args=[tom.pk])
    answer = reader.post(reverse("edit-undo", args=[last_edit(space).pk]), {"back": page})
    assert answer["Location"] == page and ("Thomas", "likes", "tea") in believed(space)


def test_merge_with_anothers_or_nothing_is_refused(reader, space, spoken):
    learn(space, "Tom | worksFor | Airbus.")
    tom = EntityRecord.objects.get(label="Tom")
    stranger = space_create(name="Theirs", owner=User.objects.create_user("cleo"))
    theirs = EntityRecord.objects.create(space=stranger, label="Tom")
    address = reverse("entity-merge", args=[tom.pk])
    assert reader.post(address, {"entity": theirs.pk}).status_code == 404
    for value in ("", "x", "9" * 30, "-1"):
        answer = reader.post(address, {"entity": value})
        assert answer.status_code == 422 and "Choose the other one first." in answer.content.decode()


def test_predicate_is_declared_from_the_list_and_undone(reader, space, spoken):
    learn(space, "Ana | likes | tea.", "Ana | likes | coffee.")
    list_address = reverse("space-triples", args=[space.pk]) + "?predicate=likes"
    assert "may have several values at a time" in reader.get(list_address).content.decode()
    asked = {"predicate": "likes", "values": "one", "back": list_address}
    answer = reader.post(reverse("predicate-declare", args=[space.pk]), asked)
    assert answer["Location"] == list_address
    html = reader.get(list_address).content.decode()
    assert "has one value at a time" in html and "Undo" in html
    assert believed(space) == {("Ana", "likes", "coffee")}
    reader.post(reverse("edit-undo", args=[last_edit(space).pk]), {"back": "https://elsewhere.example/"})
    assert len(believed(space)) == 2 and not PredicateRecord.objects.exists()


def test_a_button_never_leads_out_of_the_product(reader, space, spoken):
    learn(space, "Ana | likes | tea.")
    for back in ("https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example/"):
        asked = {"predicate": "likes", "values": "one", "back": back}
        answer = reader.post(reverse("predicate-declare", args=[space.pk]), asked)
        assert answer["Location"] == reverse("space-triples", args=[space.pk])


def confirmation(client: Client, space: Space, **asked: object):
    return client.get(reverse("memory-forget", args=[space.pk]), asked)


def send(client: Client, space: Space, answer, *, way: int = 0, **more: str):
    context = answer.context
    asked = {"kind": context["kind"], "rows": context["rows"], "seen": context["ways"][way].stamp} | more
    return client.post(reverse("memory-forget", args=[space.pk]), asked)


def test_confirmation_says_exactly_what_goes_and_only_that_goes(reader, space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.", "Ana | livesIn | Lyon.", "Tom | likes | tea.")
    chosen = list(TripleRecord.objects.filter(predicate="livesIn").values_list("pk", flat=True))
    answer = confirmation(reader, space, kind="triples", row=chosen)
    only_facts, with_words = answer.context["ways"]
    assert (len(only_facts.triples), len(only_facts.sentences), only_facts.conflicts) == (2, 0, 1)
    assert (len(with_words.triples), len(with_words.sentences), with_words.speakers) == (2, 2, ("Ana",))
    html = answer.content.decode()
    assert "2 facts, 1 of them replaced already" in html and "1 conflict with what was decided" in html
    assert send(reader, space, answer).status_code == 302
    assert believed(space) == {("Tom", "likes", "tea")}
    assert not ConflictRecord.objects.exists() and SentenceRecord.objects.filter(text__contains="livesIn").count() == 2
    assert not EntityRecord.objects.filter(label="Paris").exists()
    assert last_edit(space).summary == "Forgot 2 facts at once." and last_edit(space).actor == ana
    told = reader.get(reverse("space-triples", args=[space.pk])).content.decode()
    assert re.search(r"Forgotten for good: 2 facts( and \d sentences?)?\.", told)


def test_forgotten_sentences_take_their_words_vectors_and_facts(reader, space, ana, spoken):
    learn(space, "Tom | likes | tea. Ana | livesIn | Paris. Max | likes | rice.")
    turn = Turn.objects.get(text__contains="Paris")
    conversation = Conversation.objects.create(
        space=space, owner=ana, session=turn.session, title=title_from(turn.text)
    )
    paris = SentenceRecord.objects.get(text="Ana | livesIn | Paris.")
    Round.objects.update(statement="Ana lives in Paris.")
    answer = confirmation(reader, space, kind="sentences", row=[paris.pk])
    assert send(reader, space, answer).status_code == 302
    turn.refresh_from_db()
    assert turn.text == f"Tom | likes | tea. {FORGOTTEN_WORDS} Max | likes | rice."
    for sentence in SentenceRecord.objects.filter(turn=turn):
        assert turn.text[sentence.start : sentence.end] == sentence.text
    assert believed(space) == {("Tom", "likes", "tea"), ("Max", "likes", "rice")}
    conversation.refresh_from_db()
    everything = [str(rows) for rows in rows_of(space).values()] + [conversation.title]
    assert not any("Paris" in text for text in everything)
    assert not Turn.objects.filter(search="paris").exists()


def test_what_was_written_by_hand_goes_with_its_fact(space, ana, spoken):
    learn(space, "Ana | livesIn | Paris.")
    lyon = triple_correct(triple=TripleRecord.objects.get(value="Paris"), value="Lyon", by=ana)
    going = what_goes(space, triples=[lyon.pk])
    assert (len(going.triples), len(going.sentences), len(going.rounds)) == (1, 1, 1)
    memory_forget(space=space, by=ana, triples=[lyon.pk])
    assert not any("Lyon" in str(rows) for rows in rows_of(space).values())
    assert not EditRecord.objects.filter(summary__contains="Lyon").exists()
    assert not AliasRecord.objects.filter(text="Lyon").exists()


def test_all_that_a_list_shows_is_bounded_and_more_is_refused(reader, space, spoken, monkeypatch):
    learn(space, *[f"Ana | visited | Town {number}." for number in range(4)], "Tom | likes | tea.")
    monkeypatch.setattr("memory.views.dashboard.forgetting.AT_ONCE", 3)
    monkeypatch.setattr(forget_many, "AT_ONCE", 3)
    answer = confirmation(reader, space, kind="triples", all="yes", predicate="visited")
    assert len(answer.context["ways"][0].triples) == 3 and "At most 3 are forgotten at once" in answer.content.decode()
    everything = list(TripleRecord.objects.values_list("pk", flat=True))
    asked = {"kind": "triples", "rows": ",".join(map(str, everything)), "seen": "x"}
    refused = reader.post(reverse("memory-forget", args=[space.pk]), asked)
    assert refused.status_code == 422 and "At most 3 can be forgotten at once." in refused.content.decode()
    assert TripleRecord.objects.count() == 5
    assert send(reader, space, answer).status_code == 302
    assert TripleRecord.objects.count() == 2


def test_what_changed_since_the_confirmation_is_told_and_nothing_goes(reader, ben, space, spoken):
    learn(space, "Ana | livesIn | Paris.", "Ana | livesIn | Lyon.")
    lyon = TripleRecord.objects.get(value="Lyon")
    answer = confirmation(reader, space, kind="triples", row=[lyon.pk])
    triple_correct(triple=lyon, value="Nantes", by=ben)
    refused = send(reader, space, answer)
    assert (
        refused.status_code == 409 and "This changed meanwhile, and nothing was forgotten." in refused.content.decode()
    )
    assert TripleRecord.objects.filter(pk=lyon.pk).exists()
    assert send(reader, space, refused).status_code == 302
    assert not TripleRecord.objects.filter(pk=lyon.pk).exists()


def test_nothing_goes_without_a_confirmation_nor_of_another_space(reader, ana, space, spoken):
    learn(space, "Ana | livesIn | Paris.")
    fact = TripleRecord.objects.get()
    address = reverse("memory-forget", args=[space.pk])
    assert reader.post(address, {"kind": "triples", "rows": str(fact.pk)}).status_code == 409
    other = space_create(name="Other", owner=ana)
    answer = confirmation(reader, other, kind="triples", row=[fact.pk, "x", "9" * 25, "-3"])
    assert answer.context["ways"] == [] and "Nothing to forget" in answer.content.decode()
    memory_forget(space=other, by=ana, triples=[fact.pk], sentences=[fact.sentence_id])
    assert TripleRecord.objects.filter(pk=fact.pk).exists() and not EditRecord.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_forgetting_that_is_killed_in_the_middle_forgets_nothing(space, ana, spoken, monkeypatch):
    learn(space, *[f"Ana | visited | Town {number}." for number in range(6)])
    before = rows_of(space)
    chosen = list(TripleRecord.objects.values_list("pk", flat=True))

    def killed(*_: object) -> None:
        assert not TripleRecord.objects.filter(pk__in=chosen).exists()
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("select pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as patch:
        patch.setattr(forget_many, "entities_prune", killed)
        with pytest.raises(OperationalError):
            memory_forget(space=space, by=ana, triples=chosen, with_words=True)
    connections.close_all()
    assert rows_of(space) == before and not EditRecord.objects.exists()
    memory_forget(space=space, by=ana, triples=chosen, with_words=True)
    assert not TripleRecord.objects.exists() and "Town" not in str(rows_of(space))
