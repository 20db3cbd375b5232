"""Distils rounds into statements by rules (D-SMART, Structured Statement Generation): the built-in engine's share.

Departures from the paper:
- Nothing is paraphrased. Assertions keep their words, but for the speaker's name in the place of "I" and "my"; a question
  and its answer become one sentence only where the question's form leaves no doubt how.
- A sentence that cannot stand alone is left out: one about "we", or about an "it" that the question does not explain.
- Of a long reply only the sentences that answer the question are kept, where the paper's model sums it up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.core.english.claims import bare_claim, is_courtesy
from memory.core.english.spelling import plain_words
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.extraction.gate import is_speech, own_words
from memory.core.knowledge_graph.statement.answers import answer_as_assertion, own_answer_as_assertion
from memory.core.knowledge_graph.statement.mood import is_asked, is_supposed
from memory.core.knowledge_graph.statement.speech_acts import (
    asserts_of_the_world,
    commissions_writing,
)
from memory.core.knowledge_graph.statement.third_person import told_of
from memory.core.knowledge_graph.stems import content_stems
from memory.core.knowledge_graph.verbalisation import finished
from memory.core.ports import SyntacticParser
from memory.core.types import DialogueRound, ParsedSentence, Role, Statement

_OTHERS = re.compile(r"\b(?:we|us|our|ours|ourselves|you|your|yours|yourself|u|ur)\b", re.IGNORECASE)
_LEANS_ON_ANOTHER = re.compile(
    r"^\W*(?:it|its|they|their|he|his|she|her|this|that|these|those|here|there|another|both|such|also|however|"
    r"therefore|then|instead|for example|for instance|in addition|so|but|and|or)\b",
    re.IGNORECASE,
)
_ENDS_IN_QUOTE = re.compile(r"[.!][\"'”’)]\s*$")
_PREDICATES = ("VERB", "AUX")


@dataclass(frozen=True)
class RuleBasedStatementConfig:
    """`answer_sentences` are kept of one reply: more would be a text, not a statement (our choice)."""

    answer_sentences: int = 4


@dataclass(frozen=True)
class _Candidate:
    place: int
    text: str


class RuleBasedStatementWriter:
    """A `StatementWriter` that needs a parser and no language model."""

    def __init__(
        self, *, parser: SyntacticParser, config: RuleBasedStatementConfig = RuleBasedStatementConfig()
    ) -> None:
        self._parser = parser
        self._config = config

    def write_many(self, rounds: Sequence[DialogueRound]) -> list[Statement]:
        """Return one statement a round, its sentences in the round's order."""
        candidates = [_candidates(one) for one in rounds]
        parses = iter(self._parser.parse_many([one.text for found in candidates for one in found]))
        return [
            self._statement(one, found, [next(parses) for _ in found])
            for one, found in zip(rounds, candidates, strict=True)
        ]

    def _statement(
        self, dialogue_round: DialogueRound, candidates: Sequence[_Candidate], parses: Sequence[ParsedSentence]
    ) -> Statement:
        told: dict[int, str] = {}
        for candidate, parsed in zip(candidates, parses, strict=True):
            sentence = _assertion(dialogue_round, candidate, parsed)
            if sentence:
                told[candidate.place] = sentence
        replies = {place: text for place, text in told.items() if _is_reply(dialogue_round, place)}
        for place in replies.keys() - self._answering(dialogue_round, replies):
            del told[place]
        return Statement(tuple(told.values()), tuple(told))

    def _answering(self, dialogue_round: DialogueRound, replies: dict[int, str]) -> set[int]:
        """Return the indices of the assistant's sentences that best answer what was asked."""
        scores = {place: len(_topic(dialogue_round, place) & content_stems(text)) for place, text in replies.items()}
        leads = {place for place in replies if question_before(dialogue_round, place)}
        fitting = [place for place, score in scores.items() if score or place in leads]
        return set(
            sorted(fitting, key=lambda place: (place not in leads, -scores[place], place))[
                : self._config.answer_sentences
            ]
        )


def _candidates(dialogue_round: DialogueRound) -> list[_Candidate]:
    """Return the sentences that may assert something, in plain words."""
    found = []
    own = own_words(dialogue_round.sentences)
    is_claimed = True
    for place, (said, is_own) in enumerate(zip(dialogue_round.sentences, own, strict=True)):
        if said.role is Role.USER:
            text = plain_words(" ".join(said.text.split())).text
            is_kept = is_own and not is_courtesy(text) and not _OTHERS.search(text)
            # A story, a translation or a summary of what was pasted claims nothing about the world.
            is_claimed = is_claimed and (is_own or not is_speech(text)) and not commissions_writing(text)
        else:
            text = bare_claim(" ".join(said.text.split()))
            is_kept = is_claimed and is_speech(text) and asserts_of_the_world(text)
        if is_kept and not text.rstrip(" \"'”’)!").endswith("?"):
            found.append(_Candidate(place, text))
    return found


def _assertion(dialogue_round: DialogueRound, candidate: _Candidate, parsed: ParsedSentence) -> str:
    """Return what a sentence asserts, as a sentence that can be read alone; "" where it asserts nothing."""
    said = dialogue_round.sentences[candidate.place]
    question = question_before(dialogue_round, candidate.place)
    merged = answer_as_assertion(question, candidate.text) if question else ""
    if not merged and question and said.role is Role.USER:
        merged = own_answer_as_assertion(question, candidate.text, name=said.speaker)
    if merged or not is_assertion(parsed):
        return merged
    told = told_of(parsed, said.speaker) if said.role is Role.USER else candidate.text
    if _LEANS_ON_ANOTHER.match(told):
        return ""
    return told[:1].upper() + told[1:] if _ENDS_IN_QUOTE.search(told) else finished(told)


def is_assertion(parsed: ParsedSentence) -> bool:
    """Return whether a sentence is a whole clause that asserts or reports, not a command, a fragment or a supposition."""
    tree = Tree(parsed)
    root = next((node for node in range(len(tree)) if tree.is_root(node)), None)
    if root is None or tree.child(root, "nsubj", "expl", "csubj") is None:
        return False
    is_finite = tree.pos(root) in _PREDICATES or tree.child(root, "cop", "aux") is not None
    return is_finite and not is_asked(tree, root) and not is_supposed(tree, root)


def _is_reply(dialogue_round: DialogueRound, place: int) -> bool:
    return dialogue_round.sentences[place].role is Role.ASSISTANT


def question_before(dialogue_round: DialogueRound, place: int) -> str:
    """Return the question right before a sentence if somebody else asked it, or the empty string."""
    if not place:
        return ""
    before, said = dialogue_round.sentences[place - 1], dialogue_round.sentences[place]
    is_other = (before.speaker, before.role) != (said.speaker, said.role)
    return before.text if is_other and before.text.rstrip(" \"'”’)!").endswith("?") else ""


def _topic(dialogue_round: DialogueRound, place: int) -> frozenset[str]:
    """Return the stems of the content words that the users said before a reply."""
    return frozenset().union(
        *(content_stems(said.text) for said in dialogue_round.sentences[:place] if said.role is Role.USER)
    )
