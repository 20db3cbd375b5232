"""Conflict detection over the whole graph, as the paper describes it (D-SMART, "Dynamic Update and Conflict Resolution").

Every believed triple goes into the prompt, so its size and cost grow with the graph, and so does the risk of errors. It
serves as a baseline for measurements, and for graphs of a few hundred triples.

Departures from the paper:

- Those of `prompted`, except for the bound on the shown triples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memory.core.knowledge_graph.conflict.comparison import UNDECLARED, believed
from memory.core.knowledge_graph.conflict.prompted import ModelJudgement, judged_many
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.ports import LanguageModel
from memory.core.types import ConflictCase, SamplingConfig, Supersession, Triple


@dataclass(frozen=True)
class WholeGraphConflictConfig:
    """The sampling limits; a reply may quote more of a whole graph than `prompted` allows. Sampling is greedy."""

    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=4096))


class WholeGraphConflictDetector:
    """A `ConflictDetector` that shows a language model the whole graph; `graph` returns the current triples.

    An update can apply its verdicts only if the case's candidates are the whole graph too.
    """

    def __init__(
        self,
        language_model: LanguageModel,
        *,
        graph: Callable[[], Sequence[Triple]],
        ontology: Ontology = UNDECLARED,
        config: WholeGraphConflictConfig = WholeGraphConflictConfig(),
    ) -> None:
        self._language_model = language_model
        self._graph = graph
        self._ontology = ontology
        self._config = config

    def find_many(self, cases: Sequence[ConflictCase]) -> list[list[Supersession]]:
        """Return the triples that the model says each fragment replaces. Raises the first `LanguageModelError`."""
        return [list(one.superseded) for one in self.judge_many(cases)]

    def judge_many(self, cases: Sequence[ConflictCase]) -> list[ModelJudgement]:
        """Return the model's judgement of each case. Raises the first `LanguageModelError`."""
        triples = believed(tuple(self._graph()))
        return judged_many(
            self._language_model,
            cases,
            shown=lambda _: triples,
            ontology=self._ontology,
            sampling=self._config.sampling,
        )
