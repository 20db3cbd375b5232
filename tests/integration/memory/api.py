"""Speaking JSON to the API as a person."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse
from rest_framework.test import APIClient


def client_of(user: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


def address(name: str, *arguments: object) -> str:
    return reverse(f"api-{name}", args=arguments)


def results(answer: Any) -> list[dict[str, Any]]:
    """Return the rows of one page of a list."""
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]
