"""Which predicates of the ontology the words of a question can mean, best first."""

from __future__ import annotations

from memory.core.english.inflection import base_form, plural, singular
from memory.core.knowledge_graph.ontology import (
    FAVORITE,
    FILE,
    PREDICATES,
    VERB_PREDICATES,
    favorite_of,
    minted,
    number_of,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
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


def candidate_predicates(question: GraphQuestion) -> tuple[str, ...]:
    """Return the names of the predicates that can answer, best first and without repetition."""
    return tuple(dict.fromkeys(name for name in _candidates(question) if name))


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


def count_predicate(noun: str) -> str:
    """Return the predicate that holds how many of a thing there are: "dog" is hasNumberOfDogs."""
    return number_of(plural(singular(noun.lower().split()[-1])))


def _candidates(question: GraphQuestion) -> tuple[str, ...]:
    wanted = question.wanted
    if wanted in {Wanted.EVERYTHING, Wanted.IDENTITY, Wanted.RELATION}:
        return ()
    if wanted is Wanted.AGE:
        return ("age", "birthDate")
    if wanted is Wanted.NAME:
        return ("hasName",)
    verb = question.verb
    if verb == "be" and question.preposition in {"", "of"}:
        return _of_copula(question)
    if verb == "have":
        thing = question.object.text if question.object is not None else question.noun
        counted = (count_predicate(thing),) if wanted is Wanted.COUNT and thing else ()
        return (*counted, *predicates_of_noun(thing), "owns", "have", "hasCondition") if thing else ("owns", "have")
    if verb in _BE_STATES and question.object is None:
        return _BE_STATES[verb]
    if verb == "be born":
        return ("birthDate",) if wanted is Wanted.TIME else ("bornIn", "birthDate")
    if verb == "do" and (question.preposition == "for" or question.object is None):
        if question.object is not None and question.object.text.lower() in {"living", "work", "job"}:
            return ("worksAs", "worksFor")
        if not question.time and (question.is_past or not question.is_finished) and question.preposition == "":
            return ("worksAs", "worksFor", "hasHobby")
    if verb == "call" and wanted is Wanted.VALUE:
        return ("hasName",)
    return (*_of_verb(question), *_counted(question))


def _of_copula(question: GraphQuestion) -> tuple[str, ...]:
    if question.wanted is Wanted.SUBJECT:
        return ()
    if question.noun and question.subject is not None and question.wanted is Wanted.TIME:
        words = question.noun.split()
        dates = (f"{minted('has ' + ' '.join(words[start:]))}Date" for start in range(len(words)))
        return (*predicates_of_noun(question.noun), *dates)
    if question.noun and question.subject is not None and question.wanted is not Wanted.PLACE:
        return predicates_of_noun(question.noun)
    if question.wanted is Wanted.PLACE:
        return predicates_of_noun(question.noun) if question.noun else ("locatedIn", "livesIn")
    given = question.object
    if given is not None:
        if given.owner is not None:
            return predicates_of_noun(given.role or given.text)
        return ("worksAs", "isA", "hasQuality", "nationality", "maritalStatus", *predicates_of_noun(given.text)[:-1])
    return ()


def _of_verb(question: GraphQuestion) -> tuple[str, ...]:
    verb, preposition = question.verb, question.preposition
    base = base_form(verb.removeprefix("be ")) if verb.startswith("be ") else verb
    found: list[str] = []
    for form in dict.fromkeys((verb, base)):
        if preposition:
            found.append(predicate_of_phrase(f"{form} {preposition}"))
        elif question.wanted is Wanted.PLACE:
            found += [predicate_of_phrase(f"{form} {place}") for place in _PLACE_PREPOSITIONS]
            found += [minted(f"{base} {place}") for place in _PLACE_PREPOSITIONS]
        found.append(predicate_of_phrase(form))
        if not preposition and question.wanted is not Wanted.PLACE:
            found += [name for phrase, name in VERB_PREDICATES.items() if phrase.startswith(f"{form} ")]
    if base == "live" and preposition in {"", "in", "at"}:
        # "I'm in Leeds now" is all that some people say of where they live.
        found = ["livesIn", "staysIn", "locatedIn"]
    if base == "stay" and preposition in {"", "in", "at"}:
        found = ["staysIn", *found, minted("stay with"), "livesWith", "livesIn"]
    if base in HABITS:
        found = ["hasHabit"]
    if verb == "be" and preposition and question.noun:
        found += predicates_of_noun(question.noun)
    if base == "work" and preposition in {"", "at", "for", "in"}:
        found = ["worksFor", "worksIn"] if preposition != "in" else ["worksIn", "worksFor"]
    if base == "move" and preposition == "from":
        found = ["movedFrom"]
    elif base == "move":
        found = ["livesIn", "movedFrom"] if question.wanted is not Wanted.PLACE else ["livesIn"]
    if verb == "be" and preposition == "from":
        found = ["comesFrom", "grewUpIn", "bornIn", "nationality"]
    if verb == "be" and preposition in {"in", "at"}:
        found = ["locatedIn", "livesIn", *found]
    if base == "visit":
        found += ["wentTo", "traveledTo"]
    if base in {"like", "love", "enjoy"}:
        found += ["likes", "hasHobby"]
    minted_name = minted(f"{base} {preposition}".strip())
    return (*found, minted_name)


def _counted(question: GraphQuestion) -> tuple[str, ...]:
    """Return predicates of what is counted: "How many guitars do I play?"."""
    return predicates_of_noun(question.noun) if question.wanted is Wanted.COUNT and question.noun else ()


def relations_of(mention: QuestionTerm) -> tuple[str, ...]:
    """Return the predicates from the owner of a mention to the thing: "sister" owned by Ana is hasSister."""
    return predicates_of_noun(mention.role or mention.text)
