"""Facts from what the message reader finds (D-SMART, Algorithm 1), the built-in engine's extraction.

Departures from the paper:
- Text becomes facts in one learned step, not by way of AMR and FRED, whose services are gone.
- It reads the user's own words rather than a distilled statement: every fact keeps the words that it came from.
- What the assistant said yields nothing: memory that it repeats must not come back as the user's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import dropwhile, groupby

from memory.core.english.inflection import gerund
from memory.core.english.questions import only_asks
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.extraction.learned.predicates import (
    GOT_RID_OF,
    HAS_PET,
    OTHER,
    number_in,
    ontology_predicate,
    predicate_of_clause,
    value_head,
)
from memory.core.knowledge_graph.extraction.learned.subjects import SubjectReader, bare_value
from memory.core.knowledge_graph.extraction.modality import SOMEBODY, modality_of
from memory.core.knowledge_graph.extraction.people import Focus, Person, gender_of, name_case, person_of
from memory.core.knowledge_graph.extraction.rule_based import REACH, RuleBasedExtractor
from memory.core.knowledge_graph.extraction.times import TimeMention, find_times
from memory.core.knowledge_graph.ontology import NUMBER_OF, predicate_named
from memory.core.knowledge_graph.replacement import one_of
from memory.core.naming import key_of
from memory.core.ports import MessageReader, SyntacticParser
from memory.core.types import (
    Fact,
    FactFlag,
    GraphFragment,
    MessageInContext,
    Modality,
    Node,
    Polarity,
    ReadFact,
    Span,
    Tense,
    Utterance,
)

BEFORE_CHARACTERS = 300
SHORT_WORDS = 4
DENIALS = re.compile(r"\b(?:not|no|never|none|nobody|neither|nor)\b|n['’]?t\b", re.IGNORECASE)
# What a thing that somebody has no more can have been to them.
POSSESSED = one_of("owns", "drives", "rides", "uses", "collects", "hasPet")
MODALITIES = {
    FactFlag.ASKED: Modality.ASKED,
    FactFlag.SUPPOSED: Modality.HYPOTHETICAL,
    FactFlag.REPORTED: Modality.REPORTED,
}


@dataclass(frozen=True)
class SaidMessage:
    """Sentences of one turn as one text: its places among what was said, and where each begins in the text."""

    places: tuple[int, ...]
    text: str
    starts: tuple[int, ...]
    before: str

    def sentence_at(self, place: int) -> int:
        """Return which of the sentences holds a character of the text."""
        return max((number for number, start in enumerate(self.starts) if start <= place), default=0)


class LearnedExtractor:
    """Implements `KnowledgeExtractor` with the message reader; a parser names open predicates and places dates.

    The clause reader goes through the sentences with the people in focus, so that a pronoun reaches back over messages.
    """

    def __init__(self, *, reader: MessageReader, parser: SyntacticParser, clauses: RuleBasedExtractor) -> None:
        self._reader = reader
        self._parser = parser
        self._clauses = clauses

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        said = [*context, *sentences]
        messages = list(messages_of(said, own_words(said), max(0, len(context) - REACH)))
        read = self._reader.read_many([MessageInContext(message.text, message.before) for message in messages])
        found: dict[int, FoundFacts] = {}
        for message, facts in zip(messages, read, strict=True):
            told = [fact for fact in facts if not fact.object.is_before or is_short(message)]
            if told:
                found |= self._by_sentence(said, message, told)
        return self._clauses.extract_after(found, sentences, context=context)

    def _by_sentence(
        self, said: Sequence[Utterance], message: SaidMessage, facts: Sequence[ReadFact]
    ) -> dict[int, FoundFacts]:
        """Return the facts of a message by the places of its sentences, those of the speaker first."""
        trees = [Tree(parse) for parse in self._parser.parse_many([said[place].text for place in message.places])]
        found: dict[int, FoundFacts] = {}
        for fact in sorted(facts, key=lambda fact: fact.subject is not None):
            number = 0 if fact.object.is_before else message.sentence_at(fact.object.span.start)
            if fact.subject is not None and not fact.subject.is_before and not fact.object.is_before:
                if message.sentence_at(fact.subject.span.start) > number:
                    # Of whom a sentence tells stands in it or before it.
                    continue
            place = message.places[number]
            sentence = FoundFacts(said[place], message, number, trees[number])
            found.setdefault(place, sentence).read.append(fact)
        return found


@dataclass(frozen=True)
class FoundFacts:
    """What the reader found in the `number`-th sentence of a message, whose subjects only the people in focus tell."""

    sentence: Utterance
    message: SaidMessage
    number: int
    tree: Tree
    read: list[ReadFact] = field(default_factory=list)

    def facts(self, focus: Focus) -> list[Fact]:
        """Return the facts in the ontology's words, where it is known who is meant."""
        subjects = SubjectReader(Node(self.sentence.speaker, "Person", is_speaker=True), focus)
        times = find_times(self.tree, said_at=self.sentence.said_at)
        told = []
        for fact in self.read:
            start, end = 0, len(self.sentence.text)
            if not fact.object.is_before:
                start = fact.object.span.start - self.message.starts[self.number]
                end = min(start + len(fact.object.text), end)
            predicate = fact.predicate
            if predicate == OTHER:
                predicate = "" if self._corrects_before(fact) else predicate_of_clause(self.tree, start)
                if predicate == "isA" and fact.subject is None:
                    # "My landlord is called Piet" and "I have a granddaughter, Noor" tell who somebody is to the speaker.
                    continue
            made = facts_of(
                replace(fact, flags=self._flags(fact, start)),
                predicate,
                subject=subject_of(fact, subjects, self.message),
                span=Span(start, end),
                times=times,
                message=self.message,
                said_at=self.sentence.said_at,
            )
            for one in made:
                if one.object.kind in LIVING:
                    subjects.meet(Person(one.object, gender_of(predicate_named(one.predicate).noun)))
            told += made
        return surest(told)

    @staticmethod
    def _corrects_before(fact: ReadFact) -> bool:
        """Return whether what a fact says of its value stands in what was said before: "I meant 9", "yes"."""
        is_of_before = fact.subject is not None and fact.subject.is_before
        return fact.object.is_before or is_of_before and FactFlag.CORRECTED in fact.flags

    def _flags(self, fact: ReadFact, start: int) -> frozenset[FactFlag]:
        """Return the flags of a fact; a denial that no word of the message says was concluded from what others say."""
        if FactFlag.DENIED not in fact.flags or DENIALS.search(self.message.text):
            return fact.flags
        node = value_head(self.tree, start)
        is_reported = node is not None and any(
            modality_of(self.tree, clause) is Modality.REPORTED for clause in (node, *self.tree.ancestors(node))
        )
        return (fact.flags - {FactFlag.DENIED}) | {FactFlag.REPORTED} if is_reported else fact.flags


