"""What the pages of talking accept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile

from conversations.bootstrap import is_playable, needs_language_model, responder_names, way_named
from conversations.core.choices import OFFERED
from memory import bootstrap, selectors
from memory.models import Space
from memory.selectors.choices import engines_offered


@dataclass(frozen=True)
class Offer:
    """A choice of a select: `says` what it does; what engines have (a model, one that reads graphs) and ways need.

    `spaces` are the ids of the only memories that offer it, with spaces between; "" where all do.
    """

    value: str
    label: str
    says: str = ""
    has_model: bool = True
    needs_model: bool = False
    reads_graphs: bool = False
    needs_graphs: bool = False
    spaces: str = ""


def engine_offers(spaces: Iterable[Space]) -> list[Offer]:
    """Return the engines that conversations over these spaces may choose: the configured ones, then added ones."""
    configured = [("", f"Default ({settings.DSMART_ENGINE})"), *((name, name) for name in bootstrap.engine_names())]
    added = engines_offered(spaces)
    return [
        *(
            Offer(
                name,
                label,
                has_model=bootstrap.has_language_model(name),
                reads_graphs=bootstrap.takes_graphs(name),
            )
            for name, label in configured
        ),
        *(
            Offer(one.engine, one.name, spaces=" ".join(str(space.pk) for space in one.offered_in.all()))
            for one in added
        ),
    ]


def choices(offers: Sequence[Offer]) -> list[tuple[str, str]]:
    return [(offer.value, offer.label) for offer in offers]


def responder_offers() -> list[Offer]:
    """Return the ways of answering that there are, the configured one first."""
    known = {choice.name: choice for choice in OFFERED if choice.name in responder_names() and is_playable(choice.name)}
    offers = [
        Offer(
            name,
            one.label,
            one.explanation,
            needs_model=needs_language_model(name),
            needs_graphs=way_named(name).gives_graph,
        )
        for name, one in known.items()
    ]
    default = known.get(settings.DSMART_RESPONDER)
    if default is None:
        searching, looking = known["d_smart"].label.lower(), known["graph"].label.lower()
        return [
            Offer("", "Default", f"Built-in engine: {searching}. Language models: {looking}, which is quicker."),
            *offers,
        ]
    first = next(offer for offer in offers if offer.value == default.name)
    return [replace(first, value="", label=f"Default ({first.label})"), *offers]


class NewConversationForm(forms.Form):
    """A first message and how it is to be treated. `space` is offered only to people who have several."""

    text = forms.CharField(widget=forms.Textarea, strip=True, error_messages={"required": "Write something first."})
    engine = forms.ChoiceField(required=False)
    responder = forms.ChoiceField(required=False)
    without_memory = forms.BooleanField(required=False)
    space = forms.ModelChoiceField(
        queryset=Space.objects.none(), required=False, error_messages={"invalid_choice": "Choose one of your memories."}
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        engines: forms.ChoiceField = self.fields["engine"]  # type: ignore[assignment]
        engines.choices = choices(engine_offers(selectors.spaces_of(user)))
        responders: forms.ChoiceField = self.fields["responder"]  # type: ignore[assignment]
        responders.choices = choices(responder_offers())
        spaces: forms.ModelChoiceField = self.fields["space"]  # type: ignore[assignment]
        spaces.queryset = selectors.spaces_of(user)


class ChoiceForm(forms.Form):
    """What the replies to come are written by, and how."""

    engine = forms.ChoiceField(required=False, error_messages={"invalid_choice": "There is no engine of that name."})
    responder = forms.ChoiceField(
        required=False, error_messages={"invalid_choice": "There is no way of answering of that name."}
    )

    def __init__(self, *args: Any, space: Space, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        engines: forms.ChoiceField = self.fields["engine"]  # type: ignore[assignment]
        engines.choices = choices(engine_offers([space]))
        responders: forms.ChoiceField = self.fields["responder"]  # type: ignore[assignment]
        responders.choices = choices(responder_offers())


class RenameForm(forms.Form):
    title = forms.CharField(
        max_length=200,
        error_messages={"required": "A conversation needs a name.", "max_length": "A name has at most 200 characters."},
    )


class ImportForm(forms.Form):
    file = forms.FileField(error_messages={"required": "Choose the file of an export.", "empty": "The file is empty."})

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        if (file.size or 0) > settings.DSMART_CHATS_MB * 1024**2:
            raise forms.ValidationError(
                f"The file is larger than {settings.DSMART_CHATS_MB:g} MB. Import it with `manage.py import_chats`."
            )
        return file


class ImportChoiceForm(forms.Form):
    """What of an export is brought in, and how."""

    since = forms.DateField(required=False, error_messages={"invalid": "Give the day as year-month-day."})
    which = forms.ChoiceField(choices=[("all", "all"), ("chosen", "chosen")], required=False)
    remember = forms.BooleanField(required=False)
    replies = forms.BooleanField(required=False)
