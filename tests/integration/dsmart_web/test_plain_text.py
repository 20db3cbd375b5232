"""Characters that no text has: refused with a sentence at every address and in every place of a request, never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conversations.models import Conversation
from conversations.services import conversation_create
from memory.core.plain_text import NOT_PLAIN, is_plain
from memory.services import space_personal
from memory.services.tokens import token_make
from tests.hypothesis_profiles import examples

pytestmark = pytest.mark.django_db
NAMES = ["q", "before", "text", "key", "name", "username", "file", "form", "page", "subject", "title", "next", "x"]


def addresses(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    """Yield an address for every pattern of the product's, the administrator's pages included."""
    for pattern in patterns:
        route = getattr(pattern.pattern, "_route", None)
        if route is None:
            continue
        route = re.sub(r"<(?:(\w+):)?\w+>", lambda part: "1" if part[1] == "int" else "x", route)
        if isinstance(pattern, URLPattern):
            yield before + route
        else:
            yield from addresses(pattern.url_patterns, before + route)


ADDRESSES = sorted(set(addresses(get_resolver().url_patterns)))
# UTF-8 of a half pair is not UTF-8: Django reads it as the replacement character, which is text.
FORMS = ["form", "form name", "multipart"]
PLACES = ["path", "query", "query name", "cookie", "header", *FORMS]


@pytest.fixture
def ana(db) -> User:
    user = User.objects.create_user("ana", password="correct horse battery", is_staff=True, is_superuser=True)
    space_personal(user=user)
    return user


def send(client: Client, path: str, place: str, name: str) -> Any:
    """Send a request that holds a NUL in one place."""
    match place:
        case "path":
            return client.get(f"{path}%00")
        case "query":
            return client.get(path, {name: "a\0b"})
        case "query name":
            return client.get(path, {f"{name}\0": "a"})
        case "form":
            return client.post(path, f"{name}=a%00b", content_type="application/x-www-form-urlencoded")
        case "form name":
            return client.post(path, f"{name}%00=a", content_type="application/x-www-form-urlencoded")
        case "multipart":
            return client.post(path, {f"{name}s": "a\0b", "file": SimpleUploadedFile("a.ttl", b"")})
        case "cookie":
            return client.get(path, headers={"cookie": 'sessionid="abcdefgh\\000"'})
        case _:
            return client.get(path, headers={"idempotency-key": "a\0b"})


def test_addresses_are_found_at_all():
    assert len(ADDRESSES) > 100
    assert {"/sign-in/", "/admin/login/", "/spaces/1/triples/", "/api/conversations/1/messages/"} <= set(ADDRESSES)


@settings(max_examples=examples(400), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(path=st.sampled_from(ADDRESSES), place=st.sampled_from(PLACES), name=st.sampled_from(NAMES), by=st.booleans())
def test_nul_anywhere_is_refused_with_a_sentence(ana, path, place, name, by):
    client = Client()
    if by:
        client.force_login(ana)
    answer = send(client, path, place, name)
    if path.startswith(("/api/", "/v1/")) and place in FORMS:
        # The API and the doors take JSON; the one address that takes a form is tested below. The documentation asks
        # for a sign-in.
        is_sign_in = path == "/api/docs/" and not by and answer.status_code == 302
        assert is_sign_in or answer.status_code in {400, 401, 403, 404, 405, 415}
        return
    assert answer.status_code == 400
    if path.startswith("/api/"):
        assert answer.json() == {"detail": NOT_PLAIN}
    else:
        assert NOT_PLAIN in answer.content.decode()


BROKEN = st.sampled_from(["\0", "a\0b", "\ud800", "a\udfffb"])


@pytest.fixture
def token(ana: User) -> str:
    return token_make(user=ana)


BODIES = st.recursive(
    BROKEN,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, min_size=1),
    max_leaves=5,
) | st.dictionaries(BROKEN, st.just(1), min_size=1)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(body=BODIES)
def test_nul_or_half_a_character_anywhere_in_json_is_refused(ana, token, body):
    space = space_personal(user=ana)
    conversation = Conversation.objects.first() or conversation_create(owner=ana, space=space)
    client = Client(headers={"authorization": f"Token {token}"})
    for path in (f"/api/conversations/{conversation.pk}/messages/", f"/api/spaces/{space.pk}/sessions/"):
        answer = client.post(path, json.dumps(body), content_type="application/json")
        assert (answer.status_code, answer.json()) == (400, {"detail": NOT_PLAIN})


@pytest.mark.parametrize("form", [{"form": "a\0"}, {"a\0": "turtle"}])
def test_nul_in_a_form_of_the_api_is_refused(ana, form):
    client = Client(headers={"authorization": f"Token {token_make(user=ana)}"})
    path = f"/api/spaces/{space_personal(user=ana).pk}/graph/"
    answer = client.post(path, {**form, "file": SimpleUploadedFile("a.ttl", b"")})
    assert (answer.status_code, answer.json()) == (400, {"detail": NOT_PLAIN})


def test_half_a_character_in_an_address_is_read_as_another_character(ana):
    client = Client()
    client.force_login(ana)
    assert client.get("/%ED%A0%80").status_code == 404
    assert client.get("/history/?q=%ED%A0%80").status_code == 200


def test_file_name_is_cleaned_of_what_is_not_text(ana):
    client = Client()
    client.force_login(ana)
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a\x00b.ttl"\r\n'
        b"Content-Type: text/turtle\r\n\r\nno turtle\r\n--b--\r\n"
    )
    path = f"/api/spaces/{space_personal(user=ana).pk}/graph/"
    answer = client.post(path, body, content_type="multipart/form-data; boundary=b")
    assert answer.status_code == 400 and "line 1" in answer.json()["detail"]


@pytest.mark.parametrize("content", ["", "é😀", ["a", {"b": [None, 1, True, 2.5]}]])
def test_what_is_text_is_taken(content):
    assert is_plain(content)


def test_depth_is_no_matter():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert is_plain(deep)
