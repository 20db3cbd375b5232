"""No page of *Review* tells what the machine, a colleague, a gold answer or a settlement says to who may not know it yet.

Every address below /review/ is asked by GET, and by POST with what is meant, nothing, wrong fields and what cannot be read,
each time as if nothing had been asked before. Redirects are followed, because a page that refuses is drawn again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain, product

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from evaluation.models import AnnotationItem, ReviewMember
from evaluation.selectors.annotation.events import is_unblinded
from evaluation.services.annotation.files.writing import WRITTEN
from evaluation.services.annotation.members import invitation_make
from evaluation.urls import urlpatterns
from memory.models import Membership
from memory.services import space_create
from tests.integration.evaluation.annotated import account, streamed
from tests.integration.evaluation.test_annotation_blindness import ENDED, OPEN, facts, world  # noqa: F401  (fixture)

pytestmark = pytest.mark.django_db
ANSWER = json.dumps(facts("own"))
LINES = b'{"key": "plain", "content": {"message": "I have a thing."}}\n{"key": "more", "content": {"message": "A."}}'
# The fields that each address takes. A new address without a line here fails.
FIELDS = {
    "review": {},
    "review-new": {"kind": "message_facts", "name": "More", "annotators": "2", "order": "random", "space": "SPACE"},
    "review-import": {"space": "SPACE", "name": "More", "kind": "message_facts", "file": "LINES"},
    "review-project": {},
    "review-guideline": {"text": "Read twice."},
    "review-close": {"reopen": ""},
    "review-delete": {},
    "review-fill": {"source": "file", "file": "LINES"},
    "review-machine": {},
    "review-label": {},
    "review-take": {},
    "review-guideline-now": {},
    "review-settle": {},
    "review-settle-item": {"answer": ANSWER, "reason": "It is so."},
    "review-agreement": {},
    "review-results": {},
    "review-feedback": {},
    "review-export": {"is_full": ""},
    "review-item": {},
    "review-withdraw": {"why": "Twice the same."},
    "review-teams": {},
    "review-team": {},
    "review-invite": {"role": "annotator"},
    "review-uninvite": {},
    "review-member": {"role": "annotator"},
    "review-invitation": {},
}  # fmt: skip
# What a page is asked for beside its address; `item` and `after` stand for every item.
ASKED = {
    "review-settle": [f"?{name}={{item}}" for name in ("item", "after")],
    "review-results": ["?standing=open", "?standing=settled", "?dataset=none"],
    "review-agreement": ["?view=table"],
    "review-fill": ["?source=file"],
}
WRONG = ("{[", "7", '{"facts": [[1]]}', "x" * 3000)
UNREADABLE = (
    (b"--x\r\nbroken \xff", "multipart/form-data; boundary=x"),
    (b"", "multipart/form-data"),
    (b"answer=%ff\xfe&reason=\xff", "application/x-www-form-urlencoded"),
    (b'{"answer": ', "application/json"),
)
OF_NO_TEAM = {"review", "review-new", "review-teams", "review-invitation"}
STRANGER = {*(("get", name) for name in OF_NO_TEAM), ("post", "review-invitation")}
CURATING = "close export feedback fill guideline machine new settle-item withdraw".split()
# Who has a role already takes no invitation. A file that was not chosen is said before a role is asked for.
MEMBER = {
    *(("get", name) for name in OF_NO_TEAM | {"review-project", "review-item", "review-team"}),
    ("post", "review-import"),
}
ANNOTATOR = MEMBER | {("get", "review-label"), ("post", "review-take"), ("get", "review-guideline-now")}
READER = MEMBER | {("get", "review-agreement"), ("get", "review-results")}
CURATOR = {
    *(ANNOTATOR | READER),
    *(("get", f"review-{name}") for name in ("feedback", "fill", "settle")),
    *(("post", f"review-{name}") for name in CURATING),
}
OWNER = CURATOR | {("post", f"review-{name}") for name in ("delete", "invite", "member", "uninvite")}


@pytest.fixture
def people(world):  # noqa: F811
    """The world's people, with an annotator who is of the memory too, and a stranger who owns another team."""
    made, who, _ = world
    inside = account("ida")
    Membership.objects.create(space=made.space, user=inside, role=Membership.Role.MEMBER)
    ReviewMember.objects.create(space=made.space, user=inside, role="annotator")
    space_create(name="Elsewhere", owner=who["eve"])
    return made, {**who, "ida": inside}, invitation_make(space=made.space, role="reader", by=who["owner"])


