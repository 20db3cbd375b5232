"""Django system checks of memory's settings: the roles and players in `DSMART_ROLES` must exist."""

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
