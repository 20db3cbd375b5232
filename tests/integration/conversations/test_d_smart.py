"""`d_smart` over PostgreSQL: two hops without a model, a rule that evolves, and a question over a long dialogue."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from conversations.core.tracing.search import SearchStep
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create, message_post, reply_run
from memory import bootstrap
from memory.core.types import Role
from memory.models import Round, Session, Space, TripleRecord
from memory.selectors.tracing import steps_of
from memory.services import round_add_turn, round_complete, round_open, session_create, space_maintain, space_personal
from tests.fakes.engines import WordEmbedder
from tests.integration.memory.graphs import START, entity, spoken, triple

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


def told(space: Space, *texts: str, speaker: str = "Ana") -> None:
    """Say rounds in a session of their own, and learn them with the built-in engine."""
    session = session_create(space=space, started_at=START, key=f"told-{space.sessions.count()}")
    for minute, text in enumerate(texts):
        at = START + timedelta(minutes=minute)
        turn = round_open(session=session, speaker=speaker, role=Role.USER, text=text, said_at=at)
        round_add_turn(round=turn.round, speaker="assistant", role=Role.ASSISTANT, text="Noted.", said_at=at)
        round_complete(round=turn.round, engine="builtin")
    space_maintain(space_id=space.pk)


def asked(conversation: Conversation, text: str) -> Reply:
    reply = message_post(conversation=conversation, text=text)
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    return reply


def kept(reply: Reply) -> list[SearchStep]:
    nodes = [one.step for one in steps_of(reply.trace) if isinstance(one.step, SearchStep)]
    return sorted((one for one in nodes if one.fate == "kept" and one.action), key=lambda one: one.node)


@pytest.fixture
def talk(ana) -> Conversation:
    return conversation_create(owner=ana, space=space_personal(user=ana), responder="d_smart")


def scripted(settings, folder: Path, *rules: dict[str, object]) -> str:
    """Return an engine that plays the rules, and says of anything to be learnt that there is nothing."""
    silent = [
        {"when": "these lines state as the JSON object", "reply": {"statement": [], "facts": []}},
        {"when": "(summary|insights) as the JSON object", "reply": {"summary": "", "insights": []}},
        {"when": "conflict as the JSON object", "reply": {"conflicts": []}},
    ]
    script = folder / "script.jsonl"
    script.write_text("\n".join(json.dumps(rule) for rule in [*silent, *rules]), encoding="utf-8")
    settings.DSMART_EXTRA_ENGINES = [f"scripted:{script}"]
    return f"scripted:{script}"


GRADES = [
    {"when": "Grade this answer", "reply": {"accuracy": 0.95, "completeness": 0.95, "clarity": 0.95}},
    {"when": "Grade this search", "reply": {"relevance": 0.8, "progress": 0.8, "potential": 0.8}},
]


def test_three_stated_facts_answer_through_a_path_without_a_model(talk: Conversation) -> None:
    told(talk.space, "My sister Maya lives in Lyon.", "Maya works for Airbus.", "Airbus has its office in Toulouse.")
    reply = asked(talk, "Where does my sister's employer have its office?")
    assert (reply.state, reply.error) == (ReplyState.DONE, "")
    assert reply.text == "Your sister Maya works for Airbus. Airbus has an office in Toulouse."
    assert [node.action for node in kept(reply)][-2:] == ["find_path", "answer"]
    grounds = {item.triple.predicate: item.why for item in reply.triples_used.select_related("triple")}
    assert grounds == {
        "officeIn": "answers the question",
        "worksFor": "is a step of the way",
        "hasSister": "is a step of the way",
    }


def test_a_link_that_was_replaced_is_not_walked(talk: Conversation) -> None:
    told(talk.space, "My brother Paul works for Nestle.", "Nestle has its office in Vevey.")
    told(talk.space, "Paul left Nestle and works for Logitech now.", "Logitech has its headquarters in Lausanne.")
    reply = asked(talk, "Where is the company that my brother works for based?")
    assert "Lausanne" in reply.text
    assert "Vevey" not in reply.text


def test_a_missing_link_is_said_to_be_missing(talk: Conversation) -> None:
    told(
        talk.space,
        "My sister Maya works for Airbus.",
        "My friend Tom works for Siemens.",
        "Siemens has its office in Munich.",
    )
    reply = asked(talk, "Where does my sister's employer have its office?")
    assert reply.text == "Your sister Maya works for Airbus. You haven't told me where Airbus has its office."


def test_rooms_and_a_rule_that_evolves(talk: Conversation, settings, tmp_path: Path) -> None:
    """D-SMART, case 3: what was concluded before a new rule still holds after it, and the reply says so."""
    engine = scripted(
        settings,
        tmp_path,
        *GRADES,
        {"when": r"Room 1 excludes Room 2[\s\S]*Name the next step",
         "reply": {"action": "ANSWER", "entities": [],
                   "text": "No. Room 1 and Room 3 are occupied and Room 2 is not, so not all of them are."}},
        {"when": r"not all rooms[\s\S]*Name the next step",
         "reply": {"action": "FIND PATH", "entities": ["Room 1", "Room 3"], "text": ""}},
        {"when": r"Room 3[\s\S]*Name the next step", "reply": "ANSWER: Room 3 is occupied."},
        {"when": "Name the next step", "reply": "ANSWER: Room 2 is not occupied."},
    )  # fmt: skip
    talk.engine = engine
    talk.save()
    first = asked(talk, "If Room 1 is occupied, Room 2 is not. Room 1 is occupied. What about Room 2?")
    second = asked(talk, "There is a Room 3 as well. It is occupied where Room 2 is not. Is Room 3 occupied?")
    rooms(talk.space)
    third = asked(talk, "A new rule: not all rooms may be occupied. Does that change your conclusion?")
    assert [(one.state, one.error) for one in (first, second, third)] == [(ReplyState.DONE, "")] * 3
    assert first.text == "Room 2 is not occupied."
    assert second.text == "Room 3 is occupied."
    assert third.text == "No. Room 1 and Room 3 are occupied and Room 2 is not, so not all of them are."
    assert [node.action for node in kept(third)][-2:] == ["find_path", "answer"]
    assert {item.triple.predicate for item in third.triples_used.select_related("triple")} >= {
        "excludes",
        "requiresEmpty",
    }


def rooms(space: Space) -> None:
    """Remember what the first two turns established."""
    session = Session.objects.create(space=space, started_at=START, key="rooms")
    one, two, three = (entity(space, f"Room {number}") for number in (1, 2, 3))
    said = spoken(session, "Room 2 is not occupied and Room 3 is occupied.")
    triple(said, one, "excludes", two, phrase="exclude")
    triple(said, three, "requiresEmpty", two, phrase="require empty")
    triple(said, one, "hasQuality", "occupied", phrase="be")
    triple(said, two, "hasQuality", "occupied", polarity="negative", phrase="be")
    triple(said, three, "hasQuality", "occupied", phrase="be")


def test_a_question_over_a_long_dialogue_with_a_scripted_model(talk: Conversation, settings, tmp_path: Path) -> None:
    """Several hops over sessions of small talk between two friends, as in LoCoMo's conversations."""
    told(
        talk.space,
        "What a week! I finally started my pottery class.",
        "My friend Greta lives in Bergen now.",
        "I baked bread twice, it was a disaster.",
        "Greta is married to Anders.",
        "The weather has been awful here.",
        "Anders works for Nordlys.",
        "Nordlys has its headquarters in Tromsø.",
    )
    engine = scripted(
        settings,
        tmp_path,
        *GRADES,
        {"when": r"- Nordlys has headquarters in Troms[\s\S]*Name the next step",
         "reply": {"action": "ANSWER", "entities": [], "text": "Anders works for Nordlys, which is in Tromsø."}},
        {"when": r"- Anders works for Nordlys[\s\S]*Name the next step", "reply": "EXPAND ENTITY [Nordlys]"},
        {"when": r"- Greta is married to Anders[\s\S]*Name the next step", "reply": "EXPAND ENTITY [Anders]"},
        {"when": "Name the next step", "reply": "EXPAND ENTITY [Greta]"},
    )  # fmt: skip
    talk.engine = engine
    talk.save()
    reply = asked(talk, "In which city is the employer of Greta's husband?")
    assert (reply.state, reply.error) == (ReplyState.DONE, "")
    assert reply.text == "Anders works for Nordlys, which is in Tromsø."
    assert [node.action for node in kept(reply)][-1] == "answer"
    added = TripleRecord.objects.filter(pk__in=reply.triples_used.values("triple"))
    assert {"worksFor", "headquartersIn"} <= set(added.values_list("predicate", flat=True))
    assert Round.objects.filter(session__space=talk.space).count() > 7


def test_a_server_that_is_down_fails_the_reply_with_a_sentence(talk: Conversation, settings, tmp_path: Path) -> None:
    engine = scripted(settings, tmp_path, {"error": "unreachable", "message": "The line is dead. Check the cable."})
    talk.engine = engine
    talk.save()
    reply = asked(talk, "Where does my sister's employer have its office?")
    assert reply.state == ReplyState.FAILED
    assert "The line is dead" in reply.error
    assert "Try again" in reply.error
