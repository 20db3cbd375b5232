"""Generating replies by each way of giving knowledge, and scoring them (DRG, Tables 2 and 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.opendialkg import GroundedTurn
from evaluation.core.interval_rows import grouped, mean_row
from evaluation.core.proposition_match import nearest_f1
from evaluation.core.report import Row
from evaluation.core.text_metrics import bleu_4, entities_in, entity_f1, rouge_l
from evaluation.services.facts import score_rows
from evaluation.services.grounded_prompts import CANDIDATES, SYSTEM, WayToGround, grounded_prompts, with_speakers
from memory.bootstrap.engines import Engine
from memory.bootstrap.roles import SPLIT_FACTS, VERIFY_FACTS, WRITE_ANSWER
from memory.bootstrap.tools import parser, segmenter
from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeTriple
from memory.core.grounded_generation.selection import Bm25Scorer, select
from memory.core.grounded_generation.verification import FactStatus, FactsToVerify, Ground
from memory.core.types import SamplingConfig

EVIDENCE = 20
AT_ONCE = 16
SAMPLING = SamplingConfig(temperature=0.0, max_tokens=256)


@dataclass(frozen=True)
class GeneratedReply:
    """A reply to a turn by one way, what is known of its facts, and why there is none where there is none."""

    way: str
    turn: GroundedTurn
    knowledge: tuple[KnowledgeTriple, ...]
    text: str
    statuses: tuple[FactStatus, ...] = ()
    error: str = ""


def generation_evaluate(
    turns: Sequence[GroundedTurn],
    index: KnowledgeIndex,
    ways: Sequence[WayToGround],
    engine: Engine,
    *,
    judge: Engine,
    quiet: bool = False,
) -> list[GeneratedReply]:
    """Return the reply of each way to each turn, with the verdicts on its facts. A turn that fails has an empty reply.

    `engine` writes the replies; `judge` says dialogues in full, selects triples, and splits and verifies facts.
    """
    replies: list[GeneratedReply] = []
    with progress_bar(len(turns) * len(ways), title="generation", unit="replies", hidden=quiet) as bar:
        for start in range(0, len(turns), AT_ONCE):
            some = turns[start : start + AT_ONCE]
            for way in ways:
                replies += verified(generated(some, index, way, engine, judge=judge), index, judge)
                bar.update(len(some))
    return replies


def generated(
    turns: Sequence[GroundedTurn], index: KnowledgeIndex, way: WayToGround, engine: Engine, *, judge: Engine
) -> list[GeneratedReply]:
    chosen, prompts, errors = zip(*grounded_prompts(turns, index, way, judge), strict=True)
    outcomes = engine.player(WRITE_ANSWER).complete_many(prompts, config=SAMPLING)
    return [
        GeneratedReply(way.name, turn, triples, "", error=error or str(outcome))
        if error or isinstance(outcome, Exception)
        else GeneratedReply(way.name, turn, triples, outcome.text.strip())
        for turn, triples, error, outcome in zip(turns, chosen, errors, outcomes, strict=True)
    ]


def verified(replies: Sequence[GeneratedReply], index: KnowledgeIndex, engine: Engine) -> list[GeneratedReply]:
    """Return the replies with a status a fact: by the triples that they were to be written from, and those like them."""
    facts = engine.player(SPLIT_FACTS).split_many([one.text for one in replies])
    asked = [
        FactsToVerify(
            facts=tuple(fact.text for fact in own),
            speaker=SYSTEM,
            dialogue=tuple(Ground(text, speaker=speaker) for speaker, text in with_speakers(one.turn.dialogue)),
            evidence=tuple(Ground(triple.text) for triple in evidence_for(one, index)),
        )
        for one, own in zip(replies, facts, strict=True)
    ]
    verdicts = engine.player(VERIFY_FACTS).verify_many(asked)
    return [
        GeneratedReply(one.way, one.turn, one.knowledge, one.text, tuple(each.status for each in own), one.error)
        for one, own in zip(replies, verdicts, strict=True)
    ]


def evidence_for(one: GeneratedReply, index: KnowledgeIndex) -> list[KnowledgeTriple]:
    near = index.candidates([*one.turn.dialogue, one.text], limit=CANDIDATES)
    found = select(Bm25Scorer(), [one.text], near, limit=EVIDENCE)
    return list(dict.fromkeys([*one.turn.gold, *found]))


def generation_rows(
    replies: Sequence[GeneratedReply], *, perplexities: Callable[[Sequence[str]], list[float | None]] | None = None
) -> list[Row]:
    """Return the rows of each way. Failed replies count as empty ones, and are counted."""
    return [
        row for way, own in grouped(replies, lambda one: one.way).items() for row in _way_rows(way, own, perplexities)
    ]


def _way_rows(
    way: str,
    replies: Sequence[GeneratedReply],
    perplexities: Callable[[Sequence[str]], list[float | None]] | None,
) -> list[Row]:
    texts, wanted = [one.text for one in replies], [one.turn.response for one in replies]
    count, pairs = len(replies), list(zip(texts, wanted, strict=True))
    named = list(zip(entities_of(texts), entities_of(wanted), strict=True))

    def mean_of(metric: str, values: Sequence[float | None]) -> Row:
        clusters: dict[str, list[float]] = {}
        for one, value in zip(replies, values, strict=True):
            if value is not None:
                clusters.setdefault(one.turn.dialogue[0], []).append(value)
        return mean_row(way, metric, clusters, none="nothing could be measured")

    rows = [
        *score_rows(way, [status for one in replies for status in one.statuses]),
        Row(way, "bleu_4", bleu_4(texts, wanted), unit="ratio", n=count),
        mean_of("rouge_l", [rouge_l(*pair) for pair in pairs]),
        mean_of("word_f1", [nearest_f1(text, [other]) for text, other in pairs]),
        mean_of("entity_f1", [entity_f1(*pair) for pair in named]),
    ]
    if perplexities is not None:
        known = [value for value in perplexities([text for text in texts if text]) if value is not None]
        mean = fmean(known) if known else None
        rows.append(Row(way, "perplexity", mean, n=len(known), why="" if known else "no reply has two tokens"))
    failed = [one.error for one in replies if one.error]
    return [*rows, Row(way, "failed", len(failed), unit="replies", n=count, why=failed[0])] if failed else rows


def entities_of(texts: Sequence[str]) -> list[set[str]]:
    sentences = segmenter().segment_many(texts)
    parses = iter(parser().parse_many([one.text for some in sentences for one in some]))
    return [{name for _ in some for name in entities_in(next(parses))} for some in sentences]
