"""Whose word a clause is: the speaker's own, or what somebody said, wrote, thought or was heard to say.

What counts as evidence (D-SMART lets whatever a dialogue mentions into its graph; Figures 8 to 10 know one speaker only):
- A person's word about themself, given to the speaker and passed on, is believed: "My sister told me she's moved to Oslo".
  The reporter has to be somebody that the dialogue knows (a relation, a name that was introduced) or the news fresh
  ("Maya says she got a new job"), and the verb one of telling. What belongs to the reporter ("her dog") counts as theirs.
- Everything else keeps the modality "reported" and the reporter's name, and changes nothing that is believed: a word about
  a third person ("Tom says that Maya lives in Rome") or about the speaker ("my boss thinks I'm lazy"), whatever somebody
  claims, thinks or pretends, what strangers and nameless friends say, rumours, articles, horoscopes.
- "I think", "I told you", "let me tell you that", "I must admit": the speaker's own word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.knowledge_graph.extraction.frames import SOMEBODY
from memory.core.knowledge_graph.extraction.mentions import MANY, MentionReader
from memory.core.knowledge_graph.extraction.modality import is_quoted, modality_of
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.speech import governing_verb, has_said, speech_verb_below
from memory.core.knowledge_graph.extraction.trees import Tree
from memory.core.knowledge_graph.naming import key_of
from memory.core.types import Modality

_TELLING = frozenset(
    "say tell mention announce write text message call e-mail email note share reveal confirm admit inform explain report "
    "reply answer add state declare".split()
)
_HEARING = frozenset({"hear", "read", "see", "learn", "gather"})
_TO_THE_SPEAKER = frozenset({"me", "us"})


@dataclass(frozen=True)
class Putting:
    """How a clause is put, of whom, and the label of whose word it is where it is not the speaker's."""

    modality: Modality
    subjects: tuple[Mention, ...]
    attributed_to: str = ""


def putting_of(tree: Tree, mentions: MentionReader, clause: int, subjects: Sequence[Mention]) -> Putting:
    """Return how a clause about some subjects is put, with a person's word about themself taken for true."""
    modality = modality_of(tree, clause)
    if modality is not Modality.REPORTED:
        return Putting(modality, tuple(subjects))
    verb = governing_verb(tree, clause)
    if verb is None:
        verb = speech_verb_below(tree, clause)
    source = _source(tree, verb) if verb is not None else None
    mention = mentions.read(source) if source is not None else None
    about = _voiced(subjects, mention) if _is_direct(tree, verb, clause) else tuple(subjects)
    if verb is not None and mention is not None and about and _is_about(mention, about):
        if _is_trusted(tree, verb, mention, mentions, clause):
            return Putting(Modality.ASSERTED, about)
    return Putting(Modality.REPORTED, about, _label(tree, source, mention))


def _is_direct(tree: Tree, verb: int | None, clause: int) -> bool:
    """Return whether a clause is direct speech, in which "I" is whoever speaks there."""
    if is_quoted(tree, clause):
        return True
    return verb is not None and verb < clause and any(tree.low(node) == ":" for node in range(verb, clause))


def _voiced(subjects: Sequence[Mention], reporter: Mention | None) -> tuple[Mention, ...]:
    """Return the subjects of direct speech: "I" is the reporter, and nobody where the reporter has no name here."""
    found = [one if not one.node.is_speaker else reporter and replace(one, node=reporter.node) for one in subjects]
    return tuple(one for one in found if one is not None)


def _source(tree: Tree, verb: int) -> int | None:
    """Return the head of whoever is said to say, think or be heard."""
    subject = has_said(tree, verb)
    is_heard = tree.lemma(verb) in _HEARING
    is_passive = (
        tree.child(verb, "nsubj:pass") is not None
        or tree.tag(verb) == "VBN"
        and bool({"was", "were", "been", "am", "got"} & tree.words(verb, "aux"))
    )
    if is_heard or is_passive:
        lead = "by" if is_passive and not is_heard else "from"
        return next((node for node in tree.children(verb, "obl") if lead in tree.words(node, "case")), None)
    return subject


def _label(tree: Tree, source: int | None, mention: Mention | None) -> str:
    if source is None:
        return SOMEBODY
    if mention is not None and (mention.relation is not None or mention.is_proper or not mention.noun):
        return mention.node.label
    kept = [node for node in tree.subtree(source) if node <= source and not tree.is_dep(node, "punct", "cc", "mark")]
    return tree.words_of(kept).lower() if mention is None or not mention.is_proper else mention.node.label


def _is_trusted(tree: Tree, verb: int, reporter: Mention, mentions: MentionReader, clause: int) -> bool:
    """Return whether the reporter tells, is somebody in particular, and is known or brings news."""
    if tree.lemma(verb) not in _TELLING or {"not", "n't", "never"} & tree.words(verb, "advmod"):
        return False
    if {"would", "might", "could", "may", "'d"} & tree.words(verb, "aux") or tree.text.rstrip().endswith("?"):
        return False
    relation = reporter.relation
    if relation is not None:
        return relation.is_named or relation.predicate not in MANY
    is_pronoun = not reporter.noun and not reporter.is_proper
    if is_pronoun or mentions.knows(reporter.node.label):
        return True
    if not reporter.is_proper:
        return False
    return bool(_TO_THE_SPEAKER & tree.words(verb, "iobj", "obj", "obl")) or _is_news(tree, clause)


def _is_news(tree: Tree, clause: int) -> bool:
    """Return whether a clause tells a change rather than a state: "got", "has moved", "is moving", "will"."""
    auxiliaries = {tree.lemma(node) for node in tree.children(clause, "aux", "cop")}
    if auxiliaries & {"have", "will", "go"} or tree.tag(clause) in ("VBD", "VBG"):
        return True
    return tree.tag(clause) == "VBN" and bool(auxiliaries)


def _is_about(reporter: Mention, subjects: Sequence[Mention]) -> bool:
    """Return whether the reporter speaks of nobody but themself and what is theirs."""
    own = {key_of(name) for name in (reporter.node.label, *reporter.node.aliases)}
    return all(
        key_of(one.node.label) in own or one.relation is not None and key_of(one.relation.owner.label) in own
        for one in subjects
    )
