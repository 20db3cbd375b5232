"""The rules beside the message reader, over a dependency parse: the closed part of D-SMART's Algorithm 1.

Departures from the paper:
- Text becomes facts in one step. The paper goes through AMR (SPRING) and FRED's OWL, whose services are gone; the state
  properties that conflicts need are read from verb and preposition, as its lifted frames would give them.
- It reads the user's own sentences rather than a distilled statement: every fact keeps the words that it came from.
- What the assistant said yields nothing: memory that it repeats must not come back as the user's word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from memory.core.english.inflection import words_of_name
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.clauses import Scene, clause_at, clause_heads
from memory.core.knowledge_graph.extraction.corrections import corrected, is_cue
from memory.core.knowledge_graph.extraction.endings import with_endings
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.extraction.kin import relatives_by_name, with_relatives
from memory.core.knowledge_graph.extraction.mentions import MentionReader
from memory.core.knowledge_graph.extraction.merges import mended
from memory.core.knowledge_graph.extraction.merging import is_relation, merged
from memory.core.knowledge_graph.extraction.modality import (
    is_asked_itself,
    is_unreal,
    modality_of,
    tense_of,
)
from memory.core.knowledge_graph.extraction.people import Focus, Person, gender_of
from memory.core.knowledge_graph.extraction.propositions import read_clause
from memory.core.knowledge_graph.extraction.readings import Reading, reading_of
from memory.core.knowledge_graph.extraction.rules import Rule, SaidBefore
from memory.core.knowledge_graph.extraction.times import find_times
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.replacement import is_open
from memory.core.naming import key_of
from memory.core.ports import SyntacticParser
from memory.core.types import Fact, GraphFragment, Modality, Node, ParsedSentence, Polarity, Tense, Utterance

# How far back a pronoun or a correction may point, in utterances.
REACH = 8
# How many facts back a correction that quotes the wrong value may point.
_REMEMBERED = 40
# What is wanted stands in wishes, requests and questions: "I'd like it under 900 euros", "must arrive before Wednesday".
REQUIRED = frozenset({"wants", "plansTo", "mustHave", "mustAvoid", "budget", "deadline"})


def with_propositions(scene: Scene, facts: list[Fact], _: SaidBefore) -> list[Fact]:
    """Return the facts of the message reader merged with those of the sentence's clauses."""
    told, heads = list[Fact](), clause_heads(scene.tree)
    for head in heads:
        so_far = replace(scene, earlier=(*scene.earlier, *told))
        clause = clause_at(so_far, head, heads)
        told += read_clause(so_far, clause) if clause is not None else []
    said = {(fact.predicate, key_of(fact.object.label)) for fact in told}
    named = [fact for fact in relatives_by_name(scene) if (fact.predicate, key_of(fact.object.label)) not in said]
    told = [*named, *scene.put(told)]
    if not scene.is_read:
        return told
    return merged([_as_put(scene, fact) for fact in facts], told, text=scene.tree.text)


def _as_put(scene: Scene, fact: Fact) -> Fact:
    """Return a fact as the clause around its value puts it, where that itself asks, supposes or reports."""
    tree, first = scene.tree, fact.object.label.lower().split()[0]
    node = next((node for node in range(len(tree)) if tree.low(node) == first), None)
    is_plain = fact.modality is Modality.ASSERTED and fact.polarity is Polarity.POSITIVE
    if node is None or not is_plain or is_relation(fact) or fact.predicate in REQUIRED:
        return fact
    heads = clause_heads(tree)
    head = next((above for above in (node, *tree.ancestors(node)) if above in heads), None)
    if head is None:
        return fact
    is_supposed = is_unreal(tree, head)
    modality = Modality.HYPOTHETICAL if is_supposed else modality_of(tree, head)
    is_trusted = modality is Modality.ASKED and not is_asked_itself(tree, head)
    is_trusted = is_trusted or modality is Modality.HYPOTHETICAL and not is_supposed
    return _in_tense_of(tree, head, fact if is_trusted else replace(fact, modality=modality), scene.said_at)


def _in_tense_of(tree: Tree, head: int, fact: Fact, said_at: datetime) -> Fact:
    """Return a fact that is named after the verb of its clause in the tense of that: "I planted three cherry trees"."""
    is_named_so = fact.predicate not in PREDICATES and words_of_name(fact.predicate)[:1] == [tree.lemma(head)]
    if not is_named_so or fact.tense is not Tense.PRESENT or tense_of(tree, head) is not Tense.PAST:
        return fact
    return replace(fact, tense=Tense.PAST, valid_to=fact.valid_to or said_at)


RULES: tuple[Rule, ...] = (with_propositions, with_relatives, corrected, with_endings)


class ReadSentence(Protocol):
    """What the message reader found in a sentence."""

    def facts(self, focus: Focus) -> list[Fact]:
        """Return it as facts about those whom the words mean, given who is in focus."""


class _Nothing:
    def facts(self, focus: Focus) -> list[Fact]:
        return []


