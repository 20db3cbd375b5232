"""What tokens open: every address of the API, by every method, in the scope and the space that they were made for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from conversations.services import conversation_create
from dsmart_web.token_scopes import ROWS as NAMED
from memory.models import Space, TokenRecord
from memory.services import space_create
from memory.services.tokens import TokenGrant, token_account, token_make
from tests.integration.dsmart_web import test_api_tenancy as walk
from tests.integration.dsmart_web.test_api_tenancy import ADDRESSES, path_of, snapshot

pytestmark = pytest.mark.django_db
anas, told = walk.anas, walk.told
API = [(name, arguments) for name, arguments in ADDRESSES if name.startswith("api-")]
LISTS = ("api-spaces", "api-conversations", "api-runs", "api-annotation-projects", "api-acts")
EVERYWHERE = [*API, *((name, ()) for name in LISTS)]
IDS = [name for name, _ in EVERYWHERE]
CHANGES = ("post", "patch", "put", "delete")


def client_of(user: User, **chosen: object) -> APIClient:
    return APIClient(HTTP_AUTHORIZATION=f"Token {token_make(user=user, **chosen)}", enforce_csrf_checks=True)


def test_rows_of_every_address_are_named():
    named = {*NAMED, "space_id", "form", "name"}
    assert {argument for _, arguments in API for argument in arguments} <= named


@pytest.mark.parametrize(("name", "arguments"), EVERYWHERE, ids=IDS)
def test_read_token_changes_nothing(anas, name, arguments):
    reader = client_of(anas.owner, scope="read")
    path, before, spaces = path_of(name, arguments, anas.owner), snapshot(), Space.objects.count()
    answers = [getattr(reader, method)(path, {"name": "x", "text": "x"}, format="json") for method in CHANGES]
    assert {answer.status_code for answer in answers} == {403}
    assert answers[0].json()["detail"].startswith("This token may only read, and this takes the scope ")
    assert (snapshot(), Space.objects.count()) == (before, spaces)


@pytest.mark.parametrize(("name", "arguments"), EVERYWHERE, ids=IDS)
def test_read_token_reads_what_its_person_reads_but_no_log(anas, name, arguments):
    path, browser = path_of(name, arguments, anas.owner), APIClient()
    browser.force_authenticate(anas.owner)
    read, head = (getattr(client_of(anas.owner, scope="read"), method)(path).status_code for method in ("get", "head"))
    assert read == head == (403 if name in ("api-acts", "api-space-acts") else browser.get(path).status_code)


@pytest.mark.parametrize(("name", "arguments"), API, ids=[name for name, _ in API])
def test_token_of_one_space_finds_nothing_in_another(anas, name, arguments):
    other = space_create(name="Other", owner=anas.owner)
    stranger = client_of(anas.owner, scope="admin", space=other)
    path, before = path_of(name, arguments, anas.owner), snapshot()
    codes = {method: getattr(stranger, method)(path, {}, format="json").status_code for method in ("get", *CHANGES)}
    assert set(codes.values()) <= {404, 405} and codes["get" if codes["get"] != 405 else "post"] == 404, codes
    assert snapshot() == before


def test_token_of_one_space_lists_and_makes_in_it_alone(anas):
    other = space_create(name="Other", owner=anas.owner)
    conversation_create(owner=anas.owner, space=other, title="Elsewhere")
    bound = client_of(anas.owner, scope="write", space=other)
    assert [row["name"] for row in bound.get(reverse("api-spaces")).json()["results"]] == ["Other"]
    assert [row["title"] for row in bound.get(reverse("api-conversations")).json()["results"]] == ["Elsewhere"]
    assert bound.post(reverse("api-spaces"), {"name": "New"}, format="json").status_code == 403
    made = bound.post(reverse("api-conversations"), {"title": "Here"}, format="json")
    assert (made.status_code, made.json()["space"]) == (201, other.pk)
    strange = bound.post(reverse("api-conversations"), {"title": "There", "space": anas.space_id}, format="json")
    assert strange.status_code == 404
    assert bound.get(reverse("api-runs")).json() == {
        "detail": "This token opens one memory, and this address is not of one memory."
    }


def test_acts_of_owners_take_the_scope_admin(anas):
    path = reverse("api-space", args=[anas.space_id])
    writer, manager = client_of(anas.owner, scope="write"), client_of(anas.owner, scope="admin")
    assert [writer.patch(path, {"name": "W"}, format="json").status_code, writer.delete(path).status_code] == [403, 403]
    assert writer.delete(path).json() == {
        "detail": "This token may only read and write, and this takes the scope admin."
    }
    assert manager.patch(path, {"name": "M"}, format="json").json()["name"] == "M"


def test_expired_and_revoked_tokens_are_refused(anas):
    expired, revoked = (token_make(user=anas.owner, name=name) for name in ("expired", "revoked"))
    TokenRecord.objects.filter(name="expired").update(expires_at=timezone.now() - timedelta(seconds=1))
    TokenRecord.objects.filter(name="revoked").delete()
    for token in (expired, revoked):
        answer = APIClient(HTTP_AUTHORIZATION=f"Token {token}").get(reverse("api-spaces"))
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Token")
        assert answer.json() == {
            "detail": "This token is not known, or it was revoked or has expired. Make another one."
        }


def test_grant_tells_what_it_allows(anas):
    space = anas.space_id
    token = token_make(user=anas.owner, scope="write", space=anas.space)
    grant = token_account(token)
    made = TokenRecord.objects.latest("pk")
    assert grant == TokenGrant(user=anas.owner, scope="write", space_id=space, token_id=made.pk)
    asked = [("read", space), ("write", space), ("admin", space), ("read", space + 1), ("read", None)]
    assert [grant.allows(*one) for one in asked] == [True, True, False, False, False]
    everywhere = token_account(token_make(user=anas.owner, scope="read"))
    assert [everywhere.allows(*one) for one in asked] == [True, False, False, True, True]


def test_last_use_is_written_once_a_minute(anas, django_assert_num_queries):
    token = token_make(user=anas.owner, name="used")
    with django_assert_num_queries(2):
        token_account(token)
    first = TokenRecord.objects.get(name="used").used_at
    with django_assert_num_queries(1):
        token_account(token)
    assert TokenRecord.objects.get(name="used").used_at == first
    TokenRecord.objects.filter(name="used").update(used_at=first - timedelta(minutes=2))
    token_account(token)
    assert TokenRecord.objects.get(name="used").used_at >= first


def test_every_operation_tells_its_scope():
    scopes = {
        (method, path): operation["x-token-scope"]
        for path, item in SchemaGenerator().get_schema(request=None, public=True)["paths"].items()
        for method, operation in item.items()
        if path != "/api/schema/"
    }
    assert {scope for (method, path), scope in scopes.items() if method == "get" and "acts" not in path} == {"read"}
    assert {key for key, scope in scopes.items() if scope == "admin"} == {
        ("get", "/api/acts/"),
        ("get", "/api/spaces/{space_id}/acts/"),
        ("patch", "/api/spaces/{space_id}/quota/"),
        ("patch", "/api/spaces/{space_id}/"),
        ("delete", "/api/spaces/{space_id}/"),
    }
