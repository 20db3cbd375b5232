"""Parts of memory backbones that read sentences like "Ann livesIn Paris." and sum up by quoting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from memory.adapters.segmenter import SyntokSegmenter
from memory.bootstrap.backbones import RulesAndMore, remember, said_of, told
from memory.core.backbones.catalogue import Parts
from memory.core.backbones.units import Gist
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.types import Fact, GraphFragment, Node, Polarity, Role, Span, Utterance
from tests.fakes.memory import EARLY, BagOfStems
from tests.fakes.spoken import index_of

_TRIPLE = re.compile(r"^(not )?(\w+) ([a-z]+[A-Z]?\w*) ([\w ]+)[.!]$")


class NotationExtractor:
    """Reads "Ann livesIn Paris." and "not Ann livesIn Paris.", and nothing else. `calls` counts."""

    calls = 0

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        self.calls += 1
        return [GraphFragment(facts_in(said.text)) for said in sentences]


class QuotingTeller:
    """Tells the sentences that `NotationExtractor` reads, as they are."""

    def tell_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[list[str]]:
        return [[said.text] if _TRIPLE.match(said.text) else [] for said in sentences]


class QuotingSummariser:
    """Quotes the last three utterances. `groups` are those that were summed up, in order."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []

    def summarise_many(self, groups: Sequence[Sequence[Utterance]]) -> list[Gist]:
        self.groups += [[said.text for said in group] for group in groups]
        return [Gist("In sum: " + " ".join(said.text for said in group[-3:]), tuple(group[-3:])) for group in groups]


def facts_in(sentence: str) -> tuple[Fact, ...]:
    found = _TRIPLE.match(sentence)
    if found is None:
        return ()
    polarity = Polarity.NEGATIVE if found[1] else Polarity.POSITIVE
    return (Fact(Node(found[2], "Person"), found[3], Node(found[4]), Span(0, len(sentence)), polarity),)


def parts() -> Parts:
    index = index_of()
    return Parts(
        said=said_of(index),
        remember=lambda turns: remember(index, turns),
        embedder=BagOfStems(),
        segmenter=SyntokSegmenter(),
        extractor=NotationExtractor(),
        teller=QuotingTeller(),
        conflicts=RulesAndMore(RuleBasedConflictDetector()),
        summarise=QuotingSummariser(),
        tell=told,
    )


def turns(*lines: str, day: int = 0, at: datetime = EARLY) -> list[Utterance]:
    """Return turns such as "Ann: I moved.", one a minute."""
    said = (line.partition(": ") for line in lines)
    began = at + timedelta(days=day)
    return [
        Utterance(speaker, Role.USER, words, began + timedelta(minutes=number))
        for number, (speaker, _, words) in enumerate(said)
    ]