@dataclass
class _Dialogue:
    """What the sentences so far left behind: the people in focus, what each speaker said, how much of it last.

    `announced` is who said, and when, that something was wrong without saying yet what is right.
    """

    focus: Focus = field(default_factory=Focus)
    said: dict[str, list[Fact]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    announced: tuple[str, datetime] | None = None

    def before(self, utterance: Utterance) -> SaidBefore:
        speaker = key_of(utterance.speaker)
        earlier = self.said.get(speaker, [])
        return SaidBefore(
            earlier=tuple(earlier),
            latest=tuple(earlier[len(earlier) - self.last.get(speaker, 0) :]),
            is_announced=self.announced == (speaker, utterance.said_at),
        )


class RuleBasedExtractor:
    """Implements `KnowledgeExtractor` with a parser and rules, alone or after what the message reader found.

    `replaces` also gives the replacements of values said long ago (see `replacement`), for who looks these up.
    """

    def __init__(self, *, parser: SyntacticParser, replaces: bool = False, rules: Sequence[Rule] = RULES) -> None:
        self._parser = parser
        self._replaces = replaces
        self._rules = rules

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        return self.extract_after(None, sentences, context=context)

    def extract_after(
        self,
        read: Mapping[int, ReadSentence] | None,
        sentences: Sequence[Utterance],
        *,
        context: Sequence[Utterance] = (),
    ) -> list[GraphFragment]:
        """Return the facts of sentences, given what was read in them and their context, by places in both, or None."""
        said = [*context, *sentences]
        first = max(0, len(context) - REACH)
        places = [place for place, is_own in enumerate(own_words(said)) if is_own and place >= first]
        readings = [reading_of(said[place]) for place in places]
        parses = self._parser.parse_many([reading.words.text for reading in readings])
        dialogue = _Dialogue()
        found = {
            place: self._extract(
                said[place], reading, parse, dialogue, None if read is None else read.get(place, _Nothing())
            )
            for place, reading, parse in zip(places, readings, parses, strict=True)
        }
        return [GraphFragment(tuple(found.get(place, ()))) for place in range(len(context), len(said))]

    def _extract(
        self,
        utterance: Utterance,
        reading: Reading,
        sentence: ParsedSentence,
        dialogue: _Dialogue,
        read: ReadSentence | None,
    ) -> list[Fact]:
        facts = read.facts(dialogue.focus) if read is not None else []
        if not sentence.tokens:
            return facts
        tree = Tree(mended(sentence))
        speaker = Node(utterance.speaker, "Person", is_speaker=True)
        times = find_times(tree, said_at=utterance.said_at)
        taken = {token for time in times for token in time.tokens if tree.pos(token) != "ADP"}
        mentions = MentionReader(tree, speaker, dialogue.focus, taken=taken)
        speaker_key = key_of(utterance.speaker)
        earlier = dialogue.said.get(speaker_key, [])
        scene = Scene(
            tree, mentions, tuple(times), utterance, speaker, tuple(earlier), reading, is_read=read is not None
        )
        before = dialogue.before(utterance)
        dialogue.announced = (speaker_key, utterance.said_at) if is_cue(sentence.text) else None
        for rule in self._rules:
            facts = rule(scene, facts, before)
        facts = [_nameless_unless_asserted(fact) for fact in without_homes_in_people(distinct(facts))]
        facts = [fact for fact in facts if self._replaces or not is_open(fact)]
        dialogue.focus = _focus_after(scene, _focus_on(facts, dialogue.focus))
        if facts:
            dialogue.said[speaker_key] = [*earlier, *facts][-_REMEMBERED:]
            dialogue.last[speaker_key] = len(facts)
        return facts


def distinct(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts, each statement once."""
    seen: dict[tuple[str, str, str, Polarity], Fact] = {}
    for fact in facts:
        seen.setdefault((key_of(fact.subject.label), fact.predicate, key_of(fact.object.label), fact.polarity), fact)
    return list(seen.values())


def without_homes_in_people(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a sentence without those that take a person whom it names for a home, an employer or a school."""
    people = {key_of(fact.object.label) for fact in facts if fact.object.pos == "PROPN" and fact.object.kind in LIVING}
    houses = ("Place", "Organization")
    return [
        fact
        for fact in facts
        if predicate_named(fact.predicate).range not in houses or key_of(fact.object.label) not in people
    ]


def _nameless_unless_asserted(fact: Fact) -> Fact:
    """Return what was only reported, asked or supposed without aliases: it may not name anybody's dog."""
    if fact.modality is Modality.ASSERTED:
        return fact
    return replace(fact, subject=replace(fact.subject, aliases=()), object=replace(fact.object, aliases=()))


def _focus_on(facts: Sequence[Fact], focus: Focus) -> Focus:
    """Return the focus with the relatives and pets that facts name."""
    for fact in facts:
        is_believed = is_relation(fact) and fact.modality is Modality.ASSERTED
        if is_believed and not (fact.object.is_any or fact.object.is_speaker):
            focus = focus.with_person(Person(fact.object, gender_of(predicate_named(fact.predicate).noun)))
    return focus


def _focus_after(scene: Scene, focus: Focus) -> Focus:
    """Return the focus with the people that a sentence mentions, the last of them foremost."""
    tree, dated = scene.tree, {token for time in scene.times for token in time.tokens}
    # Whom a sentence is about comes after whom it only mentions: "My neighbour Karl has a dog. He ..." is Karl.
    heads = sorted(range(len(tree)), key=lambda node: tree.is_dep(node, "nsubj"))
    for head in heads:
        if head in dated or tree.pos(head) not in ("NOUN", "PROPN") or tree.is_dep(head, "compound", "flat"):
            continue
        mention, is_role = scene.mentions.read(head), tree.child(head, "cop") is not None
        is_kin = mention is not None and mention.relation is not None and bool(mention.relation.predicate)
        # "He is not a doctor" speaks of no doctor.
        person = mention if is_kin else None if is_role else scene.mentions.introduced(head)
        if person is None and mention is not None and mention.is_proper and (is_role or tree.is_dep(head, "nsubj")):
            person = mention
        if person is not None and key_of(person.node.label) != key_of(scene.speaker.label):
            focus = focus.with_person(Person(person.node, gender_of(person.noun)))
    return focus
