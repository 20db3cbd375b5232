"""Draws items from the replies of a run: the replies themselves to be rated, or the facts that they state to be verified."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User

from evaluation.core.annotation.drafts import ItemDraft
from evaluation.core.errors import AnnotationRefused
from evaluation.core.naming import KEY_LIMIT, fitted
from evaluation.core.reply_facts.checking import claimed, states
from evaluation.core.reply_facts.types import Verdict
from evaluation.core.runs.identity import task_of
from evaluation.core.runs.metrics import scale_of
from evaluation.core.tasks.types import Task
from evaluation.models import AnnotationProject, EvaluationRun, ItemState, RunItem, RunKind
from evaluation.selectors.item_scores import effective_scores
from evaluation.selectors.run_metrics import metrics_of
from evaluation.services.annotation.overrides import FACT_KIND
from evaluation.services.annotation.sampling import Sample, sample_add, sample_check
from memory import bootstrap
from memory.bootstrap.roles import SPLIT_FACTS

RATING_KIND = "human_evaluation"
USER, ASSISTANT = "User", "Assistant"
Turns = list[dict[str, str]]


def run_sample(*, project: AnnotationProject, run: EvaluationRun, by: User, sample: Sample, system: str = "") -> int:
    """Add items drawn from the replies of a run, or of one of its systems, and return how many are new.

    `limit` counts replies. By disagreement come those replies first that systems were given the most different scores for.
    Raises `AnnotationRefused` for a run of another team, for one without replies and for another kind of project.
    """
    sample_check(project, by, sample)
    if run.space_id != project.space_id:
        raise AnnotationRefused("This run is another team's. Draw from the runs of the project's own team.")
    if project.kind not in (FACT_KIND, RATING_KIND):
        raise AnnotationRefused(f"Nothing of a run is for a project of the kind {project.kind}.")
    replies = (
        RunItem.objects.filter(run=run, state=ItemState.DONE).exclude(reply="").exclude(run__kind=RunKind.RETRIEVAL)
    )
    if system:
        replies = replies.filter(system=system)
    apart = apart_of(run)
    found = [
        ItemDraft(str(pk), {}, stratum=of, disagreement=apart.get((case, key, repeat), 0.0))
        for pk, of, case, key, repeat in replies.values_list("pk", "system", "case__key", "key", "repeat")
    ]
    if not found:
        raise AnnotationRefused(f"The run “{run.name}” has no reply that could be drawn.")
    chosen = {int(one.key): one.disagreement for one in sample.drawn(found)}
    items = list(RunItem.objects.filter(pk__in=chosen).select_related("case").defer("trace").order_by("index"))
    told = dialogues_of(run, items)
    draft = facts_drafted if project.kind == FACT_KIND else ratings_drafted
    drafts = [replace(one, disagreement=chosen[one.run_item or 0]) for one in draft(run, items, told)]
    return sample_add(project=project, by=by, drafts=drafts)


def apart_of(run: EvaluationRun) -> dict[tuple[str, str, int], float]:
    """Return how far the scores of the systems lie apart for each question, in [0, 1], by the run's leading figure."""
    metric = next(iter(metrics_of([run])), "")
    if not metric:
        return {}
    scores: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for one in effective_scores([run.pk], metric=metric):
        if one.value is not None:
            scores[one.case_key, one.key, one.repeat].append(one.value)
    low, high = scale_of(metric)
    return {place: min(1.0, (max(values) - min(values)) / (high - low)) for place, values in scores.items()}


def dialogues_of(run: EvaluationRun, items: Sequence[RunItem]) -> dict[int, Turns]:
    """Return what was said before each reply: the question, or the dialogue with the system's own replies."""
    if run.kind != RunKind.DIALOGUES:
        return {item.pk: [{"speaker": USER, "text": item.question}] for item in items}
    cases = {item.case_id: task_of(item.case.content) for item in items}
    rows = RunItem.objects.filter(run=run, case__in=cases).values_list("case", "system", "repeat", "key", "reply")
    replied = {tuple(place): reply for *place, reply in rows}
    return {item.pk: dialogue_before(item, cases[item.case_id], replied) for item in items}


def dialogue_before(item: RunItem, task: Task, replied: Mapping[tuple[Any, ...], str]) -> Turns:
    """Return the turns of a task up to the one that an item replies to, with the replies of its own system."""
    turns, last = [], int(item.key)
    for place, turn in enumerate(task.turns[:last], start=1):
        turns.append({"speaker": USER, "text": turn.text})
        if place < last:
            reply = replied.get((item.case_id, item.system, item.repeat, str(place)), "")
            turns.append({"speaker": ASSISTANT, "text": reply if turn.given is None else turn.given})
    return turns


def drafted(run: EvaluationRun, item: RunItem, *, key: str, content: Mapping[str, Any]) -> ItemDraft:
    evidence = [{"title": one.get("speaker") or "", "text": one["text"]} for one in item.passages]
    return ItemDraft(
        key=key,
        content={**content, "evidence": evidence},
        dataset=run.benchmark,
        stratum=item.system,
        cluster=fitted(item.case.key, KEY_LIMIT),
        source={
            "run": run.pk,
            "system": item.system,
            "question": item.key,
            "repeat": item.repeat,
            "speaker": ASSISTANT,
        },
        run_item=item.pk,
    )


def ratings_drafted(run: EvaluationRun, items: Sequence[RunItem], told: Mapping[int, Turns]) -> Iterator[ItemDraft]:
    for item in items:
        content = {"reply": item.reply, "dialogue": told[item.pk]}
        yield drafted(run, item, key=f"run-{run.pk}/{item.index}", content=content)


def facts_drafted(run: EvaluationRun, items: Sequence[RunItem], told: Mapping[int, Turns]) -> Iterator[ItemDraft]:
    """Yield the atomic facts of replies, split without a language model. What claims nothing has its machine's answer."""
    splitter = bootstrap.engine(bootstrap.BUILTIN).player(SPLIT_FACTS)
    split = splitter.split_many([item.reply for item in items])
    parses = iter(bootstrap.parser().parse_many([claimed(fact) for facts in split for fact in facts]))
    for item, facts in zip(items, split, strict=True):
        for number, fact in enumerate(facts, start=1):
            content = {"fact": fact.text, "dialogue": told[item.pk]}
            one = drafted(run, item, key=f"run-{run.pk}/{item.index}/{number}", content=content)
            if states(fact, next(parses), item.reply):
                yield one
            else:
                yield replace(one, machine={"verdict": Verdict.NOT_A_CLAIM.value}, machine_by=splitter.name)
