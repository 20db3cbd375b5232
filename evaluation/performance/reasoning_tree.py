"""`bench reasoning-tree`: the waiting time of the reasoning tree, compared with Algorithm 2 and with a plain reply.

A local server of the chat completions API answers every call after the same time, with replies that depend on the prompt
alone, so that all forms get the same ones. `ours`, `sequential` and `plain` answer at the greatest depth only: the tree is
as large as it can be. For `printed` and `early` a good answer comes in the third level: the search as Algorithm 2
is printed, and the one that ends there.
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.conf import settings

from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.core.sequential_search import OneAfterTheOther, sequential_search, shared_share
from evaluation.performance.costs import BenchOption
from evaluation.performance.dialogue import plain_triple
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
    Prompt,
    SamplingConfig,
    SourceSentence,
    Triple,
)

HELP = "wall time, calls and waits of the reasoning tree: as printed, ended early, call by call; and of a plain reply"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("latency-ms", float, 50.0, "after how long the server answers each call (default: 50)"),
    BenchOption("repetitions", int, 3, "how often each form is measured; the median is shown (default: 3)"),
)
CONFIG = SearchConfig()
SURE = 0.95
EARLY = SearchConfig(enough=0.9, answers_last=True)
ASKED = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)
QUERY = SearchQuery("Which way leads to the goal?", "Ana", ASKED, entries=(Entity(0, "The goal"),))
STEP = re.compile(r"^\d+\. ", re.MULTILINE)
NUMBER = re.compile(r"request number (\d+) of")
DETOUR = re.compile(r"^\d+\. (?:FIND PATH|THINK)", re.MULTILINE)
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
            return Rule(reply={name: self.grade(digest[place], message) for place, name in enumerate(GRADES)})
        depth, sample = self.depth(message, int(number[1])), int(number[1])
        return Rule(reply=step_reply(depth, sample, digest.hex()[:8]))

    def depth(self, message: str, sample: int) -> int:
        return len(STEP.findall(message))

    def grade(self, byte: int, message: str) -> float:
        # The state that M_exp leaves no room for is no better than an answer.
        return (byte / 255 + ("ANSWER: " in message)) / 2


class SureScript(WayScript):
    """The same, but the way of first samples is the best one and has an answer in the third level, as good as any."""

    def depth(self, message: str, sample: int) -> int:
        depth = super().depth(message, sample)
        return CONFIG.max_depth - 1 if depth == 2 and sample == 1 and not DETOUR.search(message) else depth

    def grade(self, byte: int, message: str) -> float:
        if "ANSWER: " in message:
            return SURE
        return SURE / 2 * (1 + byte / 256 if DETOUR.search(message) else 1.99)


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
        source = SourceSentence(number, f"{subject} leads to {value}.", "Ana", ASKED, number)
        self._triples.append(plain_triple(number, ends[0], "leadsTo", ends[1], source))


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return wall time (median), calls, waits and shared prefixes of the forms, and their ratios.

    Raises `EvaluationError` where searches that should answer the same do not.
    """
    latency_ms, repetitions = options["latency-ms"], max(1, options["repetitions"])
    group = f"{latency_ms:g} ms"
    with ScriptedServer([], config=ServerConfig(latency_s=latency_ms / 1000)) as server:
        model = HttpLanguageModel(server.base_url, "", "scripted", concurrency=settings.DSMART_HTTP_CONCURRENCY)
        server.script = WayScript(())
        plain_taken(model)  # The first call opens a connection.
        forms: dict[str, list[Taken]] = {}
        shares: dict[str, float] = {}
        for script, searches in ((WayScript(()), LARGEST), (SureScript(()), ENDED_EARLY)):
            server.script = script
            for name, taken in searches.items():
                before = len(server.requests)
                first = taken(model)
                shares[name] = shared_share([json.dumps(one.body["messages"]) for one in server.requests[before:]])
                forms[name] = [first, *(taken(model) for _ in range(1, repetitions))]
    for same in SAME_ANSWER:
        answers = {taken.answer for name in same for taken in forms[name]}
        if len(answers) != 1 or not answers.isdisjoint({""}):
            raise EvaluationError(
                f"The search did not always answer the same: {', '.join(map(repr, sorted(answers)))}."
            )
    wall = {name: statistics.median(taken.wall_ms for taken in runs) for name, runs in forms.items()}
    rows = []
    for name, (first, *_) in forms.items():
        rows += [
            Row(name, "wall_ms", wall[name], unit="ms", n=repetitions, group=group),
            Row(name, "calls", first.calls, unit="calls", group=group),
            Row(name, "waits", first.waits, unit="waits", group=group),
            Row(name, "shared_prefix_share", shares[name], unit="ratio", n=first.calls, group=group),
        ]
    return [
        *rows,
        Row("ours", "ratio_to_sequential", wall["ours"] / wall["sequential"], unit="ratio", n=repetitions, group=group),
        Row("ours", "ratio_to_plain", wall["ours"] / wall["plain"], unit="ratio", n=repetitions, group=group),
        Row("ours", "same_answer", 1, unit="ratio", n=2 * repetitions, group=group),
        Row("early", "ratio_to_printed", wall["early"] / wall["printed"], unit="ratio", n=repetitions, group=group),
        Row("early", "same_answer", 1, unit="ratio", n=2 * repetitions, group=group),
    ]


def levels_taken(model: LanguageModel, *, config: SearchConfig = CONFIG) -> Taken:
    """Run the search by levels."""
    ways, began = Ways(config.max_depth), time.perf_counter()
    *_, last = beam_search(
        QUERY,
        policy=PromptedPolicy(model, render_triple=spelled),
        value=PromptedValue(model, render_triple=spelled),
        walker=ways,
        resolver=ways,
        config=config,
    )
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


Form = Callable[[LanguageModel], Taken]
LARGEST: Mapping[str, Form] = {
    "ours": levels_taken,
    "sequential": lambda model: sequential_taken(model),
    "plain": plain_taken,
}
ENDED_EARLY: Mapping[str, Form] = {
    "printed": levels_taken,
    "early": partial(levels_taken, config=EARLY),
}
SAME_ANSWER = (("ours", "sequential"), ("printed", "early"))
