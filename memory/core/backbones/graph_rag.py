"""GraphRAG (Edge et al., 2024: From local to global, section 3): an entity graph, its communities, and a report on each.

Entities that are spoken of together are linked, the more often the more strongly; communities of this graph are reported on.
A local search starts from the entities of a question: their relations and the turns that speak of them. A global search finds
the reports that are near to the question. Both make up one ranking, of which a quarter at most are reports.

Departures from the paper:
- Entities and relations are those of the role `extract_facts`, reports are made by `summarise` of the most connected turns.
- Communities are Louvain's, one level, not a hierarchy of Leiden's. Those who speak are in all turns and so in no community.
- A local search starts from the entities that a question names and from the ends of the relations that are nearest to it;
  each of them adds `entry` to the cosine of what it is in. Reports are ranked by cosine, not graded by a model.
- The paper indexes once. Here the communities are found by the first question after an addition, anew.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from memory.core.backbones.triples import TripleReader, keys_of, mentions_in
from memory.core.backbones.units import Summariser, TripleTeller, UnitStore, best_of, best_rows
from memory.core.naming import key_of
from memory.core.ports import Embedder
from memory.core.types import MemoryUnit, RetrievalQuery, Utterance


@dataclass(frozen=True)
class GraphRagConfig:
    """Our choices: relations that a search starts from, what an entity adds, the turns of a report, the least community."""

    nearest: int = 10
    entry: float = 0.1
    read: int = 15
    least: int = 3
    reports: float = 0.25


class GraphRag:
    """Implements `Backbone` by an entity graph, its relations and turns, and the reports on its communities."""

    name = "graph_rag"

    def __init__(
        self,
        *,
        reader: TripleReader,
        tell: TripleTeller,
        summarise: Summariser,
        embedder: Embedder,
        config: GraphRagConfig = GraphRagConfig(),
    ) -> None:
        # Loaded with the one backbone that needs it: it takes a quarter of a second.
        import networkx as nx

        self._communities = nx.community.louvain_communities
        self._reader = reader
        self._tell = tell
        self._summarise = summarise
        self._embedder = embedder
        self._config = config
        self._units = UnitStore(embedder)
        self._reports = UnitStore(embedder)
        self._graph = nx.Graph()
        self._turns: list[Utterance] = []
        self._said_in: dict[str, list[int]] = defaultdict(list)
        self._rows: dict[str, list[int]] = defaultdict(list)
        self._ends: dict[int, set[str]] = {}
        self._reported_of = 0

    def add(self, turns: Sequence[Utterance]) -> None:
        speakers = {key_of(turn.speaker) for turn in turns}
        units: list[MemoryUnit] = []
        for turn, triples in zip(turns, self._reader.of_turns(turns), strict=True):
            number, first = len(self._turns), len(self._units) + len(units)
            self._turns.append(turn)
            ends = [keys_of(triple) for triple in triples]
            told = [self._tell(triple, at=turn.said_at) for triple in triples]
            units.append(MemoryUnit(f"turn:{number}", turn.text, turn.said_at, turn.speaker))
            units += [
                MemoryUnit(f"relation:{triple.id}", text, turn.said_at, turn.speaker)
                for triple, text in zip(triples, told, strict=True)
            ]
            for row, keys in enumerate([set().union(*ends), *ends], start=first):
                self._ends[row] = keys
                for key in keys:
                    self._rows[key].append(row)
            things = sorted(set().union(*ends) - speakers)
            for thing in things:
                self._said_in[thing].append(number)
            for pair in combinations(things, 2):
                self._graph.add_edge(*pair, weight=self._graph.get_edge_data(*pair, {"weight": 0})["weight"] + 1)
        self._units.write(units)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        self._report()
        vector = self._units.embed([query.text])[0]
        scores = self._units.vectors @ vector
        entries = {key_of(mention) for mention in mentions_in(query)} & self._rows.keys()
        for row in best_rows(scores, limit=self._config.nearest):
            entries |= self._ends[row]
        for key in sorted(entries):
            scores[self._rows[key]] += self._config.entry
        reports = self._reports.nearest(vector, limit=int(limit * self._config.reports))
        return best_of([*self._units.ranked(scores, limit=limit), *reports], limit=limit)

    @property
    def size(self) -> int:
        self._report()
        return len(self._units) + len(self._reports)

    def _report(self) -> None:
        """Find the communities and report on them, where anything was said since they were found."""
        if self._reported_of == len(self._turns):
            return
        self._reports = UnitStore(self._embedder)
        found = self._communities(self._graph, weight="weight", seed=0) if self._graph else []
        communities = sorted(sorted(one) for one in found if len(one) >= self._config.least)
        groups = [self._spoken_of(community) for community in communities]
        gists = self._summarise.summarise_many(groups)
        self._reports.write(
            [
                MemoryUnit(f"community:{number}", gist.text, max(said.said_at for said in group))
                for number, (gist, group) in enumerate(zip(gists, groups, strict=True))
            ]
        )
        self._reported_of = len(self._turns)

    def _spoken_of(self, community: Sequence[str]) -> list[Utterance]:
        """Return the turns that speak of most of a community, in order."""
        counts: dict[int, int] = defaultdict(int)
        for thing in community:
            for number in self._said_in[thing]:
                counts[number] += 1
        chosen = sorted(counts, key=lambda number: (-counts[number], number))[: self._config.read]
        return [self._turns[number] for number in sorted(chosen)]
