"""`bench backward-chaining`: the waiting time of GOAL-MEM, compared with ReAct and self-reflection over the same memory.

A local server of the chat completions API answers every call after the same time, as a model would that reads well. The
memory tells where posts send their parcels, among other sentences: one question is answered by the first sentence that is
found, one takes three sentences of which each names the next, and one has no answer, so that every way goes as far as it may.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings

from evaluation.core.chaining_rows import mean_rows
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.services.chaining import Measured, measured
from evaluation.services.chaining_ways import Way, backward, forward
from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.scripted import Rule, Script
from memory.adapters.language_models.scripted_server import ScriptedServer, ServerConfig
from memory.core.answering.prompted import PromptedFactAnswerer
from memory.core.answering.read import NOT_KNOWN
from memory.core.backward_chaining.prompted import (
    PromptedGoalDecomposer,
    PromptedSubgoalRefiner,
    PromptedSubgoalUnifier,
)
from memory.core.backward_chaining.prover import ProverConfig
from memory.core.forward_reasoning.baselines import react, self_reflection
from memory.core.forward_reasoning.prompted import PromptedMemoryActor, PromptedPoolReflector
from memory.core.ports import LanguageModel
from memory.core.tracing import as_role
from memory.core.types import MemoryUnit, RetrievalQuery

HELP = "wall time, calls and tokens of GOAL-MEM, ReAct and self-reflection over the same memory"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("latency-ms", float, 50.0, "after how long the server answers each call (default: 50)"),
    BenchOption("repetitions", int, 3, "how often each way is measured; the median is shown (default: 3)"),
)
ASKED = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)
# How many posts the parcels pass; the last question asks for more than any way may look at.
QUESTIONS = {"one hop": 1, "three hops": 3, "no answer": 1_000}
QUESTION = "Where are the parcels of Post 1 after {hops} hops?"
HOPS = re.compile(r"after (\d+) hops")
LINK = re.compile(r"^(?:(\d+)\. )?.*Post (\d+) sends its parcels to Post (\d+)\b", re.MULTILINE)
STATEMENT = re.compile(r"^(\d+)\. \(Post (\d+)\) sends its parcels to \((\w+):post\)$", re.MULTILINE)
OPEN = re.compile(r"^(\d+)\. .*\(\w+:post\):", re.MULTILINE)


class Posts:
    """Implements `Recall`: of the post that a query names, where it sends its parcels, and as many other sentences as fit."""

    name = "posts"
    size = 10_000

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        post = int(re.findall(r"Post (\d+)", query.text)[0])
        texts = [f"Post {post} sends its parcels to Post {post + 1}."]
        texts += [
            f"Counter {counter} of Post {post} was closed for a whole week again." for counter in range(limit - 1)
        ]
        said_at = ASKED - timedelta(days=30)
        return [MemoryUnit(f"{post}.{place}", text, said_at, "Ana") for place, text in enumerate(texts)]


@dataclass(frozen=True)
class Shown:
    """What a prompt shows: how many hops are asked for, and by post the number of the fact that tells the next one."""

    message: str
    hops: int
    links: Mapping[int, int]

    @classmethod
    def of(cls, message: str) -> Shown:
        links = {int(post): int(fact or 0) for fact, post, _ in LINK.findall(message)}
        return cls(message, int(HOPS.findall(message)[-1]), links)

    @property
    def reached(self) -> int:
        return max(self.links, default=0) + 1

    @property
    def is_enough(self) -> bool:
        return self.reached > self.hops

    @property
    def answer(self) -> str:
        return f"Post {self.hops + 1}" if self.is_enough else NOT_KNOWN

    @property
    def next_query(self) -> str:
        return f"parcels of Post {self.reached}"


class PostScript(Script):
    """The replies of a model that reads what it is shown, by what the end of a prompt asks for."""

    def rule_for(self, message: str) -> Rule:
        ending = message.rsplit("\n", 1)[-1]
        reply = next(reply for begins, reply in REPLIES.items() if ending.startswith(begins))
        return Rule(reply=reply(Shown.of(message)))


def decomposition(shown: Shown) -> dict[str, Any]:
    way = shown.message.count("⇒") + 1
    says = f"way {way} leads the parcels of (Post 1) to (x:post)"
    return {
        "goal": "the parcels of (Post 1) are at (x:post)",
        "subgoals": [{"says": says, "query": "parcels of Post 1"}],
        "answer": ["x"],
    }


def unification(shown: Shown) -> dict[str, Any]:
    values = [(int(number), int(post), name) for number, post, name in STATEMENT.findall(shown.message)]
    grounded = [
        {"subgoal": number, "facts": [shown.links[post]], "bridge": "", "bindings": bound(name, f"Post {post + 1}")}
        for number, post, name in [*values, *([(1, shown.hops, "x")] if shown.is_enough else [])]
        if post in shown.links
    ]
    return {"grounded": grounded, "unresolved": [] if shown.is_enough else [{"subgoal": 1, "why": "No fact says it."}]}


def bound(name: str, value: str) -> list[dict[str, str]]:
    return [{"variable": name, "value": value}]


def refinement(shown: Shown) -> dict[str, Any]:
    antecedent = {
        "subgoal": int(OPEN.findall(shown.message)[0]),
        "says": f"(Post {shown.reached}) sends its parcels to (y{shown.reached}:post)",
        "relation": "spatial",
        "query": shown.next_query,
    }
    return {"antecedents": [antecedent], "why_stopped": ""}


def reflection(shown: Shown) -> dict[str, Any]:
    next_query = "" if shown.is_enough else shown.next_query
    return {"rationale": "", "sufficient": shown.is_enough, "next_query": next_query}


def move(shown: Shown) -> dict[str, str]:
    if shown.is_enough or "No retrieval is left" in shown.message:
        return {"thought": "", "action": "finish", "words": shown.answer}
    return {"thought": "", "action": "retrieve", "words": shown.next_query}


REPLIES: Mapping[str, Callable[[Shown], dict[str, Any]]] = {
    "Write goal": decomposition,
    "Say which": unification,
    "Say what": refinement,
    "Judge the memories": reflection,
    "Write the answer": lambda shown: {"answer": shown.answer},
    "": move,
}


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return wall time (median), calls, tokens and retrievals of each way and question, and the bound of GOAL-MEM's calls.

    Raises `EvaluationError` where the ways do not answer the same.
    """
    latency_ms, repetitions = options["latency-ms"], max(1, options["repetitions"])
    rows = [Row("goal_mem", "calls_bound", ProverConfig().most_calls, unit="calls")]
    with ScriptedServer([], config=ServerConfig(latency_s=latency_ms / 1000)) as server:
        server.script = PostScript(())
        model = HttpLanguageModel(server.base_url, "", "scripted", concurrency=settings.DSMART_HTTP_CONCURRENCY)
        ways = ways_of(as_role(model, "bench"))
        measured(partial(ways["react"], asked(1), Posts()))  # The first call opens a connection.
        for group, hops in QUESTIONS.items():
            runs = {
                name: [measured(partial(way, asked(hops), Posts())) for _ in range(repetitions)]
                for name, way in ways.items()
            }
            rows += question_rows(f"{group}, {latency_ms:g} ms", runs)
    return rows


