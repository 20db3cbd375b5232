"""How near replies come to references by their words: BLEU-4, ROUGE-L, and the F1 of entities. All in [0, 1].

BLEU-4 (Papineni et al., 2002) is sacreBLEU's of a whole corpus with one reference each; ROUGE-L (Lin, 2004) is rouge-score's
F-measure of the longest common subsequence of a pair. The F1 of entities is Nan et al.'s (2021), by distinct entities.

How far a short reply agrees with an answer, as LoCoMo's authors score it (Maharana et al., 2024).

Words are compared by the stems of NLTK's Porter stemmer, without case, punctuation, articles and "and". What a question's
category changes: answers to multi-hop questions are lists, of which every part takes the best of the reply's; of answers to
open-domain questions the part before the semicolon counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import groupby
from statistics import fmean
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


MULTI_HOP = "multi-hop"
OPEN_DOMAIN = "open-domain"
PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")


def normalised(text: str) -> list[str]:
    """Return the words that count."""
    return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()


def token_f1(reply: str, answer: str) -> float:
    """Return the F1 of the stems that reply and answer share."""
    said, wanted = (Counter(map(stemmer().stem, normalised(text))) for text in (reply, answer))
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total()) if shared else 0.0


@cache
def stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


def list_f1(reply: str, answer: str) -> float:
    """Return the mean over the answer's parts of the best F1 with a part of the reply; commas part them."""
    said = reply.split(",")
    return fmean(max(token_f1(part, wanted) for part in said) for wanted in answer.split(","))


def answer_f1(reply: str, answer: str, *, category: str) -> float:
    """Return the F1 by which a reply to a question of LoCoMo's categories 1 to 4 is scored."""
    if category == MULTI_HOP:
        return list_f1(reply, answer)
    return token_f1(reply, counted_part(answer, category=category))


def is_exact(reply: str, answer: str, *, category: str) -> bool:
    """Return whether reply and answer have the same words, without their order."""
    return set(normalised(reply)) == set(normalised(counted_part(answer, category=category)))


def counted_part(answer: str, *, category: str) -> str:
    return answer.partition(";")[0] if category == OPEN_DOMAIN else answer
