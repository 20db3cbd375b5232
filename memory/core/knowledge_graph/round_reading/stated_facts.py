"""Facts as a language model states them of a line, and what becomes of them: facts of the graph, or nothing.

What a model states is checked against the words that it was shown: the quotation stands in its line, both ends are named in
the words or known already, the predicate is made of words. What fails is dropped with the reason in the log.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from calendar import monthrange
from datetime import date, datetime, timedelta
from functools import cache
from typing import Literal

from pydantic import BaseModel

from memory.core.english.inflection import base_form, third_person, words_of_name
from memory.core.english.words import find_quote
from memory.core.grounding import Grounds
from memory.core.knowledge_graph.extraction.people import SOMEBODY
from memory.core.knowledge_graph.ontology import (
    FAVORITE,
    PREDICATES,
    favorite_of,
    minted,
    predicate_named,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.verbalisation import quoted
from memory.core.types import Fact, Modality, Node, Polarity, Span, Tense, Utterance

LOGGER = logging.getLogger(__name__)
# What is longer is a sentence in the place of a name.
PREDICATE_LIMIT = 80
PREDICATE_WORDS = 8
LABEL_LIMIT = 200
# Of the words of a name this part has to be said or known: "Ana's sister" where Ana says "my sister".
GROUNDED = 0.5
# How many predicates of a large group are listed as examples.
EXAMPLES = 12
FIRST_PERSON = frozenset({"i", "me", "myself", "mine", "my", "speaker", "the speaker", "user", "the user"})
_PREDICATE = re.compile(r"[^\W\d_][\w' /-]*")
_SHOUTED = re.compile(r"[A-Z]{4,}")

Kind = Literal[
    "Person", "Organization", "Place", "Animal", "Event", "Food", "Object", "TimeSpan", "Occupation", "Language", "Value",
    "Other",
]  # fmt: skip


class StatedFact(BaseModel):
    """One fact as the model writes it. The quotation stands first: what is written after it rests on it."""

    sentence: int
    quote: str
    subject: str
    predicate: str
    object: str | None
    subject_kind: Kind = "Other"
    object_kind: Kind = "Other"
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ASSERTED
    reported_by: str | None = None
    tense: Tense = Tense.PRESENT
    valid_from: str | None = None
    valid_to: str | None = None


def fact_of(stated: StatedFact, source: Utterance, grounds: Grounds, *, confidence: float) -> Fact | str:
    """Return the fact that the model stated of a line, or why it is dropped: its words do not bear it out."""
    span = find_quote(stated.quote, source.text)
    if span is None:
        return "whose quotation is not in its line"
    predicate = predicate_of(stated.predicate)
    subject = _node(stated.subject, stated.subject_kind, source.speaker)
    object_ = _object(stated, predicate, source.speaker) if predicate else None
    if subject is None or object_ is None or subject.is_literal:
        return "without a subject, a predicate or an object"
    if any(not _is_grounded(node, grounds) for node in (subject, object_)):
        return "about what nobody named"
    if not object_.is_any and object_.label == subject.label:
        return "of a thing with itself"
    valid_from = _bound(stated.valid_from, source.said_at, is_end=False)
    valid_to = _bound(stated.valid_to, source.said_at, is_end=True)
    if valid_from is not None and valid_to is not None and valid_to < valid_from:
        LOGGER.warning("Dropped the dates of a fact that would end before it begins: %r", stated.quote[:100])
        valid_from = valid_to = None
    return Fact(
        subject=subject,
        predicate=predicate,
        object=object_,
        span=span,
        polarity=stated.polarity,
        modality=stated.modality,
        tense=stated.tense,
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
        phrase="" if predicate in PREDICATES else quoted(_telling(source.text, span, object_)),
        attributed_to=_reporter(stated, source.speaker),
    )


def _telling(text: str, span: Span, value: Node) -> str:
    """Return the words that tell a fact: the quotation where it names the value, else the whole line."""
    quote = text[span.start : span.end]
    return quote if Grounds([quote]).share(value.label) >= GROUNDED else text[:LABEL_LIMIT]


def _is_grounded(node: Node, grounds: Grounds) -> bool:
    return node.is_speaker or node.is_any or grounds.share(node.label) >= GROUNDED


def predicate_of(name: str) -> str:
    """Return the ontology's name for a predicate that a model wrote, minted where the ontology has none; or nothing."""
    if len(name) > PREDICATE_LIMIT or not _PREDICATE.fullmatch(name.strip()):
        return ""
    words = words_of_name("_".join(re.findall(r"[^\W_]+", name)))
    if not words or len(words) > PREDICATE_WORDS:
        return ""
    known = _known_predicates().get("".join(words))
    if known:
        return known
    noun = words[1:] if words[0] in ("has", "have") else words
    if noun[:1] in (["favorite"], ["favourite"]) and len(noun) > 1:
        return favorite_of(" ".join(noun[1:]))
    relation = relation_of(" ".join(noun))
    if relation or noun != words:
        return relation or minted(" ".join(["has", *noun]))
    base = base_form(words[0])
    phrase = " ".join([base, *words[1:]])
    # "gets" is seldom to own.
    if (known := predicate_of_phrase(phrase)) and base != "get":
        return known
    if _SHOUTED.search(name):
        return ""
    # "usedFor" may be passive or past: in the base form it would be told as something else.
    return minted(phrase if words[0] in (base, third_person(base)) else " ".join(words))


