"""How far people agree with one another and with the machine, from how often each pattern occurs.

People are compared two by two, so an item of three people counts three times; in alpha each label counts once. The machine is
compared with the final answer, and while an item has none with each person's. A figure of facts takes "none" and "some" for
labels; which facts are shared is their F1.

Intervals are percentiles of figures of drawn items (Efron and Tibshirani, 1993, section 13.3), as many as there are: how
often each sum of labels is drawn is multinomial. Items of one dialogue are drawn as if they were independent, so intervals
are too narrow where these are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.annotation.chance import Floats, cohens_kappa, krippendorffs_alpha, raw_agreement, shared_facts
from evaluation.core.annotation.observations import Counts, Observations, machine_met, observed, people_met
from evaluation.core.annotation.patterns import Pattern
from evaluation.core.annotation.types import ProjectKind, Question, QuestionForm
from evaluation.core.confusion import Confusion

# A label of more than this share makes kappa and alpha low whatever people do.
DOMINANT = 0.9
# Of fewer items no interval is told.
FEWEST = 6
# So many draws, and fewer of very many different items: what is drawn in all stays within the bound.
DRAWS_MOST, DRAWS_LEAST, DRAWN_MOST = 1_000, 100, 100_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval. None is one that cannot be told: of one label alone there is no chance to beat.

    The interval is None of few items, and where all draws are the same. Draws of which the figure cannot be told are left
    out.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class LabelAgreement:
    """A label, its share of all labels, and how often the other said it where one said it; None where nobody did."""

    name: str
    title: str
    share: float
    agreement: float | None


@dataclass(frozen=True)
class PairAgreement:
    """Two people: how many items both labelled, and how far they agree. The one's labels are the rows of the confusion."""

    one: str
    other: str
    n: int
    raw: float
    kappa: float | None
    facts_f1: float | None
    confusion: Confusion


@dataclass(frozen=True)
class Comparison:
    """Two sides over `items`, of which `n` pairs of labels are compared. What is not asked of the question is None."""

    items: int
    n: int
    raw: Estimate
    kappa: Estimate
    alpha: Estimate
    ordinal_alpha: Estimate | None
    facts_f1: Estimate | None
    labels: tuple[LabelAgreement, ...]
    confusion: Confusion
    pairs: tuple[PairAgreement, ...]

    @property
    def dominant(self) -> LabelAgreement | None:
        return next((label for label in self.labels if label.share > DOMINANT), None)

    @property
    def warning(self) -> str:
        """Return what to bear in mind where one label is nearly all there is, else nothing."""
        if self.dominant is None:
            return ""
        return (
            f"{self.dominant.share:.0%} of the labels are “{self.dominant.title}”. With so few others, kappa and alpha can "
            "be low although nearly all labels agree: read them beside the raw agreement and the agreement on each label."
        )


@dataclass(frozen=True)
class QuestionAgreement:
    """What is asked, and how far people agree with one another and with the machine; None where nothing can be compared."""

    question: Question
    people: Comparison | None
    machine: Comparison | None


@dataclass(frozen=True)
class ProjectAgreement:
    whole: tuple[QuestionAgreement, ...]
    datasets: Mapping[str, tuple[QuestionAgreement, ...]]


def project_agreement(kind: ProjectKind, counts: Mapping[str, Counter[Pattern]]) -> ProjectAgreement:
    """Return the agreement over all items, and by data set. The same counts give the same figures and intervals."""
    if len(counts) == 1:
        [(dataset, only)] = counts.items()
        whole = agreement_of(kind, only)
        return ProjectAgreement(whole, {dataset: whole})
    together: Counter[Pattern] = Counter()
    for own in counts.values():
        together.update(own)
    return ProjectAgreement(
        agreement_of(kind, together), {dataset: agreement_of(kind, own) for dataset, own in sorted(counts.items())}
    )


def agreement_of(kind: ProjectKind, counts: Counter[Pattern]) -> tuple[QuestionAgreement, ...]:
    """Return the agreement on each question of the kind."""
    return tuple(
        QuestionAgreement(
            question,
            compared(question, observed(question, counts, people_met)),
            compared(question, observed(question, counts, machine_met)),
        )
        for question in kind.questions
    )


def compared(question: Question, seen: Observations | None) -> Comparison | None:
    if seen is None:
        return None
    found = seen.counted(seen.weights[None])
    drawn = seen.counted(draws_of(seen.weights)) if seen.weights.sum() >= FEWEST else None

    def estimate(figure: Callable[[Counts], Floats]) -> Estimate:
        return estimated(float(figure(found)[0]), figure(drawn) if drawn is not None else np.empty(0))

    return Comparison(
        items=int(seen.weights.sum()),
        n=round(found.tables.sum()),
        raw=estimate(lambda counts: raw_agreement(counts.tables)),
        kappa=estimate(lambda counts: cohens_kappa(counts.tables)),
        alpha=estimate(lambda counts: krippendorffs_alpha(counts.coincidences, is_ordinal=False)),
        ordinal_alpha=estimate(lambda counts: krippendorffs_alpha(counts.coincidences, is_ordinal=True))
        if question.is_ordinal
        else None,
        facts_f1=estimate(lambda counts: shared_facts(counts.facts)) if question.form is QuestionForm.FACTS else None,
        labels=labels_agreed(question, seen.labels, found),
        confusion=confusion_of(seen.labels, found.tables[0].sum(0)),
        pairs=pairs_agreed(question, seen, found),
    )


def draws_of(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    draws = int(np.clip(DRAWN_MOST // len(weights), DRAWS_LEAST, DRAWS_MOST))
    total = int(weights.sum())
    return np.random.default_rng(0).multinomial(total, weights / total, size=draws)


def estimated(value: float, drawn: Floats) -> Estimate:
    told = drawn[~np.isnan(drawn)]
    if np.isnan(value) or not len(told) or np.ptp(told) == 0:
        return Estimate(number(value))
    low, high = np.quantile(told, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Estimate(value, float(low), float(high))


def labels_agreed(question: Question, labels: tuple[str, ...], found: Counts) -> tuple[LabelAgreement, ...]:
    table, times = found.tables[0].sum(0), found.coincidences[0].sum(-1)
    confusion = confusion_of(labels, table)
    titles = {label.name: label.title for label in question.labels}
    return tuple(
        LabelAgreement(label, titles.get(label, label), float(times[at] / times.sum()), confusion.f1(label))
        for at, label in enumerate(labels)
    )


def pairs_agreed(question: Question, seen: Observations, found: Counts) -> tuple[PairAgreement, ...]:
    is_facts = question.form is QuestionForm.FACTS
    return tuple(
        PairAgreement(
            one,
            other,
            n=round(table.sum()),
            raw=float(raw_agreement(table[None])),
            kappa=number(cohens_kappa(table[None])),
            facts_f1=number(shared_facts(facts[None])) if is_facts else None,
            confusion=confusion_of(seen.labels, table),
        )
        for (one, other), table, facts in zip(seen.pairs, found.tables[0], found.facts[0], strict=True)
    )


def confusion_of(labels: tuple[str, ...], table: Floats) -> Confusion:
    return Confusion(
        Counter({(labels[one], labels[other]): round(table[one, other]) for one, other in np.argwhere(table)})
    )


def number(value: float | Floats) -> float | None:
    return None if np.isnan(value) else float(value)
