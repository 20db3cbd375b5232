"""A small space with two dialogues in it, and the responder over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from conversations.core.responders.graph.rule_based import RuleBasedGraph
from conversations.core.responders.said_in_full import SaidInFull
from conversations.core.types import Delta, Grounds, Query, ReplyPart, Stage
from memory.core.types import Polarity, Role, Tense, Utterance
from tests.fakes.language import real_questions, real_references
from tests.fakes.listening import Teaching
from tests.fakes.memory import FakeMemory
from tests.fakes.said import said_passages

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def day(year: int, month: int = 1, number: int = 1, hour: int = 12) -> datetime:
    return datetime(year, month, number, hour, tzinfo=UTC)


@dataclass(frozen=True)
class Heard:
    """A reply put together again."""

    text: str
    parts: tuple[ReplyPart, ...]

    @property
    def grounds(self) -> list[Grounds]:
        return [part for part in self.parts if isinstance(part, Grounds)]

    @property
    def stages(self) -> list[Stage]:
        return [part for part in self.parts if isinstance(part, Stage)]


Ask = Callable[..., Heard]


@pytest.fixture
def space() -> FakeMemory:
    memory = FakeMemory()
    learn = memory.learn
    learn(
        "Ana", "livesIn", "Paris", said="I live in Paris.", at=day(2023), kind="Place", superseded_at=day(2024, 5, 18)
    )
    learn("Ana", "worksFor", "Airbus", said="I work for Airbus.", at=day(2023), kind="Organization")
    learn(
        "Ana",
        "livesIn",
        "Lyon",
        said="Actually, I moved to Lyon last week.",
        at=day(2024, 5, 18),
        kind="Place",
        valid_from=day(2024, 5, 6, 0),
    )
    learn("Ana", "worksFor", "IBM", said="I used to work for IBM.", tense=Tense.PAST, kind="Organization")
    learn("Ana", "hasSister", "Maya", said="My sister Maya works as a nurse.", kind="Person", aliases=["Ana's sister"])
    learn("Maya", "worksAs", "nurse", said="My sister Maya works as a nurse.", kind="Occupation")
    learn("Maya", "spouse", "Tom", said="Maya is married to Tom.", kind="Person")
    learn("Tom", "worksFor", "Renault", said="Tom works for Renault.", kind="Organization")
    learn("Ana", "hasBrother", "Ben", said="I have a brother called Ben.", kind="Person", aliases=["Ana's brother"])
    learn("Ben", "plays", "piano", said="Ben plays the piano.")
    learn("Ana", "hasDog", "Ana's dog", said="I have a dog.", kind="Animal")
    learn("Ana", "hasCat", "Luna", said="My cat is called Luna.", kind="Animal", aliases=["Ana's cat"])
    learn("Ana", "hasBoss", "Olga", said="My boss is Olga.", superseded_at=day(2024, 2), kind="Person")
    learn("Ana", "hasBoss", "Ivan", said="My boss is Ivan now.", kind="Person")
    learn("Ana", "likes", "olives", said="I like olives.")
    learn("Ana", "likes", "cheese", said="I love cheese.")
    learn("Ana", "dislikes", "mushrooms", said="I hate mushrooms.")
    learn("Ana", "eats", "meat", said="I don't eat meat.", polarity=Polarity.NEGATIVE)
    learn("Ana", "birthDate", "3 March 1990", said="I was born on 3 March 1990.", is_literal=True)
    learn("Ana", "hasFavoriteBand", "Radiohead", said="My favourite band is Radiohead.")
    learn("Ana", "allergicTo", "peanuts", said="I am allergic to peanuts.")
    learn("Ana", "speaks", "French", said="I speak French and German.")
    learn("Ana", "speaks", "German", said="I speak French and German.")
    learn("Leo", "age", "4", said="Leo is 4.", is_literal=True)
    learn(
        "Caroline",
        "wentTo",
        "LGBTQ support group",
        speaker="Caroline",
        at=day(2023, 5, 8),
        tense=Tense.PAST,
        said="I went to a LGBTQ support group yesterday and it was so powerful.",
        valid_from=day(2023, 5, 7, 0),
    )
    memory.entity("Melanie", kind="Person", is_speaker=True)
    learn("Tom", "hasNumberOfGuitars", "3", said="Tom has three guitars.", is_literal=True)
    for thing in ("hiking", "jazz", "Bach", "old maps"):
        learn(
            "Ben",
            "likes",
            thing,
            said=f"Ben likes {thing}." if thing != "Bach" else "Ben likes a musician called Bach.",
        )
    memory.say("Ana", "My dentist is Doctor Weiss.", at=day(2023))
    memory.say("Ana", "My dentist is Doctor Hahn.", at=day(2024))
    for speaker, text, at in (
        (
            "Caroline",
            "Researching adoption agencies is what I do, it's been a dream to have a family.",
            day(2023, 5, 25),
        ),
        ("Melanie", "I painted a lake sunrise last year!", day(2023, 5, 8)),
        ("Melanie", "I ran a charity race for mental health last Saturday.", day(2023, 5, 25)),
        ("Ana", "If I moved to Berlin, I would work for Siemens.", day(2023, 6, 1)),
        ("Ana", "Should I buy a boat in Kiel?", day(2023, 6, 1)),
        ("Ana", "I chose Lyon because my cousin has a bakery there.", day(2024, 5, 18)),
    ):
        memory.say(speaker, text, at=at)
    memory.say("Assistant", "You should try skiing in Chamonix.", at=day(2023, 6, 1), role=Role.ASSISTANT)
    return memory


@pytest.fixture
def listener() -> Teaching:
    """Return who listens to the messages of `ask`; a test may say what they teach."""
    return Teaching()


@pytest.fixture
def ask(space: FakeMemory, listener: Teaching) -> Ask:
    graph = RuleBasedGraph(
        passages=said_passages(),
        read_questions=real_questions(),
        read_answers=None,
        memory=space,
        listener=listener,
    )
    responder = SaidInFull(graph, real_references())

    def asked(text: str, *, speaker: str = "Ana", history: Sequence[Utterance] = ()) -> Heard:
        parts = tuple(responder.reply(Query(text, speaker, NOW, tuple(history), round_id=7)))
        return Heard("".join(part.text for part in parts if isinstance(part, Delta)), parts)

    return asked
