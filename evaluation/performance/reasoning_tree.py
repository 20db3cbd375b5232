"""`bench reasoning-tree`: the waiting time of the reasoning tree, compared with Algorithm 2 and with a plain reply.

A local server of the chat completions API answers every call after the same time, with replies that depend on the prompt
alone, so that all forms get the same ones. States answer at the greatest depth only: the tree is as large as it can be.
"""

from __future__ import annotations

import hashlib
import re
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.core.sequential_search import OneAfterTheOther, sequential_search
from evaluation.performance.options import BenchOption
from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.scripted import Rule, Script
from memory.adapters.language_models.scripted_server import ScriptedServer, ServerConfig
from memory.core.ports import LanguageModel
from memory.core.reasoning_tree.prompted import PromptedPolicy, PromptedValue
from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import SearchConfig, SearchQuery, SearchResult
from memory.core.types import (
    Entity,
    Expansion,
    GraphPath,
    Message,
    MessageRole,
    PathSearch,
    Polarity,
    Prompt,
    SamplingConfig,
    SourceSentence,
    Span,
    Tense,
    Triple,
)

HELP = "wall time, calls and waits of the reasoning tree, one call after the other, and of a plain reply"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("latency-ms", float, 50.0, "after how long the server answers each call (default: 50)"),
    BenchOption("repetitions", int, 3, "how often each form is measured; the median is shown (default: 3)"),
)
CONFIG = SearchConfig()
ASKED = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)
QUERY = SearchQuery("Which way leads to the goal?", "Ana", ASKED)
STEP = re.compile(r"^\d+\. ", re.MULTILINE)
NUMBER = re.compile(r"request number (\d+) of")
GRADES = ("accuracy", "completeness", "clarity", "relevance", "progress", "potential")


@dataclass(frozen=True)
class Taken:
    """The cost of one run of a form, and its answer."""

    wall_ms: float
    calls: int
    waits: int
    answer: str = ""


class WayScript(Script):
    """The scripted replies: each sample goes its own way until the last level answers; the prompt gives the scores."""

    def rule_for(self, message: str) -> Rule:
        digest = hashlib.sha256(message.encode()).digest()
        number = NUMBER.search(message)
        if number is None:
            return Rule(reply={name: digest[place] / 255 for place, name in enumerate(GRADES)})
        return Rule(reply=step_reply(len(STEP.findall(message)), int(number[1]), digest.hex()[:8]))


def step_reply(depth: int, sample: int, mark: str) -> dict[str, str | list[str]]:
    """Return the step that a sample proposes at a depth; it always adds a triple."""
    if depth == CONFIG.max_depth - 1:
        return {"action": "ANSWER", "entities": [], "text": f"The way of sample {sample}, {mark}."}
    if sample == 1:
        return {"action": "EXPAND ENTITY", "entities": [f"Stop {depth}"], "text": ""}
    if sample == 2:
        return {"action": "FIND PATH", "entities": [f"Start {depth}", f"Goal {depth}"], "text": ""}
    return {"action": "THINK", "entities": [], "text": f"The ways part at {depth}, {mark}."}


