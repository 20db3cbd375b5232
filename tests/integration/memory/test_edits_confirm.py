"""Facts that were read unsurely: nothing rests on them before a person says yes."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.core.types import Modality
from memory.models import Session, Space, TripleRecord
from memory.services import space_create
from memory.services.edits.audit import EditRefused
from memory.services.edits.confirm import triple_confirm
from memory.services.edits.correct import triple_retract
from memory.services.edits.stamps import EditOutdated, triple_stamp
from memory.services.edits.undo import edit_undo
from memory.stores import current_graph
from tests.integration.memory.api import client_of
from tests.integration.memory.by_hand import believed, last_edit, rows_of
from tests.integration.memory.graphs import START, entity, spoken, triple

pytestmark = pytest.mark.django_db


@pytest.fixture
def space(ana: User) -> Space:
    return space_create(name="A memory", owner=ana)


@pytest.fixture
def told(space: Space) -> dict[str, TripleRecord]:
    """Ana lives in Paris, and perhaps, as was said later, in Lyon."""
    session = Session.objects.create(space=space, started_at=START)
    you = entity(space, "Ana", is_speaker=True, kind="Person")
    sure = triple(spoken(session, "I live in Paris."), you, "livesIn", entity(space, "Paris", kind="Place"))
    lyon = entity(space, "Lyon", kind="Place")
    unsure = triple(spoken(session, "Lyon it is."), you, "livesIn", lyon, modality=Modality.UNSURE, confidence=0.5)
    return {"sure": sure, "unsure": unsure}


def test_unsure_fact_is_no_part_of_the_graph_until_it_was_meant(ana, space, told):
    assert [one.object for one in current_graph(space.pk)] == ["Paris"]
    before = rows_of(space)
    confirmed = triple_confirm(triple=told["unsure"], by=ana)
    assert (confirmed.modality, confirmed.confidence, confirmed.sentence.text) == ("asserted", 1.0, "Lyon it is.")
    assert [one.object for one in current_graph(space.pk)] == ["Lyon"]
    assert TripleRecord.objects.get(pk=told["sure"].pk).superseded_by == confirmed
    edit = last_edit(space)
    assert edit.summary == "Said that this was meant: “Ana lives in Lyon”."
    edit_undo(edit=edit, by=ana)
    assert rows_of(space) == before


def test_unsure_fact_that_was_not_meant_is_gone_and_stays_so(ana, space, told):
    triple_retract(triple=told["unsure"], by=ana)
    assert believed(space) == {("Ana", "livesIn", "Paris")}
    with pytest.raises(EditRefused, match="decided meanwhile"):
        triple_confirm(triple=told["unsure"], by=ana)


def test_sure_fact_is_not_confirmed_and_what_changed_meanwhile_is_looked_at_again(ana, told):
    with pytest.raises(EditRefused, match="decided meanwhile"):
        triple_confirm(triple=told["sure"], by=ana)
    seen = triple_stamp(told["unsure"])
    triple_retract(triple=told["unsure"], by=ana)
    with pytest.raises(EditOutdated):
        triple_confirm(triple=told["unsure"], by=ana, seen=seen)


def test_margin_asks_and_a_yes_is_noted(ana, space, told):
    client = Client()
    client.force_login(ana)
    panel = client.get(reverse("memory-panel", args=[space.pk]), HTTP_HX_REQUEST="true").content.decode()
    asked, _, known = panel.partition('id="held-facts"')
    assert "Did you mean this?" in asked
    assert f'id="unsure-{told["unsure"].pk}"' in asked
    assert f'id="fact-{told["unsure"].pk}"' not in known
    reply = client.post(reverse("triple-confirm", args=[told["unsure"].pk]), HTTP_HX_REQUEST="true")
    assert "Noted:" in reply.content.decode()
    assert "Did you mean this?" not in client.get(reverse("memory-panel", args=[space.pk])).content.decode()
    page = client.post(reverse("triple-confirm", args=[told["sure"].pk]))
    assert (page.status_code, "This was decided meanwhile." in page.content.decode()) == (422, True)


def test_fact_is_confirmed_over_the_api_by_its_own_people_alone(ana, space, told):
    address = reverse("api-triple-confirm", args=[told["unsure"].pk])
    stranger = User.objects.create_user("eve")
    assert client_of(stranger).post(address).status_code == 404
    assert client_of(ana).post(address).json()["modality"] == "asserted"
    assert client_of(ana).post(address).status_code == 409
