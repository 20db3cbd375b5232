"""Writes figures of runs in plain words, with the terms of the papers explained where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString

from conversations.templatetags.dialogue import duration
from evaluation.core.runs.compared import ComparedRow
from evaluation.core.runs.metrics import metric_of, scale_of
from evaluation.models import EvaluationRun, RunItem, RunState
from memory.templatetags.dashboard import address_with
from memory.templatetags.facts import explained

register = template.Library()

# A figure by its name: what it is called, and what it tells.
METRICS = {
    "accuracy": (
        "Accuracy",
        "The share of the replies that contain an accepted answer. Only words are compared: a denial or a hedge with the "
        "right words passes, which a judge would see. A reply that failed counts as wrong.",
    ),
    "token_f1": ("Token F1", "How far a reply and the expected answer consist of the same words, from 0 to 1."),
    "exact_match": ("Exact match", "The share of the replies that are the expected answer, word for word."),
    "refused": (
        "Not known",
        "The share of the questions without an answer to which the reply says that it is not known.",
    ),
    "abstention_precision": (
        "Rightly not known",
        "The share of the replies that say it is not known which are right to say so.",
    ),
    "abstention_recall": ("Not known found", "The share of the questions without an answer of which a reply says so."),
    "evidence_recall": (
        "Evidence",
        "The share of the turns that hold the answer, by the file, on which the reply rests.",
    ),
    "cs": (
        "CS",
        "How far a reply follows from what was said before: the Consistency Score of D-SMART, from 0 (contradicts it) over "
        "0.5 (says neither) to 1 (follows from it).",
    ),
    **dict.fromkeys(
        ("entailed", "der"),
        ("DER", "The share of replies that follow from what was said before: the Dialogue Entailment Rate of D-SMART."),
    ),
    "facts": (
        "Fact score",
        "The share of the true statements among those that are true or false: the Dialogue Fact Score of TG- and GA-DRG.",
    ),
    "fact_score": (
        "Fact score",
        "The share of the true facts of replies among those that people found true or false: the Dialogue Fact Score.",
    ),
    "neip": (
        "Not enough",
        "The share of the facts of replies for which people found not enough information: the lower, the better.",
    ),
    "coherence": ("Coherence", "How well replies fit their dialogues, by people, from 0 to 2."),
    "fluency": ("Fluency", "How good the language of replies is, by people, from 0 to 2."),
    "informativeness": ("Informativeness", "How much that is new replies tell, by people, from 0 to 2."),
    "judged": ("Judged", "What the judge gave the reply, from 0 (wrong) to 1 (right)."),
    "gpt_score": ("GPT score", "The quality of a reply by the judge, from 1 to 10, as D-SMART takes it."),
    "mrr": (
        "MRR",
        "One over the place of the first piece of evidence in what was found, on average: 1 where it is first.",
    ),
    "items": ("Items", "How many questions or turns have ended, well or not."),
    "failed": ("Failed", "How many have no reply because something went wrong. They count as wrong."),
    "seconds": ("Seconds", "How long a reply took, on average."),
    "p50_ms": ("Median", "Half of the replies took at most so long."),
    "p95_ms": ("Slowest 5 %", "Of a hundred replies five took longer."),
    "first_token_p50_ms": ("First word", "After so long, in half of the replies, the first word was there."),
    "calls": ("Calls", "How often a language model was asked for one reply, on average."),
    "turn_mrr": ("MRR of turns", "One over the place of the first turn that holds the answer, on average."),
    "tokens": ("Tokens", "The pieces of words that a language model read and wrote for one reply, on average."),
}
AT = {
    "recall": ("Recall", "The share of the evidence that is among the first {} found."),
    "hit": ("Hit", "The share of the questions of which at least one piece of evidence is among the first {} found."),
}
RIGHT_SHARE = 0.5
TERMS = {
    "interval": "If the dialogues had been drawn anew, the figure would lie here 95 times of 100. Whole dialogues are drawn, "
    "because the items of one dialogue succeed and fail together.",
    "p": "How often a difference as large would come by chance alone if there were none. Adjusted by Holm's method for all "
    "tests of the table: below 0.05, such a table errs at most 5 times of 100.",
    "effect": "How large a difference is, whatever the number of items: Cohen's h of shares, d of means. 0.2 is small, "
    "0.5 middling, 0.8 large.",
    "baseline": "The run or system that the others are compared with: the first of the address.",
    "failed": "Something went wrong, and there is no reply. A failed item counts as wrong in every figure.",
    "unscored": "There is a reply, but a score could not be taken, such as where a judge answered in prose. It is left out "
    "of that figure, and counted here.",
    "overridden": "A person gave a score in place of the measured one. The person's counts everywhere.",
    "cached": "An earlier run had the same item under the same identity; its reply was taken over.",
    "identity": "Digests of everything that the figures depend on. Two runs with the same identity measure the same.",
    "engine": "What plays the parts of a language model: the built-in engine, which has none, or a model.",
    "judge": "The language model that says whether a reply is right, beside the comparison of words.",
    "system": "A way of answering, or of retrieving, that is measured.",
    "trace": "How the reply came about: what was looked up, searched, proved, and asked of a language model.",
}
SIGNS = {
    RunState.WAITING: ("waits", "wait", ""),
    RunState.RUNNING: ("running", "wait", ""),
    RunState.PAUSED: ("paused", "stop", "conflict"),
    RunState.STOPPED: ("stopped", "stop", "superseded"),
    RunState.DONE: ("done", "check", "supported"),
}


def named(metric: str) -> tuple[str, str]:
    bare, _, cut = metric.partition("@")
    if cut:
        for ending, (label, meaning) in AT.items():
            if bare.endswith(ending):
                prefix = bare.removesuffix(ending).strip("_").replace("_", " ")
                return f"{prefix.capitalize()} {label.lower() if prefix else label} at {cut}", meaning.format(cut)
    return METRICS.get(metric, (metric.replace("_", " ").capitalize(), ""))


@register.filter
def metric_name(metric: str) -> str:
    return named(metric)[0]


@register.simple_tag
def metric_term(metric: str) -> SafeString | str:
    """Return the name of a figure, which explains itself where there is more to say."""
    label, meaning = named(metric)
    return explained(label, meaning) if meaning else label


@register.simple_tag
def run_term(name: str, words: str = "") -> SafeString:
    return explained(words or name, TERMS[name])


@register.filter
def shown(value: float | None) -> str:
    """Return a figure: counts whole, small ones with two decimals, times and tokens with at most one."""
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if float(value).is_integer() and abs(value) >= 2:
        return str(int(value))
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


@register.filter
def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


@register.filter
def chance(p_value: float | None) -> str:
    """Return a p-value as papers write it."""
    if p_value is None:
        return "–"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


@register.filter
def unlocalised(value: float | None) -> str:
    """Return a figure for a script: with a point, whatever the language; empty where there is none."""
    return "" if value is None else repr(float(value))


@register.filter
def left(seconds: float | None) -> str:
    """Return an estimate in words: "about 3 min left"; empty where nothing tells it."""
    if not seconds:
        return ""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s left"
    minutes = round(seconds / 60)
    return f"about {minutes} min left" if minutes < 90 else f"about {round(seconds / 3600, 1):g} h left"


for place, name in enumerate(("state_word", "state_shape", "state_tone")):
    register.filter(name, lambda run, place=place: SIGNS[RunState(run.state)][place])


@register.filter
def is_live(run: EvaluationRun) -> bool:
    """Return whether a run changes by itself."""
    return run.state in (RunState.WAITING, RunState.RUNNING)


@register.filter
def at(known: Any, key: object) -> Any:
    """Return the value of a mapping or a sequence."""
    return known[key]


@register.filter
def is_right(value: float) -> bool:
    """Return whether the score of a share means right."""
    return value >= RIGHT_SHARE


@register.filter
def is_share(metric: str) -> bool:
    """Return whether a figure is either right or wrong."""
    return metric_of(metric).is_share


@register.filter
def scale(metric: str) -> tuple[int, int]:
    """Return the lowest and the highest score that a person may give."""
    return scale_of(metric)


@register.filter
def took(milliseconds: float | None) -> str:
    return "" if milliseconds is None else duration(round(milliseconds))


@register.filter
def indent(line: str) -> int:
    """Return how far a line of a trace is indented: two spaces are a step."""
    return min(6, (len(line) - len(line.lstrip())) // 2)


@register.simple_tag(takes_context=True)
def address(context: dict[str, Any], **changes: object) -> str:
    """Return the open page's address with some parameters changed; an empty value removes one."""
    return address_with(context, changes)


@register.filter
def first_there(rows: Sequence[RunItem | None]) -> RunItem | None:
    return next((row for row in rows if row is not None), None)


@register.filter
def tests(rows: Sequence[ComparedRow]) -> int:
    """Return the number of tests that a table holds."""
    return sum(cell.p_adjusted is not None for row in rows for cell in row.cells)
