"""Verification of facts by an entailment model: what a passage or a turn entails is true, what it contradicts is false.

Sentences are read two by two, as a second one often says "he" of the one named in the first; those nearest to the fact in
meaning are read. A contradiction counts as far as both texts contradict each other, and only of texts about one thing:
entailment models say contradiction of any two sentences that have nothing to do with each other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from memory.core.english.claims import is_claim, is_question, plain
from memory.core.english.grammatical_person import as_the_other_says
from memory.core.grounded_generation.verification import NOTHING_KNOWN, FactStatus, FactsToVerify, FactVerdict, Ground
from memory.core.ports import Embedder, EntailmentModel, SentenceSegmenter
from memory.core.types import EntailmentVerdict

# A sentence of more words is a text without stops, which no model was trained on.
LONGEST = 80


@dataclass(frozen=True)
class EntailedConfig:
    """Limits of the verifier.

    `premises` of the texts nearest to a fact are read. From the probability `certain` on, the same as for the claims of
    a turn, a fact is true or false; a premise with a cosine under `related` to it makes none false.
    """

    premises: int = 16
    certain: float = 0.7
    related: float = 0.6


@dataclass(frozen=True)
class Premise:
    text: str
    ground: Ground


@dataclass(frozen=True)
class EntailmentFactVerifier:
    """Implements `FactVerifier` without a language model."""

    model: EntailmentModel
    embedder: Embedder
    segmenter: SentenceSegmenter
    config: EntailedConfig = EntailedConfig()

    @property
    def name(self) -> str:
        return self.model.name

    def verify_many(self, replies: Sequence[FactsToVerify]) -> list[list[FactVerdict]]:
        near = [near for one in replies for near in self._near(one)]
        read = list(dict.fromkeys((premise.text, fact) for fact, found in near for premise, _ in found))
        both = [*read, *((fact, text) for text, fact in read)]
        verdicts = dict(zip(both, self.model.predict_many(both), strict=True))
        judged = iter(self._judged(fact, found, verdicts) for fact, found in near)
        return [[next(judged) for _ in one.facts] for one in replies]

    def _near(self, one: FactsToVerify) -> Iterator[tuple[str, list[tuple[Premise, float]]]]:
        """Yield each fact, without list marks and the like, with the premises nearest to it and their cosines."""
        premises = list(dict.fromkeys(self._premises(one)))
        facts = [plain(fact) if is_claim(fact) and len(fact.split()) <= LONGEST else "" for fact in one.facts]
        if not premises or not any(facts):
            yield from ((fact, []) for fact in facts)
            return
        vectors = self.embedder.embed([*(premise.text for premise in premises), *facts])
        cosines = vectors[len(premises) :] @ vectors[: len(premises)].T
        for fact, row in zip(facts, cosines, strict=True):
            order = np.argsort(-row, kind="stable")[: self.config.premises if fact else 0]
            yield fact, [(premises[place], float(row[place])) for place in order]

    def _premises(self, one: FactsToVerify) -> Iterator[Premise]:
        grounds = [*one.evidence, *one.dialogue]
        for ground, sentences in zip(
            grounds, self.segmenter.segment_many([each.text for each in grounds]), strict=True
        ):
            said = [plain(each.text) for each in sentences if not is_question(each.text)]
            texts = [text for text in said if 0 < len(text.split()) <= LONGEST]
            if ground.speaker and ground.speaker != one.speaker:
                texts = [as_the_other_says(text) for text in texts]
            about = f"{ground.title}: " if ground.title else ""
            for text in [*(f"{first} {second}" for first, second in pairwise(texts)), *texts[-1:]]:
                yield Premise(about + text, ground)

    def _judged(
        self,
        fact: str,
        near: Sequence[tuple[Premise, float]],
        verdicts: dict[tuple[str, str], EntailmentVerdict],
    ) -> FactVerdict:
        found = [NOTHING_KNOWN]
        for premise, cosine in near:
            told, back = verdicts[premise.text, fact], verdicts[fact, premise.text]
            contradiction = min(told.contradiction, back.contradiction)
            if told.entailment >= self.config.certain:
                found.append(FactVerdict(FactStatus.TRUE, premise.ground, told.entailment))
            elif cosine >= self.config.related and contradiction >= self.config.certain:
                found.append(FactVerdict(FactStatus.FALSE, premise.ground, contradiction))
        return max(found, key=lambda one: one.probability or 0.0)
