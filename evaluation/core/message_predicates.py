"""Which of the guide's predicates a fact of the graph expresses: the table by which labelled messages are compared.

The labels of messages use the names of `memory/training/messages/GUIDE.md`, the graph those of the ontology, which are finer
(a dog, a cat, a pet), and whatever a message adds to it. What the guide calls `other` is any predicate that the table does
not have.
"""

from __future__ import annotations

from functools import lru_cache

from memory.core.knowledge_graph.ontology import FAVORITE, NUMBER_OF, PREDICATES, minted, predicate_of_phrase
from memory.core.knowledge_graph.replacement import one_of

OTHER = "other"
PETS = tuple(predicate.name for predicate in PREDICATES.values() if predicate.range == "Animal")
# What says of something what or how it is, and so may say many things, and what the guide has no name for too.
GENERAL = ("isA", "hasQuality")

# Every name also stands for itself and for "my <name> is ...": `budget` is expressed by budget and by hasBudget.
EXPRESSED_BY: dict[str, tuple[str, ...]] = {
    "livesIn": ("staysIn", "livesNear", "livesOn", "hasLivedIn", "movedFrom"),
    "comesFrom": ("grewUpIn",),
    "bornIn": ("birthDate", "hasBirthplace"),
    "birthDate": ("hasBirthday",),
    "age": (),
    "hasName": ("hasSurname", "hasFirstName", "hasLastName", "hasMiddleName"),
    "hasNickname": ("hasName",),
    "maritalStatus": GENERAL,
    "nationality": ("hasCitizenship", "hasPassport", *GENERAL),
    "spouse": ("hasWife", "hasHusband"),
    "worksFor": ("worksAt", "hasEmployer"),
    "worksAs": ("hasJob", "hasProfession", "hasOccupation", *GENERAL),
    "worksIn": ("worksOn",),
    "studiesAt": ("hasSchool", "hasUniversity", "hasCollege"),
    "studies": ("hasMajor", "studiesFor"),
    "learns": ("practices",),
    "teaches": (),
    "speaks": ("hasLanguage",),
    "likes": ("interestedIn", "supports"),
    "dislikes": (),
    "fears": ("hasFear",),
    "allergicTo": ("hasAllergy",),
    "hasCondition": GENERAL,
    "eats": (),
    "drinks": (),
    "diet": GENERAL,
    "hasHobby": ("hasHabit", "practices"),
    "plays": ("practices",),
    "owns": ("collects",),
    "drives": ("rides",),
    "uses": ("rides",),
    "wants": ("needs",),
    "plansTo": ("flightTo",),
    "attends": ("wentTo",),
    "memberOf": ("playsFor", "singsIn"),
    "locatedIn": ("officeIn", "headquartersIn", "hasLocation"),
    "knows": ("met",),
    "phoneNumber": (),
    "email": (),
    "address": (),
    "height": (),
    "weight": (),
    "visited": ("traveledTo", "wentTo"),
    "traveledTo": ("visited", "wentTo", "flightTo"),
    "graduatedFrom": (),
    "founded": (),
    "hasPet": (*PETS, "owns"),
    "hasSister": ("hasSibling", "hasTwin"),
    "hasBrother": ("hasSibling", "hasTwin"),
    "hasMother": ("hasParent",),
    "hasFather": ("hasParent",),
    "hasSon": ("hasChild",),
    "hasDaughter": ("hasChild",),
    "hasChild": ("hasSon", "hasDaughter"),
    "hasGrandmother": ("hasGrandparent",),
    "hasGrandfather": ("hasGrandparent",),
    "hasAunt": (),
    "hasUncle": (),
    "hasCousin": (),
    "hasNiece": (),
    "hasNephew": (),
    "hasPartner": ("hasGirlfriend", "hasBoyfriend"),
    "hasFiance": (),
    "hasFriend": (),
    "hasBoss": ("hasManager", "hasSupervisor"),
    "hasColleague": ("worksWith",),
    "hasNeighbor": (),
    "hasRoommate": ("livesWith",),
    "hasDoctor": ("hasDentist", "hasTherapist", "hasPhysio", "hasPsychologist", "hasOptician"),
    "hasNumberOf": (),
    "hasFavorite": (),
    "budget": (),
    "deadline": ("hasDueDate",),
    "appointment": (),
    "religion": ("hasFaith", *GENERAL),
    "mustHave": ("needs", "wants"),
    "mustAvoid": (),
    "movedFrom": (),
    "gotRidOf": (),
}
# What expresses a name where it is denied, or is over.
EXPRESSED_BY_DENIED: dict[str, tuple[str, ...]] = {
    "gotRidOf": ("owns", "drives", "rides", "uses", "collects", *PETS),
    "movedFrom": ("livesIn", "staysIn"),
    "likes": ("dislikes",),
    "dislikes": ("likes",),
    "mustAvoid": ("mustHave", "needs", "wants", "eats", "drinks", "likes"),
}
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
