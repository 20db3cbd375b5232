"""What the message reader found in a sentence, with what the parse tells beyond it.

The reader's facts come first. Of a clause counts what the reader does not do: of whom something is told where the words say
it, relatives by their exact relation, denials and ends, dates and other names, and what is told of a thing of which the
reader found nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.english.inflection import base_form
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.replacement import is_open
from memory.core.naming import key_of
from memory.core.types import Fact, Modality, Node, Polarity, Tense

# From which probability on a fact counts whose clause tells something else of the same value.
SURE = 0.7
# What "be" and "have" say of anything: whether it lasts, a clause does not tell.
PASSING = frozenset({"hasQuality", "locatedIn", "maritalStatus", "owns"})


def merged(read: Sequence[Fact], told: Sequence[Fact], *, text: str = "") -> list[Fact]:
    """Return the facts that were read, put right and made fuller by those that clauses tell, and what these alone tell.

    Whom a clause only guesses by a pronoun gives way to somebody else who is surely read of `text`. Of what the speaker says
    of themself, but for dates, numbers and addresses, only the reader judges whether it lasts.
    """
    facts, used = list[Fact](), list[Fact]()
    for fact in read:
        if any(_denies(other, fact) for other in told):
            continue
        rivals = [other for other in told if shares_words(fact.object, other.object) and not other.object.is_any]
        same = [other for other in rivals if is_same(fact.subject, other.subject) and not is_open(other)]
        exact = [
            other for other in same if other.predicate == fact.predicate or is_relation(other) and is_relation(fact)
        ]
        if exact or same and fact.confidence < SURE:
            facts.append(joined(fact, (exact or same)[0]))
            used.append((exact or same)[0])
        elif same:
            is_denied = same[0].polarity is Polarity.NEGATIVE and fact.tense is same[0].tense
            facts.append(replace(fact, polarity=Polarity.NEGATIVE) if is_denied else fact)
            # A plan leaves its clause to tell what will be so.
            used += [
                other
                for other in same
                if other.subject.is_speaker and other.polarity is Polarity.POSITIVE and other.tense is not Tense.FUTURE
            ]
        elif all(is_open(other) or _is_about(other, fact) for other in rivals):
            facts.append(fact)
        elif fact.confidence >= SURE and not fact.subject.is_speaker and all(_is_guessed(one, text) for one in rivals):
            facts.append(fact)
            used += [other for other in rivals if other.predicate == fact.predicate]
    return [*facts, *(fact for fact in told if fact not in used and adds(fact, facts))]


def _denies(told: Fact, fact: Fact) -> bool:
    """Return whether a clause denies every value of a predicate that has one at most: "Fiona and I got divorced"."""
    is_of_it = told.object.is_any and told.predicate == fact.predicate and is_same(told.subject, fact.subject)
    is_one = predicate_named(fact.predicate).is_functional
    return is_of_it and is_one and told.polarity is Polarity.NEGATIVE and fact.polarity is Polarity.POSITIVE


def _is_about(told: Fact, fact: Fact) -> bool:
    """Return whether a clause tells of something of somebody's, or of the speaker, what was read of that one or of others."""
    is_thing = told.subject.kind not in LIVING
    is_theirs = key_of(told.subject.label).startswith(f"{key_of(fact.subject.label)}'s ")
    is_of_others = told.subject.is_speaker and not fact.subject.is_speaker and told.predicate != fact.predicate
    return is_thing and is_theirs or is_of_others


def _is_guessed(told: Fact, text: str) -> bool:
    """Return whether a clause is about somebody whom the sentence does not name."""
    return not told.subject.is_speaker and key_of(told.subject.label).split()[-1] not in key_of(text).split()


def adds(fact: Fact, read: Sequence[Fact]) -> bool:
    """Return whether a clause tells what the reader leaves to it."""
    if not _is_known(fact.subject) and (fact.predicate in PASSING or fact.predicate not in PREDICATES):
        return False
    if fact.predicate == "isA" and fact.tense is Tense.PAST:
        return False
    if fact.polarity is Polarity.NEGATIVE or fact.object.is_any:
        return True
    about = [other for other in read if shares_words(fact.object, other.object)]
    if is_relation(fact):
        return not any(is_relation(other) for other in about)
    is_named = fact.object.is_literal or fact.predicate in PREDICATES and fact.object.pos == "PROPN"
    is_plain = is_named and fact.predicate not in PASSING and fact.tense is not Tense.FUTURE
    is_judged = fact.object.is_speaker or fact.subject.is_speaker and not is_plain
    return (not is_judged or bool(about)) and not any(other.predicate == fact.predicate for other in about)


def _is_known(node: Node) -> bool:
    """Return whether somebody can ask for a node: a person, an animal, something named or owned; no "it", no "setbacks"."""
    is_somebody = node.kind in LIVING or node.is_speaker
    return is_somebody or not node.label.islower() and node.pos == "PROPN" or "'s " in node.label


def is_relation(fact: Fact) -> bool:
    return predicate_named(fact.predicate).range in LIVING


def joined(fact: Fact, told: Fact) -> Fact:
    """Return a fact that was read as its clause words it: by its relation, with other names, kinds, tense and dates."""
    is_put_alike = fact.polarity is told.polarity
    # "My mum thinks I'm a vegetarian, but I'm not" denies in the speaker's own name.
    is_own = told.modality is Modality.ASSERTED or told.modality is Modality.REPORTED and not is_put_alike
    is_over = fact.tense is Tense.PAST and is_put_alike and fact.confidence >= SURE
    first, second = (fact, told) if is_over else (told, fact)
    # "Logitech has its headquarters in Lausanne", read as where somebody works, makes nobody of Logitech.
    is_read_so = fact.predicate == told.predicate or fact.subject.is_speaker
    kind = told.subject.kind or (fact.subject.kind if is_read_so else "")
    subject = fact.subject if fact.subject.is_speaker else replace(fact.subject, kind=kind)
    is_put_so = told.object.pos == "PROPN" or _opens_with_verb(fact.object.label, told.predicate)
    return replace(
        first,
        predicate=told.predicate,
        polarity=fact.polarity if is_put_alike else Polarity.NEGATIVE,
        modality=fact.modality if is_own else told.modality,
        confidence=max(fact.confidence, told.confidence),
        subject=fuller(subject, told.subject),
        object=fuller(told.object, fact.object) if is_put_so else fuller(fact.object, told.object),
        valid_from=first.valid_from or (second.valid_from if is_put_alike else None),
        valid_to=first.valid_to or (second.valid_to if is_put_alike and first.tense is second.tense else None),
        attributed_to=fact.attributed_to if is_own else told.attributed_to or fact.attributed_to,
    )


def _opens_with_verb(value: str, predicate: str) -> bool:
    """Return whether a value has the verb that its predicate says: "drove the school bus" of "drives"."""
    return base_form(value.split()[0].lower()) == base_form(predicate_named(predicate).verb)


def fuller(node: Node, other: Node) -> Node:
    """Return a node with what else the parse knows of it."""
    aliases = dict.fromkeys([*node.aliases, *other.aliases])
    return replace(node, aliases=tuple(aliases), kind=node.kind or other.kind, lemma=node.lemma or other.lemma)


def is_same(node: Node, other: Node) -> bool:
    names, others = ({key_of(name) for name in (one.label, *one.aliases)} for one in (node, other))
    return bool(names & others)


def shares_words(node: Node, other: Node) -> bool:
    return bool(set(key_of(node.label).split()) & set(key_of(other.label).split()))
