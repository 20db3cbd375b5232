"""What is asked rather than said. A question teaches nothing, whatever it takes for granted.

A tag ("I live in Rome, don't I?", "right?") asks for a check of what is remembered, so it decides: nothing is learnt.
What only follows a statement ("I just moved to Rome, any tips?", "..., what about you?") leaves it one.
"""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.speech import has_said
from memory.core.knowledge_graph.extraction.trees import Tree

_OPENERS = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|hi|well|also|oh)\W+)*(?:what|where|when|who|whom|whose|which|how|"
    r"why|do|does|did|is|are|was|"
    r"were|can|could|will|would|should|have|has|am|may|shall|isn't|aren't|don't you|doesn't|didn't|won't|"
    r"any (?:idea|tips|"
    r"recommendations|suggestions|advice))\b",
    re.IGNORECASE,
)
_QUESTION_WORDS = frozenset({"what", "where", "when", "who", "whom", "whose", "which", "how", "why"})
_ENQUIRING = frozenset(
    {"tell", "remind", "explain", "ask", "guess", "know", "wonder", "remember", "recall", "show", "forget"}
)


def is_asked(tree: Tree, clause: int) -> bool:
    """Return whether a clause stands in a question, direct or after "tell me", "I wonder"."""
    own_words = [node for node in tree.children(clause) if node < clause and not tree.is_dep(node, "conj", "parataxis")]
    subject = tree.child(clause, "nsubj")
    is_relative = tree.dep(clause) in ("acl:relcl", "acl", "advcl")
    if _is_enquired(tree, clause, own_words):
        return True
    if subject is not None and not is_relative:
        before = [node for node in own_words if node < subject and tree.is_dep(node, "aux", "cop")]
        asks_with = {tree.low(node) for node in own_words if node < subject}
        if before or asks_with & _QUESTION_WORDS and tree.is_dep(clause, "root", "parataxis", "conj"):
            return True
    is_marked = tree.text.rstrip(" \"'”)!").endswith("?")
    if not is_marked:
        opener = _OPENERS.match(tree.text)
        if opener is None or not (tree.is_root(clause) or tree.is_dep(clause, "conj", "cop")) or subject == 0:
            return False
        # "When I lived in Paris, I worked for Renault": the question word must be the main clause's own.
        first = next(token.index for token in tree.tokens if token.end >= opener.end())
        return tree.head(first) == clause or first == clause or tree.is_dep(clause, "conj")
    # In "I live in Paris, can you recommend a bar?" only the last clause asks.
    later = [
        node
        for node in range(clause + 1, len(tree))
        if tree.is_dep(node, "parataxis", "conj", "root", "ccomp")
        and tree.pos(node) in ("VERB", "NOUN", "ADJ", "AUX", "PROPN")
    ]
    says_before = subject is not None and subject < clause and _OPENERS.match(tree.text) is None
    is_own = says_before or any(tree.low(node) in ("my", "our") for node in range(clause))
    return not (is_own and any(_inverts(tree, node) for node in later if node != clause))


def _is_enquired(tree: Tree, clause: int, own_words: list[int]) -> bool:
    """Return whether "tell me", "remind me", "I wonder" asks for the clause: "Remind me why I moved to Rome"."""
    if not any(tree.low(node) in _QUESTION_WORDS for node in own_words):
        return False
    if tree.is_dep(clause, "ccomp", "advcl", "xcomp", "acl") and tree.lemma(tree.head(clause)) in _ENQUIRING:
        verb = tree.head(clause)
        subject = has_said(tree, verb)
        if subject is None or tree.low(subject) in ("you", "who"):
            return True
        # "It reminded me why I love jazz" takes the loving for granted; only the speaker's own wondering asks.
        return tree.low(subject) in ("i", "we") and tree.lemma(verb) in ("wonder", "forget", "ask")
    return False


def _inverts(tree: Tree, clause: int) -> bool:
    subject = tree.child(clause, "nsubj")
    before = [node for node in tree.children(clause) if node < clause]
    if any(tree.low(node) in _QUESTION_WORDS for node in before):
        return True
    return subject is not None and any(node < subject and tree.is_dep(node, "aux", "cop") for node in before)
