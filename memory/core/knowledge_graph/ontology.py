"""The ontology of the current graph: what is known about each predicate, and which words name which predicate.

After D-SMART's Dynamic Structured Memory: an OWL ontology decides when two triples cannot both hold. Functional predicates
have one value at a time, disjoint predicates never relate the same two things, a symmetric predicate holds both ways.

Departures from the paper:
- The paper takes its vocabulary from FRED and Framester at run time; here a fixed table of everyday predicates stands in,
  because their services are gone, and whatever a dialogue adds is minted, unconstrained.
- A predicate is functional only where people have one value at a time. Employers, jobs and languages are not: a second
  one is no contradiction, and the end of the first needs words that say so.
- Domains and ranges are expectations that help reading; they are axioms only where a predicate `is_typed`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache

from memory.core.english.times import stated_date
from memory.core.knowledge_graph.relations import (
    ASYMMETRIC_RELATIONS,
    BROADER_RELATIONS,
    INVERSE_RELATIONS,
    RELATIONS_OF_TWO,
    SINGLE_RELATIONS,
    SYMMETRIC_RELATIONS,
    TYPED_RELATIONS,
)
from memory.core.knowledge_graph.vocabulary import COUNTRIES_AND_REGIONS, PETS, RELATIONS

FAVORITE = "hasFavorite"
NUMBER_OF = "hasNumberOf"
_SPELLINGS = {"colour": "color", "flavour": "flavor", "film": "movie", "kids": "children"}


@dataclass(frozen=True)
class Predicate:
    """What is known about a predicate.

    The axioms are those of OWL: `inverse` says the same with its ends exchanged, what holds of a predicate holds of its
    `broader` one. `datatype` ("number" or "date") is what the values must say. Where it `is_typed`, domain and range are
    axioms, in their weak form (`classes.weak_class_of`).

    `domain` and `range` are classes of the ontology, empty where anything goes; the range "Literal" is for values that are
    no entities. `verb` (base form) and `preposition` say it as "Ana lives in Lyon"; `noun` says it as "Ana's sister is
    Maya" and is empty where the predicate is no role of its object. `is_state` is false for events ("graduated from").
    """

    name: str
    is_functional: bool = False
    is_symmetric: bool = False
    inverse: str = ""
    disjoint_with: str = ""
    domain: str = ""
    range: str = ""
    verb: str = ""
    preposition: str = ""
    noun: str = ""
    is_state: bool = True
    is_asymmetric: bool = False
    is_irreflexive: bool = False
    is_transitive: bool = False
    is_typed: bool = False
    broader: str = ""
    datatype: str = ""


# fmt: off
_STATES = (
    Predicate("livesIn", is_functional=True, domain="Agent", range="Place", verb="live", preposition="in",
              is_typed=True),
    Predicate("staysIn", domain="Agent", verb="stay", preposition="in"),
    Predicate("livesWith", is_symmetric=True, verb="live", preposition="with"),
    Predicate("comesFrom", domain="Agent", range="Place", verb="come", preposition="from"),
    Predicate("bornIn", is_functional=True, domain="Person", range="Place", verb="be born", preposition="in",
              noun="birthplace"),
    Predicate("birthDate", is_functional=True, range="Literal", verb="be born", preposition="on", noun="birthday",
              datatype="date"),
    Predicate("age", is_functional=True, range="Literal", verb="be", noun="age", datatype="number"),
    Predicate("hasName", is_functional=True, range="Literal", verb="be called", noun="name"),
    Predicate("maritalStatus", is_functional=True, domain="Person", range="Literal", verb="be", noun="marital status"),
    Predicate("nationality", domain="Person", range="Literal", verb="be", noun="nationality"),
    Predicate("spouse", is_functional=True, is_symmetric=True, inverse="spouse", domain="Person", range="Person",
              verb="be married", preposition="to", noun="spouse", is_irreflexive=True, is_typed=True),
    Predicate("worksFor", domain="Person", range="Organization", verb="work", preposition="for", noun="employer"),
    Predicate("worksAs", domain="Person", range="Occupation", verb="work", preposition="as", noun="job"),
    Predicate("worksIn", domain="Person", verb="work", preposition="in"),
    Predicate("worksWith", is_symmetric=True, verb="work", preposition="with"),
    Predicate("worksOn", verb="work", preposition="on"),
    Predicate("manages", verb="manage"),
    Predicate("studiesAt", domain="Person", range="Organization", verb="study", preposition="at", noun="school"),
    Predicate("studies", domain="Person", verb="study"),
    Predicate("learns", verb="learn"),
    Predicate("teaches", verb="teach"),
    Predicate("speaks", domain="Agent", range="Language", verb="speak", noun="language"),
    Predicate("likes", disjoint_with="dislikes", verb="like"),
    Predicate("dislikes", disjoint_with="likes", verb="dislike"),
    Predicate("fears", verb="be afraid", preposition="of"),
    Predicate("allergicTo", verb="be allergic", preposition="to", noun="allergy"),
    Predicate("hasCondition", verb="have", noun="condition"),
    Predicate("eats", verb="eat"),
    Predicate("drinks", verb="drink"),
    Predicate("hasHobby", verb="enjoy", noun="hobby"),
    Predicate("hasHabit", verb="have the habit", preposition="of", noun="habit"),
    Predicate("plays", verb="play"),
    Predicate("owns", verb="own"),
    Predicate("drives", verb="drive"),
    Predicate("uses", verb="use"),
    Predicate("wants", verb="want"),
    Predicate("needs", verb="need"),
    Predicate("plansTo", verb="plan", preposition="to"),
    Predicate("attends", verb="attend"),
    Predicate("memberOf", verb="belong", preposition="to"),
    Predicate("locatedIn", range="Place", verb="be", preposition="in", noun="location", is_transitive=True),
    Predicate("officeIn", range="Place", verb="have an office", preposition="in", noun="office"),
    Predicate("headquartersIn", range="Place", verb="have headquarters", preposition="in", noun="headquarters"),
    Predicate("isA", verb="be"),
    Predicate("hasQuality", range="Literal", verb="be"),
    Predicate("knows", is_symmetric=True, verb="know"),
    Predicate("phoneNumber", is_functional=True, range="Literal", verb="have", noun="phone number"),
    Predicate("email", range="Literal", verb="have", noun="email address"),
    Predicate("address", is_functional=True, range="Literal", verb="have", noun="address"),
    Predicate("height", is_functional=True, range="Literal", verb="have", noun="height"),
    Predicate("weight", is_functional=True, range="Literal", verb="weigh", noun="weight"),
    Predicate("hasMajor", range="", verb="major", preposition="in", noun="major"),
    Predicate("flightTo", range="Place", verb="fly", preposition="to"),
)
# fmt: on

_EVENTS = (
    Predicate("movedFrom", verb="move", preposition="from", range="Place", is_state=False, is_typed=True),
    Predicate("graduatedFrom", verb="graduate", preposition="from", range="Organization", is_state=False),
    Predicate("visited", verb="visit", is_state=False),
    Predicate("met", verb="meet", is_state=False),
    Predicate("founded", verb="found", is_state=False),
    Predicate("traveledTo", verb="travel", preposition="to", is_state=False),
    Predicate("wentTo", verb="go", preposition="to", is_state=False),
)


def _relation(name: str, noun: str) -> Predicate:
    is_pet = noun in PETS
    return Predicate(
        name,
        is_functional=name in SINGLE_RELATIONS,
        is_symmetric=name in SYMMETRIC_RELATIONS,
        is_asymmetric=name in ASYMMETRIC_RELATIONS,
        is_irreflexive=name in RELATIONS_OF_TWO,
        is_typed=is_pet or name in TYPED_RELATIONS,
        inverse=INVERSE_RELATIONS.get(name, ""),
        broader=BROADER_RELATIONS.get(name, ""),
        domain="" if is_pet else "Person",
        range="Animal" if is_pet else "Person",
        verb="have",
        noun=noun,
    )


def _relations() -> dict[str, Predicate]:
    found: dict[str, Predicate] = {}
    for noun, name in RELATIONS.items():
        if name != "spouse":
            found.setdefault(name, _relation(name, noun))
    return found


PREDICATES: dict[str, Predicate] = {
    **_relations(),
    **{predicate.name: predicate for predicate in (*_STATES, *_EVENTS)},
}

# The verb, with its particle and preposition, in base form -> predicate. "be" phrases are predicative adjectives.
# fmt: off
VERB_PREDICATES: dict[str, str] = {
    "live in": "livesIn", "live at": "livesIn", "live near": "livesNear", "live on": "livesOn", "reside in": "livesIn",
    "be based in": "livesIn", "be based out of": "livesIn", "base in": "livesIn", "settle in": "livesIn",
    "settle down in": "livesIn", "move to": "livesIn", "move into": "livesIn", "move back to": "livesIn",
    "move over to": "livesIn", "move out to": "livesIn", "relocate to": "livesIn", "relocate in": "livesIn",
    "emigrate to": "livesIn", "immigrate to": "livesIn", "live with": "livesWith", "move in with": "livesWith",
    "come from": "comesFrom", "hail from": "comesFrom", "originate from": "comesFrom", "be originally from": "comesFrom",
    "be from": "comesFrom", "grow up in": "grewUpIn", "raise in": "grewUpIn", "grow up on": "grewUpIn",
    "work for": "worksFor", "work at": "worksFor", "employ by": "worksFor", "employ at": "worksFor", "join": "worksFor",
    "hire by": "worksFor", "intern at": "worksFor", "volunteer at": "volunteersAt", "volunteer for": "volunteersAt",
    "work as": "worksAs", "serve as": "worksAs", "employ as": "worksAs", "hire as": "worksAs", "promote to": "worksAs",
    "work in": "worksIn", "work on": "worksOn", "work with": "worksWith", "manage": "manages", "run": "runs",
    "study at": "studiesAt", "go to school at": "studiesAt", "enroll at": "studiesAt", "enrol at": "studiesAt",
    "enroll in": "studiesAt", "study": "studies", "major in": "studies", "study for": "studiesFor", "learn": "learns",
    "practice": "practices", "teach": "teaches", "teach at": "worksFor", "graduate from": "graduatedFrom",
    "speak": "speaks", "like": "likes", "love": "likes", "enjoy": "likes", "adore": "likes", "prefer": "likes",
    "be fond of": "likes", "be into": "likes", "be keen on": "likes", "be crazy about": "likes",
    "be passionate about": "likes", "be interested in": "interestedIn", "dislike": "dislikes", "hate": "dislikes",
    "detest": "dislikes", "loathe": "dislikes", "despise": "dislikes", "can stand": "likes", "stand": "likes",
    "fear": "fears", "be afraid of": "fears", "be scared of": "fears", "be terrified of": "fears", "scare of": "fears",
    "terrify of": "fears", "be allergic to": "allergicTo", "be intolerant to": "allergicTo",
    "eat": "eats", "drink": "drinks", "play": "plays", "play for": "playsFor", "own": "owns", "drive": "drives",
    "ride": "rides", "use": "uses", "want": "wants", "need": "needs", "attend": "attends", "belong to": "memberOf",
    "be in": "locatedIn", "be located in": "locatedIn", "locate in": "locatedIn", "lie in": "locatedIn",
    "situate in": "locatedIn", "be married to": "spouse", "marry": "spouse", "marry to": "spouse", "know": "knows",
    "be engaged to": "hasFiance", "engage to": "hasFiance", "date": "hasPartner", "buy": "owns", "purchase": "owns",
    "adopt": "owns", "get": "owns", "acquire": "owns", "collect": "collects", "found": "founded", "visit": "visited",
    "suffer from": "hasCondition", "diagnose with": "hasCondition", "name": "hasName", "call": "hasName",
    "support": "supports", "root for": "supports", "listen to": "listensTo", "travel to": "traveledTo", "go to": "wentTo",
    "fly to": "traveledTo", "weigh": "weight", "sing in": "singsIn", "cook": "cooks", "read": "reads", "watch": "watches",
}
# fmt: on


def predicate_named(name: str) -> Predicate:
    """Return what is known of a predicate; a minted one is unconstrained and verbalised from its camel-case name."""
    known = PREDICATES.get(name)
    return known if known is not None else _derived(name)


@dataclass(frozen=True)
class Ontology:
    """The predicates as one space knows them. `declared` maps a name to whether its people declared it functional."""

    declared: Mapping[str, bool] = field(default_factory=dict)

    def predicate_named(self, name: str) -> Predicate:
        """Return what is known of a predicate, with what the space's people declared of it."""
        known = predicate_named(name)
        return replace(known, is_functional=self.declared[name]) if name in self.declared else known


