"""What a load balancer and a monitor are told: how much waits and for how long, and nothing of anybody."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.utils import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from conversations.models import Reply
from conversations.services import conversation_create, message_post
from evaluation.models import TurnScore
from memory.models import MaintenanceState, OutboxRecord, Round
from memory.services import space_personal

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-the-monitor"


@pytest.fixture
def waiting(db) -> None:
    """Two replies that wait, of which one for a minute; a round to learn; a turn to score; what is promised of them."""
    ana = User.objects.create_user("ana", first_name="Ana")
    conversation = conversation_create(owner=ana, space=space_personal(user=ana))
    first, _ = [message_post(conversation=conversation, text=text) for text in ("My secret", "Another secret")]
    Reply.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(minutes=1))
    Round.objects.filter(pk=first.round_id).update(
        maintenance=MaintenanceState.PENDING, created_at=timezone.now() - timedelta(minutes=2)
    )
    turn = first.round.turns.get()
    TurnScore.objects.create(space=turn.space, session=turn.session, turn=turn, strategy="any")


def figures(text: str) -> dict[tuple[str, str], float]:
    """Return the samples of a text in Prometheus' format, as its own parser reads them."""
    families = text_string_to_metric_families(text)
    samples = [sample for family in families for sample in family.samples if family.name.startswith("dsmart_queue")]
    return {(sample.name, sample.labels["queue"]): sample.value for sample in samples}


def test_health_tells_the_length_of_each_queue_and_the_age_of_its_oldest(client, waiting, django_assert_num_queries):
    with django_assert_num_queries(5):
        answer = client.get("/healthz")
    told = answer.json()
    assert answer.status_code == 200 and told["status"] == "ok"
    assert {name: queue["length"] for name, queue in told["queues"].items()} == {
        "reply": 2, "maintenance": 1, "imports": 0, "evaluation": 1, "outbox": OutboxRecord.objects.count(),
    }  # fmt: skip
    ages = {name: round(queue["oldest_s"] / 60) for name, queue in told["queues"].items()}
    assert ages == {"reply": 1, "maintenance": 2, "imports": 0, "evaluation": 0, "outbox": 0}


def test_health_without_a_database_is_503(client, monkeypatch):
    def broken(*arguments: object, **named: object) -> None:
        raise OperationalError("no server")

    with connection.execute_wrapper(broken):
        answer = client.get("/healthz")
        told = client.get("/metrics", headers={"Authorization": "Bearer x"})
    assert (answer.status_code, answer.json()) == (503, {"status": "no database"})
    assert told.status_code == 401


def test_metrics_are_those_of_the_database_in_prometheus_own_format(client, waiting, settings):
    settings.DSMART_METRICS_TOKEN = TOKEN
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/plain; version=")
    told = figures(answer.content.decode())
    assert told["dsmart_queue_length", "reply"] == 2 and told["dsmart_queue_length", "evaluation"] == 1
    assert 60 <= told["dsmart_queue_oldest_seconds", "reply"] < 90
    assert {queue for _, queue in told} == {"reply", "maintenance", "imports", "evaluation", "outbox"}
    words = answer.content.decode().lower()
    assert "secret" not in words and "ana" not in words
    Reply.objects.all().delete()
    later = figures(client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode())
    assert (later["dsmart_queue_length", "reply"], later["dsmart_queue_oldest_seconds", "reply"]) == (0, 0)


@pytest.mark.parametrize("given", [None, "Bearer ", "Bearer another", TOKEN, f"Basic {TOKEN}", "Bearer ünlike"])
def test_metrics_are_for_who_bears_the_token(client, settings, given):
    settings.DSMART_METRICS_TOKEN = TOKEN
    answer = client.get("/metrics", headers={} if given is None else {"Authorization": given})
    assert answer.status_code == 401 and b"dsmart_queue" not in answer.content


def test_metrics_without_a_token_are_for_administrators(db, settings):
    settings.DSMART_METRICS_TOKEN = ""
    for person, status in (
        (User.objects.create_user("ana"), 401),
        (User.objects.create_user("root", is_staff=True), 200),
    ):
        client = Client()
        client.force_login(person)
        assert client.get("/metrics").status_code == status
        assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == status
