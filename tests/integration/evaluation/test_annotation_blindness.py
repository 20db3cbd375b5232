"""Nobody is told by the API what the machine, a colleague, a gold answer or a settlement says before they may know it.

Every address of the API of annotation is asked by every method, each time as if nothing had been asked before.
"""

from __future__ import annotations

import uuid

import pytest
from django.core.cache import cache
from django.db import transaction
from django.urls import get_resolver, reverse
from rest_framework.test import APIClient

from evaluation.models import AnnotationItem
from evaluation.services.annotation.adjudication import item_settle
from evaluation.services.annotation.projects import project_make
from memory.services.tokens import token_make
from tests.integration.evaluation.annotated import account, item, says, streamed, team

pytestmark = pytest.mark.django_db
MACHINE, ENGINE, COLLEAGUE, COMMENT, GOLD, FINAL, REASON, SAMPLED = (
    "zebramachine", "zebraengine", "zebracolleague", "zebracomment", "zebragold", "zebrafinal", "zebrareason",
    "zebrasampled",
)  # fmt: skip
OPEN = {MACHINE, ENGINE, COLLEAGUE, COMMENT, GOLD, SAMPLED}
ENDED = {"okapimachine", "okapicolleague", "okapicomment", FINAL, REASON}
METHODS = ("get", "post", "put", "patch", "delete", "options")
# The body that each address takes. A new address without a line here fails.
BODIES = {
    "projects": {"name": "More", "kind": "message_facts"},
    "project": {},
    "take": {"count": 9},
    "agreement": {},
    "disputes": {},
    "export": {},
    "item": {},
    "answers": {"answer": {"facts": []}},
    "skip": {"reason": "It is long."},
    "settlement": {"answer": {"facts": []}, "reason": "It is so.", "again": True},
    "answer": {},
}


def facts(word):
    return {"facts": [[word, "other:mentions", "a thing", ""]]}


@pytest.fixture
def world():
    """Open items (one a gold check) that a colleague labelled, and a settled one; Ana has labelled another item."""
    space, who = team(ana="annotator", ben="annotator", rob="reader", cur="curator", adj="curator")
    made = project_make(space=space, by=who["owner"], name="Talk", kind="message_facts", gold_every=2)
    content = {"message": "I have a thing."}
    hidden = {"machine_by": ENGINE, "stratum": SAMPLED, "cluster": SAMPLED, "source": {"from": SAMPLED}}
    for key, columns in (("plain", {}), ("check", {"gold": facts(GOLD)})):
        says(
            who["ben"],
            item(made, key, content=content, machine=facts(MACHINE), **hidden, **columns),
            facts(COLLEAGUE),
            comment=COMMENT,
        )
    ended = item(made, "ended", content=content, machine=facts("okapimachine"))
    says(who["ben"], ended, facts("okapicolleague"), comment="okapicomment")
    says(who["adj"], ended, {"facts": []})
    item_settle(item=ended, by=who["owner"], answer=facts(FINAL), reason=REASON)
    own = says(who["ana"], item(made, "own", content=content), {"facts": []})
    return made, {**who, "eve": account("eve")}, own


def addresses(made, own):
    """Yield name and path of every address of the API of annotation, for every row that its id may stand for."""
    names = {
        name.removeprefix("api-annotation-"): patterns
        for name, patterns in get_resolver().reverse_dict.items()
        if isinstance(name, str) and name.startswith("api-annotation-")
    }
    assert set(names) == set(BODIES)
    for name in BODIES:
        [(_, arguments)] = get_resolver().reverse_dict.getlist(f"api-annotation-{name}")[0][0]
        if "annotated_id" in arguments:
            chosen = [{"annotated_id": one.pk} for one in AnnotationItem.objects.filter(project=made)]
        elif "annotation_id" in arguments:
            chosen = [{"annotation_id": own.pk}]
        elif "form" in arguments:
            chosen = [{"project_id": made.pk, "form": form} for form in ("jsonl", "csv")]
        else:
            chosen = [{"project_id": made.pk} if arguments else {}]
        yield from ((name, reverse(f"api-annotation-{name}", kwargs=one)) for one in chosen)


def asked(user, made, own):
    """Yield (method, name, status, text) of every request; what a request changes is taken back before the next."""
    api = APIClient(HTTP_AUTHORIZATION=f"Token {token_make(user=user)}")
    for name, path in addresses(made, own):
        for method in METHODS:
            cache.clear()
            body = {**BODIES[name], "sent_as": str(uuid.uuid4()), "space": made.space_id}
            with transaction.atomic():
                answer = getattr(api, method)(path, body if method != "get" else None, format="json")
                text = streamed(answer) if answer.streaming else answer.content.decode()
                transaction.set_rollback(True)
            yield method, name, answer.status_code, text


@pytest.mark.parametrize(
    ("name", "hidden", "answered"),
    [
        (
            "ana",
            OPEN | ENDED,
            {
                ("get", "projects"), ("get", "project"), ("post", "take"), ("get", "item"), ("post", "answers"),
                ("post", "skip"), ("delete", "answer"),
            },
        ),
        ("rob", OPEN, {("get", "projects"), ("get", "project"), ("get", "item"), ("get", "agreement")}),
        (
            "cur",
            OPEN,
            {
                ("get", "projects"), ("post", "projects"), ("get", "project"), ("post", "take"), ("get", "item"),
                ("post", "answers"), ("post", "skip"), ("post", "settlement"), ("get", "agreement"),
                ("get", "disputes"), ("get", "export"), ("post", "export"),
            },
        ),
        ("eve", OPEN | ENDED, {("get", "projects")}),
    ],
)  # fmt: skip
def test_no_answer_tells_what_may_not_be_known(world, name, hidden, answered):
    made, who, own = world
    told = [one for one in asked(who[name], made, own) if one[0] != "options"]
    # A curator who takes everything out is told everything, and labels no more.
    is_full = ("post", "export")
    leaks = [
        (method, address, word)
        for method, address, _, text in told
        for word in hidden
        if word in text and (method, address) != is_full
    ]
    assert leaks == []
    assert {(method, address) for method, address, code, _ in told if code < 300} == answered
    assert {code for _, _, code, _ in told} <= {200, 201, 204, 400, 403, 404, 405, 409}


def test_own_label_opens_what_others_said_and_no_more(world):
    made, who, _ = world
    api = APIClient(HTTP_AUTHORIZATION=f"Token {token_make(user=who['ana'])}")
    cache.clear()
    plain, check = (AnnotationItem.objects.get(project=made, key=key) for key in ("plain", "check"))
    for one in (plain, check):
        path = reverse("api-annotation-answers", args=[one.pk])
        body = {"answer": {"facts": []}, "sent_as": str(uuid.uuid4())}
        stored = api.post(path, body, format="json")
        assert stored.status_code == 201 and not [word for word in OPEN if word in stored.content.decode()]
        seen = api.get(reverse("api-annotation-item", args=[one.pk])).content.decode()
        assert {word for word in OPEN if word in seen} == {MACHINE, ENGINE, COLLEAGUE, COMMENT} | (
            {GOLD} if one == check else set()
        )
        assert '"ben"' not in seen


def test_reader_knows_what_ended(world):
    made, who, _ = world
    api = APIClient(HTTP_AUTHORIZATION=f"Token {token_make(user=who['rob'])}")
    cache.clear()
    ended = AnnotationItem.objects.get(project=made, key="ended")
    seen = api.get(reverse("api-annotation-item", args=[ended.pk])).content.decode()
    assert {word for word in ENDED if word in seen} == ENDED
