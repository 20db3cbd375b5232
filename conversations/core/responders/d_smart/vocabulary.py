"""What the words of a question mean in the graph: the `Vocabulary` of the built-in engine's reasoning tree.

A link's words are looked up as questions look theirs up (`question_predicates`); a predicate that the ontology does not know
is compared by the stems of its words. A role is said from its owner ("Airbus's owner") or by what its bearer does ("owns").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from conversations.core.responders.d_smart.clauses import WHERE
from conversations.core.responders.d_smart.phrases import PREPOSITIONS
from conversations.core.responders.d_smart.sketch import SEATS
from memory.core.english.inflection import singular, words_of_name
from memory.core.knowledge_graph.matching import holds, words_of
from memory.core.knowledge_graph.modifiers import meant
from memory.core.knowledge_graph.ontology import FAVORITE, PREDICATES, is_region, predicate_named, relation_of
from memory.core.knowledge_graph.question_predicates import predicates_of_noun, predicates_of_verb
from memory.core.knowledge_graph.stems import content_stems, stem
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, sentence
from memory.core.ports import MemoryReader
from memory.core.reasoning_tree.rule_based_plan import End, Fit, Link, Thing
from memory.core.types import Polarity, Triple
from memory.core.word_files import WordFile

_PLACES = ("locatedIn", "livesIn", "officeIn", "headquartersIn", "locatedAt", "locatedOn", "locatedNear", "staysIn")
_BEING_SOMEWHERE = frozenset(
    "be,sit,lie,stand,base,locate,situate,headquarter,be based,be located,be situated,be headquartered".split(",")
)
_FILE = WordFile(Path(__file__).with_suffix(".txt"))
_HAD, _DOES, _SAYS, _TURNED = map(_FILE.lists, ("had", "does", "says", "turned"))
REGIONS = frozenset({"country", "nation", "state", "continent", "region"})
_TOWNS = frozenset({"city", "town", "village"})
_FIRM_NOUNS = frozenset("company firm employer business startup organisation organization corporation".split())
_RANK = 0.02
_BY_STEMS = 0.5
_QUALIFIED = 0.2
_COMPARED = 3
_SOMEBODY = frozenset("somebody someone person man woman guy lady girl boy who whom".split())
_PERSON_WORDS = frozenset("person who whose whom friend colleague boss woman man".split())


@dataclass(frozen=True)
class _Terms:
    """The predicates that say a link, from its source and from its target, and the stems that other ones must have."""

    forward: dict[str, float]
    turned: dict[str, float]
    stems: frozenset[str]
    qualifiers: frozenset[str]
    noun: str
    is_place: bool


class QuestionVocabulary:
    """Implements `Vocabulary` for one question, asked at a time."""

    def __init__(self, things: Sequence[Thing], *, memory: MemoryReader, asked_at: datetime, asker: str) -> None:
        self._things = things
        self._memory = memory
        self._asked_at = asked_at
        self._asker = asker
        self._terms: dict[Link, _Terms] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def fit(self, link: Link, triple: Triple) -> Sequence[Fit]:
        if triple.is_any or triple.polarity is Polarity.NEGATIVE or not holds(triple, at=self._asked_at):
            return ()
        value = self._things[link.target].value if link.target < len(self._things) else ""
        if link.words == "be" and value and content_stems(value) <= words_of(triple):
            return [Fit(1.0, is_whole=True)]
        if link.is_role and not meant([triple], link.words):
            return ()
        terms = self._terms.get(link) or self._terms.setdefault(link, self._read(link))
        bonus = _QUALIFIED if terms.qualifiers and terms.qualifiers <= content_stems(triple.source.text) else 0.0
        found = [
            *([Fit(terms.forward[triple.predicate] + bonus)] if triple.predicate in terms.forward else []),
            *([Fit(terms.turned[triple.predicate] + bonus, True)] if triple.predicate in terms.turned else []),
        ]
        if not link.is_role and link.words in {"own", "have"} and predicate_named(triple.predicate).range == "Animal":
            return [Fit(0.9)]
        if link.is_role and triple.predicate in {"owns", "drives", "rides", "uses", "runs"}:
            is_meant = _is_called(triple, terms.noun) or terms.noun in _HAD
            return [fit for fit in found if fit.is_turned or is_meant]
        return found or self._by_stems(link, triple, terms)

    def _by_stems(self, link: Link, triple: Triple, terms: _Terms) -> list[Fit]:
        """Compare a predicate by the words of its name and of the phrase that it was read from."""
        if not terms.stems or triple.predicate in PREDICATES:
            # Another predicate that the ontology knows is another question's answer.
            return []
        name = words_of_name(triple.predicate)
        said = frozenset(stem(word) for word in name) | content_stems(triple.phrase)
        if not terms.stems <= said:
            return []
        is_had = name[:1] == ["has"] or predicate_named(triple.predicate).verb == "have"
        if link.is_role:
            return [Fit(_BY_STEMS, is_turned=not is_had)]
        if name[:1] == ["share"]:
            return [Fit(_BY_STEMS), Fit(_BY_STEMS, is_turned=True)]
        return [Fit(_BY_STEMS, is_turned=is_had)]

    def _read(self, link: Link) -> _Terms:
        return self._role(link) if link.is_role else self._verb(link)

    def _role(self, link: Link) -> _Terms:
        words = link.words.replace("favourite", "favorite").split()
        noun = singular(words[-1])
        plain = " ".join([*words[:-1], noun])
        names = predicates_of_noun(plain)
        is_kin = bool(relation_of(noun) or relation_of(plain))
        forward = {
            name: 1.0 if is_kin and name.startswith(("has", "spouse")) else 1.0 - _RANK * rank
            for rank, name in enumerate(dict.fromkeys((*names, *_HAD.get(noun, ()))))
        }
        turned = {name: 1.0 for name in forward if predicate_named(name).is_symmetric}
        turned |= dict.fromkeys(_DOES.get(noun, ()), 0.95)
        if noun in {"child", "kid", "parent", "grandparent", "grandchild"}:
            turned |= {inverse: 0.9 for name in names for inverse in _inverses(name)}
        head = words[0] if words[-1] == "teacher" and words[0] == "head" else noun
        stems = frozenset() if is_kin and head == noun else frozenset({stem(noun)})
        qualifiers = content_stems(" ".join(words[:-1])) - {stem("favorite")}
        return _Terms(forward, turned, stems, qualifiers if is_kin else frozenset(), noun, is_place=False)

    def _verb(self, link: Link) -> _Terms:
        *said, last = link.words.split()
        is_place = last == WHERE
        preposition = last if said and last in PREPOSITIONS else ""
        words = said if is_place or preposition else [*said, last]
        verb = " ".join(words[:2]) if words[:1] == ["be"] else words[0]
        direct = " ".join(words[len(verb.split()) :])
        kind = self._things[link.target].noun if link.target < len(self._things) else ""
        noun = singular(kind.split()[-1]) if kind else ""
        base = verb.removeprefix("be ")
        phrase = f"{verb} {preposition}".strip()
        names: dict[str, None] = {}
        if verb in _BEING_SOMEWHERE and (is_place or preposition in {"in", "at", "on", "near"}) and not direct:
            names |= dict.fromkeys((*_PLACES, *([f"located{preposition.capitalize()}"] if preposition else [])))
        if direct in SEATS:
            names |= dict.fromkeys(("headquartersIn", "officeIn", "locatedIn", "livesIn"))
        if not direct or verb == "have" and direct not in SEATS:
            names |= dict.fromkeys((*_SAYS.get(phrase, ()), *(_SAYS.get(verb, ()) if not preposition else ())))
            asked = "" if is_place else noun
            names |= dict.fromkeys(
                predicates_of_verb(verb, preposition, thing=direct or noun, noun=asked, is_place=is_place)
            )
        if preposition:
            # "Engaged" is nobody to be engaged to.
            names.pop("maritalStatus", None)
        if preposition == "with":
            # With whom somebody studies is not where or what.
            names = {name: None for name in names if _is_company(name)}
        forward = {name: 1.0 - _RANK * rank for rank, name in enumerate(names)}
        turned = {name: score for name, score in forward.items() if predicate_named(name).is_symmetric}
        turned |= dict.fromkeys((*_TURNED.get(phrase, ()), *_TURNED.get(base, ())), 0.95)
        if base in {"like", "love", "prefer", "enjoy"} and noun:
            forward |= {name: 1.01 for name in predicates_of_noun(f"favorite {noun}") if name.startswith(FAVORITE)}
        stems = frozenset(stem(word) for word in (base.split()[0], *direct.split()) if word not in {"be", "have", "do"})
        return _Terms(forward, turned, stems, frozenset(), noun, is_place)

    def suits(self, thing: Thing, end: End, triples: Sequence[Triple]) -> bool:
        noun = singular(thing.noun.split()[-1]) if thing.noun else ""
        if thing.value:
            return True
        if thing.words.lower() in _SOMEBODY and (end.id is None or end.kind in {"Place", "Organization"}):
            return False
        if noun in REGIONS:
            return is_region(end.label) or _is_told(end, noun, triples)
        if noun in _TOWNS:
            return not is_region(end.label) and end.kind not in {"Person", "Organization", "Animal"}
        if noun in _FIRM_NOUNS:
            return end.kind not in {"Person", "Place", "Animal"}
        if noun in _PERSON_WORDS or relation_of(noun).startswith(("has", "spouse")):
            is_pet = predicate_named(relation_of(noun)).range == "Animal"
            return end.kind not in ({"Place", "Organization"} | (set() if is_pet else {"Animal"}))
        return True

    def leads_on(self, triple: Triple) -> bool:
        is_part = triple.predicate in {"locatedIn", "partOf"} and triple.polarity is Polarity.POSITIVE
        return is_part and holds(triple, at=self._asked_at)

    def similarity(self, text: str, triples: Sequence[Triple]) -> list[float]:
        if not triples:
            return []
        said = [
            sentence(assertion_of_triple(one, at=self._asked_at), asker=self._asker) for one in triples[-_COMPARED:]
        ]
        unknown = [one for one in dict.fromkeys([text, *said]) if one not in self._vectors]
        if unknown:
            self._vectors |= dict(zip(unknown, self._memory.embed(unknown), strict=True))
        return [max(0.0, float(self._vectors[one] @ self._vectors[text])) for one in said]


def _inverses(name: str) -> tuple[str, ...]:
    broad = predicate_named(name).broader or name
    inverse = predicate_named(broad).inverse
    kinds = {
        "hasChild": ("hasChild", "hasSon", "hasDaughter"),
        "hasParent": ("hasParent", "hasMother", "hasFather"),
        "hasGrandchild": ("hasGrandchild", "hasGrandson", "hasGranddaughter"),
        "hasGrandparent": ("hasGrandparent", "hasGrandmother", "hasGrandfather"),
    }
    return kinds.get(inverse, ())


def _is_company(name: str) -> bool:
    spec = predicate_named(name)
    return name.endswith("With") or spec.is_symmetric or spec.range == "Person"


def _is_called(triple: Triple, noun: str) -> bool:
    return stem(noun) in content_stems(triple.object)


def _is_told(end: End, noun: str, triples: Sequence[Triple]) -> bool:
    return any(
        triple.predicate == "isA" and triple.subject.id == end.id and stem(noun) in content_stems(triple.object)
        for triple in triples
    )