def addresses(made, who, invitation):
    """Yield name and path of every address of *Review*, for every row that its id may stand for."""
    patterns = [one for one in urlpatterns if str(one.pattern).startswith("review/")]
    assert sorted(str(one.name) for one in patterns) == sorted(FIELDS)
    items = list(AnnotationItem.objects.filter(project=made).values_list("pk", flat=True))
    invited, secret = invitation
    rows = {
        "project_id": [made.pk],
        "annotated_id": items,
        "form": [*WRITTEN, "none"],
        "space_id": [made.space_id],
        "invitation_id": [invited.pk],
        "user_id": [who["ben"].pk, who["cur"].pk],
        "secret": [secret, "none"],
    }
    for pattern in patterns:
        arguments = list(pattern.pattern.converters)
        for values in product(*(rows[name] for name in arguments)):
            path = reverse(pattern.name, kwargs=dict(zip(arguments, values, strict=True)))
            asked = [one.format(item=item) for one in ASKED.get(pattern.name, []) for item in items]
            yield pattern.name, path, ["", *dict.fromkeys(asked)]


def bodies(name, made):
    """Yield what the client is to send: what is meant, nothing, each field wrong, and what cannot be read."""
    stands = {"SPACE": str(made.space_id)}

    def filled(fields):
        file = {"file": SimpleUploadedFile("x.jsonl", LINES)} if "file" in fields else {}
        return {"data": {field: stands.get(value, value) for field, value in fields.items()} | file}

    fields = FIELDS[name]
    yield filled(fields)
    yield {"data": {}}
    for field, wrong in product(fields, WRONG):
        yield {"data": {**filled(fields)["data"], field: wrong}}
    for body, content_type in UNREADABLE:
        yield {"data": body, "content_type": content_type}


def told(client, method, path, **sent):
    """Yield status and text, headers and all, of the answer and of each page that it leads to."""
    answer = getattr(client, method)(path, **sent)
    text = streamed(answer) if answer.streaming else answer.content.decode()
    yield answer.status_code, "\n".join((str(dict(answer.headers)), answer.cookies.output(), text))
    if 300 <= answer.status_code < 400:
        yield from told(client, "get", answer.headers["Location"])


@dataclass(frozen=True)
class Told:
    """What a request led to, and whether the open items are as blind to who asked as they were before."""

    request: tuple[str, str]
    status: int
    text: str
    is_blind: bool


def sweep(user, made, who, invitation):
    """Yield what each request led to; what it changes is taken back before the next."""
    for name, path, asked in addresses(made, who, invitation):
        requests = chain(
            (("get", path + one, {}) for one in asked),
            (("post", path, sent) for sent in bodies(name, made)),
        )
        for method, at, sent in requests:
            cache.clear()
            with transaction.atomic():
                client = Client()
                client.force_login(user)
                statuses, texts = zip(*told(client, method, at, **sent), strict=True)
                still = AnnotationItem.objects.filter(project=made, key__in=("plain", "check"), standing="open").count()
                is_blind = still == 2 and not is_unblinded(made, user)
                transaction.set_rollback(True)
            yield Told((method, name), statuses[0], "\n".join(texts), is_blind)
            if (method, statuses[0]) == ("post", 405):
                break


@pytest.mark.parametrize(
    ("name", "hidden", "answered"),
    [
        ("ana", OPEN | ENDED, ANNOTATOR),
        ("ida", OPEN | ENDED, ANNOTATOR),
        ("rob", OPEN, READER),
        ("cur", OPEN, CURATOR),
        ("owner", OPEN, OWNER),
        ("eve", OPEN | ENDED, STRANGER),
    ],
)
def test_no_page_tells_what_may_not_be_known(people, name, hidden, answered):
    made, who, invitation = people
    seen = list(sweep(who[name], made, who, invitation))
    leaks = {(*one.request, one.is_blind) for one in seen if any(word in one.text for word in hidden)}
    # Who takes everything out labels no more; who withdraws an item has ended it.
    ends = {("post", "review-export", False), ("post", "review-withdraw", False)}
    assert leaks == (ends if name in ("cur", "owner") else set())
    assert {one.request for one in seen if one.status < 400} == answered
    assert {one.status for one in seen} <= {200, 201, 302, 400, 403, 404, 405, 410, 422}
    if name == "eve":
        assert {one.status for one in seen if one.request[1] not in OF_NO_TEAM} == {404, 405}
