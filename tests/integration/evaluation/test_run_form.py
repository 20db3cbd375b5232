"""The form of a new run: data from a sample, an upload or the server's folder, and what it refuses."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from evaluation.benchmarks.catalogue import read_cases
from evaluation.core.retrieval import read_evidence
from evaluation.models import EvaluationRun, RunState
from evaluation.services import run_data
from memory.models import Membership, OutboxRecord, Space
from memory.services import space_create
from memory.services.members import member_add
from tests.integration.evaluation.conftest import moving_case
from tests.integration.evaluation.test_run_pages import plain

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def begin(client: Client, into: Space, **fields: object) -> tuple[int, str]:
    given = {
        "source": "sample", "sample_file": "two_people.jsonl", "kind": "answers", "responders": ["graph"], "engine": "",
        "space": into.pk, **fields,
    }  # fmt: skip
    answer = client.post(reverse("run-new"), {name: value for name, value in given.items() if value is not None})
    return answer.status_code, answer.content.decode()


def file_of(*cases: object, name: str = "moves.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "".join(json.dumps(case) + "\n" for case in cases).encode())


def test_bundled_samples_have_answers_evidence_and_dialogue():
    files = run_data.sample_files()
    assert list(files) == ["two_people.jsonl"]
    cases = list(read_cases(files["two_people.jsonl"]))
    assert [(case.id, len(case.questions)) for case in cases] == [("mira", 6), ("tomas", 6)]
    assert [len(read_evidence(case).asked) for case in cases] == [5, 5]
    assert {question.category for case in cases for question in case.questions} == {
        "one step", "two steps", "what changed", "not known",
    }  # fmt: skip


def test_form_offers_what_can_be_measured(reader, space):
    html = reader.get(reverse("run-new")).content.decode()
    assert 'name="responders" value="d_smart"' in html and 'name="responders" value="sgmem_s_mfi"' in html
    assert 'name="retrievers" value="bm25_t"' in html and 'value="two_people.jsonl"' in html
    assert "folder_file" not in html and "data-takes-long" in html
    assert re.search(r"Search step by step</strong>\s*<code>d_smart</code>", html)


def test_form_begins_with_ones_own_memory_also_for_who_was_let_into_an_older_one(client, space):
    ben = User.objects.create_user("ben")
    own = space_create(name="Ben's", owner=ben)
    member_add(space=space, user=ben)
    client.force_login(ben)
    html = client.get(reverse("run-new")).content.decode()
    assert re.findall(r'<option value="(\d+)" selected', html) == [str(own.pk)]


def test_run_on_a_sample_is_made_and_started(reader, owner, space):
    status, _ = begin(
        reader, space, name="Mine", tags="first, small,first", limit="1", questions="1", sample="7", repeat="2",
        responders=["graph", "d_smart"], keeps_spaces="on",
    )  # fmt: skip
    run = EvaluationRun.objects.get()
    assert status == 302 and (run.name, run.tags, run.created_by) == ("Mine", ["first", "small"], owner)
    assert (run.space, run.systems, run.state) == (space, ["graph", "d_smart"], RunState.RUNNING)
    assert run.keeps_spaces and run.data_name == "two_people.jsonl" and run.benchmark == "jsonl"
    asked = {name: run.plan[name] for name in ("kind", "limit", "questions", "sample", "repeat")}
    assert asked == {"kind": "answers", "limit": 1, "questions": 1, "sample": 7, "repeat": 2}
    assert OutboxRecord.objects.filter(task="evaluation.play_run", arguments={"run_id": run.pk}).exists()
    assert run.items.count() == 3 * 2 * 2


def test_uploaded_file_is_measured_under_its_own_name(reader, space):
    status, _ = begin(reader, space, source="upload", sample_file=None, file=file_of(moving_case("ana")))
    run = EvaluationRun.objects.get()
    assert (status, run.data_name, run.cases.get().key) == (302, "moves.jsonl", "ana")


def test_name_of_an_upload_may_be_long_in_any_script(reader, space):
    name = f"{'对话' * 60}.jsonl"
    status, _ = begin(reader, space, source="upload", sample_file=None, file=file_of(moving_case("ana"), name=name))
    assert (status, EvaluationRun.objects.get().data_name) == (302, name)
    status, html = begin(reader, space, source="upload", file=SimpleUploadedFile(name, b"[1"))
    assert status == 422 and "not JSON" in plain(html)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            b'{"id": "ana", "sessions": [{"started_at": "yesterday", "turns": []}]}\n',
            r"record 1.*started_at.*yesterday",
        ),
        (json.dumps(moving_case()).encode() + b'\n{"id": "b"', r"record 2: not JSON"),
        (b"\xff\xfe\x00", r"UTF-8"),
        (b'{"id": 1' + b"0" * 5_000 + b"}\n", r"too many digits"),
        (b"[]", r"record 1: expected an object"),
        (b'{"id": "ana", "sessions": []}\n', r"nothing to measure"),
    ],
)
def test_file_that_cannot_be_read_is_refused_with_record_and_field(reader, space, content, why):
    status, html = begin(reader, space, source="upload", file=SimpleUploadedFile("own.jsonl", content))
    said = plain(html)
    assert status == 422 and "Nothing was begun." in said and re.search(why, said), said[:600]
    assert not EvaluationRun.objects.exists()


def test_upload_over_the_limit_is_refused_with_what_to_do(reader, space, monkeypatch):
    monkeypatch.setattr(run_data, "UPLOAD_LIMIT", 100)
    status, html = begin(reader, space, source="upload", file=file_of(moving_case()))
    assert status == 422 and "DSMART_BENCHMARKS" in html and not EvaluationRun.objects.exists()


def test_file_of_the_folder_is_measured_and_nothing_beside_it(reader, space, settings, tmp_path: Path):
    folder = tmp_path / "benchmarks"
    (folder / "own").mkdir(parents=True)
    (folder / "own" / "moves.jsonl").write_text(json.dumps(moving_case("ana")) + "\n")
    (folder / "notes.txt").write_text("no benchmark")
    (tmp_path / "secret.jsonl").write_text(json.dumps(moving_case("secret")) + "\n")
    (folder / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    settings.DSMART_BENCHMARKS = folder
    html = reader.get(reverse("run-new")).content.decode()
    assert re.findall(
        r'<option value="([^"]*)"[^>]*>[^<]*', html.split('name="folder_file"')[1].split("</select>")[0]
    ) == ["own/moves.jsonl"]
    for name in ("../secret.jsonl", "link.jsonl", str(tmp_path / "secret.jsonl"), ""):
        assert begin(reader, space, source="folder", folder_file=name)[0] == 422
    assert begin(reader, space, source="folder", folder_file="own/moves.jsonl")[0] == 302
    assert EvaluationRun.objects.get().data_name == "own/moves.jsonl"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"responders": None}, "Choose at least one."),
        ({"responders": ["nobody"]}, "nobody is not one of the available choices"),
        ({"kind": "retrieval"}, "Choose at least one."),
        ({"source": "upload"}, "Choose a file."),
        ({"sample_file": ""}, "Choose a sample."),
        ({"sample": "1"}, "Say how many cases to draw."),
        ({"limit": "0"}, "greater than or equal to 1"),
        ({"repeat": "99"}, "less than or equal to 20"),
        ({"tags": ",".join(map(str, range(9)))}, "At most 8 tags"),
        ({"space": "999999"}, "Choose one of your memories."),
        ({"engine": "http:none"}, "not one of the available choices"),
        ({"responders": ["base"]}, "asks a language model, and the engine 'builtin' has none"),
        ({"judge": "answer"}, "has none"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_reason(reader, space, fields, why):
    status, html = begin(reader, space, **fields)
    assert status == 422 and why in plain(html), plain(html)[:900]
    assert not EvaluationRun.objects.exists()


def test_what_was_filled_in_stays_after_a_refusal(reader, space):
    _, html = begin(reader, space, responders=["base", "graph"], name="Kept <b>", limit="3")
    assert 'value="Kept &lt;b&gt;"' in html and 'name="limit" min="1" value="3"' in html
    assert re.search(r'value="graph" checked', html) and re.search(r'value="base" checked', html)


def test_run_for_anothers_space_is_refused(reader, owner, space):
    other = space_create(name="Eve's", owner=User.objects.create_user("eve"))
    status, html = begin(reader, other)
    assert status == 422 and "Choose one of your memories." in unescape(html) and "Eve's" not in unescape(html)
    Membership.objects.create(space=other, user=owner)
    assert begin(reader, other)[0] == 302


def test_retrievers_are_measured_without_responders(reader, space):
    assert begin(reader, space, kind="retrieval", responders=None, retrievers=["bm25_t"])[0] == 302
    run = EvaluationRun.objects.get()
    assert (run.kind, run.systems, run.items.count()) == ("retrieval", ["bm25_t"], 10)
