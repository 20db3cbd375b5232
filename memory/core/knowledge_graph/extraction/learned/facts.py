"""Facts in the ontology's words from what the message reader found in a sentence: whose they are, how put, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise

from memory.core.english.inflection import gerund
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.learned.messages import (
    SaidMessage,
    is_from_before,
    is_right,
    is_short,
    overlap,
)
from memory.core.knowledge_graph.extraction.learned.predicates import (
    FINER_RELATIONS,
    GOT_RID_OF,
    HAS_PET,
    OTHER,
    ClauseReading,
    clause_reading,
    number_in,
    ontology_predicate,
    pet_relation,
    phrase_reading,
    relation_of_kind,
    teller,
)
from memory.core.knowledge_graph.extraction.learned.righting import corrected_by, puts_right, taken_back
from memory.core.knowledge_graph.extraction.learned.subjects import SubjectReader, bare_value
from memory.core.knowledge_graph.extraction.people import (
    SOMEBODY,
    TELLING,
    Focus,
    Person,
    gender_of,
    name_case,
    person_of,
)
from memory.core.knowledge_graph.extraction.times import TimeMention, find_times
from memory.core.knowledge_graph.ontology import NUMBER_OF, minted, predicate_named, relation_of
from memory.core.knowledge_graph.replacement import one_of
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.vocabulary import WITHOUT_SPOUSE
from memory.core.naming import key_of
from memory.core.types import (
    Fact,
    FactFlag,
    Modality,
    Node,
    Polarity,
    ReadFact,
    Span,
    Tense,
    Utterance,
    WordSpan,
)

# From which probability on it is asked whether a fact was meant.
ASKED_FROM = 0.45
ARTICLE = re.compile(r"\b(?:an?|the|my|our)\s+$", re.IGNORECASE)
# What somebody lives in, works for or studies at, which itself stands somewhere.
HOUSES = ("Place", "Organization")
# A longer name of a place in small letters is no name.
PLACE_WORDS = 2
# What somebody has lost who works for nobody any more.
JOBS = frozenset({"job", "work", "position"})
# How many words before a name may say whose and which relative it is.
TELLING_WORDS = 6
# What a thing that somebody has no more can have been to them.
POSSESSED = one_of("owns", "drives", "rides", "uses", "collects", "hasPet")
MODALITIES = {
    FactFlag.ASKED: Modality.ASKED,
    FactFlag.SUPPOSED: Modality.HYPOTHETICAL,
    FactFlag.REPORTED: Modality.REPORTED,
}


@dataclass(frozen=True)
class FoundFacts:
    """What the reader found in the `number`-th sentence of a message, whose subjects only the people in focus tell.

    `kinds` are what the message says that somebody is, by the key of their name. `doubted` is what was found unsurely.
    """

    sentence: Utterance
    message: SaidMessage
    number: int
    tree: Tree
    kinds: Mapping[str, str]
    read: list[ReadFact] = field(default_factory=list)
    doubted: list[ReadFact] = field(default_factory=list)

    def facts(self, focus: Focus, earlier: Sequence[Fact], *, surely_from: float) -> list[Fact]:
        """Return the facts in the ontology's words, where it is known who is meant, after what their speaker told before.

        One that is less probable than `surely_from` only puts right what was told. Those that were doubted are unsure.
        """
        subjects = SubjectReader(Node(self.sentence.speaker, "Person", is_speaker=True), focus)
        times = find_times(self.tree, said_at=self.sentence.said_at)
        told, understood = list[Fact](), list[WordSpan]()
        for fact in self.read:
            if is_from_before(fact) and any(overlap(fact.object, one) for one in understood):
                continue
            kinds = {key_of(one.object.label): one.object.kind for one in (*earlier, *told)}
            made = [placed(one, kinds) for one in self._told(fact, subjects, times, earlier)]
            if fact.probability < surely_from:
                made = [one for one in made if puts_right(one, earlier)]
            if is_right(fact):
                made += [denial for one in made for denial in taken_back(one, earlier)]
            for one in made:
                if one.object.kind in LIVING:
                    subjects.meet(Person(one.object, gender_of(predicate_named(one.predicate).noun)))
            told += made
            understood += [fact.object] if made else []
        sure = surest([*related(told, subjects), *as_introduced(list(named_things(without_names_twice(told))))])
        spans = {fact.span for fact in sure}
        doubted = [
            replace(made, modality=Modality.UNSURE)
            for fact in self.doubted
            for made in self._told(fact, subjects, times, earlier)
            if may_be_meant(made) and made.span not in spans
        ]
        likeliest = {fact.span: fact for fact in sorted(doubted, key=lambda fact: fact.confidence)}
        return [*sure, *likeliest.values()]

    def _told(
        self, fact: ReadFact, subjects: SubjectReader, times: Sequence[TimeMention], earlier: Sequence[Fact]
    ) -> list[Fact]:
        """Return one fact that was read in the ontology's words."""
        start, end = 0, len(self.sentence.text)
        if not fact.object.is_before:
            start = fact.object.span.start - self.message.starts[self.number]
            end = min(start + len(fact.object.text), end)
        subject, put = subject_of(fact, subjects, self.message), self.put(fact, start, end)
        if fact.predicate == OTHER and (is_right(fact) or FactFlag.DENIED in fact.flags):
            denied = [one.object.text for one in self.read if FactFlag.DENIED in one.flags]
            wrong = corrected_by(fact.object.text if is_right(fact) else "", denied, earlier)
            if wrong is not None:
                subject, put = wrong.subject, ClauseReading(wrong.predicate)
        if put is None:
            return []
        made = facts_of(
            fact,
            replace(put, predicate=self._pet(fact) or put.predicate) if put.predicate == HAS_PET else put,
            subject=subject,
            span=Span(start, end),
            said_by=teller(self.tree, start, end),
            times=times,
            message=self.message,
            said_at=self.sentence.said_at,
        )
        return [replace(one, object=subjects.met(one.object)) for one in made]

    def _pet(self, fact: ReadFact) -> str:
        """Return the relation of a pet's kind: by what the message says that it is, else by the question that it answers."""
        kind = self.kinds.get(key_of(fact.object.text), "")
        return pet_relation(kind) or (pet_relation(self.message.before) if is_short(self.message) else "")

    def put(self, fact: ReadFact, start: int, end: int) -> ClauseReading | None:
        """Return how a fact whose value stands between two characters of the sentence is put: as read, else by its clause."""
        if fact.predicate != OTHER:
            return ClauseReading(fact.predicate)
        if fact.object.is_before:
            return None
        is_named_after = fact.subject is not None and fact.subject.span.start > fact.object.span.start
        told = clause_reading(self.tree, start, end, is_named_after=is_named_after)
        if told is not None:
            return told
        subject, text = fact.subject, self.message.text
        follows = subject is not None and not subject.is_before and subject.span.end <= fact.object.span.start
        between = text[subject.span.end : fact.object.span.start] if subject is not None and follows else ""
        return phrase_reading(between, self.sentence.text[:start])


