"""Puts facts that people write or change into sentences, and finds the predicate that their words name."""

import re
from dataclasses import replace
from datetime import datetime

from memory.core.english.inflection import base_form
from memory.core.knowledge_graph.ontology import (
    PREDICATES,
    favorite_of,
    minted,
    number_of,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.verbalisation import Assertion, assertion_of_fact, determiner_of, sentence
from memory.core.types import Fact, Polarity, Tense
from memory.models import TripleRecord
from memory.services.edits.audit import EditRefused, shortened

PREDICATE_LIMIT = 120
QUOTED = 200
BE = frozenset({"am", "is", "are", "was", "were"})
# Two names of one noun read better as the first that the ontology gives it.
NOUNS = {predicate.noun: name for name, predicate in reversed(PREDICATES.items()) if predicate.noun}
PHRASES = {
    f"{predicate.verb} {predicate.preposition}": name
    for name, predicate in reversed(PREDICATES.items())
    if predicate.preposition
}


def words_checked(text: str, *, what: str, limit: int) -> str:
    """Return the text on one line. Raises `EditRefused` where it is empty, longer than `limit` characters or not text."""
    words = " ".join(text.split())
    if not words:
        raise EditRefused(f"Write {what}.")
    if "\0" in words:
        raise EditRefused("The words hold characters that are not text. Write them as plain text.")
    if len(words) > limit:
        raise EditRefused(f"This can have at most {limit:,} characters: {what}.")
    return words


def predicate_of(words: str) -> str:
    """Return the predicate that a person's words name: a predicate's own name, a phrase ("lives in") or a noun ("sister").

    Words that name no known predicate give the name of a new one.
    """
    phrase = words_checked(words, what="what is said of it, such as “lives in”", limit=PREDICATE_LIMIT)
    if phrase in PREDICATES or re.fullmatch(r"[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+", phrase):
        return phrase
    first, *rest = phrase.lower().split()
    if first in {"has", "have", "my"} and rest:
        noun = " ".join(rest).removeprefix("a ").removeprefix("an ").removeprefix("the ")
        return _predicate_of_noun(noun) or minted(f"has {noun}")
    base = " ".join(["be" if first in BE else base_form(first), *rest])
    found = predicate_of_phrase(base) or predicate_of_phrase(phrase.lower()) or PHRASES.get(base, "")
    name = found or _predicate_of_noun(phrase.lower()) or minted(base)
    if not name:
        raise EditRefused("Write what is said of it in words, such as “lives in”.")
    return name[:PREDICATE_LIMIT]


def _predicate_of_noun(noun: str) -> str:
    for lead in ("favorite ", "favourite "):
        if noun.startswith(lead):
            return favorite_of(noun.removeprefix(lead))
    if noun.startswith("number of "):
        return number_of(noun.removeprefix("number of "))
    return relation_of(noun) or NOUNS.get(noun, "")


def sentence_of_fact(fact: Fact, *, at: datetime) -> str:
    """Return a fact as a sentence in the third person: "Ana lives in Lyon."."""
    is_over = fact.valid_to is not None and fact.valid_to <= at
    return sentence(replace(assertion_of_fact(fact), is_former=is_over), asker="")


def sentence_of_row(row: TripleRecord) -> str:
    """Return a triple as a sentence in the third person, cut to a length that can be quoted."""
    return quoted(sentence(assertion_of_row(row), asker="").removesuffix("."))


def assertion_of_row(row: TripleRecord) -> Assertion:
    """Return what a stored triple asserts, in the tense in which it was believed, with the article of its words if loaded."""
    value = row.object.label if row.object is not None else row.value
    is_loaded = TripleRecord._meta.get_field("sentence").is_cached(row)
    return Assertion(
        subject=row.subject.label,
        predicate=row.predicate,
        object=value,
        polarity=Polarity(row.polarity),
        tense=Tense(row.tense),
        is_any=row.is_any,
        object_kind=row.object.kind if row.object is not None else "",
        phrase=row.phrase,
        determiner=determiner_of(value, words=row.sentence.text) if is_loaded else "",
    )


def quoted(text: str) -> str:
    return f"“{shortened(text, QUOTED)}”"
