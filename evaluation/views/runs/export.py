"""Takes a run out as a file: its figures (json), its items (jsonl, csv)."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from evaluation.models import EvaluationRun
from evaluation.selectors.run_metrics import metrics_of
from evaluation.services.run_export import items_csv, items_json_lines
from evaluation.services.runs.rows import run_report
from evaluation.views.runs.shell import run_visible
from memory.models import ActRecord
from memory.services.acts import act_record
from memory.views.downloads import download, numbered

FORMS = {
    "json": ("application/json", lambda run: iter([run_report(run).as_json()])),
    "jsonl": ("application/jsonl; charset=utf-8", items_json_lines),
    "csv": ("text/csv; charset=utf-8", lambda run: items_csv(run, metrics_of([run]))),
}


@require_safe
def export(request: HttpRequest, run_id: int, form: str) -> HttpResponseBase:
    if form not in FORMS:
        raise Http404
    return export_response(run_visible(request, run_id), form)


def export_response(run: EvaluationRun, form: str) -> HttpResponseBase:
    """Return a run as a streamed file."""
    media_type, document = FORMS[form]
    act_record(kind=ActRecord.Kind.EXPORT, space=run.space_id, words=f"run {run.pk}, as {form}")
    return download(document(run), media_type=media_type, name=numbered(run.name or "run", run.pk), suffix=form)