def predicate_of_phrase(phrase: str) -> str:
    """Return the predicate that a verb phrase in base form names ("move to"), or the empty string."""
    return VERB_PREDICATES.get(phrase, "")


def minted(phrase: str) -> str:
    """Return the name of a new predicate made of a phrase in base form: "graduate from" gives graduateFrom."""
    words = re.findall(r"[^\W_]+", phrase)
    return "".join(word if index == 0 else word[:1].upper() + word[1:] for index, word in enumerate(words))


def favorite_of(noun: str) -> str:
    """Return the predicate for a favourite thing of a kind: "ice cream" gives hasFavoriteIceCream."""
    words = [_SPELLINGS.get(word, word) for word in re.findall(r"[^\W_]+", noun.lower())]
    return FAVORITE + "".join(word[:1].upper() + word[1:] for word in words)


def number_of(nouns: str) -> str:
    """Return the predicate for the number of a kind of things: "brothers" gives hasNumberOfBrothers."""
    words = [_SPELLINGS.get(word, word) for word in re.findall(r"[^\W_]+", nouns.lower())]
    return NUMBER_OF + "".join(word[:1].upper() + word[1:] for word in words)


def relation_of(noun: str) -> str:
    """Return the predicate that "my <noun>" expresses for a person or a pet, or the empty string."""
    return RELATIONS.get(noun.lower(), "")


