"""Passages of knowledge bases as evidence, by their titles and by the words that they share with a fact (DRG, section 3.4).

A fact is looked for by its rarest words; its others only add to the score (BM25). So the rows that are read are bounded.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.core.bm25 import idf, weight, words
from memory.core.grounded_generation.knowledge import linked_names, possible_names
from memory.core.grounded_generation.passages import evidence_order
from memory.core.grounded_generation.verification import Ground
from memory.models import WORD_LIMIT
from memory.stores.knowledge_bases import WORDS_READ, Base, fetched

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
