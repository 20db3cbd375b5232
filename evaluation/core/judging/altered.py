"""Replies whose right verdict is known, made by rule of a benchmark's gold answers: right ones, wrong ones and vague ones.

A judge that is worth its figures takes the right ones for right, and neither the others. What is wrong keeps the kind of the
answer, since a judge hardly mistakes a date for a name; what is vague speaks of the question without the answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from evaluation.core.dates import MONTHS, PartialDate, date_of
from evaluation.core.folding import fold
from evaluation.core.text_metrics import normalised
from memory.core.english.numbers import CARDINAL, number_of


class Sort(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    VAGUE = "vague"


class AnswerType(StrEnum):
    """What an answer looks like: a wrong one in its place looks alike."""

    YES_NO = "yes or no"
    TIME = "time"
    NUMBER = "number"
    LIST = "list"
    WORDS = "words"


@dataclass(frozen=True)
class GoldAnswer:
    """A question with its accepted answers; none where it cannot be answered. `key` names it within its case."""

    case: str
    key: str
    category: str
    question: str
    answers: tuple[str, ...]

    @cached_property
    def type(self) -> AnswerType:
        return type_of(self.answers[0]) if self.answers else asked_type(self.question)


@dataclass(frozen=True)
class AlteredReply:
    """A reply to a question, of which it is known whether it is right. `kind` says how it was made."""

    gold: GoldAnswer
    sort: Sort
    kind: str
    reply: str


YES_NO = re.compile(r"^(?:(?:most )?likely |probably )?(yes|no)\b", re.IGNORECASE)
MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
DIGITS = re.compile(r"\d+")
SPELLED = re.compile(rf"\b{CARDINAL}\b", re.IGNORECASE)
ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
# Words of a list's part and of an answer that an article fits: longer ones are clauses.
LONGEST_PART, LONGEST_NAME = 4, 3
BETWEEN = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
ASKING = frozenset(
    "what when where which who whom whose why how did do does is are was were has have had will would can could many much "
    "long often kind type of in on at for to from with about during it that this his her their your my be been".split()
)
KINDS_OF_THING = {
    AnswerType.YES_NO: "It depends on how one looks at it.",
    AnswerType.TIME: "That was a while ago.",
    AnswerType.NUMBER: "There were a few.",
    AnswerType.LIST: "Several things came up.",
    AnswerType.WORDS: "It was something that mattered a lot.",
}
REFUSALS = ("I don't know.", "That was never mentioned.", "I have no information about that.")

Draw = random.Random
# Returns a reply made of a gold answer and another answer of its kind ("" where there is none), or "" where it has none.
Make = Callable[[GoldAnswer, str, Draw], str]


def type_of(answer: str) -> AnswerType:
    if YES_NO.match(answer):
        return AnswerType.YES_NO
    if date_of(answer) or MONTH.search(answer) or YEAR.search(answer):
        return AnswerType.TIME
    if len(answer.split()) < 4 and (DIGITS.search(answer) or SPELLED.search(answer)):
        return AnswerType.NUMBER
    parts = parts_of(answer)
    is_list = len(parts) > 1 and all(len(part.split()) <= LONGEST_PART for part in parts)
    return AnswerType.LIST if is_list else AnswerType.WORDS


def asked_type(question: str) -> AnswerType:
    if re.match(r"\W*when\b", question, re.IGNORECASE):
        return AnswerType.TIME
    return AnswerType.NUMBER if re.search(r"\bhow (?:many|much|long)\b", question, re.IGNORECASE) else AnswerType.WORDS


def parts_of(answer: str) -> list[str]:
    return [part.strip() for part in BETWEEN.split(answer.rstrip(".")) if part.strip()]


def without_article(gold: GoldAnswer, other: str, draw: Draw) -> str:
    """Return the answer without its article, or a thing with one: "the beach" and "beach" are the same."""
    answer = gold.answers[0]
    if ARTICLE.match(answer):
        return ARTICLE.sub("", answer)
    is_thing = gold.type is AnswerType.WORDS and len(answer.split()) <= LONGEST_NAME and answer[0].islower()
    return f"the {answer}" if is_thing else ""


def in_another_form(gold: GoldAnswer, other: str, draw: Draw) -> str:
    """Return a date in another form: "7 May 2023" as "2023-05-07", "2023-05-07" as "May 7, 2023", "May 2023" as "05/2023"."""
    found = date_of(gold.answers[0])
    if not isinstance(found, PartialDate) or found.year is None:
        return ""
    if found.day is None:
        return f"{found.month:02}/{found.year}"
    if gold.answers[0].strip().startswith(str(found.year)):
        return f"{MONTHS[found.month - 1].capitalize()} {found.day}, {found.year}"
    return f"{found.year}-{found.month:02}-{found.day:02}"


def in_another_order(gold: GoldAnswer, other: str, draw: Draw) -> str:
    parts = parts_of(gold.answers[0]) if gold.type is AnswerType.LIST else []
    return ", ".join(reversed(parts))


def other_answer(gold: GoldAnswer, other: str, draw: Draw) -> str:
    return other


def shifted(gold: GoldAnswer, other: str, draw: Draw) -> str:
    """Return the answer with its last number, year or month changed by two: LongMemEval's judge may forgive one."""
    answer, step = gold.answers[0], draw.choice((-2, 2))
    if gold.type not in (AnswerType.TIME, AnswerType.NUMBER):
        return ""
    for pattern, change in ((DIGITS, next_digits), (MONTH, next_month), (SPELLED, next_spelled)):
        found = list(pattern.finditer(answer))
        if found:
            last = found[-1]
            return answer[: last.start()] + change(last[0], step) + answer[last.end() :]
    return ""


