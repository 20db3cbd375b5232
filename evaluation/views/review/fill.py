"""Where the items of a project come from: the replies of a run, live conversations, or a file."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.content import pattern_of
from evaluation.core.errors import EvaluationError
from evaluation.models import AnnotationProject, EvaluationRun, ProjectOrder
from evaluation.selectors.annotation.projects import review_spaces_of
from evaluation.selectors.runs import runs_of
from evaluation.services.annotation.files.importing import items_import, project_import
from evaluation.services.annotation.from_conversations import SOURCES, conversations_sample
from evaluation.services.annotation.from_runs import RATING_KIND, run_sample
from evaluation.services.annotation.machine import machine_promise
from evaluation.services.annotation.overrides import FACT_KIND
from evaluation.services.annotation.sampling import MOST, Sample
from evaluation.services.run_data import UPLOAD_LIMIT, uploaded
from evaluation.views.review.new import ORDERS
from evaluation.views.review.shell import project_shell, project_visible
from memory.core.errors import MemoryCoreError
from memory.models import Space
from memory.selectors import spaces_of
from memory.services.accounts import person
from memory.views.rows import number_asked, or_404

RUN, CONVERSATIONS, FILE = "run", "conversations", "file"
# A reply takes some ten milliseconds to split; a page can wait for so many of them.
SPLIT_AT_ONCE = 1_000


class FillForm(forms.Form):
    """Items that are asked for: of which source, how many, and which first."""

    source = forms.ChoiceField(choices=[(RUN, RUN), (CONVERSATIONS, CONVERSATIONS), (FILE, FILE)])
    run = forms.ModelChoiceField(queryset=EvaluationRun.objects.none(), required=False)
    system = forms.CharField(max_length=200, required=False)
    limit = forms.IntegerField(min_value=1, max_value=MOST, initial=100, required=False)
    order = forms.ChoiceField(choices=ProjectOrder.choices, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    file = forms.FileField(required=False, max_length=300, error_messages={"empty": "The file is empty."})

    def __init__(self, *args: Any, project: AnnotationProject, by: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = project.kind
        is_member = spaces_of(by).filter(pk=project.space_id).exists()
        run: forms.ModelChoiceField = self.fields["run"]
        run.queryset = runs_of(by).filter(space=project.space_id).exclude(kind="retrieval")
        self.offers_runs = is_member and project.kind in (FACT_KIND, RATING_KIND)
        self.offers_conversations = is_member and project.kind in SOURCES
        self.runs = list(run.queryset[:100]) if self.offers_runs else []
        self.initial.setdefault("source", RUN if self.runs else CONVERSATIONS if self.offers_conversations else FILE)
        self.initial.setdefault("order", project.order)

    def clean_file(self) -> UploadedFile | None:
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > UPLOAD_LIMIT:
            raise ValidationError(
                f"The file is larger than {UPLOAD_LIMIT // 1024**2} MB. Bring it in with `manage.py annotation`."
            )
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        source = cleaned.get("source")
        needed = {RUN: ("run", "Choose a run."), FILE: ("file", "Choose a file.")}.get(source or "")
        if needed and needed[0] not in self.errors and not cleaned.get(needed[0]):
            self.add_error(*needed)
        if source == RUN and self.kind == FACT_KIND and (cleaned.get("limit") or 0) > SPLIT_AT_ONCE:
            most = f"A page splits at most {SPLIT_AT_ONCE:,} replies into facts."
            self.add_error("limit", f"{most} Draw more with `manage.py annotation sample`.")
        return cleaned

    @property
    def sample(self) -> Sample:
        given = self.cleaned_data
        return Sample(
            limit=given["limit"] or 100,
            order=given["order"] or ProjectOrder.RANDOM,
            since=given["since"],
            until=given["until"],
        )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def fill(request: HttpRequest, project_id: int) -> HttpResponse:
    project, user = project_visible(request, project_id, "curate"), person(request.user)
    if request.method != "POST":
        asked = {"source": FILE} if request.GET.get("source") == FILE else {}
        return render_form(request, project, FillForm(project=project, by=user, initial=asked))
    form = FillForm(request.POST, request.FILES, project=project, by=user)
    if not form.is_valid():
        return render_form(request, project, form)
    given = form.cleaned_data
    try:
        if given["source"] == FILE:
            with uploaded(given["file"], given["file"].name or "") as path:
                added = items_import(project=project, by=user, path=path)
        elif given["source"] == RUN:
            added = run_sample(project=project, run=given["run"], by=user, sample=form.sample, system=given["system"])
        else:
            added = conversations_sample(project=project, by=user, sample=form.sample)
    except (EvaluationError, MemoryCoreError) as refusal:
        return render_form(request, project, form, refusal=str(refusal))
    are = "item is" if added == 1 else "items are"
    messages.success(request, f"{added:,} {are} new in {project.name}.")
    return redirect("review-project", project.pk)


def render_form(request: HttpRequest, project: AnnotationProject, form: FillForm, *, refusal: str = "") -> HttpResponse:
    systems = sorted({system for run in form.runs for system in run.systems})
    context = project_shell(
        request,
        project,
        "overview",
        form=form,
        refusal=refusal,
        systems=systems,
        orders=ORDERS.items(),
        pattern=json.dumps({"key": "1", "content": pattern_of(kind_named(project.kind))}, ensure_ascii=False),
        megabytes=UPLOAD_LIMIT // 1024**2,
    )
    return render(request, "evaluation/review/fill.html", context, status=422 if refusal or form.errors else 200)


@require_POST
def bring_in(request: HttpRequest) -> HttpResponse:
    """Make a project of a file: one that was taken out here, or data in one of the known forms."""
    user = person(request.user)
    number = number_asked(request.POST.get("space", ""))
    space: Space = or_404(lambda: review_spaces_of(user).get(pk=number))
    file = request.FILES.get("file")
    try:
        if file is None or (file.size or 0) > UPLOAD_LIMIT:
            messages.error(request, f"Nothing was brought in. Choose a file of at most {UPLOAD_LIMIT // 1024**2} MB.")
            return redirect("review-new")
        with uploaded(file, file.name or "") as path:
            project, added = project_import(
                space=space,
                by=user,
                path=path,
                name=request.POST.get("name", "").strip(),
                kind=request.POST.get("kind", ""),
            )
    except (EvaluationError, MemoryCoreError) as refusal:
        messages.error(request, f"Nothing was brought in. {refusal}")
        return redirect("review-new")
    messages.success(request, f"{project.name} is there, with {added:,} {'item' if added == 1 else 'items'}.")
    return redirect("review-project", project.pk)


@require_POST
def machine(request: HttpRequest, project_id: int) -> HttpResponse:
    """Let the engine answer the items that it has not answered."""
    project = project_visible(request, project_id, "curate")
    try:
        machine_promise(project=project)
    except (EvaluationError, MemoryCoreError) as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, "The machine was asked. People see its answers only after their own.")
    return redirect("review-project", project.pk)
