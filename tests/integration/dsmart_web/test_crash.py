"""A power cut in the middle of a reply and of maintenance: nothing is lost, nothing is doubled, everything ends."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.product import ServedProduct

pytestmark = pytest.mark.slow

NAMES = "Maya Tom Zoe Ben Ada Kim Leo Eva Max Ida Jon Lea Liv Joe Amy".split()
TEXT = "You live in Lyon, and this is a long reply that takes its time to be written word by word."


def until(what: Callable[[], object], seconds: float = 60) -> object:
    """Return the first true value of `what`, asked again and again."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)
    return found


@pytest.fixture
def product(tmp_path: Path):
    script = tmp_path / "slow.jsonl"
    script.write_text(json.dumps({"reply": TEXT, "piece_delay_s": 0.15}) + "\n")
    served = ServedProduct(
        tmp_path / "home", DSMART_EXTRA_ENGINES=f"scripted:{script}", DSMART_LEASE_S="2", DSMART_MEMORY_WAIT_S="1"
    )
    served.engine = f"scripted:{script}"
    served.start()
    yield served
    if served.process.poll() is None:
        served.stop()


def test_power_cut_in_a_reply_and_in_maintenance_loses_and_doubles_nothing(product):
    client = product.client()
    told = client.post("/api/conversations/", json={}).json()
    space = told["space"]
    facts = [f"My friend {name} lives in Lyon." for name in NAMES]
    for index, fact in enumerate(facts):
        posted = client.post(f"/api/conversations/{told['id']}/messages/", json={"text": fact, "key": f"k{index}"})
        assert posted.status_code == 202, posted.text
    slow = client.post("/api/conversations/", json={"space": space, "engine": product.engine}).json()
    reply = client.post(f"/api/conversations/{slow['id']}/messages/", json={"text": "Where do I live?"}).json()["id"]
    until(lambda: "delta" in [event["kind"] for event in events_of(client, reply)])

    product.kill()
    product.start()
    client = product.client()

    again = client.post(f"/api/conversations/{told['id']}/messages/", json={"text": facts[0], "key": "k0"})
    assert again.status_code == 202, "a message that was sent before the cut is known after it"
    finished = until(lambda: (found := client.get(f"/api/replies/{reply}/").json())["state"] == "done" and found)
    assert finished["text"] == TEXT
    numbers = [event["number"] for event in events_of(client, reply)]
    assert numbers == list(range(1, len(numbers) + 1))

    rounds = until(lambda: all_answered(client, told["id"]))
    assert [item["message"] for item in rounds] == facts
    until(lambda: len(homes(client, space)) >= len(facts))
    assert sorted(homes(client, space)) == sorted(NAMES)


def events_of(client: httpx.Client, reply: int) -> list[dict]:
    return client.get(f"/api/replies/{reply}/events/").json()


def all_answered(client: httpx.Client, conversation: int) -> list[dict]:
    rounds = client.get(f"/api/conversations/{conversation}/messages/", params={"limit": 50}).json()
    return rounds if all(item["reply"]["state"] == "done" for item in rounds) else []


def homes(client: httpx.Client, space: int) -> list[str]:
    """Return who lives in Lyon, one entry a triple."""
    page = client.get(f"/api/spaces/{space}/triples/", params={"predicate": "livesIn", "status": "all"}).json()
    assert page["next"] is None
    return [item["subject"]["label"] for item in page["results"]]
