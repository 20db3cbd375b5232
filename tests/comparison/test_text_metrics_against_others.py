"""BLEU-4 and ROUGE-L against sacreBLEU and Google's rouge-score, on 1,000 random pairs."""

from __future__ import annotations

import random

import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer

from evaluation.core.text_metrics import bleu_4, rouge_l

WORDS = [
    *"the a of in Paris he was born 1894 and , . Dorothy Wall wrote wasn't it? U.S. 3.5 9-5 (no) €5 été &amp; -".split(),
    *("well-known", "...", '"so"'),
]


def pairs(count: int) -> list[tuple[str, str]]:
    chance = random.Random(16)
    found = []
    for _ in range(count):
        reference = [chance.choice(WORDS) for _ in range(chance.randrange(1, 25))]
        reply = [word for word in reference if chance.random() > 0.2]
        reply += [chance.choice(WORDS) for _ in range(chance.randrange(6))]
        found.append((" ".join(reply) or "x", " ".join(reference)))
    return found


def test_bleu_is_sacrebleus() -> None:
    found = pairs(1_000)
    for reply, reference in found:
        theirs = sacrebleu.corpus_bleu([reply], [[reference]]).score / 100
        assert bleu_4([reply], [reference]) == pytest.approx(theirs, abs=1e-6), (reply, reference)
    replies, references = ([pair[side] for pair in found] for side in (0, 1))
    assert bleu_4(replies, references) == pytest.approx(sacrebleu.corpus_bleu(replies, [references]).score / 100)


def test_rouge_l_is_rouge_scores() -> None:
    scorer = RougeScorer(["rougeL"])
    for reply, reference in pairs(1_000):
        assert rouge_l(reply, reference) == pytest.approx(scorer.score(reference, reply)["rougeL"].fmeasure, abs=1e-9)
