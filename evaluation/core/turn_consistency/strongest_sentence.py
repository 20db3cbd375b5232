"""The strongest sentence-to-sentence verdicts over the whole history: long dialogues lose nothing.

Each sentence of the reply that claims something is held against the sentences of the history that are nearest to it in
meaning. Of their verdicts the strongest is the sentence's: the most certain entailment or the most certain contradiction.
A sentence that surely contradicts the history decides for its turn; without one, the turn's probabilities are the mean over
its sentences. (Sentence pairs with the strongest verdict: SummaC-ZS, Laban et al., 2022, which takes entailment alone.)

Departures from the paper:
- D-SMART, "NLI-based Consistency Metrics", speaks of the history as a whole; see `whole_history` for that reading and
  docs/adr/0015 for why this one is offered beside it.
- What asserts nothing in particular (`particulars`), such as advice and general knowledge, is neither scored nor contradicts
  anything, and a question, or a sentence about something else, contradicts nothing: entailment models, which learnt from
  pairs about one scene, say contradiction of any two sentences that have nothing to do with each other. Their probability
  of a contradiction counts as neutral there.
- Two sentences contradict each other as far as they do in both directions (`turns.verdicts_on`).
- What does not hold any more by the graph of the memory (`WhatHolds`) is held against no reply, nor is what holds now against
  a claim in the past tense.
- Sentences are read in the words of the reply's speaker (`grammatical_person`), without list marks and the like.

Tells a statement about particular people and things from advice, headings and general knowledge, by its parse.

"Your appointment is at six", "It rains in Boston" and "You moved" say something that another sentence of the dialogue may
contradict. "You should rest", "Try a walk", "A comet is made of ice" and "Better sleep" say nothing of the world that the
dialogue is about: no person of the dialogue, no name and no number is in them, or nothing is asserted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np

from evaluation.core.turn_consistency.types import (
    NotScored,
    Pair,
    Passage,
    ScoredTurn,
    SentenceVectors,
    SpokenTurn,
    Unscored,
    WhatHolds,
    everything_holds,
    tells_what_is,
    tells_what_was,
    unscored,
)
from memory.core.english.claims import is_claim, is_premise, is_question, plain
from memory.core.english.grammatical_person import as_the_other_says
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import SyntacticParser
from memory.core.types import EntailmentVerdict, ParsedSentence, Token

_ADDRESSED = frozenset("i me my mine myself you your yours yourself we us our ours ourselves".split())
_ANYBODY = frozenset({"they", "this"})
_INDEFINITE = frozenset({"a", "an"})
_SUBJECTS = ("nsubj", "csubj", "expl")
# The modal verb that foretells; all others advise or suppose.
_FORETELLS = "will"


def is_particular(sentence: ParsedSentence) -> bool:
    """Return whether a sentence asserts something of the people, names or numbers of a dialogue."""
    root = next((token for token in sentence.tokens if token.head == token.index), None)
    if root is None:
        return False
    children = [token for token in sentence.tokens if token.head == root.index and token is not root]
    subject = next((token for token in children if token.dep.startswith(_SUBJECTS)), None)
    if _is_advice(root, children, subject) or _is_anybody(subject, sentence):
        return False
    is_clause = root.pos in ("VERB", "AUX") or any(token.dep == "cop" for token in children)
    is_named = is_clause and any(token.pos in ("PROPN", "NUM") for token in sentence.tokens)
    return is_named or any(token.text.lower() in _ADDRESSED for token in sentence.tokens)


def _is_advice(root: Token, children: list[Token], subject: Token | None) -> bool:
    """Return whether a clause is an imperative or has a modal verb."""
    is_imperative = root.pos == "VERB" and root.tag in ("VB", "VBP") and subject is None
    modals = [token for token in children if token.tag == "MD" and token.dep.startswith("aux")]
    return is_imperative or any(token.lemma.lower() != _FORETELLS for token in modals)


def _is_anybody(subject: Token | None, sentence: ParsedSentence) -> bool:
    """Return whether a subject is nobody and nothing in particular: "a comet", "they"."""
    if subject is None:
        return False
    determiners = {
        token.text.lower() for token in sentence.tokens if token.head == subject.index and token.dep == "det"
    }
    return subject.text.lower() in _ANYBODY or bool(determiners & _INDEFINITE)


NAME = "strongest_sentence"


@dataclass(frozen=True)
class StrongestSentenceConfig:
    """All are our choice (docs/adr/0015).

    `pairs` bounds what one turn costs: 16 keep twenty turns under five seconds at a hundred pairs a second. `claims` of a
    reply are read, those nearest to the history; `premises` are the most that one claim is held against. `considered`
    sentences of a history are compared by meaning: a longer one is first narrowed by words in common. A sentence of more
    than `sentence_words` is a text without stops, which no model was trained on. Sentences with a cosine under `related`
    speak of different things ("Songs are loud", "You live in Rome": 0.07; "I live in Porto", "You live in Rome": 0.36). A
    claim decides for its turn alone where its contradiction is more probable than `certain`. Among `nearest` premises of a
    claim those are looked for that still hold.
    """

    pairs: int = 16
    claims: int = 8
    premises: int = 5
    nearest: int = 20
    considered: int = 1_000
    sentence_words: int = 80
    related: float = 0.3
    certain: float = 0.7


@dataclass(frozen=True)
class Sentence:
    """A sentence as it is judged, and its place in the dialogue."""

    text: str
    at: Passage
    is_question: bool = False


class StrongestSentence:
    """Implements `Strategy`."""

    name = NAME

    def __init__(self, config: StrongestSentenceConfig = StrongestSentenceConfig()) -> None:
        self._config = config

    def pairs_of(
        self,
        reply: SpokenTurn,
        history: Sequence[SpokenTurn],
        *,
        vectors: SentenceVectors,
        parser: SyntacticParser,
        holding: WhatHolds = everything_holds,
    ) -> tuple[Pair, ...] | NotScored:
        """Return each claim with the premises nearest to it by cosine, nearest first."""
        refused = unscored(reply, history)
        if refused is not None:
            return refused
        claims = claims_of(reply, self._config, parser)
        if isinstance(claims, NotScored):
            return claims
        premises = shortlisted(claims, premises_of(reply, history, self._config), self._config.considered)
        if not premises:
            return NotScored(Unscored.NO_HISTORY, "Nothing but courtesies was said before this turn.")
        near = as_it_holds(tuple(self._nearest(claims, premises, vectors)), holding, parser)
        return with_particular_premises(self._weighable(near), parser)

    def _nearest(
        self, claims: Sequence[Sentence], premises: Sequence[Sentence], vectors: SentenceVectors
    ) -> Iterator[Pair]:
        similarity = vectors([claim.at for claim in claims]) @ vectors([premise.at for premise in premises]).T
        for row in np.sort(np.argsort(-similarity.max(axis=1), kind="stable")[: self._config.claims]):
            claim = claims[row]
            # Of equally near sentences the later one: what was said last holds.
            order = len(premises) - 1 - np.argsort(-similarity[row][::-1], kind="stable")
            for place in order[: self._config.nearest]:
                premise = premises[place]
                yield Pair(
                    premise.text,
                    claim.text,
                    premise_at=premise.at,
                    hypothesis_at=claim.at,
                    may_contradict=bool(similarity[row, place] >= self._config.related) and not premise.is_question,
                )

    def _weighable(self, pairs: Sequence[Pair]) -> tuple[Pair, ...]:
        """Return the first pairs of each claim that can tell for or against it, or one that cannot where none can."""
        by_claim = [list(group) for _, group in groupby(pairs, key=lambda pair: pair.hypothesis_at)]
        each = min(self._config.premises, max(1, self._config.pairs // len(by_claim)))
        return tuple(pair for group in by_claim for pair in [one for one in group if one.may_tell][:each] or group[:1])

    def verdict_of(self, pairs: Sequence[Pair], verdicts: Sequence[EntailmentVerdict]) -> ScoredTurn:
        judged = [Judged(pair, weighed(pair, verdict)) for pair, verdict in zip(pairs, verdicts, strict=True)]
        strongest = [
            max(group, key=lambda one: (stance(one.verdict), one.pair.may_contradict))
            for _, group in groupby(judged, key=lambda one: one.pair.hypothesis_at)
        ]
        worst = max(strongest, key=lambda one: one.verdict.contradiction)
        if worst.verdict.contradiction > self._config.certain:
            return ScoredTurn(worst.verdict, worst.pair.premise_at, worst.pair.hypothesis_at)
        verdict = mean_verdict([one.verdict for one in strongest])
        nearest = max(strongest, key=lambda one: float(getattr(one.verdict, verdict.label.value)))
        return ScoredTurn(verdict, nearest.pair.premise_at, nearest.pair.hypothesis_at)


@dataclass(frozen=True)
class Judged:
    pair: Pair
    verdict: EntailmentVerdict


def claims_of(
    reply: SpokenTurn, config: StrongestSentenceConfig, parser: SyntacticParser
) -> list[Sentence] | NotScored:
    said = [
        Sentence(plain(sentence.text), Passage(reply.key, sentence.span))
        for sentence in reply.sentences
        if is_claim(sentence.text)
    ]
    short = [claim for claim in said if len(claim.text.split()) <= config.sentence_words]
    parses = parser.parse_many([claim.text for claim in short])
    claims = [claim for claim, parse in zip(short, parses, strict=True) if is_particular(parse)]
    if not said or (short and not claims):
        return NotScored(
            Unscored.NO_CLAIM,
            "It says nothing of its own that could agree or disagree: it asks, greets, advises, explains or takes note.",
        )
    if not short:
        return NotScored(Unscored.TOO_LONG, f"No sentence of this turn has at most {config.sentence_words} words.")
    return claims


def as_it_holds(pairs: Sequence[Pair], holding: WhatHolds, parser: SyntacticParser) -> tuple[Pair, ...]:
    """Return the pairs with premises as they still hold. What does not hold any more supports only claims of what was."""
    left = holding(list(dict.fromkeys(pair.premise_at for pair in pairs if pair.premise_at is not None)))
    over = [pair for pair in pairs if pair.premise_at in left]
    parses = parsed_by_text([pair.hypothesis for pair in over], parser)
    now = {
        pair: replace(pair, premise=left[pair.premise_at])
        if pair.premise_at is not None and left[pair.premise_at]
        else replace(pair, may_contradict=False, may_support=tells_what_was(parses[pair.hypothesis]))
        for pair in over
    }
    return tuple(now.get(pair, pair) for pair in pairs)


def with_particular_premises(pairs: Sequence[Pair], parser: SyntacticParser) -> tuple[Pair, ...]:
    """Return the pairs; what asserts nothing in particular, such as advice or a heading, contradicts nothing.

    Nor does what is, where the claim tells what was.
    """
    parses = parsed_by_text([text for pair in pairs for text in (pair.premise, pair.hypothesis)], parser)

    def may_contradict(pair: Pair) -> bool:
        premise, claim = parses[pair.premise], parses[pair.hypothesis]
        return is_particular(premise) and not (tells_what_was(claim) and tells_what_is(premise))

    return tuple(replace(pair, may_contradict=pair.may_contradict and may_contradict(pair)) for pair in pairs)


def parsed_by_text(texts: Sequence[str], parser: SyntacticParser) -> dict[str, ParsedSentence]:
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, parser.parse_many(distinct), strict=True))


def premises_of(reply: SpokenTurn, history: Sequence[SpokenTurn], config: StrongestSentenceConfig) -> list[Sentence]:
    """Return the sentences before the reply that can support or contradict it, in the words of its speaker."""
    return [
        Sentence(
            plain(sentence.text) if turn.speaker == reply.speaker else as_the_other_says(plain(sentence.text)),
            Passage(turn.key, sentence.span),
            is_question(sentence.text),
        )
        for turn in history
        for sentence in turn.sentences
        if is_premise(sentence.text) and len(sentence.text.split()) <= config.sentence_words
    ]


def shortlisted(claims: Sequence[Sentence], premises: Sequence[Sentence], limit: int) -> list[Sentence]:
    """Return at most `limit` premises in order: those that share the most words with a claim, the latest first."""
    if len(premises) <= limit:
        return list(premises)
    asked = [content_stems(claim.text) for claim in claims]
    stems = [content_stems(premise.text) for premise in premises]
    shared = [(max(len(words & own) for words in asked), place) for place, own in enumerate(stems)]
    return [premises[place] for place in sorted(map(itemgetter(1), sorted(shared, reverse=True)[:limit]))]


def weighed(pair: Pair, verdict: EntailmentVerdict) -> EntailmentVerdict:
    """Return a verdict, its contradiction or entailment counted as neutral where the pair cannot contradict or support."""
    return verdict.at_most(entailment=float(pair.may_support), contradiction=float(pair.may_contradict))


def stance(verdict: EntailmentVerdict) -> float:
    """Return the larger of the probabilities of entailment and contradiction."""
    return max(verdict.entailment, verdict.contradiction)


def mean_verdict(verdicts: Sequence[EntailmentVerdict]) -> EntailmentVerdict:
    count = len(verdicts)
    return EntailmentVerdict(
        entailment=sum(one.entailment for one in verdicts) / count,
        neutral=sum(one.neutral for one in verdicts) / count,
        contradiction=sum(one.contradiction for one in verdicts) / count,
    )
