"""Every address of the API and the pages that has an id in it: another person's is not found, by any method.

The addresses are read from the product itself, so that a new one without a line in the table below fails here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import models
from django.test import Client
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve, reverse
from rest_framework.test import APIClient

from conversations.models import Conversation, Reply, ReplyTrace
from conversations.services import conversation_create, message_post
from evaluation.models import (
    Annotation,
    AnnotationItem,
    AnnotationProject,
    EvaluationRun,
    ReviewInvitation,
    RunItem,
)
from evaluation.services.annotation.members import invitation_make
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.models import (
    ConflictRecord,
    DigestRecord,
    EditRecord,
    EngineRecord,
    EntityRecord,
    ImportJobRecord,
    KnowledgeBaseRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    SpaceInvitation,
    StateElementRecord,
    StepRecord,
    TokenRecord,
    TripleRecord,
    Turn,
)
from memory.services import space_maintain, space_personal, triple_correct
from memory.services.added_engines import engine_add
from memory.services.exchange import graph_job_create
from memory.services.knowledge import knowledge_upload
from memory.services.members import member_invite
from memory.services.tokens import token_make
from tests.fakes.engines import small_models
from tests.integration.evaluation import annotated
from tests.integration.evaluation.measured_runs import made_run
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db

# The rows that an id in an address stands for.
ROWS: dict[str, type[models.Model]] = {
    "space_id": Space,
    "session_id": Session,
    "turn_id": Turn,
    "triple_id": TripleRecord,
    "sentence_id": SentenceRecord,
    "entity_id": EntityRecord,
    "conflict_id": ConflictRecord,
    "edit_id": EditRecord,
    "digest_id": DigestRecord,
    "engine_id": EngineRecord,
    "base_id": KnowledgeBaseRecord,
    "job_id": ImportJobRecord,
    "element_id": StateElementRecord,
    "round_id": Round,
    "conversation_id": Conversation,
    "reply_id": Reply,
    "step_id": StepRecord,
    "run_id": EvaluationRun,
    "item_id": RunItem,
    "project_id": AnnotationProject,
    "annotated_id": AnnotationItem,
    "annotation_id": Annotation,
    "invitation_id": ReviewInvitation,
    "waiting_id": SpaceInvitation,
    "user_id": User,
    "token_id": TokenRecord,
}
OTHER_ARGUMENTS = {"form": "json", "name": "livesIn", "uid": "MQ", "token": "x", "secret": "x"}
# Links that are a key themselves; the name of a model, and an address below /v1 that is not there: no rows of anybody.
OPEN_TO_ALL = {"sign-in-link", "review-invitation", "v1-model"}
METHODS = ("get", "post", "patch", "put", "delete")
REFUSED = {404, 405}


def product_addresses() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and arguments of every address of the product that takes any."""
    for pattern in product_patterns():
        arguments = tuple(pattern.pattern.converters)
        if arguments and pattern.name not in OPEN_TO_ALL:
            yield pattern.name, arguments


