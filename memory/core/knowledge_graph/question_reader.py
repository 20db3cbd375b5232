"""Reads questions into the patterns that the graph is asked by, with the learned reader alone.

What stays by rule is closed: which names of the ontology a predicate stands for, and which words name a date.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from memory.core.english.inflection import plural, singular
from memory.core.english.times import dates_in
from memory.core.knowledge_graph.modifiers import MODIFIERS
from memory.core.knowledge_graph.ontology import (
    FAVORITE,
    PREDICATES,
    favorite_of,
    number_of,
    predicate_named,
    relation_of,
)
from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_predicates import NARROWER, predicates_of_noun
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import QuestionReader
from memory.core.types import AskedKind, Likely, ReadQuestion, TermPath, WordSpan

# From which probability on a question is none to the memory, and from which the first predicate, or another, may be asked.
SURE, FIRST, LIKELY = 0.8, 0.3, 0.2
# Below this probability of a path, a relation is the one that the question names by its noun.
DOUBTED = 0.5
LONGEST = 600
# The relation that leads from the speaker to whoever fits what is asked.
ANYBODY = "knows"
# What else holds what a predicate is asked for, where not what is narrower.
KEPT_AS = {
    "diet": ("hasQuality",),
    "age": ("age", "birthDate"),
    "maritalStatus": ("maritalStatus", "spouse"),
    "mustAvoid": ("eats", "drinks"),
    "worksAs": ("worksAs", "worksFor"),
    "worksIn": ("worksIn", "worksFor"),
    "attends": ("attends", "wentTo"),
    "visited": ("visited", "traveledTo", "wentTo"),
    "traveledTo": ("traveledTo", "visited", "wentTo"),
    "locatedIn": ("locatedIn", "officeIn", "headquartersIn"),
}
WANTED_OF = {
    "yes-no": Wanted.TRUTH,
    "place": Wanted.PLACE,
    "person": Wanted.PERSON,
    "time": Wanted.TIME,
    "reason": Wanted.REASON,
    "manner": Wanted.MANNER,
}
# Where a phrase for a time stands is the same on every day.
_ANY_DAY = datetime(2020, 1, 1, tzinfo=UTC)
_OWNED = re.compile(r"(?:(?P<owner>.+)['’]s|(?P<own>my|our))\s+(?P<thing>.+)", re.IGNORECASE)
_DETERMINER = re.compile(r"(?:the|an?|this|that|these|those|any|some)\s+", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|never)\b|n['’]t\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")
PathT = TypeVar("PathT", TermPath, TermPath | None)
_SPEAKER = frozenset({"i", "me", "my", "we", "us", "our", "mine", "myself"})


def read_questions(texts: Sequence[str], *, reader: QuestionReader | None) -> list[GraphQuestion]:
    """Return one question a text, in order. Without a reader they are questions by their content alone."""
    short = [" ".join(text.split())[:LONGEST] for text in texts]
    if reader is None:
        return [GraphQuestion(text, Wanted.VALUE, content=content_stems(text)) for text in short]
    return [understood(text, read) for text, read in zip(short, reader.read_many(short), strict=True)]


def understood(text: str, read: ReadQuestion) -> GraphQuestion:
    """Return the pattern of a question as the reader reads it."""
    read = replace(read, subject=_well_typed(read.subject), value=_well_typed(read.value))
    time = next((time for time in dates_in(text, said_at=_ANY_DAY) if time.span.start > 0), None)
    other = read.value.value
    # What is itself found by a path is no words to compare with.
    given = None if other is None or other.start is None or other.relations else term_of(other.start.text)
    given = given if given is not None and content_stems(given.text) else None
    wanted, subject = wanted_of(read), _subject(text, read.subject)
    start = "" if read.subject.value.start is None else read.subject.value.start.text
    if "who" in _WORDS.findall(text.lower()) and content_stems(text) <= content_stems(start):
        wanted = Wanted.IDENTITY
    predicates = _predicates(text, read, given) if wanted is not Wanted.EVERYTHING else ()
    if read.want.value == "name" and predicates and _is_relation(predicates[0]):
        # The name of a dog is asked of the dog.
        subject = QuestionTerm(predicate_named(predicates[0]).noun, owner=subject)
        wanted, predicates = Wanted.NAME, ("hasName",)
    return GraphQuestion(
        text=text,
        wanted=wanted,
        subject=subject,
        # What is counted names the kind of what is told.
        value=None if wanted is Wanted.COUNT else given,
        predicates=predicates,
        when=read.time.value,
        time="" if time is None else text[time.span.start : time.span.end],
        excluded=unwrapped(text).excluded,
        is_denied=wanted is not Wanted.TRUTH and "dislikes" not in predicates and _DENIED.search(text) is not None,
        is_list=read.form.value in {"list", "summary"},
        kind=read.kind.value if read.kind.probability >= SURE else AskedKind.MEMORY,
        content=content_stems(text),
        value_path=other,
    )


def _well_typed(read: Likely[PathT]) -> Likely[PathT]:
    """Return a path without relations that cannot follow: no firm works for another, and nobody's spouse has a spouse."""
    if read.value is None:
        return read
    kept: list[str] = []
    for name in read.value.relations:
        spec, before = predicate_named(name), predicate_named(kept[-1]) if kept else None
        is_unfit = before is not None and {before.range, spec.domain} == {"Organization", "Person"}
        if not is_unfit and not (spec.is_symmetric and before == spec):
            kept.append(name)
    return replace(read, value=replace(read.value, relations=tuple(kept)))


