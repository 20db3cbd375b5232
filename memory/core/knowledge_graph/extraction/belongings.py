"""Getting, having and losing: relatives, pets, things."""

from __future__ import annotations

from memory.core.english.numbers import in_digits
from memory.core.knowledge_graph.extraction.changes import begin_state, end_possession, end_state
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.partnership import bereavement
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.work_events import JOBS, read_new_job
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import minted, number_of, relation_of
from memory.core.knowledge_graph.replacement import one_of
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Node, Polarity, Tense


def read_acquisition(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read getting and having: relations and pets, jobs, marriages, things with an article."""
    tree, head = scene.tree, clause.head
    lemma = tree.lemma(head)
    facts: list[Fact] = []
    for node in tree.children(head, "obj"):
        if tree.lemma(node) in ("hobby", "pastime") and lemma == "have":
            listed = [value for value in scene.mentions.read_all(node) if value.noun not in ("hobby", "pastime")]
            facts += [
                fact for value in listed for fact in write(scene, clause, "hasHobby", value, phrase="have a hobby")
            ]
            continue
        if tree.lemma(node) in JOBS and lemma != "have":
            return read_new_job(scene, clause)
        facts += _introduced(scene, clause, node)
    return facts or None


def _introduced(scene: Scene, clause: Clause, node: int) -> list[Fact]:
    # What "my wife and I" have is one dog: the speaker's, where it has no name of its own.
    namer = next((subject for subject in clause.subjects if subject.node.is_speaker), None)
    return [
        fact for subject in clause.subjects for fact in _introduced_by(scene, clause, node, subject, namer or subject)
    ]


def _introduced_by(scene: Scene, clause: Clause, node: int, owner: Mention, namer: Mention) -> list[Fact]:
    """Return the relatives and pets that somebody has or gets: two brothers, Tom and Ben; a dog called Biscuit.

    `owner` has them; a nameless one is called after `namer`.
    """
    tree = scene.tree
    members = [
        m for m in scene.mentions.read_all(node, owner=owner.node) if m.relation is not None and m.relation.is_named
    ]
    if members and tree.tag(node) == "NNS":
        facts = relation_facts(scene, members, modality=clause.modality) + _number(scene, clause, node, owner)
        heads = [head for head in tree.children(node, "conj") if relation_of(tree.lemma(head))]
    else:
        facts, heads = [], [node, *tree.children(node, "conj")]
    for head in heads:
        if relation_of(tree.lemma(head)) and "no" in tree.words(head, "det") and head != node:
            facts += write(
                scene,
                clause,
                relation_of(tree.lemma(head)),
                ANY,
                phrase="have",
                subject=owner,
                polarity=Polarity.NEGATIVE,
            )
            continue
        if tree.tag(head) == "NNS" and relation_of(tree.lemma(head)) and clause.polarity is Polarity.NEGATIVE:
            facts += write(scene, clause, relation_of(tree.lemma(head)), ANY, phrase="have", subject=owner)
        elif tree.tag(head) == "NNS":
            facts += _number(scene, clause, head, owner)
            continue
        mention = None if tree.tag(head) == "NNS" else scene.mentions.introduced(head, owner=namer.node)
        if mention is None or mention.relation is None:
            continue
        predicate = mention.relation.predicate
        if clause.polarity is Polarity.NEGATIVE:
            facts += write(scene, clause, predicate, ANY, phrase="have", subject=owner)
        elif clause.tense is Tense.PAST and tree.lemma(clause.head) == "have":
            facts += write(scene, clause, predicate, mention, phrase="have", subject=owner)
        else:
            facts += begin_state(scene, clause, predicate, mention, tree.lemma(clause.head), subject=owner)
            facts += _species(scene, clause, head, mention)
    return facts


def _species(scene: Scene, clause: Clause, head: int, mention: Mention) -> list[Fact]:
    """Return what a pet is where its relation does not tell: a golden retriever, or the dog that Biscuit is."""
    described = scene.tree.words_of(scene.mentions.phrase_tokens(head))
    is_breed = mention.noun not in ("dog", "cat", "pet")
    if mention.node.kind != "Animal" or not (is_breed or mention.relation is not None and mention.relation.is_named):
        return []
    kind = Mention(Node(described if is_breed else mention.noun, lemma=mention.noun, pos="NOUN"), mention.tokens)
    return write(scene, clause, "isA", kind, subject=mention, phrase="be", tense=Tense.PRESENT, period=(None, None))


def _number(scene: Scene, clause: Clause, node: int, owner: Mention) -> list[Fact]:
    tree = scene.tree
    words = [tree.low(child) for child in tree.children(node, "nummod")]
    if not relation_of(tree.lemma(node)) or not words or clause.polarity is Polarity.NEGATIVE:
        return []
    value = in_digits(words[0])
    if not value.isdigit():
        return []
    mention = Mention(Node(value, is_literal=True, pos="NUM"), (node,))
    predicate = number_of(tree.low(node))
    if tree.lemma(clause.head) == "have":
        return write(scene, clause, predicate, mention, phrase="have", subject=owner)
    return begin_state(scene, clause, predicate, mention, "have", subject=owner)


def read_loss(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read selling, losing, giving away: of what has an owner, an article or a name; of pets and jobs too."""
    tree, facts = scene.tree, []
    lemma = tree.lemma(clause.head)
    particles = {tree.low(node) for node in tree.children(clause.head, "compound:prt", "advmod", "xcomp")}
    if lemma in ("give", "put", "throw") and not particles & {"away", "down", "sleep", "out"}:
        return None
    for node in tree.children(clause.head, "obj"):
        if tree.lemma(node) in _SUBSCRIPTIONS:
            facts += _cancelled(scene, clause, node)
            continue
        if lemma == "cancel":
            for value in scene.mentions.read_all(node):
                facts += end_state(scene, clause, _CANCELLED, value, lemma)
            continue
        if tree.lemma(node) in JOBS:
            facts += end_state(scene, clause, "worksFor", ANY, "lose") + end_state(
                scene, clause, "worksAs", ANY, "lose"
            )
        elif scene.mentions.has_owner(node) or tree.pos(node) == "PROPN" or "the" in tree.words(node, "det"):
            for value in scene.mentions.read_all(node):
                if value.relation is not None:
                    facts += bereavement(scene, clause, value)
                elif value.noun not in _MISLAID or lemma != "lose":
                    facts += end_possession(scene, clause, value)
        elif tree.pos(node) == "PRON" and tree.low(node) in ("it", "them"):
            facts += _sold_it(scene, clause, node)
    return facts or (None if lemma in ("give", "put", "throw") else [])


_CANCELLED = one_of("memberOf", "attends", "uses", minted("subscribe to"), minted("take"))
_SUBSCRIPTIONS = frozenset({"membership", "subscription"})
_MISLAID = frozenset({"key", "wallet", "phone", "weight", "interest", "mind", "way", "temper", "glass", "passport"})


def _cancelled(scene: Scene, clause: Clause, node: int) -> list[Fact]:
    """Return the end of "my FitHaus membership", "my membership at FitHaus"."""
    named = scene.tree.children(node, "compound", "nmod")
    groups = [group for inner in named if inner != node for group in scene.mentions.read_all(inner) if group.is_proper]
    kinds = [inner for inner in named if scene.tree.pos(inner) == "NOUN"]
    groups = groups or [group for inner in kinds[:1] for group in scene.mentions.read_all(inner)]
    return [
        fact
        for group in groups
        for fact in [
            *(end_state(scene, clause, "memberOf", group, "cancel") if group.is_proper else []),
            *end_state(scene, clause, _CANCELLED, group, "cancel"),
        ]
    ]


def _sold_it(scene: Scene, clause: Clause, pronoun: int) -> list[Fact]:
    """Return the end of what was just said to be somebody's: "I had a boat, I sold it"."""
    subjects = {key_of(subject.node.label) for subject in clause.subjects}
    for fact in reversed(scene.earlier[-3:]):
        is_own = key_of(fact.subject.label) in subjects and fact.polarity is Polarity.POSITIVE
        if is_own and fact.predicate in ("owns", "drives", "rides"):
            return end_state(scene, clause, fact.predicate, Mention(fact.object, (pronoun,)), "sell")
    return []
