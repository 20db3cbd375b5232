"""Whether a reply keeps a rule that was given for the whole conversation (MT-Eval, Kwan et al., 2024, global instructions).

The file names only the kinds of rules. Their wording, and what each is about, are ours: the latter is drawn
by the conversation's id, so that every run asks the same.

Departures from the benchmark:
- The language of replies is one whose script no other large language shares, so that the letters tell it.
- Words to include are of the file's other questions, not of a list.
"""

from __future__ import annotations

import json
import random
import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.core.folding import contains_words
from evaluation.core.tasks.types import Constraint

# The first word of the Unicode names of a language's letters.
SCRIPTS = {"Greek": "GREEK", "Hebrew": "HEBREW", "Thai": "THAI", "Korean": "HANGUL", "Georgian": "GEORGIAN"}
PHRASES = ("Any other questions?", "Is there anything else I can help with?")
OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
DIVIDER = "******"
BULLET = re.compile(r"^\s*(?:\*(?!\*)|-)\s*\S", re.MULTILINE)
PLACE = re.compile(r"\[[^\[\]]+\]")
SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")
FENCE = re.compile(r"\A```\w*\s*\n?(.*?)\s*```\Z", re.DOTALL)
MOST_WORDS = 200
ALL = "In this whole conversation, every reply must"


@dataclass(frozen=True)
class Rule:
    """A kind of rule: how it is told, what it can be about, and whether a reply that has words keeps it."""

    words: str
    keeps: Callable[..., bool]
    about: Callable[[random.Random, Sequence[str]], Sequence[str]] = lambda draw, words: ()


def starts_with_emoji(reply: str) -> bool:
    return unicodedata.category(reply[0]) == "So"


def is_in_language(reply: str, language: str) -> bool:
    letters = [letter for letter in reply if letter.isalpha()]
    own = sum(unicodedata.name(letter, "").startswith(SCRIPTS[language]) for letter in letters)
    return own * 2 > len(letters)


def is_json(reply: str) -> bool:
    fenced = FENCE.fullmatch(reply)
    try:
        json.loads(fenced[1] if fenced else reply)
    except (ValueError, RecursionError):
        return False
    return True


def has_bullets(reply: str, count: str) -> bool:
    return len(BULLET.findall(reply)) == int(count)


def has_fewer_words(reply: str, limit: str) -> bool:
    return len(re.findall(r"\w+", reply)) < int(limit)


def has_fewer_sentences(reply: str, limit: str) -> bool:
    ends = [end.end() for end in SENTENCE_END.finditer(reply)]
    has_open_end = bool(reply[ends[-1] if ends else 0 :].strip())
    return len(ends) + has_open_end < int(limit)


def has_two_responses(reply: str) -> bool:
    parts = [part.strip() for part in reply.removeprefix(DIVIDER).removesuffix(DIVIDER).split(DIVIDER)]
    return len(parts) == 2 and all(parts) and parts[0] != parts[1]


def whole(low: int, high: int) -> Callable[[random.Random, Sequence[str]], Sequence[str]]:
    return lambda draw, words: (str(draw.randint(low, high)),)


RULES: dict[str, Rule] = {
    "startend:start_char": Rule(
        "begin with the letter {0}.",
        lambda reply, letter: reply.casefold().startswith(letter),
        lambda draw, words: (draw.choice(string.ascii_lowercase),),
    ),
    "startend:start_emoji": Rule("begin with an emoji.", starts_with_emoji),
    "startend:end_phrase": Rule(
        "end with exactly these words, and nothing after them: {0}",
        lambda reply, phrase: reply.casefold().endswith(phrase.casefold()),
        lambda draw, words: (draw.choice(PHRASES),),
    ),
    "language:response_language": Rule(
        "be written in {0} only.", is_in_language, lambda draw, words: (draw.choice(list(SCRIPTS)),)
    ),
    "format:json_format": Rule("be JSON as a whole; a code fence around it is fine.", is_json),
    "format:bullet_list": Rule(
        "have exactly {0} bullet points, each on a line that begins with an asterisk.", has_bullets, whole(1, 4)
    ),
    "length_constraints:number_words": Rule("have fewer than {0} words.", has_fewer_words, whole(100, 200)),
    "length_constraints:number_sentences": Rule("have fewer than {0} sentences.", has_fewer_sentences, whole(3, 6)),
    "keywords:existence": Rule(
        "have the words {0} and {1}.",
        lambda reply, *words: all(contains_words(reply, word) for word in words),
        lambda draw, words: sorted(draw.sample(sorted(words), 2)),
    ),
    "change_case:capital_letter": Rule("be in capital letters only.", str.isupper),
    "change_case:lowercase": Rule("be in lower-case letters only.", str.islower),
    "punctuation:no_comma": Rule("have no comma.", lambda reply: "," not in reply),
    "combination:two_responses": Rule(
        f"be two different answers with six asterisks between them: {DIVIDER}", has_two_responses
    ),
    "content:placeholder": Rule(
        "have at least {0} places to fill in, in square brackets, such as [address].",
        lambda reply, least: len(PLACE.findall(reply)) >= int(least),
        whole(1, 2),
    ),
    "format:constrained_response": Rule(
        "be one of these: {0} {1} {2}",
        lambda reply, *options: reply in options,
        lambda draw, words: OPTIONS,
    ),
}


def constraint_of(kind: str, *, seed: str, words: Sequence[str]) -> Constraint:
    """Return a rule of a kind; the same seed gives the same. `words` are those that a reply may have to include."""
    return Constraint(kind, tuple(RULES[kind].about(random.Random(seed), words)))


def told(constraint: Constraint) -> str:
    """Return how a rule is told to the responder."""
    words = f"{ALL} {RULES[constraint.kind].words.format(*constraint.about)}"
    if constraint.kind == "length_constraints:number_words":
        return words
    return f"{words} Keep every reply under {MOST_WORDS} words."


def keeps(reply: str, constraint: Constraint) -> bool:
    """Return whether a reply keeps a rule. No words keep none."""
    said = reply.strip()
    return bool(said) and RULES[constraint.kind].keeps(said, *constraint.about)