def product_patterns() -> Iterator[URLPattern]:
    """Yield every address of the product; the admin is Django's own."""

    def walk(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                yield pattern
            elif pattern.app_name != "admin":
                yield from walk(pattern.url_patterns)

    return walk(get_resolver().url_patterns)


ADDRESSES = sorted(product_addresses())


def rows_of_ana() -> Conversation:
    """Make a row of each model that an address may name, with facts and a reply, and return Ana's conversation."""
    with pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        ana = User.objects.create_user("ana", first_name="Ana")
        space = space_personal(user=ana)
        say(new_session(space), "I live in Paris.", "I live in Lyon.")
        space_maintain(space_id=space.pk)
        triple_correct(triple=TripleRecord.objects.get(value="Lyon"), value="Nice", by=ana)
        told = Turn.objects.earliest("pk")
        DigestRecord.objects.create(space=space, kind="fact", text="Ana lives in Paris.", said_at=told.said_at)
        StateElementRecord.objects.create(
            space=space, session=told.session, key="f1", kind="fact", status="open", description="Ana plans.", turn=1
        )
        knowledge_upload(space=space, content=b"Ana\tlives in\tParis\n", file_name="ana.tsv", name="Ana's")
        graph_job_create(space=space, by=ana, content=b"", form=GraphFormat.TURTLE, name="ana.ttl")
        engine_add(by=ana, name="Ana's", base_url="http://127.0.0.1:1/v1", model="small")
        made_run(space, ana, right={"graph": [1.0]})
        project = annotated.project(space, ana, items=1)
        annotated.says(ana, project.items.get(), annotated.YES)
        token_make(user=ana)
        invitation_make(space=space, role="annotator", by=ana)
        member_invite(space=space, username="cleo", by=ana)
        conversation = conversation_create(owner=ana, space=space, title="Secret")
        reply = message_post(conversation=conversation, text="Where do I live?")
        trace = ReplyTrace.objects.create(reply=reply, space=space, round=reply.round)
        words = {"question": "Where do I live?", "asked": "where do i live", "text": "I don't know that yet."}
        step_of = {"space": space, "trace": trace, "number": 1, "kind": "answer"}
        StepRecord.objects.create(**step_of, figures={"outcome": "unknown"}, words=words)
    return conversation


@pytest.fixture(scope="module")
def told(module_db) -> int:
    """A conversation, a session, facts and a reply of Ana's, made once."""
    with module_db.unblock():
        return rows_of_ana().pk


@pytest.fixture
def anas(told: int, db, monkeypatch: pytest.MonkeyPatch) -> Conversation:
    small_models(monkeypatch)
    cache.clear()
    return Conversation.objects.get(pk=told)


@pytest.fixture
def ben(db) -> User:
    user = User.objects.create_user("ben")
    space_personal(user=user)
    return user


def path_of(name: str, arguments: tuple[str, ...], owner: User, **given: str) -> str:
    values = {}
    for argument in arguments:
        row = ROWS.get(argument)
        if row is None:
            values[argument] = given.get(argument) or OTHER_ARGUMENTS[argument]
        else:
            values[argument] = owner.pk if row is User else row.objects.earliest("pk").pk
    return reverse(name, kwargs=values)


def snapshot() -> dict[str, list[tuple[object, ...]]]:
    """Return every value of every row of Ana's that an address could change."""
    kept = {"maintenance_token", "maintenance_until", "search", "embedding"}
    return {
        row.__name__: list(
            row.objects.order_by("pk").values_list(
                *[f.attname for f in row._meta.concrete_fields if f.name not in kept]
            )
        )
        for row in ROWS.values()
        if row not in (User, Space, TokenRecord)
    }


def test_addresses_are_found_at_all():
    names = {name for name, _ in ADDRESSES}
    assert {"api-space", "api-triple", "api-reply-events", "conversation", "memory-panel", "space-forget"} <= names
    assert all(argument in ROWS or argument in OTHER_ARGUMENTS for _, arguments in ADDRESSES for argument in arguments)


@pytest.mark.parametrize(("name", "arguments"), ADDRESSES, ids=[name for name, _ in ADDRESSES])
def test_another_persons_is_not_found(anas, ben, name, arguments):
    browser = Client(raise_request_exception=True)
    browser.force_login(ben)
    path = path_of(name, arguments, anas.owner)
    before = snapshot()
    codes = {method: getattr(browser, method)(path, content_type="application/json").status_code for method in METHODS}
    codes["post form"] = browser.post(path, {"text": "x", "value": "x", "name": "Ana's memory"}).status_code
    assert 404 in codes.values() and set(codes.values()) <= REFUSED, codes
    assert snapshot() == before


@pytest.mark.parametrize(
    ("name", "arguments"),
    [(name, arguments) for name, arguments in ADDRESSES if "space_id" in arguments],
    ids=[name for name, arguments in ADDRESSES if "space_id" in arguments],
)
def test_left_member_is_a_stranger(anas, ben, name, arguments):
    anas.space.memberships.create(user=ben)
    anas.space.memberships.filter(user=ben).delete()
    browser = Client()
    browser.force_login(ben)
    path = path_of(name, arguments, anas.owner)
    assert {browser.get(path).status_code, browser.post(path).status_code} <= REFUSED


def test_own_conversation_over_a_space_that_one_left_is_not_found(anas, ben):
    anas.space.memberships.create(user=ben)
    own = conversation_create(owner=ben, space=anas.space, title="Held before leaving")
    reply = message_post(conversation=own, text="Where does Ana live?")
    browser = Client()
    browser.force_login(ben)
    paths = [reverse("conversation", args=[own.pk]), reverse("api-reply", args=[reply.pk])]
    assert [browser.get(path).status_code for path in paths] == [200, 200]
    assert own.title in browser.get(reverse("history")).content.decode()
    anas.space.memberships.filter(user=ben).delete()
    assert [browser.get(path).status_code for path in paths] == [404, 404]
    assert browser.get(reverse("api-conversations")).json()["results"] == []
    assert own.title not in browser.get(reverse("history")).content.decode()


@pytest.mark.parametrize(("name", "arguments"), ADDRESSES, ids=[name for name, _ in ADDRESSES])
def test_nobody_is_sent_to_sign_in(anas, name, arguments):
    answer = Client().get(path_of(name, arguments, anas.owner))
    assert answer.status_code in (401, 403) if name.startswith("api-") else answer.url.startswith("/sign-in/")


@pytest.mark.parametrize("name", ["api-root", "api-spaces", "api-conversations", "api-schema"])
def test_api_wants_a_token_or_a_session(name, db):
    assert APIClient().get(reverse(name)).status_code == 401


def test_lists_show_ones_own_only(anas, ben):
    api = APIClient()
    api.force_authenticate(ben)
    assert [row["name"] for row in api.get(reverse("api-spaces")).json()["results"]] == ["My memory"]
    assert api.get(reverse("api-conversations")).json()["results"] == []


def test_session_needs_the_form_token_and_a_token_does_not(ben):
    strict = APIClient(enforce_csrf_checks=True)
    strict.force_login(ben)
    assert strict.post(reverse("api-spaces"), {"name": "x"}, format="json").status_code == 403
    by_token = APIClient(enforce_csrf_checks=True, HTTP_AUTHORIZATION=f"Token {token_make(user=ben)}")
    assert by_token.post(reverse("api-spaces"), {"name": "x"}, format="json").status_code == 201


@pytest.mark.parametrize("value", ["Token", "Token x", "Token a b", "Token \xff", "Bearer x", "Token " + "x" * 9000])
def test_wrong_tokens_are_refused(ben, value):
    token_make(user=ben)
    assert APIClient(HTTP_AUTHORIZATION=value).get(reverse("api-spaces")).status_code == 401


def test_token_of_a_switched_off_account_is_refused(ben):
    token = token_make(user=ben)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert TokenRecord.objects.filter(user=ben).exists()
    assert APIClient(HTTP_AUTHORIZATION=f"Token {token}").get(reverse("api-spaces")).status_code == 401


def test_api_is_throttled(ben, monkeypatch):
    from rest_framework.throttling import UserRateThrottle

    cache.clear()
    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": "3/min"})
    api = APIClient()
    api.force_authenticate(ben)
    assert [api.get(reverse("api-spaces")).status_code for _ in range(4)] == [200, 200, 200, 429]


LINK = re.compile(r'<[^>]* (?:href|hx-get)="([^"]*)"')
PLACE = re.compile(r' id="([^"]+)"')
# What the front end's files and Django's own pages are; a code of a sign-in link is used up by a look at it.
NOT_WALKED = ("/static/", "/admin/", "/sign-in/")


def view_at(path: str) -> str:
    """Return the name of what answers at a path, which is walked once; of what nothing answers, the path."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return path


def test_every_link_of_every_page_leads_somewhere(anas):
    """Walk from the first page and each address of Ana's, as far as links lead; each view once by each of its parameters."""
    browser = Client()
    browser.force_login(anas.owner)
    pages = [path_of(*address, anas.owner) for address in ADDRESSES if not address[0].startswith(("api-", "v1-"))]
    to_walk: list[tuple[str, str]] = [("/", ""), *((path, "") for path in pages)]
    seen, dead, places, wanted = set(), [], {}, set()
    while to_walk:
        address, asked_from = to_walk.pop()
        parts = urlsplit(address)
        if parts.path.startswith(NOT_WALKED):
            continue
        view = view_at(parts.path)
        known = {(view, name) for name in parse_qs(parts.query)} or {(view, "")}
        if known <= seen:
            continue
        seen |= known
        answer = browser.get(address, follow=True)
        if answer.status_code >= 400 and asked_from:
            dead.append((address, asked_from))
        if answer.streaming or not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        html = answer.content.decode()
        places[address] = set(PLACE.findall(html))
        for link in LINK.findall(html):
            target = urljoin(answer.request["PATH_INFO"], unescape(link)) if link else address
            if urlsplit(target).scheme in ("", "http") and urlsplit(target).netloc in ("", "testserver"):
                page, place = urldefrag(urljoin(address, unescape(link)))
                to_walk.append((page, address))
                wanted |= {(page, place, address)} if place else set()
    assert dead == []
    assert len(seen) > 60
    assert {one for one in wanted if one[0] in places and one[1] not in places[one[0]]} == set()