def next_digits(digits: str, step: int) -> str:
    return str(int(digits) + (step if int(digits) > 2 else 2))


def next_month(month: str, step: int) -> str:
    return MONTHS[(MONTHS.index(month.lower()) + step) % len(MONTHS)].capitalize()


def next_spelled(word: str, step: int) -> str:
    return next_digits(str(number_of(word) or 0), step)


def denied(gold: GoldAnswer, other: str, draw: Draw) -> str:
    """Return the contrary: "no" in place of "yes", else that it was not what the answer says."""
    answer = gold.answers[0].rstrip(".")
    said = YES_NO.match(answer)
    if said:
        return "No." if said[1].lower() == "yes" else "Yes."
    return f"It was certainly not this: {answer}."


def with_a_part_exchanged(gold: GoldAnswer, other: str, draw: Draw) -> str:
    parts = parts_of(gold.answers[0])
    if gold.type is not AnswerType.LIST or not other:
        return ""
    parts[draw.randrange(len(parts))] = draw.choice(parts_of(other))
    return ", ".join(parts)


def topic_alone(gold: GoldAnswer, other: str, draw: Draw) -> str:
    """Return the words of the question without its answer."""
    topic = [word for word in re.findall(r"[\w'’-]+", gold.question) if word.lower() not in ASKING]
    return f"That has to do with {' '.join(topic)}." if topic else ""


def kind_alone(gold: GoldAnswer, other: str, draw: Draw) -> str:
    return KINDS_OF_THING[gold.type]


def refused(gold: GoldAnswer, other: str, draw: Draw) -> str:
    return draw.choice(REFUSALS)


def either(gold: GoldAnswer, other: str, draw: Draw) -> str:
    """Return the answer beside another one, as if either could be."""
    both = [gold.answers[0].rstrip("."), other.rstrip(".")]
    draw.shuffle(both)
    return f"It was either {both[0]} or {both[1]}." if other else ""


ANSWERABLE: dict[tuple[Sort, str], Make] = {
    (Sort.RIGHT, "verbatim"): lambda gold, other, draw: gold.answers[0],
    (Sort.RIGHT, "case"): lambda gold, other, draw: gold.answers[0].upper(),
    (Sort.RIGHT, "article"): without_article,
    (Sort.RIGHT, "date form"): in_another_form,
    (Sort.RIGHT, "list order"): in_another_order,
    (Sort.RIGHT, "sentence"): lambda gold, other, draw: f"As far as I know it is this: {gold.answers[0]}",
    (Sort.WRONG, "another answer"): other_answer,
    (Sort.WRONG, "shifted"): shifted,
    (Sort.WRONG, "denied"): denied,
    (Sort.WRONG, "part exchanged"): with_a_part_exchanged,
    (Sort.VAGUE, "topic alone"): topic_alone,
    (Sort.VAGUE, "kind alone"): kind_alone,
    (Sort.VAGUE, "refusal"): refused,
    (Sort.VAGUE, "either or"): either,
}
UNANSWERABLE: dict[tuple[Sort, str], Make] = {
    (Sort.RIGHT, "refusal"): refused,
    (Sort.RIGHT, "refusal in a sentence"): lambda gold, other, draw: "You have not told me that, so I can't say.",
    (Sort.WRONG, "another answer"): other_answer,
    (Sort.VAGUE, "guess"): lambda gold, other, draw: f"I don't know, but it is probably {other}" if other else "",
}


def altered_replies(golds: Sequence[GoldAnswer], *, seed: int = 0) -> list[AlteredReply]:
    """Return the replies that can be made of each gold answer, in order. The same answers and seed give the same replies."""
    pool = [(one, frozenset(normalised(one.answers[0]))) for one in golds if one.answers]
    replies: list[AlteredReply] = []
    for gold in golds:
        draw = random.Random(f"{seed}/{gold.case}/{gold.key}")
        other = answer_of_its_kind(gold, pool, draw)
        for (sort, kind), make in (ANSWERABLE if gold.answers else UNANSWERABLE).items():
            reply = make(gold, other, draw)
            is_changed = sort is Sort.RIGHT or fold(reply) not in map(fold, gold.answers)
            if reply and is_changed:
                replies.append(AlteredReply(gold, sort, kind, reply))
    return replies


def answer_of_its_kind(gold: GoldAnswer, pool: Sequence[tuple[GoldAnswer, frozenset[str]]], draw: Draw) -> str:
    """Return the answer to another question, of the same type and, if possible, category; "" where there is none.

    It has no word of this question's answers, so that it is wrong whatever a judge compares.
    """
    known = {word for answer in gold.answers for word in normalised(answer)}
    alike = [one for one, words in pool if one.type is gold.type and known.isdisjoint(words)]
    near = [one for one in alike if one.category == gold.category] or alike
    return draw.choice(near).answers[0] if near else ""
