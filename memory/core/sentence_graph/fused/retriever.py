"""`fused`: finds the turns and sessions of a question by several searches at once. Ours; it follows no paper.

    words     windows and sessions that share words with the question (BM25)
    meaning   sentences, turns and windows near the question and near what is left of it without its asking words
    speaker   turns of the one person whom the question names
    time      turns of the days that the question names, or whose words mean those days

Each search gives a bounded list and its best counts 1, so that the cost does not grow with the memory and no scale has to
be learnt (relative score fusion). A turn has the weighted sum of what its sentences, it, its window and its session have;
a session what its words and its best turns have. Where several pieces are asked for, turns of one session give way to
those of others. What was tried and adds nothing is not here: `docs/retrieval.md`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.core.english.times import dates_in
from memory.core.ports import DialogueIndex, RelevanceModel
from memory.core.sentence_graph.fused.config import FUSED, AskedFor, FusedConfig, holds, meet, read_question
from memory.core.types import Passage, Retrieval, RetrievalQuery, RetrievalTrace, ScoredChunk, ScoredUnit, Unit

SPREAD_DEPTH = 3


def by_meaning(found: Sequence[ScoredUnit], *, least: float) -> dict[int, float]:
    """Scale cosines to [0, 1]: the last unit found gets 0, the first 1; units with a cosine under `least` are left out.

    Cosines of one question lie close together, and at another level for another question: only their differences count.
    """
    if not found:
        return {}
    best, last = found[0].score, found[-1].score
    width = best - last
    return {one.id: (one.score - last) / width if width > 0 else 1.0 for one in found if one.score >= least}


def by_words(found: Sequence[ScoredUnit]) -> dict[int, float]:
    """Scale BM25 scores by the best one, which gets 1."""
    return {one.id: one.score / found[0].score for one in found if found[0].score > 0}


def best_by_owner(scores: Mapping[int, float], owners: Mapping[int, int]) -> dict[int, float]:
    """Return the best score of each owner's units; units without an owner are left out."""
    best: dict[int, float] = {}
    for one, score in scores.items():
        if one in owners:
            best[owners[one]] = max(score, best.get(owners[one], score))
    return best


def weighted_sum(parts: Iterable[tuple[float, Mapping[int, float]]]) -> dict[int, float]:
    """Return the weighted sum of the parts, given as (weight, scores); an id that a part lacks counts 0 there."""
    total: dict[int, float] = {}
    for weight, scores in parts:
        for one, score in scores.items():
            total[one] = total.get(one, 0.0) + weight * score
    return total


def ranked(scores: Mapping[int, float]) -> list[int]:
    """Return the ids, best first, ties by lower id."""
    return sorted(scores, key=lambda one: (-scores[one], one))


def of_best_turns(scores: Iterable[float], *, turns: int) -> float:
    """Return the mean of a session's best scores with weights 1, 1/2, 1/3, ...; missing turns count 0."""
    best = sorted(scores, reverse=True)[:turns]
    weights = [1 / place for place in range(1, turns + 1)]
    return sum(weight * score for weight, score in zip(weights, best, strict=False)) / sum(weights)


def spread(scores: Mapping[int, float], sessions: Mapping[int, int], *, penalty: float, limit: int) -> list[int]:
    """Return the best ids, chosen one by one; an id loses `penalty` for each chosen turn of its session.

    Only the first `SPREAD_DEPTH` times `limit` ids can be chosen.
    """
    if not penalty:
        return ranked(scores)[:limit]
    left, taken, order = ranked(scores)[: SPREAD_DEPTH * limit], Counter[int](), list[int]()
    while left and len(order) < limit:
        best = max(left, key=lambda one: scores[one] - penalty * taken[sessions[one]])
        left.remove(best)
        taken[sessions[best]] += 1
        order.append(best)
    return order


NAME = "fused"
NOTHING_FOUND = "Nothing that was said shares a word with the question or is near it in meaning."

Scores = Mapping[int, float]


@dataclass(frozen=True)
class Searched:
    """The scores that the searches found, by turn id (for `sessions` by session id); the best of each search is 1."""

    sentences: Scores
    turns: Scores
    windows: Scores
    words: Scores
    sessions: Scores
    candidates: tuple[ScoredUnit, ...] = ()


