"""Lets the judge of a run look at the replies of a case, a batch at a time; what cannot be judged is unscored."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, OuterRef

from evaluation.bootstrap import make_judge
from evaluation.core.judging.types import Judgement, ReplyJudge, ReplyToJudge
from evaluation.core.naming import KEY_LIMIT, fitted
from evaluation.core.runs.identity import case_of, task_of
from evaluation.core.runs.plan import DIALOGUES
from evaluation.models import ItemScore, ItemState, RunItem
from evaluation.services.runs.claims import Claim
from evaluation.services.runs.faults import error_of
from memory.core.plain_text import all_storable

REPLIES_A_BATCH = 16


def case_judge(claim: Claim) -> None:
    """Write the judge's figure of each ended item of a case that has none. Raises `EngineGone` where it does not answer."""
    if not claim.run.judge:
        return
    judge = make_judge(claim.run.judge, claim.run.engine)
    items = unjudged(claim, judge)
    if not items:
        return
    shown = dialogue_shown if claim.run.kind == DIALOGUES else answer_shown
    to_judge = shown(claim, [item for item in items if item.state == ItemState.DONE])
    judgements_write(claim, judge, [(one, Judgement(None, why=one.error)) for one in items if one.pk not in to_judge])
    waiting = [item for item in items if item.pk in to_judge]
    for start in range(0, len(waiting), REPLIES_A_BATCH):
        claim.go_on()
        batch = waiting[start : start + REPLIES_A_BATCH]
        judged = judge_batch(judge, [to_judge[item.pk] for item in batch])
        judgements_write(claim, judge, list(zip(batch, judged, strict=True)))


def case_unjudged(claim: Claim, why: str) -> None:
    """Leave each ended item of a case that its judge has not looked at unscored."""
    judge = make_judge(claim.run.judge, claim.run.engine)
    judgements_write(claim, judge, [(item, Judgement(None, why=item.error or why)) for item in unjudged(claim, judge)])


def unjudged(claim: Claim, judge: ReplyJudge) -> list[RunItem]:
    known = ItemScore.objects.filter(item=OuterRef("pk"), metric=judge.metric)
    ended = RunItem.objects.filter(~Exists(known), case=claim.case).exclude(state=ItemState.WAITING)
    return list(ended.order_by("index"))


def judge_batch(judge: ReplyJudge, replies: Sequence[ReplyToJudge]) -> list[Judgement]:
    try:
        return judge.judge_many(replies)
    except Exception as fault:
        why = error_of(fault, f"The judge {judge.name}")
        return [Judgement(None, why=why) for _ in replies]


def judgements_write(claim: Claim, judge: ReplyJudge, judged: Sequence[tuple[RunItem, Judgement]]) -> None:
    with claim.lease.committing():
        ItemScore.objects.bulk_create(
            [
                ItemScore(
                    item=item,
                    metric=judge.metric,
                    value=one.value,
                    **all_storable({"why": one.why, "reason": one.reason}),
                )
                for item, one in judged
            ]
        )
        if judged:
            claim.attempts_forget()


def answer_shown(claim: Claim, items: Sequence[RunItem]) -> dict[int, ReplyToJudge]:
    """Return what the judge is shown of each answer, by its item."""
    criteria = {fitted(one.id, KEY_LIMIT): one.criteria for one in case_of(claim.case.content).questions}
    return {item.pk: shown_of(claim, item, criteria=criteria[item.key]) for item in items}


def dialogue_shown(claim: Claim, items: Sequence[RunItem]) -> dict[int, ReplyToJudge]:
    """Return what the judge is shown of each turn, by its item: the dialogue before it; the task's criteria with its last."""
    task = task_of(claim.case.content)
    done = RunItem.objects.filter(case=claim.case, state=ItemState.DONE)
    replies = {(item.system, item.repeat, item.key): item.reply for item in done}
    last = str(len(task.turns))
    shown = {}
    for item in items:
        said: list[tuple[str, str]] = []
        for place, turn in enumerate(task.turns[: int(item.key) - 1], start=1):
            reply = turn.given if turn.given is not None else replies[item.system, item.repeat, str(place)]
            said += [("user", turn.text), ("assistant", reply)]
        criteria = task.criteria if item.key == last else ()
        shown[item.pk] = shown_of(claim, item, dialogue=tuple(said), criteria=criteria)
    return shown


def shown_of(
    claim: Claim, item: RunItem, *, dialogue: tuple[tuple[str, str], ...] = (), criteria: tuple[str, ...] = ()
) -> ReplyToJudge:
    return ReplyToJudge(
        question=item.question,
        expected=None if item.expected is None else tuple(item.expected),
        reply=item.reply,
        category=item.category,
        benchmark=claim.run.benchmark,
        dialogue=dialogue,
        criteria=criteria,
    )
