"""What the account and settings pages accept."""

from __future__ import annotations

from datetime import timedelta
from pathlib import PurePath
from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

from memory import bootstrap
from memory.adapters.language_models.addresses import address_fault, same_server
from memory.models import ActRecord, EngineRecord, Space, TokenRecord
from memory.selectors import spaces_of
from memory.selectors.choices import engines_to_offer, engines_to_test
from memory.sign_in_limits import TOO_MANY, attempt_allowed, attempt_succeeded

NAME_LIMIT = 120
LIFETIMES = ((90, "90 days"), (7, "A week"), (365, "A year"), (0, "Until it is revoked"))


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
    """The name of an account to invite. Whether there is such an account is not looked up."""

    username = forms.CharField(max_length=150, error_messages={"required": "Write the name of an account."})


class TokenForm(forms.Form):
    """What a new token may do, where, and for how many days; 0 days never end."""

    name = forms.CharField(max_length=80, error_messages={"required": "Say what the token is for."})
    scope = forms.ChoiceField(choices=TokenRecord.Scope.choices)
    space = forms.ModelChoiceField(Space.objects.none(), required=False, empty_label="All my memories")
    lifetime = forms.TypedChoiceField(choices=LIFETIMES, coerce=int)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "token-%s", **kwargs})
        field: forms.ModelChoiceField = self.fields["space"]  # type: ignore[assignment]
        field.queryset = spaces_of(user)

    def clean_lifetime(self) -> timedelta | None:
        return timedelta(days=self.cleaned_data["lifetime"]) if self.cleaned_data["lifetime"] else None


class ActsForm(forms.Form):
    """Which acts of the log are shown."""

    kind = forms.ChoiceField(required=False)
    person = forms.CharField(max_length=150, required=False)
    since = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, *args: Any, space: Space | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = ActRecord.Kind if space is None else ActRecord.OF_A_SPACE
        field: forms.ChoiceField = self.fields["kind"]  # type: ignore[assignment]
        field.choices = [("", "Anything"), *((kind.value, kind.label) for kind in kinds)]


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


class KnowledgeForm(forms.Form):
    """A file of knowledge; without a name the base is called after its file."""

    file = forms.FileField(max_length=300, error_messages={"required": "Choose a file.", "empty": "The file is empty."})
    name = forms.CharField(max_length=NAME_LIMIT, required=False)
    licence = forms.CharField(max_length=500, required=False)

    def clean_name(self) -> str:
        file = self.files.get("file")
        name: str = self.cleaned_data["name"]
        return name or (PurePath(file.name or "").stem[:NAME_LIMIT] if file is not None else "") or "Knowledge"


class EngineTestForm(forms.Form):
    engine = forms.ChoiceField(error_messages={"invalid_choice": "There is no engine of that name."})

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: forms.ChoiceField = self.fields["engine"]  # type: ignore[assignment]
        seen = (row.engine for row in engines_to_test(user))
        field.choices = [(name, name) for name in (*bootstrap.engine_names(), *seen)]


class EngineForm(forms.ModelForm):
    """An engine's address, key and model. A key that is left empty stays, but is never taken along to another server."""

    key = forms.CharField(
        required=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        validators=[RegexValidator(r"^[\x21-\x7e]*$", "A key has no spaces and no characters beyond ASCII.")],
    )
    without_key = forms.BooleanField(required=False)

    class Meta:
        model = EngineRecord
        fields = ["name", "base_url", "model", "is_shared"]
        error_messages = {
            "name": {"required": "An engine needs a name."},
            "base_url": {"required": "Write the address of the server."},
            "model": {"required": "Write which of the server's models it is."},
        }

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not user.is_staff:
            del self.fields["is_shared"]
        self.known = (self.instance.base_url, self.instance.key)

    def clean_base_url(self) -> str:
        address: str = self.cleaned_data["base_url"].rstrip("/").removesuffix("/chat/completions")
        if fault := address_fault(address):
            raise ValidationError(fault)
        return address

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        address, key = self.known
        is_asked = not cleaned.get("key") and not cleaned.get("without_key") and "base_url" in cleaned
        if key and is_asked and not same_server(address, cleaned["base_url"]):
            self.add_error("key", "The address is another server's, which must not get the old key. Enter its own.")
        return cleaned

    def fields_given(self) -> dict[str, Any]:
        """Return what the services take; `key` is None where it stays."""
        given = {name: self.cleaned_data[name] for name in ("name", "base_url", "model")}
        stays = not self.cleaned_data["key"] and not self.cleaned_data["without_key"]
        key = None if stays else self.cleaned_data["key"]
        return {**given, "key": key, "is_shared": self.cleaned_data.get("is_shared", self.instance.is_shared)}


class OfferedEnginesForm(forms.Form):
    """The added engines that conversations of a space may choose."""

    engines = forms.ModelMultipleChoiceField(EngineRecord.objects.none(), required=False)

    def __init__(self, *args: Any, user: User, space: Space, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: forms.ModelMultipleChoiceField = self.fields["engines"]  # type: ignore[assignment]
        field.queryset = engines_to_offer(user, space)