@dataclass(frozen=True)
class FusedRetriever:
    """Implements `Retriever` over any `DialogueIndex`."""

    index: DialogueIndex
    config: FusedConfig = FUSED
    relevance: RelevanceModel | None = None
    name: str = NAME

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        config = self.config
        words, sessions = find_by_words(self.index, query.text, config)
        passages = turns_by_id(self.index, words)
        speakers = {passage.speaker for passage in passages.values()}
        asked = read_question(query, speakers=speakers, restates=config.restates)
        vector = direction(self.index.embed(asked.wordings))
        searched = find_by_meaning(self.index, vector, words=words, sessions=sessions, config=config)
        passages |= turns_by_id(self.index, turns_of(searched) - passages.keys())
        parts = parts_of_turns(searched, passages, asked, config)
        scores = {turn: score for turn, score in weighted_sum(parts.values()).items() if turn in passages}
        if self.relevance is not None:
            scores = reread(query.text, scores, passages, relevance=self.relevance, config=config)
        turns = chosen_turns(scores, passages, searched.sessions, asked, config, limit=limit)
        held = chosen_sessions(scores, passages, searched.sessions, config, limit=limit)
        return retrieval(self.index, vector, turns, held, passages, trace(searched, parts))


def find_by_words(index: DialogueIndex, text: str, config: FusedConfig) -> tuple[Scores, Scores]:
    """Return the turns whose windows share words with the question, and the sessions that do."""
    windows = index.matching(Unit.WINDOW, text, limit=config.depth) if config.word_weight else []
    sessions = index.matching(Unit.SESSION, text, limit=config.session_depth) if config.session_weight else []
    return by_words(windows), by_words(sessions)


