"""Extraction of facts by rules over a dependency parse: the built-in engine's share of D-SMART's Algorithm 1.

Departures from the paper:
- Text becomes facts in one step. The paper goes through AMR (SPRING) and FRED's OWL, whose services are gone; the state
  properties that conflicts need are read from verb and preposition, as its lifted frames would give them.
- It reads the user's own sentences rather than a distilled statement: every fact keeps the words that it came from.
- What the assistant said yields nothing: memory that it repeats must not come back as the user's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.core.knowledge_graph.extraction.attributes import read_attribute
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, find_clauses
from memory.core.knowledge_graph.extraction.copulas import read_copula
from memory.core.knowledge_graph.extraction.corrections import (
    is_cue,
    opens_correction,
    read_correction,
    read_recount,
    with_taken_back,
)
from memory.core.knowledge_graph.extraction.denials import read_denial
from memory.core.knowledge_graph.extraction.elisions import read_gap, read_restatement
from memory.core.knowledge_graph.extraction.exclusivity import with_endings
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.extraction.life_events import read_nickname
from memory.core.knowledge_graph.extraction.mentions import MentionReader
from memory.core.knowledge_graph.extraction.named_things import read_named_thing
from memory.core.knowledge_graph.extraction.occasions import read_occasion, with_days
from memory.core.knowledge_graph.extraction.opening_names import names_in, with_names
from memory.core.knowledge_graph.extraction.partnership import with_former_partners
from memory.core.knowledge_graph.extraction.people import Focus, gender_of
from memory.core.knowledge_graph.extraction.readings import Reading, readings_of
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.repairs import repaired
from memory.core.knowledge_graph.extraction.swapped_values import read_swap
from memory.core.knowledge_graph.extraction.times import find_times
from memory.core.knowledge_graph.extraction.trees import Tree
from memory.core.knowledge_graph.extraction.verbs import read_verb
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.replacement import is_open
from memory.core.ports import SyntacticParser
from memory.core.types import Fact, GraphFragment, Modality, Node, ParsedSentence, Polarity, Utterance

# How far back a pronoun or a correction may point, in utterances.
_REACH = 8
# How many facts back a correction that quotes the wrong value may point.
_REMEMBERED = 40


@dataclass
class _Dialogue:
    """What the sentences so far left behind: the people in focus, what each speaker said, how much of it last.

    `announced` is who said, and when, that something was wrong without saying yet what is right.
    """

    focus: Focus = field(default_factory=Focus)
    said: dict[str, list[Fact]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    previous: dict[str, list[Fact]] = field(default_factory=dict)
    announced: tuple[str, datetime] | None = None


class RuleBasedExtractor:
    """Implements `KnowledgeExtractor` with a parser.

    `replaces` also gives the replacements of values said long ago (see `replacement`), for who looks these up.
    """

    def __init__(self, *, parser: SyntacticParser, replaces: bool = False) -> None:
        self._parser = parser
        self._replaces = replaces

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        said = [*context, *sentences]
        first = max(0, len(context) - _REACH)
        read = [place for place, is_own in enumerate(own_words(said)) if is_own and place >= first]
        readings = [
            (place, reading)
            for place in read
            for reading in readings_of(said[place], said[:place], parser=self._parser)
        ]
        names = names_in([said[place] for place in read])
        parses = [
            with_names(parse, names)
            for parse in self._parser.parse_many([reading.words.text for _, reading in readings])
        ]
        dialogue = _Dialogue()
        found: dict[int, list[Fact]] = {}
        for (place, reading), parse in zip(readings, parses, strict=True):
            found.setdefault(place, []).extend(self._extract(said[place], reading, parse, dialogue))
        return [GraphFragment(tuple(found.get(place, ()))) for place in range(len(context), len(said))]

    def _extract(
        self, utterance: Utterance, reading: Reading, sentence: ParsedSentence, dialogue: _Dialogue
    ) -> list[Fact]:
        tree = Tree(repaired(sentence))
        if not sentence.tokens:
            return []
        speaker = Node(utterance.speaker, "Person", is_speaker=True)
        times = find_times(tree, said_at=utterance.said_at)
        taken = {token for time in times for token in time.tokens if tree.pos(token) != "ADP"}
        mentions = MentionReader(tree, speaker, dialogue.focus, taken)
        earlier = dialogue.said.get(key_of(utterance.speaker), [])
        scene = Scene(tree, mentions, tuple(times), utterance, speaker, tuple(earlier))
        latest = dialogue.last.get(key_of(utterance.speaker), 0)
        speaker_key = key_of(utterance.speaker)
        is_announced = dialogue.announced == (speaker_key, utterance.said_at)
        dialogue.announced = (speaker_key, utterance.said_at) if is_cue(sentence.text) else None
        facts = read_correction(sentence.text, earlier, latest=latest, is_announced=is_announced)
        facts = facts or read_recount(sentence.text, speaker)
        if not facts:
            facts = _read_sentence(scene)
            swapped = read_swap(sentence.text, earlier)
            facts = (
                facts if {fact.predicate for fact in facts} & {fact.predicate for fact in swapped} else facts + swapped
            )
            if latest and (is_announced or opens_correction(sentence.text)):
                facts = with_taken_back(facts, earlier[-latest:])
        facts = with_days(facts, read_occasion(sentence.text, speaker, earlier))
        if reading.righted is not None:
            facts = read_correction(reading.righted.text, facts, latest=len(facts))
        facts = _attributed(facts)
        facts += read_denial(sentence.text, facts, dialogue.previous.get(key_of(utterance.speaker), ()))
        facts = reading.put(facts)
        dialogue.previous[key_of(utterance.speaker)] = facts
        facts = [_nameless_unless_asserted(fact) for fact in with_former_partners(_distinct(facts))]
        facts = [fact for fact in facts if self._replaces or not is_open(fact)]
        dialogue.focus = _focus_after(scene, dialogue.focus)
        if facts:
            dialogue.said[key_of(utterance.speaker)] = [*earlier, *facts][-_REMEMBERED:]
            dialogue.last[key_of(utterance.speaker)] = len(facts)
        return facts


def _read_sentence(scene: Scene) -> list[Fact]:
    facts: list[Fact] = []
    clauses = {clause.head: clause for clause in find_clauses(scene)}
    for head in range(len(scene.tree)):
        attribute = read_attribute(scene, head)
        if attribute is not None:
            facts += attribute
        elif head in clauses:
            read = _read_clause(replace(scene, earlier=(*scene.earlier, *facts)), clauses[head])
            facts += with_endings(scene, clauses[head], read) + read_gap(scene, clauses[head], read)
        if attribute is None:
            facts += read_restatement(scene, head, facts)
        facts += read_nickname(scene, head)
        facts += read_named_thing(scene, head, facts)
    return facts


def _read_clause(scene: Scene, clause: Clause) -> list[Fact]:
    tree, head = scene.tree, clause.head
    presupposed = relation_facts(scene, clause.subjects, modality=clause.modality)
    is_copular = tree.child(head, "cop") is not None or tree.pos(head) not in ("VERB", "AUX")
    facts = read_copula(scene, clause) if is_copular and tree.low(head) != "born" else read_verb(scene, clause)
    if not facts and tree.lemma(head) in (
        "base",
        "locate",
        "marry",
        "engage",
        "retire",
        "separate",
        "scare",
        "terrify",
        "fluent",
    ):
        facts = read_copula(scene, clause)
    if facts and not presupposed:
        return facts
    # "My boyfriend broke up with me" presupposes a relation only to end it, "My wife is Ana" only to name it.
    told = {(key_of(fact.subject.label), fact.predicate) for fact in facts}
    denied = {(key_of(f.subject.label), f.predicate) for f in facts if f.polarity is Polarity.NEGATIVE}
    presupposed = [
        fact
        for fact in presupposed
        if (key_of(fact.subject.label), fact.predicate) not in (denied if fact.object.pos == "PROPN" else told)
    ]
    named = [mention for mention in clause.subjects if mention.relation is not None and mention.relation.is_named]
    bearers = {key_of(fact.object.label) for fact in facts}
    # A named relation is a fact even where the clause says nothing else that is kept.
    kept = [fact for fact in presupposed if key_of(fact.object.label) not in bearers]
    if facts or named:
        renamed = {alias for fact in facts for alias in fact.subject.aliases}
        return [fact for fact in kept if fact.object.label not in renamed] + facts
    return kept if clause.modality is Modality.ASSERTED else []


def _distinct(facts: Sequence[Fact]) -> list[Fact]:
    seen: dict[tuple[str, str, str, str], Fact] = {}
    for fact in facts:
        key = (key_of(fact.subject.label), fact.predicate, key_of(fact.object.label), fact.polarity)
        if key not in seen:
            seen[key] = fact
    return list(seen.values())


def _attributed(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of one sentence with what a report presupposes ("my brother Ed") given the reporter's name too."""
    source = next((fact.attributed_to for fact in facts if fact.attributed_to), "")
    return [
        replace(fact, attributed_to=source) if fact.modality is Modality.REPORTED and not fact.attributed_to else fact
        for fact in facts
    ]