def wanted_of(read: ReadQuestion) -> Wanted:
    """Return the part of triples that a question wants, by its form, the kind of thing, and the predicate."""
    want, form = read.want.value, read.form.value
    best = _known(read.predicates[:1])
    if form == "summary":
        return Wanted.EVERYTHING
    if want == "yes-no":
        return Wanted.TRUTH
    if not best and want in {"any", "manner"}:
        return (
            Wanted.IDENTITY if want == "any" and form == "who" else Wanted.RELATION if form == "how" else Wanted.MANNER
        )
    if best[:1] == ["age"]:
        return Wanted.AGE
    if form == "how-many" and not (best and predicate_named(best[0]).is_functional):
        return Wanted.COUNT
    if form == "how-long":
        return Wanted.DURATION
    return Wanted.NAME if best == ["hasName"] else WANTED_OF.get(want, Wanted.VALUE)


def term_of(words: str) -> QuestionTerm:
    """Return words of a question as the thing that they name: "my bike", "Ana's dog", "the bakery"."""
    bare = _DETERMINER.sub("", words.strip(" ,.?!"), count=1)
    if bare.lower() in _SPEAKER:
        return SPEAKER
    owned = _OWNED.fullmatch(bare)
    if owned is None:
        return QuestionTerm(bare)
    return QuestionTerm(owned["thing"], owner=SPEAKER if owned["own"] else term_of(owned["owner"]))


def _subject(text: str, read: Likely[TermPath]) -> QuestionTerm | None:
    """Return what a path leads to, as questions name it; a relation that the ontology does not know leads to no name.

    Where anybody is sought, it is None.
    Where the reader is not sure of a relation, the one that the question names by its noun is meant.
    """
    path, is_doubted = read.value, read.probability < DOUBTED
    if path == TermPath(None, (ANYBODY,)):
        return None
    term = SPEAKER if path.start is None else term_of(path.start.text)
    beside = _noun_beside(path.start, text)
    if is_doubted and path.start is not None and beside and len(path.relations) < 2:
        return QuestionTerm(beside, owner=term)
    named = _relations_named(text)
    for relation in named if is_doubted and len(named) == len(path.relations) else path.relations:
        known = next((name for name in named if name in NARROWER.get(relation, ())), relation)
        noun = predicate_named(known).noun if known in PREDICATES else beside
        term = QuestionTerm(named.get(known, noun), owner=term)
    return term


def _noun_beside(start: WordSpan | None, text: str) -> str:
    """Return the noun that a question owns to words: "owner" of "the owner of the bakery" and "the bakery's owner"."""
    name = re.escape(start.text) if start is not None else "(?:my|our)"
    found = re.search(rf"(?P<of>\w+) of {name}\b|\b{name}(?:['’]s)? (?P<own>\w+)", text, re.IGNORECASE)
    return "" if found is None else found["of"] or found["own"]


def _relations_named(text: str) -> dict[str, str]:
    """Return the relations whose nouns stand in a question, in their order, each with its words: "older brother"."""
    words = _WORDS.findall(text.lower())
    return {
        name: f"{before} {singular(word)}" if before in MODIFIERS else singular(word)
        for before, word in zip(["", *words], words, strict=False)
        if (name := relation_of(singular(word)))
    }


def _known(predicates: Sequence[Likely[str]]) -> list[str]:
    """Return the names that predicates have in the ontology, without those that it does not know."""
    return [
        name
        for one in predicates
        for name in NARROWER.get(one.value, KEPT_AS.get(one.value, (one.value,)))
        if name in PREDICATES or name == FAVORITE
    ]


def _is_relation(name: str) -> bool:
    """Return whether a predicate says who or what somebody has: a sister, a dentist, a dog."""
    return name in NARROWER or bool(name) and relation_of(predicate_named(name).noun) == name


def _predicates(text: str, read: ReadQuestion, given: QuestionTerm | None) -> tuple[str, ...]:
    """Return the predicates that may answer, likeliest first, with those that the noun of a relation or thing names."""
    is_likely = bool(read.predicates) and read.predicates[0].probability >= FIRST
    found = _known([one for one in read.predicates if is_likely and one.probability >= LIKELY])
    noun = singular(given.text.split()[-1].lower()) if given is not None else ""
    if found and _is_relation(found[0]):
        finer = [name for name in _relations_named(text) if name not in read.subject.value.relations][-1:]
        found = [inner for name in finer for inner in NARROWER.get(name, (name,))] or found
        noun = noun or predicate_named((finer or found)[0]).noun
    if noun and read.want.value == "yes-no" and _is_relation(next(iter(found), "")):
        found = [*found, number_of(plural(noun))]
    if noun and read.form.value == "how-many":
        kind = relation_of(noun)
        found = [number_of(plural(noun)), *NARROWER.get(kind, (kind,)), *found]
    if FAVORITE in found:
        nouns = [word for word in _WORDS.findall(text.lower()) if content_stems(word) and not word.startswith("fav")]
        found = [*(favorite_of(singular(word)) for word in nouns), FAVORITE] if nouns else [FAVORITE, "likes"]
    if "owns" in found and given is not None:
        found = [*found, *predicates_of_noun(given.text), "have"]
    return tuple(dict.fromkeys(name for name in found if name))
