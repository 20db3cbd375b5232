"""Which predicates of the ontology the words of a link can mean, best first."""

from __future__ import annotations

from memory.core.english.inflection import base_form, singular
from memory.core.knowledge_graph.ontology import (
    FAVORITE,
    FILE,
    PREDICATES,
    VERB_PREDICATES,
    favorite_of,
    minted,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.vocabulary import PETS

# A general relation is answered by the particular ones too.
NARROWER: dict[str, tuple[str, ...]] = {
    "hasSibling": ("hasSibling", "hasSister", "hasBrother", "hasTwin"),
    "hasChild": ("hasChild", "hasSon", "hasDaughter"),
    "hasParent": ("hasParent", "hasMother", "hasFather"),
    "hasGrandparent": ("hasGrandparent", "hasGrandmother", "hasGrandfather"),
    "hasPartner": ("hasPartner", "spouse", "hasGirlfriend", "hasBoyfriend", "hasFiance"),
    "hasPet": ("hasPet", *sorted({relation_of(noun) for noun in PETS} - {"hasPet"})),
    "hasBoss": ("hasBoss", "hasManager", "hasSupervisor"),
    "hasManager": ("hasManager", "hasBoss", "hasSupervisor"),
}
_NOUNS = {noun: tuple(names) for noun, names in FILE.lists("asked_nouns").items()}
_PLACE_PREPOSITIONS = ("in", "at", "to", "near", "on", "from", "for")
_BE_STATES = {
    "be married": ("spouse", "maritalStatus"), "be single": ("maritalStatus", "spouse"), "be tall": ("height",),
    "be divorced": ("maritalStatus", "spouse"), "be engaged": ("maritalStatus", "hasFiance"), "be heavy": ("weight",),
    "be widowed": ("maritalStatus",), "be retired": ("maritalStatus", "hasQuality"),
}  # fmt: skip
# "Do I smoke?" is asked of what is kept as a habit, smoking.
HABITS = {"smoke": "smoking", "vape": "vaping", "meditate": "meditating", "gamble": "gambling"}


def predicates_of_noun(noun: str) -> tuple[str, ...]:
    """Return what "my <noun>" can be stored as: "job" is worksAs, "siblings" any kind of sibling."""
    words = noun.lower().replace("favourite", "favorite").split()
    if not words:
        return ()
    words[-1] = singular(words[-1])
    if "favorite" in words:
        thing = " ".join(word for word in words if word not in {"favorite", "most", "all", "time", "all-time"})
        return (favorite_of(thing), FAVORITE) if thing else (FAVORITE, "likes")
    plain = " ".join(word for word in words if word not in _QUALIFIERS) or words[-1]
    relation = relation_of(plain) or relation_of(plain.split()[-1])
    if relation:
        return NARROWER.get(relation, (relation,))
    found = _NOUNS.get(plain) or _NOUNS.get(plain.split()[-1], ())
    named = tuple(name for name, predicate in PREDICATES.items() if predicate.noun and predicate.noun == plain)
    return (*found, *named, minted(f"has {plain}"))


_QUALIFIERS = frozenset(
    "old new current previous former last first own big little older younger elder eldest oldest youngest best full real "
    "exact other present actual ex".split()
)


def predicates_of_verb(verb: str, preposition: str, *, thing: str, noun: str, is_place: bool) -> tuple[str, ...]:
    """Return the names of the predicates that a verb can mean, best first: "live" in a place is livesIn.

    `thing` is what it takes ("has its office"), `noun` the kind that is asked for, `is_place` whether a place is.
    """
    if verb == "be" and preposition in {"", "of"}:
        return ("locatedIn", "livesIn") if is_place else ()
    if verb == "have":
        return (*predicates_of_noun(thing), "owns", "have", "hasCondition") if thing else ("owns", "have")
    if verb in _BE_STATES:
        return _BE_STATES[verb]
    if verb == "be born":
        return ("bornIn", "birthDate")
    if verb == "do" and not preposition:
        return ("worksAs", "worksFor", "hasHobby")
    if verb == "call" and not is_place:
        return ("hasName",)
    return tuple(dict.fromkeys(name for name in _of_verb(verb, preposition, noun=noun, is_place=is_place) if name))


def _of_verb(verb: str, preposition: str, *, noun: str, is_place: bool) -> tuple[str, ...]:
    base = base_form(verb.removeprefix("be ")) if verb.startswith("be ") else verb
    found: list[str] = []
    for form in dict.fromkeys((verb, base)):
        if preposition:
            found.append(predicate_of_phrase(f"{form} {preposition}"))
        elif is_place:
            found += [predicate_of_phrase(f"{form} {place}") for place in _PLACE_PREPOSITIONS]
            found += [minted(f"{base} {place}") for place in _PLACE_PREPOSITIONS]
        found.append(predicate_of_phrase(form))
        if not preposition and not is_place:
            found += [name for phrase, name in VERB_PREDICATES.items() if phrase.startswith(f"{form} ")]
    if base == "live" and preposition in {"", "in", "at"}:
        # "I'm in Leeds now" is all that some people say of where they live.
        found = ["livesIn", "staysIn", "locatedIn"]
    if base == "stay" and preposition in {"", "in", "at"}:
        found = ["staysIn", *found, minted("stay with"), "livesWith", "livesIn"]
    if base in HABITS:
        found = ["hasHabit"]
    if verb == "be" and preposition and noun:
        found += predicates_of_noun(noun)
    if base == "work" and preposition in {"", "at", "for", "in"}:
        found = ["worksFor", "worksIn"] if preposition != "in" else ["worksIn", "worksFor"]
    if base == "move" and preposition == "from":
        found = ["movedFrom"]
    elif base == "move":
        found = ["livesIn", "movedFrom"] if not is_place else ["livesIn"]
    if verb == "be" and preposition == "from":
        found = ["comesFrom", "grewUpIn", "bornIn", "nationality"]
    if verb == "be" and preposition in {"in", "at"}:
        found = ["locatedIn", "livesIn", *found]
    if base == "visit":
        found += ["wentTo", "traveledTo"]
    if base in {"like", "love", "enjoy"}:
        found += ["likes", "hasHobby"]
    return (*found, minted(f"{base} {preposition}".strip()))
