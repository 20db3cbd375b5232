"""Reads the topics of a told fact: what its person does or likes, and the things that it names.

By rules over a dependency parse, to count what recurs (SGMem, Appendix B.5, leaves this to a model).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.core.english.inflection import base_form, third_person
from memory.core.english.times import MONTHS, WEEKDAYS
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.stems import content_stems, stem
from memory.core.knowledge_graph.verbalisation import with_article
from memory.core.ports import SyntacticParser
from memory.core.types import Topic, TopicKind

_LIKES = frozenset("love like enjoy adore prefer".split())
_LIKED_BY = frozenset("fan keen passionate fond hooked into crazy".split())
_EMPTY_VERBS = frozenset(
    stem(word)
    for word in "be have get do make take want feel see think say tell know start begin keep try need hope plan "
    "look come give "
    "let help find use put show seem become happen mean love like enjoy talk share realize remember learn spend "
    "continue".split()
)
_VAGUE = frozenset(
    stem(word.lower())
    for word in f"{' '.join((*MONTHS, *WEEKDAYS))} "
    "thing stuff lot bit time day week month year weekend morning evening night today way kind sort part piece life people "
    "person someone man woman guy place chance experience moment feeling love idea fact reason step process journey world "
    "others everyone everything something number point end side group event much more most one two three first last fan "
    "passion interest difference sense support help own change member need hour minute couple family friend kid child home "
    "house fam folk trip working being having mom mother dad father".split()
)
# "Mental health" and "live music" are topics of their own.
_NAMED_BY_KIND = frozenset("health music care language school game food sports science".split())
_MOTION = frozenset({"go", "travel", "walk", "drive", "fly", "return", "move"})


class RuleBasedTopicReader:
    """A `TopicReader` with a parser."""

    def __init__(self, *, parser: SyntacticParser) -> None:
        self._parser = parser

    def read_many(self, facts: Sequence[str]) -> list[list[Topic]]:
        return [
            list(_topics(Tree(parsed), fact))
            for parsed, fact in zip(self._parser.parse_many(facts), facts, strict=True)
        ]


def _topics(tree: Tree, fact: str) -> Iterator[Topic]:
    root = next((node for node in range(len(tree)) if tree.is_root(node)), None)
    subject = None if root is None else tree.child(root, "nsubj")
    person = "" if subject is None else _person(tree, subject)
    if root is None or not person:
        return
    seen: set[str] = set()
    is_plain = not tree.words(root, "advmod", "aux") & {"not", "n't", "never", "will", "would", "might", "could"}
    doing = _doing(tree, root) if is_plain and _is_name(tree, subject) else None
    if doing is not None:
        key, words = doing
        seen.add(key)
        yield Topic(person, key, words, TopicKind.DONE)
    liked = tree.lemma(root) in _LIKES or bool(_LIKED_BY & {tree.low(node) for node in (root, *tree.children(root))})
    names = content_stems(person)
    for node in range(len(tree)):
        if tree.pos(node) not in ("NOUN", "VERB") or tree.is_dep(node, "compound") or node == root:
            continue
        if tree.pos(node) == "VERB" and not (liked and tree.tag(node) == "VBG"):
            continue
        key = stem(tree.low(node))
        if key in seen or key in names or key in _VAGUE or key in _EMPTY_VERBS or not tree.low(node).isalpha():
            continue
        seen.add(key)
        yield Topic(person, key, _named(tree, node), TopicKind.LIKED if liked and is_plain else TopicKind.NAMED)


def _doing(tree: Tree, root: int) -> tuple[str, str] | None:
    """Return the activity that a verb and its object name: ("camp", "goes camping"), ("clarinet", "plays clarinet")."""
    verb = base_form(tree.low(root))
    if (
        tree.pos(root) != "VERB"
        or tree.child(root, "compound:prt") is not None
        or (stem(verb) in _EMPTY_VERBS and verb not in _MOTION)
    ):
        return None
    done = third_person(verb)
    for node in tree.children(root, "xcomp", "advcl", "obj", "dobj"):
        if verb in _MOTION and tree.tag(node) == "VBG":
            return stem(tree.low(node)), f"{done} {tree.low(node)}"
    if verb in _MOTION:
        for node in tree.children(root, "obl"):
            case = tree.child(node, "case")
            if case is not None and tree.low(case) == "to" and tree.pos(node) == "NOUN":
                return stem(tree.low(node)), f"{done} to {with_article(_named(tree, node))}"
        return None
    thing = tree.child(root, "obj")
    if thing is None or tree.pos(thing) != "NOUN" or stem(tree.low(thing)) in _VAGUE:
        return None
    named = _named(tree, thing)
    return stem(tree.low(thing)), f"{done} {with_article(named) if tree.child(thing, 'det') is not None else named}"


def _named(tree: Tree, node: int) -> str:
    """Return a noun with its compound nouns: "support group"."""
    relations = ("compound", "amod") if tree.low(node) in _NAMED_BY_KIND else ("compound",)
    parts = [child for child in tree.children(node, *relations) if child < node]
    return " ".join(tree.tokens[part].text for part in [*parts, node]) if parts else tree.low(node)


def _person(tree: Tree, subject: int) -> str:
    """Return the person of a subject: Melanie for "Melanie" and for "Melanie's kids"."""
    if _is_name(tree, subject):
        return tree.tokens[subject].text
    owner = next((node for node in tree.children(subject, "nmod", "nmod:poss") if tree.pos(node) == "PROPN"), None)
    return "" if owner is None else tree.tokens[owner].text


def _is_name(tree: Tree, node: int | None) -> bool:
    return node is not None and tree.pos(node) == "PROPN" and not tree.children(node, "conj")
