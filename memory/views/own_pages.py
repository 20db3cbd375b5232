"""How the pages of a person's own things are handed out."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

ViewT = TypeVar("ViewT", bound=Callable[..., Any])


def own_page(view: ViewT) -> ViewT:
    """Let a page be read only, and kept by no browser and no proxy."""
    return never_cache(require_safe(view))
