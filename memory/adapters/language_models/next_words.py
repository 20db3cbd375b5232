"""The probabilities of answers from those of the tokens that may come next (TG-DRG, equation 2)."""

import math
from collections.abc import Mapping, Sequence

from memory.core.errors import ModelRefused
from memory.core.types import AnswerChances, TokenUsage

# How tokenizers mark a space before a word, where they give their tokens as they are stored.
_SPACES = str.maketrans({"▁": " ", "Ġ": " "})


def word_of(token: str) -> str:
    """Return what word a token is, whatever its case and the space before it: " Yes" is "yes"."""
    return token.translate(_SPACES).strip().casefold()


def answer_chances(tokens: Sequence[tuple[str, float]], answers: Sequence[str], *, usage: TokenUsage) -> AnswerChances:
    """Return the chances of answers from the most probable next tokens with their natural logarithms."""
    chances = {token: math.exp(min(0.0, logarithm)) for token, logarithm in tokens}
    told = [
        min(1.0, sum(chance for token, chance in chances.items() if word_of(token) == word_of(answer)))
        for answer in answers
    ]
    untold = max(0.0, 1.0 - sum(chances.values()))
    return AnswerChances(tuple(told), untold, usage.prompt_tokens, usage.completion_tokens)


def answer_tokens(words: Mapping[str, Sequence[int]], answers: Sequence[str]) -> list[list[int]]:
    """Return the tokens that are a form of each answer, of the tokens of all words that are one token.

    Raises `ModelRefused` for an answer that is none of these.
    """
    found = [list(words.get(word_of(answer), ())) for answer in answers]
    missing = [answer for answer, tokens in zip(answers, found, strict=True) if not tokens]
    if missing:
        raise ModelRefused(
            f"The model has no token for {missing[0]!r}, so it cannot tell how probable that answer is. "
            "Choose another model."
        )
    return found
