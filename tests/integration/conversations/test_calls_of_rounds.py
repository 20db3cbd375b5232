"""Remembering a round calls language models too: the calls are steps of the round's own trace, counted once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from conversations.models import Conversation, Reply
from conversations.services import message_edit, message_post, reply_run
from memory import bootstrap
from memory.core.tracing import CallOutcome, ModelCall
from memory.models import MAINTENANCE, MaintenanceState, Round, TraceRecord
from memory.selectors.tracing import ModelUse, maintenance_use, steps_of
from memory.services import maintenance_retry, space_maintain
from tests.fakes.engines import WordByWordResponder, WordEmbedder

pytestmark = pytest.mark.django_db

SILENT = [
    {"when": "these lines state as the JSON object", "reply": {"statement": [], "facts": []}},
    {"when": "(summary|insights) as the JSON object", "reply": {"summary": "", "insights": []}},
    {"when": "conflict as the JSON object", "reply": {"conflicts": []}},
]


@pytest.fixture
def engine(settings, tmp_path: Path, monkeypatch):
    """Return what names an engine that plays a script."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())

    def scripted(name: str, *rules: dict[str, object]) -> str:
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(json.dumps(rule) for rule in rules), encoding="utf-8")
        settings.DSMART_EXTRA_ENGINES = [*settings.DSMART_EXTRA_ENGINES, f"scripted:{path}"]
        return f"scripted:{path}"

    return scripted


def learnt(conversation: Conversation, engine: str) -> Reply:
    conversation.engine = engine
    conversation.save()
    reply = message_post(conversation=conversation, text="I live in Lyon.")
    reply_run(reply_id=reply.pk)
    space_maintain(space_id=conversation.space_id)
    reply.refresh_from_db()
    return reply


def calls(round: Round) -> list[ModelCall]:
    trace = TraceRecord.objects.filter(round=round, part=MAINTENANCE).first()
    return [one.step for one in steps_of(trace)] if trace is not None else []


def test_calls_of_maintenance_are_on_the_round_and_on_no_reply(conversation, answering, engine, ana):
    answering(WordByWordResponder("Noted."))
    reply = learnt(conversation, engine("silent", *SILENT))
    assert reply.round.maintenance == MaintenanceState.DONE, reply.round.maintenance_error
    made = calls(reply.round)
    assert {one.outcome for one in made} == {CallOutcome.ANSWERED} and {one.role for one in made} == {"read_round"}
    used = Round.objects.annotate(use=maintenance_use()).get(pk=reply.round_id).use
    assert ModelUse.of(used) == ModelUse(
        calls=len(made),
        prompt_tokens=sum(one.prompt_tokens for one in made),
        completion_tokens=sum(one.completion_tokens for one in made),
        milliseconds=pytest.approx(sum(one.milliseconds for one in made)),
    )
    client = Client()
    client.force_login(ana)
    [round] = client.get(reverse("api-messages", args=[conversation.pk])).json()
    assert round["maintenance_use"]["calls"] == len(made) and round["reply"]["model_use"]["calls"] == 0
    shown = client.get(reverse("space-timeline", args=[conversation.space_id])).content.decode()
    assert "language model, to remember" in shown and "1 call, " in shown


def test_failed_calls_are_kept_and_a_retry_adds_its_own(conversation, answering, engine):
    answering(WordByWordResponder("Noted."))
    failing = {"when": "these lines state as the JSON object", "error": "unreachable", "times": 1}
    reply = learnt(conversation, engine("failing", failing, *SILENT))
    round = Round.objects.get(pk=reply.round_id)
    assert round.maintenance == MaintenanceState.FAILED
    before = calls(round)
    assert (before[-1].outcome, before[-1].error) == (CallOutcome.FAILED, "ModelUnreachable")
    maintenance_retry(round=round)
    space_maintain(space_id=conversation.space_id)
    after = calls(round)
    assert after[: len(before)] == before and {one.outcome for one in after[len(before) :]} == {CallOutcome.ANSWERED}


def test_round_whose_words_are_taken_back_begins_its_trace_anew(conversation, answering, engine):
    answering(WordByWordResponder("Noted."))
    reply = learnt(conversation, engine("silent", *SILENT))
    assert calls(reply.round)
    message_edit(reply=reply, text="I live in Oslo.")
    assert calls(reply.round) == []