def _reporter(stated: StatedFact, speaker: str) -> str:
    """Return whose word a reported fact is: as the model names them, or somebody where it names nobody else."""
    if stated.modality is not Modality.REPORTED:
        return ""
    name = _one_line(stated.reported_by or "")
    is_speaker = name.casefold() in FIRST_PERSON or name.casefold() == speaker.casefold()
    return SOMEBODY if not name or is_speaker else name[:PREDICATE_LIMIT]


def _object(stated: StatedFact, predicate: str, speaker: str) -> Node | None:
    if stated.object is None or not stated.object.strip():
        return ANY if stated.polarity is Polarity.NEGATIVE else None
    if predicate_named(predicate).range == "Literal":
        return Node(_one_line(stated.object), is_literal=True)
    return _node(stated.object, stated.object_kind, speaker)


def _node(label: str, kind: Kind, speaker: str) -> Node | None:
    name = _one_line(label)
    if not any(character.isalnum() for character in name) or len(name) > LABEL_LIMIT:
        return None
    if name.casefold() in FIRST_PERSON or name.casefold() == speaker.casefold():
        return Node(speaker, kind="Person", is_speaker=True)
    if kind == "Value":
        return Node(name, is_literal=True)
    return Node(name, kind="" if kind == "Other" else kind)


def _bound(written: str | None, said_at: datetime, *, is_end: bool) -> datetime | None:
    """Return when a date, month or year begins, or ends, in the time zone of the line; None where it is no date.

    What ends in a month or a year ends with its last day.
    """
    match = re.match(r"\s*(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?!\d)", written or "")
    if match is None:
        if written:
            LOGGER.warning("Passed over a date that is none: %r", written[:40])
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        at = date(year or 0, month or (12 if is_end else 1), 1)
        at = at.replace(day=day or (monthrange(at.year, at.month)[1] if is_end else 1))
    except ValueError:
        LOGGER.warning("Passed over a date that is not in the calendar: %r", (written or "")[:40])
        return None
    # Farther out, a conversion between time zones leaves the calendar.
    if not timedelta(days=2) < at - date.min < date.max - date.min - timedelta(days=2):
        return None
    return datetime(at.year, at.month, at.day, tzinfo=said_at.tzinfo)


def _one_line(text: str) -> str:
    """Return a text on one line without characters that cannot be seen or stored."""
    plain = "".join(" " if character.isspace() else character for character in text)
    seen = (one for one in plain if one == "\u200d" or unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    return " ".join("".join(seen).split())


@cache
def _known_predicates() -> dict[str, str]:
    return {"".join(words_of_name(name)): name for name in PREDICATES}


@cache
def predicate_table() -> str:
    """Return the known predicates in lines of those that join the same kinds; of a large group a few and its pattern."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, known in PREDICATES.items():
        groups.setdefault((known.domain, known.range.replace("Literal", "Value")), []).append(name)
    lines = []
    for (domain, target), names in groups.items():
        relations = [name for name in names if name.startswith("has")]
        examples = [*relations[:EXAMPLES], "has... for any other"] if len(relations) > EXAMPLES else relations
        listed = ", ".join([*examples, *(name for name in names if name not in relations)])
        lines.append(f"- {domain or 'anything'} -> {target or 'anything'}: {listed}")
    return "\n".join([*lines, f"- Person -> anything: {FAVORITE}<Thing>, such as {favorite_of('colour')}"])
