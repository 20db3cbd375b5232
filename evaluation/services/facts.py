"""Measuring how facts are verified, against people's labels: with the evidence that was given, and with what is retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.finedialfact import SPEAKER, LabelledFact
from evaluation.core.confusion import Confusion
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.report import Row
from memory.core.grounded_generation.knowledge import PassageIndex
from memory.core.grounded_generation.verification import (
    FactStatus,
    FactsToVerify,
    FactVerdict,
    FactVerifier,
    Ground,
    dialogue_fact_score,
    not_enough_proportion,
)

RETRIEVED, PEOPLE = "retrieved", "people"
PASSAGES = 10
AT_ONCE = 8


@dataclass(frozen=True)
class VerifiedFact:
    """A labelled fact and the verdict on it. `group` is the evidence that it was given."""

    labelled: LabelledFact
    verdict: FactVerdict
    group: str = ""


def facts_evaluate(facts: Sequence[LabelledFact], verifier: FactVerifier, *, quiet: bool = False) -> list[VerifiedFact]:
    """Return the verdicts by the given evidence, then those by passages that are retrieved from those of all the facts."""
    index = PassageIndex(list(dict.fromkeys(passage for fact in facts for passage in fact.evidence)))
    given = [to_verify(fact) for fact in facts]
    found = [
        to_verify(
            fact,
            evidence=index.evidence_for(fact.fact, [turn.text for turn in fact.dialogue], limit=PASSAGES),
        )
        for fact in facts
    ]
    verified = []
    with progress_bar(2 * len(facts), title="facts", unit="facts", hidden=quiet) as bar:
        for group, wanted in (("", given), (RETRIEVED, found)):
            for start in range(0, len(facts), AT_ONCE):
                verdicts = verifier.verify_many(wanted[start : start + AT_ONCE])
                verified += [
                    VerifiedFact(fact, verdict, group)
                    for fact, [verdict] in zip(facts[start : start + AT_ONCE], verdicts, strict=True)
                ]
                bar.update(len(verdicts))
    return verified


def to_verify(fact: LabelledFact, *, evidence: Sequence[Ground] | None = None) -> FactsToVerify:
    return FactsToVerify(
        facts=(fact.fact,),
        speaker=SPEAKER,
        dialogue=fact.dialogue,
        evidence=fact.evidence if evidence is None else tuple(evidence),
    )


def fact_rows(name: str, verified: Sequence[VerifiedFact]) -> list[Row]:
    """Return accuracy, macro-F1, kappa and the F1 of each status by evidence; the scores by the verdicts and by people."""
    rows = []
    for group, inside in grouped(verified, lambda one: one.group).items():
        count = len(inside)
        confusion = Confusion.of((one.labelled.status, one.verdict.status) for one in inside)
        right = {
            dialogue: [one.labelled.status is one.verdict.status for one in own]
            for dialogue, own in grouped(inside, lambda one: one.labelled.dialogue_id).items()
        }
        rows += [
            ratio_row(name, "accuracy", right, group=group),
            Row(name, "macro_f1", confusion.macro_f1, unit="ratio", n=count, group=group),
            Row(name, "kappa", confusion.kappa, unit="kappa", n=count, group=group),
            *(
                Row(name, f"f1_{status.value}", confusion.f1(status), unit="ratio", n=count, group=group)
                for status in FactStatus
            ),
            *score_rows(name, [one.verdict.status for one in inside], group=group),
        ]
    return [*rows, *score_rows(PEOPLE, [one.labelled.status for one in verified if not one.group])]


def score_rows(name: str, statuses: Sequence[FactStatus], *, group: str = "") -> list[Row]:
    score = dialogue_fact_score(statuses)
    none = "" if score is not None else "no fact is true or false"
    decided = sum(status is not FactStatus.NOT_ENOUGH for status in statuses)
    return [
        Row(name, "fact_score", score, unit="ratio", n=decided, group=group, why=none),
        Row(name, "neip", not_enough_proportion(statuses), unit="ratio", n=len(statuses), group=group),
    ]
