"""The kinds of annotation projects by name, from the files of `kinds/`: one a kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from evaluation.core.annotation.definitions import read_kind
from evaluation.core.annotation.types import ProjectKind
from evaluation.core.errors import UnknownName

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
