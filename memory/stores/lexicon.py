"""Finding turns, windows, sentences and sessions of a space by their words: BM25 from postings, with bounded reading.

The rarest words of a question choose what is looked at: postings are read, rarest word first, until so many are read that
another word would be too much. Commoner words count for what was chosen, but bring in nothing of their own: of what only they
would have found, nothing could be near the top, as they tell little. Where all postings of a question are few, which they are
in any dialogue of some thousand turns, the result is the exact one. A question of common words alone is answered from the
newest postings of the rarest of them.

Sentences have no postings of their own. A sentence's words are its turn's, so sentences are those of the best turns, and
their words are counted when they are asked for: half of the rows, and nothing to keep in step twice.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from memory.core.sentence_graph.lexical import idf, weight, words
from memory.core.types import ScoredUnit, Unit
from memory.models import (
    WORD_LIMIT,
    LexiconRecord,
    SentenceRecord,
    SessionPosting,
    SessionVector,
    TurnVector,
    WordPosting,
    WordRecord,
)

# So many postings are read for a question at most, and so many texts are scored by its commoner words.
POSTINGS_READ = 4000
TEXTS_SCORED = 600
# Of so many of the best turns the sentences are scored.
TURNS_OPENED = 150
Postings = dict[int, dict[int, int]]


@dataclass(frozen=True)
class Asked:
    """A word of the question: how often it is asked for, and how many texts of the kind that is sought have it."""

    word_id: int
    text: str
    times: int
    df: int


@dataclass(frozen=True)
class Kind:
    """Where the words of a kind of unit are counted: columns of the rows of words, postings, lengths and totals."""

    df: str
    count: str
    length: str
    texts: str
    total: str


KINDS: Mapping[Unit, Kind] = {
    Unit.TURN: Kind("turns", "in_turn", "words", "turns", "turn_words"),
    Unit.WINDOW: Kind("windows", "in_window", "window_words", "turns", "window_words"),
    Unit.SESSION: Kind("sessions", "count", "words", "sessions", "session_words"),
    Unit.SENTENCE: Kind("sentences", "in_turn", "words", "sentences", "sentence_words"),
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
    """Return the words of a question that the space knows, the rarest first."""
    times = Counter(word[:WORD_LIMIT] for word in words(text))
    rows = WordRecord.objects.filter(space=space_id, text__in=list(times), **{f"{kind.df}__gt": 0})
    asked = [Asked(pk, word, times[word], df) for pk, word, df in rows.values_list("pk", "text", kind.df)]
    return sorted(asked, key=lambda one: (one.df, one.word_id))


def best_units(
    unit: Unit, asked: list[Asked], telling: Mapping[int, float], *, average: float, limit: int
) -> dict[int, float]:
    """Return the scores of the best turns, windows or sessions."""
    rare = rare_enough(asked)
    found = postings_of(unit, [one.word_id for one in rare], newest=len(rare) == 1)
    common = [one.word_id for one in asked if one not in rare]
    lengths = lengths_of(unit, found)
    scores = scores_of(found, lengths, telling, average=average)
    if common:
        best = heapq.nlargest(max(limit, TEXTS_SCORED), scores, key=lambda one: (scores[one], -one))
        for one, counts in postings_of(unit, common, among=best).items():
            found[one] |= counts
        scores = scores_of({one: found[one] for one in best}, lengths, telling, average=average)
    return dict(heapq.nsmallest(limit, scores.items(), key=lambda item: (-item[1], item[0])))


def rare_enough(asked: list[Asked]) -> list[Asked]:
    """Return the rarest words whose postings may be read together; the rarest alone where even its are too many."""
    chosen: list[Asked] = []
    read = 0
    for one in asked:
        read += one.df
        if chosen and read > POSTINGS_READ:
            break
        chosen.append(one)
    return chosen


def postings_of(
    unit: Unit, word_ids: Collection[int], *, newest: bool = False, among: Collection[int] | None = None
) -> Postings:
    """Return how often each word is in each text that has it, by text."""
    kind = KINDS[unit]
    table, place = (SessionPosting, "session_id") if unit is Unit.SESSION else (WordPosting, "turn_id")
    rows = table._default_manager.filter(word__in=word_ids, **{f"{kind.count}__gt": 0})
    if among is not None:
        rows = rows.filter(**{f"{place}__in": among})
    elif newest:
        rows = rows.order_by(f"-{place}")[:POSTINGS_READ]
    found: Postings = defaultdict(dict)
    for text_id, word_id, count in rows.values_list(place, "word_id", kind.count):
        found[text_id][word_id] = count
    return found


def lengths_of(unit: Unit, ids: Collection[int]) -> dict[int, int]:
    rows = SessionVector.objects if unit is Unit.SESSION else TurnVector.objects
    return dict(rows.filter(pk__in=list(ids)).values_list("pk", KINDS[unit].length))


def scores_of(
    found: Postings, lengths: Mapping[int, int], telling: Mapping[int, float], *, average: float
) -> dict[int, float]:
    # Words are added up in one order, so that a score does not depend on how its postings were read.
    return {
        one: sum(
            telling[word_id] * weight(counts[word_id], lengths[one], average)
            for word_id in telling
            if word_id in counts
        )
        for one, counts in found.items()
        if one in lengths
    }


def turn_average(lexicon: LexiconRecord) -> float:
    return lexicon.turn_words / max(lexicon.turns, 1)


def sentence_scores(turn_ids: Collection[int], telling: Mapping[str, float], *, average: float) -> dict[int, float]:
    """Return the scores of the sentences of some turns, whose words are counted now."""
    scores: dict[int, float] = {}
    for sentence_id, text in SentenceRecord.objects.filter(turn__in=list(turn_ids)).values_list("pk", "text"):
        said = [word[:WORD_LIMIT] for word in words(text)]
        counts = Counter(said)
        shared = [word for word in telling if word in counts]
        if shared:
            scores[sentence_id] = sum(telling[word] * weight(counts[word], len(said), average) for word in shared)
    return scores
