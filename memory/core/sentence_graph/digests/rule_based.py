"""Digests without a language model (SGMem, Appendices B.3 to B.5): the built-in engine's share.

Departures from the paper:
- A summary is made of the session's own sentences, the most central ones by their vectors, each with who said it. It
  invents nothing, and it leaves out more than a model's.
- Facts are the speaker's own words told in the third person (`FactTeller`), one source sentence each.
- An insight says what recurs: one person's doing, liking or topic that facts of several days share. Why, and what
  follows from it, is left to a model.

Facts of a round that its statement tells already: who reads a round whole writes nothing twice.

Departures from the paper:
- The paper asks for facts in a call of its own (SGMem, Appendix B.4). A statement whose sentences name their
  people and dates, and the line that each rests on, says the same.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.core.grounding import Grounds
from memory.core.ports import FactTeller, TopicReader
from memory.core.sentence_graph.digests.types import DatedFact, Insight, RoundWords, SessionWords, Summary, ToldFact
from memory.core.types import Role, Topic, TopicKind, Utterance

# Praise, thanks and advice are about the one whom they are said to.
_TO_SOMEBODY = re.compile(
    r"\b(?:you|your|yours|yourself|yourselves|you['’]\w+|let['’]s|thanks|thank|congrats)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class RuleBasedSummaryConfig:
    """Our choices: the number of sentences of a summary, the length of each, and the largest cosine between two of them.

    A sentence with fewer than `fewest_words` words is mostly a greeting or an assent.
    """

    sentences: int = 5
    fewest_words: int = 5
    longest: int = 300
    too_alike: float = 0.8


class RuleBasedSummaryWriter:
    """A `SummaryWriter` that quotes the most central sentences of a session."""

    def __init__(self, *, config: RuleBasedSummaryConfig = RuleBasedSummaryConfig()) -> None:
        self._config = config

    def write_many(self, sessions: Sequence[SessionWords]) -> list[Summary]:
        return [self._summary(session) for session in sessions]

    def _summary(self, session: SessionWords) -> Summary:
        told = [place for place, said in enumerate(session.sentences) if self._tells(said)]
        places = [place for place in told if not _TO_SOMEBODY.search(session.sentences[place].text)] or told
        if not places:
            return Summary()
        vectors = session.vectors[places].astype(np.float64)
        centrality = vectors @ vectors.mean(axis=0)
        chosen: list[int] = []
        for index in np.argsort(-centrality, kind="stable"):
            if all(float(vectors[index] @ vectors[other]) < self._config.too_alike for other in chosen):
                chosen.append(int(index))
            if len(chosen) == self._config.sentences:
                break
        kept = sorted(places[index] for index in chosen)
        return Summary(_quoted([session.sentences[place] for place in kept]), tuple(kept))

    def _tells(self, said: Utterance) -> bool:
        text = said.text.strip()
        is_told = len(text.split()) >= self._config.fewest_words and len(text) <= self._config.longest
        return is_told and said.role is Role.USER and not text.rstrip("\"'”’)!").endswith("?")


class RuleBasedFactWriter:
    """A `FactWriter` over what tells facts."""

    def __init__(self, *, teller: FactTeller) -> None:
        self._teller = teller

    def write_many(self, rounds: Sequence[RoundWords]) -> list[list[ToldFact]]:
        return [self._facts(one) for one in rounds]

    def _facts(self, one: RoundWords) -> list[ToldFact]:
        told = self._teller.tell_many(one.sentences, context=one.context)
        facts = {text: ToldFact(text, place) for place, texts in reversed(list(enumerate(told))) for text in texts}
        return sorted(facts.values(), key=lambda fact: fact.source)


@dataclass(frozen=True)
class RuleBasedInsightConfig:
    """On how many different days a thing must be told to be called recurring; our choices.

    What somebody does or likes recurs after two days. A topic that is only named needs three.
    """

    days: int = 2
    days_named: int = 3
    insights: int = 8


class RuleBasedInsightWriter:
    """An `InsightWriter` that counts what recurs."""

    def __init__(self, *, topics: TopicReader, config: RuleBasedInsightConfig = RuleBasedInsightConfig()) -> None:
        self._topics = topics
        self._config = config

    def write_many(self, groups: Sequence[Sequence[DatedFact]]) -> list[list[Insight]]:
        return [self._insights(facts) for facts in groups]

    def _insights(self, facts: Sequence[DatedFact]) -> list[Insight]:
        mentions: dict[tuple[str, str], list[tuple[int, Topic]]] = defaultdict(list)
        for place, topics in enumerate(self._topics.read_many([fact.text for fact in facts])):
            for topic in topics:
                mentions[topic.person, topic.key].append((place, topic))
        found = [insight for told in mentions.values() if (insight := self._insight(facts, told)) is not None]
        by_facts: dict[tuple[int, ...], Insight] = {}
        for insight in found:
            # Two topics of the same facts are one pattern.
            by_facts.setdefault(insight.merges, insight)
        return sorted(by_facts.values(), key=lambda one: (-len(one.merges), one.merges))[: self._config.insights]

    def _insight(self, facts: Sequence[DatedFact], told: Sequence[tuple[int, Topic]]) -> Insight | None:
        places = tuple(sorted({place for place, _ in told}))
        days = sorted({facts[place].said_at.date() for place in places})
        done = {facts[place].said_at.date() for place, topic in told if topic.kind is TopicKind.DONE}
        is_liked = any(topic.kind is TopicKind.LIKED for _, topic in told)
        needed = self._config.days if len(done) >= self._config.days or is_liked else self._config.days_named
        if len(days) < needed:
            return None
        kind = TopicKind.DONE if len(done) >= self._config.days else TopicKind.LIKED if is_liked else TopicKind.NAMED
        latest = max(facts[place].said_at for place in places)
        first = min(facts[place].said_at for place in places)
        pattern = _pattern(told, kind)
        return Insight(f"{pattern}: told on {len(days)} days between {_day(first)} and {_day(latest)}.", places, latest)


def _pattern(told: Sequence[tuple[int, Topic]], kind: TopicKind) -> str:
    """Return the wording of what recurs that was used most often."""
    person = told[0][1].person
    words = Counter(topic.words for _, topic in told if topic.kind is kind).most_common(1)[0][0]
    if kind is TopicKind.DONE:
        return f"{person} {words} time and again"
    if kind is TopicKind.LIKED:
        return f"{person} likes {words} and keeps coming back to it"
    return f"{person} often speaks of {words}"


def _quoted(sentences: Sequence[Utterance]) -> str:
    """Return sentences with their speakers; consecutive sentences of one speaker are joined."""
    parts: list[str] = []
    last = ""
    for said in sentences:
        words = " ".join(said.text.split())
        parts.append(words if said.speaker == last else f"{said.speaker}: {words}")
        last = said.speaker
    return " ".join(parts)


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B} {moment.year}"


class StatementFactWriter:
    """A `FactWriter` that takes what a round's statement says of people from their own words."""

    def write_many(self, rounds: Sequence[RoundWords]) -> list[list[ToldFact]]:
        """Return of each round the sentences of its statement that rest on a person's words and name somebody."""
        return [_told(one) for one in rounds]


def _told(one: RoundWords) -> list[ToldFact]:
    people = {said.speaker for said in (*one.context, *one.sentences) if said.role is Role.USER}
    grounds = Grounds(said.text for said in (*one.context, *one.sentences))
    return [
        ToldFact(text, source)
        for text, source in zip(one.statement.sentences, one.statement.sources, strict=True)
        if one.sentences[source].role is Role.USER and grounds.names_one_of(text, people)
    ]
