"""What earlier runs of a space have finished stands for the same item of a new one."""

from __future__ import annotations

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from evaluation.models import CaseState, EvaluationRun, ItemState, RunCase, RunItem

# The newest finished item of each key, of runs with the same judge first, whose figure goes along then and only then.
COPY = """
with source as materialized (
    select distinct on (old.cache_key) old.*, run.identity as made_with
    from evaluation_runitem old join evaluation_evaluationrun run on run.id = old.run_id
    where run.space_id = %(space)s and old.run_id <> %(run)s and old.state = 'done'
      and old.cache_key in (select cache_key from evaluation_runitem where run_id = %(run)s)
    order by old.cache_key,
        run.identity ->> 'judge' = %(judge)s and run.identity ->> 'judge_digest' = %(judge_digest)s desc, old.id desc
), copied as (
    update evaluation_runitem new
    set state = 'done', reply = source.reply, found = source.found, passages = source.passages, trace = source.trace,
        first_token_ms = source.first_token_ms, total_ms = source.total_ms, calls = source.calls,
        prompt_tokens = source.prompt_tokens, completion_tokens = source.completion_tokens,
        is_cached = true, ended_at = %(now)s
    from source where new.run_id = %(run)s and new.cache_key = source.cache_key
    returning new.id, source.id as source_id, source.made_with
)
insert into evaluation_itemscore (item_id, metric, value, why, reason)
select copied.id, score.metric, score.value, score.why, score.reason
from copied join evaluation_itemscore score on score.item_id = copied.source_id
where score.metric <> copied.made_with ->> 'judge_metric'
   or (copied.made_with ->> 'judge' = %(judge)s and copied.made_with ->> 'judge_digest' = %(judge_digest)s)
"""


def finished_copy(run: EvaluationRun) -> int:
    """Copy, in the caller's transaction, finished items of the same keys into a new run; return their number.

    A case all of whose items are there is done, unless a judge has to look at it still.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            COPY,
            {
                "run": run.pk,
                "space": run.space_id,
                "now": timezone.now(),
                "judge": run.identity["judge"],
                "judge_digest": run.identity["judge_digest"],
            },
        )
    if not run.judge:
        waiting = RunItem.objects.filter(case=OuterRef("pk"), state=ItemState.WAITING)
        RunCase.objects.filter(~Exists(waiting), run=run).update(state=CaseState.DONE)
    return RunItem.objects.filter(run=run, is_cached=True).count()