def may_be_meant(made: Fact) -> bool:
    """Return whether a fact that was read unsurely is worth asking for: one that was said as so, or denied."""
    return made.modality is Modality.ASSERTED and made.tense is not Tense.FUTURE


def without_names_twice(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a sentence without the name of a cat beside the cat of that name."""
    named = {fact.object.label for fact in facts if fact.object.kind in LIVING}
    return [
        fact
        for fact in facts
        if not (fact.predicate == "hasName" and fact.subject.pos == "NOUN" and fact.object.label in named)
    ]


def named_things(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the facts of a sentence, of a thing by its name where it tells that: "she runs a bookshop called Papermoon"."""
    names = {
        fact.object.label: fact.subject for fact in facts if fact.predicate == "isA" and fact.subject.pos == "PROPN"
    }
    for fact in facts:
        name = names.get(fact.object.label)
        is_of_name = name is not None and fact.predicate != "isA" and key_of(name.label) != key_of(fact.subject.label)
        yield replace(fact, object=name) if name is not None and is_of_name else fact


def placed(fact: Fact, kinds: Mapping[str, str]) -> Fact:
    """Return a fact about a place or an organisation as where it is: what was read as "Cuenca livesIn Ecuador"."""
    known, kind = predicate_named(fact.predicate), kinds.get(key_of(fact.subject.label), "")
    if kind not in HOUSES or known.range not in HOUSES or known.domain not in LIVING:
        return fact
    return replace(fact, subject=replace(fact.subject, kind=kind), predicate="locatedIn")


def as_introduced(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the facts of a sentence; what somebody is whom only hearsay names is hearsay too: "he says he has a dog, Rex"."""
    introduced = {fact.object.label: fact for fact in facts if predicate_named(fact.predicate).range in LIVING}
    for fact in facts:
        told = introduced.get(fact.subject.label, fact)
        yield (
            replace(fact, modality=told.modality, attributed_to=told.attributed_to) if fact.predicate == "isA" else fact
        )


def related(facts: Sequence[Fact], subjects: SubjectReader) -> Iterator[Fact]:
    """Yield whose the unnamed relatives are about whom facts are: that Ana has a brother, before what her brother does."""
    for fact in facts:
        node = fact.subject
        while fact.modality is Modality.ASSERTED and node.label in subjects.relatives:
            owner, predicate = subjects.relatives[node.label]
            yield Fact(owner, predicate, node, fact.span, confidence=fact.confidence)
            node = owner


def surest(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a sentence without a second value of what has one at most: that which was read less surely."""
    best: dict[tuple[object, ...], Fact] = {}
    for fact in sorted(facts, key=lambda fact: -fact.confidence):
        best.setdefault(slot_of(fact), fact)
    return [fact for fact in facts if not predicate_named(fact.predicate).is_functional or best[slot_of(fact)] is fact]


def slot_of(fact: Fact) -> tuple[object, ...]:
    return key_of(fact.subject.label), fact.predicate, fact.polarity, fact.tense, fact.modality


def subject_of(fact: ReadFact, subjects: SubjectReader, message: SaidMessage) -> Node | None:
    if fact.subject is None:
        return subjects.owner_of(fact.predicate, message.text, 0 if fact.object.is_before else fact.object.span.start)
    text = message.before if fact.subject.is_before else message.text
    return subjects.node_of(fact.subject.text, text, fact.subject.span.start)


def facts_of(
    fact: ReadFact,
    put: ClauseReading,
    *,
    subject: Node | None,
    span: Span,
    said_by: str,
    times: Sequence[TimeMention],
    message: SaidMessage,
    said_at: datetime,
) -> list[Fact]:
    """Return the facts in the ontology's words; none where nobody is meant or nothing is named."""
    predicate, value = put.predicate, bare_value(fact.object.text)
    if subject is None or not value:
        return []
    at = fact.object.span.start if not fact.object.is_before else 0
    modality = next((put for flag, put in MODALITIES.items() if flag in fact.flags), Modality.ASSERTED)
    made = Fact(
        subject=subject,
        predicate=predicate,
        object=Node(value),
        span=span,
        polarity=Polarity.NEGATIVE if FactFlag.DENIED in fact.flags else Polarity.POSITIVE,
        modality=modality,
        tense=Tense.PAST if put.is_past else tense_of(fact),
        confidence=fact.probability,
        phrase="used to" if FactFlag.PAST in fact.flags else "",
        attributed_to=(said_by or SOMEBODY) if modality is Modality.REPORTED else "",
    )
    if predicate == GOT_RID_OF or value.lower() in JOBS and fact.flags & {FactFlag.DENIED, FactFlag.PAST}:
        return gone(made, value)
    named = ontology_predicate(predicate, value=value, text=message.text, at=at)
    if predicate_named(named).range == "Place" and value.islower() and ARTICLE.search(message.text[:at]):
        # An old house with a garden is no town.
        named = minted(f"{predicate_named(named).verb} {predicate_named(named).preposition}")
    known = predicate_named(named)
    subject = replace(subject, kind=subject.kind or (known.domain if known.domain in LIVING else ""))
    node = object_node(value, named, subject, before=message.text[:at])
    made = replace(made, subject=subject, predicate=named, object=node)
    if made.polarity is Polarity.NEGATIVE and known.range in LIVING and relation_of_kind(value):
        made = replace(made, predicate=relation_of_kind(value), object=ANY)
    if key_of(made.object.label) == key_of(subject.label):
        return []
    if put.is_turned:
        made = replace(made, subject=made.object, object=subject)
    start, end = period_of(made, times, said_at)
    told = replace(made, valid_from=start, valid_to=end)
    if named == "maritalStatus" and value.lower() in WITHOUT_SPOUSE and made.polarity is Polarity.POSITIVE:
        return [told, replace(told, predicate="spouse", object=ANY, polarity=Polarity.NEGATIVE, phrase="")]
    if FactFlag.PAST not in fact.flags or modality is not Modality.ASSERTED or not known.is_state:
        return [told]
    # "I left the club" ends what was told of the chess club, and "we broke up" what was told of a girlfriend. Also one
    # predicate alone is left open, so that nothing ends that nobody told.
    ended = one_of(named, *FINER_RELATIONS.get(named, (named,)))
    return [told, replace(made, predicate=ended, polarity=Polarity.NEGATIVE, tense=Tense.PRESENT, phrase="")]


def gone(made: Fact, value: str) -> list[Fact]:
    """Return the ends of what somebody has no more: a job, or a thing under every word of having it."""
    over = replace(made, polarity=Polarity.NEGATIVE, tense=Tense.PRESENT, phrase="")
    if value.lower() in JOBS:
        return [replace(over, predicate=held, object=ANY) for held in ("worksFor", "worksAs")]
    thing = Node(value, lemma=value, pos="NOUN")
    return [replace(over, predicate=possessed, object=thing) for possessed in ("owns", POSSESSED)]


def tense_of(fact: ReadFact) -> Tense:
    if FactFlag.FUTURE in fact.flags:
        return Tense.FUTURE
    is_event = fact.predicate != OTHER and not predicate_named(fact.predicate).is_state
    return Tense.PAST if FactFlag.PAST in fact.flags or is_event else Tense.PRESENT


def object_node(value: str, predicate: str, subject: Node, *, before: str) -> Node:
    """Return the node of a value that stands after some words: a literal, the subject's somebody, or a thing."""
    known = predicate_named(predicate)
    if predicate.startswith(NUMBER_OF):
        return Node(number_in(value), is_literal=True)
    if known.range == "Literal":
        return Node(value, is_literal=True)
    if predicate == "hasHabit":
        return Node(value if value.endswith("ing") else gerund(value), pos="VERB")
    if known.range in LIVING and known.noun and value[:1].isupper():
        telling = telling_before(before, predicate)
        person = person_of(subject.label, known.noun, name=value, telling=telling).node
        return replace(person, kind=known.range)
    if predicate == HAS_PET:
        is_name = value[:1].isupper()
        label = name_case(value) if is_name else value
        return Node(label, "Animal", (f"{subject.label}'s pet",), pos="PROPN" if is_name else "NOUN")
    label = name_case(value) if known.range == "Place" and len(value.split()) <= PLACE_WORDS else value
    return Node(label, known.range, pos="PROPN" if label[:1].isupper() else "NOUN")


def telling_before(before: str, predicate: str) -> str:
    """Return the word that tells which of several a relative is: "best" of "my best friend"."""
    words = re.findall(r"[\w-]+", before.lower())[-TELLING_WORDS:]
    told = (word for word, noun in pairwise(words) if word in TELLING and relation_of(noun) == predicate)
    return next(told, "")


def period_of(fact: Fact, times: Sequence[TimeMention], said_at: datetime) -> tuple[datetime | None, datetime | None]:
    """Return when a fact holds or happened, by the date of its sentence that stands nearest to its value."""
    is_state = predicate_named(fact.predicate).is_state
    near = sorted(times, key=lambda time: abs(time.reference.span.start - fact.span.start))
    begun = next((time.time for time in near if not time.reference.ends), None)
    end = next((time.time.start for time in near if time.reference.ends), None)
    start = None if begun is None else begun.start
    if fact.tense is Tense.PRESENT and (start is None or start > said_at):
        start = None
    if fact.tense is Tense.PAST and is_state:
        return None, end or start or said_at
    if not is_state and begun is not None and start is not None:
        return start, begun.end
    return start, end
