"""How far a short reply agrees with an answer, as LoCoMo's authors score it (Maharana et al., 2024).

Words are compared by the stems of NLTK's Porter stemmer, without case, punctuation, articles and "and". What a question's
category changes: answers to multi-hop questions are lists, of which every part takes the best of the reply's; of answers to
open-domain questions the part before the semicolon counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from functools import cache
from statistics import fmean
from typing import Any

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
