"""What the account and settings pages accept."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from memory import bootstrap
from memory.models import Space
from memory.sign_in_limits import TOO_MANY, attempt_allowed, attempt_succeeded

NAME_LIMIT = 120


class SignInForm(AuthenticationForm):
    """Name and password, with a limit on failures. The refusal is the same whether the name or the password is wrong."""

    error_messages = {
        "invalid_login": "No account has this name with this password. Mind upper and lower case.",
        "inactive": "This account is switched off.",
    }

    def clean(self) -> dict[str, Any]:
        who = {
            "address": self.request.META.get("REMOTE_ADDR") or "local" if self.request else "local",
            "username": self.cleaned_data.get("username") or "",
        }
        if not attempt_allowed(**who):
            raise ValidationError(TOO_MANY, code="too_many")
        cleaned = super().clean()
        attempt_succeeded(**who)
        return cleaned


class StaffSignInForm(SignInForm, AdminAuthenticationForm):
    """The same for the administrator's pages, which are for staff only."""


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["first_name", "last_name"]


class SpaceForm(forms.Form):
    name = forms.CharField(
        max_length=NAME_LIMIT,
        error_messages={
            "required": "A memory needs a name.",
            "max_length": f"A name has at most {NAME_LIMIT} characters.",
        },
    )


class MemberForm(forms.Form):
    """The username of an account to add to the space: it must exist and not be a member yet."""

    username = forms.CharField(max_length=150, error_messages={"required": "Write the name of an account."})

    def __init__(self, *args: Any, space: Space, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.space = space

    def clean_username(self) -> User:
        name = self.cleaned_data["username"]
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise ValidationError(f"There is no account {name!r}.")
        if self.space.memberships.filter(user=user).exists():
            raise ValidationError(f"{name} is a member already.")
        return user


class ForgetForm(forms.Form):
    """The typed name of a space, which confirms that it is to be deleted."""

    name = forms.CharField(max_length=NAME_LIMIT, error_messages={"required": "Type the name to confirm."})

    def __init__(self, *args: Any, space: Space, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.space = space

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name.strip() != self.space.name.strip():
            raise ValidationError("That is not the name of this memory. Nothing was forgotten.")
        return name


class EngineTestForm(forms.Form):
    engine = forms.ChoiceField(error_messages={"invalid_choice": "There is no engine of that name."})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: forms.ChoiceField = self.fields["engine"]  # type: ignore[assignment]
        field.choices = [(name, name) for name in bootstrap.engine_names()]
