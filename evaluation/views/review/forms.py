"""What the pages of *Review* accept."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User

from evaluation.core.annotation.catalogue import kinds
from evaluation.models import ProjectOrder
from evaluation.selectors.annotation.projects import with_owners
from evaluation.selectors.annotation.roles import may, roles_of
from evaluation.services.annotation.projects import GUIDELINE_LIMIT, MOST_ANNOTATORS, NAME_LIMIT, RAREST_GOLD
from memory.models import Space


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
