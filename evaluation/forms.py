"""What the pages of *Evaluate* accept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from conversations.bootstrap import needs_language_model, responder_names
from conversations.core.choices import RESPONDERS, ResponderChoice
from conversations.forms import Offer, choices, engine_offers
from evaluation.core.judging import words
from evaluation.core.runs.plan import ANSWERS, DIALOGUES, RETRIEVAL, RunPlan
from evaluation.services.run_data import folder_files, sample_files, uploaded
from evaluation.services.runs.systems import ALL
from memory import selectors
from memory.core.sentence_graph.catalogue import RETRIEVERS
from memory.models import Space

KIND_WORDS = (
    (ANSWERS, "Answers", "Each question of the file is put to each system after it has read the dialogue."),
    (DIALOGUES, "Dialogues", "The user's half is said again, turn by turn; the replies are the system's own."),
    (
        RETRIEVAL,
        "Retrieval",
        "What each retriever finds for a question, without an answer and without a language model.",
    ),
)
JUDGES = {
    "words": "compares words, asks no model",
    "answer": "says whether a reply is right",
    "locomo": "as LoCoMo is usually judged, leniently",
    "longmemeval": "as LongMemEval prescribes it, by kind of question",
    "gpt_score": "from 1 to 10, for dialogues",
    "criterion": "by the criteria of the file (MultiChallenge)",
    "beam": "by the rubric of the file (BEAM)",
}
UPLOAD, FOLDER, SAMPLE = "upload", "folder", "sample"
TAGS_MOST, TAG_LIMIT = 8, 40


def responders_measured() -> list[tuple[ResponderChoice, bool]]:
    """Return the ways of answering that can be measured, each with whether it needs a language model."""
    known = [one for one in RESPONDERS if one.name in responder_names()]
    return [(one, needs_language_model(one.name)) for one in known]


class TaggedForm(forms.Form):
    """Something with tags, which are written with commas between them."""

    tags = forms.CharField(required=False, max_length=400)

    def clean_tags(self) -> list[str]:
        tags = list(dict.fromkeys(tag.strip() for tag in self.cleaned_data["tags"].split(",") if tag.strip()))
        if len(tags) > TAGS_MOST or any(len(tag) > TAG_LIMIT for tag in tags):
            raise ValidationError(f"At most {TAGS_MOST} tags, each of at most {TAG_LIMIT} characters.")
        return tags


class RunWordsForm(TaggedForm):
    """What people call a run and say about it."""

    name = forms.CharField(max_length=120, error_messages={"required": "Give the run a name."})
    comment = forms.CharField(required=False, max_length=2_000)


class RunForm(TaggedForm):
    """A run that is asked for: the data, what is measured on them, by whom it is judged, and whose it is."""

    source = forms.ChoiceField(choices=[(UPLOAD, "upload"), (FOLDER, "folder"), (SAMPLE, "sample")], initial=SAMPLE)
    file = forms.FileField(required=False, max_length=300, error_messages={"empty": "The file is empty."})
    folder_file = forms.ChoiceField(required=False)
    sample_file = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(choices=[(name, words) for name, words, _ in KIND_WORDS], initial=ANSWERS)
    responders = forms.MultipleChoiceField(required=False)
    retrievers = forms.MultipleChoiceField(required=False)
    engine = forms.ChoiceField(required=False)
    judge = forms.ChoiceField(required=False)
    judge_engine = forms.ChoiceField(required=False)
    limit = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    questions = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    sample = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    repeat = forms.IntegerField(required=False, min_value=1, max_value=20)
    name = forms.CharField(required=False, max_length=120)
    keeps_spaces = forms.BooleanField(required=False)
    space = forms.ModelChoiceField(
        queryset=Space.objects.none(), error_messages={"invalid_choice": "Choose one of your memories."}
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        spaces = selectors.spaces_of(user)
        self.engines: list[Offer] = engine_offers(spaces)
        self.judges = [offer for offer in self.engines if offer.has_model and offer.value]
        self.folder, self.samples = folder_files(), sample_files()
        self.systems = responders_measured()
        self.set_choices("engine", choices(self.engines))
        self.set_choices("judge", [("", ""), *((name, name) for name in JUDGES)])
        self.set_choices("judge_engine", [("", ""), *choices(self.judges)])
        self.set_choices("folder_file", [(name, name) for name in self.folder])
        self.set_choices("sample_file", [(name, name) for name in self.samples])
        self.set_choices("responders", [(name, name) for name in (ALL, *(one.name for one, _ in self.systems))])
        self.set_choices("retrievers", [(name, name) for name in (ALL, *RETRIEVERS)])
        space_field: forms.ModelChoiceField = self.fields["space"]  # type: ignore[assignment]
        space_field.queryset = spaces

    def set_choices(self, name: str, given: list[tuple[str, str]]) -> None:
        field: forms.ChoiceField = self.fields[name]  # type: ignore[assignment]
        field.choices = given

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        source, kind = cleaned.get("source"), cleaned.get("kind")
        field, words = {
            UPLOAD: ("file", "Choose a file."),
            FOLDER: ("folder_file", "Choose a file of the folder."),
            SAMPLE: ("sample_file", "Choose a sample."),
        }.get(source or "", ("source", ""))
        if words and field not in self.errors and not cleaned.get(field):
            self.add_error(field, words)
        systems = "retrievers" if kind == RETRIEVAL else "responders"
        if kind and systems not in self.errors and not cleaned.get(systems):
            self.add_error(systems, "Choose at least one.")
        if cleaned.get("sample") is not None and cleaned.get("limit") is None and "limit" not in self.errors:
            self.add_error("limit", "Say how many cases to draw.")
        engine, space = cleaned.get("engine") or "", cleaned.get("space")
        for name in ("engine", "judge_engine"):
            offer = next((one for one in self.engines if one.value == (cleaned.get(name) or "")), None)
            if space is not None and offer is not None and offer.spaces and str(space.pk) not in offer.spaces.split():
                self.add_error(name, f"This engine is not offered in {space.name}.")
        return {**cleaned, "engine": engine}

    @property
    def judge_named(self) -> str:
        """The judge as runs name it: its kind, and the engine behind it where that is another than the run's."""
        kind, engine = self.cleaned_data["judge"], self.cleaned_data["judge_engine"]
        return f"{kind}@{engine}" if kind and kind != words.NAME and engine else kind

    @property
    def plan(self) -> RunPlan:
        given = self.cleaned_data
        named = given["retrievers" if given["kind"] == RETRIEVAL else "responders"]
        return RunPlan(
            kind=given["kind"],
            systems=(ALL,) if ALL in named else tuple(named),
            engine=given["engine"],
            judge=self.judge_named,
            limit=given["limit"],
            questions=given["questions"],
            sample=given["sample"],
            repeat=given["repeat"] or 1,
            keeps_spaces=given["keeps_spaces"],
        )

    @contextmanager
    def opened(self) -> Iterator[tuple[Path, str]]:
        """Give the path of the data and the name by which people know it. Raises `RunRefused`."""
        given = self.cleaned_data
        if given["source"] == UPLOAD:
            with uploaded(given["file"], given["file"].name or "") as path:
                yield path, given["file"].name or path.name
        else:
            files, name = (
                (self.folder, given["folder_file"])
                if given["source"] == FOLDER
                else (self.samples, given["sample_file"])
            )
            yield files[name], name


class OverrideForm(forms.Form):
    """A person's score of one figure, with the reason."""

    metric = forms.CharField(max_length=60)
    value = forms.FloatField(error_messages={"required": "Give a score.", "invalid": "Give a number."})
    comment = forms.CharField(
        max_length=2_000, error_messages={"required": "Say in a few words why, so that others can judge your score."}
    )
