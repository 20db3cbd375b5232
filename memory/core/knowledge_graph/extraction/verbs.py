"""Facts of verbs: a chain of verbs, what somebody gave up, a change of state, or a phrase of the table."""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.activities import phrase_mention
from memory.core.knowledge_graph.extraction.changes import TENTATIVE
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.copulas import read_copula
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.verb_objects import FEELING, read_feeling, read_known
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import minted
from memory.core.knowledge_graph.replacement import one_of
from memory.core.types import Fact, Polarity, Tense

_CEASING = frozenset({"stop", "quit", "cease", "give"})


# What a thing that somebody gives up can have been to them.
GIVEN_UP = one_of(
    "owns", "memberOf", "uses", "plays", "drinks", "eats", "hasHobby", "studies", "learns", "attends", "hasHabit", "drives",
    "rides", "singsIn", "playsFor", "practices", "collects", minted("take"), minted("rent"), minted("grow"), minted("keep"),
)  # fmt: skip


_GOING_ON = frozenset({"start", "begin", "continue", "keep"})


_WISHING = {
    "want": "wants",
    "plan": "plansTo",
    "intend": "plansTo",
    "hope": "wants",
    "decide": "plansTo",
    "aim": "plansTo",
}


# A wish with one of these says little without the sentences around it.
_POINTING = frozenset({"which", "who", "that", "it", "this", "them", "you", "your", "their", "there"})


