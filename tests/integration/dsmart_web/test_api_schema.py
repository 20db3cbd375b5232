"""The API's description: without warnings, complete, and shown under the product's own content policy."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ana"))
    return client


@pytest.fixture(scope="module")
def schema() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


def test_schema_is_valid_and_without_warnings(tmp_path):
    GENERATOR_STATS.reset()
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


def test_every_operation_has_a_summary_a_tag_and_an_answer(schema):
    operations = [
        (method, path, operation)
        for path, item in schema["paths"].items()
        for method, operation in item.items()
        if path != "/api/schema/"
    ]
    assert len(operations) > 25
    for method, path, operation in operations:
        assert operation.get("summary") and operation.get("tags") and operation["responses"], (method, path)
        assert operation["tags"] != ["api"], (method, path)


def test_turns_and_messages_name_the_idempotency_key(schema):
    for path in ("/api/sessions/{session_id}/turns/", "/api/conversations/{conversation_id}/messages/"):
        parameters = schema["paths"][path]["post"]["parameters"]
        assert "Idempotency-Key" in [parameter["name"] for parameter in parameters]


def test_page_of_the_api_has_no_script_or_style_of_its_own(browser):
    page = browser.get(reverse("api-docs"))
    html = page.content.decode()
    assert page.status_code == 200 and "swagger-ui-bundle.js" in html
    scripts = re.findall(r"<script\b([^>]*)>(.*?)</script>", html, re.S)
    assert scripts and all("src=" in attributes and not body.strip() for attributes, body in scripts)
    assert "<style" not in html and " style=" not in html and not re.search(r"\son\w+=", html)
    assert "unsafe" not in page.headers["Content-Security-Policy"]


def test_script_of_the_page_is_served_as_script(browser):
    html = browser.get(reverse("api-docs")).content.decode()
    address = re.search(r'<script src="([^"]*script=[^"]*)"', html).group(1)
    answer = browser.get(address)
    assert answer.headers["Content-Type"].startswith("application/javascript")
    assert reverse("api-schema") in answer.content.decode().replace("\\u002D", "-")
