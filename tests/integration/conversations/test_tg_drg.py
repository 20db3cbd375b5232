"""`tg_drg_r` over PostgreSQL: a pronoun is said in full, the fact is found, and the reply shows what it was written from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from conversations.models import ReplyState, ReplyTrace
from conversations.services import conversation_create
from memory.core.tracing import ModelCall
from memory.models import TripleRecord
from memory.selectors.tracing import steps_of
from memory.services import space_personal
from memory.services.knowledge import knowledge_remove
from tests.integration.conversations.test_d_smart import asked, scripted, told
from tests.integration.memory.api import client_of
from tests.integration.memory.knowledge import base_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_reply_is_written_from_the_facts_of_what_a_pronoun_means(ana: Any, settings: Any, tmp_path: Path) -> None:
    engine = scripted(
        settings,
        tmp_path,
        {
            "when": "Turn 3:",
            "reply": {
                "turns": [
                    {"turn": 1, "reasoning": "", "full": "Do you know Maya?"},
                    {"turn": 2, "reasoning": "", "full": "Yes, Maya is your sister."},
                    {"turn": 3, "reasoning": "“she” is Maya.", "full": "Where does Maya work?"},
                ]
            },
        },
        {"when": "Turn 1:", "reply": {"turns": [{"turn": 1, "reasoning": "", "full": "Do you know Maya?"}]}},
        {"when": r"(?s)Maya works for Airbus.*Where does Maya work\?", "reply": "She works for Airbus."},
        {"when": "Do you know Maya", "reply": "Yes, Maya is your sister."},
    )
    space = space_personal(user=ana)
    told(space, "My sister Maya lives in Lyon.", "Maya works for Airbus.", "Tom lives in Oslo.")
    talk = conversation_create(owner=ana, space=space, responder="tg_drg_r", engine=engine)
    assert asked(talk, "Do you know Maya?").state == ReplyState.DONE
    reply = asked(talk, "Where does she work?")
    assert (reply.state, reply.error, reply.text) == (ReplyState.DONE, "", "She works for Airbus.")
    ids = [one["id"] for one in reply.events.get(kind="grounds").data["triples"]]
    shown = {record.value for record in TripleRecord.objects.filter(pk__in=ids)}
    assert "Airbus" in shown and "Oslo" not in shown


def test_reply_is_written_from_what_the_model_most_probably_takes_for_relevant(
    ana: Any, settings: Any, tmp_path: Path
) -> None:
    settings.DSMART_ROLES = {"select_triples": "prompted"}
    engine = scripted(
        settings,
        tmp_path,
        {"when": "(?s)Fact:.*Airbus", "chances": {"Yes": 0.9, "no": 0.1}},
        {"when": "(?s)Fact:.*Leeds", "error": "refused", "message": "The quota is used up."},
        {"when": "Fact:", "chances": {"No": 0.9, "yes": 0.1}},
        {"when": r"(?s)<knowledge \w+>\n- [^\n]*Airbus.*Where does Maya work\?", "reply": "She works for Airbus."},
    )
    space = space_personal(user=ana)
    told(space, "My sister Maya lives in Lyon.", "Maya works for Airbus.", "Tom lives in Leeds.")
    talk = conversation_create(owner=ana, space=space, responder="tg_drg_nr", engine=engine)
    reply = asked(talk, "Where does Maya work?")
    assert (reply.state, reply.error, reply.text) == (ReplyState.DONE, "", "She works for Airbus.")
    steps = [one.step for one in steps_of(ReplyTrace.objects.get(reply=reply))]
    selecting = [step for step in steps if isinstance(step, ModelCall) and step.role == "select_triples"]
    assert len(selecting) >= 2
    assert all((step.prompt_tokens or 0) > 50 and step.completion_tokens == 1 for step in selecting)
    failed = asked(talk, "Where does Tom live?")
    assert (failed.state, failed.error) == (ReplyState.FAILED, "The quota is used up.")


def test_reply_rests_on_a_knowledge_base_which_is_named_and_goes_with_it(
    ana: Any, settings: Any, tmp_path: Path
) -> None:
    engine = scripted(
        settings,
        tmp_path,
        {"when": r"(?s)It written by Stephen King \(source: Books <b>\).*Who wrote It", "reply": "Stephen King did."},
    )
    space = space_personal(user=ana)
    base = base_of(space, name="Books <b>", licence="CC0")
    talk = conversation_create(owner=ana, space=space, responder="tg_drg_nr", engine=engine)
    reply = asked(talk, "Who wrote It and Stephen King's Carrie?")
    assert (reply.state, reply.error, reply.text) == (ReplyState.DONE, "", "Stephen King did.")
    assert [one["base_id"] for one in reply.events.get(kind="grounds").data["knowledge"]] == [base.pk] * 3
    used = reply.knowledge_used.first()
    assert (used.base, used.why) == (base, "is among what the answer was written from")
    client = Client()
    client.force_login(ana)
    shown = client.get(reverse("conversation", args=[talk.pk])).content.decode()
    assert "It written by Stephen King" in shown and "Books &lt;b&gt;" in shown and "CC0" in shown
    [told] = [
        one for one in client_of(ana).get(f"/api/replies/{reply.pk}/").json()["knowledge"] if one["subject"] == "It"
    ]
    assert told == {
        "base": base.pk,
        "source": "Books <b>",
        "licence": "CC0",
        "why": used.why,
        "subject": "It",
        "relation": "written by",
        "object": "Stephen King",
    }
    knowledge_remove(base=base)
    shown = client.get(reverse("conversation", args=[talk.pk])).content.decode()
    assert "written by" not in shown and "Stephen King did." in shown
