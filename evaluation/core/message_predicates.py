"""Which of the guide's predicates a fact of the graph expresses: the table by which labelled messages are compared.

The labels of messages use the names of `memory/training/messages/GUIDE.md`, the graph those of the ontology, which are finer
(a dog, a cat, a pet), and whatever a message adds to it. What the guide calls `other` is any predicate that the table does
not have.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from memory.core.knowledge_graph.ontology import FAVORITE, NUMBER_OF, PREDICATES, minted, predicate_of_phrase
from memory.core.knowledge_graph.replacement import one_of
from memory.core.word_files import WordFile

OTHER = "other"
PETS = tuple(predicate.name for predicate in PREDICATES.values() if predicate.range == "Animal")
# What says of something what or how it is, and so may say many things, and what the guide has no name for too.
GENERAL = ("isA", "hasQuality")

_GROUPS = {"(pets)": PETS, "(general)": GENERAL}
_FILE = WordFile(Path(__file__).with_suffix(".txt"))


def _table(section: str) -> dict[str, tuple[str, ...]]:
    lines = _FILE.lists(section).items()
    return {name: tuple(one for said in others for one in _GROUPS.get(said, (said,))) for name, others in lines}


# Every name also stands for itself and for "my <name> is ...": `budget` is expressed by budget and by hasBudget.
EXPRESSED_BY = _table("expressed_by")
# What expresses a name where it is denied, or is over.
EXPRESSED_BY_DENIED = _table("expressed_by_denied")
# A number of somebody's children is labelled as hasChild "two".
COUNTED = ("hasNumberOf", "hasChild", "hasSon", "hasDaughter", "hasSister", "hasBrother", "hasCousin", "hasPet")
BAR = one_of("", "")


def expressed_names(predicate: str, *, is_denied: bool) -> frozenset[str]:
    """Return the guide's names that a fact of this predicate may express, `other` among them; never none.

    `is_denied` is for what is denied or is over. A predicate that stands for one of several expresses the names of each.
    """
    return frozenset().union(*(_names(part, is_denied) for part in predicate.split(BAR)))


def expresses(predicate: str, label: str, *, is_denied: bool) -> bool:
    """Return whether a fact of this predicate expresses the label's, such as livesIn or "other:volunteer at"."""
    name, _, phrase = label.partition(":")
    if phrase and predicate in (predicate_of_phrase(phrase), minted(phrase)):
        return True
    return name in expressed_names(predicate, is_denied=is_denied)


@lru_cache(maxsize=4096)
def _names(predicate: str, is_denied: bool) -> frozenset[str]:
    if predicate.startswith(FAVORITE):
        return frozenset({"hasFavorite"})
    if predicate.startswith(NUMBER_OF):
        return frozenset(COUNTED)
    named = {
        name
        for name, others in EXPRESSED_BY.items()
        if predicate in (name, f"has{name[0].upper()}{name[1:]}", *others)
        or (is_denied and predicate in EXPRESSED_BY_DENIED.get(name, ()))
    }
    if not named or predicate in GENERAL:
        named.add(OTHER)
    return frozenset(named)
