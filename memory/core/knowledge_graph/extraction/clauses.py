"""Clauses of a sentence: a predicate, who it is said of, how, and when; and the facts that are written from one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.core.english.trees import Tree
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.mentions import MentionReader
from memory.core.knowledge_graph.extraction.modality import (
    SOMEBODY,
    is_perfect,
    modality_of,
    polarity_of,
    reporter_of,
    tense_of,
)
from memory.core.knowledge_graph.extraction.people import Mention, name_case
from memory.core.knowledge_graph.extraction.readings import Reading
from memory.core.knowledge_graph.extraction.times import TimeMention
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.naming import key_of
from memory.core.types import Fact, Modality, Node, Polarity, Tense, Utterance

_RELATIVE = frozenset({"who", "that", "which"})
# Classes that say what words a value is written in, or too little to tell two entities of one name apart: an agent may
# be a person, whom the same name with another class would double.
_OPEN_KINDS = frozenset({"Occupation", "Language", "Literal", "Agent"})


@dataclass(frozen=True)
class Scene:
    """One sentence with all that its rules look at; `earlier` are the facts of what its speaker said before."""

    tree: Tree
    mentions: MentionReader
    times: tuple[TimeMention, ...]
    utterance: Utterance
    speaker: Node
    earlier: tuple[Fact, ...]
    reading: Reading
    # Whether a message reader judged the sentence too.
    is_read: bool = False

    @property
    def said_at(self) -> datetime:
        return self.utterance.said_at

    def put(self, facts: Sequence[Fact]) -> list[Fact]:
        """Return facts of the plain words as the sentence itself puts them."""
        return self.reading.put(facts)


@dataclass(frozen=True)
class Clause:
    """A predicate with its subjects and how it is put. `head` carries the meaning; `anchor` is where adverbs may hang."""

    head: int
    anchor: int
    subjects: tuple[Mention, ...]
    polarity: Polarity
    modality: Modality
    tense: Tense
    times: tuple[TimeMention, ...] = ()
    confidence: float = 0.9
    prefix: str = ""
    attributed_to: str = ""
    # The noun of "my favourite colour is teal", a clause that is said of who has it.
    attribute: int | None = None

    def at(self, head: int, **changes: object) -> Clause:
        """Return the same clause read from another verb of its chain, such as "live" in "used to live"."""
        return replace(self, head=head, **changes)  # type: ignore[arg-type]


def clause_heads(tree: Tree) -> list[int]:
    return [node for node in range(len(tree)) if _is_clause(tree, node)]


def clause_at(scene: Scene, head: int, heads: list[int]) -> Clause | None:
    """Return the clause of a head, one of several of its sentence; None where nobody knows of whom it is said."""
    tree = scene.tree
    subjects, attribute = _subjects(scene, head)
    if not subjects:
        return None
    modality = modality_of(tree, head)
    return Clause(
        head=head,
        anchor=head,
        subjects=tuple(subjects),
        polarity=polarity_of(tree, head),
        modality=modality,
        attributed_to=_reporter(scene, head) if modality is Modality.REPORTED else "",
        tense=tense_of(tree, head),
        times=tuple(time for time in scene.times if _owner(tree, time, heads) == head),
        confidence=0.9 if len(tree) <= 40 else 0.7,
        attribute=attribute,
    )


def _reporter(scene: Scene, clause: int) -> str:
    """Return the label of whose word a clause is: a name, "Sam's boss", "the article"."""
    node = reporter_of(scene.tree, clause)
    if node is None or node == clause:
        return SOMEBODY
    mention = scene.mentions.read(node)
    if mention is not None and (mention.relation is not None or not mention.noun):
        return mention.node.label
    return scene.tree.words_of([low for low in scene.tree.subtree(node) if low <= node]).lower()


def write(
    scene: Scene,
    clause: Clause,
    predicate: str,
    value: Mention | Node,
    *,
    subject: Mention | None = None,
    phrase: str = "",
    scale: float = 1.0,
    tense: Tense | None = None,
    polarity: Polarity | None = None,
    period: tuple[datetime | None, datetime | None] | None = None,
) -> list[Fact]:
    """Return the fact, one for each subject of the clause (or for the given one)."""
    subjects = clause.subjects if subject is None else (subject,)
    node = value.node if isinstance(value, Mention) else value
    is_denied = isinstance(value, Mention) and value.is_denied
    if isinstance(value, Mention) and clause.polarity is Polarity.NEGATIVE and _is_contrasted(scene.tree, value):
        polarity = Polarity.POSITIVE
    end_tokens = value.tokens if isinstance(value, Mention) else ()
    known = predicate_named(predicate)
    when = tense or clause.tense
    start, end = period if period is not None else period_of(scene, clause, predicate, when)
    facts = []
    for one in subjects:
        if key_of(one.node.label) == key_of(node.label) and not node.is_literal:
            continue
        facts.append(
            Fact(
                subject=_of_kind(one.node, known.domain),
                predicate=predicate,
                object=_of_kind(node, known.range),
                span=scene.tree.span([*one.tokens, clause.anchor, clause.head, *end_tokens]),
                polarity=Polarity.NEGATIVE if is_denied else (polarity or clause.polarity),
                modality=clause.modality,
                tense=when,
                valid_from=start,
                valid_to=end,
                confidence=round(clause.confidence * scale, 2),
                phrase=f"{clause.prefix} {phrase}".strip(),
                attributed_to=clause.attributed_to,
            )
        )
    return facts


def _is_contrasted(tree: Tree, value: Mention) -> bool:
    """Return whether a value is the one that holds: "not a doctor but a nurse"."""
    head = next((node for node in reversed(value.tokens) if tree.is_dep(node, "conj")), None)
    return head is not None and "but" in tree.words(head, "cc") and tree.child(head, "nsubj") is None


def period_of(scene: Scene, clause: Clause, predicate: str, tense: Tense) -> tuple[datetime | None, datetime | None]:
    """Return when a fact begins and ends to hold, from the clause's dates."""
    is_state = predicate_named(predicate).is_state
    start = end = None
    for time in clause.times:
        if time.reference.ends:
            end = time.time.start
        elif time.reference.starts or (tense is not Tense.PAST and is_state):
            start = time.time.start
            if time.reference.is_length and (tense is not Tense.PRESENT or not is_perfect(scene.tree, clause.anchor)):
                start = None
        else:
            start, end = time.time.start, time.time.end
    if tense is Tense.PAST and is_state and end is None:
        end = scene.said_at
    if tense is Tense.PRESENT and start is not None and start > scene.said_at:
        start = None
    return start, end


