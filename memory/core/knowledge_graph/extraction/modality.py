"""Whether a clause asserts, denies, asks, supposes or reports, and of what time it speaks."""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.asking import is_asked
from memory.core.knowledge_graph.extraction.speech import governing_verb, has_said, speech_verb_below
from memory.core.knowledge_graph.extraction.supposing import is_supposed
from memory.core.knowledge_graph.extraction.trees import Tree
from memory.core.types import Modality, Polarity, Tense

_DENIALS = frozenset({"not", "n't", "never", "nt", "neither", "hardly", "nor"})
# The speaker's own "I think", "I told you" leave what follows asserted.
_OWN_ASSERTION = frozenset(
    "say tell mention think believe know guess feel mean realize remember forget swear note admit confirm "
    "report share add "
    "announce confess figure understand gather assure promise remind state reveal write warn bet reckon "
    "inform".split()
)
_UNTRUE = frozenset(
    {"lie", "myth", "untrue", "false", "wrong", "nonsense", "joke", "misunderstanding", "mistake", "fake"}
)
_TRUE = frozenset({"true", "case", "fact", "right", "correct", "truth"})


def modality_of(tree: Tree, clause: int) -> Modality:
    """Return how a clause is put, given everything above it in the tree."""
    if is_asked(tree, clause):
        return Modality.ASKED
    if is_supposed(tree, clause):
        return Modality.HYPOTHETICAL
    if _is_reported(tree, clause):
        return Modality.REPORTED
    if _is_disowned(tree, clause):
        return Modality.HYPOTHETICAL
    return Modality.ASSERTED


def polarity_of(tree: Tree, clause: int) -> Polarity:
    """Return whether a clause denies: not, never, no longer, not any more, "it's not true that"."""
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
    denials += _is_called_untrue(tree, clause)
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
    if lemmas & {"will", "gonna", "shall"} or "'ll" in words or _is_awaited(tree, clause):
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


def is_quoted(tree: Tree, clause: int) -> bool:
    """Return whether a clause stands between quotation marks that hold more than a title."""
    start = tree.tokens[clause].start
    for match in re.finditer(
        r"(?<!\d)[\"“«]([^\"”»]*)(?:[\"”»]|$)|(?<!\w)[‘'](?=[^'’]*\s)(?:[^'’]|['’](?=\w))*['’](?!\w)", tree.text
    ):
        if match.start() < start < match.end():
            return True
    return False


def _is_awaited(tree: Tree, clause: int) -> bool:
    """Return whether a clause of time waits for what is to come: "When I move to Rome, I will buy a car"."""
    if not tree.is_dep(clause, "advcl") or tree.tag(clause) not in ("VBP", "VBZ", "VB"):
        return False
    opens = tree.words(clause, "mark", "advmod") & {"when", "once", "until", "till", "before", "after", "as"}
    heads = [tree.head(clause)]
    while tree.is_dep(heads[-1], "xcomp"):
        heads.append(tree.head(heads[-1]))
    above = [node for head in heads for node in tree.children(head, "aux")]
    is_future = any(tree.low(node) in ("will", "'ll", "wo") for node in above) or any(
        tree.low(head) in ("going", "gonna") for head in heads
    )
    return bool(opens) and is_future


def _is_reported(tree: Tree, clause: int) -> bool:
    if is_quoted(tree, clause):
        return True
    verb = governing_verb(tree, clause)
    if verb is not None:
        return not (_speaks_for_self(tree, verb) or _is_thing_that_shows(tree, verb))
    below = speech_verb_below(tree, clause)
    return (
        below is not None
        and not _speaks_for_self(tree, below)
        or "according" in {tree.low(node) for node in tree.subtree(clause)}
    )


def _is_thing_that_shows(tree: Tree, verb: int) -> bool:
    """Return whether no person reports: "It reminded me why I love jazz" takes the loving for granted."""
    subject = tree.child(verb, "nsubj")
    return (
        tree.lemma(verb) in ("remind", "explain", "confirm")
        and subject is not None
        and tree.low(subject) in ("it", "this", "that", "which")
    )


def _is_disowned(tree: Tree, clause: int) -> bool:
    """Return whether the speaker only denies having said so: "I never said I live in Rome"."""
    verb = governing_verb(tree, clause)
    if verb is None or tree.lemma(verb) in (
        "think",
        "believe",
        "feel",
        "guess",
        "know",
        "remember",
        "forget",
        "realize",
    ):
        return False
    return bool({"not", "n't", "never"} & tree.words(verb, "advmod"))


def _is_called_untrue(tree: Tree, clause: int) -> bool:
    above = tree.head(clause)
    if above == clause or not tree.is_dep(clause, "ccomp", "csubj", "acl", "advcl"):
        return False
    is_denied = any(tree.lemma(node) == "not" or tree.low(node) in _DENIALS for node in tree.children(above, "advmod"))
    return tree.lemma(above) in _UNTRUE and not is_denied or tree.lemma(above) in _TRUE and is_denied


def _speaks_for_self(tree: Tree, verb: int) -> bool:
    """Return whether the speaker gives their own word: "I think", "I told you", "let me tell you"."""
    subject = has_said(tree, verb)
    if tree.lemma(verb) not in _OWN_ASSERTION or tree.child(verb, "nsubj:pass") is not None:
        return False
    if subject is None and tree.is_root(verb) and tree.lemma(verb) in ("note", "remember", "know", "remind"):
        # "Note that I live in Rome" tells the hearer.
        return True
    if subject is None:
        is_infinitive = tree.tag(verb) == "VB" and tree.is_dep(verb, "xcomp", "ccomp", "advcl", "acl")
        above = tree.head(verb)
        lets = tree.lemma(above) == "let" and bool(
            {"me", "us"} & {tree.low(n) for n in tree.children(above, "obj", "nsubj")}
        )
        return lets or is_infinitive and _is_own(tree, above)
    return tree.low(subject) in ("i", "we")


def _is_own(tree: Tree, node: int) -> bool:
    subject = tree.child(node, "nsubj")
    return subject is not None and tree.low(subject) in ("i", "we")
