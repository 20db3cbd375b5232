"""What Django checks before a command runs: that the settings name roles and players that there are."""

from __future__ import annotations

from typing import Any

from django.core import checks

from memory.core.errors import UnknownRole


@checks.register
def roles_are_known(**_: Any) -> list[checks.CheckMessage]:
    from memory.bootstrap import (
        roles_check,  # Its adapters take a moment to import, which no other start has to wait for.
    )

    try:
        roles_check()
    except UnknownRole as error:
        return [checks.Error(str(error), id="memory.E001")]
    return []
