"""The form of a new project. What is wrong is said beside the field."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evaluation.core.errors import AnnotationRefused
from evaluation.models import ProjectOrder
from evaluation.services.annotation.projects import project_make
from evaluation.views.review.forms import ProjectForm
from evaluation.views.review.shell import shell
from memory.services import space_personal
from memory.services.accounts import person

ORDERS = {
    ProjectOrder.RANDOM: "any, drawn by chance",
    ProjectOrder.STRATIFIED: "each dataset and category in turn",
    ProjectOrder.UNCERTAIN: "those of which the machine is unsure",
    ProjectOrder.DISAGREEMENT: "those on which machines disagree",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    user = person(request.user)
    if request.method != "POST":
        own = space_personal(user=user)
        form = ProjectForm(user=user, initial={"kind": "fact_verdict", "space": own.pk})
        return render_form(request, form)
    form = ProjectForm(request.POST, user=user)
    if not form.is_valid():
        return render_form(request, form)
    try:
        project = project_make(by=user, **form.cleaned_data)
    except AnnotationRefused as refusal:
        return render_form(request, form, refusal=str(refusal))
    messages.success(request, f"{project.name} is there. Now choose which items go into it.")
    return redirect("review-fill", project.pk)


def render_form(request: HttpRequest, form: ProjectForm, *, refusal: str = "") -> HttpResponse:
    context = shell("new", form=form, refusal=refusal, orders=ORDERS.items())
    return render(request, "evaluation/review/new.html", context, status=422 if refusal or form.errors else 200)
