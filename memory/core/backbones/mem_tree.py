"""MemTree (Rezazadeh et al., 2024: From isolated conversations to hierarchical schemas, section 2).

What is said goes down a tree from its root: into the child that is nearest to it where their cosine reaches the threshold of
that depth, else it becomes a child there. A leaf that is gone into becomes a parent of what it held and of what is new. The
parents on the way take up what is new (Equation 1). Retrieval sees all nodes at once (the collapsed tree).

    theta(d) = theta_0 * exp(lambda * d)

Departures from the paper:
- A parent's text is what the role `summarise` makes of the utterances that it rested on and the new one.
- lambda is ours, so that a threshold stays below 1 for four levels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memory.core.backbones.units import Floats, Gist, Summariser, UnitStore, best_of
from memory.core.ports import Embedder
from memory.core.types import MemoryUnit, RetrievalQuery, Utterance

ROOT = -1


@dataclass(frozen=True)
class MemTreeConfig:
    """`threshold` is the paper's theta_0, `growth` its lambda."""

    threshold: float = 0.4
    growth: float = 0.2

    def threshold_at(self, depth: int) -> float:
        return self.threshold * math.exp(self.growth * depth)


class MemTree:
    """Implements `Backbone` by a tree of what was said. A node's number is its row; the root holds nothing."""

    name = "mem_tree"

    def __init__(self, *, summarise: Summariser, embedder: Embedder, config: MemTreeConfig = MemTreeConfig()) -> None:
        self._summarise = summarise
        self._config = config
        self._store = UnitStore(embedder)
        self._gists: list[Gist] = []
        self._children: dict[int, list[int]] = {ROOT: []}

    def add(self, turns: Sequence[Utterance]) -> None:
        gists = [leaf_of(turn) for turn in turns]
        vectors = self._store.embed([gist.text for gist in gists]) if gists else ()
        for gist, vector in zip(gists, vectors, strict=True):
            self._insert(gist, vector)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        # A parent may quote its child whole.
        return best_of(self._store.nearest(self._store.embed([query.text])[0], limit=2 * limit), limit=limit)

    @property
    def size(self) -> int:
        return len(self._store)

    def children_of(self, number: int) -> tuple[int, ...]:
        return tuple(self._children.get(number, ()))

    def _insert(self, gist: Gist, vector: Floats) -> None:
        node, path = ROOT, list[int]()
        while (child := self._nearest_child(node, vector, depth=len(path))) is not None:
            path.append(child)
            node = child
            if child not in self._children:
                self._children[child] = []
                self._attach(child, self._gists[child], self._store.vectors[child].copy())
                break
        parents = self._summarise.summarise_many([[*self._gists[one].rests_on, *gist.rests_on] for one in path])
        if path:
            self._store.put(
                [unit_of(one, parent) for one, parent in zip(path, parents, strict=True)],
                self._store.embed([parent.text for parent in parents]),
            )
        for one, parent in zip(path, parents, strict=True):
            self._gists[one] = parent
        self._attach(node, gist, vector)

    def _nearest_child(self, node: int, vector: Floats, *, depth: int) -> int | None:
        """Return the child that is nearest to a vector, where it is as near as the depth demands."""
        children = self._children.get(node, [])
        if not children:
            return None
        cosines = self._store.vectors[children] @ vector
        best = int(cosines.argmax())
        return children[best] if cosines[best] >= self._config.threshold_at(depth) else None

    def _attach(self, parent: int, gist: Gist, vector: Floats) -> None:
        number = len(self._gists)
        self._gists.append(gist)
        self._children[parent].append(number)
        self._store.put([unit_of(number, gist)], vector[None])


def leaf_of(turn: Utterance) -> Gist:
    return Gist(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text, (turn,))


def unit_of(number: int, gist: Gist) -> MemoryUnit:
    """Return a node as a unit; one speaker's words have that speaker."""
    speakers = {said.speaker for said in gist.rests_on}
    speaker = speakers.pop() if len(speakers) == 1 else ""
    return MemoryUnit(f"node:{number}", gist.text, max(said.said_at for said in gist.rests_on), speaker)
