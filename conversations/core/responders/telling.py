"""Which clause of a remembered sentence answers: "My passport expires in 2026, and my licence in 2031" has a date for each.

A quotation gives the clause that speaks of what is asked, and a time is taken from that clause alone.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from memory.core.english.spelling import plain_words
from memory.core.english.telling_times import tell_fully
from memory.core.english.times import MONTH, dates_in
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.stems import content_stems
from memory.core.types import SourceSentence

_BETWEEN = re.compile(
    r"\s*[;:!]+\s+|,?\s+(?:and|but|while|whereas|then)\s+(?=[^\W\d])|,\s+(?!(?:an?|the|who|which|where|with)\b)(?=[^\W\d])|\s+[–—-]\s+|(?<=[^\W\d]{3})\.\s+"
)
_PART_OF_DATE = re.compile(rf",?\s+(?:{MONTH}|\d)", re.IGNORECASE)


def telling_clause(text: str, asked: Collection[str], *, spared: int = 0) -> str:
    """Return the clause of a text that shares more of the asked stems than any other; the text where none does.

    `spared` is how many of the stems that the text shares may stand outside of the clause.
    """
    clauses = _clauses(text)
    scores = [len(set(asked) & content_stems(clause)) for clause in clauses]
    best = max(scores)
    whole = len(set(asked) & content_stems(text))
    if len(clauses) < 2 or scores.count(best) > 1 or best < max(1, whole - spared):
        return text
    chosen = clauses[scores.index(best)]
    # A clause that says no more than the question does not answer it.
    return chosen if content_stems(chosen) - set(asked) else text


def told_words(question: GraphQuestion, source: SourceSentence) -> SourceSentence:
    """Return a sentence with only those of its words that tell what one question asks."""
    if question.wanted in {Wanted.EVERYTHING, Wanted.REASON, Wanted.MANNER, Wanted.TRUTH}:
        return source
    return replace(source, text=_telling_clause(question, source))


def told_time(question: GraphQuestion, source: SourceSentence) -> str:
    """Return the time that a sentence tells of what is asked, in plain words, or ""."""
    clause = _telling_clause(question, source)
    for text in dict.fromkeys((clause, source.text)):
        words = plain_words(text).text
        for time in dates_in(words, said_at=source.said_at):
            return tell_fully(time)
    return ""


def _telling_clause(question: GraphQuestion, source: SourceSentence) -> str:
    # A clause with its own date often leaves out what it is about: "and had it repainted in 2017".
    is_timed = question.wanted in {Wanted.TIME, Wanted.DURATION}
    asked = question.content - content_stems(question.time)
    return telling_clause(source.text, asked, spared=1 if is_timed else 0)


def _clauses(text: str) -> list[str]:
    clauses, start = list[str](), 0
    for found in _BETWEEN.finditer(text):
        piece = text[start : found.start()]
        # "Tuesday, 18 March" is one date, "Lyon, France" and "tea and cake" are one thing each.
        if _PART_OF_DATE.match(text, found.start()) or len(piece.split()) < 3 or len(text[found.end() :].split()) < 3:
            continue
        clauses.append(piece)
        start = found.end()
    return [*clauses, text[start:]]
