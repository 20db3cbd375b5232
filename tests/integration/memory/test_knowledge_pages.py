"""The page and the API of knowledge bases: whose they are, what they show of foreign text, and what they cost."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.models import KnowledgeBaseRecord, OutboxRecord, Space
from memory.selectors.knowledge import ENTITIES, entities_starting_with
from memory.services import space_create
from memory.services.knowledge import knowledge_work
from memory.services.knowledge.bases import UPLOAD_LIMIT
from memory.services.space_json import space_export
from tests.integration.memory.api import address, client_of, results
from tests.integration.memory.knowledge import BOOKS, base_of, tsv

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def others(db) -> KnowledgeBaseRecord:
    """A base of somebody else's."""
    return base_of(space_create(name="Ben's", owner=User.objects.create_user("ben")), "Secret\tis\there\n", "Ben's")


def page_of(reader: Client, space: Space, **query: object) -> str:
    answer = reader.get(reverse("space-knowledge", args=[space.pk]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def file_of(content: str | bytes, name: str = "books.tsv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())


def test_empty_page_teaches_the_command(reader, space, others):
    shown = page_of(reader, space)
    assert f"manage.py import_knowledge FILE --space {space.pk}" in shown
    assert "Ben" not in shown and "Look up" not in shown


def test_bases_are_shown_with_counts_source_and_licence(reader, space):
    base_of(space, licence="CC BY 4.0")
    shown = page_of(reader, space)
    for words in ("Books", "5 facts about 7 things", "from books.tsv · CC BY 4.0", "Remove Books? Its 5 facts"):
        assert words in shown
    assert "every 2s" not in shown


def test_upload_is_imported_in_the_background_and_its_progress_is_asked_for(reader, space):
    sent = {"file": file_of(tsv(BOOKS)), "name": "", "licence": "CC0"}
    answer = reader.post(reverse("knowledge-new", args=[space.pk]), sent, follow=True)
    shown = answer.content.decode()
    assert "books is being brought in." in shown and "being brought in, 0 %" in shown and "every 2s" in shown
    base = KnowledgeBaseRecord.objects.get()
    assert (base.name, base.space, base.licence) == ("books", space, "CC0")
    promised = OutboxRecord.objects.get(task="memory.knowledge_work")
    assert (promised.arguments, promised.queue) == ({"base_id": base.pk}, "imports")
    knowledge_work(base_id=base.pk)
    shown = page_of(reader, space)
    assert "5 facts about 7 things" in shown and "every 2s" not in shown


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "Choose a file."),
        ({"file": file_of(b"\x89PNG\x00\x01")}, "expected text in UTF-8. Nothing was brought in."),
        ({"file": file_of("Hello.")}, "has none of the formats"),
        ({"file": file_of(""), "name": "x"}, "The file is empty."),
        ({"file": file_of(tsv(BOOKS)), "name": "x" * 121}, "at most 120 characters"),
        ({"file": file_of("a\tb\tc\n" * (UPLOAD_LIMIT // 6 + 1))}, "larger than 16 MB"),
    ],
)
def test_upload_that_cannot_be_taken_says_why_beside_the_form(reader, space, sent, told):
    answer = reader.post(reverse("knowledge-new", args=[space.pk]), sent)
    assert answer.status_code == 422 and told in answer.content.decode()
    assert not KnowledgeBaseRecord.objects.exists()


def test_same_name_or_file_again_is_refused(reader, space):
    base_of(space)
    for sent, told in (
        ({"file": file_of(tsv(BOOKS)), "name": "Other"}, "This file is here already, as &#x27;Books&#x27;."),
        ({"file": file_of("a\tb\tc\n"), "name": "Books"}, "There is a knowledge base &#x27;Books&#x27; already."),
    ):
        answer = reader.post(reverse("knowledge-new", args=[space.pk]), sent)
        assert answer.status_code == 422 and told in answer.content.decode()


def test_entity_is_looked_up_by_the_beginning_of_its_name_in_pages(reader, space):
    base_of(space, tsv((f"Item {number:03}", "is", "a thing") for number in range(ENTITIES + 5)))
    first = entities_starting_with(space, "ITEM")
    second = entities_starting_with(space, "item", after=first.after)
    assert [one.name for one in (*first.entities, *second.entities)] == [f"Item {number:03}" for number in range(25)]
    assert (second.after, entities_starting_with(space, "%").entities) == (None, ())
    shown = page_of(reader, space, q="a thing")
    assert "25 facts" in shown and "Item 009" in shown and "Item 010" not in shown
    assert f"after={first.after}" in page_of(reader, space, q="item")


def test_text_of_a_file_is_never_markup(reader, space):
    base_of(space, f"{EVIL}\tis <b>bold</b>\t{EVIL}x\n", name=f"Base {EVIL}", licence=EVIL)
    for query in ({}, {"q": "script alert"}, {"q": EVIL}):
        shown = page_of(reader, space, **query)
        assert EVIL not in shown and "<b>bold" not in shown and "&lt;script&gt;" in shown


def test_removed_base_is_gone_at_once_and_its_rows_go_behind(reader, space):
    base = base_of(space)
    answer = reader.post(reverse("knowledge-remove", args=[space.pk, base.pk]), follow=True)
    assert "Books is removed" in answer.content.decode() and "being removed" in answer.content.decode()
    assert "Stephen King" not in page_of(reader, space, q="Stephen")
    knowledge_work(base_id=base.pk)
    assert "There is no knowledge from elsewhere yet" in page_of(reader, space)


def test_page_takes_as_many_queries_however_much_there_is(reader, space):
    base_of(space)
    with CaptureQueriesContext(connection) as few:
        page_of(reader, space, q="c")
    for number in range(5):
        base_of(space, tsv((f"c {place}", f"r {number}", "x") for place in range(50)), f"Base {number}")
    with CaptureQueriesContext(connection) as many:
        page_of(reader, space, q="c")
    assert len(few) == len(many) <= MOST_QUERIES


def test_anothers_base_is_not_found_on_the_page(reader, space, others):
    for url in (
        reverse("space-knowledge", args=[others.space_id]),
        reverse("space-knowledge", args=[space.pk]) + f"?base={others.pk}",
        reverse("space-knowledge", args=[space.pk]) + "?base=x",
    ):
        assert reader.get(url).status_code == 404
    for url in (
        reverse("knowledge-remove", args=[space.pk, others.pk]),
        reverse("knowledge-remove", args=[others.space_id, others.pk]),
        reverse("knowledge-new", args=[others.space_id]),
    ):
        assert reader.post(url, {"file": file_of(tsv(BOOKS))}).status_code == 404
    others.refresh_from_db()
    assert (others.state, KnowledgeBaseRecord.objects.count()) == ("ready", 1)


def test_api_takes_lists_reads_asks_and_removes(ana, space, others):
    api = client_of(ana)
    sent = {"file": BytesIO(tsv(BOOKS).encode()), "name": "Books", "licence": "CC0"}
    made = api.post(address("knowledge-bases", space.pk), sent, format="multipart")
    assert made.status_code == 202
    assert (made.json()["state"], made.json()["licence"], made.json()["form"]) == ("importing", "CC0", "tsv")
    number = made.json()["id"]
    knowledge_work(base_id=number)
    assert [(one["name"], one["triples"]) for one in results(api.get(address("knowledge-bases", space.pk)))] == [
        ("Books", 5)
    ]
    assert api.get(address("knowledge-base", number)).json()["state"] == "ready"
    asked = {"dialogue": ["I like Carrie.", "Who wrote it, Stephen Kinng?"], "limit": 1}
    found = api.post(address("knowledge-candidates", space.pk), asked, format="json").json()
    assert found == [
        {"subject": "It", "relation": "written by", "object": "Stephen King", "source": "Books", "base": number}
    ]
    assert api.get(address("space", space.pk)).json()["counts"]["knowledge_triples"] == 5
    [told] = json.loads("".join(space_export(space=space, reader=space.members.get())))["knowledge_bases"]
    assert (told["name"], told["licence"], told["triples"]) == ("Books", "CC0", 5)
    assert api.delete(address("knowledge-base", number)).status_code == 204
    assert api.post(address("knowledge-candidates", space.pk), asked, format="json").json() == []


def test_api_refuses_what_cannot_be_taken(ana, space):
    api = client_of(ana)
    for sent, told in (
        ({"file": BytesIO(b"Hello."), "name": "Books"}, "none of the formats"),
        ({"file": BytesIO(b"a\tb\tc\n"), "name": "Books", "form": "opendialkg"}, "not a valid choice"),
        ({"file": BytesIO(b"a\tb\tc\n")}, "required"),
    ):
        answer = api.post(address("knowledge-bases", space.pk), sent, format="multipart")
        assert answer.status_code == 400 and told in answer.content.decode()
    for asked in ({}, {"dialogue": []}, {"dialogue": ["x"], "limit": 1_001}, {"dialogue": "x"}):
        assert api.post(address("knowledge-candidates", space.pk), asked, format="json").status_code == 400


def test_api_does_not_find_anothers_base(ana, others):
    api = client_of(ana)
    assert api.get(address("knowledge-bases", others.space_id)).status_code == 404
    assert (
        api.post(address("knowledge-candidates", others.space_id), {"dialogue": ["x"]}, format="json").status_code
        == 404
    )
    assert api.get(address("knowledge-base", others.pk)).status_code == 404
    assert api.delete(address("knowledge-base", others.pk)).status_code == 404
    others.refresh_from_db()
    assert others.state == "ready"
