"""Whose the rows of a table are.

A model with a foreign key `space` is that space's. The configuration of an app says the others: `belongs_through` names the
foreign key to the row that they go with, `of_no_space` those that are nobody's. `gives_access` names the models whose rows
let a user into a space.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import AppConfig, apps
from django.db import models

# Accounts, browser sessions and what Django itself keeps.
OF_NO_SPACE = {"admin", "auth", "authtoken", "contenttypes", "sessions"}


class Undeclared(Exception):
    """Raised for a model of which nobody said whose its rows are."""


@dataclass(frozen=True)
class Table:
    """A table whose rows are of spaces: by the column `space`, or by the row `key` of `parent` that `column` refers to."""

    name: str
    column: str
    parent: str = ""
    key: str = ""
    gives_access: bool = False

    @property
    def columns(self) -> Iterator[tuple[str, str]]:
        """Yield the tables and columns that its policy reads."""
        yield self.name, self.column
        if self.parent:
            yield self.parent, self.key


def tables() -> list[Table]:
    """Return the tables with rows of spaces. Raises `Undeclared`."""
    return [table for model in all_models() if (table := table_of(model)) is not None]


@cache
def access_tables() -> tuple[str, ...]:
    return tuple(table.name for table in tables() if table.gives_access)


def all_models() -> Iterator[type[models.Model]]:
    return (model for model in apps.get_models(include_auto_created=True) if model._meta.managed)


def table_of(model: type[models.Model]) -> Table | None:
    """Return whose the rows of a model are; None where they are nobody's. Raises `Undeclared`."""
    meta, config = model._meta, model._meta.app_config
    if meta.app_label in OF_NO_SPACE or model.__name__ in declared(config, "of_no_space"):
        return None
    if meta.label == "memory.Space":
        return Table(meta.db_table, key_of(model))
    through = {**declared(config, "belongs_through"), **dict.fromkeys(spaces_keys(model), "space")}.get(model.__name__)
    if through is None and meta.auto_created:
        through = next(field.name for field in meta.local_fields if field.is_relation)
    if through is None:
        raise Undeclared(
            f"Nobody says whose the rows of {meta.label} are. Give it a foreign key `space`, or name it in "
            f"`belongs_through` or `of_no_space` of {meta.app_label}/apps.py."
        )
    field: Any = meta.get_field(through)
    if through == "space":
        return Table(meta.db_table, field.column, gives_access=model.__name__ in declared(config, "gives_access"))
    parent = field.related_model
    return Table(meta.db_table, field.column, parent._meta.db_table, key_of(parent))


def key_of(model: type[models.Model]) -> str:
    key: Any = model._meta.pk
    return str(key.column)


def spaces_keys(model: type[models.Model]) -> list[str]:
    return [model.__name__ for field in model._meta.local_fields if field.name == "space" and field.is_relation]


def declared(config: AppConfig | None, name: str) -> dict[str, str]:
    return dict.fromkeys(found, "") if isinstance(found := getattr(config, name, {}), (set, tuple)) else found
