"""The form of a new run. Its data are read whole before anything is stored; what is wrong is said beside the field."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from conversations.core.errors import ConversationError
from evaluation.core.errors import EvaluationError
from evaluation.forms import JUDGES, KIND_WORDS, RunForm
from evaluation.services.run_data import UPLOAD_LIMIT
from evaluation.services.runs import run_create, run_start
from evaluation.views.runs.shell import shell
from memory.core.errors import MemoryCoreError
from memory.core.sentence_graph.catalogue import RETRIEVERS
from memory.selectors import space_at_home
from memory.services import space_personal
from memory.services.accounts import person


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    user = person(request.user)
    if request.method != "POST":
        home = space_at_home(user) or space_personal(user=user)
        return render_form(request, RunForm(user=user, initial={"space": home.pk}))
    form = RunForm(request.POST, request.FILES, user=user)
    if not form.is_valid():
        return render_form(request, form)
    given = form.cleaned_data
    try:
        with form.opened() as (path, data_name):
            run = run_create(
                space=given["space"],
                by=user,
                path=path,
                plan=form.plan,
                name=given["name"],
                data_name=data_name,
                tags=given["tags"],
            )
        run_start(run=run)
    except (EvaluationError, ConversationError, MemoryCoreError) as refusal:
        return render_form(request, form, refusal=str(refusal))
    messages.success(request, f"{run.name} was started.")
    return redirect("run", run.pk)


def render_form(request: HttpRequest, form: RunForm, *, refusal: str = "") -> HttpResponse:
    context = shell(
        "new",
        form=form,
        refusal=refusal,
        kinds=KIND_WORDS,
        judges=JUDGES,
        retrievers=RETRIEVERS,
        spaces=form.fields["space"].queryset,
        megabytes=UPLOAD_LIMIT // 1024**2,
    )
    return render(request, "evaluation/runs/new.html", context, status=422 if refusal or form.errors else 200)
