"""The maintenance stage `digests`: facts of a round, the summary of its session, insights over facts (SGMem, section 3.3).

Its cost does not grow with the space: facts are those of one round, a summary is rewritten when its session's rounds have
doubled, and insights are drawn from the newest facts, those nearest to them, and what earlier insights merged with these.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone
from pgvector.django import CosineDistance

from memory import bootstrap
from memory.core.errors import LanguageModelError
from memory.core.ports import Embedder
from memory.core.sentence_graph.digests.types import (
    DatedFact,
    DigestWriters,
    Insight,
    RoundWords,
    SessionWords,
    ToldFact,
)
from memory.models import DigestRecord, Round, SentenceRecord, Space
from memory.services.round_words import RoundReading, Write, utterances, write_nothing
from memory.services.step_times import step

Kind = DigestRecord.Kind
SOURCES = DigestRecord.sentences.through
MERGES = DigestRecord.merges.through

# Of a longer session only the latest sentences are summed up, behind what the summary before them says.
SUMMARY_SENTENCES = 240
FIRST_SUMMARY = 2
# Insights are drawn each time so many facts came, from at most so many.
INSIGHT_EVERY = 8
INSIGHT_FACTS = 40
NEAREST_EACH = 3
# Where a space's facts show nothing for so long, how many came is not counted any further.
COUNTED_FACTS = 512


@dataclass(frozen=True)
class _Draft:
    """A digest to write down, and the sentences that it rests on."""

    row: DigestRecord
    sentence_ids: tuple[int, ...]


@dataclass(frozen=True)
class _ToSumUp:
    """The sentences that a session's new summary is of, none where it keeps the one before, and that one."""

    sentences: tuple[SentenceRecord, ...]
    before: DigestRecord | None


def write_digests(reading: RoundReading) -> Write:
    """Distil the round; the write replaces the digests that an earlier run of this stage made of it."""
    round = reading.round
    if not reading.session.is_remembered:
        return write_nothing
    writers = bootstrap.digest_writers(bootstrap.engine(bootstrap.still_served(round.engine)))
    embedder = bootstrap.space_embedder(round.space_id, known=reading.space.embedder)
    with step("facts"):
        facts = _facts(reading, writers)
    new = [draft.row for draft in facts]
    with step("embeddings"):
        _embed(new, embedder)
    with step("insights"), transaction.atomic(savepoint=False):
        group = _insight_group(round, new)
    with step("summaries"):
        summaries = _summaries(reading, writers)
    with step("embeddings"):
        _embed([draft.row for draft in summaries], embedder)
    with step("insights"):
        insights = _insights(reading, group, writers, embedder)

    def write(_: Space) -> None:
        taught = DigestRecord.objects.filter(space_id=round.space_id)
        if taught.filter(kind=Kind.FACT, round=round).exists():
            taught.filter(kind=Kind.INSIGHT, merges__round=round).delete()
            taught.filter(kind=Kind.FACT, round=round).delete()
        if summaries:
            taught.filter(kind=Kind.SUMMARY, session_id=round.session_id).delete()
        _commit([*facts, *summaries])
        _commit_insights(insights, group)

    return write


def _facts(reading: RoundReading, writers: DigestWriters) -> list[_Draft]:
    if not reading.sentences:
        return []
    words = RoundWords(tuple(reading.said), tuple(reading.context), reading.statement)
    try:
        [told] = writers.facts.write_many([words])
    except LanguageModelError as error:
        reading.fell_short("No facts were noted of this round.", error)
        return []
    rests = ((fact, reading.sentences[fact.source]) for fact in told)
    return [_fact(reading.round, fact, sentence, writers) for fact, sentence in rests if sentence.is_evidence]


def _fact(round: Round, fact: ToldFact, sentence: SentenceRecord, writers: DigestWriters) -> _Draft:
    row = _digest(Kind.FACT, fact.text, sentence.turn.said_at, writers, round, session_id=round.session_id, round=round)
    return _Draft(row, (sentence.pk,))


def _digest(
    kind: Kind, text: str, said_at: datetime, writers: DigestWriters, learnt_in: Round, **about: Any
) -> DigestRecord:
    space_id = learnt_in.space_id
    return DigestRecord(space_id=space_id, kind=kind, text=text, said_at=said_at, engine=writers.name, **about)


def words_to_sum_up(reading: RoundReading) -> _ToSumUp:
    """Return what the session's new summary is of where its rounds have doubled, or where it has none; else nothing."""
    round = reading.round
    with step("summaries"):
        before = DigestRecord.objects.filter(kind=Kind.SUMMARY, session_id=round.session_id).first()
        rounds = Round.objects.filter(session_id=round.session_id, index__lte=round.index).count()
        has_doubled = rounds & (rounds - 1) == 0
        is_due = rounds >= FIRST_SUMMARY and (has_doubled or before is None)
        return _ToSumUp(tuple(_session_sentences(round)) if is_due else (), before)


def _summaries(reading: RoundReading, writers: DigestWriters) -> list[_Draft]:
    """Return the session's new summary, of its sentences and the summary before; nothing without sentences."""
    round, told = reading.round, reading.once(words_to_sum_up)
    sentences, before = told.sentences, told.before
    if not sentences:
        return []
    words = SessionWords(
        tuple(utterances(sentences)),
        np.asarray([sentence.embedding for sentence in sentences], dtype=np.float32),
        before.text if before is not None else "",
    )
    try:
        [summary] = writers.summaries.write_many([words])
    except LanguageModelError as error:
        reading.fell_short("The conversation was not summed up.", error)
        return []
    if not summary.text:
        return []
    sources = [sentences[place].pk for place in summary.sources]
    if summary.goes_on and before is not None:
        sources += before.sentences.values_list("pk", flat=True)
    said_at = sentences[-1].turn.said_at
    row = _digest(Kind.SUMMARY, summary.text, said_at, writers, round, session_id=round.session_id)
    return [_Draft(row, tuple(dict.fromkeys(sources)))]


