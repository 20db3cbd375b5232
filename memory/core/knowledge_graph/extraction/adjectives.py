"""Facts of "X is <adjective>": attitudes, nationality, marital status, qualities."""

from __future__ import annotations

from memory.core.knowledge_graph.extraction.activities import phrase_mention
from memory.core.knowledge_graph.extraction.changes import TENTATIVE
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.people import Mention, name_case
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.vocabulary import (
    LANGUAGES,
    MARITAL,
    NATIONALITIES,
    TRANSIENT,
    WITHOUT_SPOUSE,
)
from memory.core.types import Fact, Node, Polarity, Tense

_ATTITUDES = {
    "fond": "likes",
    "keen": "likes",
    "crazy": "likes",
    "passionate": "likes",
    "afraid": "fears",
    "scared": "fears",
    "terrified": "fears",
    "allergic": "allergicTo",
    "intolerant": "allergicTo",
    "married": "spouse",
    "engaged": "hasFiance",
    "fluent": "speaks",
    "interested": "interestedIn",
    "obsessed": "likes",
    "addicted": "likes",
    "into": "likes",
    "based": "livesIn",
    "located": "locatedIn",
    "employed": "worksFor",
}


_PREPOSITIONS_OF = {
    "fond": "of",
    "keen": "on",
    "crazy": "about",
    "passionate": "about",
    "afraid": "of",
    "scared": "of",
    "terrified": "of",
    "allergic": "to",
    "intolerant": "to",
    "married": "to",
    "engaged": "to",
    "fluent": "in",
    "interested": "in",
    "obsessed": "with",
    "addicted": "to",
    "based": "in",
    "located": "in",
    "employed": "by",
}


def read_adjective(scene: Scene, clause: Clause, head: int) -> list[Fact]:
    tree = scene.tree
    word = tree.low(head)
    attitude = _ATTITUDES.get(word, "")
    targets = [
        node for node in tree.children(head, "obl", "nmod") if _PREPOSITIONS_OF.get(word) in tree.words(node, "case")
    ]
    facts: list[Fact] = []
    if attitude and targets:
        for target in targets:
            for value in scene.mentions.read_all(target):
                if attitude == "speaks" and key_of(value.node.label) not in LANGUAGES:
                    continue
                facts += relation_facts(scene, [value], modality=clause.modality)
                facts += write(scene, clause, attitude, value, phrase=f"be {word} {_PREPOSITIONS_OF[word]}")
        if word == "married":
            facts += _marital(scene, clause, head, word)
        return facts
    gerunds = tree.children(head, "advcl", "ccomp", "xcomp")
    if attitude == "fears" and gerunds:
        return write(scene, clause, "fears", phrase_mention(scene, gerunds[0]), phrase=f"be {word} of")
    if word == "tall":
        sizes = [node for node in tree.subtree(head) if tree.pos(node) in ("NUM", "NOUN") and node < head]
        size = Mention(Node(tree.words_of(sizes), is_literal=True), tuple(sizes))
        return (
            write(scene, clause, "height", size, phrase="be tall") if any(tree.pos(n) == "NUM" for n in sizes) else []
        )
    if word == "intolerant" and tree.pos(head - 1) in ("NOUN", "ADJ") and head > 1:
        cause = Mention(Node(tree.low(head - 1), lemma=tree.lemma(head - 1), pos="NOUN"), (head - 1, head))
        return write(scene, clause, "allergicTo", cause, phrase="be intolerant to")
    if word in MARITAL:
        return _marital(scene, clause, head, word)
    if word in NATIONALITIES:
        return write(
            scene,
            clause,
            "nationality",
            Mention(Node(name_case(tree.tokens[head].text), pos="ADJ"), (head,)),
            phrase="be",
        )
    if word in ("dead",):
        return write(scene, clause, "hasQuality", quality_mention(scene, head), phrase="be")
    # Of a bare name or a capitalised noun ("Life's unpredictable") a quality says too little to keep.
    is_person = all(s.node.is_speaker or s.relation or not s.is_proper for s in clause.subjects)
    if clause.tense is Tense.PAST and not clause.prefix:
        return []
    if word in TRANSIENT or not is_person or not word.isalpha() or len(word) < 4 or tree.tag(head) in ("JJR", "JJS"):
        return []
    if tree.children(head, "xcomp", "ccomp", "advcl", "obl", "csubj") or clause.tense is Tense.FUTURE:
        return []
    if word.endswith(("ed", "ing")) and word not in ("retired", "adopted"):
        return []
    return write(scene, clause, "hasQuality", quality_mention(scene, head), phrase="be", scale=0.8)


def quality_mention(scene: Scene, head: int) -> Mention:
    tree = scene.tree
    parts = [node for node in tree.children(head, "compound", "obl:npmod", "obl:unmarked") if node < head]
    hyphen = [node for node in tree.children(head, "punct") if tree.low(node) == "-"]
    tokens = sorted([*parts, *hyphen, head])
    return Mention(
        Node(tree.words_of(tokens).lower(), is_literal=True, lemma=tree.lemma(head), pos="ADJ"), tuple(tokens)
    )


def _marital(scene: Scene, clause: Clause, head: int, word: str) -> list[Fact]:
    status = Mention(Node(MARITAL[word], is_literal=True, pos="ADJ"), (head,))
    is_denied = clause.polarity is Polarity.NEGATIVE
    facts = write(scene, clause, "maritalStatus", status, phrase="be")
    ends = word in WITHOUT_SPOUSE if not is_denied else word == "married"
    if ends and clause.tense is Tense.PRESENT:
        facts += write(scene, clause, "spouse", ANY, polarity=Polarity.NEGATIVE, phrase=f"be {word}")
        if word == "single" and not is_denied:
            for relation in ("hasPartner", "hasGirlfriend", "hasBoyfriend"):
                facts += write(
                    scene, clause, relation, ANY, polarity=Polarity.NEGATIVE, phrase="be single", scale=TENTATIVE
                )
    return facts
