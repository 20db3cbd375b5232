"""The margin and the pages of facts and sentences: what they show, whose they are, and what they cost."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.core.types import Axiom, Fact, Modality, Node, Span, Triple, Violation
from memory.models import ConflictRecord, EditRecord, MaintenanceState, Round, SentenceRecord, Space, TripleRecord
from memory.services import space_maintain
from memory.services.held_fragments import fragment_hold
from memory.stores import triples_of
from memory.views.margin import JUST_NOW
from tests.fakes.engines import LivesInExtractor
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


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


@pytest.fixture
def moved(space: Space, extractor: LivesInExtractor) -> Space:
    """A memory in which Lyon has replaced Paris."""
    say(new_session(space), "Hello. I live in Paris. It rains.", "Now I live in Lyon.")
    space_maintain(space_id=space.pk)
    return space


def panel(client: Client, space: Space, **asked: object) -> str:
    return client.get(reverse("memory-panel", args=[space.pk]), asked, **HTMX).content.decode()


def test_panel_shows_what_holds_and_strikes_what_was_replaced_with_the_conflict_beside_it(reader, moved):
    html = panel(reader, moved)
    old, new = TripleRecord.objects.get(value="Paris"), TripleRecord.objects.get(value="Lyon")
    assert "<s>You live in Paris.</s>" in html
    assert "You live in Lyon." in html
    assert "was replaced by" in html and "Only one of the two can be so at a time." in html
    assert reverse("sentence", args=[old.sentence_id]) in html
    assert reverse("sentence", args=[new.sentence_id]) in html


def test_empty_panel_teaches_with_one_sentence(reader, space):
    assert "I know nothing about you yet." in panel(reader, space)


def test_panel_is_a_page_of_its_own_without_script(reader, moved):
    html = reader.get(reverse("memory-panel", args=[moved.pk])).content.decode()
    assert "<html" in html and "You live in Lyon." in html


def test_round_that_could_not_be_read_is_shown_with_its_reason_and_can_be_retried(reader, space, extractor):
    [failed] = say(new_session(space), "I live in Paris.")
    Round.objects.filter(pk=failed.pk).update(
        maintenance=MaintenanceState.FAILED, maintenance_error="The model is gone."
    )
    assert "The model is gone." in panel(reader, space)
    html = reader.post(reverse("maintenance-retry", args=[failed.pk]), **HTMX).content.decode()
    assert "The model is gone." not in html and "Reading what was said" in html
    failed.refresh_from_db()
    assert failed.maintenance == MaintenanceState.PENDING


def test_panel_is_paged_and_costs_a_bounded_number_of_queries(reader, space, extractor, django_assert_max_num_queries):
    names = "one two three four five six seven eight nine ten eleven twelve".split()
    say(new_session(space), *[f"I do not live in {name}." for name in names])
    space_maintain(space_id=space.pk)
    with django_assert_max_num_queries(6):
        html = panel(reader, space)
    assert html.count('class="fact"') == len(names)
    assert "Show more" not in html
    assert panel(reader, space, limit="10000'--").count('class="fact"') == len(names)


def test_sentence_page_marks_the_words_among_their_neighbours(reader, moved):
    sentence = SentenceRecord.objects.get(text="I live in Paris.")
    html = reader.get(reverse("sentence", args=[sentence.pk])).content.decode()
    assert '<mark id="sentence">I live in Paris.</mark>' in html
    assert "Hello. " in html and "It rains." in html
    assert "Noted." in html
    assert "You live in Paris." in html


def test_triple_page_tells_its_history(reader, moved):
    old = TripleRecord.objects.get(value="Paris")
    html = reader.get(reverse("triple", args=[old.pk])).content.decode()
    assert "Believed until" in html and "You live in Lyon." in html


def test_fact_is_forgotten_in_place_and_the_margin_is_told(reader, moved):
    fact = TripleRecord.objects.get(value="Lyon")
    answer = reader.post(reverse("triple-forget", args=[fact.pk]), **HTMX)
    assert "memory-changed" in answer["HX-Trigger-After-Settle"]
    assert not TripleRecord.objects.filter(value="Lyon").exists()


def test_fact_is_corrected_in_place(reader, moved):
    fact = TripleRecord.objects.get(value="Lyon")
    html = reader.post(reverse("triple-correct", args=[fact.pk]), {"value": "Nantes"}, **HTMX).content.decode()
    assert "You live in Nantes." in html
    fact.refresh_from_db()
    assert fact.superseded_by.value == "Nantes"
    assert "You corrected it." in panel(reader, moved)


def test_correction_without_words_is_refused_in_place(reader, moved):
    fact = TripleRecord.objects.get(value="Lyon")
    html = reader.post(
        reverse("triple-correct", args=[fact.pk]), {"value": " ", "place": "margin"}, **HTMX
    ).content.decode()
    assert "Write what is right." in html
    fact.refresh_from_db()
    assert fact.superseded_at is None


def test_memory_of_another_is_not_found(stranger, moved):
    fact, [first, *_] = TripleRecord.objects.get(value="Lyon"), Round.objects.all()
    assert stranger.get(reverse("memory-panel", args=[moved.pk])).status_code == 404
    assert stranger.get(reverse("triple", args=[fact.pk])).status_code == 404
    assert stranger.get(reverse("sentence", args=[fact.sentence_id])).status_code == 404
    assert stranger.post(reverse("triple-forget", args=[fact.pk])).status_code == 404
    assert stranger.post(reverse("triple-correct", args=[fact.pk]), {"value": "Rome"}).status_code == 404
    assert stranger.post(reverse("maintenance-retry", args=[first.pk])).status_code == 404
    assert TripleRecord.objects.filter(value="Lyon", superseded_at=None).exists()


def test_facts_are_not_changed_by_a_get(reader, moved):
    fact = TripleRecord.objects.get(value="Lyon")
    assert reader.get(reverse("triple-forget", args=[fact.pk])).status_code == 405
    assert reader.get(reverse("triple-correct", args=[fact.pk])).status_code == 405


def test_wrong_fact_counts_no_more_and_is_undone_in_place(reader, moved):
    fact = TripleRecord.objects.get(value="Lyon")
    html = reader.post(reverse("triple-retract", args=[fact.pk]), **HTMX).content.decode()
    assert "I do not count on this any more: You live in Lyon." in " ".join(html.split())
    fact.refresh_from_db()
    assert fact.superseded_at is not None and fact.superseded_by is None
    assert "does not count any more, since" in panel(reader, moved)
    edit = EditRecord.objects.get()
    assert reverse("edit-undo", args=[edit.pk]) in html
    answer = reader.post(reverse("edit-undo", args=[edit.pk]), **HTMX)
    assert "Undone." in answer.content.decode() and "memory-changed" in answer["HX-Trigger-After-Settle"]
    fact.refresh_from_db()
    assert fact.superseded_at is None


def test_change_by_hand_is_offered_for_undoing_in_the_margin_for_a_while(reader, moved):
    assert "Undo" not in panel(reader, moved)
    fact = TripleRecord.objects.get(value="Lyon")
    reader.post(reverse("triple-correct", args=[fact.pk]), {"value": "Nantes"}, **HTMX)
    edit = EditRecord.objects.get()
    html = panel(reader, moved)
    assert f'id="edit-{edit.pk}"' in html and edit.summary.split("“")[0] in html
    EditRecord.objects.update(created_at=edit.created_at - JUST_NOW)
    assert "Undo" not in panel(reader, moved)


def test_what_is_forgotten_is_not_offered_for_undoing(reader, moved):
    reader.post(reverse("triple-forget", args=[TripleRecord.objects.get(value="Lyon").pk]), **HTMX)
    assert EditRecord.objects.get().kind == EditRecord.Kind.FORGET
    assert "Undo" not in panel(reader, moved)


def test_correction_without_script_leads_to_a_page_that_undoes_it(reader, moved):
    fact = TripleRecord.objects.get(value="Lyon")
    page = reader.post(reverse("triple-correct", args=[fact.pk]), {"value": "Nantes"}, follow=True).content.decode()
    edit = EditRecord.objects.get()
    assert "Changed by hand" in page and reverse("edit-undo", args=[edit.pk]) in page and "hx-post" not in page
    nantes = TripleRecord.objects.get(value="Nantes")
    answer = reader.post(reverse("edit-undo", args=[edit.pk]), {"back": str(nantes.pk)}, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("memory-panel", args=[moved.pk])
    assert "Everything is as it was before." in answer.content.decode()
    assert not TripleRecord.objects.filter(value="Nantes").exists()
    again = reader.post(reverse("edit-undo", args=[edit.pk]), {"back": str(fact.pk)}, follow=True)
    assert again.redirect_chain[-1][0] == reverse("triple", args=[fact.pk])
    assert "This was undone already." in again.content.decode()


def test_correction_to_the_same_changes_nothing_and_offers_no_undo(reader, moved):
    fact = TripleRecord.objects.get(value="Lyon")
    html = reader.post(reverse("triple-correct", args=[fact.pk]), {"value": "lyon"}, **HTMX).content.decode()
    assert "That is what I remember already:" in html and "Undo" not in html
    assert not EditRecord.objects.exists()


def test_conflict_is_decided_otherwise_and_undone(reader, moved):
    conflict = ConflictRecord.objects.get()
    assert reverse("conflict-decide", args=[conflict.pk]) in panel(reader, moved)
    html = reader.post(reverse("conflict-decide", args=[conflict.pk]), {"decision": "reverse"}, **HTMX).content.decode()
    assert "This holds: You live in Paris." in " ".join(html.split())
    shown = panel(reader, moved)
    assert "stays, although it was also said:" in shown and "You decided so." in shown
    assert 'name="decision" value="accept"' in shown
    decided = EditRecord.objects.get()
    paris = TripleRecord.objects.get(value="Paris")
    reader.post(reverse("triple-retract", args=[paris.pk]), **HTMX)
    assert "stayed then, although it was also said:" in panel(reader, moved)
    reader.post(reverse("edit-undo", args=[EditRecord.objects.latest("pk").pk]), **HTMX)
    reader.post(reverse("edit-undo", args=[decided.pk]), **HTMX)
    assert TripleRecord.objects.get(superseded_at=None).value == "Lyon"


def test_conflict_whose_sides_hold_no_more_is_not_offered_and_refused_in_words(reader, moved):
    reader.post(reverse("triple-retract", args=[TripleRecord.objects.get(value="Lyon").pk]), **HTMX)
    address = reverse("conflict-decide", args=[ConflictRecord.objects.get().pk])
    assert address not in panel(reader, moved)
    html = reader.post(address, {"decision": "reverse"}, **HTMX).content.decode()
    assert 'role="alert"' in html and "Neither of the two holds now" in html
    assert reader.post(address, {"decision": "neither"}).status_code == 400


def test_reason_tells_whose_word_counted(reader, moved):
    assert "Only one of the two can be so at a time. What was said last counts." in panel(reader, moved)
    ConflictRecord.objects.update(decision=ConflictRecord.Decision.KEPT)
    assert "most what they say of themselves" in panel(reader, moved)
    conflict = ConflictRecord.objects.get()
    TripleRecord.objects.filter(pk=conflict.old_id).update(said_at=conflict.new.said_at + JUST_NOW)
    assert "What was said last counts." in panel(reader, moved)
    ConflictRecord.objects.update(decision=ConflictRecord.Decision.SUPERSEDED)
    assert "most what they say of themselves" in panel(reader, moved)


def test_what_others_say_stands_apart_from_what_holds(reader, moved):
    TripleRecord.objects.filter(value="Lyon").update(modality=Modality.REPORTED, attributed_to="Tom")
    known, told = panel(reader, moved).split("Said, but not as a fact")
    assert "as Tom says; kept as that, not taken for a fact" in told and "You live in Lyon." in told
    assert '<p class="fact-words">You live in Lyon.</p>' not in known


def test_fact_that_was_overruled_from_the_start_is_not_called_believed(reader, moved):
    old = TripleRecord.objects.get(value="Paris")
    TripleRecord.objects.filter(pk=old.pk).update(superseded_at=old.recorded_at)
    html = reader.get(reverse("triple", args=[old.pk])).content.decode()
    assert "never believed" in html and "Believed until" not in html


def test_what_was_held_back_is_told_to_the_reader_on_the_margin_and_with_its_sentence(
    reader, moved, django_assert_max_num_queries
):
    sentence = SentenceRecord.objects.get(text="Hello.")
    [lyon] = triples_of(TripleRecord.objects.filter(value="Lyon"))
    for _ in range(3):
        hold(sentence, lyon, axiom=Axiom.FUNCTIONAL)
    words = " ".join(panel(reader, moved).split())
    assert "You live in Rome." in words and "Ana" not in words
    assert f'It clashes with: <a href="{reverse("triple", args=[lyon.id])}">You live in Lyon.</a>' in words
    with django_assert_max_num_queries(8):
        page = reader.get(reverse("sentence", args=[sentence.pk])).content.decode()
    assert "You live in Rome." in page and "was not taken over" in page and "No fact was read" not in page


def hold(sentence: SentenceRecord, against: Triple, *, axiom: Axiom) -> None:
    fact = Fact(Node("Ana", is_speaker=True), "livesIn", Node("Rome"), Span(0, 5))
    violation = Violation(axiom, terms=("livesIn",), triples=(fact, against))
    fragment_hold(round=sentence.turn.round, sentence=sentence, facts=[fact], violations=[violation])


def test_pages_of_a_fact_and_of_the_margin_after_an_edit_cost_a_bounded_number_of_queries(
    reader, moved, django_assert_max_num_queries
):
    fact = TripleRecord.objects.get(value="Lyon")
    for value in ("Nantes", "Brest", "Lille"):
        reader.post(reverse("triple-correct", args=[fact.pk]), {"value": value}, **HTMX)
        fact = TripleRecord.objects.get(superseded_at=None)
    with django_assert_max_num_queries(5):
        page = reader.get(reverse("triple", args=[fact.pk])).content.decode()
    assert "Changed by hand" in page
    with django_assert_max_num_queries(8):
        panel(reader, moved)


def test_changes_by_hand_of_another_are_not_found(reader, stranger, moved):
    fact, conflict = TripleRecord.objects.get(value="Lyon"), ConflictRecord.objects.get()
    reader.post(reverse("triple-correct", args=[fact.pk]), {"value": "Nantes"}, **HTMX)
    edit = EditRecord.objects.get()
    assert stranger.post(reverse("triple-retract", args=[fact.pk])).status_code == 404
    assert stranger.post(reverse("conflict-decide", args=[conflict.pk]), {"decision": "reverse"}).status_code == 404
    assert stranger.post(reverse("edit-undo", args=[edit.pk])).status_code == 404
    for name, key in (("triple-retract", fact.pk), ("conflict-decide", conflict.pk), ("edit-undo", edit.pk)):
        assert reader.get(reverse(name, args=[key])).status_code == 405
    edit.refresh_from_db()
    assert edit.undone_at is None and TripleRecord.objects.get(superseded_at=None).value == "Nantes"
