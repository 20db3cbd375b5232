"""Writers of digests without rules of English: a fact is what a user said, an insight that facts share a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.core.sentence_graph.digests.types import (
    DatedFact,
    DigestWriters,
    Insight,
    RoundWords,
    SessionWords,
    Summary,
    ToldFact,
)
from memory.core.types import Role


class JoiningSummaries:
    """Sums a session up by its first and last sentence; `before` is called first."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.before = before
        self.asked: list[SessionWords] = []

    def write_many(self, sessions: Sequence[SessionWords]) -> list[Summary]:
        self.before()
        self.asked += sessions
        return [
            Summary(
                f"{session.sentences[0].text} ... {session.sentences[-1].text}", (0, len(session.sentences) - 1), True
            )
            for session in sessions
        ]


class SayingFacts:
    """Tells each of a user's sentences as a fact."""

    def write_many(self, rounds: Sequence[RoundWords]) -> list[list[ToldFact]]:
        return [
            [
                ToldFact(f"{said.speaker} says: {said.text}", place)
                for place, said in enumerate(one.sentences)
                if said.role is Role.USER
            ]
            for one in rounds
        ]


class SharingInsights:
    """Finds one insight: the facts that have the last word of the newest."""

    def __init__(self) -> None:
        self.asked: list[list[DatedFact]] = []

    def write_many(self, groups: Sequence[Sequence[DatedFact]]) -> list[list[Insight]]:
        self.asked += [list(group) for group in groups]
        return [self._insights(group) for group in groups]

    def _insights(self, facts: Sequence[DatedFact]) -> list[Insight]:
        word = facts[-1].text.rstrip(".").split()[-1]
        merges = tuple(place for place, fact in enumerate(facts) if word in fact.text)
        latest = max(facts[place].said_at for place in merges)
        return [Insight(f"It is all about {word}.", merges, latest)] if len(merges) > 1 else []


def plain_digests() -> DigestWriters:
    return DigestWriters(name="plain", summaries=JoiningSummaries(), facts=SayingFacts(), insights=SharingInsights())
