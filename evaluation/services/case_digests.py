"""Writes the digests of a benchmark's case by an engine: summaries of sessions, facts of rounds, insights over facts.

The product writes digests while a dialogue goes on. A measurement has the whole dialogue, so each is written once: a summary
of a whole session, and insights over every `INSIGHT_FACTS` facts in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.retrieval import Sources
from evaluation.core.types import Case, CaseSession, CaseTurn
from evaluation.services.case_index import CaseDigests, spoken_rounds, utterance
from memory.core.ports import Embedder, SentenceSegmenter
from memory.core.sentence_graph.digests.types import DatedFact, DigestWriters, RoundWords, SessionWords
from memory.core.sentence_graph.in_memory import WrittenDigest
from memory.core.types import Unit, Utterance

CONTEXT_TURNS = 20
INSIGHT_FACTS = 40


@dataclass(frozen=True)
class SaidSentence:
    """A sentence, and the key of its turn."""

    said: Utterance
    turn: CaseTurn


@dataclass(frozen=True)
class KnownDigest:
    """A digest with its sources."""

    digest: WrittenDigest
    sources: Sources


def case_digests(
    case: Case, *, writers: DigestWriters, embedder: Embedder, segmenter: SentenceSegmenter
) -> CaseDigests:
    """Return the digests of a case."""
    facts = [
        fact
        for place, session in enumerate(case.sessions, start=1)
        for fact in session_facts(session, place, writers, segmenter)
    ]
    known = [
        *session_summaries(case.sessions, writers=writers, embedder=embedder, segmenter=segmenter),
        *facts,
        *insights(facts, writers),
    ]
    return CaseDigests([one.digest for one in known], [one.sources for one in known])


def sentences_of(turns: Sequence[CaseTurn], segmenter: SentenceSegmenter) -> list[SaidSentence]:
    """Return the sentences of turns as `Utterance`s, with the number of line breaks before each."""
    found: list[SaidSentence] = []
    for turn, spans in zip(turns, segmenter.segment_many([turn.text for turn in turns]), strict=True):
        end = spans[0].span.start if spans else 0
        for span in spans:
            breaks = turn.text[end : span.span.start].count("\n")
            found.append(SaidSentence(Utterance(turn.speaker, turn.role, span.text, turn.said_at, breaks), turn))
            end = span.span.end
    return found


def session_summaries(
    sessions: Sequence[CaseSession], *, writers: DigestWriters, embedder: Embedder, segmenter: SentenceSegmenter
) -> Iterator[KnownDigest]:
    """Yield a summary of each session that has content; its source is the session, not single turns."""
    for place, session in enumerate(sessions, start=1):
        sentences = sentences_of(session.turns, segmenter)
        if not sentences:
            continue
        vectors = embedder.embed([one.said.text for one in sentences])
        [summary] = writers.summaries.write_many([SessionWords(tuple(one.said for one in sentences), vectors)])
        if summary.text:
            digest = WrittenDigest(Unit.SUMMARY, summary.text, sentences[-1].said.said_at, session=place)
            yield KnownDigest(digest, Sources(sessions=frozenset([session.key])))


def session_facts(
    session: CaseSession, place: int, writers: DigestWriters, segmenter: SentenceSegmenter
) -> Iterator[KnownDigest]:
    """Yield the facts of a session's rounds, each with the turn that states it."""
    before: list[CaseTurn] = []
    for turns in spoken_rounds(session.turns):
        sentences = sentences_of(turns, segmenter)
        context = tuple(map(utterance, before[-CONTEXT_TURNS:]))
        [told] = writers.facts.write_many([RoundWords(tuple(one.said for one in sentences), context)])
        for fact in told:
            source = sentences[fact.source]
            digest = WrittenDigest(Unit.FACT, fact.text, source.said.said_at, session=place)
            yield KnownDigest(digest, Sources(frozenset([session.key]), frozenset([source.turn.key])))
        before += turns


def insights(facts: Sequence[KnownDigest], writers: DigestWriters) -> Iterator[KnownDigest]:
    """Yield insights over groups of facts, each with the sources of the facts that it merges."""
    groups = [facts[start : start + INSIGHT_FACTS] for start in range(0, len(facts), INSIGHT_FACTS)]
    dated = [[DatedFact(fact.digest.text, fact.digest.said_at) for fact in group] for group in groups]
    for group, written in zip(groups, writers.insights.write_many(dated), strict=True):
        for insight in written:
            merged = [group[one].sources for one in insight.merges]
            yield KnownDigest(
                WrittenDigest(Unit.INSIGHT, insight.text, insight.said_at),
                Sources(
                    frozenset(key for sources in merged for key in sources.sessions),
                    frozenset(key for sources in merged for key in sources.turns),
                ),
            )
