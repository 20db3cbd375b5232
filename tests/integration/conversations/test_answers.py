"""Whatever a responder answers, the last step of its trace carries that answer and those grounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from conversations import bootstrap
from conversations.bootstrap import responder_names
from conversations.core.errors import ResponderUnavailable
from conversations.core.tracing.answered import Answered
from conversations.core.tracing.search import Search, SearchStep
from conversations.services.asking import question_ask
from memory import bootstrap as memory_bootstrap
from memory.core.errors import MemoryCoreError
from memory.core.reasoning_tree.types import ActionKind
from memory.core.tracing import TraceStep
from memory.core.types import Role
from memory.models import Space
from memory.services import round_complete, round_open, session_create, space_maintain, space_personal

pytestmark = pytest.mark.django_db

TOLD = (
    "I live in Lyon.",
    "I work for Airbus.",
    "I don't work for Airbus any more.",
    "My sister Maya works as a nurse.",
    "Maya is married to Tom.",
    "Tom works for Renault.",
    "My landlord is called Piet.",
    "I sold the green kayak in May 2024.",
)
MESSAGES = (
    "Where do I live?",
    "Do I still work for Airbus?",
    "Where do I work?",
    "Who is my dentist?",
    "Where does my sister's husband work?",
    "Which company does the husband of the nurse who is my sister work for?",
    "Is my landlord called Piet? And where do I live?",
    "Who is my dentist? Who is my doctor?",
    "When did I sell the kayak?",
    "What did I say about the weather in Porto?",
    "How many sisters do I have?",
    "Tell me everything about Maya.",
    "I like tea.",
    "Write me a poem about the sea.",
    "Hello!",
    "Thanks! Where do I live?",
)
SAYS = {"when": "", "reply": "You live in Lyon."}


@pytest.fixture(scope="module")
def space(module_db) -> Iterator[Space]:
    with module_db.unblock():
        ana = User.objects.create_user("ana", first_name="Ana")
        space = space_personal(user=ana)
        session = session_create(space=space, started_at=timezone.now())
        for text in TOLD:
            turn = round_open(session=session, speaker="Ana", role=Role.USER, text=text, said_at=timezone.now())
            round_complete(round=turn.round)
        space_maintain(space_id=space.pk)
        yield space


def engine_of(responder: str, settings, folder: Path) -> str:
    """Return an engine that can play a responder: the built-in one where it can."""
    try:
        bootstrap.responder_check(responder, engine="builtin")
        return "builtin"
    except ResponderUnavailable:
        script = folder / "script.jsonl"
        script.write_text(json.dumps(SAYS), encoding="utf-8")
        settings.DSMART_EXTRA_ENGINES = [f"scripted:{script}"]
        memory_bootstrap.reset()
        return f"scripted:{script}"


@pytest.mark.parametrize("responder", [name for name in responder_names() if name != "ga_drg"])
def test_the_last_step_of_every_answer_carries_it_and_its_grounds(
    space: Space, settings, tmp_path: Path, responder: str
) -> None:
    engine = engine_of(responder, settings, tmp_path)
    for message in MESSAGES:
        try:
            reply = question_ask(
                space_id=space.pk,
                question=message,
                asked_by="Ana",
                asked_at=timezone.localtime(),
                responder=responder,
                engine=engine,
            )
        except MemoryCoreError:
            assert engine != "builtin"
            continue
        steps = [one.step for one in reply.trace]
        answers = [step for step in steps if isinstance(step, Answered)]
        assert steps[-1] is answers[-1], message
        assert squeezed("".join(dict.fromkeys(step.text for step in answers))) == squeezed(reply.text), message
        assert {one for step in answers for one in step.triples} == {one.triple.id for one in reply.grounds.triples}
        assert {one for step in answers for one in step.sentences} == {
            one.sentence.id for one in reply.grounds.sentences
        }
        assert shown_as_answers(steps) <= {squeezed(step.text) for step in answers}, message


def squeezed(text: str) -> str:
    return "".join(text.split())


def shown_as_answers(steps: list[TraceStep]) -> set[str]:
    """Return what the searches of a trace show as the answer."""
    best = {(step.search, step.best) for step in steps if isinstance(step, Search)}
    nodes = [step for step in steps if isinstance(step, SearchStep) and step.action == ActionKind.ANSWER]
    return {squeezed(node.text) for node in nodes if (node.search, node.node) in best}
