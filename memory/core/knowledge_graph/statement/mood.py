"""Whether the main clause of a sentence asks or supposes, so that it asserts nothing."""

from __future__ import annotations

from memory.core.english.trees import Tree

_QUESTION_WORDS = frozenset({"what", "where", "when", "who", "whom", "whose", "which", "how", "why"})
_MODALS = frozenset({"would", "could", "might", "may", "should", "must", "'d", "shall"})
_GUESSES = frozenset("maybe perhaps possibly probably hopefully someday nearly almost practically".split())
_CONDITIONS = frozenset({"if", "unless", "whether", "though", "like"})
_HOPES = frozenset("wish hope dream imagine pretend wonder doubt consider suppose".split())
_INTENDED = frozenset({"going", "supposed", "planning", "meant", "about", "hoping"})


def is_asked(tree: Tree, root: int) -> bool:
    """Return whether a main clause is inverted, begins with a question word or ends in a question mark."""
    subject = tree.child(root, "nsubj")
    before = [node for node in tree.children(root) if node < root]
    first = None if subject is None else min(tree.subtree(subject))
    is_inverted = first is not None and any(node == first - 1 and tree.is_dep(node, "aux", "cop") for node in before)
    asks_with = bool({tree.low(node) for node in before} & _QUESTION_WORDS)
    return is_inverted or asks_with or tree.text.rstrip(" \"'”)!").endswith("?")


def is_supposed(tree: Tree, root: int) -> bool:
    """Return whether a main clause is wished, guessed, intended or conditional: "I might", "almost", "I hope", "if"."""
    asides = [node for node in tree.children(root, "parataxis") if tree.child(node, "ccomp", "obj") is None]
    if any(tree.lemma(node) in _HOPES and "i" in tree.words(node, "nsubj") for node in asides):
        return True
    auxiliaries = tree.words(root, "aux", "cop")
    is_had = auxiliaries & _MODALS == {"'d"} and tree.tag(root) == "VBN"
    if auxiliaries & _MODALS and not is_had or tree.words(root, "advmod") & _GUESSES:
        return True
    conditions = {word for clause in tree.children(root, "advcl") for word in tree.words(clause, "mark")}
    if auxiliaries & {"will", "'ll"} and conditions & {"if", "unless"}:
        return True
    is_intended = tree.low(root) in _INTENDED and tree.child(root, "xcomp") is not None
    return bool(tree.words(root, "mark") & _CONDITIONS) or bool(auxiliaries & {"was", "were"}) and is_intended
