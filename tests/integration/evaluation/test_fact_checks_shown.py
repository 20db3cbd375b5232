"""What a reply states as the chat, the timeline and the API show it: marks in its words, a line below them, another try."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from conversations import events
from conversations.models import ReplyTrace
from evaluation.models import FactCheck, FactRecord
from evaluation.selectors.timeline import rounds_between
from evaluation.services.fact_checks import checks_run
from memory.core.errors import ModelUnreachable
from memory.selectors.tracing import steps_of
from memory.trace_views.base import Reading, blocks_of

pytestmark = pytest.mark.django_db
REPLY = (
    "You live in Porto. You live in **Rome**.\n\n- You sail [every spring](https://localhost/).\n- Nice to meet you."
)


@pytest.fixture
def ana(owner: User) -> Client:
    client = Client(HTTP_HX_REQUEST="true")
    client.force_login(owner)
    return client


def line_of(html: str) -> str:
    """The words of the line below a reply."""
    found = re.search(r'<div class="reply-check".*?</div>', html, re.DOTALL)
    assert found
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())


def test_reply_of_a_conversation_that_asks_for_checks_loads_its_line(checking, told, conversation, ana):
    reply = told("I live in Porto.", REPLY)
    page = ana.get(reverse("conversation", args=[conversation.pk]), HTTP_HX_REQUEST="").content.decode()
    assert f'id="check-{reply.pk}" hx-get="/replies/{reply.pk}/check/"' in page
    assert 'role="switch" aria-checked="true"' in page
    ana.post(reverse("conversation-checks", args=[conversation.pk]), {"checks_facts": "0"})
    page = ana.get(reverse("conversation", args=[conversation.pk]), HTTP_HX_REQUEST="").content.decode()
    assert "reply-check" not in page and 'role="switch" aria-checked="false"' in page


def test_words_are_marked_and_tell_what_they_were_held_against(checking, told, ana):
    reply = told("I live in Porto.", REPLY)
    address = reverse("reply-check", args=[reply.pk])
    waiting = ana.get(address).content.decode()
    assert line_of(waiting) == "Checking what this states …"
    assert f'hx-get="{address}?asked=1" hx-trigger="checked, load delay:2s"' in waiting
    checks_run()
    with CaptureQueriesContext(connection) as queries:
        shown = ana.get(address).content.decode()
    assert len(queries) <= 16
    assert line_of(shown).startswith("1 of 3 statements are supported Dialogue Fact Score 0.50")
    assert "NEIP 0.33" in shown and "hx-trigger" not in line_of(shown)
    words = shown[shown.index(f'id="reply-words-{reply.pk}"') :]
    assert 'hx-swap-oob="outerHTML"' in words
    false, unknown = (f"claim-{reply.pk}-{number}" for number in (2, 3))
    described = f'<s class="claim is-false" aria-describedby="{false}-sign">'
    assert f"You live in Porto. {described}You live in </s><strong>{described}Rome</s>" in words
    assert f'<span class="claim is-unknown" aria-describedby="{unknown}-sign">You sail </span><a href=' in words
    for one in (false, unknown):
        assert f'aria-controls="{one}"' in words and f'id="{one}" role="group"' in words
    triple = FactRecord.objects.get(text="You live in **Rome**.").ground.triple_id
    assert f'Contradicted by:</span> <a href="/triples/{triple}/">“You live in Porto.”</a>' in words
    assert "Nothing that I know says so." in words and "Nice to meet you.</li>" in words


def test_claim_that_is_not_found_in_the_words_is_listed_below_them(checking, told, ana):
    reply = told("I live in Porto.", "Look:\n\n```\nYou live in Rome\n```")

    checks_run()
    assert FactRecord.objects.count() == 1
    FactRecord.objects.update(text="You live in Rome", verdict="false")
    shown = ana.get(reverse("reply-check", args=[reply.pk])).content.decode()
    assert 'class="claims-lost"' in shown and "<code>You live in Rome" in shown


def test_what_could_run_is_text_in_marks_and_panels_too(checking, told, ana):
    reply = told("I live in Porto.", "You live in Rome <script>alert(1)</script> & <b>so</b>.")
    checks_run()
    shown = ana.get(reverse("reply-check", args=[reply.pk])).content.decode()
    assert 'class="claim is-unknown"' in shown
    assert "<script" not in shown and "<b>" not in shown and "&amp;lt;" not in shown.partition("hx-swap-oob")[2]


def test_supported_reply_and_one_without_claims_leave_the_words_as_they_are(checking, told, ana):
    first, second = told("I live in Porto.", "You live in Porto."), told("Thanks.", "Noted.")
    checks_run()
    supported = ana.get(reverse("reply-check", args=[first.pk])).content.decode()
    assert line_of(supported).startswith("1 of 1 statement is supported") and "reply-words" not in supported
    nothing = ana.get(reverse("reply-check", args=[second.pk])).content.decode()
    assert line_of(nothing) == "Nothing here can be checked." and "reply-words" not in nothing


def test_failure_is_told_with_another_try_that_waits_again(checking, told, ana):
    reply = told("I live in Porto.", "You live in Porto.")

    def fail() -> None:
        raise ModelUnreachable("The server did not answer. Start it.")

    checking.splitter.before = fail
    checks_run()
    address = reverse("reply-check", args=[reply.pk])
    assert line_of(ana.get(address).content.decode()) == (
        "What this states could not be checked. The server did not answer. Start it. Try again"
    )
    checking.splitter.before = lambda: None
    again = ana.post(reverse("reply-check-again", args=[reply.pk])).content.decode()
    assert line_of(again) == "Checking what this states …"
    checks_run()
    assert line_of(ana.get(address).content.decode()).startswith("1 of 1")


def test_reply_that_was_never_checked_offers_it(checking, told, ana):
    reply = told("I live in Porto.", "You live in Porto.")
    FactCheck.objects.all().delete()
    assert line_of(ana.get(reverse("reply-check", args=[reply.pk])).content.decode()) == "Check what this states"


def test_page_is_told_when_the_check_has_ended(checking, told, monkeypatch, django_capture_on_commit_callbacks):
    reply = told("I live in Porto.", "You live in Porto.")
    sent: list[tuple[str, dict]] = []
    monkeypatch.setattr(events, "send_to_group", lambda group, message: sent.append((group, message)))
    with django_capture_on_commit_callbacks(execute=True):
        checks_run()
    assert sent == [
        (
            f"conversation.{reply.conversation_id}",
            {"type": "reply.checked", "conversation": reply.conversation_id, "reply": reply.pk},
        )
    ]


def test_check_of_another_persons_reply_is_not_found(checking, told):
    reply = told("I live in Porto.", "You live in Porto.")
    checks_run()
    stranger = User.objects.create_user("ben")
    page, api = Client(HTTP_HX_REQUEST="true"), APIClient()
    page.force_login(stranger)
    api.force_authenticate(stranger)
    assert page.get(reverse("reply-check", args=[reply.pk])).status_code == 404
    assert page.post(reverse("reply-check-again", args=[reply.pk])).status_code == 404
    assert page.post(reverse("conversation-checks", args=[reply.conversation_id])).status_code == 404
    assert api.get(reverse("api-reply-facts", args=[reply.pk])).status_code == 404


def test_timeline_shows_the_facts_of_a_reply_beside_its_score(checking, told, conversation, owner):
    told("I live in Porto.", REPLY)
    told("Thanks.", "Noted.")
    checks_run()
    with CaptureQueriesContext(connection) as queries:
        rounds = rounds_between(conversation.session, 0, 5, at=None)
    assert len(queries) == 1
    assert [one.facts and (one.facts.supported, one.facts.claims, one.facts.score) for one in rounds] == [
        (1, 3, 0.5),
        (0, 0, None),
    ]
    ana = Client()
    ana.force_login(owner)
    page = ana.get(reverse("space-timeline", args=[conversation.space_id])).content.decode()
    assert page.count("of 3 supported") == 1 and "<b>0.50</b>" in page


def test_check_is_a_part_of_the_replys_one_trace(checking, told, ana):
    reply = told("I live in Porto.", REPLY)
    checks_run()
    page = ana.get(reverse("reply-reasoning", args=[reply.pk])).content.decode()
    assert page.count("Checked what the reply states") == 1
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "You live in Porto. supported “You live in Porto.”" in text
    assert "nothing that I know says so held against 2 texts" in text
    api = APIClient()
    api.force_authenticate(reply.conversation.owner)
    steps = api.get(reverse("api-reply-trace", args=[reply.pk])).json()
    told_steps = [one["data"] for one in steps if one["kind"] == "fact_check"]
    assert [one["verdict"] for one in told_steps] == ["true", "false", "not_enough_information", "not_a_claim"]
    trace = ReplyTrace.objects.get(reply=reply)
    _, block = blocks_of(steps_of(trace), Reading(space_id=reply.conversation.space_id))
    assert block.lines[:2] == (
        "Checked what the reply states",
        '  You live in Porto.: supported, by "You live in Porto."',
    )
    told("Thanks.", "This chat is not remembered.")
    checks_run()
    _, block = blocks_of(steps_of(ReplyTrace.objects.latest("pk")), Reading(space_id=reply.conversation.space_id))
    assert block.lines == (
        "Checked what the reply states",
        "  It states nothing that could be checked. It tells what I did with your words.",
    )


def test_facts_by_the_api(checking, told, owner):
    reply = told("I live in Porto.", "You live in Rome. You sail.")
    api = APIClient()
    api.force_authenticate(owner)
    address = reverse("api-reply-facts", args=[reply.pk])
    assert api.get(address).json()["state"] == "pending"
    checks_run()
    shown = api.get(address).json()
    check = FactCheck.objects.get()
    first, second = FactRecord.objects.all()
    triple, turn = check.grounds.all()
    ground = {"title": "", "base": None, "sentence": None}
    told_by = {**ground, "id": triple.pk, "kind": "triple", "triple": triple.triple_id, "turn": None, "speaker": "",
               "words": "You live in Porto."}  # fmt: skip
    said = {**ground, "id": turn.pk, "kind": "turn", "triple": None, "turn": turn.turn_id, "speaker": turn.speaker,
            "words": "I live in Porto."}  # fmt: skip
    assert shown == {
        "reply": reply.pk,
        "turn": check.turn_id,
        "state": "checked",
        "why": "",
        "verifier": "judging",
        "splitter": "sentences",
        "checked_at": shown["checked_at"],
        "milliseconds": check.milliseconds,
        "claims": 1,
        "supported": 0,
        "fact_score": 0.0,
        "neip": 0.0,
        "facts": [
            {"id": first.pk, "text": "You live in Rome.", "start": 0, "end": 17, "verdict": "false", "probability": 0.9,
             "ground": told_by},
            {"id": second.pk, "text": "You sail.", "start": 18, "end": 27, "verdict": "not_a_claim", "probability": None,
             "ground": None},
        ],
        "grounds": [told_by, said],
    }  # fmt: skip
    FactCheck.objects.all().delete()
    assert api.get(address).json()["state"] is None


def test_switch_is_set_by_the_api_too(owner, space, checking):
    api = APIClient()
    api.force_authenticate(owner)
    made = api.post("/api/conversations/", {"space": space.pk, "checks_facts": True}, format="json").json()
    assert made["checks_facts"] is True
    address = f"/api/conversations/{made['id']}/"
    assert api.patch(address, {"title": "Plans"}, format="json").json()["checks_facts"] is True
    assert api.patch(address, {"checks_facts": False}, format="json").json()["checks_facts"] is False
    assert api.post("/api/conversations/", {"space": space.pk}, format="json").json()["checks_facts"] is False