def _nameless_unless_asserted(fact: Fact) -> Fact:
    """Return what was only reported, asked or supposed without aliases: it may not name anybody's dog."""
    if fact.modality is Modality.ASSERTED:
        return fact
    return replace(fact, subject=replace(fact.subject, aliases=()), object=replace(fact.object, aliases=()))


def _focus_after(scene: Scene, focus: Focus) -> Focus:
    """Return the focus with the people that a sentence mentions, the last of them foremost."""
    tree = scene.tree
    # Whom a sentence is about comes after whom it only mentions: "My neighbour Karl has a dog. He ..." is Karl.
    heads = sorted(range(len(tree)), key=lambda node: tree.is_dep(node, "nsubj"))
    for head in heads:
        if tree.pos(head) not in ("NOUN", "PROPN") or tree.is_dep(head, "compound", "flat"):
            continue
        focus = _with_group(scene, focus, head)
        mention = scene.mentions.read(head) or None
        person = (
            mention if mention is not None and mention.relation is not None and mention.relation.predicate else None
        )
        # "He is not a doctor" speaks of no doctor.
        person = person or (None if tree.child(head, "cop") is not None else scene.mentions.introduced(head))
        if person is None and mention is not None and mention.is_proper and tree.is_dep(head, "nsubj"):
            person = replace(mention, node=mention.node)
        if (
            person is not None
            and not person.node.is_speaker
            and key_of(person.node.label) != key_of(scene.speaker.label)
        ):
            focus = focus.with_person(person.node, gender_of(person))
    return focus


def _holder(scene: Scene, head: int) -> Node | None:
    """Return who has what a verb's object introduces: "My sister has a boyfriend" is no boyfriend of the speaker."""
    subject = scene.tree.child(scene.tree.head(head), "nsubj") if scene.tree.is_dep(head, "obj") else None
    mention = scene.mentions.read(subject) if subject is not None else None
    is_somebody = mention is not None and (mention.relation is not None or mention.is_proper)
    return mention.node if mention is not None and is_somebody else None


def _with_group(scene: Scene, focus: Focus, head: int) -> Focus:
    """Return the focus with the group that "they" means after "Al and Bo", "my parents" or "two brothers, Tom and Ben"."""
    if scene.tree.is_dep(head, "conj"):
        return focus
    owner = scene.speaker if scene.tree.is_dep(head, "obj") else None
    people = [
        mention
        for mention in scene.mentions.read_all(head, owner=owner)
        if mention.relation is not None or mention.is_proper and scene.tree.is_dep(head, "nsubj")
    ]
    is_group = len(people) > 1 or any(mention.relation and not mention.relation.predicate for mention in people)
    named = tuple(mention.node for mention in people if not mention.node.is_speaker)
    return replace(focus, group=named) if is_group and named else focus
