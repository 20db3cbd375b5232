"""Keeps the inverted index of a space for BM25: term frequencies of turns, windows, sentences and sessions, and totals.

Every function runs in the caller's transaction, which holds the lock of the space's row, so that the counts have one writer.
A word that no text has any more is deleted, so that nothing is left of what was forgotten.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from memory.models import RoundVector, TurnVector

WORDS_ADD = """
insert into memory_wordrecord as known (space_id, text, turns, windows, sentences, sessions)
select %(space)s, new.text, new.turns, new.windows, new.sentences, 0
from unnest(%(texts)s::text[], %(turns)s::int[], %(windows)s::int[], %(sentences)s::int[])
    as new (text, turns, windows, sentences)
on conflict (space_id, text) do update set
    turns = known.turns + excluded.turns,
    windows = known.windows + excluded.windows,
    sentences = known.sentences + excluded.sentences
returning id, text
"""
POSTINGS_ADD = """
insert into memory_wordposting
    (space_id, word_id, turn_id, in_turn, in_window, in_sentences, turn_words, window_words)
select %(space)s, new.* from unnest(
    %(words)s::bigint[], %(turns)s::bigint[], %(in_turn)s::int[], %(in_window)s::int[], %(in_sentences)s::int[],
    %(turn_words)s::int[], %(window_words)s::int[]
) new
"""
SESSION_POSTINGS_ADD = """
with added as (
    insert into memory_sessionposting as known (space_id, word_id, session_id, count)
    select %(space)s, word_id, %(session)s, count from unnest(%(words)s::bigint[], %(counts)s::int[]) as new (word_id, count)
    on conflict (word_id, session_id) do update set count = known.count + excluded.count
    returning word_id, xmax = 0 as is_new
)
update memory_wordrecord set sessions = sessions + 1 from added where is_new and id = added.word_id
"""
SESSION_ADD = """
insert into memory_sessionvector as known (session_id, space_id, words, read_words, is_full)
values (%(session)s, %(space)s, %(words)s, 0, false)
on conflict (session_id) do update set words = known.words + excluded.words
returning xmax = 0
"""
LEXICON_ADD = """
insert into memory_lexiconrecord as known
    (space_id, turns, turn_words, window_words, sentences, sentence_words, sessions, session_words)
values (
    %(space)s, %(turns)s, %(turn_words)s, %(window_words)s, %(sentences)s, %(sentence_words)s, %(sessions)s,
    %(session_words)s
)
on conflict (space_id) do update set
    turns = known.turns + excluded.turns,
    turn_words = known.turn_words + excluded.turn_words,
    window_words = known.window_words + excluded.window_words,
    sentences = known.sentences + excluded.sentences,
    sentence_words = known.sentence_words + excluded.sentence_words,
    sessions = known.sessions + excluded.sessions,
    session_words = known.session_words + excluded.session_words
"""
ROUNDS_AFTER = """
select distinct next.round_id from memory_turn turn
join lateral (
    select round_id from memory_turn after
    where after.session_id = turn.session_id and after.index > turn.index and not after.is_aside
    order by after.index limit 1
) next on true
where turn.round_id = any(%(rounds)s)
"""
WORDS_WITHOUT_TURNS = """
with gone as (
    select word_id, count(*) filter (where in_turn > 0) as turns, count(*) filter (where in_window > 0) as windows,
        sum(in_sentences) as sentences
    from memory_wordposting where turn_id = any(%(turns)s) group by word_id
)
update memory_wordrecord set
    turns = memory_wordrecord.turns - gone.turns,
    windows = memory_wordrecord.windows - gone.windows,
    sentences = memory_wordrecord.sentences - gone.sentences
