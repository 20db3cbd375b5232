"""Whether a clause asserts, denies, asks, supposes or reports, and of what time it speaks."""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.trees import Tree
from memory.core.types import Modality, Polarity, Tense

_DENIALS = frozenset({"not", "n't", "never", "nt", "neither", "hardly", "nor"})
_SUPPOSING = frozenset({"would", "could", "might", "may", "should", "must", "'d", "shall", "ought"})
_SPEECH = frozenset(
    "say tell claim mention write report announce insist argue suggest explain reply answer shout text "
    "ask swear promise "
    "state declare hear read quote believe think guess assume suspect imagine suppose hope wish dream pretend wonder "
    "know doubt fear feel".split()
)
_SPEECH_NOUNS = frozenset({"rumor", "rumour", "news", "claim", "idea", "story", "joke", "line", "lyric", "lyrics"})
# The speaker's own "I think", "I told you" leave what follows asserted.
_OWN_ASSERTION = frozenset(
    "say tell mention think believe know guess feel mean realize remember forget swear note".split()
)
_OPENERS = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|hi|well|also|oh)\W+)*(?:what|where|when|who|whom|whose|which|how|"
    r"why|do|does|did|is|are|was|"
    r"were|can|could|will|would|should|have|has|am|may|shall|isn't|aren't|don't you|doesn't|didn't|won't|"
    r"any (?:idea|tips|"
    r"recommendations|suggestions|advice))\b",
    re.IGNORECASE,
)
_QUESTION_WORDS = frozenset({"what", "where", "when", "who", "whom", "whose", "which", "how", "why"})


def modality_of(tree: Tree, clause: int) -> Modality:
    """Return how a clause is put, given everything above it in the tree."""
    if _is_asked(tree, clause):
        return Modality.ASKED
    if _is_supposed(tree, clause):
        return Modality.HYPOTHETICAL
    if _is_reported(tree, clause):
        return Modality.REPORTED
    return Modality.ASSERTED


def polarity_of(tree: Tree, clause: int) -> Polarity:
    """Return whether a clause denies: not, never, no longer, not any more."""
    below = tree.children(clause)
    denials = sum(tree.low(node) in _DENIALS or tree.lemma(node) == "not" for node in below)
    # "not only" and "why not" deny nothing.
    denials -= sum(tree.low(node) == "only" and node > 0 and tree.low(node - 1) in ("not", "n't") for node in below)
    no_longer = any(
        tree.low(node) == "longer" and node > 0 and tree.low(node - 1) == "no" for node in tree.subtree(clause)
    )
    for determiner in (inner for node in tree.children(clause, "obj", "nsubj") for inner in tree.children(node, "det")):
        denials += tree.low(determiner) == "no" and not no_longer
    # "I don't think I like jazz" denies the liking.
    above = tree.head(clause)
    if tree.is_dep(clause, "ccomp") and tree.lemma(above) in ("think", "believe", "feel", "guess"):
        denials += any(tree.lemma(node) == "not" for node in tree.children(above, "advmod"))
    return Polarity.NEGATIVE if (denials > 0) is not no_longer else Polarity.POSITIVE


def is_ended(tree: Tree, clause: int) -> bool:
    """Return whether a denial says that it was so before: "no longer", "not any more"."""
    words = [tree.low(node) for node in tree.subtree(clause)]
    return any(word in ("longer", "anymore", "more") for word in words)


def tense_of(tree: Tree, clause: int) -> Tense:
    """Return the time that a clause speaks of. The present perfect is present: it tells what holds since."""
    auxiliaries = tree.children(clause, "aux", "cop")
    lemmas = {tree.lemma(node) for node in auxiliaries}
    words = {tree.low(node) for node in auxiliaries}
    if lemmas & {"will", "gonna", "shall"} or "'ll" in words:
        return Tense.FUTURE
    if tree.lemma(clause) in ("go", "gon") and tree.child(clause, "xcomp") is not None and tree.tag(clause) == "VBG":
        return Tense.FUTURE
    if words & {"was", "were", "did", "had", "wasn't", "weren't", "used"}:
        return Tense.PAST
    if auxiliaries and (lemmas & {"have", "be", "do", "can"} or words & {"am", "is", "are"}):
        return Tense.PRESENT
    return Tense.PAST if tree.tag(clause) in ("VBD", "VBN") else Tense.PRESENT


