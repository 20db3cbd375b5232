"""`slsm` over PostgreSQL: a dinner that is planned piece by piece, with a language model and without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from conversations.core.tracing.state_change import StateChanged
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create
from conversations.services.generation import reply_run
from conversations.services.messages import message_edit, reply_regenerate, version_show
from memory import bootstrap
from memory.bootstrap.roles import ROLES, RoleSpec
from memory.core.semantic_state.elements import PlanMode, Status
from memory.models import Round, StateElementRecord, StateRecord
from memory.selectors.tracing import steps_of
from memory.services import space_personal
from tests.fakes.engines import WordEmbedder
from tests.fakes.evidence import ALLERGY, BUDGET, CHATTER, GUESTS, PLAN, KnownEvidence, dinner
from tests.integration.conversations.test_d_smart import asked, scripted

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> KnownEvidence:
    """What every engine reads evidence by."""
    known = dinner()
    role = RoleSpec("extract_evidence", "", asking={"known": lambda _: known}, not_asking={"known": lambda: known})
    monkeypatch.setitem(ROLES, "extract_evidence", role)
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    bootstrap.reset()
    return known


@pytest.fixture
def talk(ana) -> Conversation:
    return conversation_create(owner=ana, space=space_personal(user=ana), responder="slsm")


def change(reply: Reply) -> StateChanged:
    [found] = [one.step for one in steps_of(reply.trace) if isinstance(one.step, StateChanged)]
    return found


def current(talk: Conversation) -> list[str]:
    rows = StateElementRecord.objects.filter(session=talk.session).order_by("pk")
    return [row.description for row in rows if not row.is_gone]


def test_built_in_engine_notes_asks_takes_back_and_tells_what_holds(talk: Conversation) -> None:
    first = asked(talk, PLAN)
    assert (first.state, first.error) == (ReplyState.DONE, "")
    assert first.text == "Noted: The dinner is on Saturday. How many guests will there be?"
    assert (change(first).mode, change(first).target) == (PlanMode.VERIFY, "the number of guests")
    second = asked(talk, BUDGET)
    assert "Noted: There are six guests." in second.text and "I take it that six plates are enough." in second.text
    assert change(second).mode is PlanMode.PROCEED
    asked(talk, ALLERGY)
    last = asked(talk, GUESTS)
    assert "No longer so: There are six guests" in last.text and "Six plates are enough" in last.text
    assert "Nothing with nuts" in last.text and "There are eight guests" in last.text
    assert "Six plates are enough." not in current(talk)


def test_conversation_that_was_held_in_another_way_is_caught_up(talk: Conversation, reader: KnownEvidence) -> None:
    talk.responder = "graph"
    talk.save()
    asked(talk, PLAN)
    asked(talk, BUDGET)
    assert not StateRecord.objects.exists()
    talk.responder = "slsm"
    talk.save()
    asked(talk, ALLERGY)
    assert reader.read == [PLAN, BUDGET, ALLERGY]
    assert {"The dinner is on Saturday.", "There are six guests.", "Nothing with nuts."} <= set(current(talk))


def test_what_is_remembered_is_looked_up_and_chatter_is_returned(talk: Conversation) -> None:
    asked(talk, PLAN)
    thanks = asked(talk, "Thanks!")
    assert thanks.text == "You are welcome."
    question = asked(talk, "Where does my sister live?")
    assert "don't know" in question.text and "guests" not in question.text
    assert change(asked(talk, CHATTER)).changes == ()


def test_a_message_that_is_answered_anew_or_edited_is_read_again_and_those_before_it_are_not(
    talk: Conversation, reader: KnownEvidence
) -> None:
    asked(talk, PLAN)
    reply = asked(talk, BUDGET)
    again = reply_regenerate(reply=reply)
    reply_run(reply_id=again.pk)
    again.refresh_from_db()
    assert again.text == reply.text and reader.read == [PLAN, BUDGET, BUDGET]
    edited = message_edit(reply=again, text=ALLERGY)
    reply_run(reply_id=edited.pk)
    assert reader.read == [PLAN, BUDGET, BUDGET, ALLERGY]
    assert current(talk) == [
        "The dinner is on Saturday.",
        "the number of guests",
        "The sister cannot eat nuts.",
        "Nothing with nuts.",
    ]


def test_edit_of_an_earlier_message_takes_back_what_it_and_later_ones_brought(
    talk: Conversation, reader: KnownEvidence
):
    first = asked(talk, PLAN)
    before = current(talk)
    second = asked(talk, BUDGET)
    asked(talk, ALLERGY)
    edited = message_edit(reply=second, text=ALLERGY)
    assert current(talk) == before
    reply_run(reply_id=edited.pk)
    assert current(talk) == [*before, "The sister cannot eat nuts.", "Nothing with nuts."]
    version_show(conversation=talk, round=Round.everything.get(pk=second.round_id))
    assert current(talk) == before and first.round_id == Round.objects.get(index=0).pk


def test_state_that_was_read_before_rounds_kept_what_it_was_is_read_again_whole(
    talk: Conversation, reader: KnownEvidence
):
    asked(talk, PLAN)
    second = asked(talk, BUDGET)
    Round.objects.update(state_before=None)
    edited = message_edit(reply=second, text=ALLERGY)
    assert current(talk) == []
    reply_run(reply_id=edited.pk)
    assert reader.read == [PLAN, BUDGET, PLAN, ALLERGY]


DINNER = [
    {"when": "question to end with", "reply": "A risotto would do. How many guests will there be?"},
    {"when": "No longer so since", "reply": "Eight plates instead of six."},
    {"reply": "A risotto."},
]


def test_language_model_asks_and_says_what_fell(ana, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = scripted(settings, tmp_path, *DINNER)
    talk = conversation_create(owner=ana, space=space_personal(user=ana), responder="slsm", engine=engine)
    assert asked(talk, PLAN).text == "A risotto would do. How many guests will there be?"
    assert asked(talk, BUDGET).text == "A risotto."
    assert asked(talk, GUESTS).text == "Eight plates instead of six."


def test_trace_of_a_reply_and_the_panel_show_what_changed(talk: Conversation, ana) -> None:
    asked(talk, PLAN)
    asked(talk, BUDGET)
    asked(talk, ALLERGY)
    reply = asked(talk, GUESTS)
    page = Client()
    page.force_login(ana)
    trace = page.get(reverse("reply-reasoning", args=[reply.pk])).content.decode()
    assert "Kept track of the task" in trace and "It rested on: There are six guests." in trace
    assert "<s>Six plates are enough.</s>" in trace
    beside = page.get(reverse("conversation", args=[talk.pk])).content.decode()
    assert f'hx-get="{reverse("state-panel", args=[talk.session_id])}?kept"' in beside
    row = StateElementRecord.objects.get(description="There are six guests.")
    assert row.status == Status.CLOSED
