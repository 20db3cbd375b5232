"""Narrows a task to the space of the row that it is about."""

from contextlib import AbstractContextManager

from django.db.models import Model

from memory.adapters.row_security.scope import everything, spaces


def space_of(model: type[Model], row_id: int, path: str = "space_id") -> AbstractContextManager[None]:
    """Let a block see the space of a row, which `path` leads to; where the row is gone, nothing."""
    with everything():
        found = model._default_manager.filter(pk=row_id).values_list(path, flat=True).first()
    return spaces(found)
