"""Checks what a request sends."""

from typing import Any

from rest_framework import serializers


def valid(sent: serializers.Serializer) -> dict[str, Any]:
    """Return the fields of what was sent. Raises `ValidationError`, which answers 400 and says what is wrong."""
    sent.is_valid(raise_exception=True)
    fields: dict[str, Any] = sent.validated_data
    return fields