def direction(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the unit vector of the sum of a question's wordings: cosines to it rank like the mean of the cosines to each."""
    total = vectors.sum(axis=0)
    length = float(np.linalg.norm(total))
    return (total / length if length else vectors[0]).astype(np.float32)


def find_by_meaning(
    index: DialogueIndex, vector: NDArray[np.float32], *, words: Scores, sessions: Scores, config: FusedConfig
) -> Searched:
    def near(unit: Unit, weight: float) -> list[ScoredUnit]:
        return index.nearest(unit, vector, limit=config.depth) if weight else []

    found = near(Unit.SENTENCE, config.sentence_weight)
    sentences = by_meaning(found, least=config.least_similarity)
    owners = {one: place.turn_id for one, place in index.places_of(list(sentences)).items()}
    return Searched(
        sentences=best_by_owner(sentences, owners),
        turns=by_meaning(near(Unit.TURN, config.turn_weight), least=config.least_similarity),
        windows=by_meaning(near(Unit.WINDOW, config.window_weight), least=config.least_similarity),
        words=words,
        sessions=sessions,
        candidates=tuple(found),
    )


def turns_of(searched: Searched) -> set[int]:
    return {*searched.sentences, *searched.turns, *searched.windows, *searched.words}


def turns_by_id(index: DialogueIndex, turn_ids: Scores | set[int]) -> dict[int, Passage]:
    return {passage.id: passage for passage in index.passages_of(Unit.TURN, sorted(turn_ids))}


def parts_of_turns(
    searched: Searched, passages: Mapping[int, Passage], asked: AskedFor, config: FusedConfig
) -> dict[str, tuple[float, Scores]]:
    """Return every part's weight and its scores by turn."""
    return {
        "sentences": (config.sentence_weight, searched.sentences),
        "turns": (config.turn_weight, searched.turns),
        "windows": (config.window_weight, searched.windows),
        "words": (config.word_weight, searched.words),
        "speaker": (config.speaker_weight, said_by(asked, passages)),
        "time": (config.time_weight, said_then(asked, passages, days_after=config.days_after)),
        "told time": (config.told_time_weight, told_of_then(asked, passages)),
    }


def said_by(asked: AskedFor, passages: Mapping[int, Passage]) -> Scores:
    """Return 1 for the turns of the speaker whom the question names."""
    return {turn: 1.0 for turn, passage in passages.items() if asked.speaker and passage.speaker == asked.speaker}


def said_then(asked: AskedFor, passages: Mapping[int, Passage], *, days_after: int) -> Scores:
    """Return 1 for the turns that were said on the days that the question names, or shortly after."""
    return {
        turn: 1.0
        for turn, passage in passages.items()
        if any(holds(time, passage.said_at.date(), days_after=days_after) for time in asked.times)
    }


def told_of_then(asked: AskedFor, passages: Mapping[int, Passage]) -> Scores:
    """Return 1 for the turns whose words mean the days that the question names, such as "last week" said a week later."""
    if not asked.times:
        return {}
    return {
        turn: 1.0
        for turn, passage in passages.items()
        if any(
            meet(time, told)
            for told in dates_in(passage.text, said_at=passage.said_at)
            if not told.is_of_any_year
            for time in asked.times
        )
    }


def reread(
    question: str, scores: Scores, passages: Mapping[int, Passage], *, relevance: RelevanceModel, config: FusedConfig
) -> dict[int, float]:
    """Add the relevance model's scores to those of the first turns; turns that it did not read rank after them."""
    first = ranked(scores)[: config.rerank_depth]
    read = relevance.score_many([(question, spoken(passages[turn])) for turn in first])
    in_order = sorted(zip(first, read, strict=True), key=lambda pair: (-pair[1], pair[0]))
    judged = by_meaning([ScoredUnit(Unit.TURN, turn, score) for turn, score in in_order], least=-np.inf)
    ahead = max((scores[turn] for turn in scores.keys() - judged.keys()), default=0.0)
    return {
        turn: score + ahead + config.rerank_weight * judged[turn] if turn in judged else score
        for turn, score in scores.items()
    }


def spoken(passage: Passage) -> str:
    return f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text


def chosen_turns(
    scores: Scores,
    passages: Mapping[int, Passage],
    sessions: Scores,
    asked: AskedFor,
    config: FusedConfig,
    *,
    limit: int,
) -> list[tuple[int, float]]:
    """Return the best turns with their scores, which include the share of their sessions."""
    place = {turn: session_of(passages[turn]) for turn in scores}
    whole = {turn: score + config.session_weight * sessions.get(place[turn], 0.0) for turn, score in scores.items()}
    penalty = config.spread_penalty if asked.wants_several else 0.0
    return [(turn, whole[turn]) for turn in spread(whole, place, penalty=penalty, limit=limit)]


def chosen_sessions(
    scores: Scores, passages: Mapping[int, Passage], sessions: Scores, config: FusedConfig, *, limit: int
) -> list[tuple[int, float]]:
    """Return the best sessions by their words and their best turns."""
    of_session: dict[int, list[float]] = {}
    for turn, score in scores.items():
        of_session.setdefault(session_of(passages[turn]), []).append(score)
    by_turns = {session: of_best_turns(own, turns=config.session_turns) for session, own in of_session.items()}
    whole = weighted_sum([(1.0, by_turns), (config.session_weight, sessions)])
    return [(session, whole[session]) for session in ranked(whole)[:limit]]


def session_of(passage: Passage) -> int:
    assert passage.session_id is not None, "a turn stands in a session"
    return passage.session_id


def trace(searched: Searched, parts: Mapping[str, tuple[float, Scores]]) -> RetrievalTrace:
    rankings = {
        name: tuple(ScoredUnit(Unit.TURN, turn, weight * scores[turn]) for turn in ranked(scores))
        for name, (weight, scores) in parts.items()
    }
    of_sessions = tuple(ScoredUnit(Unit.SESSION, one, searched.sessions[one]) for one in ranked(searched.sessions))
    return RetrievalTrace(candidates=searched.candidates, rankings={**rankings, "session words": of_sessions})


def retrieval(
    index: DialogueIndex,
    vector: NDArray[np.float32],
    turns: Sequence[tuple[int, float]],
    sessions: Sequence[tuple[int, float]],
    passages: Mapping[int, Passage],
    trace: RetrievalTrace,
) -> Retrieval:
    """Return the chunks with their supporting sentences: those of the chosen turns, nearest to the question first."""
    if not turns and not sessions:
        return Retrieval(trace=trace, reason=NOTHING_FOUND)
    said = index.sentences_of([turn for turn, _ in turns])
    near = index.similarities_to([one for sentences in said.values() for one in sentences], vector)
    by_turn = {turn: ranked({one: near[one] for one in said.get(turn, ()) if one in near}) for turn, _ in turns}
    in_session: dict[int, list[int]] = {session: [] for session, _ in sessions}
    for turn, sentences in by_turn.items():
        in_session.setdefault(session_of(passages[turn]), []).extend(sentences)
    return Retrieval(
        chunks={
            Unit.TURN: tuple(ScoredChunk(Unit.TURN, turn, score, tuple(by_turn[turn])) for turn, score in turns),
            Unit.SESSION: tuple(
                ScoredChunk(Unit.SESSION, session, score, tuple(in_session[session])) for session, score in sessions
            ),
        },
        sentences=tuple(
            ScoredUnit(Unit.SENTENCE, sentences[0], near[sentences[0]]) for sentences in by_turn.values() if sentences
        ),
        trace=trace,
    )
