"""The form of a new project. What is wrong is said beside the field."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evaluation.core.annotation.catalogue import kinds
from evaluation.core.errors import AnnotationRefused
from evaluation.models import ProjectOrder
from evaluation.selectors.annotation.projects import with_owners
from evaluation.selectors.annotation.roles import may, roles_of
from evaluation.services.annotation.projects import (
    GUIDELINE_LIMIT,
    MOST_ANNOTATORS,
    NAME_LIMIT,
    RAREST_GOLD,
    project_make,
)
from evaluation.views.review.shell import shell
from memory.models import Space
from memory.services import space_personal
from memory.services.accounts import person

ORDERS = {
    ProjectOrder.RANDOM: "any, drawn by chance",
    ProjectOrder.STRATIFIED: "each dataset and category in turn",
    ProjectOrder.UNCERTAIN: "those of which the machine is unsure",
    ProjectOrder.DISAGREEMENT: "those on which machines disagree",
}


class ProjectForm(forms.Form):
    """A project that is asked for: what is labelled, by how many people, in which order, and by which guideline."""

    kind = forms.ChoiceField(error_messages={"required": "Choose what is labelled."})
    name = forms.CharField(max_length=NAME_LIMIT, error_messages={"required": "Give the project a name."})
    annotators = forms.IntegerField(min_value=1, max_value=MOST_ANNOTATORS, initial=2)
    gold_every = forms.IntegerField(min_value=0, max_value=RAREST_GOLD, required=False)
    order = forms.ChoiceField(choices=ProjectOrder.choices, initial=ProjectOrder.RANDOM)
    guideline = forms.CharField(max_length=GUIDELINE_LIMIT, required=False)
    space = forms.ModelChoiceField(
        queryset=Space.objects.none(), error_messages={"invalid_choice": "Choose one of your teams."}
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kinds = kinds()
        kind: forms.ChoiceField = self.fields["kind"]
        kind.choices = [(name, one.title) for name, one in self.kinds.items()]
        space: forms.ModelChoiceField = self.fields["space"]
        curated = [one for one, role in roles_of(user).items() if may(role, "curate")]
        space.queryset = with_owners(Space.objects.filter(pk__in=curated).order_by("id"))

    def clean_gold_every(self) -> int:
        return self.cleaned_data["gold_every"] or 0


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
