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

from memory.core.knowledge_graph.extraction.built_in_rules import RULES
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, find_clauses
from memory.core.knowledge_graph.extraction.copulas import read_copula
from memory.core.knowledge_graph.extraction.corrections import is_cue
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.extraction.mentions import MentionReader
from memory.core.knowledge_graph.extraction.opening_names import with_names
from memory.core.knowledge_graph.extraction.people import Focus, gender_of
from memory.core.knowledge_graph.extraction.readings import Reading, reading_of
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.repairs import repaired
from memory.core.knowledge_graph.extraction.rules import RuleSet, SaidBefore
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

    def before(self, utterance: Utterance) -> SaidBefore:
        speaker = key_of(utterance.speaker)
        earlier = self.said.get(speaker, [])
        return SaidBefore(
            earlier=tuple(earlier),
            latest=tuple(earlier[len(earlier) - self.last.get(speaker, 0) :]),
            previous=tuple(self.previous.get(speaker, ())),
            is_announced=self.announced == (speaker, utterance.said_at),
        )


class RuleBasedExtractor:
    """Implements `KnowledgeExtractor` with a parser and a set of rules.

    `replaces` also gives the replacements of values said long ago (see `replacement`), for who looks these up.
    """

    def __init__(self, *, parser: SyntacticParser, replaces: bool = False, rules: RuleSet = RULES) -> None:
        self._parser = parser
        self._replaces = replaces
        self._rules = rules

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        said = [*context, *sentences]
        first = max(0, len(context) - _REACH)
        places = [place for place, is_own in enumerate(own_words(said)) if is_own and place >= first]
        readings = [reading_of(said[place], self._rules) for place in places]
        own = [said[place] for place in places]
        names = frozenset[str]().union(*(names_in(own) for names_in in self._rules.namings))
        parses = [
            with_names(parse, names) for parse in self._parser.parse_many([reading.words.text for reading in readings])
        ]
        dialogue = _Dialogue()
        found = {
            place: self._extract(said[place], reading, parse, dialogue)
            for place, reading, parse in zip(places, readings, parses, strict=True)
        }
        return [GraphFragment(tuple(found.get(place, ()))) for place in range(len(context), len(said))]

    def _extract(
        self, utterance: Utterance, reading: Reading, sentence: ParsedSentence, dialogue: _Dialogue
    ) -> list[Fact]:
        tree = Tree(repaired(sentence, self._rules.repairs))
        if not sentence.tokens:
            return []
        speaker = Node(utterance.speaker, "Person", is_speaker=True)
        times = find_times(tree, said_at=utterance.said_at)
        taken = {token for time in times for token in time.tokens if tree.pos(token) != "ADP"}
        mentions = MentionReader(tree, speaker, dialogue.focus, taken)
        speaker_key = key_of(utterance.speaker)
        earlier = dialogue.said.get(speaker_key, [])
        scene = Scene(tree, mentions, tuple(times), utterance, speaker, tuple(earlier), self._rules)
        said_before = dialogue.before(utterance)
        dialogue.announced = (speaker_key, utterance.said_at) if is_cue(sentence.text) else None
        facts = _attributed(_read_sentence(scene))
        for answered in self._rules.answers:
            facts = answered(sentence.text, facts, said_before)
        facts = reading.put(facts)
        dialogue.previous[speaker_key] = facts
        facts = _distinct(facts)
        for revised in self._rules.revisions:
            facts = revised(scene, facts)
        facts = [_nameless_unless_asserted(fact) for fact in facts]
        facts = [fact for fact in facts if self._replaces or not is_open(fact)]
        dialogue.focus = _focus_after(scene, dialogue.focus)
        if facts:
            dialogue.said[speaker_key] = [*earlier, *facts][-_REMEMBERED:]
            dialogue.last[speaker_key] = len(facts)
        return facts


def _read_sentence(scene: Scene) -> list[Fact]:
    facts: list[Fact] = []
    clauses = {clause.head: clause for clause in find_clauses(scene)}
    for head in range(len(scene.tree)):
        read = next((found for reader in scene.rules.heads if (found := reader(scene, head)) is not None), None)
        if read is None and head in clauses:
            clause = clauses[head]
            read = _read_clause(replace(scene, earlier=(*scene.earlier, *facts)), clause)
            for with_more in scene.rules.consequences:
                read = with_more(scene, clause, read)
        facts += read or []
        for reader in scene.rules.additions:
            facts += reader(scene, head, facts)
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
