"""What is not said to be so: wishes, plans, guesses, conditions, near misses, what was once thought or intended.

"I'm moving to Rome next month" is no supposition but a fact of the future. A condition of politeness ("if "
"you're wondering,
I'm a nurse") and a modal of politeness ("I should mention that ...") leave what they introduce asserted.
"""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.speech import verb_before
from memory.core.knowledge_graph.extraction.trees import Tree

_MODALS = frozenset({"would", "could", "might", "may", "should", "must", "'d", "shall", "ought"})
_GUESSES = frozenset(
    {"maybe", "perhaps", "possibly", "probably", "someday", "hopefully", "hypothetically", "theoretically"}
)
_NEAR_MISSES = frozenset({"nearly", "almost", "practically", "virtually"})
_CONDITIONS = frozenset({"if", "unless", "whether", "lest", "provided", "assuming", "supposing"})
_WISHES = frozenset("wish hope dream imagine pretend wonder doubt consider suppose fantasize fantasise".split())
# These suppose their own clause too: "I pretend to be a doctor", "I suppose I like jazz".
_UNREAL = frozenset({"wish", "imagine", "pretend", "wonder", "suppose", "doubt"})
_UNSURE = frozenset(
    {"sure", "certain", "convinced", "positive", "unsure", "doubtful", "possible", "likely", "unlikely"}
)
_INTENDED = frozenset(
    {"going", "gonna", "about", "supposed", "planning", "meant", "intending", "hoping", "ready", "tempted"}
)
_ONCE_INTENDED = frozenset({"plan", "intend", "mean", "hope", "want", "expect"})
_OPINIONS = frozenset({"think", "believe", "assume", "guess", "suspect", "figure", "expect", "imagine", "feel"})
_POLITE_VERBS = frozenset(
    "say mention add admit note point confess tell share clarify specify stress emphasize".split()
)
_POLITE_CONDITION = re.compile(
    r"\b(?:if|in case) (?:you(?:'re| are)? (?:must know|wonder(?:ing)?|were wondering|curious|interested|ask(?:ing)?|"
    r"care|want to know|need to know|didn't know|did not know|don't know|do not know|don't mind|remember|recall)|"
    r"that helps|it helps|it matters|that matters|that's relevant|it's relevant|you must|"
    r"I(?:'m| am) (?:being )?(?:honest|not mistaken)|I may|I might add|"
    r"I remember (?:right|correctly|rightly)|anyone cares)\b",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(
    r"\b(?:one day|some day|someday|one of these days|eventually|in the future,? maybe)\b", re.IGNORECASE
)


def is_supposed(tree: Tree, clause: int) -> bool:
    """Return whether a clause is imagined, wished, guessed, intended or conditional, given everything above it."""
    if _is_near_miss(tree, clause) or _was_intended(tree, clause) or _was_once_thought(tree, clause):
        return True
    if _is_likened(tree, clause) or _is_left_open(tree, clause) or _is_purpose(tree, clause):
        return True
    for node in (clause, *tree.ancestors(clause)):
        words = {tree.low(child) for child in tree.children(node, "aux")}
        subject = tree.child(node, "nsubj")
        if node != clause and subject is not None and any(n < subject for n in tree.children(node, "aux")):
            # "Maya lives in Rome, should I visit her?": what is asked supposes nothing of what was said before.
            break
        is_polite = node != clause and _is_polite(tree, node)
        if words & _MODALS and not _is_had(tree, node) and not is_polite:
            return True
        if tree.words(node, "advmod", "discourse") & _GUESSES and not is_polite:
            return True
        if tree.words(node, "mark") & _CONDITIONS and not _POLITE_CONDITION.search(tree.text):
            return True
        if not _POLITE_CONDITION.search(tree.text) and any(
            tree.words(child, "mark") & {"if", "unless"} for child in tree.children(node, "advcl")
        ):
            return True
        if tree.lemma(node) in _WISHES or tree.low(node) in ("dreamt", "dreamed"):
            return node != clause and _is_within(tree, clause, node) or node == clause and tree.lemma(node) in _UNREAL
        if words & {"can"} and node != clause and tree.is_dep(clause, "ccomp", "xcomp") and not is_polite:
            return True
        if tree.is_dep(node, "root", "parataxis") or tree.is_dep(node, "conj") and not _shares_auxiliary(tree, node):
            break
    return False


def _shares_auxiliary(tree: Tree, node: int) -> bool:
    """Return whether a second verb leans on the first: "I'd live in Goa and own a yacht"."""
    has_own = tree.child(node, "nsubj", "aux", "cop") is not None
    return not has_own and tree.tag(node) not in ("VBD", "VBZ", "VBG")


def _is_within(tree: Tree, clause: int, verb: int) -> bool:
    """Return whether a clause belongs to what a verb wishes; what stands beside it after a comma does not."""
    node = clause
    while tree.head(node) != verb and not tree.is_root(node):
        node = tree.head(node)
    return not (tree.is_dep(node, "parataxis", "conj") and tree.child(verb, "ccomp", "xcomp", "obj") is not None)


def _is_had(tree: Tree, clause: int) -> bool:
    """Return whether "'d" is a clipped "had": it is before a participle, and in "'d better" it advises."""
    words = {tree.low(child) for child in tree.children(clause, "aux")}
    return words & _MODALS == {"'d"} and tree.tag(clause) == "VBN"


def _is_polite(tree: Tree, verb: int) -> bool:
    """Return whether "I should mention", "I'd say", "I can tell you" only introduces what is said."""
    subject = tree.child(verb, "nsubj")
    return tree.lemma(verb) in _POLITE_VERBS and (subject is None or tree.low(subject) in ("i", "we"))


def _is_near_miss(tree: Tree, clause: int) -> bool:
    """Return whether it nearly came about: "I almost moved". "Almost five years" measures and misses nothing."""
    first = min((node for node in tree.children(clause, "aux", "cop") if node < clause), default=clause)
    if tree.words(clause, "advmod") & _NEAR_MISSES:
        before = [node for node in tree.children(clause, "advmod") if tree.low(node) in _NEAR_MISSES]
        return any(
            node in (clause - 1, first - 1) or first < node < clause and tree.low(node + 1) != "never"
            for node in before
        )
    return False


def _was_intended(tree: Tree, clause: int) -> bool:
    """Return whether a past intention is told, which says that it came to nothing: "I was going to move"."""
    chain = [clause, *(node for node in (tree.head(clause),) if tree.is_dep(clause, "xcomp"))]
    for node in chain:
        past = {"was", "were", "wasn't", "weren't"} & tree.words(node, "aux", "cop", "aux:pass")
        if past and tree.low(node) in _INTENDED and _has_infinitive(tree, node, clause):
            return True
        is_past = tree.tag(node) in ("VBD", "VBN") or bool({"had", "did", "'d"} & tree.words(node, "aux"))
        if tree.lemma(node) in _ONCE_INTENDED and is_past and _has_infinitive(tree, node, clause):
            return not _is_still(tree, node)
    return False


def _is_still(tree: Tree, node: int) -> bool:
    return bool({"still", "always"} & tree.words(node, "advmod")) or any(
        tree.low(a) == "have" for a in tree.children(node, "aux")
    )


def _has_infinitive(tree: Tree, node: int, clause: int) -> bool:
    return node != clause or any(
        "to" in tree.words(child, "mark") for child in tree.children(node, "xcomp", "advcl", "ccomp")
    )


def _was_once_thought(tree: Tree, clause: int) -> bool:
    """Return whether the clause is what the speaker once took for true: "I thought I was allergic"."""
    verb = tree.head(clause) if tree.is_dep(clause, "ccomp") else verb_before(tree, clause)
    if verb is None or verb == clause or tree.lemma(verb) not in _OPINIONS:
        return False
    subject = tree.child(verb, "nsubj")
    is_past = tree.tag(verb) == "VBD" or "used" in {tree.low(node) for node in (tree.head(verb),)}
    is_own = subject is None and tree.is_dep(verb, "xcomp") or subject is not None and tree.low(subject) in ("i", "we")
    return is_past and is_own and tree.lemma(verb) != "feel"


def _is_likened(tree: Tree, clause: int) -> bool:
    """Return whether the clause is what something is like: "I feel like I live in Rome", "as if I worked for NASA"."""
    marks = tree.words(clause, "mark", "case")
    if not marks & {"like", "if", "though"}:
        return False
    mark = next(node for node in tree.children(clause, "mark", "case") if tree.low(node) in ("like", "if", "though"))
    before = tree.low(mark - 1) if mark else ""
    if tree.low(mark) == "like" and not tree.is_root(clause) and tree.child(clause, "nsubj") is not None:
        # "Explain it like I'm ten."
        return True
    is_seeming = tree.is_dep(clause, "advcl", "ccomp") and tree.lemma(tree.head(clause)) in (
        "feel",
        "seem",
        "look",
        "sound",
        "act",
        "be",
    )
    return before == "as" or tree.low(mark) == "like" and is_seeming


def _is_purpose(tree: Tree, clause: int) -> bool:
    """Return whether the clause is what something is for: "Make a plan so that I can visit Rome"."""
    subject = tree.child(clause, "nsubj")
    if subject is None or subject == 0 or not {"can", "will", "'ll"} & tree.words(clause, "aux"):
        return False
    before = [tree.low(node) for node in range(max(0, subject - 2), subject)]
    return before[-1] == "so" or before == ["so", "that"]


def _is_left_open(tree: Tree, clause: int) -> bool:
    """Return whether the speaker is not sure of it, or puts it off to some day."""
    above = tree.head(clause)
    if tree.is_dep(clause, "ccomp", "advcl") and tree.lemma(above) in _UNSURE:
        is_denied = bool({"not", "n't", "never"} & tree.words(above, "advmod"))
        return is_denied or tree.lemma(above) in ("unsure", "doubtful", "possible", "likely", "unlikely")
    is_future = bool({"will", "'ll"} & tree.words(clause, "aux")) or tree.low(clause) in ("going", "gonna")
    if is_future and _SOME_DAY.search(tree.text):
        return True
    verb = verb_before(tree, clause)
    return is_future and verb is not None and tree.lemma(verb) in ("guess", "think", "suppose", "believe", "hope")
