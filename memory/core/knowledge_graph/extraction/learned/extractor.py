"""Facts from what the message reader finds (D-SMART, Algorithm 1), the built-in engine's extraction.

Departures from the paper:
- Text becomes facts in one learned step, not by way of AMR and FRED, whose services are gone.
- It reads the user's own words rather than a distilled statement: every fact keeps the words that it came from.
- What the assistant said yields nothing: memory that it repeats must not come back as the user's word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory.core.english.trees import Tree
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.extraction.learned.facts import ASKED_FROM, FoundFacts
from memory.core.knowledge_graph.extraction.learned.messages import (
    SaidMessage,
    completed,
    is_from_before,
    is_short,
    messages_of,
    overlap,
    place_of,
)
from memory.core.knowledge_graph.extraction.learned.predicates import OTHER
from memory.core.knowledge_graph.extraction.people import Focus, Person, gender_of
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.naming import key_of
from memory.core.ports import MessageReader, SyntacticParser
from memory.core.types import (
    Fact,
    GraphFragment,
    MessageInContext,
    Modality,
    Polarity,
    ReadFact,
    Utterance,
)

# How far back a pronoun may point, in utterances.
REACH = 8
# A correction of what was told just before is believed from this probability on.
LEAST_CORRECTED = 0.3


@dataclass(frozen=True)
class Reading:
    """What was read in a message: surely, or to put right what was told; and what was read unsurely."""

    facts: list[ReadFact]
    doubted: list[ReadFact]


class LearnedExtractor:
    """Implements `KnowledgeExtractor` with the message reader; a parser names open predicates and places dates.

    Whom the facts of earlier sentences are about is in focus for the pronouns of the later ones.
    """

    def __init__(self, *, reader: MessageReader, parser: SyntacticParser) -> None:
        self._reader = reader
        self._parser = parser

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        said = [*context, *sentences]
        messages = list(messages_of(said, own_words(said), max(0, len(context) - REACH)))
        found: dict[int, FoundFacts] = {}
        for message, reading in zip(messages, self._read(messages), strict=True):
            told = [fact for fact in reading.facts if not fact.object.is_before or is_short(message)]
            if told or reading.doubted:
                found |= self._by_sentence(said, message, Reading(told, reading.doubted))
        focus, told_at = Focus(), dict[int, tuple[Fact, ...]]()
        for place in sorted(found):
            earlier = [fact for at in told_at if said[at].speaker == said[place].speaker for fact in told_at[at]]
            read = found[place].facts(focus, earlier, surely_from=self._reader.threshold)
            said_here = distinct(nameless_unless_asserted(fact) for fact in read)
            sure = [fact for fact in said_here if fact.modality is not Modality.UNSURE]
            focus, told_at[place] = focus_after(sure, focus), tuple(said_here)
        return [GraphFragment(told_at.get(place, ())) for place in range(len(context), len(said))]

    def _read(self, messages: Sequence[SaidMessage]) -> list[Reading]:
        """Return what messages say: after the question that they answer, or alone and then after what was told before."""
        by_itself = [MessageInContext(one.text, one.before * one.is_asked) for one in messages]
        alone = self._reader.read_many(by_itself, least=min(ASKED_FROM, self._reader.threshold))
        follow = [MessageInContext(one.text, one.before) for one in messages if one.goes_on]
        after = iter(self._reader.read_many(follow, least=LEAST_CORRECTED))
        read = []
        for one, facts in zip(messages, alone, strict=True):
            sure = [fact for fact in facts if self._is_sure(fact)]
            told = completed(sure, next(after), surely_from=self._reader.threshold) if one.goes_on else sure
            read.append(Reading(told, [fact for fact in facts if self._is_doubted(fact, told)]))
        return read

    def _is_sure(self, fact: ReadFact) -> bool:
        return fact.probability >= self._reader.threshold

    def _is_doubted(self, fact: ReadFact, told: Sequence[ReadFact]) -> bool:
        is_told = any(overlap(fact.object, one.object) for one in told)
        return not (self._is_sure(fact) or is_told or fact.object.is_before)

    def _by_sentence(self, said: Sequence[Utterance], message: SaidMessage, read: Reading) -> dict[int, FoundFacts]:
        """Return the facts of a message by the places of its sentences, those of the speaker first."""
        trees = [Tree(parse) for parse in self._parser.parse_many([said[place].text for place in message.places])]
        found: dict[int, FoundFacts] = {}
        kinds = {
            key_of(fact.subject.text): fact.object.text
            for fact in read.facts
            if fact.subject and fact.predicate == OTHER
        }
        in_order = sorted(read.facts, key=lambda fact: (fact.subject is not None, is_from_before(fact)))
        for fact in (*in_order, *read.doubted):
            number, told = place_of(message, fact)
            if told is None:
                continue
            place = message.places[number]
            sentence = FoundFacts(said[place], message, number, trees[number], kinds)
            here = found.setdefault(place, sentence)
            (here.doubted if fact in read.doubted else here.read).append(told)
        return found


class Unread:
    """Implements `KnowledgeExtractor` where nothing can read messages: no facts."""

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        return [GraphFragment(()) for _ in sentences]


def distinct(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts, each statement once."""
    seen: dict[tuple[str, str, str, Polarity], Fact] = {}
    for fact in facts:
        seen.setdefault((key_of(fact.subject.label), fact.predicate, key_of(fact.object.label), fact.polarity), fact)
    return list(seen.values())


def nameless_unless_asserted(fact: Fact) -> Fact:
    """Return what was only reported, asked or supposed without aliases: it may not name anybody's dog."""
    if fact.modality is Modality.ASSERTED:
        return fact
    return replace(fact, subject=replace(fact.subject, aliases=()), object=replace(fact.object, aliases=()))


def focus_after(facts: Sequence[Fact], focus: Focus) -> Focus:
    """Return the focus with the people that facts name, those whom the facts are about foremost."""
    for fact in facts:
        known = predicate_named(fact.predicate)
        if fact.modality is Modality.ASSERTED and known.noun and known.range in LIVING:
            focus = focus.with_person(Person(fact.object, gender_of(known.noun)))
    for fact in facts:
        if not fact.subject.is_speaker and fact.subject.kind in LIVING:
            focus = focus.with_person(Person(fact.subject, gender_of(fact.subject.lemma)))
    return focus
