"""Whether a clause asserts, denies, asks, supposes or reports, and of what time it speaks.

How a fact is put that the message reader found, the reader judges; this is for what clauses alone tell.
"""

from __future__ import annotations

import re

from memory.core.english.trees import Tree
from memory.core.knowledge_graph.extraction.mentions import MANY
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.types import Modality, Polarity, Tense

# Whose word hearsay is where the sentence names nobody.
SOMEBODY = "somebody"
_DENIALS = frozenset({"not", "n't", "never", "nt", "neither", "nor", "hardly"})
_QUESTION_WORDS = frozenset({"what", "where", "when", "who", "whom", "whose", "which", "how", "why"})
_MODALS = frozenset({"would", "could", "might", "may", "should", "must", "'d", "shall"})
_GUESSES = frozenset("maybe perhaps possibly probably hopefully someday nearly almost practically".split())
_CONDITIONS = frozenset({"if", "unless", "whether", "though", "like"})
_ENQUIRING = frozenset({"remind", "tell", "wonder", "ask", "know"})
_UNREAL = frozenset("wish hope dream imagine pretend wonder doubt consider suppose".split())
_SAYING = frozenset(
    "say tell claim mention report announce insist explain reply text write hear read believe think assume swear".split()
)
_UNSURE = frozenset({"say", "tell", "claim", "mention", "sure", "certain"})
_POLITE = frozenset({"say", "tell", "mention", "admit", "add", "point"})
_TELLING = frozenset({"say", "tell", "mention", "announce", "write", "text", "report"})
_THIRD = frozenset({"he", "she", "they", "his", "her", "their"})
_HEARSAY = frozenset({"allegedly", "apparently", "reportedly", "supposedly"})
# Worlds in which a thing is so: "in an ideal world", "in another life".
_WORLDS = frozenset({"world", "life", "universe", "dream", "fantasy"})
_SOME = frozenset({"a", "an", "another", "some", "my"})
_INTENDED = frozenset({"going", "supposed", "planning", "meant", "about", "hoping"})


def modality_of(tree: Tree, clause: int) -> Modality:
    """Return how a clause is put, given everything above it in the tree."""
    if is_asked(tree, clause):
        return Modality.ASKED
    if is_supposed(tree, clause):
        return Modality.HYPOTHETICAL
    return Modality.REPORTED if is_quoted(tree, clause) or reporter_of(tree, clause) is not None else Modality.ASSERTED


def is_quoted(tree: Tree, clause: int) -> bool:
    """Return whether a clause stands between quotation marks that hold more than a title."""
    start = tree.tokens[clause].start
    quotes = re.finditer(r"(?<!\d)[\"“«]([^\"”»]*)(?:[\"”»]|$)", tree.text)
    return any(quote.start() < start < quote.end() for quote in quotes)


def is_asked(tree: Tree, clause: int) -> bool:
    """Return whether a clause stands in a question: inverted, after a question word, or before a question mark.

    What only precedes a question in its sentence is told: "I live in Paris, can you recommend a bar?".
    """
    subject = tree.child(clause, "nsubj")
    before = [node for node in tree.children(clause) if node < clause]
    asks_with = bool({tree.low(node) for node in before} & _QUESTION_WORDS)
    is_main = tree.is_dep(clause, "root", "parataxis", "conj", "ccomp") or tree.lemma(tree.head(clause)) in _ENQUIRING
    first = None if subject is None else min(tree.subtree(subject))
    is_inverted = first is not None and any(node == first - 1 and tree.is_dep(node, "aux", "cop") for node in before)
    if is_inverted or asks_with and is_main:
        return True
    later = [node for node in range(clause + 1, len(tree)) if tree.is_dep(node, "parataxis", "conj", "root", "ccomp")]
    return tree.text.rstrip(" \"'”)!").endswith("?") and not any(
        is_asked_itself(tree, node) or _is_asked_for(tree, node) for node in later
    )


def _is_asked_for(tree: Tree, node: int) -> bool:
    """Return whether a noun alone asks, after what is told: "I live in Paris, any tips?"."""
    is_alone = tree.dep(node) == "parataxis" and tree.child(node, "nsubj", "cop") is None
    return is_alone and tree.pos(node) == "NOUN"


def is_asked_itself(tree: Tree, clause: int) -> bool:
    """Return whether a clause is a question by its own words."""
    subject = tree.child(clause, "nsubj")
    before = [node for node in tree.children(clause) if node < (subject if subject is not None else clause)]
    return any(tree.low(node) in _QUESTION_WORDS or tree.is_dep(node, "aux", "cop") for node in before)


def is_supposed(tree: Tree, clause: int) -> bool:
    """Return whether a clause is wished, guessed, intended or conditional, given everything above it.

    What stands beside it counts as if it stood above: "Breakfast is in Paris, I hope".
    """
    if any(tree.lemma(node) in _UNREAL and "i" in tree.words(node, "nsubj") for node in _asides(tree, clause)):
        return True
    for node in (clause, *tree.ancestors(clause)):
        if is_unreal(tree, node) and (node == clause or tree.lemma(node) not in _POLITE):
            return True
        is_denied = bool(tree.words(node, "advmod") & {"not", "n't", "never"})
        if node != clause and (tree.lemma(node) in _UNREAL or is_denied and tree.lemma(node) in _UNSURE):
            return True
        is_past = tree.tag(node) == "VBD" or tree.low(tree.head(node)) == "used"
        if node != clause and tree.lemma(node) in ("think", "believe", "assume") and is_past:
            return True
        if (
            tree.is_dep(node, "root", "parataxis")
            or tree.is_dep(node, "conj")
            and tree.child(node, "nsubj") is not None
        ):
            break
    return False


