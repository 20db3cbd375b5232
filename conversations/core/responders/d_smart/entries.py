"""Finds the entities at which a search may enter the graph: those that a question names, and those of sentences near to it.

A graph of any size is entered by indexes: names by their aliases, meanings by the vectors of sentences.
"""

import re
from collections.abc import Iterable, Sequence

from conversations.core.responders.phrasing import is_relation
from conversations.core.types import Query
from memory.core.naming import key_of
from memory.core.ports import GraphWalker, MemoryReader
from memory.core.types import Entity, Role, SourceSentence, Triple

SENTENCES = 8
TRIPLES = 16
ENTITIES = 8


_WORDS = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
_LONGEST_NAME = 4
_NAMES = 200
_OWN = frozenset({"my", "our"})


class NamedEntities:
    """Implements `EntityResolver` with a memory's aliases."""

    def __init__(self, memory: MemoryReader) -> None:
        self._memory = memory

    def resolve_many(self, names: Sequence[str]) -> list[Entity | None]:
        found = self._memory.entities_named(names)
        return [next(iter(found.get(name, ())), None) for name in names]


def triples_near(text: str, *, memory: MemoryReader, walker: GraphWalker) -> list[Triple]:
    """Return the active triples that were extracted from the sentences nearest to a text, nearest first."""
    near = memory.sentences_like(text, limit=SENTENCES)
    return triples_behind([item.sentence for item in near], walker=walker)


def triples_behind(sentences: Sequence[SourceSentence], *, walker: GraphWalker) -> list[Triple]:
    return walker.triples_from([one.id for one in sentences], limit=TRIPLES) if sentences else []


def said_near(query: Query, *, memory: MemoryReader) -> list[SourceSentence]:
    """Return the sentences nearest to a message, nearest first, without the message itself and an assistant's words."""
    near = [item.sentence for item in memory.sentences_like(query.text, limit=SENTENCES)]
    return [one for one in near if one.role is Role.USER and key_of(one.text) != key_of(query.text)]


def relations_of(entities: Sequence[Entity], *, memory: MemoryReader) -> list[Triple]:
    """Return the triples that say whose brother, employer or dog the entities are."""
    ids = [entity.id for entity in entities]
    told = memory.triples_about(ids, as_object=True, limit=TRIPLES) if ids else []
    return [triple for triple in told if is_relation(triple)]


def ends_of(triples: Iterable[Triple]) -> list[Entity]:
    """Return the entities of triples, each once: of a triple the object first, then the subject."""
    found: dict[int, Entity] = {}
    for triple in triples:
        if triple.object_id is not None:
            found.setdefault(triple.object_id, Entity(triple.object_id, triple.object, triple.object_kind))
        found.setdefault(triple.subject.id, triple.subject)
    return list(found.values())[:ENTITIES]


def entities_called(query: Query, *, memory: MemoryReader) -> list[Entity]:
    """Return the entities that a message may name, longest names first, the speaker last.

    In one read, every run of up to four words is looked up among the aliases, and "my sister" as the speaker's sister.
    """
    words = [word.removesuffix("'s").removesuffix("’s") for word in _WORDS.findall(query.text)]
    runs = [
        " ".join(words[start : start + length])
        for length in range(_LONGEST_NAME, 0, -1)
        for start in range(len(words) - length + 1)
    ]
    owned = [f"{query.speaker}'s {' '.join(run.split()[1:])}" for run in runs if run.split()[0].lower() in _OWN]
    names = [*dict.fromkeys([name for name in owned if not name.endswith(" ")] + runs)][:_NAMES]
    known = memory.entities_named([*names, query.speaker])
    found = [entity for name in [*names, query.speaker] for entity in known.get(name, [])]
    speakers = [entity for entity in found if entity.is_speaker and entity in known.get(query.speaker, [])]
    return list({entity.id: entity for entity in [*(one for one in found if one not in speakers), *speakers]}.values())
