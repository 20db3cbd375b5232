"""The knowledge bases of one space: the entities that a dialogue names, their triples, and passages as evidence (DRG, F).

Names are found whole by their folded keys, all in one query. What is no name but could be a misspelt one is compared with
the names of a small block (`blocks_of`). The rows that a question reads are bounded, however large a base is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from memory.core.grounded_generation.knowledge import (
    KnowledgeTriple,
    blocks_of,
    letters_of,
    linked_names,
    possible_misspellings,
    possible_names,
    slips_allowed,
)
from memory.core.grounded_generation.verification import Ground
from memory.stores.knowledge_bases import WORDS_READ, fetched, ready_bases
from memory.stores.passages import evidence_in

MOST_CANDIDATES = 50_000
# Runs of words that are compared with names, and names of a block that each is compared with.
GUESSES, BLOCK_READ = 40, 50
NAMED = """
select key, entity, triples from memory_knowledgenamerecord
where base_id = any(%(bases)s) and key = any(%(keys)s) order by entity
"""
BLOCKS = """
select distinct asked.run, found.key
from unnest(%(runs)s::text[], %(heads)s::text[], %(tails)s::text[]) as asked (run, head, tail)
cross join lateral (
    (select key from memory_knowledgenamerecord
     where base_id = any(%(bases)s) and head = asked.head and head <> '' limit %(read)s)
    union all
    (select key from memory_knowledgenamerecord
     where base_id = any(%(bases)s) and tail = asked.tail and tail <> '' limit %(read)s)
) found
"""
ABOUT = """
select asked.place, found.base_id, subject.name, relation.name, object.name
from unnest(%(entities)s::bigint[], %(places)s::int[]) as asked (entity, place)
cross join lateral (
    (select * from memory_knowledgetriplerecord where subject = asked.entity order by id limit %(each)s)
    union all
    (select * from memory_knowledgetriplerecord where object = asked.entity and subject <> asked.entity
     order by id limit %(each)s)
) found
join memory_knowledgenamerecord subject on subject.id = found.subject
join memory_knowledgenamerecord object on object.id = found.object
join memory_knowledgerelationrecord relation on relation.id = found.relation
order by asked.place, found.id limit %(limit)s
"""


@dataclass(frozen=True)
class Linked:
    """The entities of a key that a dialogue has, and how many triples they have together."""

    key: str
    entities: tuple[int, ...]
    triples: int


class SpaceKnowledge:
    """Implements `KnowledgeSource` and `PassageSource` over the ready knowledge bases of one space."""

    def __init__(self, space_id: int) -> None:
        self._space_id = space_id

    def candidates(self, dialogue: Sequence[str], *, limit: int) -> list[KnowledgeTriple]:
        """Return the triples of the entities that a dialogue names, those named last first, at most `limit`.

        More than `MOST_CANDIDATES` are never read, nor what was said before the last `WORDS_READ` words.
        """
        limit = min(limit, MOST_CANDIDATES)
        bases = {base.id: base for base in ready_bases(self._space_id)}
        if not bases or limit < 1:
            return []
        entities: dict[int, int] = {}
        reached = 0
        for place, one in enumerate(self._linked(dialogue, list(bases))):
            entities |= {entity: place for entity in one.entities if entity not in entities}
            reached += one.triples
            # A triple is met at both its ends.
            if reached >= 2 * limit:
                break
        if not entities:
            return []
        most = 2 * limit
        asked = {"entities": list(entities), "places": list(entities.values()), "each": most, "limit": most}
        rows = fetched(ABOUT, asked)
        found = (
            KnowledgeTriple(subject, relation, object_, source=bases[base_id].name, base_id=base_id)
            for _, base_id, subject, relation, object_ in rows
        )
        return list(dict.fromkeys(found))[:limit]

    def linked(self, dialogue: Sequence[str]) -> list[str]:
        """Return the keys of the names that a dialogue has, misspelt ones put right, those named last first."""
        return [one.key for one in self._linked(dialogue, [base.id for base in ready_bases(self._space_id)])]

    def evidence_for(self, fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
        bases = [base for base in ready_bases(self._space_id) if base.passages]
        return evidence_in(bases, fact, dialogue, limit=limit) if bases and limit > 0 else []

    def _linked(self, dialogue: Sequence[str], bases: list[int]) -> list[Linked]:
        """Return what a dialogue names, those named last first, and of each turn the misspelt names behind the others."""
        asked = possible_names(dialogue, most=WORDS_READ)
        whole = self._named(asked, bases)
        guesses = possible_misspellings(dialogue, whole, most=GUESSES)
        meant = self._meant(guesses, bases)
        known = whole | self._named(set(meant.values()) - whole.keys(), bases)
        order: dict[str, None] = {}
        for text in reversed(dialogue):
            order |= dict.fromkeys(linked_names([text], whole))
            order |= {meant[run]: None for run in possible_misspellings([text], whole, most=GUESSES) if run in meant}
        return [known[key] for key in order if key in known]

    def _named(self, keys: Iterable[str], bases: list[int]) -> dict[str, Linked]:
        wanted = list(keys)
        found: dict[str, dict[int, int]] = {}
        for key, entity, triples in fetched(NAMED, {"bases": bases, "keys": wanted}) if wanted else ():
            found.setdefault(key, {})[entity] = triples
        return {key: Linked(key, tuple(own), sum(own.values())) for key, own in found.items()}

    def _meant(self, runs: Sequence[str], bases: list[int]) -> dict[str, str]:
        """Return of each run of words the key of the one name that is nearest to it, of those that are near enough."""
        near: dict[str, dict[str, int]] = {}
        letters = {run: letters_of(run) for run in runs}
        blocks = [(run, blocks_of(run, longer=more)) for run in runs for more in (-1, 0, 1)]
        asked = {
            "runs": [run for run, _ in blocks],
            "heads": [head for _, (head, _) in blocks],
            "tails": [tail for _, (_, tail) in blocks],
        }
        read = {"bases": bases, "read": BLOCK_READ}
        for run, key in fetched(BLOCKS, asked | read) if runs else ():
            most = slips_allowed(run, key)
            slips = OSA.distance(letters[run], letters_of(key), score_cutoff=max(most, 0))
            if slips <= most:
                near.setdefault(run, {})[key] = slips
        return {run: key for run, slips in near.items() if (key := only_nearest(slips))}


def triples_of_entities(entities: Sequence[int], *, limit: int) -> dict[int, tuple[KnowledgeTriple, ...]]:
    """Return the first triples of each entity, at most `limit` each, with the numbers of their bases."""
    asked = list(dict.fromkeys(entities))
    places = list(range(len(asked)))
    most = 2 * limit * len(asked)
    rows = fetched(ABOUT, {"entities": asked, "places": places, "each": limit, "limit": most}) if asked else []
    found: dict[int, list[KnowledgeTriple]] = {entity: [] for entity in asked}
    for place, base_id, subject, relation, object_ in rows:
        found[asked[place]].append(KnowledgeTriple(subject, relation, object_, base_id=base_id))
    return {entity: tuple(own[:limit]) for entity, own in found.items()}


def only_nearest(slips: Mapping[str, int]) -> str:
    """Return the key with the fewest slips; empty where several have as few, and nobody knows which is meant."""
    fewest = min(slips.values())
    nearest = [key for key, count in slips.items() if count == fewest]
    return nearest[0] if len(nearest) == 1 else ""
