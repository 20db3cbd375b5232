"""Reads what somebody answers to the questions of a kind, and tells whether answers agree.

Facts are the same where subject, predicate and object have the same words (`fold`) and the flags are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as bounded
from typing import Any

from evaluation.core.annotation.types import Answer, ProjectKind, Question, QuestionForm
from evaluation.core.errors import AnnotationRefused
from evaluation.core.folding import fold
from memory.core.plain_text import NOT_PLAIN, has_words, is_plain

LONGEST = 80


def shortened(value: object) -> str:
    quoted = bounded(value)
    return quoted if len(quoted) <= LONGEST else f"{quoted[: LONGEST - 1]}…"


FACTS_MOST = 100
PART_LONGEST = 500
FACT_PARTS = 4
OTHER = "other"
# The labels that stand for an answer of facts where labels are compared.
NO_FACTS, SOME_FACTS = "none", "some"

FactKey = tuple[str, ...]


def answer_read(kind: ProjectKind, data: object) -> dict[str, Any]:
    """Return an answer to all questions of the kind: a label each, or facts without repeats and with their flags in order.

    Raises `AnnotationRefused`, which names the question and what is wrong.
    """
    names = [question.name for question in kind.questions]
    if not isinstance(data, dict):
        raise AnnotationRefused(f"An answer names {', '.join(names)} with what is said of each, not {shortened(data)}.")
    if unknown := [name for name in data if name not in names]:
        raise AnnotationRefused(f"There is no question {shortened(unknown[0])}. The questions are {', '.join(names)}.")
    if missing := [question.title for question in kind.questions if question.name not in data]:
        raise AnnotationRefused(f'"{missing[0]}" is not answered yet.')
    return {question.name: said_of(question, data[question.name]) for question in kind.questions}


def said_of(question: Question, said: object) -> Any:
    if question.form is QuestionForm.FACTS:
        return facts_read(question, said)
    if not isinstance(said, str) or question.label(said) is None:
        labels = ", ".join(label.name for label in question.labels)
        raise AnnotationRefused(f"{question.name} has no label {shortened(said)}. The labels are {labels}.")
    return said


def facts_read(question: Question, said: object) -> list[list[str]]:
    if not isinstance(said, list | tuple):
        raise AnnotationRefused(f"{question.name} is a list of facts, empty for none, not {shortened(said)}.")
    if len(said) > FACTS_MOST:
        raise AnnotationRefused(f"{question.name} has {len(said)} facts. At most {FACTS_MOST} are taken.")
    read = [fact_read(question, fact, f"{question.name}, fact {number}") for number, fact in enumerate(said, start=1)]
    return list({fact_key(fact): fact for fact in reversed(read)}.values())[::-1]


def fact_read(question: Question, fact: object, where: str) -> list[str]:
    if not isinstance(fact, list | tuple) or len(fact) != FACT_PARTS or not all(isinstance(part, str) for part in fact):
        raise AnnotationRefused(f"{where}: expected subject, predicate, object and flags, found {shortened(fact)}.")
    subject, predicate, value, flags = (part.strip() for part in fact)
    if not is_plain(fact):
        raise AnnotationRefused(f"{where}: {NOT_PLAIN}")
    if max(map(len, fact)) > PART_LONGEST:
        raise AnnotationRefused(f"{where} has a part of more than {PART_LONGEST} characters.")
    if not has_words(subject) or not has_words(value):
        raise AnnotationRefused(f"{where} lacks its subject or its object.")
    name, _, phrase = predicate.partition(":")
    if not has_words(phrase) if name == OTHER else predicate not in question.predicates:
        raise AnnotationRefused(
            f"{where}: there is no predicate {shortened(predicate)}. Take one of the guideline, or other: with a verb."
        )
    known = [label.name for label in question.labels]
    if unknown := sorted(set(flags.split()) - set(known)):
        raise AnnotationRefused(f"{where}: there is no flag {shortened(unknown[0])}. The flags are {', '.join(known)}.")
    return [subject, predicate, value, " ".join(flag for flag in known if flag in flags.split())]


def answers_agree(kind: ProjectKind, answers: Sequence[Answer]) -> bool:
    """Return whether all answers say the same to each question; one alone agrees with itself."""
    return all(
        len({fact_keys(said) if question.form is QuestionForm.FACTS else said for said in saids}) <= 1
        for question in kind.questions
        for saids in [[answer[question.name] for answer in answers]]
    )


def fact_keys(facts: Any) -> frozenset[FactKey]:
    return frozenset(map(fact_key, facts))


def fact_key(fact: Sequence[str]) -> FactKey:
    """Return what makes a fact the same as another; words of marks alone, such as an emoji, stand as they are."""
    subject, predicate, value, flags = fact
    return (fold(subject) or subject, fold(predicate), fold(value) or value, *sorted(flags.split()))


def label_said(question: Question, answer: Answer) -> str | None:
    """Return the label of an answer, for facts whether there are any; None where the question is not answered."""
    said = answer.get(question.name)
    if said is None or isinstance(said, str):
        return said
    return SOME_FACTS if said else NO_FACTS