from gone where id = gone.word_id
returning id
"""
SESSION_WORDS_WITHOUT_TURNS = """
update memory_sessionposting as known set count = known.count - gone.count
from (
    select posting.word_id, turn.session_id, sum(posting.in_turn) as count
    from memory_wordposting posting join memory_turn turn on turn.id = posting.turn_id
    where posting.turn_id = any(%(turns)s) group by posting.word_id, turn.session_id
) gone
where known.word_id = gone.word_id and known.session_id = gone.session_id
"""
SESSIONS_LEFT = """
select distinct turn.session_id from memory_turnvector vector join memory_turn turn on turn.id = vector.turn_id
where turn.session_id = any(%(sessions)s) and vector.turn_id <> all(%(turns)s)
"""
SESSION_POSTINGS_DELETE = """
with gone as (
    delete from memory_sessionposting
    where session_id = any(%(emptied)s) or (session_id = any(%(sessions)s) and count = 0)
    returning word_id
), counted as (select word_id, count(*) as sessions from gone group by word_id)
update memory_wordrecord set sessions = memory_wordrecord.sessions - counted.sessions
from counted where id = counted.word_id
returning id
"""
SESSION_LENGTHS_LESSEN = """
update memory_sessionvector as known set words = known.words - gone.words
from unnest(%(sessions)s::bigint[], %(words)s::int[]) as gone (session_id, words)
where known.session_id = gone.session_id
"""
SESSIONS_DELETE = "delete from memory_sessionvector where session_id = any(%(emptied)s) returning words"
POSTINGS_DELETE = "delete from memory_wordposting where turn_id = any(%(turns)s)"
WORDS_DELETE = """
delete from memory_wordrecord
where id = any(%(words)s) and turns = 0 and windows = 0 and sentences = 0 and sessions = 0
"""


@dataclass(frozen=True)
class TurnWords:
    """The term frequencies of a turn, of its window, and of each of its sentences."""

    turn_id: int
    turn: Counter[str]
    window: Counter[str]
    sentences: tuple[Counter[str], ...]

    @property
    def sentence_words(self) -> int:
        return sum(sentence.total() for sentence in self.sentences)

    @property
    def in_sentences(self) -> Counter[str]:
        """Return, for each word, the number of sentences with it."""
        return Counter(word for sentence in self.sentences for word in sentence)


def turns_add(space_id: int, session_id: int, turns: Sequence[TurnWords], *, date_words: Counter[str]) -> None:
    """Index turns of one session. `date_words` are the words of the session's date, which count with its first turn."""
    in_turns: Counter[str] = Counter()
    in_windows: Counter[str] = Counter()
    in_sentences: Counter[str] = Counter()
    said: Counter[str] = Counter()
    telling = [entry.in_sentences for entry in turns]
    for entry, sentences in zip(turns, telling, strict=True):
        in_turns.update(entry.turn.keys())
        in_windows.update(entry.window.keys())
        in_sentences.update(sentences)
        said.update(entry.turn)
    [(is_new,)] = run(SESSION_ADD, session=session_id, space=space_id, words=said.total())
    if is_new:
        run(SESSION_ADD, session=session_id, space=space_id, words=date_words.total())
    in_session = said + date_words if is_new else said
    texts = sorted(in_windows.keys() | in_sentences.keys() | in_session.keys())
    ids = {
        text: pk
        for pk, text in run(
            WORDS_ADD,
            space=space_id,
            texts=texts,
            turns=[in_turns[text] for text in texts],
            windows=[in_windows[text] for text in texts],
            sentences=[in_sentences[text] for text in texts],
        )
    }
    rows = [
        (
            ids[text],
            entry.turn_id,
            entry.turn[text],
            entry.window[text],
            sentences[text],
            entry.turn.total(),
            entry.window.total(),
        )
        for entry, sentences in zip(turns, telling, strict=True)
        for text in sorted(entry.window.keys() | entry.turn.keys() | sentences.keys())
    ]
    names = ("words", "turns", "in_turn", "in_window", "in_sentences", "turn_words", "window_words")
    run(POSTINGS_ADD, space=space_id, **{name: [row[place] for row in rows] for place, name in enumerate(names)})
    run(
        SESSION_POSTINGS_ADD,
        space=space_id,
        session=session_id,
        words=[ids[text] for text in in_session],
        counts=list(in_session.values()),
    )
    run(
        LEXICON_ADD,
        space=space_id,
        turns=len(turns),
        turn_words=said.total(),
        window_words=sum(entry.window.total() for entry in turns),
        sentences=sum(len(entry.sentences) for entry in turns),
        sentence_words=sum(entry.sentence_words for entry in turns),
        sessions=int(is_new),
        session_words=in_session.total(),
    )


def rounds_remove(space_id: int, round_ids: Collection[int]) -> bool:
    """Delete the vectors and words of rounds, and of a session without turns; return whether any round was indexed."""
    indexed, _ = RoundVector.objects.filter(round__in=round_ids).delete()
    if not indexed:
        return False
    columns = ("turn_id", "turn__session_id", "words", "window_words", "sentences", "sentence_words")
    turns = list(TurnVector.objects.filter(turn__round__in=round_ids).values_list(*columns))
    turn_ids = [row[0] for row in turns]
    lessened: Counter[int] = Counter()
    for _, session_id, words, *_ in turns:
        lessened[session_id] += words
    sessions = list(lessened)
    left = {session_id for (session_id,) in run(SESSIONS_LEFT, sessions=sessions, turns=turn_ids)}
    emptied = [session_id for session_id in sessions if session_id not in left]
    touched = run(WORDS_WITHOUT_TURNS, turns=turn_ids)
    run(SESSION_WORDS_WITHOUT_TURNS, turns=turn_ids)
    touched += run(SESSION_POSTINGS_DELETE, emptied=emptied, sessions=sessions)
    run(SESSION_LENGTHS_LESSEN, sessions=sessions, words=list(lessened.values()))
    dates = sum(words for (words,) in run(SESSIONS_DELETE, emptied=emptied))
    run(POSTINGS_DELETE, turns=turn_ids)
    run(WORDS_DELETE, words=[pk for (pk,) in touched])
    TurnVector.objects.filter(pk__in=turn_ids).delete()
    run(
        LEXICON_ADD,
        space=space_id,
        turns=-len(turns),
        turn_words=-lessened.total(),
        window_words=-sum(row[3] for row in turns),
        sentences=-sum(row[4] for row in turns),
        sentence_words=-sum(row[5] for row in turns),
        sessions=-len(emptied),
        session_words=-lessened.total() - dates,
    )
    return True


def rounds_after(round_ids: Collection[int]) -> list[int]:
    """Return the rounds of the turns right after turns of these rounds."""
    return [round_id for (round_id,) in run(ROUNDS_AFTER, rounds=list(round_ids))]


def run(statement: str, **arguments: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return cursor.fetchall() if cursor.description is not None else []