def is_unreal(tree: Tree, node: int) -> bool:
    """Return whether a verb's own words say that it is not so: "might", "almost", "if", "was going to"."""
    auxiliaries = tree.words(node, "aux", "cop")
    is_had = auxiliaries & _MODALS == {"'d"} and tree.tag(node) == "VBN"
    if auxiliaries & _MODALS and not is_had or tree.words(node, "advmod") & _GUESSES:
        return True
    is_intended = tree.low(node) in _INTENDED and tree.child(node, "xcomp") is not None
    conditions = {word for clause in tree.children(node, "advcl") for word in tree.words(clause, "mark")}
    if auxiliaries & {"will", "'ll"} and conditions & {"if", "unless"}:
        return True
    if any(_is_elsewhere(tree, place) for place in (tree.head(node), *tree.children(node, "obl"))):
        return True
    return bool(tree.words(node, "mark") & _CONDITIONS) or bool(auxiliaries & {"was", "were"}) and is_intended


def _is_elsewhere(tree: Tree, place: int) -> bool:
    determiners = tree.words(place, "det", "nmod:poss")
    return tree.lemma(place) in _WORLDS and bool(determiners & _SOME) and "in" in tree.words(place, "case")


def reporter_of(tree: Tree, clause: int) -> int | None:
    """Return the noun for whose word a clause is, the clause itself where nobody is named, None where it is the speaker's.

    What somebody known tells of themself is believed: "my sister says she's moved".
    """
    place = next((node for node in range(len(tree)) if tree.low(node) == "according"), None)
    if place is not None:
        after = range(place + 1, len(tree))
        return next((node for node in after if tree.pos(node) in ("PROPN", "NOUN", "PRON")), clause)
    if tree.is_dep(clause, "conj", "advcl", "parataxis") and tree.words(clause, "cc", "advmod", "mark") & {"but", "so"}:
        return None
    own = tree.child(clause, "nsubj")
    is_own = own is not None and bool({tree.low(own), *tree.words(own, "nmod:poss")} & _THIRD)
    if tree.words(clause, "advmod") & _HEARSAY:
        return clause
    for verb in (*tree.ancestors(clause), *_asides(tree, clause)):
        above = (verb, *tree.ancestors(verb))
        subject = next((node for up in above if (node := tree.child(up, "nsubj")) is not None), None)
        # "Rumour has it that ..." tells as hearsay too.
        is_rumoured = tree.lemma(verb) == "have" and "it" in tree.words(verb, "obj", "expl")
        if tree.lemma(verb) not in _SAYING and not is_rumoured:
            continue
        if is_own and tree.lemma(verb) in _TELLING and subject is not None and _is_known(tree, subject):
            continue
        if subject is None and tree.tag(verb) in ("VB", "NN"):
            # "Mention that I started as a temp" asks for it to be told.
            continue
        if subject is None or tree.child(verb, "nsubj:pass") is not None:
            return clause
        if tree.low(subject) == "you" and tree.lemma(verb) not in _TELLING:
            continue
        if tree.low(subject) not in ("i", "we"):
            return subject
        if tree.lemma(verb) in ("hear", "read"):
            return clause
    return None


def _asides(tree: Tree, clause: int) -> list[int]:
    """Return the verbs that stand beside a clause and say nothing of their own: "..., Tom told me", "..., I hope"."""
    return [node for node in tree.children(clause, "parataxis") if tree.child(node, "ccomp", "obj") is None]


def _is_known(tree: Tree, reporter: int) -> bool:
    """Return whether a reporter is somebody in particular: "my sister" or "she", not "a friend" or a name."""
    relation = relation_of(tree.lemma(reporter))
    return tree.pos(reporter) == "PRON" or bool(relation) and relation not in MANY


def polarity_of(tree: Tree, clause: int) -> Polarity:
    """Return whether a clause denies: not, never, no longer, not any more."""
    below = tree.children(clause)
    denials = sum(tree.low(node) in _DENIALS or tree.lemma(node) == "not" for node in below)
    no_longer = any(
        tree.low(node) == "longer" and node > 0 and tree.low(node - 1) == "no" for node in tree.subtree(clause)
    )
    for node in tree.children(clause, "obj", "nsubj"):
        denials += "no" in tree.words(node, "det") and not no_longer
        denials += "neither" in tree.words(node, "cc", "det", "advmod")
    # "I don't think I like jazz" denies the liking.
    above = tree.head(clause)
    if tree.is_dep(clause, "ccomp", "csubj") and tree.lemma(above) in ("think", "believe", "feel", "guess", "true"):
        denials += any(tree.lemma(node) == "not" for node in tree.children(above, "advmod"))
    return Polarity.NEGATIVE if (denials > 0) is not no_longer else Polarity.POSITIVE


def tense_of(tree: Tree, clause: int) -> Tense:
    """Return the time that a clause speaks of. The present perfect is present: it tells what holds since."""
    auxiliaries = tree.children(clause, "aux", "cop")
    lemmas = {tree.lemma(node) for node in auxiliaries}
    words = {tree.low(node) for node in auxiliaries}
    # "When I move, I will buy a car": what comes first is as little there yet.
    above = tree.words(tree.head(clause), "aux") if tree.is_dep(clause, "advcl") and not auxiliaries else set()
    if lemmas & {"will", "gonna", "shall"} or "'ll" in words or above & {"will", "'ll"} and tree.tag(clause) != "VBD":
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
