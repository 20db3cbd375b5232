"""Rounds that a language model reads: in one call, in part where its replies are bad, and never with what nobody said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from memory import bootstrap
from memory.core.types import ConflictRule, Role
from memory.models import ConflictRecord, DigestRecord, MaintenanceState, Round, TripleRecord
from memory.services import maintenance_retry, round_complete, round_open, space_maintain
from memory.services.graph_checks import space_current_triples
from tests.fakes.engines import StopSegmenter, WordEmbedder
from tests.integration.memory.dialogues import new_session

pytestmark = pytest.mark.django_db

SILENT = {"when": "(summary|insights) as the JSON object", "reply": {"summary": "", "insights": []}}
NO_CONFLICT = {"when": "conflict as the JSON object", "reply": "No conflict."}
Teach = Callable[..., Round]


def read(words: str, *facts: dict[str, object], statement: object = ()) -> dict[str, object]:
    """Return the rule that reads a line of these words."""
    return {"when": rf"1\. Ana: {words}", "reply": {"facts": list(facts), "statement": list(statement)}}


def fact(quote: str, predicate: str, value: str, **others: object) -> dict[str, object]:
    return {"sentence": 1, "quote": quote, "subject": "Ana", "predicate": predicate, "object": value} | others


HOME = read(
    "I live in Helsinki",
    fact("I live in Helsinki", "livesIn", "Helsinki", object_kind="Place", valid_from="2015"),
)
FLAT = read(
    "I live in a flat", fact("I live in a flat in Helsinki", "livesIn", "flat in Helsinki", object_kind="Place")
)
PANDA = read("I own a Fiat Panda", fact("I own a Fiat Panda", "owns", "Fiat Panda"))
SOLD = read("Sold the Panda", fact("Sold the Panda", "owns", "Fiat Panda", tense="past"))


@pytest.fixture
def teach(space, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Teach:
    """Return what tells a space something and has it read by an engine that plays these rules."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    monkeypatch.setattr(bootstrap, "segmenter", lambda: StopSegmenter())

    def told(text: str, *rules: dict[str, object]) -> Round:
        path = tmp_path / f"script{len(list(tmp_path.iterdir()))}.jsonl"
        path.write_text("\n".join(json.dumps(rule) for rule in [*rules, SILENT]), encoding="utf-8")
        settings.DSMART_ENGINE = f"scripted:{path}"
        session = new_session(space)
        turn = round_open(session=session, speaker="Ana", role=Role.USER, text=text, said_at=session.started_at)
        round_complete(round=turn.round)
        space_maintain(space_id=space.pk)
        return Round.objects.get(pk=turn.round_id)

    return told


def held(space) -> set[str]:
    rows = TripleRecord.objects.filter(space=space, superseded_at=None).select_related("subject", "object")
    return {f"{row.subject.label} {row.predicate} {row.object or row.value} {row.tense}" for row in rows}


def test_what_ended_in_a_later_session_retires_what_is_known_by_its_own_name(space, teach) -> None:
    teach("I own a Fiat Panda.", PANDA)
    judged = {"when": r"(?s)1\. Ana owns Fiat Panda.*1\. Ana owns Fiat Panda", "reply": {"conflicts": [{"graph": 1}]}}
    shown = {**SOLD, "when": r"(?s)Ana owns a? ?Fiat Panda.*1\. Ana: Sold the Panda"}
    round = teach("Sold the Panda!", shown, judged)
    assert round.maintenance == MaintenanceState.DONE, round.maintenance_error
    assert held(space) == {"Ana owns Fiat Panda past"}


def test_a_model_that_sees_no_conflict_is_not_overruled_by_a_rule_that_knows_less(space, teach, ana) -> None:
    teach("I live in Helsinki.", HOME)
    round = teach("I live in a flat in Helsinki.", FLAT, NO_CONFLICT)
    assert round.maintenance == MaintenanceState.DONE, round.maintenance_error
    assert held(space) == {"Ana livesIn Helsinki present", "Ana livesIn flat in Helsinki present"}
    conflict = ConflictRecord.objects.get()
    assert (conflict.rule, conflict.decision) == (ConflictRule.FUNCTIONAL_VALUE, ConflictRecord.Decision.BOTH)
    assert [triple.object for triple in space_current_triples(space.pk)] == ["flat in Helsinki"]
    client = Client()
    client.force_login(ana)
    page = client.get(reverse("space-conflicts", args=[space.pk])).content.decode()
    assert "Only one of the two can be so at a time." in page and "they go together, so both stand" in page
    assert "<strong>Both stand.</strong>" in page and "so since 2015" in page
    client.post(reverse("conflict-decide", args=[conflict.pk]), {"decision": "accept"})
    assert held(space) == {"Ana livesIn flat in Helsinki present"}


def test_conflicts_that_cannot_be_read_are_left_to_the_rules_and_told(space, teach, ana) -> None:
    teach("I live in Helsinki.", HOME)
    moved = read("I live in Oslo", fact("I live in Oslo", "livesIn", "Oslo", object_kind="Place"))
    bad = {"when": "conflict as the JSON object", "reply": "It moves a home.", "times": 2}
    round = teach("I live in Oslo now.", moved, bad, {"when": "conflict as", "reply": {"conflicts": [1]}})
    assert round.maintenance == MaintenanceState.FAILED and round.maintained_at is not None
    assert round.maintenance_error.startswith("What conflicts was decided by the rules alone.")
    assert held(space) == {"Ana livesIn Oslo present"}
    client = Client()
    client.force_login(ana)
    assert (
        "I could read one of your messages only in part."
        in client.get(reverse("memory-panel", args=[space.pk])).content.decode()
    )
    maintenance_retry(round=round)
    space_maintain(space_id=space.pk)
    round.refresh_from_db()
    assert (round.maintenance, round.maintenance_error) == (MaintenanceState.DONE, "")
    assert held(space) == {"Ana livesIn Oslo present"}
    assert TripleRecord.objects.filter(space=space).count() == 2, "nothing was stored twice"


def test_statement_gives_the_digest_of_facts_without_a_call_of_its_own(space, teach) -> None:
    told = read("I live in Helsinki", statement=[{"sentence": "Ana lives in Helsinki.", "rests_on": 1}])
    teach("I live in Helsinki.", told)
    assert [digest.text for digest in DigestRecord.objects.filter(space=space)] == ["Ana lives in Helsinki."]


def garbage() -> list[str]:
    replies = json.loads((Path(__file__).parents[2] / "data" / "garbage_replies.json").read_text(encoding="utf-8"))
    return replies[:: len(replies) // 30]


@pytest.mark.parametrize("reply", garbage())
def test_no_reply_leaves_anything_that_nobody_said(space, teach, reply: str) -> None:
    said = "My brother Idris moved to Leeds."
    round = teach(said, {"when": "Ana: ", "reply": reply})
    assert round.maintenance in (MaintenanceState.DONE, MaintenanceState.FAILED)
    assert "Something went wrong" not in round.maintenance_error
    for row in TripleRecord.objects.filter(space=space).select_related("subject", "object"):
        ends = (row.subject.label, row.object.label if row.object else row.value)
        words = set(re.findall(r"\w+", f"{said} Ana anything"))
        assert all(words & set(re.findall(r"\w+", end)) for end in ends)
