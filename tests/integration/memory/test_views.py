"""The margin and the pages of facts and sentences: what they show, whose they are, and what they cost."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.models import MaintenanceState, Round, SentenceRecord, Space, TripleRecord
from memory.services import space_maintain
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
