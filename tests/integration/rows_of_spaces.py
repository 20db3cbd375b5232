"""A row of a space in each table that has rows of spaces, made from what the models say of their columns."""

from __future__ import annotations

import itertools
import uuid
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import VectorField

from memory.adapters.row_security.tenancy import all_models, table_of
from memory.models import Space

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
VALUES: list[tuple[type[models.Field], Any]] = [
    (SearchVectorField, lambda: "word"),
    (models.UUIDField, uuid.uuid4),
    (models.BooleanField, lambda: False),
    (models.DateTimeField, lambda: NOW),
    (models.FloatField, lambda: 0.5),
    (models.IntegerField, lambda: 0),
    (models.BinaryField, lambda: b""),
    (models.JSONField, dict),
    (ArrayField, list),
    (VectorField, lambda: [0.05] * 384),
]
numbers = itertools.count()


class RowsOfSpace:
    """Rows of one space, one a model: those that a row refers to are the space's too."""

    def __init__(self, space: Space, user: User) -> None:
        self.rows: dict[type[models.Model], models.Model] = {Space: space, User: user}

    def row(self, model: type[models.Model]) -> models.Model:
        if model not in self.rows:
            values = {
                field.attname: self.value(field)
                for field in model._meta.concrete_fields
                if not field.generated and not (field.primary_key and not field.remote_field)
            }
            self.rows[model] = model._base_manager.create(**values)
        return self.rows[model]

    def value(self, field: models.Field) -> Any:
        if field.remote_field is not None:
            refers_to_itself = field.null and field.related_model is field.model
            return None if refers_to_itself else self.row(field.related_model).pk
        if field.null:
            return None
        for kind, value in VALUES:
            if isinstance(field, kind):
                return value()
        return f"{next(numbers)}" if isinstance(field, models.CharField | models.TextField) else None


def models_of_spaces() -> list[type[models.Model]]:
    return [model for model in all_models() if table_of(model) is not None]


def rows_made(space: Space, user: User) -> dict[type[models.Model], models.Model]:
    """Make a row of each kind in a space, and return them."""
    made = RowsOfSpace(space, user)
    return {model: made.row(model) for model in [*models_of_spaces(), User]}
