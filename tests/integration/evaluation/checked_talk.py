"""Conversations whose replies are checked: the test says what is replied, and how texts stand to each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from conversations import bootstrap as conversation_bootstrap
from conversations.models import Conversation, Reply
from conversations.services import conversation_create, message_post
from conversations.services.generation import reply_run
from memory import bootstrap
from memory.bootstrap.roles import SPLIT_FACTS, VERIFY_FACTS
from memory.core.grounded_generation.atomic_facts import AtomicFact
from memory.core.grounded_generation.entailed import EntailmentFactVerifier
from memory.core.types import EntailmentVerdict
from memory.models import Space
from memory.services import space_maintain
from tests.fakes.engines import LivesInExtractor, StopSegmenter, WordByWordResponder, WordEmbedder, engine_of
from tests.fakes.entailment import UNDECIDED, JudgingEntailment

FOLLOWS = EntailmentVerdict(0.9, 0.08, 0.02)
CLASHES = EntailmentVerdict(0.02, 0.08, 0.9)
LIVES = re.compile(r"\b(\w+) live[sd]? in (\w+)", re.IGNORECASE)


class SentenceSplitter:
    """Takes every sentence for a fact. `before` is called first."""

    def __init__(self, name: str = "sentences", before: Callable[[], None] = lambda: None) -> None:
        self.name = name
        self.before = before

    def split_many(self, replies: Any) -> list[list[AtomicFact]]:
        self.before()
        found = StopSegmenter().segment_many(replies)
        return [[AtomicFact(one.text, one.span) for one in some] for some in found]


def where_people_live(premise: str, hypothesis: str) -> EntailmentVerdict:
    """Judge by who lives or lived where: the same person in the same place follows, in another one clashes."""
    told, claimed = ({who.lower(): place for who, place in LIVES.findall(text)} for text in (premise, hypothesis))
    both = told.keys() & claimed.keys()
    if not both:
        return UNDECIDED
    return FOLLOWS if all(told[who] == claimed[who] for who in both) else CLASHES


class Checking:
    """The players of every engine: the splitter, and a verifier by an entailment model."""

    def __init__(self, extractor: LivesInExtractor) -> None:
        self.model = JudgingEntailment(where_people_live, is_one_sided=True)
        self.splitter = SentenceSplitter()
        self.extractor = extractor

    def engine(self, name: str = "") -> Any:
        made = engine_of(self.extractor, name=name)
        verifier = EntailmentFactVerifier(self.model, WordEmbedder(), StopSegmenter())
        return replace(made, players={**made.players, SPLIT_FACTS.name: self.splitter, VERIFY_FACTS.name: verifier})


@pytest.fixture
def checking(small_engine: LivesInExtractor, monkeypatch: pytest.MonkeyPatch) -> Checking:
    made = Checking(small_engine)
    monkeypatch.setattr(bootstrap, "engine", made.engine)
    return made


@pytest.fixture
def conversation(owner: User, space: Space, settings: Any) -> Conversation:
    settings.DSMART_MEMORY_WAIT_S = 0
    settings.DSMART_SCORES = False
    return conversation_create(owner=owner, space=space, checks_facts=True)


@pytest.fixture
def told(conversation: Conversation, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Reply]:
    """Say a message, let it be answered so, and read the round into memory; checks nothing yet."""

    def say(text: str, answer: str, *, within: Conversation = conversation) -> Reply:
        responder = WordByWordResponder(answer)
        monkeypatch.setattr(conversation_bootstrap, "responder", lambda name, *, engine, space_id: responder)
        reply = message_post(conversation=within, text=text)
        reply_run(reply_id=reply.pk)
        space_maintain(space_id=within.space_id)
        reply.refresh_from_db()
        return reply

    return say
