"""A made-up dialogue of the length of a LoCoMo conversation, and made-up triples, for benches that need no file."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from evaluation.core.types import Case, CaseSession, CaseTurn
from memory.core.types import Entity, Polarity, Role, SourceSentence, Span, Tense, Triple

TURNS = 419
SESSIONS = 19
SPEAKERS = ("Nadia", "Theo")
FIRST_DAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)

SAYINGS = (
    "I moved to {place} last week, and my new flat is close to the {thing}.",
    "My sister {name} works for {company} in {place}. She started in {year}.",
    "I don't eat {food} anymore, but I love {other}. What about you?",
    "Yesterday I went to {place} with {name}. We saw a {thing} and had {food}.",
    "That sounds wonderful! I used to live in {place} before I met {name}.",
    "My brother's dog is called {name}. He is five years old and afraid of the {thing}.",
    "I'm learning Spanish because I want to visit {place} in {year}.",
    "Wow, congratulations! How long have you been working for {company}?",
    "I bought a {thing} for {name}'s birthday on 14 June {year}, and she was very happy about it.",
    "I'm a nurse at {company} now. It is hard work, but my colleagues, above all {name}, are kind to me.",
)
WORDS = {
    "place": ("Lyon", "Porto", "Ghent", "Turin", "Oslo", "Leeds", "Bergen", "Nantes", "Seville", "Graz"),
    "thing": ("library", "guitar", "bicycle", "painting", "tent", "lighthouse", "garden", "telescope"),
    "name": ("Maya", "Hugo", "Clara", "Felix", "Ines", "Omar", "Lena", "Paul", "Zoe", "Sam"),
    "company": ("Airbus", "Siemens", "Bosch", "Nokia", "Renault", "Philips", "Lidl", "Ericsson"),
    "food": ("sushi", "mushrooms", "pancakes", "olives", "lentils", "cheese"),
    "other": ("tofu", "bread", "curry", "apples", "soup", "noodles"),
    "year": ("2019", "2020", "2021", "2022", "2024"),
}


def made_up_case(*, turns: int = TURNS, seed: int = 0) -> Case:
    """Return a dialogue of two people with the given number of turns, sessions a week apart; equal for equal seeds."""
    chooser = random.Random(seed)
    sessions = []
    said = 0
    for number in range(SESSIONS):
        count = turns * (number + 1) // SESSIONS - said
        started_at = FIRST_DAY + timedelta(weeks=number)
        sessions.append(
            CaseSession(
                key=f"session_{number + 1}",
                started_at=started_at,
                turns=tuple(made_up_turn(chooser, number, index, started_at) for index in range(count)),
            )
        )
        said += count
    return Case(id=f"made-up-{seed}", category="", sessions=tuple(sessions), questions=())


def made_up_turn(chooser: random.Random, session: int, index: int, started_at: datetime) -> CaseTurn:
    words = {kind: chooser.choice(choices) for kind, choices in WORDS.items()}
    return CaseTurn(
        role=Role.USER,
        speaker=SPEAKERS[index % 2],
        text=chooser.choice(SAYINGS).format(**words),
        said_at=started_at + timedelta(seconds=20 * index),
        key=f"{session + 1}:{index + 1}",
    )


def plain_triple(
    number: int,
    subject: Entity,
    predicate: str,
    value: Entity,
    source: SourceSentence,
    *,
    polarity: Polarity = Polarity.POSITIVE,
) -> Triple:
    return Triple(
        id=number,
        subject=subject,
        predicate=predicate,
        object=value.label,
        object_id=value.id,
        polarity=polarity,
        tense=Tense.PRESENT,
        valid_from=None,
        valid_to=None,
        recorded_at=source.said_at,
        superseded_at=None,
        confidence=1.0,
        source=source,
        span=Span(0, 1),
        object_kind=value.kind,
    )