def read_verb(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the facts of a clause whose predicate is a verb, by the first rule that knows it."""
    read = (reader(scene, clause) for reader in scene.rules.verbs)
    return next((facts for facts in read if facts is not None), [])


def read_chain(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Return the facts behind "used to", "going to", "stopped", "started", "love", "want to"; None where no chain begins."""
    tree, head = scene.tree, clause.head
    lemma = tree.lemma(head)
    inner = [
        node
        for node in tree.children(head, "xcomp", "ccomp", "advcl")
        if tree.pos(node) in ("VERB", "NOUN", "ADJ", "AUX", "PROPN")
        and node > head
        and tree.child(node, "nsubj") is None
    ]
    if not inner and tree.low(head) == "used":
        inner = [
            node
            for node in tree.children(head, "obl", "obj")
            if tree.tag(node) == "VB" and "to" in tree.words(node, "mark")
        ]
    verb = inner[0] if inner else None
    is_habituated = tree.low(head) == "used" and tree.child(head, "aux:pass", "cop") is not None
    if is_habituated:
        return []
    if tree.low(head) == "used" and verb is not None and "to" in tree.words(verb, "mark"):
        past = clause.at(verb, tense=Tense.PAST, prefix="used to")
        return _read_any(scene, past)
    if verb is None or lemma == "get" and tree.low(verb) in ("married", "divorced", "engaged"):
        return None
    if (
        lemma in ("go", "gon")
        and tree.tag(head) == "VBG"
        and "to" in {*tree.words(verb, "mark"), tree.low(verb - 1), tree.low(head + 1)}
    ):
        return _read_any(scene, clause.at(verb, tense=Tense.FUTURE))
    if lemma == "get" and tree.tag(verb) == "VBN" and tree.low(verb) not in ("married", "divorced", "engaged"):
        return _read_any(scene, clause.at(verb, tense=Tense.FUTURE if clause.tense is Tense.FUTURE else Tense.PRESENT))
    if (
        lemma in _CEASING
        and tree.tag(verb) == "VBG"
        and clause.polarity is Polarity.POSITIVE
        and clause.tense is not Tense.FUTURE
    ):
        ended = clause.at(verb, tense=Tense.PRESENT, polarity=Polarity.NEGATIVE)
        return _read_any(scene, ended) or write(scene, ended, "hasHabit", phrase_mention(scene, verb), phrase=lemma)
    if lemma in _GOING_ON and tree.tag(verb) in ("VBG", "VB"):
        begun = clause.at(verb, tense=Tense.FUTURE if clause.tense is Tense.FUTURE else Tense.PRESENT)
        return read_known(scene, begun) or []
    if lemma in FEELING and tree.pos(verb) == "VERB":
        if any(tree.low(node) in ("would", "'d") for node in tree.children(head, "aux")):
            return []
        return [fact for value in _liked(scene, verb) for fact in read_feeling(scene, clause, value)]
    if lemma == "stand" and any(tree.lemma(node) == "can" for node in tree.children(head, "aux")):
        return read_feeling(scene, clause, phrase_mention(scene, verb))
    if lemma in _WISHING and "to" in tree.words(verb, "mark"):
        if tree.child(head, "obj", "iobj") is not None:
            # "I want you to call me chef" is no doing of the speaker's.
            return []
        if clause.tense is Tense.PAST and lemma not in ("decide", "plan"):
            return []
        return _wished(scene, clause, verb)
    if lemma in (
        "learn",
        "try",
        "manage",
        "get",
        "need",
        "have",
        "seem",
        "happen",
        "tend",
        "help",
        "let",
        "ask",
        "tell",
    ):
        return (
            [] if lemma != "learn" else write(scene, clause, "learns", phrase_mention(scene, verb), phrase="learn to")
        )
    return None


def _liked(scene: Scene, verb: int) -> list[Mention]:
    """Return the activities of "hiking, reading and long walks", whether the parse has them as verbs or as nouns."""
    tree, found = scene.tree, [phrase_mention(scene, verb)]
    for node in tree.children(verb, "conj"):
        if tree.child(node, "nsubj", "cop") is not None:
            continue
        if tree.pos(node) == "VERB" and tree.tag(node) == tree.tag(verb):
            found += _liked(scene, node)
        elif tree.pos(node) in ("NOUN", "PROPN"):
            found += scene.mentions.read_all(node)
    return found


def read_giving_up(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Return what "gave up coffee", "quit smoking" end: a habit by name, or whichever consumption or play was known."""
    tree, lemma = scene.tree, scene.tree.lemma(clause.head)
    is_giving_up = lemma == "give" and "up" in {tree.low(node) for node in tree.children(clause.head)}
    if (
        not is_giving_up
        and lemma not in ("quit", "stop", "drop", "abandon")
        or clause.polarity is Polarity.NEGATIVE
        or clause.tense is Tense.FUTURE
    ):
        return None
    facts = []
    ended = clause.at(clause.head, tense=Tense.PRESENT, polarity=Polarity.NEGATIVE)
    for node in tree.children(clause.head, "obj"):
        if tree.low(node) in ("it", "that", "them"):
            return _given_up_again(scene, ended, node) or None
        if tree.lemma(node) in ("job", "position", "role", "work") or tree.pos(node) == "PROPN":
            return None
        for value in scene.mentions.read_all(node):
            if tree.low(node).endswith("ing"):
                facts += write(scene, ended, "hasHabit", value, phrase="give up")
            else:
                for predicate in ("drinks", "eats", "plays"):
                    facts += write(scene, ended, predicate, value, phrase="give up", scale=TENTATIVE)
                facts += write(scene, ended, GIVEN_UP, value, phrase="give up")
    return facts or None


def _given_up_again(scene: Scene, ended: Clause, pronoun: int) -> list[Fact]:
    """Return the end of the habit or thing that was spoken of last: "I used to smoke. I gave it up in 2011."."""
    subjects = {key_of(subject.node.label) for subject in ended.subjects}
    names = {*GIVEN_UP.split("|"), "worksAs", "worksFor"}
    for fact in reversed(scene.earlier[-4:]):
        if fact.predicate in names and key_of(fact.subject.label) in subjects and fact.polarity is Polarity.POSITIVE:
            return write(scene, ended, fact.predicate, Mention(fact.object, (pronoun,)), phrase="give up")
    return []


def _read_any(scene: Scene, clause: Clause) -> list[Fact]:
    tree = scene.tree
    if tree.child(clause.head, "cop") is not None or tree.pos(clause.head) in ("ADJ", "NOUN", "PROPN"):
        return read_copula(scene, clause)
    facts = read_verb(scene, clause)
    for node in tree.children(clause.head, "conj"):
        if tree.pos(node) == "VERB" and tree.child(node, "nsubj") is None and tree.tag(node) == tree.tag(clause.head):
            facts += read_verb(scene, clause.at(node))
    return facts


def _wished(scene: Scene, clause: Clause, verb: int) -> list[Fact]:
    activity = phrase_mention(scene, verb)
    tree = scene.tree
    if (
        len(activity.tokens) < 2
        or tree.child(verb, "cop") is not None
        or any(tree.low(node) in _POINTING for node in activity.tokens)
    ):
        return []
    if tree.lemma(verb) in (
        "know",
        "say",
        "ask",
        "tell",
        "thank",
        "hear",
        "see",
        "share",
        "make",
        "be",
        "let",
        "get",
        "understand",
        "talk",
    ):
        return []
    label = tree.words_of(list(activity.tokens))
    value = replace(activity, node=replace(activity.node, label="to " + label, is_literal=True))
    predicate = _WISHING[tree.lemma(clause.head)]
    return write(scene, clause, predicate, value, phrase=tree.lemma(clause.head), scale=0.8, tense=Tense.PRESENT)
