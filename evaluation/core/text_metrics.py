"""How near replies come to references by their words: BLEU-4, ROUGE-L, and the F1 of entities. All in [0, 1].

BLEU-4 (Papineni et al., 2002) is sacreBLEU's of a whole corpus with one reference each; ROUGE-L (Lin, 2004) is rouge-score's
F-measure of the longest common subsequence of a pair. The F1 of entities is Nan et al.'s (2021), by distinct entities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from memory.core.naming import key_of
from memory.core.types import ParsedSentence


def bleu_4(replies: Sequence[str], references: Sequence[str]) -> float:
    """Return the corpus BLEU of replies. Raises `ValueError` where there are none, or not as many references."""
    from sacrebleu import corpus_bleu

    if not replies or len(replies) != len(references):
        raise ValueError(f"BLEU needs as many replies as references, got {len(replies)} and {len(references)}")
    return float(corpus_bleu(replies, [references], force=True).score / 100)


def rouge_l(reply: str, reference: str) -> float:
    """Return the F-measure of the words, without case, that stand in both in one order."""
    return float(rouge_scorer().score(reference, reply)["rougeL"].fmeasure)


@cache
def rouge_scorer() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"])


def entities_in(sentence: ParsedSentence) -> Iterator[str]:
    """Yield what a sentence names: runs of proper nouns, and numbers, folded."""
    for is_named, run in groupby(sentence.tokens, key=lambda token: token.pos == "PROPN"):
        tokens = list(run)
        if is_named:
            yield key_of(sentence.text[tokens[0].start : tokens[-1].end])
        else:
            yield from (key_of(token.text) for token in tokens if token.pos == "NUM")


def entity_f1(said: Collection[str], wanted: Collection[str]) -> float | None:
    """Return the F1 of the distinct entities; None where the reference names none."""
    own, others = set(said), set(wanted)
    return 2 * len(own & others) / (len(own) + len(others)) if others else None