def surest(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a sentence without a second value of what has one at most: that which was read less surely."""
    best: dict[tuple[object, ...], Fact] = {}
    for fact in sorted(facts, key=lambda fact: -fact.confidence):
        best.setdefault(slot_of(fact), fact)
    return [fact for fact in facts if not predicate_named(fact.predicate).is_functional or best[slot_of(fact)] is fact]


def slot_of(fact: Fact) -> tuple[object, ...]:
    return key_of(fact.subject.label), fact.predicate, fact.polarity, fact.tense, fact.modality


def is_short(message: SaidMessage) -> bool:
    """Return whether a message is a short answer, which may leave its value to the question before it: "not since May"."""
    is_asked = "?" in message.before
    return is_asked and len(message.text.split()) <= SHORT_WORDS and not only_asks(message.text)


def messages_of(said: Sequence[Utterance], own: Sequence[bool], start: int) -> Iterator[SaidMessage]:
    """Yield the speaker's own sentences from `start` on, those of one turn together, with what another said before."""
    places = [place for place, is_own in enumerate(own) if is_own and place >= start]
    for _, group in groupby(places, key=lambda place: turn_of(said[place])):
        together = tuple(group)
        text, starts = "", []
        for place in together:
            text += "" if not text else "\n" if said[place].breaks else " "
            starts.append(len(text))
            text += said[place].text
        yield SaidMessage(together, text, tuple(starts), said_before(said, own, together[0]))


def turn_of(utterance: Utterance) -> tuple[str, datetime]:
    return utterance.speaker, utterance.said_at


def said_before(said: Sequence[Utterance], own: Sequence[bool], place: int) -> str:
    """Return what another asked just before an utterance's turn, else what its speaker said before, up to a length.

    What another says before a question is left out: an assistant's "Noted: your sister is Hina" is nothing that a message
    answers. The speaker's own words are those that a correction ("I meant 9") or a pronoun speaks of.
    """
    turns = [list(group) for _, group in groupby(range(place), key=lambda at: turn_of(said[at]))]
    if turns and turn_of(said[turns[-1][0]]) == turn_of(said[place]):
        turns.pop()
    if turns and said[turns[-1][0]].speaker != said[place].speaker:
        asked = " ".join(said[at].text for at in dropwhile(lambda at: "?" not in said[at].text, turns.pop()))
        if asked:
            return asked[-BEFORE_CHARACTERS:]
    if not turns or said[turns[-1][0]].speaker != said[place].speaker:
        return ""
    return " ".join(said[at].text for at in turns[-1] if own[at] and "?" not in said[at].text)[-BEFORE_CHARACTERS:]


def subject_of(fact: ReadFact, subjects: SubjectReader, message: SaidMessage) -> Node | None:
    if fact.subject is None:
        return subjects.owner_of(fact.predicate, message.text, 0 if fact.object.is_before else fact.object.span.start)
    text = message.before if fact.subject.is_before else message.text
    return subjects.node_of(fact.subject.text, text, fact.subject.span.start)


def facts_of(
    fact: ReadFact,
    predicate: str,
    *,
    subject: Node | None,
    span: Span,
    times: Sequence[TimeMention],
    message: SaidMessage,
    said_at: datetime,
) -> list[Fact]:
    """Return the facts in the ontology's words; none where nobody is meant or nothing is named."""
    value = bare_value(fact.object.text)
    if subject is None or not predicate or not value:
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
        tense=tense_of(fact),
        confidence=fact.probability,
        phrase="used to" if FactFlag.PAST in fact.flags else "",
        attributed_to=SOMEBODY if modality is Modality.REPORTED else "",
    )
    if predicate == GOT_RID_OF:
        thing = Node(value, lemma=value, pos="NOUN")
        gone = replace(made, polarity=Polarity.NEGATIVE, tense=Tense.PRESENT, object=thing)
        return [replace(gone, predicate=possessed) for possessed in ("owns", POSSESSED)]
    named = ontology_predicate(predicate, value=value, text=message.text, at=at)
    domain = predicate_named(named).domain
    subject = replace(subject, kind=subject.kind or (domain if domain in LIVING else ""))
    made = replace(made, subject=subject, predicate=named, object=object_node(value, named, subject))
    if key_of(made.object.label) == key_of(subject.label):
        return []
    start, end = period_of(made, times, said_at)
    return [replace(made, valid_from=start, valid_to=end)]


def tense_of(fact: ReadFact) -> Tense:
    if FactFlag.FUTURE in fact.flags:
        return Tense.FUTURE
    is_event = fact.predicate != OTHER and not predicate_named(fact.predicate).is_state
    return Tense.PAST if FactFlag.PAST in fact.flags or is_event else Tense.PRESENT


def object_node(value: str, predicate: str, subject: Node) -> Node:
    """Return the node of a value: a literal, somebody who is the subject's somebody, or a thing."""
    known = predicate_named(predicate)
    if predicate.startswith(NUMBER_OF):
        return Node(number_in(value), is_literal=True)
    if known.range == "Literal":
        return Node(value, is_literal=True)
    if predicate == "hasHabit":
        return Node(value if value.endswith("ing") else gerund(value), pos="VERB")
    if known.range in LIVING and known.noun and value[:1].isupper():
        person = person_of(subject.label, known.noun, name=value).node
        return replace(person, kind=known.range)
    if predicate == HAS_PET:
        is_name = value[:1].isupper()
        label = name_case(value) if is_name else value
        return Node(label, "Animal", (f"{subject.label}'s pet",), pos="PROPN" if is_name else "NOUN")
    return Node(value, known.range, pos="PROPN" if value[:1].isupper() else "NOUN")


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