def is_perfect(tree: Tree, clause: int) -> bool:
    return any(tree.lemma(node) == "have" for node in tree.children(clause, "aux"))


def is_progressive(tree: Tree, clause: int) -> bool:
    return tree.tag(clause) == "VBG" and any(tree.lemma(node) == "be" for node in tree.children(clause, "aux"))


def _is_asked(tree: Tree, clause: int) -> bool:
    own_words = [node for node in tree.children(clause) if node < clause and not tree.is_dep(node, "conj", "parataxis")]
    subject = tree.child(clause, "nsubj")
    is_relative = tree.dep(clause) in ("acl:relcl", "acl", "advcl")
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
    says_before = subject is not None and subject < clause and tree.low(subject) in ("i", "we", "my", "it", "he", "she")
    is_own = says_before or any(tree.low(node) in ("my", "our") for node in range(clause))
    return not (is_own and any(_inverts(tree, node) for node in later if node != clause))


def _inverts(tree: Tree, clause: int) -> bool:
    subject = tree.child(clause, "nsubj")
    before = [node for node in tree.children(clause) if node < clause]
    if any(tree.low(node) in _QUESTION_WORDS for node in before):
        return True
    return subject is not None and any(node < subject and tree.is_dep(node, "aux", "cop") for node in before)


def _is_supposed(tree: Tree, clause: int) -> bool:
    for node in (clause, *tree.ancestors(clause)):
        words = {tree.low(child) for child in tree.children(node, "aux")}
        if words & _SUPPOSING and not _is_had(tree, node):
            return True
        if tree.words(node, "advmod") & {"maybe", "perhaps", "possibly"}:
            return True
        marks = tree.words(node, "mark")
        if marks & {"if", "unless", "whether", "lest"}:
            return True
        if any(tree.words(child, "mark") & {"if", "unless"} for child in tree.children(node, "advcl")):
            return True
        if tree.lemma(node) in (
            "wish",
            "hope",
            "dream",
            "imagine",
            "pretend",
            "wonder",
            "doubt",
            "consider",
            "suppose",
        ):
            return node != clause or tree.lemma(node) in ("wish", "imagine", "pretend", "wonder", "suppose", "doubt")
        if words & {"can"} and node != clause and tree.is_dep(clause, "ccomp", "xcomp"):
            return True
        if tree.is_dep(node, "root", "conj", "parataxis"):
            break
    return False


def _is_had(tree: Tree, clause: int) -> bool:
    """Return whether "'d" is a clipped "had": it is before a participle, and in "'d better" it advises."""
    words = {tree.low(child) for child in tree.children(clause, "aux")}
    return words & _SUPPOSING == {"'d"} and tree.tag(clause) == "VBN"


def _is_reported(tree: Tree, clause: int) -> bool:
    if _is_quoted(tree, clause):
        return True
    node = clause
    for above in tree.ancestors(clause):
        relation = tree.dep(node)
        if relation in ("ccomp", "xcomp", "acl", "parataxis", "csubj", "advcl") and tree.lemma(above) in _SPEECH:
            if not _speaks_for_self(tree, above):
                return True
        if relation in ("acl", "ccomp") and tree.lemma(above) in _SPEECH_NOUNS:
            return True
        node = above
    # "Tom is rich, she said": the verb of speech hangs below what it reports.
    return any(
        tree.lemma(child) in ("say", "claim", "tell", "write", "reply", "hear")
        and tree.child(child, "nsubj") is not None
        and not _speaks_for_self(tree, child)
        and tree.child(child, "obj", "ccomp", "obl") is None
        for child in tree.children(clause, "parataxis", "ccomp", "discourse")
    ) or "according" in {tree.low(node) for node in tree.subtree(clause)}


def _speaks_for_self(tree: Tree, verb: int) -> bool:
    subject = tree.child(verb, "nsubj")
    if subject is None and tree.is_dep(verb, "conj", "xcomp"):
        subject = tree.child(tree.head(verb), "nsubj")
    return subject is not None and tree.low(subject) == "i" and tree.lemma(verb) in _OWN_ASSERTION


def _is_quoted(tree: Tree, clause: int) -> bool:
    """Return whether a clause stands between quotation marks that hold more than a title."""
    start = tree.tokens[clause].start
    for match in re.finditer(r"[\"“«]([^\"”»]*)(?:[\"”»]|$)", tree.text):
        if match.start() < start < match.end():
            return True
    return False