def are_compatible(predicate: str, first: str, second: str) -> bool:
    """Return whether a functional slot may have both values at once.

    Dates may that refine each other ("1990" and "7 May 1990"), and so may a town and a country ("Paris" and "France").
    """
    if predicate == "birthDate":
        return _dates_agree(first, second)
    if predicate_named(predicate).range == "Place":
        return is_region(first) != is_region(second)
    return False


def is_region(place: str) -> bool:
    """Return whether a name is a country's, state's or continent's rather than a town's."""
    return place.lower().removeprefix("the ").strip() in COUNTRIES_AND_REGIONS


def _dates_agree(first: str, second: str) -> bool:
    """Return whether two dates state the same wherever both state it: a year, a month, a day."""
    left, right = (astuple(stated_date(value)) for value in (first, second))
    return any(left) and any(right) and all(a == b for a, b in zip(left, right, strict=True) if a and b)


@lru_cache(maxsize=4096)
def _derived(name: str) -> Predicate:
    if not name:
        return Predicate(name, verb="be related", preposition="to")
    words = [word.lower() for word in re.findall(r"[A-Z]?[^A-Z]+|[A-Z]+(?![^A-Z])", name)]
    if name.startswith(NUMBER_OF):
        return Predicate(name, is_functional=True, range="Literal", verb="have", noun=" ".join(words[1:]))
    if name.startswith(FAVORITE) and len(words) > 2:
        return Predicate(name, is_functional=True, verb="have", noun="favorite " + " ".join(words[2:]))
    if name not in _PHRASES and len(words) > 1 and words[0] == "has":
        # Minted from "my <noun> is <value>": a definite description of one thing has one value, a plural may have more.
        return Predicate(name, is_functional=not words[-1].endswith("s"), verb="have", noun=" ".join(words[1:]))
    verb, *rest = _PHRASES.get(name, " ".join(words) or name).split()
    preposition = rest.pop() if rest and rest[-1] in _PREPOSITIONS else ""
    return Predicate(name, verb=" ".join([verb, *rest]), preposition=preposition)


_PREPOSITIONS = frozenset(
    "about above across after against along among around as at before behind below beside between by down during for from "
    "in inside into like near of off on onto out over past through to toward towards under until up upon with within "
    "without".split()
)
# The first phrase of the table that names a predicate says it back: "grow up in" for grewUpIn.
_PHRASES = {name: phrase for phrase, name in reversed(VERB_PREDICATES.items())}
