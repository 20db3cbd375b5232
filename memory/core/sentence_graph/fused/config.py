"""The weights of `fused`, where each default comes from, and how it reads a question and its times."""

import calendar
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from memory.core.english.times import PartialDate, TimeReference, dates_in
from memory.core.types import RetrievalQuery


@dataclass(frozen=True)
class FusedConfig:
    """Weights of the parts of a turn's score.

    Each part's scores are scaled so that the best is 1; a weight of 0 drops a part.

    All are round values from the middle of a wide plateau on the five development conversations of LoCoMo: the same are used
    for every benchmark and for the product. `docs/retrieval.md` says what each part adds.
    """

    # Deep enough that the evidence of nearly every question is among what is weighed; 200 finds no more, 50 a little less.
    depth: int = 100
    session_depth: int = 30

    sentence_weight: float = 1.0
    turn_weight: float = 1.0
    window_weight: float = 1.0
    word_weight: float = 1.5
    session_weight: float = 2.0
    speaker_weight: float = 0.5

    # Whoever names a date means it: said then outweighs any one search. Words that only mean that time count less.
    time_weight: float = 2.0
    told_time_weight: float = 0.5
    # People tell of a day on the days after it.
    days_after: int = 3

    # A question that leaves out its asking words and the name is nearer to how an answer is put.
    restates: bool = True
    # A session counts by its best turns, the second half as much as the first, the third a third.
    session_turns: int = 4
    # What a turn loses for each better one of its session, where several pieces are asked for.
    spread_penalty: float = 0.1
    # What is below this cosine is about something else; of the evidence found by meaning alone almost none is.
    least_similarity: float = 0.2

    # With a relevance model: how many turns it reads, and what its best counts.
    rerank_depth: int = 30
    rerank_weight: float = 4.0


FUSED = FusedConfig()
# Whoever reads what was found judges it better than a cosine does, and a question in other words is near to nothing.
FUSED_FOR_READING = replace(FUSED, least_similarity=-1.0)

# Each part left out on its own, for the table of what it adds.
FUSED_WITHOUT: Mapping[str, FusedConfig] = {
    "sentences": replace(FUSED, sentence_weight=0.0),
    "turns": replace(FUSED, turn_weight=0.0),
    "windows": replace(FUSED, window_weight=0.0),
    "words": replace(FUSED, word_weight=0.0),
    "session_words": replace(FUSED, session_weight=0.0),
    "speaker": replace(FUSED, speaker_weight=0.0),
    "time": replace(FUSED, time_weight=0.0, told_time_weight=0.0),
    "told_time": replace(FUSED, told_time_weight=0.0),
    "restating": replace(FUSED, restates=False),
    "several_turns": replace(FUSED, session_turns=1),
    "spreading": replace(FUSED, spread_penalty=0.0),
}


# Speakers that are parts in a dialogue, not names: "user" in a question is a word like another.
PARTS = frozenset({"user", "assistant"})

_LEAD = re.compile(
    r"^\W*(?:(?:in|on|at|for|to|with|from|by|about|of|during)\s+)?(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"(?:\s+(?:many|much|long|often|old|kinds?|types?|sorts?)\b(?:\s+of\b)?)?\s*"
    r"(?:(?:is|are|was|were|did|does|do|has|have|had|can|could|would|will|should|might)\b)?\s*",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"^(?:what|which)\s+(?!(?:is|was|did|does|do|has|had|are|were|would|could)\b)(?:\w+\s+){0,3}?\w+s\b"
    r"|^how\s+many\b|\bboth\b|^what\s+are\b|^in\s+what\s+ways\b|^list\b|\bthe\s+order\s+in\s+which\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AskedFor:
    """A question as `fused` searches for it: the vectors of all `wordings` are added up."""

    wordings: tuple[str, ...]
    speaker: str = ""
    times: tuple[TimeReference, ...] = ()
    wants_several: bool = False


def read_question(query: RetrievalQuery, *, speakers: Collection[str], restates: bool = True) -> AskedFor:
    """Return what a question asks for. `speaker` is the one of `speakers` that it names; empty for none or several."""
    named = [speaker for speaker in sorted(set(speakers)) if is_named(speaker, query.text)]
    wordings = (query.text, restated(query.text, named)) if restates else (query.text,)
    return AskedFor(
        wordings=tuple(dict.fromkeys(wordings)),
        speaker=named[0] if len(named) == 1 else "",
        times=tuple(dates_in(query.text, said_at=query.asked_at)),
        wants_several=bool(_SEVERAL.search(query.text.strip())),
    )


def is_named(speaker: str, text: str) -> bool:
    return speaker.casefold() not in PARTS and bool(name_pattern(speaker).search(text))


def name_pattern(speaker: str) -> re.Pattern[str]:
    return (
        re.compile(rf"(?<!\w){re.escape(speaker.strip())}(?!\w)(?:['’]s(?!\w))?", re.IGNORECASE)
        if speaker.strip()
        else _NEVER
    )


_NEVER = re.compile(r"(?!)")


def restated(question: str, names: Collection[str]) -> str:
    """Return the question without question words and names, which is nearer to the wording of an answer.

    A question that would become empty is returned as it is.
    """
    text = _LEAD.sub("", question).rstrip("?!. ")
    for name in names:
        text = name_pattern(name).sub(" ", text)
    return " ".join(text.split()) or question


def holds(time: TimeReference, day: date, *, days_after: int = 0) -> bool:
    """Return whether a day is in a time, or at most `days_after` days behind its end."""
    return any(first <= day <= last + timedelta(days_after) for first, last in _runs_near(time, day))


def meet(asked: TimeReference, told: TimeReference) -> bool:
    """Return whether two times overlap; what is told is taken in the year that was meant."""
    first, last = told.start.first, told.end.last
    return any(run_first <= last and first <= run_last for run_first, run_last in _runs_near(asked, first))


def _runs_near(time: TimeReference, day: date) -> Iterator[tuple[date, date]]:
    """Yield the first and the last day of a time, for each year around a day where the time's own year was left out."""
    year = time.start.first.year
    for near in range(day.year - 1, day.year + 2) if time.is_of_any_year else (year,):
        first, last = (_shifted(part, near - year) for part in (time.start.first, time.end.last))
        if first is not None and last is not None:
            yield first, last


def _shifted(day: date, years: int) -> date | None:
    """Return a day in another year, None beyond the calendar; the last of February stays its last."""
    year = day.year + years
    if not date.min.year <= year <= date.max.year:
        return None
    is_last = day.month == 2 and day.day == calendar.monthrange(day.year, 2)[1]
    return PartialDate(year, day.month, None if is_last else day.day).last
