"""Atomic facts by the parse of a sentence: joined clauses, relative clauses and appositions become sentences of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.core.english.trees import Tree
from memory.core.grounded_generation.atomic_facts import AtomicFact
from memory.core.ports import SentenceSegmenter, SyntacticParser

SUBJECT = ("nsubj", "csubj", "expl")
AUXILIARY = ("aux", "cop")
# Clauses after these words are claimed beside the one that they belong to; what follows "if" or "until" is not.
CLAIMED_AFTER = frozenset({"although", "though", "because", "while", "whereas", "since"})
WHO = frozenset({"who", "which", "that"})
_NO_SPACE_BEFORE = frozenset(".,;:!?)]}%'’”") | {"n't", "'s", "’s", "n’t"}
_COMMAS = frozenset({",", "(", "—", "–", "-"})
_LINKS = ".,;:—–- "


@dataclass(frozen=True)
class ClauseFactSplitter:
    """Implements `FactSplitter` without a language model."""

    segmenter: SentenceSegmenter
    parser: SyntacticParser
    name: str = "clauses"

    def split_many(self, replies: Sequence[str]) -> list[list[AtomicFact]]:
        sentences = self.segmenter.segment_many(replies)
        parses = iter(self.parser.parse_many([one.text for found in sentences for one in found]))
        return [
            [AtomicFact(text, one.span) for one in found for text in claims_in(Tree(next(parses)))]
            for found in sentences
        ]


def claims_in(tree: Tree) -> list[str]:
    """Return the clauses of a sentence as sentences; the sentence itself where it has no verb, asks, or has one clause."""
    root = next((node for node in range(len(tree)) if tree.is_root(node)), None)
    if root is None or tree.text.rstrip().endswith("?") or not _has_subject(tree, root):
        return [tree.text]
    parts = [part for head in [root, *_claimed_beside(tree, root)] for part in _with_asides(tree, head)]
    return [_sentence(part) for part in parts] if len(parts) > 1 else [tree.text]


def _has_subject(tree: Tree, node: int) -> bool:
    return tree.child(node, *SUBJECT) is not None


def _is_verbal(tree: Tree, node: int) -> bool:
    return tree.pos(node) in ("VERB", "AUX") or tree.child(node, "cop") is not None


def _claimed_beside(tree: Tree, head: int) -> list[int]:
    """Return the heads of the clauses that are claimed beside one, in the order of the sentence."""
    found = []
    for child in tree.children(head):
        joined = tree.is_dep(child, "conj", "parataxis") and _is_verbal(tree, child)
        since = tree.is_dep(child, "advcl") and tree.words(child, "mark") & CLAIMED_AFTER and _has_subject(tree, child)
        if (joined and not tree.words(head, "cc") & {"or", "either"} and not _is_choice(tree, child)) or since:
            found += [child, *_claimed_beside(tree, child)]
    return sorted(found)


def _is_choice(tree: Tree, node: int) -> bool:
    return bool(tree.words(node, "cc") & {"or", "nor"})


def _with_asides(tree: Tree, head: int) -> Iterator[list[str]]:
    """Yield a clause without its asides as words, then each aside."""
    cut = set(_claimed_beside(tree, head))
    asides = [node for node in _within(tree, head, cut) if _is_aside(tree, node)]
    yield _clause(tree, head, cut)
    for node in asides:
        yield _aside(tree, node, is_past=_is_past(tree, head))


def _within(tree: Tree, node: int, cut: set[int]) -> list[int]:
    """Return a node and those below it without what hangs from the nodes of `cut`, in the order of the sentence."""
    found, waiting = [], [node]
    while waiting:
        current = waiting.pop()
        found.append(current)
        waiting += [child for child in tree.children(current) if child not in cut]
    return sorted(found)


def _is_aside(tree: Tree, node: int) -> bool:
    """Return whether a node heads a relative clause or an apposition between commas, which only adds to its noun."""
    first = _first_word(tree, node)
    if first == 0 or tree.low(first - 1) not in _COMMAS:
        return False
    if tree.is_dep(node, "appos"):
        return tree.child(node, "det", "nmod") is not None and tree.pos(node) in ("NOUN", "PROPN")
    return (
        tree.dep(node) == "acl:relcl"
        and tree.low(first) in WHO
        and tree.is_dep(first, "nsubj")
        and tree.head(first) == node
    )


def _first_word(tree: Tree, node: int) -> int:
    return next(each for each in tree.subtree(node) if tree.pos(each) != "PUNCT" or each == node)


def _clause(tree: Tree, head: int, cut: set[int]) -> list[str]:
    """Return the words of a clause, with subject and auxiliary of the clause that it is joined to where it lacks them."""
    gone = set(tree.children(head, "cc", "mark")) if tree.is_dep(head, "conj", "advcl") else set()
    nodes = _within(tree, head, cut | gone)
    owner = head
    while tree.is_dep(owner, "conj") and not _has_subject(tree, owner):
        owner = tree.head(owner)
    lent: list[int] = []
    if owner != head and _has_subject(tree, owner):
        lent = tree.children(owner, *SUBJECT)
        if tree.tag(head) in ("VB", "VBN", "VBG") and not tree.children(head, *AUXILIARY):
            lent += tree.children(owner, "aux")
    before = [node for each in sorted(lent) for node in tree.subtree(each)]
    return [tree.tokens[node].text for node in [*before, *nodes] if not _is_in_aside(tree, node)]


def _is_in_aside(tree: Tree, node: int) -> bool:
    """Return whether a node is of an aside, or one of the commas around it."""
    near = [node, node - 1, node + 1] if tree.low(node) in _COMMAS | {")"} else [node]
    inside = [each for each in near if 0 <= each < len(tree)]
    return any(_is_aside(tree, one) for each in inside for one in (each, *tree.ancestors(each)))


def _aside(tree: Tree, node: int, *, is_past: bool) -> list[str]:
    noun = tree.head(node)
    named = _within(tree, noun, {child for child in tree.children(noun) if _is_clausal(tree, child)})
    words = [tree.tokens[each].text for each in named]
    first = _first_word(tree, node)
    told = [tree.tokens[each].text for each in tree.subtree(node) if each >= first and tree.low(each) not in WHO]
    return [*words, *told] if tree.dep(node) == "acl:relcl" else [*words, "was" if is_past else "is", *told]


def _is_clausal(tree: Tree, node: int) -> bool:
    return tree.is_dep(node, "appos", "acl", "cop", "punct", "nsubj", "conj", "cc", "case", "parataxis")


def _is_past(tree: Tree, head: int) -> bool:
    return any(tree.tag(node) == "VBD" for node in (head, *tree.children(head, *AUXILIARY)))


def _sentence(words: Sequence[str]) -> str:
    text = ""
    for word in words:
        tied = not text or word in _NO_SPACE_BEFORE or text.endswith(("(", "“", "$", "£", "€")) or word.startswith("'")
        text += word if tied else f" {word}"
    while ", ," in text or ",," in text:
        text = text.replace(", ,", ",").replace(",,", ",")
    text = text.strip(_LINKS)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('!', '?', '”', ')')) else '.'}"