class Ways:
    """The graph of the bench: stops at each depth, a start and a goal."""

    def __init__(self, depth: int) -> None:
        self._triples: list[Triple] = []
        self._entities: dict[str, Entity] = {}
        for place in range(depth):
            self._learn(f"Stop {place}", f"Sign {place}")
            self._learn(f"Start {place}", f"Goal {place}")

    def resolve_many(self, names: Sequence[str]) -> list[Entity | None]:
        return [self._entities.get(name) for name in names]

    def expand_many(self, groups: Sequence[Sequence[int]], *, hops: int = 1, limit: int = 40) -> list[Expansion]:
        return [Expansion(tuple(one for one in self._triples if one.subject.id in group)) for group in groups]

    def find_paths_many(
        self, pairs: Sequence[tuple[int, int]], *, max_edges: int = 4, limit: int = 5
    ) -> list[PathSearch]:
        return [
            PathSearch(
                tuple(GraphPath((one,)) for one in self._triples if {one.subject.id, one.object_id} == set(pair))
            )
            for pair in pairs
        ]

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        return [one for one in self._triples if one.source.id in sentence_ids][:limit]

    def _learn(self, subject: str, value: str) -> None:
        number = len(self._triples) + 1
        ends = [Entity(2 * number + place, label) for place, label in enumerate((subject, value))]
        self._entities |= {entity.label: entity for entity in ends}
        self._triples.append(
            Triple(
                id=number,
                subject=ends[0],
                predicate="leadsTo",
                object=value,
                object_id=ends[1].id,
                polarity=Polarity.POSITIVE,
                tense=Tense.PRESENT,
                valid_from=None,
                valid_to=None,
                recorded_at=ASKED,
                superseded_at=None,
                confidence=1.0,
                source=SourceSentence(number, f"{subject} leads to {value}.", "Ana", ASKED, number),
                span=Span(0, len(subject)),
            )
        )


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return wall time (median), calls and waits of the three forms, and their ratios.

    Raises `EvaluationError` where the two searches give different answers.
    """
    latency_ms, repetitions = options["latency-ms"], max(1, options["repetitions"])
    group = f"{latency_ms:g} ms"
    with ScriptedServer([], config=ServerConfig(latency_s=latency_ms / 1000)) as server:
        server.script = WayScript(())
        model = HttpLanguageModel(server.base_url, "", "scripted", concurrency=settings.DSMART_HTTP_CONCURRENCY)
        plain_taken(model)  # The first call opens a connection.
        forms = {
            "ours": [ours_taken(model) for _ in range(repetitions)],
            "sequential": [sequential_taken(model) for _ in range(repetitions)],
            "plain": [plain_taken(model) for _ in range(repetitions)],
        }
    answers = {taken.answer for name in ("ours", "sequential") for taken in forms[name]}
    if len(answers) != 1 or not answers.isdisjoint({""}):
        raise EvaluationError(f"The search did not always answer the same: {', '.join(map(repr, sorted(answers)))}.")
    wall = {name: statistics.median(taken.wall_ms for taken in runs) for name, runs in forms.items()}
    rows = []
    for name, (first, *_) in forms.items():
        rows += [
            Row(name, "wall_ms", wall[name], unit="ms", n=repetitions, group=group),
            Row(name, "calls", first.calls, unit="calls", group=group),
            Row(name, "waits", first.waits, unit="waits", group=group),
        ]
    return [
        *rows,
        Row("ours", "ratio_to_sequential", wall["ours"] / wall["sequential"], unit="ratio", n=repetitions, group=group),
        Row("ours", "ratio_to_plain", wall["ours"] / wall["plain"], unit="ratio", n=repetitions, group=group),
        Row("ours", "same_answer", 1, unit="ratio", n=2 * repetitions, group=group),
    ]


def ours_taken(model: LanguageModel) -> Taken:
    """Run the search by levels."""
    ways, began = Ways(CONFIG.max_depth), time.perf_counter()
    policy, value = PromptedPolicy(model, render_triple=spelled), PromptedValue(model, render_triple=spelled)
    *_, last = beam_search(QUERY, policy=policy, value=value, walker=ways, resolver=ways, config=CONFIG)
    wall_ms = (time.perf_counter() - began) * 1000
    if not isinstance(last, SearchResult) or last.best is None or last.failures:
        raise EvaluationError(f"The search failed: {last}")
    return Taken(wall_ms, last.cost.calls, last.waits, last.best.state.answer)


def sequential_taken(model: LanguageModel) -> Taken:
    """Run Algorithm 2 call by call."""
    ways, counted, began = Ways(CONFIG.max_depth), OneAfterTheOther(model), time.perf_counter()
    policy, value = PromptedPolicy(counted, render_triple=spelled), PromptedValue(counted, render_triple=spelled)
    best = sequential_search(QUERY, policy=policy, value=value, walker=ways, resolver=ways, config=CONFIG)
    return Taken((time.perf_counter() - began) * 1000, counted.calls, counted.calls, best.answer)


def plain_taken(model: LanguageModel) -> Taken:
    """Make one call, without memory."""
    prompt = Prompt((Message(MessageRole.USER, QUERY.text),))
    began = time.perf_counter()
    (outcome,) = model.complete_many([prompt], config=SamplingConfig())
    if isinstance(outcome, Exception):
        raise outcome
    return Taken((time.perf_counter() - began) * 1000, 1, 1)


def spelled(triple: Triple, query: SearchQuery) -> str:
    return f"{triple.subject.label} leads to {triple.object}"
