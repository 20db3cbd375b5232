"""What the message reader found in a sentence, with what the parse tells beyond it.

The reader's facts come first. Of a clause counts what the reader does not do: denials and ends, relatives by name, dates and
other names of what both found, and any proposition of a sentence in which the reader found nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.types import Fact, Node, Polarity


def merged(read: Sequence[Fact], told: Sequence[Fact]) -> list[Fact]:
    """Return the facts that were read, made fuller by those that clauses tell, and what these alone tell."""
    first = [next((joined(fact, other) for other in told if agree(fact, other)), fact) for fact in read]
    return [*first, *(fact for fact in told if not any(agree(other, fact) for other in read) and adds(fact, read))]


def agree(fact: Fact, other: Fact) -> bool:
    """Return whether two facts say the same of the same: one may name the pet where the other names the dog."""
    kinds = {predicate_named(one.predicate).range for one in (fact, other)}
    return (
        (fact.predicate == other.predicate or kinds == {"Animal"})
        and fact.polarity is other.polarity
        and shares_words(fact.object, other.object)
        and is_same(fact.subject, other.subject)
    )


def adds(fact: Fact, read: Sequence[Fact]) -> bool:
    """Return whether a clause tells what the reader leaves to it."""
    is_relative = predicate_named(fact.predicate).range in ("Person", "Animal")
    if fact.polarity is Polarity.NEGATIVE or fact.object.is_any:
        return True
    about = [other for other in read if shares_words(fact.object, other.object)]
    if is_relative:
        return not any(predicate_named(other.predicate).range in ("Person", "Animal") for other in about)
    return not read


def joined(fact: Fact, told: Fact) -> Fact:
    """Return a fact that was read with the other names, the kinds and the dates that its clause tells."""
    return replace(
        fact,
        subject=fuller(fact.subject, told.subject),
        object=fuller(fact.object, told.object),
        valid_from=fact.valid_from or told.valid_from,
        valid_to=fact.valid_to or told.valid_to,
        attributed_to=told.attributed_to or fact.attributed_to,
    )


def fuller(node: Node, other: Node) -> Node:
    """Return a node with what else the parse knows of it."""
    aliases = dict.fromkeys([*node.aliases, *other.aliases])
    return replace(node, aliases=tuple(aliases), kind=node.kind or other.kind, lemma=node.lemma or other.lemma)


def is_same(node: Node, other: Node) -> bool:
    names, others = ({key_of(name) for name in (one.label, *one.aliases)} for one in (node, other))
    return bool(names & others)


def shares_words(node: Node, other: Node) -> bool:
    return bool(set(key_of(node.label).split()) & set(key_of(other.label).split()))
