"""A strong model at a real server's protocol: what fails there costs no fact that was readable, and a button mends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.services.replay import file_replay
from memory import bootstrap
from memory.adapters.language_models.request_form import StructuredOutput
from memory.adapters.language_models.scripted import read_script
from memory.adapters.language_models.scripted_server import Fault, ScriptedServer, ServerConfig
from memory.models import MaintenanceState, Round, TripleRecord
from memory.services import space_maintain
from tests.fakes.engines import WordEmbedder

pytestmark = pytest.mark.django_db
FILE = Path(__file__).resolve().parents[2] / "data" / "model_loop.jsonl"
CASE = "ends-fiat-panda"
WAIT = Fault(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "0"})
DEAD = Fault(hangs_up=True)


@pytest.fixture
def served(settings, monkeypatch: pytest.MonkeyPatch):
    """Return what replays one conversation by a server, and gives its space."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())

    def replay(owner, server: ScriptedServer, *, name: str):
        settings.DSMART_HTTP_BASE_URL = server.base_url
        settings.DSMART_EXTRA_ENGINES = ["http:scripted"]
        bootstrap.reset()
        [space] = file_replay(
            path=FILE, owner=owner, only=CASE, engine="http:scripted", space_name=name, quiet=True
        ).spaces
        return space

    yield replay
    bootstrap.reset()


def known(space) -> set[tuple[str, str, str, bool]]:
    rows = TripleRecord.objects.filter(space=space).select_related("subject", "object")
    return {
        (one.subject.label, one.predicate, one.object.label if one.object else one.value, one.superseded_at is None)
        for one in rows
    }


@pytest.mark.parametrize(
    ("structured", "faults"),
    [
        (StructuredOutput.NONE, ()),
        (StructuredOutput.JSON_OBJECT, ()),
        (StructuredOutput.JSON_SCHEMA, (WAIT, WAIT)),
        (StructuredOutput.JSON_SCHEMA, (Fault(status=503), DEAD)),
    ],
)
def test_what_a_server_refuses_or_delays_costs_nothing(owner, served, structured, faults) -> None:
    rules = read_script(FILE)
    with ScriptedServer(rules) as server:
        whole = known(served(owner, server, name="whole"))
    assert whole
    with ScriptedServer(rules, config=ServerConfig(structured_output=structured), faults=faults) as server:
        space = served(owner, server, name="faulty")
        assert known(space) == whole
    assert {round.maintenance for round in Round.objects.filter(space=space)} == {MaintenanceState.DONE}


def test_a_server_that_dies_is_told_on_the_page_whose_button_mends_it(owner, served, settings) -> None:
    rules = read_script(FILE)
    with ScriptedServer(rules) as server:
        whole = known(served(owner, server, name="whole"))
    with ScriptedServer(rules, faults=[DEAD] * 200) as server:
        space = served(owner, server, name="dead")
        failed = list(Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED))
        assert failed
        client = Client()
        client.force_login(owner)
        page = client.get(reverse("memory-panel", args=[space.pk])).content.decode()
    assert "I could not read one of your messages into memory." in page and "Retry" in page
    with ScriptedServer(rules) as server:
        settings.DSMART_HTTP_BASE_URL = server.base_url
        bootstrap.reset()
        for round in failed:
            client.post(reverse("maintenance-retry", args=[round.pk]))
        space_maintain(space_id=space.pk)
    assert known(space) == whole
    assert not Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED).exists()
