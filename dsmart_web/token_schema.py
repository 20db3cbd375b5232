"""Describes operations of the API together with the scope that they take of a token."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from dsmart_web.token_scopes import scope_needed


class ScopedSchema(AutoSchema):
    """The description of one operation."""

    def get_description(self) -> str:
        told = f"Takes a token of the scope `{scope_needed(self.view, self.method).value}`."
        return "\n\n".join(part for part in (super().get_description(), told) if part)

    def get_extensions(self) -> dict[str, Any]:
        return {"x-token-scope": scope_needed(self.view, self.method).value}