def asked(hops: int) -> RetrievalQuery:
    return RetrievalQuery(QUESTION.format(hops=hops), ASKED, "Ben")


def ways_of(model: LanguageModel) -> dict[str, Way]:
    answerer = PromptedFactAnswerer(model)
    return {
        "goal_mem": backward(
            decompose=PromptedGoalDecomposer(model),
            unify=PromptedSubgoalUnifier(model),
            refine=PromptedSubgoalRefiner(model),
            answerer=answerer,
        ),
        "self_reflection": forward(self_reflection, reflector=PromptedPoolReflector(model), answerer=answerer),
        "react": forward(react, actor=PromptedMemoryActor(model)),
    }


def question_rows(group: str, runs: Mapping[str, Sequence[Measured]]) -> Iterator[Row]:
    """Yield the figures of a question for each way, and how GOAL-MEM's time compares. Raises `EvaluationError`."""
    faults = [one.error for own in runs.values() for one in own if one.error]
    answers = {one.answer for own in runs.values() for one in own}
    if faults or len(answers) != 1:
        raise EvaluationError(f"The ways did not all answer the same: {', '.join([*faults, *answers])}.")
    wall = {name: statistics.median(one.took["seconds"] or 0.0 for one in own) * 1000 for name, own in runs.items()}
    for name, own in runs.items():
        yield Row(name, "wall_ms", wall[name], unit="ms", n=len(own), group=group)
        yield from (replace(row, group=group) for row in mean_rows(name, [own[0].took]) if row.metric != "seconds")
    for other in ("react", "self_reflection"):
        yield Row("goal_mem", f"ratio_to_{other}", wall["goal_mem"] / wall[other], unit="ratio", group=group)
