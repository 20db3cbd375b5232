"""Traces of any kind: a new kind needs a file and a view, long traces are read by pages, calls are counted once."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import ClassVar

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from conversations.core.tracing.answered import Answered
from conversations.core.tracing.retrieval import Retrieved
from conversations.core.tracing.stage import Stage
from conversations.core.types import Delta, Query, ReplyPart
from conversations.models import Reply, ReplyState, ReplyTrace
from conversations.services import conversation_create, conversation_export, message_post, reply_run, reply_stop
from conversations.services.trace import new_trace
from evaluation.management.commands import ask as ask_command
from memory.adapters.language_models.scripted import Rule, ScriptedLanguageModel
from memory.core.tracing import CallOutcome, ModelCall, TraceStep, TripleIds, Words, as_role
from memory.core.types import Prompt, Retrieval, SamplingConfig, ScoredUnit, Unit
from memory.core.types.language_models import Message, MessageRole
from memory.models import SentenceRecord, StepRecord, TripleRecord
from memory.selectors.tracing import steps_of
from memory.services import triple_forget
from memory.services.edits.forget_many import memory_forget
from memory.services.tracing import TraceWriter
from memory.trace_views.base import StepView
from tests.fakes.searching import SearchingResponder, call
from tests.integration.conversations.searches import fact

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Dream(TraceStep):
    kind: ClassVar[str] = "test_dream"

    sheep: int
    of: TripleIds = ()
    about: Words = ""


class DreamView(StepView[Dream]):
    kind = Dream

    def lines(self, shown: Dream) -> list[str]:
        return [f"Dreamt of {shown.sheep} sheep"]


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def ask(conversation, text: str = "What did you dream?") -> Reply:
    reply = message_post(conversation=conversation, text=text)
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    return reply


def steps(reply: Reply) -> list[TraceStep]:
    return [one.step for one in steps_of(ReplyTrace.objects.get(reply=reply))]


def test_new_kind_needs_its_file_and_its_view_and_nothing_else(
    reader, conversation, answering, settings, tmp_path: Path, monkeypatch
):
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace/test_dream.html").write_text("<p>Dreamt of {{ shown.sheep }} sheep, {{ shown.about }}</p>")
    [engine] = settings.TEMPLATES
    settings.TEMPLATES = [{**engine, "DIRS": [tmp_path, *engine["DIRS"]]}]
    said = conversation_create(owner=conversation.owner, space=conversation.space, title="Before")
    dolly = fact(said.session, "Dolly", "isIn", "Roslin")
    dream = Dream(3, of=(dolly.id,), about="counted Dolly twice")
    answering(SearchingResponder(dream))

    reply = ask(conversation)
    address = reverse("reply-reasoning", args=[reply.pk])
    assert steps(reply) == [dream, Answered(text="Yes.")]
    assert "<p>Dreamt of 3 sheep, counted Dolly twice</p>" in reader.get(address).content.decode()
    stored = {"sheep": 3, "of": [dolly.id], "about": "counted Dolly twice"}
    told = {"number": 1, "kind": "test_dream", "data": stored}
    words = {"question": "", "asked": "", "missing": [], "text": "Yes."}
    grounds = {"outcome": None, "settled_in": None, "triples": [], "sentences": []}
    answered = {"number": 2, "kind": "answer", "data": words | grounds}
    assert reader.get(reverse("api-reply-trace", args=[reply.pk])).json() == [told, answered]
    exported = json.loads(conversation_export(conversation=conversation, format="json"))
    assert [turn["trace"] for turn in exported["turns"]] == [[], [told, answered]]
    assert (
        "What did you dream?" in reader.get(reverse("space-reasoning", args=[conversation.space_id])).content.decode()
    )

    monkeypatch.setattr(ask_command, "owner_account", lambda: conversation.owner)
    out, as_json = StringIO(), StringIO()
    call_command("ask", "What did you dream?", space=conversation.space.name, trace=True, stdout=out)
    call_command("ask", "What?", space=conversation.space.name, trace=True, json=True, stdout=as_json)
    assert out.getvalue().splitlines() == ["Yes.", "", "Dreamt of 3 sheep", "Answered: Yes."]
    data = json.loads(as_json.getvalue())
    assert (data["trace"], data["trace_text"]) == ([told, answered], ["Dreamt of 3 sheep", "Answered: Yes."])

    triple_forget(triple=TripleRecord.objects.get(pk=dolly.id))
    assert steps(reply) == [Dream(3, of=(dolly.id,)), Answered()]
    assert "Dreamt of 3 sheep, </p>" in reader.get(address).content.decode()


def test_ten_thousand_steps_are_read_by_pages(reader, conversation, django_assert_max_num_queries):
    reply = message_post(conversation=conversation, text="Count.")
    TraceWriter(new_trace(reply)).store([call("count", 2, 1) for _ in range(10_000)])
    Reply.objects.filter(pk=reply.pk).update(state=ReplyState.DONE)
    address = reverse("reply-reasoning", args=[reply.pk])
    with django_assert_max_num_queries(12), CaptureQueriesContext(connection) as counted:
        html = reader.get(address).content.decode()
    assert html.count("<tr>") == 201, "the head and 200 calls"
    assert "10000 " in html and f'href="{address}?after=200"' in html
    reads = [one["sql"] for one in counted if one["sql"].startswith('SELECT "memory_steprecord"."id"')]
    assert len(reads) == 1 and "LIMIT 201" in reads[0]
    last = reader.get(address, {"after": 9_900}).content.decode()
    assert last.count("<tr>") == 101 and "Later steps" not in last and "After step 9900." in last
    api = reverse("api-reply-trace", args=[reply.pk])
    with django_assert_max_num_queries(12):
        page = reader.get(api, {"after": 200}).json()
    assert [one["number"] for one in page] == list(range(201, 401))


def test_steps_are_stored_with_the_same_queries_however_many_they_are(conversation):
    def queries(count: int) -> int:
        writer = TraceWriter(new_trace(message_post(conversation=conversation, text=f"Count to {count}.")))
        with CaptureQueriesContext(connection) as counted:
            writer.store([call() for _ in range(count)])
        return len(counted)

    assert queries(1) == queries(500) <= 3


def test_retrieval_keeps_ids_and_scores_and_says_what_is_forgotten_since(reader, conversation, answering):
    said = conversation_create(owner=conversation.owner, space=conversation.space, title="Before")
    kept = fact(said.session, "Maya", "worksFor", "Airbus").source
    gone = fact(said.session, "Maya", "isIn", "Toulouse").source
    found = tuple(ScoredUnit(Unit.SENTENCE, one.id, 0.5) for one in (kept, gone))
    answering(SearchingResponder(Retrieved("Where is Maya?", Retrieval(sentences=found))))
    reply = ask(conversation, "Where is Maya?")
    row = StepRecord.objects.get(kind="retrieval")
    assert row.words == {"question": "Where is Maya?"} and "Airbus" not in str(row.figures)
    address = reverse("reply-reasoning", args=[reply.pk])
    html = reader.get(address).content.decode()
    assert "Maya worksFor Airbus." in html and "Maya isIn Toulouse." in html
    memory_forget(space=conversation.space, by=conversation.owner, sentences=[gone.id])
    html = reader.get(address).content.decode()
    assert "Maya worksFor Airbus." in html and "Toulouse" not in html and "forgotten since" in html


def test_question_in_a_trace_goes_with_its_words_in_the_message(conversation, answering):
    answering(SearchingResponder(Retrieved("Is Xanadu far?", Retrieval())))
    reply = ask(conversation, "Is Xanadu far?")
    turn = reply.round.turns.get(role="user")
    sentence = SentenceRecord.objects.create(
        space=turn.space, turn=turn, index=0, start=0, end=len(turn.text), text=turn.text
    )
    memory_forget(space=conversation.space, by=conversation.owner, sentences=[sentence.pk])
    assert steps(reply) == [Retrieved("", Retrieval()), Answered()]
    assert "Xanadu" not in str(list(StepRecord.objects.values_list("figures", "words")))


class Writing:
    """Writes with a model, from an empty prompt; `between` is called before each piece."""

    name = "writing"

    def __init__(self, *rules: Rule, between=lambda index: None) -> None:
        self.model = as_role(ScriptedLanguageModel.of_rules(rules), "write_answer", clock=lambda: 0.0)
        self.between = between

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("write", "writing the reply")
        prompt = Prompt((Message(MessageRole.USER, query.text),))
        for index, text in enumerate(self.model.stream(prompt, config=SamplingConfig())):
            self.between(index)
            yield Delta(text)


def model_call(outcome: CallOutcome, *tokens: int, error: str = "") -> ModelCall:
    return ModelCall("write_answer", "scripted:rules", outcome, 0.0, *tokens, error=error)


def test_call_of_a_reply_is_a_step_of_its_trace(conversation, answering):
    answering(Writing(Rule(reply="You live in Lyon.")))
    reply = ask(conversation, "Where do I live?")
    written = Answered(text="You live in Lyon.")
    assert steps(reply) == [Stage("write"), model_call(CallOutcome.ANSWERED, 4, 4), written]


def test_call_that_fails_is_a_step_of_the_failed_reply(conversation, answering):
    answering(Writing(Rule(error="unreachable", message="The line is dead.")))
    reply = ask(conversation)
    assert (reply.state, reply.error) == (ReplyState.FAILED, "The line is dead.")
    assert steps(reply)[1:] == [model_call(CallOutcome.FAILED, error="ModelUnreachable")]


@pytest.mark.django_db(transaction=True)
def test_call_that_the_person_stops_is_a_step_without_tokens(conversation, answering):
    reply = message_post(conversation=conversation, text="Tell me all.")

    def stop(index: int) -> None:
        threading.Event().wait(0.05)
        if index == 3:
            reply_stop(reply=reply)
            connection.close()

    answering(Writing(Rule(reply="One two three four five six seven eight nine ten eleven."), between=stop))
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.STOPPED
    assert steps(reply)[1:] == [model_call(CallOutcome.STOPPED)]


def test_stages_are_told_once_each_and_lose_their_words_at_the_end(reader, conversation, answering):
    answering(SearchingResponder(Stage("read", "read it"), Stage("reason", "a"), Stage("reason", "b"), call()))
    html = reader.get(reverse("reply-reasoning", args=[ask(conversation).pk])).content.decode()
    told = re.findall(r'class="trace-line">(.*?)</p>', html)
    assert told == ["Read your message", 'Went from fact to fact <span class="meta">2 times</span>', "Answered: Yes."]


def test_steps_of_a_kind_that_is_gone_are_said_to_be_so(reader, conversation, answering):
    answering(SearchingResponder(call()))
    reply = ask(conversation)
    StepRecord.objects.update(kind="proof_of_old")
    html = reader.get(reverse("reply-reasoning", args=[reply.pk])).content.decode()
    assert "A step that this version does not know (proof_of_old)" in html
