"""The kinds of annotation projects by name, from the files of `kinds/`: one a kind.

Reads a kind of project from a file of TOML; the name of the file is the name of the kind.

    title = "Facts of replies"
    what = "..."
    guideline = '''...'''

    [[question]]
    name = "verdict"
    title = "Is the fact borne out?"
    labels = [
        {name = "true", title = "True", key = "1", means = "Evidence or dialogue says it."},
        {name = "false", title = "False", key = "2", means = "..."},
    ]

    [[shown]]
    name = "fact"
    title = "Fact"
    form = "headline"

A question may be `form = "facts"` with `predicates`, or `is_ordinal`, or give a `metric` by the `value` of each label. One
headline is shown, and fields of other forms that may be `is_needed = false` or `is_marked`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from evaluation.core.annotation.types import Label, ProjectKind, Question, QuestionForm, ShownField, ShownForm
from evaluation.core.errors import MalformedAnnotation, UnknownName

PARTS = {"title", "what", "guideline", "question", "shown"}
NAME = re.compile(r"[a-z0-9_]{1,40}")
KEY = re.compile(r"[0-9]")


def read_kind(text: str, *, name: str) -> ProjectKind:
    """Return the kind that a file defines. Raises `MalformedAnnotation`, which names the file and what is wrong."""
    try:
        written = tomllib.loads(text)
        refuse_unless(set(written) <= PARTS, f"has no part {min(set(written) - PARTS, default='')!r}")
        kind = ProjectKind(
            name=name,
            title=words(written, "title"),
            what=words(written, "what"),
            questions=tuple(map(question_of, written["question"])),
            shown=tuple(ShownField(**{**one, "form": ShownForm(one["form"])}) for one in written["shown"]),
            guideline=words(written, "guideline"),
        )
        check(kind)
    except tomllib.TOMLDecodeError as error:
        raise MalformedAnnotation(f"{name}.toml is no TOML: {error}.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedAnnotation(f"{name}.toml: {type(error).__name__} {error}.") from error
    return kind


def question_of(written: Mapping[str, Any]) -> Question:
    parts = {
        **written,
        "form": QuestionForm(written.get("form", QuestionForm.CHOICE)),
        "labels": tuple(Label(**label) for label in written["labels"]),
        "predicates": tuple(str(written.get("predicates", "")).split()),
    }
    return Question(**parts)


def check(kind: ProjectKind) -> None:
    """Raise `ValueError` for a kind that nobody could label by: no question, two headlines, a key that chooses two labels."""
    headlines = [field.name for field in kind.shown if field.form is ShownForm.HEADLINE]
    refuse_unless(len(headlines) == 1, f"shows {len(headlines)} headlines instead of one")
    refuse_unless(bool(kind.questions), "asks no question")
    names_differ([kind.name], "a kind")
    names_differ([field.name for field in kind.shown], "a field")
    names_differ([question.name for question in kind.questions], "a question")
    for question in kind.questions:
        keys = [label.key for label in question.labels]
        names_differ([label.name for label in question.labels], f"a label of {question.name}")
        refuse_unless(all(map(KEY.fullmatch, keys)), f"the keys of {question.name} are no digits: {', '.join(keys)}")
        refuse_unless(len(keys) == len(set(keys)), f"two labels of {question.name} have one key")
        is_facts = question.form is QuestionForm.FACTS
        refuse_unless(is_facts or len(keys) > 1, f"{question.name} leaves no choice")
        refuse_unless(
            is_facts == bool(question.predicates), f"{question.name}: facts have predicates, choices have none"
        )
        has_values = all(isinstance(label.value, int | float) for label in question.labels)
        refuse_unless(not question.metric or has_values, f"{question.name} gives a metric, but a label has no figure")


def names_differ(names: list[str], what: str) -> None:
    for name in names:
        refuse_unless(bool(NAME.fullmatch(name)), f"{what} cannot be called {name!r}: small letters, digits and _ only")
    refuse_unless(len(names) == len(set(names)), f"{what} is there twice in {', '.join(names)}")


def words(written: Mapping[str, Any], name: str) -> str:
    text = written[name]
    refuse_unless(isinstance(text, str) and bool(text.strip()), f"its {name} is empty")
    return str(text).strip()


def refuse_unless(holds: bool, why: str) -> None:
    if not holds:
        raise ValueError(why)


SUFFIX = ".toml"


@cache
def kinds() -> Mapping[str, ProjectKind]:
    """Return all kinds in the order of their names. Raises `MalformedAnnotation`."""
    files = [file for file in resources.files(__package__).joinpath("kinds").iterdir() if file.name.endswith(SUFFIX)]
    read = [
        read_kind(file.read_text(encoding="utf-8"), name=file.name.removesuffix(SUFFIX))
        for file in sorted(files, key=lambda file: file.name)
    ]
    return {kind.name: kind for kind in read}


def kind_named(name: str) -> ProjectKind:
    if name not in kinds():
        raise UnknownName(f"There is no kind of annotation {name!r}. There are {', '.join(kinds())}.")
    return kinds()[name]
