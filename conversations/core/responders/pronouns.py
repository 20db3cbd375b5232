"""Whom "he", "her" or "it" of a question means: who was named last in the dialogue, of those whom the memory knows."""

from __future__ import annotations

import re
from dataclasses import replace

from conversations.core.types import Query
from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm
from memory.core.knowledge_graph.vocabulary import FEMALE, MALE, RELATIONS
from memory.core.naming import key_of
from memory.core.ports import MemoryReader
from memory.core.types import Entity, Role, Utterance

_UTTERANCES = 6
_CANDIDATES = 60
_WORD = re.compile(r"(?P<owned>\b(?:my|your)\s+)?(?P<word>\b[^\W\d_][\w’'-]*)", re.IGNORECASE)
_ADDRESSED = frozenset({"you", "your"})
_FEMALE = frozenset({"she", "her", "hers"})
_MALE = frozenset({"he", "him", "his"})
_THINGS = frozenset({"it", "its"})


def resolve_pronouns(question: GraphQuestion, query: Query, memory: MemoryReader) -> GraphQuestion:
    """Return the question with each third person taken for whom the dialogue spoke of last."""
    pronouns = {pronoun for mention in (question.subject, question.object) for pronoun in _pronouns(mention)}
    if not pronouns:
        return question
    candidates = _candidates(query)
    known = memory.entities_named(list(dict.fromkeys(item.text for item in candidates if item.owner is None)))
    found = {pronoun: _antecedent(pronoun, candidates, known, query) for pronoun in pronouns}

    def resolved(mention: QuestionTerm | None) -> QuestionTerm | None:
        if mention is None:
            return None
        if mention.is_pronoun:
            return found.get(mention.text.lower()) or mention
        return replace(mention, owner=resolved(mention.owner)) if mention.owner is not None else mention

    return replace(question, subject=resolved(question.subject), object=resolved(question.object))


def _pronouns(mention: QuestionTerm | None) -> set[str]:
    if mention is None:
        return set()
    own = {mention.text.lower()} if mention.is_pronoun else set()
    return (own | _pronouns(mention.owner)) - _ADDRESSED


def _candidates(query: Query) -> list[QuestionTerm]:
    """Return the names and the roles ("my sister") of the last utterances, the latest first."""
    found: dict[QuestionTerm, None] = {}
    for utterance in reversed(query.history[-_UTTERANCES:]):
        for word in reversed(list(_WORD.finditer(utterance.text))):
            mention = _mention(word, utterance)
            if mention is not None:
                found.setdefault(mention, None)
    return list(found)[:_CANDIDATES]


def _mention(word: re.Match[str], utterance: Utterance) -> QuestionTerm | None:
    text = re.sub(r"['’]s?$", "", word["word"])
    owner = (word["owned"] or "").strip().lower()
    if owner == ("your" if utterance.role is Role.ASSISTANT else "my") and text.lower() in RELATIONS:
        return QuestionTerm(text.lower(), owner=SPEAKER)
    is_written_small = utterance.role is Role.USER and len(text) > 2
    return QuestionTerm(text) if text[:1].isupper() or is_written_small else None


def _antecedent(
    pronoun: str, candidates: list[QuestionTerm], known: dict[str, list[Entity]], query: Query
) -> QuestionTerm | None:
    for candidate in candidates:
        if candidate.owner is not None:
            excluded = MALE if pronoun in _FEMALE else FEMALE if pronoun in _MALE else frozenset[str]()
            if pronoun not in _THINGS and candidate.text not in excluded:
                return candidate
            continue
        if key_of(candidate.text) == key_of(query.speaker):
            continue
        if any(_can_be(pronoun, entity, candidate.text) for entity in known.get(candidate.text, ())):
            return candidate
    return None


def _can_be(pronoun: str, entity: Entity, written: str) -> bool:
    """Return whether an entity is of the pronoun's kind; what is written small and may be anything is no person."""
    if pronoun in _THINGS:
        return entity.kind not in {"Person", "Occupation"}
    if pronoun in _FEMALE | _MALE:
        return entity.kind in {"Person", "Animal"} or (entity.kind == "" and written[:1].isupper())
    return entity.kind != "Occupation"
