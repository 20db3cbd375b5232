"""The knowledge bases of one space: the entities that a dialogue names, their triples, and passages as evidence (DRG, F).

Names are found whole by their folded keys, all in one query. What is no name but could be a misspelt one is compared with
the names of a small block (`blocks_of`). The rows that a question reads are bounded, however large a base is.

Passages of knowledge bases as evidence, by their titles and by the words that they share with a fact (DRG, section 3.4).

A fact is looked for by its rarest words; its others only add to the score (BM25). So the rows that are read are bounded.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from rapidfuzz.distance import OSA

from memory.core.bm25 import idf, weight, words
from memory.core.grounded_generation.knowledge import (
    KnowledgeTriple,
    blocks_of,
    evidence_order,
    letters_of,
    linked_names,
    possible_misspellings,
    possible_names,
    slips_allowed,
)
from memory.core.grounded_generation.verification import Ground
from memory.models import WORD_LIMIT

# Of a dialogue the last so many words are read: what was said long before is hardly what is spoken of.
WORDS_READ = 400
READY = """
select id, name, passages, passage_words from memory_knowledgebaserecord
where space_id = %s and state = 'ready' order by id
"""


@dataclass(frozen=True)
class Base:
    id: int
    name: str
    passages: int
    passage_words: int


def ready_bases(space_id: int) -> list[Base]:
    return [Base(*row) for row in fetched(READY, [space_id])]


def fetched(statement: str, arguments: Mapping[str, Any] | Sequence[Any]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return list(cursor.fetchall())


# A word that more passages have tells little; such words alone find no passage unless nothing rarer was said.
PASSAGES_READ = 1_000
TITLED = """
select id, base_id, title, text, key from memory_knowledgepassagerecord
where base_id = any(%(bases)s) and key = any(%(keys)s) order by id limit %(read)s
"""
KNOWN_WORDS = """
select word, (
    select count(*) from (
        select 1 from memory_knowledgepassagerecord
        where base_id = any(%(bases)s) and words @@ word::tsquery limit %(read)s + 1
    ) few
) from unnest(%(words)s::text[]) as word
"""
WORDED = """
select id, base_id, title, text, key from memory_knowledgepassagerecord
where base_id = any(%(bases)s) and words @@ %(query)s::tsquery order by id limit %(read)s
"""


@dataclass(frozen=True)
class Stored:
    """A passage of a base."""

    id: int
    base_id: int
    title: str
    text: str
    key: str

    @property
    def ground(self) -> Ground:
        return Ground(self.text, title=self.title, base_id=self.base_id)


def evidence_in(bases: Sequence[Base], fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
    """Return the passages of some bases for a fact, as `PassageSource` says."""
    ids = [base.id for base in bases]
    keys = possible_names([*dialogue, fact], most=WORDS_READ)
    titled = stored(fetched(TITLED, {"bases": ids, "keys": list(keys), "read": PASSAGES_READ}))
    by_rarest, telling = worded(fact, bases)
    found = {one.id: one for one in (*titled, *by_rarest)}
    average = sum(base.passage_words for base in bases) / sum(base.passages for base in bases)
    scores = {one.id: score_of(one, telling, average) for one in found.values()}
    ranked = sorted(found, key=lambda place: (-scores[place], place))
    known = {one.key for one in titled}

    def best(names: Sequence[str]) -> list[int]:
        return [place for place in ranked if found[place].key in set(names)]

    own, others = best(linked_names([fact], known)), best(linked_names(dialogue, known))
    by_words = [place for place in ranked if scores[place] > 0]
    return [found[place].ground for place in evidence_order(own, others, by_words, limit=limit)]


def worded(fact: str, bases: Sequence[Base]) -> tuple[list[Stored], dict[str, float]]:
    """Return the passages that have the rarest words of a fact, and how much each of its words tells."""
    ids, times = [base.id for base in bases], Counter(word[:WORD_LIMIT] for word in words(fact))
    lexemes = {f"'{word}'": word for word in times}
    rows = fetched(KNOWN_WORDS, {"bases": ids, "words": list(lexemes), "read": PASSAGES_READ}) if times else []
    known = sorted(((count, lexeme) for lexeme, count in rows if count), key=lambda one: one[0])
    number = sum(base.passages for base in bases)
    telling = {lexemes[one]: times[lexemes[one]] * idf(count, number) for count, one in known}
    rare: list[str] = []
    read = 0
    for count, lexeme in known:
        read += count
        if not rare or read <= PASSAGES_READ or number <= PASSAGES_READ:
            rare.append(lexeme)
    if not rare:
        return [], telling
    asked = {"bases": ids, "query": " | ".join(rare), "read": PASSAGES_READ}
    return stored(fetched(WORDED, asked)), telling


def stored(rows: Iterable[tuple]) -> list[Stored]:
    return [Stored(*row) for row in rows]


def score_of(passage: Stored, telling: Mapping[str, float], average: float) -> float:
    """Return the BM25 score of a passage for the words that tell something."""
    counts = Counter(word[:WORD_LIMIT] for word in words(f"{passage.title} {passage.text}"))
    length = counts.total()
    return sum(value * weight(counts[word], length, average) for word, value in telling.items() if word in counts)


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
