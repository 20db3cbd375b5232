"""Conflict detection over the whole graph (D-SMART, "Dynamic Update and Conflict Resolution", as the paper describes it).

The variant that `prompted` departs from: every triple that is believed goes into the prompt, so that its size, its cost and
the room for mistakes grow with the graph. It is here to be measured against, and for graphs of a few hundred triples.

Departures from the paper:
- Those of `prompted`, but for the bound on the triples that are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memory.core.knowledge_graph.conflict.comparison import UNDECLARED, believed
from memory.core.knowledge_graph.conflict.prompted import judged_many
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.ports import LanguageModel
from memory.core.types import ConflictCase, SamplingConfig, Supersession, Triple


@dataclass(frozen=True)
class WholeGraphConflictConfig:
    """The reply may have to quote more of a whole graph. Sampling is greedy, as for `prompted`."""

    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=4096))


class WholeGraphConflictDetector:
    """A `ConflictDetector` that shows a language model the whole graph: `graph` gives the current triples when called.

    An update takes its verdicts where the case's candidates are the whole graph too.
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
        """Return the triples of the whole graph that the model says give way. Raises the first `LanguageModelError`."""
        triples = believed(tuple(self._graph()))
        return judged_many(
            self._language_model,
            cases,
            shown=lambda _: triples,
            ontology=self._ontology,
            sampling=self._config.sampling,
        )
