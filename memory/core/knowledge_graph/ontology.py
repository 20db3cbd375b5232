"""The ontology of the current graph: what is known about each predicate, and which words name which predicate.

After D-SMART's Dynamic Structured Memory: an OWL ontology decides when two triples cannot both hold. Functional predicates
have one value at a time, disjoint predicates never relate the same two things, a symmetric predicate holds both ways.

Departures from the paper:
- The paper takes its vocabulary from FRED and Framester at run time; here a table of predicates, `predicates.txt`, stands in,
  because their services are gone, and whatever a dialogue adds is minted, unconstrained.
- A predicate is functional only where people have one value at a time. Employers, jobs and languages are not: a second
  one is no contradiction, and the end of the first needs words that say so.
- Domains and ranges are expectations that help reading; they are axioms only where a predicate `is_typed`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache
from pathlib import Path

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
from memory.core.word_files import WordFile

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


FILE = WordFile(Path(__file__).with_name("predicates.txt"))


def _predicate(name: str, said: Sequence[str]) -> Predicate:
    """Return a predicate of the file: "livesIn" with "verb live", "range Place", "functional"."""
    values = defaultdict(str, (one.partition(" ")[::2] for one in said))
    return Predicate(
        name,
        is_functional="functional" in said,
        is_symmetric="symmetric" in said,
        inverse=values["inverse"],
        disjoint_with=values["disjoint"],
        domain=values["domain"],
        range=values["range"],
        verb=values["verb"],
        preposition=values["preposition"],
        noun=values["noun"],
        is_state="event" not in said,
        is_irreflexive="irreflexive" in said,
        is_transitive="transitive" in said,
        is_typed="typed" in said,
        datatype=values["datatype"],
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
    **{name: _predicate(name, said) for name, said in FILE.lists("predicates").items()},
}

# The verb, with its particle and preposition, in base form -> predicate.
VERB_PREDICATES: dict[str, str] = dict(FILE.names("verbs"))


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
