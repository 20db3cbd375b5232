"""How an AMR graph puts an event: asserted, asked, supposed or reported; denied; of what time.

Departures from the paper:
- AMR has no tense: "I live" and "I lived in Paris" are one graph. Tense is read from the words of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from rdflib import Graph
from rdflib.term import Node as Term

from memory.core.english.inflection import past, past_participle
from memory.core.english.times import dates_in
from memory.core.knowledge_graph.extraction.amr.aligned_nodes import NodeReader, date_of
from memory.core.knowledge_graph.extraction.amr.frames import ENDING, REPORTING, SUPPOSING
from memory.core.knowledge_graph.extraction.amr.rdf import BOXING, ROLES, frame_of
from memory.core.knowledge_graph.extraction.people import SOMEBODY
from memory.core.types import Modality, Polarity, Span, Tense, Utterance

_USED_TO = re.compile(r"\b(?:used? to|once|formerly)\s+(?:\w+\s+)?$", re.IGNORECASE)
_AHEAD = re.compile(r"\b(?:will|won't|shall|going to|gonna)\s+(?:\w+\s+)?$|['’]ll\s+(?:\w+\s+)?$", re.IGNORECASE)
_PERFECT = re.compile(r"(?:\b(?:have|has|haven't|hasn't)|['’](?:ve|s))\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_BYGONE = frozenset({"past", "once", "former", "formerly", "previous"})
# What joins clauses passes no question on from one to the other.
_JOINING = frozenset({"and", "multi-sentence", "contrast-01"})
_QUESTION_MARKS = ("?", "？", "؟")


@dataclass(frozen=True)
class Putting:
    """How an event is put, and whose word it is where it is reported."""

    modality: Modality = Modality.ASSERTED
    polarity: Polarity = Polarity.POSITIVE
    attributed_to: str = ""


@dataclass(frozen=True)
class Event:
    """A node of the graph that says something: its word in the sentence, and how it is put."""

    node: Term
    lemma: str
    word: Span | None
    putting: Putting


def putting_of(graph: Graph, event: Term, mentions: NodeReader, text: str) -> Putting:
    """Return how an event is put, given everything above it in the graph."""
    modality, denials, source = Modality.ASSERTED, _denials(graph, event), ""
    if _is_asked(graph, event) or _is_wholly_asked(graph, text):
        modality = Modality.ASKED
    elif _is_conditional(graph, event):
        modality = Modality.HYPOTHETICAL
    for above in _above(graph, event):
        frame = frame_of(graph, above)
        if frame in ENDING:
            denials += 1
        if frame not in _JOINING and _is_asked(graph, above):
            modality = Modality.ASKED
        elif (frame in SUPPOSING or frame == "or" or _is_conditional(graph, above)) and modality is Modality.ASSERTED:
            modality = Modality.HYPOTHETICAL
        elif frame in REPORTING:
            reporter = graph.value(above, ROLES.ARG0)
            mention = mentions.read(reporter) if reporter is not None else None
            if mention is not None and mention.node.is_speaker:
                denials += _denials(graph, above)
            elif modality is Modality.ASSERTED:
                modality, source = Modality.REPORTED, SOMEBODY if mention is None else mention.node.label
    return Putting(modality, Polarity.NEGATIVE if denials % 2 else Polarity.POSITIVE, source)


def tense_of(graph: Graph, event: Event, text: str, *, is_change: bool) -> Tense:
    """Return the time that an event speaks of; a change in the past tells of the state it led to, which is now."""
    word, lemma = event.word, event.lemma
    before = text[: word.start] if word is not None else ""
    if _AHEAD.search(before):
        return Tense.FUTURE
    bygone = any(frame_of(graph, time) in _BYGONE for time in graph.objects(event.node, ROLES.time))
    if bygone or _USED_TO.search(before):
        return Tense.PAST
    if word is None or is_change or _PERFECT.search(before):
        return Tense.PRESENT
    written = text[word.start : word.end].lower()
    is_past = written != lemma and written in (past(lemma), past_participle(lemma))
    return Tense.PAST if is_past else Tense.PRESENT


def time_of(graph: Graph, event: Term, said: Utterance, *, is_over: bool) -> tuple[datetime | None, datetime | None]:
    """Return since when and until when an event holds, so far as the sentence says; what is over ends with its time."""
    fillers = [filler for role in (ROLES.time, ROLES.duration) for filler in graph.objects(event, role)]
    known = [date_of(graph, node) for filler in fillers for node in (filler, *graph.objects(filler, ROLES.op1))]
    years = {date[:4] for date in known if date}
    for time in dates_in(said.text, said_at=said.said_at) if fillers else ():
        if time.is_vague or years and not any(year in time.words for year in years):
            continue
        span = time.during(said.said_at)
        if time.ends:
            return None, span.start
        return span.start, span.end if is_over and not time.starts else None
    return None, None


def _above(graph: Graph, event: Term) -> Iterator[Term]:
    """Yield whatever has the event as a part, at whatever depth; an event that only describes a thing is not reached."""
    seen, waiting = {event}, [event]
    while waiting:
        for above, role in graph.subject_predicates(waiting.pop()):
            if above not in seen and role not in (ROLES.condition, ROLES.time, ROLES.cause):
                seen.add(above)
                waiting.append(above)
                yield above


def _denials(graph: Graph, node: Term) -> int:
    return int((node, BOXING.hasTruthValue, BOXING.false) in graph)


def _is_conditional(graph: Graph, node: Term) -> bool:
    is_consequence = next(graph.objects(node, ROLES.condition), None) is not None
    return is_consequence or next(graph.subjects(ROLES.condition, node), None) is not None


def _is_asked(graph: Graph, node: Term) -> bool:
    """Return whether a node is questioned or commanded: by its mode, or by an unknown among what it joins."""
    if next(graph.objects(node, BOXING.hasModality), None) in (ROLES.interrogative, ROLES.imperative):
        return True
    fillers = list(graph.objects(node, None))
    unknown = [*fillers, *(inner for filler in fillers for inner in graph.objects(filler, None))]
    return any(frame_of(graph, filler) == "amr-unknown" for filler in unknown)


def _is_wholly_asked(graph: Graph, text: str) -> bool:
    """Return whether a question is one in its mark alone: the parser left out what it asks."""
    has_mark = text.rstrip(" \"'”’)!").endswith(_QUESTION_MARKS)
    return has_mark and not any(_is_asked(graph, node) for node in set(graph.subjects()))
