"""BM25 search over turns, windows, sentences and sessions of a space, with a bounded number of rows read.

The rarest words of a question select the candidates: postings are read, rarest word first, up to a limit. More frequent words
only add to the candidates' scores, since a text with such words alone cannot rank near the top. Where all postings of a
question are few, as in any dialogue of some thousand turns, the result is exact. A question of frequent words alone is
answered from the newest postings of its rarest word.

Sentences have no postings. The candidates are the sentences of the best turns, whose words are counted at search time: that
halves the rows, and leaves nothing to keep in step twice.
"""

import heapq
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from memory.core.bm25 import K1, B, idf, weight, words
from memory.core.types import ScoredUnit, Unit
from memory.models import WORD_LIMIT, LexiconRecord, SentenceRecord, WordRecord

# So many postings are read for a question at most, and so many texts are scored by its commoner words.
POSTINGS_READ = 4000
TEXTS_SCORED = 300
# Of so many of the best turns the sentences are scored.
TURNS_OPENED = 150

# `weight` of `bm25`, in the database: what was counted there need not travel.
BEST = """
with rare as (
    select posting.text_id, sum({weight}) as score
    from unnest(%(rare)s::bigint[], %(rare_telling)s::float8[]) as asked (word_id, telling)
    cross join lateral (
        select {place} as text_id, {columns} from {postings}
        where word_id = asked.word_id and {count} > 0 order by {place} desc limit %(read)s
    ) posting {lengths}
    group by posting.text_id order by score desc, text_id limit %(candidates)s
), common as (
    select posting.text_id, sum({weight}) as score
    from unnest(%(common)s::bigint[], %(common_telling)s::float8[]) as asked (word_id, telling)
    cross join lateral (
        select {place} as text_id, {columns} from {postings}
        where word_id = asked.word_id and {place} = any(array(select text_id from rare)) and {count} > 0
    ) posting {lengths}
    group by posting.text_id
)
select text_id, rare.score + coalesce(common.score, 0) as whole
from rare left join common using (text_id) order by whole desc, text_id limit %(limit)s
"""
WEIGHT = """
    asked.telling * posting.count * (%(k1)s::float8 + 1)
    / (posting.count + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * {length} / %(average)s::float8))
"""


@dataclass(frozen=True)
class Asked:
    """A word of the question: its number in the question, and its document frequency among units of the searched kind."""

    word_id: int
    text: str
    times: int
    df: int


@dataclass(frozen=True)
class Kind:
    """The columns with the counts of a kind of unit, and how its postings are read."""

    df: str
    texts: str
    total: str
    best: str = ""


def best_of_turns(count: str, length: str) -> str:
    return BEST.format(
        weight=WEIGHT.format(length="posting.length").strip(),
        postings="memory_wordposting",
        place="turn_id",
        count=count,
        columns=f"{count} as count, {length} as length",
        lengths="",
    )


def best_of_sessions() -> str:
    return BEST.format(
        weight=WEIGHT.format(length="vector.words").strip(),
        postings="memory_sessionposting",
        place="session_id",
        count="count",
        columns="count",
        lengths="join memory_sessionvector vector on vector.session_id = posting.text_id",
    )


KINDS: Mapping[Unit, Kind] = {
    Unit.TURN: Kind("turns", "turns", "turn_words", best_of_turns("in_turn", "turn_words")),
    Unit.WINDOW: Kind("windows", "turns", "window_words", best_of_turns("in_window", "window_words")),
    Unit.SESSION: Kind("sessions", "sessions", "session_words", best_of_sessions()),
    Unit.SENTENCE: Kind("sentences", "sentences", "sentence_words"),
}


def matching_units(space_id: int, unit: Unit, text: str, *, limit: int) -> list[ScoredUnit]:
    """Return the units of a kind that share words with a text, by BM25, best first, ties by lower id."""
    kind = KINDS.get(unit)
    if kind is None:
        raise ValueError(f"There is no index of the words of a {unit}.")
    lexicon = LexiconRecord.objects.filter(space=space_id).first()
    asked = words_asked(space_id, text, kind)
    if lexicon is None or not asked or limit < 1:
        return []
    texts, total = int(getattr(lexicon, kind.texts)), int(getattr(lexicon, kind.total))
    telling = {one.word_id: one.times * idf(one.df, texts) for one in asked}
    average = total / max(texts, 1)
    if unit is Unit.SENTENCE:
        turns = best_units(Unit.TURN, asked, telling, average=turn_average(lexicon), limit=TURNS_OPENED)
        scores = sentence_scores(turns, {one.text: telling[one.word_id] for one in asked}, average=average)
    else:
        scores = best_units(unit, asked, telling, average=average, limit=limit)
    best = heapq.nsmallest(limit, scores.items(), key=lambda found: (-found[1], found[0]))
    return [ScoredUnit(unit, found, score) for found, score in best]


def words_asked(space_id: int, text: str, kind: Kind) -> list[Asked]:
    """Return the words of a question that the space has, rarest first."""
    times = Counter(word[:WORD_LIMIT] for word in words(text))
    rows = WordRecord.objects.filter(space=space_id, text__in=list(times), **{f"{kind.df}__gt": 0})
    asked = [Asked(pk, word, times[word], df) for pk, word, df in rows.values_list("pk", "text", kind.df)]
    return sorted(asked, key=lambda one: (one.df, one.word_id))


def best_units(
    unit: Unit, asked: Sequence[Asked], telling: Mapping[int, float], *, average: float, limit: int
) -> dict[int, float]:
    """Return the BM25 scores of the best turns, windows or sessions."""
    rare = rare_enough(asked)
    common = asked[len(rare) :]
    arguments: dict[str, Any] = {
        "rare": [one.word_id for one in rare],
        "rare_telling": [telling[one.word_id] for one in rare],
        "common": [one.word_id for one in common],
        "common_telling": [telling[one.word_id] for one in common],
        "read": POSTINGS_READ,
        "candidates": max(limit, TEXTS_SCORED) if common else limit,
        "limit": limit,
        "k1": K1,
        "b": B,
        "average": average,
    }
    with connection.cursor() as cursor:
        cursor.execute(KINDS[unit].best, arguments)
        return dict(cursor.fetchall())


def rare_enough(asked: Sequence[Asked]) -> Sequence[Asked]:
    """Return the rarest words whose postings together are within the limit; at least the rarest one."""
    read = 0
    for place, one in enumerate(asked):
        read += one.df
        if place and read > POSTINGS_READ:
            return asked[:place]
    return asked


def turn_average(lexicon: LexiconRecord) -> float:
    return lexicon.turn_words / max(lexicon.turns, 1)


def sentence_scores(turn_ids: Collection[int], telling: Mapping[str, float], *, average: float) -> dict[int, float]:
    """Return the BM25 scores of the sentences of some turns, counting their words now."""
    scores: dict[int, float] = {}
    rows = SentenceRecord.objects.filter(turn__in=list(turn_ids), is_evidence=True)
    for sentence_id, text in rows.values_list("pk", "text"):
        said = [word[:WORD_LIMIT] for word in words(text)]
        counts = Counter(said)
        shared = [word for word in telling if word in counts]
        if shared:
            scores[sentence_id] = sum(telling[word] * weight(counts[word], len(said), average) for word in shared)
    return scores
