"""`tg_drg_r` over PostgreSQL: a pronoun is said in full, the fact is found, and the reply shows what it was written from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conversations.models import ReplyState, ReplyTrace
from conversations.services import conversation_create
from memory.core.tracing import ModelCall
from memory.models import TripleRecord
from memory.selectors.tracing import steps_of
from memory.services import space_personal
from tests.integration.conversations.test_d_smart import asked, scripted, told

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
