"""What earlier runs of a space have finished stands for the same item of a new one."""

from __future__ import annotations

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from evaluation.models import CaseState, EvaluationRun, ItemState, RunCase, RunItem, RunKind

# The newest finished item of each key, of runs with the same judge first, whose figure goes along then and only then.
# The turns of a dialogue rest on the replies before them: they are of one earlier dialogue that was held to its end, or none.
COPY = """
with wanted as (
    select id, cache_key, case_id, system, repeat, count(*) over (partition by case_id, system, repeat) as turns
    from evaluation_runitem where run_id = %(run)s
), finished as materialized (
    select old.*, wanted.id as new_id, wanted.turns, run.identity as made_with,
        count(*) over (partition by wanted.case_id, wanted.system, wanted.repeat, old.case_id) as turns_held
    from wanted
    join evaluation_runitem old on old.cache_key = wanted.cache_key and old.run_id <> %(run)s and old.state = 'done'
    join evaluation_evaluationrun run on run.id = old.run_id and run.space_id = %(space)s
), source as (
    select distinct on (new_id) * from finished where turns_held = turns or not %(is_whole)s
    order by new_id,
        made_with ->> 'judge' = %(judge)s and made_with ->> 'judge_digest' = %(judge_digest)s desc, case_id desc
), copied as (
    update evaluation_runitem new
    set state = 'done', reply = source.reply, found = source.found, passages = source.passages, trace = source.trace,
        first_token_ms = source.first_token_ms, total_ms = source.total_ms, calls = source.calls,
        prompt_tokens = source.prompt_tokens, completion_tokens = source.completion_tokens,
        is_cached = true, ended_at = %(now)s
    from source where new.id = source.new_id
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
                "is_whole": run.kind == RunKind.DIALOGUES,
                "judge": run.identity["judge"],
                "judge_digest": run.identity["judge_digest"],
            },
        )
    if not run.judge:
        waiting = RunItem.objects.filter(case=OuterRef("pk"), state=ItemState.WAITING)
        RunCase.objects.filter(~Exists(waiting), run=run).update(state=CaseState.DONE)
    return RunItem.objects.filter(run=run, is_cached=True).count()
