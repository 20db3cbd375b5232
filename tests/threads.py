"""Threads of tests, which see what their test sees."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any


def seeing_thread(target: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> threading.Thread:
    return threading.Thread(target=copy_context().run, args=(target, *args), kwargs=kwargs or {})
