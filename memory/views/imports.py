"""Files that are brought in in the background: how far each is, stopping it, going on, and taking it from the list."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from memory.models import ImportJobRecord
from memory.selectors.owned import backlog_of, import_jobs_of
from memory.services.accounts import person
from memory.services.import_jobs import job_delete, job_go_on, job_stop
from memory.views.own_pages import own_page
from memory.views.rows import or_404

SHOWN = 20


@own_page
def import_job(request: HttpRequest, job_id: int) -> HttpResponse:
    job = job_in(request, job_id)
    context = {"job": job, "left": backlog_of(job.space_id) if job.is_over else 0, "place": "history"}
    return render(request, "memory/import_job.html", context)


@own_page
def imports(request: HttpRequest) -> HttpResponse:
    """Show the imports of a person, the newest first."""
    jobs = import_jobs_of(person(request.user)).defer("preview").select_related("space")[:SHOWN]
    return render(request, "memory/imports.html", {"jobs": jobs, "place": "history"})


def job_in(request: HttpRequest, job_id: int) -> ImportJobRecord:
    return or_404(lambda: import_jobs_of(person(request.user)).select_related("space").get(pk=job_id))


@require_POST
def stop(request: HttpRequest, job_id: int) -> HttpResponse:
    if not job_stop(job=job_in(request, job_id)):
        messages.error(request, "This import had ended already.")
    return redirect("import-job", job_id)


@require_POST
def go_on(request: HttpRequest, job_id: int) -> HttpResponse:
    if not job_go_on(job=job_in(request, job_id)):
        messages.error(request, "This import goes on already, or is done.")
    return redirect("import-job", job_id)


@require_POST
def delete(request: HttpRequest, job_id: int) -> HttpResponse:
    job_delete(job=job_in(request, job_id))
    messages.success(request, "The file is deleted. What was brought in of it stays.")
    return redirect("imports")
