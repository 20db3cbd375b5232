"""Imports in the background: read, begun, stopped, gone on with, killed; by nobody but whose they are."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from conversations.core.chat_exports import catalogue
from conversations.models import Conversation
from conversations.services import chat_imports
from conversations.services.chat_imports import Choices, chats_job_begin, chats_job_create, chats_job_work
from evaluation.performance.imports import chained, document
from memory.core.errors import QuotaReached
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.models import ImportJobRecord, ImportPieceRecord, OutboxRecord, Round, Session, Space, TripleRecord, Turn
from memory.services import import_jobs, space_personal
from memory.services.exchange import graph_job_create, rdf_import
from memory.services.exchange.import_job import graph_job_work
from memory.services.import_jobs import (
    job_begin,
    job_delete,
    job_go_on,
    job_stop,
    jobs_expire,
    jobs_waiting_promise,
)
from memory.services.members import member_add, member_remove
from memory.services.quotas import space_quota_set
from tests.chat_exports import claude_chat, written, zipped
from tests.integration.memory.api import client_of
from tests.product import ROOT
from tests.threads import seeing_thread

# The thread that tells how far an import is has a connection of its own.
pytestmark = [pytest.mark.django_db(transaction=True)]

ALL = Choices().as_json()


@pytest.fixture
def ana() -> User:
    return User.objects.create_user("ana", first_name="Ana")


@pytest.fixture
def space(ana: User) -> Space:
    return space_personal(user=ana)


@pytest.fixture(autouse=True)
def told_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_jobs, "TELL_S", 0.02)


def chats(count: int) -> list[dict]:
    return [claude_chat(f"chat-{number}", f"Chat {number}") for number in range(count)]


def read_job(space: Space, ana: User, count: int) -> ImportJobRecord:
    job = chats_job_create(space=space, owner=ana, file=zipped(chats(count)), name="data.zip")
    assert chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    return job


def test_file_at_which_workers_die_is_given_up(space, ana, monkeypatch):
    class Killed(BaseException):
        """What no import catches, like the end of its process."""

    def die(*_, **__):
        raise Killed

    job = chats_job_create(space=space, owner=ana, file=zipped(chats(1)), name="data.zip")
    with monkeypatch.context() as deadly:
        deadly.setattr(chat_imports, "export_preview", die)
        for _ in range(import_jobs.MAX_TAKINGS):
            with pytest.raises(Killed):
                chats_job_work(job_id=job.pk)
        assert not chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == ImportJobRecord.State.FAILED and "interrupted 3 times" in job.error
    assert job_go_on(job=job) and chats_job_work(job_id=job.pk)


def test_files_that_wait_are_limited_and_go_with_their_member(space, ana, monkeypatch):
    monkeypatch.setattr(import_jobs, "UNFINISHED", 2)
    ben = User.objects.create_user("ben")
    membership = member_add(space=space, user=ben)
    for by in (ana, ben, ben):
        chats_job_create(space=space, owner=by, file=zipped(chats(1)), name="data.zip")
    with pytest.raises(QuotaReached, match="2 imports of yours wait"):
        chats_job_create(space=space, owner=ben, file=zipped(chats(1)), name="data.zip")
    waiting = ImportJobRecord.objects.filter(by=ben).first()
    member_remove(membership=membership)
    assert not chats_job_work(job_id=waiting.pk)
    assert [job.by for job in ImportJobRecord.objects.all()] == [ana] and not Turn.objects.exists()


def test_import_is_held_to_what_its_memory_may_hold(space, ana):
    space_quota_set(space=space, turns=3, size=None, imports=1)
    job, second = read_job(space, ana, 3), read_job(space, ana, 1)
    assert chats_job_begin(job=job, choices=Choices())
    with pytest.raises(QuotaReached, match="1 import a day"):
        chats_job_begin(job=second, choices=Choices())
    second.refresh_from_db()
    assert second.state == "ready"
    chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == "failed" and job.error.startswith("This memory may hold 3 turns, and holds 2.")
    assert Conversation.objects.count() == 1, "what fitted stays"


def test_export_is_read_then_chosen_then_imported(space, ana):
    job = read_job(space, ana, 3)
    assert (job.state, job.form, job.preview["chats"], job.preview["messages"]) == ("ready", "claude", 3, 6)
    assert not Conversation.objects.exists()
    assert not chats_job_work(job_id=job.pk), "nobody has chosen yet"
    assert job_begin(job=job, choices=Choices(keys=frozenset({"chat-1"}), replies=True).as_json())
    assert not job_begin(job=job, choices=ALL)
    assert chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.progress, job.outcome) == ("done", 1.0, "2 messages in 1 conversation.")
    assert not ImportPieceRecord.objects.exists()
    assert Session.objects.get().replies_by == "Claude"
    assert list(OutboxRecord.objects.filter(task__contains="chats").values_list("arguments", flat=True)) in (
        [{"job_id": job.pk}] * 2,
        [],
    )


def test_stopped_import_keeps_what_it_has_says_how_much_and_goes_on(space, ana, client, monkeypatch):
    job = read_job(space, ana, 200)
    job_begin(job=job, choices=ALL)
    store, stored = chat_imports.chat_store, []

    def slow(*words, **named):
        stored.append(1)
        if len(stored) == 60:
            assert job_stop(job=job) and not job_stop(job=job)
            job.refresh_from_db()
            assert job.is_stopping
            time.sleep(0.3)
        return store(*words, **named)

    monkeypatch.setattr(chat_imports, "chat_store", slow)
    assert not chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == "stopped" and Conversation.objects.count() == 60
    assert (job.outcome, job.is_stopping) == ("120 messages in 60 conversations.", False)
    client.force_login(ana)
    page = client.get(reverse("import-job", args=[job.pk])).content.decode()
    assert "Until then were brought in: 120 messages in 60 conversations. They stay;" in page
    assert job_go_on(job=job) and not job_go_on(job=job)
    assert chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert job.outcome == "280 messages in 140 conversations. 120 were here already."
    assert (Conversation.objects.count(), Turn.objects.count()) == (200, 400)


def test_import_that_goes_on_while_its_stopped_worker_ends_is_queued_once_more(space, ana, monkeypatch):
    job = read_job(space, ana, 120)
    job_begin(job=job, choices=ALL)
    store, stored, promised = chat_imports.chat_store, [], []

    def slow(*words, **named):
        stored.append(1)
        if len(stored) == 10:
            monkeypatch.setattr(import_jobs, "job_promise", promised.append)
            job_stop(job=job)
            time.sleep(0.3)
            job.refresh_from_db()
            job_go_on(job=job)
        return store(*words, **named)

    monkeypatch.setattr(chat_imports, "chat_store", slow)
    assert not chats_job_work(job_id=job.pk)
    assert promised == [job, job] and chats_job_work(job_id=job.pk) and len(promised) == 2
    job.refresh_from_db()
    assert (job.state, Conversation.objects.count()) == ("done", 120)


def test_import_that_is_stopped_at_its_end_says_how_much_came_in(space, ana, monkeypatch):
    job = read_job(space, ana, 1)
    job_begin(job=job, choices=ALL)
    imported = chat_imports.chats_import

    def stopped_late(**named):
        added = imported(**named)
        job_stop(job=job)
        return added

    monkeypatch.setattr(chat_imports, "chats_import", stopped_late)
    assert not chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.outcome, job.is_stopping) == ("stopped", "2 messages in 1 conversation.", False)


def test_deleted_import_ends_at_its_next_step(space, ana, monkeypatch):
    job = read_job(space, ana, 120)
    job_begin(job=job, choices=ALL)
    store = chat_imports.chat_store

    def slow(*words, **named):
        if ImportJobRecord.objects.exists():
            job_delete(job=job)
            time.sleep(0.3)
        return store(*words, **named)

    monkeypatch.setattr(chat_imports, "chat_store", slow)
    assert not chats_job_work(job_id=job.pk)
    assert Conversation.objects.count() == 1 and not ImportPieceRecord.objects.exists()


def test_fault_in_the_middle_is_told_and_gone_on_from(space, ana, monkeypatch):
    job = read_job(space, ana, 120)
    job_begin(job=job, choices=ALL)
    store = chat_imports.chat_store

    def fails(chat, *words, **named):
        if chat.key == "chat-70":
            raise RuntimeError("the disk is full")
        return store(chat, *words, **named)

    monkeypatch.setattr(chat_imports, "chat_store", fails)
    assert chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", f"{import_jobs.WRONG} {import_jobs.STAYS['chats']}")
    monkeypatch.setattr(chat_imports, "chat_store", store)
    assert job_go_on(job=job) and chats_job_work(job_id=job.pk)
    assert (Conversation.objects.count(), Turn.objects.count()) == (120, 240)


def test_export_that_breaks_off_fails_with_its_sentence(space, ana):
    whole = written(chats(60)).getvalue()
    job = chats_job_create(space=space, owner=ana, file=io.BytesIO(whole[:-40]), name="conversations.json")
    assert chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == "failed" and job.error.startswith("The file ends in the middle")


@pytest.mark.parametrize("state", ImportJobRecord.State)
def test_file_with_which_nobody_goes_on_is_deleted_after_two_weeks(space, ana, state):
    job = chats_job_create(space=space, owner=ana, file=zipped(chats(1)), name="data.zip")
    rows = ImportJobRecord.objects.filter(pk=job.pk)
    rows.update(state=state, progressed_at=timezone.now() - timedelta(days=13, hours=23))
    assert jobs_expire() == 0
    rows.update(progressed_at=timezone.now() - timedelta(days=14, minutes=1))
    is_left = state in ("ready", "stopped", "failed")
    assert jobs_expire() == (1 if is_left else 0)
    assert rows.exists() == ImportPieceRecord.objects.filter(space=space).exists() == (not is_left)


def test_page_of_an_import_says_until_when_its_file_waits(space, ana, client):
    job = read_job(space, ana, 1)
    client.force_login(ana)
    day = f"{timezone.localtime(job.progressed_at) + timedelta(days=14):%-d %b %Y}"
    assert (
        f"The file waits until {day} and is deleted then."
        in client.get(reverse("import-job", args=[job.pk])).content.decode()
    )
    assert chats_job_begin(job=job, choices=Choices()) and chats_job_work(job_id=job.pk)
    assert "The file waits" not in client.get(reverse("import-job", args=[job.pk])).content.decode()


def test_page_of_an_import_says_how_much_is_still_to_be_read(space, ana, client):
    client.force_login(ana)
    job = read_job(space, ana, 2)
    address = reverse("import-job", args=[job.pk])
    assert "Still to be read" not in client.get(address).content.decode()
    assert chats_job_begin(job=job, choices=Choices()) and chats_job_work(job_id=job.pk)
    left = Round.objects.filter(space=space, maintenance="pending")
    assert left.count() > 1
    page = client.get(address).content.decode()
    assert f"Still to be read into the memory: {left.count()} exchanges that were brought in." in page
    assert "every 4s" in page
    left.update(maintenance="done")
    page = client.get(address).content.decode()
    assert "Still to be read" not in page and "every " not in page


def test_silent_job_is_asked_for_again(space, ana):
    job = chats_job_create(space=space, owner=ana, file=zipped(chats(1)), name="data.zip")
    OutboxRecord.objects.all().delete()
    assert jobs_waiting_promise(limit=10) == 0
    ImportJobRecord.objects.update(progressed_at=timezone.now() - timedelta(minutes=5))
    assert (jobs_waiting_promise(limit=10), jobs_waiting_promise(limit=10)) == (1, 0)
    assert chats_job_work(job_id=job.pk)
    ImportJobRecord.objects.update(progressed_at=timezone.now() - timedelta(minutes=5))
    assert jobs_waiting_promise(limit=10) == 0, "it waits for somebody to choose"


def test_large_file_is_kept_in_pieces(space, ana, monkeypatch):
    monkeypatch.setattr(import_jobs, "PIECE_BYTES", 1_000)
    file = written(chats(30))
    job = chats_job_create(space=space, owner=ana, file=file, name="conversations.json")
    assert ImportPieceRecord.objects.count() == -(-len(file.getvalue()) // 1_000)
    with import_jobs.job_file(job) as stream:
        assert stream.read() == file.getvalue()


def elsewhere(act: Callable[[], object]) -> None:
    """Act over another connection, as another process does."""

    def run() -> None:
        act()
        connection.close()

    thread = seeing_thread(target=run)
    thread.start()
    thread.join()


def test_graph_is_imported_whole_or_stopped_with_nothing(space, ana, monkeypatch):
    content = document(chained(350))
    job = graph_job_create(space=space, by=ana, content=content, form=GraphFormat.N_QUADS, name="chain.nq")
    commit, committed = rdf_import.fragments_commit, []

    def slow(**named):
        committed.append(1)
        if len(committed) == 2:
            elsewhere(lambda: job_stop(job=job))
            time.sleep(0.3)
        commit(**named)

    monkeypatch.setattr(rdf_import, "fragments_commit", slow)
    assert not graph_job_work(job_id=job.pk)
    assert len(committed) == 2 and not TripleRecord.objects.exists() and not Session.objects.exists()
    assert job_go_on(job=job) and graph_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.outcome) == ("done", "350 facts from 350 sentences in 1 conversation.")
    assert job_go_on(job=job) is False


def test_graph_that_cannot_be_read_fails_with_its_sentence(space, ana):
    job = graph_job_create(space=space, by=ana, content=b"<a", form=GraphFormat.TURTLE, name="x.ttl")
    assert graph_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.error[:38]) == ("failed", "The file cannot be read as Turtle: lin")


def test_pages_lead_from_the_file_to_the_conversations(space, ana):
    browser = Client()
    browser.force_login(ana)
    file = SimpleUploadedFile("data.zip", zipped(chats(3)).getvalue())
    page = browser.post(reverse("conversation-import"), {"file": file}, follow=True).content.decode()
    job = ImportJobRecord.objects.get()
    assert "The file is being read" in page and "Stop" in page
    chats_job_work(job_id=job.pk)
    page = browser.get(reverse("import-job", args=[job.pk])).content.decode()
    assert "Claude: 3 chats with 6 messages, from 1 May 2024 to 1 May 2024." in page
    assert 'Chat 2 <span class="meta">1 May 2024 · 2 messages' in page
    begin = reverse("import-begin", args=[job.pk])
    wrong = browser.post(begin, {"since": "yesterday"}, follow=True).content.decode()
    assert "Give the day as year-month-day." in wrong
    asked = {"which": "chosen", "key": ["chat-0", "chat-2"], "remember": "on"}
    assert "Being brought in" in browser.post(begin, asked, follow=True).content.decode()
    assert "was begun already" in browser.post(begin, asked, follow=True).content.decode()
    chats_job_work(job_id=job.pk)
    page = browser.get(reverse("import-job", args=[job.pk])).content.decode()
    assert "Brought in. 4 messages in 2 conversations." in page
    assert "data.zip" in browser.get(reverse("imports")).content.decode()
    browser.post(reverse("import-delete", args=[job.pk]))
    assert not ImportJobRecord.objects.exists() and Conversation.objects.count() == 2


def test_archive_of_blanks_is_refused_by_the_page_and_the_api(space, ana):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b" " * (20 * 1024**2))
    said = "data.zip becomes more than 100 times as large unpacked: it is no export."
    browser = Client()
    browser.force_login(ana)
    file = SimpleUploadedFile("data.zip", packed.getvalue())
    page = browser.post(reverse("conversation-import"), {"file": file}, follow=True)
    assert said in page.content.decode()
    file.seek(0)
    sent = client_of(ana).post(reverse("api-chats-import"), {"file": file}, format="multipart")
    assert (sent.status_code, sent.json()["detail"]) == (400, said)
    assert not ImportJobRecord.objects.exists()


def test_reading_is_stopped_where_no_chat_comes(space, ana, monkeypatch):
    monkeypatch.setattr(catalogue, "LOOKED_AT", 1)
    blanks = io.BytesIO(b" " * (3 * 1024**2))
    job = chats_job_create(space=space, owner=ana, file=blanks, name="x.json")
    counted = catalogue.ChatExport.note_read

    def stopped(export: catalogue.ChatExport, size: int) -> None:
        job_stop(job=job)
        time.sleep(0.3)
        counted(export, size)

    monkeypatch.setattr(catalogue.ChatExport, "note_read", stopped)
    assert not chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == ("stopped", "")


def test_import_that_takes_too_long_ends_and_goes_on(space, ana, monkeypatch):
    job = read_job(space, ana, 120)
    job_begin(job=job, choices=ALL)
    with monkeypatch.context() as short:
        store, clock = chat_imports.chat_store, [0.0]
        short.setattr(import_jobs, "time", SimpleNamespace(monotonic=lambda: clock[0]))

        def late(*words, **named):
            clock[0] = import_jobs.LONGEST_S + 1
            return store(*words, **named)

        short.setattr(chat_imports, "chat_store", late)
        assert chats_job_work(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.error, Conversation.objects.count()) == (
        "failed",
        f"{import_jobs.LONG} {import_jobs.STAYS['chats']}",
        1,
    )
    assert "was ended after 30 minutes" in job.error
    assert job_go_on(job=job) and chats_job_work(job_id=job.pk)
    assert Conversation.objects.count() == 120


def test_large_graph_of_a_page_becomes_a_job(space, ana):
    browser = Client()
    browser.force_login(ana)
    file = SimpleUploadedFile("chain.nq", document(chained(3_500)))
    page = browser.post(reverse("space-graph-import", args=[space.pk]), {"file": file}, follow=True).content.decode()
    assert "Being brought in" in page and ImportJobRecord.objects.get().kind == "graph"


def test_api_leads_from_the_file_to_the_conversations(space, ana):
    api = client_of(ana)
    file = SimpleUploadedFile("data.zip", zipped(chats(2)).getvalue())
    sent = api.post(reverse("api-chats-import"), {"file": file}, format="multipart")
    assert (sent.status_code, sent.json()["state"]) == (202, "reading")
    job_id = sent.json()["id"]
    begin = reverse("api-import-begin", args=[job_id])
    assert api.post(begin, {}, format="json").status_code == 409
    chats_job_work(job_id=job_id)
    assert api.get(reverse("api-import", args=[job_id])).json()["preview"]["chats"] == 2
    assert api.post(begin, {"since": "soon"}, format="json").status_code == 400
    begun = api.post(begin, {"since": "2024-01-01", "remember": False}, format="json")
    assert (begun.status_code, begun.json()["state"]) == (200, "importing")
    chats_job_work(job_id=job_id)
    assert api.get(reverse("api-imports")).json()["results"][0]["outcome"] == "4 messages in 2 conversations."
    for act in ("stop", "go-on"):
        assert api.post(reverse(f"api-import-{act}", args=[job_id])).status_code == 409
    assert api.delete(reverse("api-import", args=[job_id])).status_code == 204
    wrong = SimpleUploadedFile("x.json", b'[{"title": "x"}]')
    refused = api.post(reverse("api-chats-import"), {"file": wrong}, format="multipart")
    assert refused.status_code == 400 and "Expected is ChatGPT's export" in refused.json()["detail"]


def test_import_of_a_graph_in_the_background_by_the_api(space, ana):
    file = SimpleUploadedFile("chain.nq", document(chained(3)))
    form = {"file": file, "background": "true"}
    sent = client_of(ana).post(reverse("api-graph", args=[space.pk]), form, format="multipart")
    assert (sent.status_code, sent.json()["state"], sent.json()["kind"]) == (202, "importing", "graph")
    graph_job_work(job_id=sent.json()["id"])
    assert TripleRecord.objects.filter(space=space).count() == 3


def test_imports_of_others_are_not_found(space, ana):
    job = read_job(space, ana, 1)
    ben = User.objects.create_user("ben")
    browser, api = Client(), client_of(ben)
    browser.force_login(ben)
    assert browser.get(reverse("import-job", args=[job.pk])).status_code == 404
    for act in ("stop", "go-on", "delete", "begin"):
        assert browser.post(reverse(f"import-{act}", args=[job.pk])).status_code == 404
    assert api.get(reverse("api-import", args=[job.pk])).status_code == 404
    assert api.delete(reverse("api-import", args=[job.pk])).status_code == 404
    for act in ("stop", "go-on", "begin"):
        assert api.post(reverse(f"api-import-{act}", args=[job.pk]), {}, format="json").status_code == 404
    assert api.get(reverse("api-imports")).json()["results"] == []
    file = SimpleUploadedFile("data.zip", zipped(chats(1)).getvalue())
    sent = api.post(reverse("api-chats-import"), {"file": file, "space": space.pk}, format="multipart")
    assert sent.status_code == 404
    job.refresh_from_db()
    assert job.state == "ready"


KILLED = """
import sys
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
from conversations.services.chat_imports import chats_job_work
from memory.adapters.row_security.scope import everything
with everything():
    chats_job_work(job_id=int(sys.argv[2]))
"""


@pytest.mark.slow
def test_killed_import_goes_on_and_doubles_nothing(space, ana):
    job = read_job(space, ana, 500)
    job_begin(job=job, choices=ALL)
    words = [sys.executable, "-c", KILLED, connection.settings_dict["NAME"], str(job.pk)]
    process = subprocess.Popen(words, cwd=Path(ROOT), stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 120
        while Conversation.objects.count() < 100:
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.02)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL
    job.refresh_from_db()
    assert job.state == "importing" and 100 <= Conversation.objects.count() < 500
    while not chats_job_work(job_id=job.pk):
        time.sleep(0.1)  # the dead process's session may still be ending
    job.refresh_from_db()
    assert job.state == "done"
    assert (Conversation.objects.count(), Turn.objects.count()) == (500, 1_000)
    assert Turn.objects.values("session", "key").distinct().count() == 1_000
