"""The verb whose complement a clause is, by the tree and, where that is broken, by the order of the words."""

from __future__ import annotations

from memory.core.knowledge_graph.extraction.trees import Tree

_COMPLEMENTS = ("ccomp", "xcomp", "acl", "csubj", "advcl", "obj")
_LINKS = frozenset({"that", "how"})
_ADDRESSEES = frozenset(
    "me us you him her them everyone everybody someone somebody people anyone friends family colleagues coworkers parents "
    "boss doctor class team".split()
)
SPEECH = frozenset(
    "say tell claim mention report announce insist argue suggest explain reply answer shout text message e-mail email inform "
    "write ask swear promise state declare hear read quote believe think guess assume suspect imagine suppose hope wish "
    "dream pretend wonder know doubt fear feel reveal confirm admit share complain joke lie boast brag note add allege "
    "convince reckon figure expect bet understand gather remind warn assure deny".split()
)
SPEECH_NOUNS = frozenset(
    "rumor rumour news claim idea story joke line lyric lyrics gossip word impression opinion suspicion belief theory".split()
)


def governing_verb(tree: Tree, clause: int) -> int | None:
    """Return the verb or noun of speech or thought that a clause hangs on, at whatever depth, or None."""
    node = clause
    for above in (*tree.ancestors(clause),):
        relation = tree.dep(node).split(":")[0]
        is_speech = (
            tree.lemma(above) in SPEECH
            and tree.pos(above) in ("VERB", "AUX")
            or relation in ("acl", "ccomp", "csubj")
            and tree.lemma(above) in SPEECH_NOUNS
        )
        if is_speech and relation in _COMPLEMENTS and tree.dep(node) != "acl:relcl":
            return above
        if is_speech and relation == "parataxis" and tree.child(above, "ccomp", "xcomp", "obj") is None:
            return above
        node = above
    return verb_before(tree, clause)


def verb_before(tree: Tree, clause: int) -> int | None:
    """Return the verb of speech right before a clause, with at most an addressee and "that" between."""
    subject = tree.child(clause, "nsubj")
    if subject is None or subject > clause or tree.is_dep(clause, "conj", "parataxis"):
        return None
    place = min(node for node in tree.subtree(subject)) - 1
    while place >= 0 and (tree.low(place) in _LINKS or tree.pos(place) == "ADV" and tree.low(place) not in SPEECH):
        place -= 1
    for width in range(4):
        at = place - width
        if at < 0:
            return None
        if tree.lemma(at) in SPEECH and tree.pos(at) in ("VERB", "AUX") and at != clause:
            return at
        is_addressee = (
            tree.low(at) in _ADDRESSEES if width == 0 else tree.pos(at) in ("DET", "PRON", "ADJ", "NOUN", "PROPN")
        )
        if not is_addressee and not (width == 0 and tree.pos(at) == "PROPN"):
            return None
    return None


def speech_verb_below(tree: Tree, clause: int) -> int | None:
    """Return the verb of "Tom is rich, she said", which hangs below what it reports."""
    for child in tree.children(clause, "parataxis", "ccomp", "discourse"):
        if (
            tree.lemma(child) in ("say", "claim", "tell", "write", "reply", "hear")
            and tree.child(child, "nsubj") is not None
        ):
            if tree.child(child, "obj", "ccomp", "obl") is None:
                return child
    return None


def has_said(tree: Tree, verb: int) -> int | None:
    """Return the subject of a verb of speech, its own or the one that it shares."""
    subject = tree.child(verb, "nsubj")
    node = verb
    while subject is None and tree.is_dep(node, "conj", "xcomp"):
        node = tree.head(node)
        subject = tree.child(node, "nsubj")
    return subject