def event_start(clause: Clause) -> datetime | None:
    """Return when a change told by the clause happened ("moved to Lyon last week"), or None where no date says so."""
    return next(
        (time.time.start for time in clause.times if not (time.reference.ends or time.reference.is_length)), None
    )


def _of_kind(node: Node, kind: str) -> Node:
    if kind == "Literal":
        return replace(node, is_literal=True, kind="")
    if kind in ("Place", "Organization", "Person", "Language") and node.pos == "PROPN":
        node = replace(node, label=name_case(node.label))
    if kind in _OPEN_KINDS or not kind or node.kind:
        return node
    return replace(node, kind=kind)


def _owner(tree: Tree, time: TimeMention, heads: list[int]) -> int | None:
    for node in (time.tokens[-1], time.tokens[0]):
        for above in (node, *tree.ancestors(node)):
            if above in heads:
                return above
    before = [head for head in heads if head < time.tokens[0]]
    return before[-1] if before else next(iter(heads), None)


def _is_clause(tree: Tree, node: int) -> bool:
    if tree.pos(node) in ("PUNCT", "ADP", "DET", "CCONJ", "SCONJ"):
        return False
    if tree.child(node, "nsubj") is not None:
        return True
    above = tree.head(node)
    is_second = tree.is_dep(node, "conj") and _is_predicate(tree, node)
    return is_second and (_is_predicate(tree, above) or tree.child(above, "nsubj") is not None)


def _is_predicate(tree: Tree, node: int) -> bool:
    return tree.pos(node) == "VERB" or tree.child(node, "cop") is not None or tree.child(node, "aux") is not None


def _subjects(scene: Scene, head: int) -> tuple[list[Mention], int | None]:
    """Return whom a clause is said of, and the noun by which it is said of who has it: "my favourite colour is teal"."""
    tree, node = scene.tree, head
    subject = tree.child(node, "nsubj")
    while subject is None and tree.is_dep(node, "conj"):
        node = tree.head(node)
        subject = tree.child(node, "nsubj")
    if subject is None:
        return [], None
    if tree.low(subject) in _RELATIVE and tree.is_dep(node, "acl"):
        mention = scene.mentions.read(tree.head(node))
        return ([mention] if mention is not None and _is_somebody(mention) else []), None
    found = [m for m in scene.mentions.read_all(subject) if not m.is_denied and _is_somebody(m)]
    owner = None if found else scene.mentions.owner_of(subject)
    if owner is not None:
        return [Mention(owner, (subject,))], subject
    if not found and tree.low(subject) == "it":
        found = spoken_of(scene, subject)
    return found, None


def spoken_of(scene: Scene, pronoun: int) -> list[Mention]:
    """Return the thing that the last fact spoke of: "We went to Papermoon. It's on Castle Street."."""
    last = next(iter(scene.earlier[-1:]), None)
    things = [] if last is None else [node for node in (last.object, last.subject) if node.pos in ("PROPN", "NOUN")]
    things = [node for node in things if node.kind not in LIVING and not node.is_literal]
    return [Mention(node, (pronoun,), is_proper=True) for node in things[:1]]


def _is_somebody(mention: Mention) -> bool:
    """Return whether a fact about a mention can be kept: a speaker, a person by name or relation, a proper name."""
    is_pronoun = not mention.noun and not mention.is_proper
    return is_pronoun or mention.relation is not None or mention.is_proper
