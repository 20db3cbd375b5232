"""A-MEM (Xu et al., 2025: Agentic memory for LLM agents, section 3): notes in the manner of a Zettelkasten.

A note is what was said with its keywords, tags and context; its vector is of all these (Equations 1 to 3). It is linked to
those of its nearest notes that it has something to do with (Equations 4 to 6), and these evolve: they take up its tags and
its context (Equation 7). Retrieval gives the nearest notes and those that they are linked to.

Departures from the paper:
- Keywords, tags and context are not written by prompts of their own: they are the things, the kinds and relations, and the
  sentences of the triples that the role `extract_facts` reads in the words.
- A link needs a keyword in common, beside the speaker, or a cosine of `alike`; the paper asks a model.
- A linked note scores at least `of_link` of the note that leads to it, so that one ranking holds both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.backbones.triples import TripleReader, keys_of
from memory.core.backbones.units import TripleTeller, UnitStore, best_rows
from memory.core.naming import key_of
from memory.core.ports import Embedder
from memory.core.types import MemoryUnit, RetrievalQuery, Triple, Utterance


@dataclass(frozen=True)
class AMemConfig:
    """`nearest` is the paper's k of links. The cosines, and how many tags and sentences of context a note holds, are ours."""

    nearest: int = 5
    alike: float = 0.6
    of_link: float = 0.9
    tags: int = 12
    context: int = 4


@dataclass(frozen=True)
class Note:
    """A note m = {content, time, keywords, tags, context, links}; links are numbers of notes, from 0."""

    content: str
    said: Utterance
    keywords: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    links: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        return "\n".join(filter(None, [self.content, " ".join(self.context)]))

    @property
    def embedded(self) -> str:
        return "\n".join(
            filter(None, [self.content, " ".join(sorted(self.keywords)), " ".join(self.tags), *self.context])
        )


class AMem:
    """Implements `Backbone` by linked notes."""

    name = "a_mem"

    def __init__(
        self, *, reader: TripleReader, tell: TripleTeller, embedder: Embedder, config: AMemConfig = AMemConfig()
    ) -> None:
        self._reader = reader
        self._tell = tell
        self._config = config
        self._store = UnitStore(embedder)
        self._notes: list[Note] = []

    def add(self, turns: Sequence[Utterance]) -> None:
        notes = [
            self._written(turn, triples) for turn, triples in zip(turns, self._reader.of_turns(turns), strict=True)
        ]
        vectors = self._store.embed([note.embedded for note in notes]) if notes else ()
        for note, vector in zip(notes, vectors, strict=True):
            number = len(self._notes)
            near = self._store.nearest(vector, limit=self._config.nearest)
            linked = [place for unit in near if self._belong(note, self._notes[place := number_of(unit)], unit.score)]
            self._notes.append(replace(note, links=frozenset(linked)))
            self._store.put([unit_of(number, note)], vector[None])
            self._evolve(linked, note, number)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        cosines = self._store.vectors @ self._store.embed([query.text])[0]
        scores = cosines.copy()
        for row in best_rows(cosines, limit=limit):
            for link in self._notes[row].links:
                scores[link] = max(scores[link], self._config.of_link * cosines[row])
        return self._store.ranked(scores, limit=limit)

    @property
    def size(self) -> int:
        return len(self._store)

    def note(self, number: int) -> Note:
        """Return a note as it stands now."""
        return self._notes[number]

    def _written(self, turn: Utterance, triples: Sequence[Triple]) -> Note:
        """Construct a note (section 3.1)."""
        things = {key for triple in triples for key in keys_of(triple)} - {key_of(turn.speaker)}
        tags = (tag for triple in triples for tag in (triple.predicate, triple.subject.kind, triple.object_kind))
        context = dict.fromkeys(self._tell(triple, at=turn.said_at) for triple in triples)
        return Note(
            content=f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text,
            said=turn,
            keywords=frozenset(things),
            tags=tuple(dict.fromkeys(filter(None, tags)))[: self._config.tags],
            context=tuple(context)[: self._config.context],
        )

    def _belong(self, note: Note, other: Note, cosine: float) -> bool:
        """Return whether a note is linked to another one (section 3.2)."""
        return cosine >= self._config.alike or bool(note.keywords & other.keywords)

    def _evolve(self, linked: Sequence[int], note: Note, number: int) -> None:
        """Let the linked notes take up what the new one says of the same (section 3.3)."""
        for place in linked:
            old = self._notes[place]
            self._notes[place] = replace(
                old,
                tags=tuple(dict.fromkeys([*old.tags, *note.tags]))[: self._config.tags],
                context=tuple(dict.fromkeys([*old.context, *note.context]))[: self._config.context],
                links=old.links | {number},
            )
        if linked:
            vectors = self._store.embed([self._notes[place].embedded for place in linked])
            self._store.put([unit_of(place, self._notes[place]) for place in linked], vectors)


def unit_of(number: int, note: Note) -> MemoryUnit:
    return MemoryUnit(f"note:{number}", note.text, note.said.said_at, note.said.speaker)


def number_of(unit: MemoryUnit) -> int:
    return int(unit.id.partition(":")[2])
