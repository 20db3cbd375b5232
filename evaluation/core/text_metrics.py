"""How near replies come to references by their words: BLEU-4, ROUGE-L, and the F1 of entities. All in [0, 1].

BLEU-4 (Papineni et al., 2002) is that of a whole corpus with one reference each, tokenised as for mteval-13a, with zero
counts smoothed as sacreBLEU does. ROUGE-L (Lin, 2004) is the F-measure of the longest common subsequence of a pair. The F1
of entities is Nan et al.'s (2021), by distinct entities.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from memory.core.naming import key_of
from memory.core.types import ParsedSentence

ORDERS = 4
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MARKS = re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])")
_STOP_AFTER_WORD = re.compile(r"([^0-9])([\.,])")
_STOP_BEFORE_WORD = re.compile(r"([\.,])([^0-9])")
_DASH_AFTER_NUMBER = re.compile(r"([0-9])(-)")
_WORD = re.compile(r"[a-z0-9]+")


def bleu_4(replies: Sequence[str], references: Sequence[str]) -> float:
    """Return the corpus BLEU of replies. Raises `ValueError` where there are none, or not as many references."""
    if not replies or len(replies) != len(references):
        raise ValueError(f"BLEU needs as many replies as references, got {len(replies)} and {len(references)}")
    matched, written = [0] * ORDERS, [0] * ORDERS
    lengths = [0, 0]
    for reply, reference in zip(replies, references, strict=True):
        said, wanted = tokens_13a(reply), tokens_13a(reference)
        lengths = [lengths[0] + len(said), lengths[1] + len(wanted)]
        for order in range(ORDERS):
            own, other = ngrams(said, order + 1), ngrams(wanted, order + 1)
            matched[order] += (own & other).total()
            written[order] += own.total()
    if not matched[0] or not all(written):
        return 0.0
    logarithms, smoothing = 0.0, 1
    for found, count in zip(matched, written, strict=True):
        smoothing *= 1 if found else 2
        logarithms += math.log(found / count if found else 1 / (smoothing * count))
    brevity = min(0.0, 1 - lengths[1] / lengths[0])
    return math.exp(brevity + logarithms / ORDERS)


def tokens_13a(text: str) -> list[str]:
    """Return the tokens of mteval-v13a."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for mark, meant in _ENTITIES:
        text = text.replace(mark, meant)
    text = _MARKS.sub(r" \1 ", f" {text} ")
    text = _STOP_BEFORE_WORD.sub(r" \1 \2", _STOP_AFTER_WORD.sub(r"\1 \2 ", text))
    return _DASH_AFTER_NUMBER.sub(r"\1 \2 ", text).split()


def ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def rouge_l(reply: str, reference: str) -> float:
    """Return the F-measure of the words, without case, that stand in both in one order."""
    said, wanted = _WORD.findall(reply.lower()), _WORD.findall(reference.lower())
    common = longest_common(said, wanted)
    return 2 * common / (len(said) + len(wanted)) if common else 0.0


def longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    lengths = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for place, other in enumerate(second, start=1):
            kept = lengths[place]
            lengths[place] = before + 1 if word == other else max(kept, lengths[place - 1])
            before = kept
    return lengths[-1]


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
