"""Every file that a person takes out, fetched whole from a web server, outside of any transaction of the test's."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoDbBlocker
from rdflib import Dataset

from evaluation.models import AnnotationItem, ReviewMember
from memory.services.tokens import token_make
from tests.integration.dsmart_web.test_api_tenancy import ADDRESSES, path_of, rows_of_ana
from tests.integration.evaluation import annotated
from tests.product import ROOT, served_here

pytestmark = pytest.mark.django_db


def graph(form: str) -> Callable[[str], int]:
    """Return how the triples of a graph are counted."""

    def parse(text: str) -> int:
        told = Dataset()
        told.parse(data=text, format=form)
        return len(told)

    return parse


def table(text: str) -> int:
    head, *rows = csv.reader(io.StringIO(text))
    assert {len(row) for row in rows} == {len(head)}
    return len(rows)


def lines(text: str) -> int:
    return len([json.loads(line) for line in text.splitlines()])


def document(text: str) -> int:
    return len(json.loads(text))


def headings(text: str) -> int:
    return sum(line.startswith("#") for line in text.splitlines())


TABLE, LINES = ("text/csv; charset=utf-8", table), ("application/jsonl; charset=utf-8", lines)
DOCUMENT, MARKDOWN = ("application/json", document), ("text/markdown; charset=utf-8", headings)
GRAPHS = {
    "turtle": ("text/turtle; charset=utf-8", graph("turtle")),
    "json-ld": ("application/ld+json; charset=utf-8", graph("json-ld")),
    "rdf-xml": ("application/rdf+xml; charset=utf-8", graph("xml")),
    "n-quads": ("application/n-quads; charset=utf-8", graph("nquads")),
}
CONVERSATION = {"json": DOCUMENT, "markdown": MARKDOWN}
RUN = {"json": DOCUMENT, "jsonl": LINES, "csv": TABLE}
REVIEW = {"jsonl": LINES, "csv": TABLE, "facts": DOCUMENT}


@dataclass(frozen=True)
class Download:
    """An address with its form, as part of it or as a parameter, and what its file is."""

    name: str
    kind: tuple[str, Callable[[str], int]]
    form: str = ""
    query: str = ""
    method: str = "get"

    def __str__(self) -> str:
        return " ".join(filter(None, (self.method, self.name, self.form, self.query)))


DOWNLOADS = [
    *(Download(name, DOCUMENT) for name in ("space-export", "api-space-export")),
    Download("api-graph", GRAPHS["turtle"]),
    *(Download("api-graph", kind, query=form) for form, kind in GRAPHS.items()),
    *(Download(name, TABLE, query="csv") for name in ("space-acts", "acts")),
    *(Download("conversation-export", kind, form) for form, kind in CONVERSATION.items()),
    *(Download("api-conversation-export", kind, query=form) for form, kind in CONVERSATION.items()),
    *(Download(name, kind, form) for name in ("run-export", "api-run-export") for form, kind in RUN.items()),
    *(Download("review-export", kind, form, method="post") for form, kind in REVIEW.items()),
    *(
        Download("api-annotation-export", RUN[form], form, method=by)
        for by in ("get", "post")
        for form in ("jsonl", "csv")
    ),
]


@dataclass(frozen=True)
class Served:
    """A web server, and what a browser and a program of Ana's send with each request."""

    url: str
    ana: User
    headers: dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def product(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Served]:
    """Ana's rows, committed, with an item that two people agree on, and a web server that reads them."""
    with django_db_blocker.unblock():
        try:
            ana, ben = rows_of_ana().owner, annotated.account("ben")
            User.objects.filter(pk=ana.pk).update(is_staff=True)
            item = AnnotationItem.objects.get()
            ReviewMember.objects.create(space=item.project.space, user=ben, role="annotator")
            annotated.says(ben, item, annotated.YES)
            browser, secret = Client(), "a" * 32
            browser.force_login(ana)
            cookies = f"sessionid={browser.session.session_key}; csrftoken={secret}"
            headers = {
                "session": {"cookie": cookies, "x-csrftoken": secret},
                "token": {"authorization": f"Token {token_make(user=ana)}"},
            }
            with served_here() as port:
                yield Served(f"http://localhost:{port}", ana, headers)
        finally:
            call_command("flush", verbosity=0, interactive=False)


def address(one: Download, owner: User) -> str:
    path = path_of(one.name, dict(ADDRESSES).get(one.name, ()), owner, form=one.form)
    return f"{path}?form={one.query}" if one.query else path


BY = [(one, by) for one in DOWNLOADS for by in ("session", "token") if by == "session" or one.name.startswith("api-")]


@pytest.mark.parametrize(("one", "by"), BY, ids=[f"{one} by {by}" for one, by in BY])
def test_download_comes_whole(product: Served, one: Download, by: str) -> None:
    url = product.url + address(one, product.ana)
    answer = httpx.request(one.method, url, headers=product.headers[by], timeout=60)
    media_type, records = one.kind
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type), answer.text
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert answer.headers["cache-control"].startswith("private, no-store")
    declared = answer.headers.get("content-length")
    assert declared == str(len(answer.content)) if declared else answer.headers["transfer-encoding"] == "chunked"
    assert records(answer.text) > 0


def test_modules_that_send_files_are_those_whose_files_are_fetched_above() -> None:
    sending = {
        "memory/views/acts.py", "memory/views/spaces.py", "conversations/views/transfer.py",
        "evaluation/views/review/results.py", "evaluation/views/runs/export.py", "evaluation/api/annotation.py",
    }  # fmt: skip
    files = [file for app in ("memory", "conversations", "evaluation") for file in (ROOT / app).rglob("*.py")]
    found = {str(file.relative_to(ROOT)) for file in files if "downloads import download" in file.read_text()}
    assert found == sending
