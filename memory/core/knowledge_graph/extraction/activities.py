"""Activities as things: "playing the guitar" in "I love playing the guitar"."""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.clauses import Scene
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.types import Node


def phrase_mention(scene: Scene, verb: int) -> Mention:
    """Return an activity as a thing: "playing the guitar" in "I love playing the guitar"; "to cook" becomes "cooking"."""
    tree = scene.tree
    skipped = {
        node
        for child in tree.children(
            verb, "conj", "cc", "mark", "advcl", "punct", "advmod", "nsubj", "parataxis", "discourse"
        )
        for node in tree.subtree(child)
    }
    tokens = [node for node in tree.subtree(verb) if node not in skipped and node >= verb]
    timed = {token for time in scene.times for token in time.tokens}
    tokens = [node for node in tokens if node not in timed]
    while tokens and tree.pos(tokens[-1]) in ("ADP", "CCONJ", "PUNCT", "PART", "SCONJ", "DET"):
        tokens.pop()
    words = tree.words_of(tokens[:8] or [verb])
    label = gerund(tree.lemma(verb)) + words[len(tree.tokens[verb].text) :]
    return Mention(Node(label, lemma=tree.lemma(verb), pos="VERB"), tuple(tokens or [verb]), noun=tree.lemma(verb))


def gerund(lemma: str) -> str:
    """Return the -ing form of a verb by the spelling rules of English."""
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
        return lemma[:-1] + "ing"
    is_doubled = re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", lemma) is not None
    return lemma + (lemma[-1] if is_doubled else "") + "ing"