def _session_sentences(round: Round) -> list[SentenceRecord]:
    """Return the latest evidence of the session up to the round that its people gave in their own voice, in order."""
    said = SentenceRecord.objects.filter(
        turn__session_id=round.session_id, turn__round__index__lte=round.index, is_own=True, is_evidence=True
    )
    latest = (
        said.exclude(embedding=None)
        .select_related("turn")
        .defer("search", "turn__search")
        .order_by("-turn__index", "-index")[:SUMMARY_SENTENCES]
    )
    return list(reversed(latest))


def _insight_group(round: Round, new: Sequence[DigestRecord]) -> list[DigestRecord]:
    """Return the facts to draw insights from, the oldest first, where enough came since the last insight; else none.

    They are the newest, the older ones nearest to each that is new, and what earlier insights merged with these.
    """
    if not new:
        return []
    told = DigestRecord.objects.filter(space_id=round.space_id, kind=Kind.FACT).exclude(round=round)
    drawn = DigestRecord.objects.filter(space_id=round.space_id, kind=Kind.INSIGHT).exclude(merges__round=round)
    last = drawn.order_by("-id").values_list("pk", flat=True).first()
    since = told.filter(pk__gt=last) if last is not None else told
    before = since.order_by("-id")[:COUNTED_FACTS].count()
    is_due = before // INSIGHT_EVERY != (before + len(new)) // INSIGHT_EVERY
    if before == COUNTED_FACTS:
        is_due = round.index % INSIGHT_EVERY == 0
    if not is_due:
        return []
    missing = max(0, INSIGHT_EVERY - len(new))
    newest = [*told.order_by("-id").defer("embedding")[:missing]] if missing else []
    found = {fact.pk: fact for fact in newest}
    older = told.exclude(embedding=None).exclude(pk__in=list(found))
    for fact in new[-INSIGHT_EVERY:]:
        near = older.order_by(CosineDistance("embedding", fact.embedding))
        found |= {other.pk: other for other in near.defer("embedding")[:NEAREST_EACH]}
    merged = told.filter(merged_in__merges__in=list(found)).exclude(pk__in=list(found)).distinct().defer("embedding")
    room = max(0, INSIGHT_FACTS - len(found) - len(new))
    known = [*found.values(), *merged.order_by("-id")[:room]]
    return [*sorted(known, key=lambda fact: (fact.said_at, fact.pk)), *new][-INSIGHT_FACTS:]


def _insights(
    reading: RoundReading, group: Sequence[DigestRecord], writers: DigestWriters, embedder: Embedder
) -> list[tuple[Insight, DigestRecord]]:
    if len(group) < 2:
        return []
    facts = [DatedFact(fact.text, timezone.localtime(fact.said_at)) for fact in group]
    try:
        [insights] = writers.insights.write_many([facts])
    except LanguageModelError as error:
        reading.fell_short("No insights were drawn.", error)
        return []
    rows = [_digest(Kind.INSIGHT, one.text, one.said_at, writers, reading.round) for one in insights]
    _embed(rows, embedder)
    return list(zip(insights, rows, strict=True))


def _embed(rows: Sequence[DigestRecord], embedder: Embedder) -> None:
    vectors = embedder.embed([row.text for row in rows]) if rows else ()
    for row, vector in zip(rows, vectors, strict=True):
        row.embedding = vector


def _commit(drafts: Sequence[_Draft]) -> None:
    if not drafts:
        return
    DigestRecord.objects.bulk_create([draft.row for draft in drafts])
    _link({draft.row.pk: draft.sentence_ids for draft in drafts})


def _commit_insights(insights: Sequence[tuple[Insight, DigestRecord]], group: Sequence[DigestRecord]) -> None:
    """Write insights down in the place of those whose facts they merge too; none over a fact that is gone since."""
    if not insights:
        return
    there = set(DigestRecord.objects.filter(pk__in=[fact.pk for fact in group]).values_list("pk", flat=True))
    merges = {
        id(row): pks for insight, row in insights if (pks := {group[place].pk for place in insight.merges}) <= there
    }
    rows = [row for _, row in insights if id(row) in merges]
    if not rows:
        return
    earlier = DigestRecord.objects.filter(kind=Kind.INSIGHT, merges__in=there).distinct().prefetch_related("merges")
    outdone = [
        old.pk
        for old in earlier.defer("embedding")
        if any({fact.pk for fact in old.merges.all()} <= pks for pks in merges.values())
    ]
    DigestRecord.objects.filter(pk__in=outdone).delete()
    DigestRecord.objects.bulk_create(rows)
    MERGES.objects.bulk_create(
        MERGES(from_digestrecord_id=row.pk, to_digestrecord_id=pk) for row in rows for pk in sorted(merges[id(row)])
    )
    said = defaultdict[int, list[int]](list)
    for fact_id, sentence_id in SOURCES.objects.filter(digestrecord_id__in=there).values_list(
        "digestrecord_id", "sentencerecord_id"
    ):
        said[fact_id].append(sentence_id)
    _link({row.pk: {one for pk in merges[id(row)] for one in said[pk]} for row in rows})


def _link(sentences: Mapping[int, Iterable[int]]) -> None:
    SOURCES.objects.bulk_create(
        [
            SOURCES(digestrecord_id=digest_id, sentencerecord_id=sentence_id)
            for digest_id, sentence_ids in sentences.items()
            for sentence_id in sorted(sentence_ids)
        ],
        batch_size=1000,
    )
