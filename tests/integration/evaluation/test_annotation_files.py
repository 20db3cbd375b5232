"""Projects as files: what is written is read back the same, and of a file with a fault nothing is taken."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command

from evaluation.core.errors import AnnotationRefused, MalformedAnnotation, UnknownFormat
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, Guideline, ReviewEvent, Settlement
from evaluation.selectors.annotation.events import is_unblinded
from evaluation.selectors.annotation.items import disputes_of
from evaluation.services.annotation.adjudication import item_settle, item_withdraw
from evaluation.services.annotation.answers import answer_undo
from evaluation.services.annotation.files.importing import items_import, project_import
from evaluation.services.annotation.files.writing import project_export
from evaluation.services.annotation.projects import guideline_add, project_make
from evaluation.services.annotation.queue import items_take
from evaluation.services.annotation.standing import item_restand
from tests.integration.evaluation.annotated import NO, YES, item, project, says, team

pytestmark = pytest.mark.django_db
FORMULAS = ("=1+1", "'=1+1", "''@x", "+7", "-2", "@you", "'tis so", "plain", 'say "a,b"\nand more')


@pytest.fixture
def people():
    return team(ana="annotator", ben="annotator", eve="curator")


@pytest.fixture
def whole(people) -> AnnotationProject:
    """A project in which everything happened that a file can tell of."""
    space, one = people
    made = project(space, one["owner"], order="stratified", gold_every=3, lease_minutes=7)
    some = [item(made, f"k{n}", place=n + 0.25, stratum="ab"[n % 2], cluster=f"d{n}") for n in range(len(FORMULAS))]
    for row, words in zip(some, FORMULAS, strict=True):
        row.content = {
            "fact": words,
            "dialogue": [{"speaker": "Ana", "text": "=SUM(A1)"}],
            "evidence": [{"title": "", "text": "Why?"}],
        }
        row.machine, row.machine_by, row.source = NO, "small model", {"speaker": "B", "n": [1, None]}
        row.save()
        item_restand(row)
    item(made, "gold", place=20, gold=YES)
    says(one["ana"], some[0], YES, comment="=cmd", milliseconds=1234)
    says(one["ben"], some[0], YES)
    guideline_add(project=made, text="Look twice.", by=one["owner"])
    says(one["ana"], some[1], YES)
    says(one["ben"], some[1], NO, comment="No.\nReally.")
    item_settle(item=some[1], by=one["eve"], answer=NO, reason="-the second is right")
    item_settle(item=some[1], by=one["owner"], answer=YES, reason="No: the first.", again=True)
    says(one["ana"], some[2], YES)
    says(one["ben"], some[2], NO)
    answer_undo(annotation=says(one["ana"], some[3], NO), user=one["ana"])
    says(one["ana"], some[3], YES)
    item_withdraw(item=some[4], by=one["eve"], why="Nobody can read it.")
    says(one["ana"], AnnotationItem.objects.get(key="gold"), NO)
    return made


def written(project: AnnotationProject, by: Any, form: str = "jsonl", **options: Any) -> str:
    return "".join(project_export(project=project, by=by, form=form, **options))


def saved(tmp_path: Path, text: str, name: str = "labels.jsonl") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def counts() -> tuple[int, ...]:
    return tuple(
        model.objects.count() for model in (AnnotationProject, AnnotationItem, Annotation, Settlement, Guideline)
    )


def test_full_json_lines_come_back_as_the_same_project(whole, people, tmp_path):
    space, one = people
    before = written(whole, one["eve"], is_full=True)
    again, count = project_import(space=space, by=one["owner"], path=saved(tmp_path, before))
    assert count == len(FORMULAS) + 1
    assert written(again, one["eve"], is_full=True) == before
    columns = ("key", "place", "standing", "wants", "final", "pattern", "why", "gold", "machine_by")
    assert [*again.items.order_by("key").values_list(*columns)] == [*whole.items.order_by("key").values_list(*columns)]
    said = ("item__key", "name", "answer", "guideline__version", "comment", "milliseconds", "created_at", "undone_at")
    assert [*Annotation.objects.filter(item__project=again).order_by("pk").values_list(*said)] == [
        *Annotation.objects.filter(item__project=whole).order_by("pk").values_list(*said)
    ]
    assert not Annotation.objects.filter(item__project=again).exclude(by=None).exists()
    assert [*again.guidelines.values_list("version", "text", "created_at")] == [
        *whole.guidelines.values_list("version", "text", "created_at")
    ]


def test_table_comes_back_as_the_same_items_and_has_no_formula(whole, people, tmp_path):
    space, one = people
    before = written(whole, one["eve"], "csv", is_full=True)
    cells = [cell for row in csv.reader(io.StringIO(before, newline="")) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))]
    assert {"'=1+1", "''=1+1", "'''@x", "'+7", "'-2", "'@you", "'tis so"} <= set(cells)
    path = saved(tmp_path, before, "labels.csv")
    with pytest.raises(
        MalformedAnnotation, match=r"does not tell what its items are\. Name the kind: Conflicts .*\(conflict_verdict\)"
    ):
        project_import(space=space, by=one["owner"], path=path)
    again, _ = project_import(space=space, by=one["owner"], path=path, kind="fact_verdict", name="Again")
    assert written(again, one["eve"], "csv", is_full=True) == before
    assert (again.name, again.guidelines.count()) == ("Again", 2)


def test_export_of_finished_items_tells_nothing_of_others_and_leaves_its_taker_blind(whole, people):
    _, one = people
    text = written(whole, one["eve"])
    assert [json.loads(line).get("key") for line in text.splitlines()] == [None, "k0", "k1"]
    assert [event.what for event in ReviewEvent.objects.filter(project=whole).order_by("-pk")[:1]] == ["export"]
    assert not is_unblinded(whole, one["eve"])
    written(whole, one["eve"], is_full=True)
    assert is_unblinded(whole, one["eve"]) and not is_unblinded(whole, one["owner"])
    for form in ("facts", "messages", "xml"):
        with pytest.raises(AnnotationRefused, match="form"):
            written(whole, one["eve"], form, is_full=True)
    with pytest.raises(PermissionDenied):
        project_export(project=whole, by=one["ana"], form="csv")


HEADER = {"annotation": 1, "kind": "fact_verdict", "name": "Facts"}
GOOD = {"key": "a", "content": {"fact": "Rome is old."}}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"content": {"fact": "x"}}, "record 3, field key: missing"),
        ({"key": "b"}, "record 3, field content: missing"),
        ({"key": "b", "content": {"evidence": []}}, r"row 3: The field fact \(Fact\) is missing"),
        (GOOD | {"key": "b", "labl": 1}, "row 3: there is no field 'labl'"),
        (GOOD | {"key": "b", "machine": {"verdict": "perhaps"}}, "row 3: verdict has no label 'perhaps'"),
        (GOOD | {"labels": [{"name": "Ana", "answer": {"verdict": "maybe"}}]}, r"row 3, field labels\[0\].answer: verdict"),
        (GOOD | {"labels": [{"answer": YES}]}, r"record 3, field labels\[0\].name: missing"),
        (GOOD | {"labels": [{"name": "A", "answer": YES}] * 2}, "row 3, field labels: 'A' labelled the item twice"),
        (GOOD | {"labels": [{"name": "A", "answer": YES, "at": "soon"}]}, r"labels\[0\].at: expected a date and time"),
        (GOOD | {"labels": [{"name": "A", "answer": YES, "guideline": 0}]}, r"guideline: expected a whole number from 1"),
        (GOOD | {"settlements": [{"name": "A", "answer": YES}]}, r"record 3, field settlements\[0\].reason: missing"),
        (GOOD | {"place": -1}, "record 3, field place: expected a number from 0 on, got -1"),
        (GOOD | {"place": 10**400}, "record 3, field place: expected a number from 0 on"),
        (GOOD | {"key": "b", "source": {"a": [float("nan")]}}, "row 3: The source of an item has a number that is none"),
        (GOOD | {"standing": "finished"}, "record 3, field standing: expected one of open, disputed"),
        (GOOD | {"labels": [{"name": " ", "answer": YES}]}, r"record 3, field labels\[0\].name: expected words"),
        (GOOD | {"settlements": [{"name": "A", "answer": YES, "reason": ""}]}, r"settlements\[0\].reason: expected words"),
        ("not an object", "record 3: expected an object"),
    ],
)  # fmt: skip
def test_faulty_row_is_named_with_its_field_and_nothing_is_taken(people, tmp_path, record, told):
    space, one = people
    path = saved(tmp_path, "".join(json.dumps(line) + "\n" for line in (HEADER, GOOD, record)))
    made = project(space, one["owner"])
    before = counts()
    for bring in (
        lambda: project_import(space=space, by=one["owner"], path=path),
        lambda: items_import(project=made, by=one["eve"], path=path),
    ):
        with pytest.raises(MalformedAnnotation, match=told):
            bring()
        assert counts() == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("key,content.fact,colour\na,x,red\n", "row 1: there is no column 'colour'"),
        ("key,content.fact,labels\na,x,[]\nb,y,[\n", "row 3, field labels: the cell: not JSON"),
        ("key,content.fact,machine.verdict\na,x,true\nb,y,yes\n", "row 3: verdict has no label 'yes'"),
        ("key,content.fact,place\na,x,first\n", "row 2, field place: expected a number, got 'first'"),
        ("key,content.fact\na,x,true\n", "row 2 has more cells than the head"),
        ("key,content.fact\n", "there is no record in it"),
    ],
)
def test_faulty_row_of_a_table_is_named(people, tmp_path, text, told):
    space, one = people
    before = counts()
    with pytest.raises(MalformedAnnotation, match=told):
        project_import(space=space, by=one["owner"], path=saved(tmp_path, text, "t.csv"), kind="fact_verdict")
    assert counts() == before


@pytest.mark.parametrize("content", ["", "hello\n", '{"a": 1}\n', "[]", "[1]", "a,b\n1,2\n"])
def test_file_of_another_form_is_refused(people, tmp_path, content):
    space, one = people
    with pytest.raises((UnknownFormat, MalformedAnnotation), match=r"no items that can be labelled|no record"):
        project_import(space=space, by=one["owner"], path=saved(tmp_path, content, "f.txt"))


def test_items_that_are_there_are_passed_over_and_labels_of_more_people_leave_items_open(people, tmp_path):
    space, one = people
    labels = [{"name": "Old hand", "answer": NO, "at": "2024-05-06T07:08:09+00:00"}]
    lines = [GOOD, GOOD | {"key": "b", "labels": labels}]
    path = saved(tmp_path, "".join(json.dumps(line) + "\n" for line in lines))
    made, count = project_import(space=space, by=one["owner"], path=path, kind="fact_verdict")
    assert (made.name, count) == ("labels", 2)
    assert [*made.items.order_by("key").values_list("key", "standing", "wants")] == [("a", "open", 2), ("b", "open", 1)]
    [label] = Annotation.objects.filter(item__project=made)
    assert (label.name, label.by, label.created_at) == ("Old hand", None, datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC))
    assert items_import(project=made, by=one["eve"], path=path) == 0
    with pytest.raises(PermissionDenied):
        items_import(project=made, by=one["ana"], path=path)


@pytest.mark.parametrize("apart", [0, 1_500])
def test_key_that_stands_twice_in_a_file_is_refused_with_both_rows(people, tmp_path, apart):
    space, one = people
    between = [GOOD | {"key": f"k{number}"} for number in range(apart)]
    path = saved(tmp_path, "".join(json.dumps(line) + "\n" for line in (HEADER, GOOD, *between, GOOD)))
    before = counts()
    with pytest.raises(MalformedAnnotation, match=rf"^row {apart + 3}: row 2 has the key 'a' already\."):
        project_import(space=space, by=one["owner"], path=path)
    assert counts() == before


@pytest.mark.parametrize("divider", [";", "\t"])
def test_table_of_another_spreadsheet_comes_back_as_the_same_items(whole, people, tmp_path, divider):
    space, one = people
    before = written(whole, one["eve"], "csv", is_full=True)
    out = io.StringIO()
    rows = csv.reader(io.StringIO(before, newline=""))
    csv.writer(out, delimiter=divider, quoting=csv.QUOTE_ALL).writerows(rows)
    path = saved(tmp_path, f"\ufeff{out.getvalue()}", "labels.csv")
    again, _ = project_import(space=space, by=one["owner"], path=path, kind="fact_verdict", name="Again")
    assert written(again, one["eve"], "csv", is_full=True) == before


def test_bad_row_behind_ten_thousand_good_ones_leaves_nothing(people, tmp_path):
    space, one = people
    rows = [HEADER, *(GOOD | {"key": f"k{number}"} for number in range(10_000)), GOOD | {"machine": {"verdict": "so"}}]
    path = saved(tmp_path, "".join(json.dumps(row) + "\n" for row in [*rows, GOOD]))
    before = counts()
    with pytest.raises(MalformedAnnotation, match="row 10002: verdict has no label 'so'"):
        project_import(space=space, by=one["owner"], path=path)
    assert counts() == before


def test_versions_of_the_guideline_that_a_file_leaves_out_are_made(people, tmp_path):
    space, one = people
    header = HEADER | {"guidelines": [{"version": 1, "text": "One."}, {"version": 4, "text": "Four."}]}
    labelled = GOOD | {"labels": [{"name": "A", "answer": YES, "guideline": 3}]}
    path = saved(tmp_path, "".join(json.dumps(line) + "\n" for line in (header, labelled)))
    made, _ = project_import(space=space, by=one["owner"], path=path)
    assert [*made.guidelines.values_list("version", "text")] == [(1, "One."), (2, "One."), (3, "One."), (4, "Four.")]
    assert Annotation.objects.get(item__project=made).guideline.version == 3


def test_guideline_of_a_file_is_read_as_one_that_is_written(people, tmp_path):
    space, one = people
    header = HEADER | {"guidelines": [{"version": 2, "text": " "}]}
    path = saved(tmp_path, "".join(json.dumps(line) + "\n" for line in (header, GOOD)))
    before = counts()
    with pytest.raises(AnnotationRefused, match="Write a guideline"):
        project_import(space=space, by=one["owner"], path=path)
    assert counts() == before


def test_who_labelled_in_a_file_neither_labels_nor_settles_the_item_again(people, tmp_path):
    space, one = people
    said = [{"name": "ana", "answer": YES}, {"name": "eve", "answer": NO}]
    rows = [HEADER, GOOD | {"labels": said[:1]}, GOOD | {"key": "b"}, GOOD | {"key": "c", "labels": said}]
    path = saved(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    made, _ = project_import(space=space, by=one["owner"], path=path)
    assert [lease.item.key for lease in items_take(project=made, user=one["ana"], count=5)] == ["b"]
    assert [[one.key for one in disputes_of(made, one[name])] for name in ("eve", "owner")] == [[], ["c"]]
    with pytest.raises(AnnotationRefused, match="You labelled this item yourself"):
        item_settle(item=made.items.get(key="c"), by=one["eve"], answer=NO, reason="I said so.")


def test_file_of_another_kind_is_refused(people, tmp_path):
    space, one = people
    made = project_make(space=space, by=one["owner"], name="Rate", kind="human_evaluation")
    path = saved(tmp_path, json.dumps(HEADER) + "\n" + json.dumps(GOOD) + "\n")
    with pytest.raises(AnnotationRefused, match="is for a project of the kind fact_verdict, not human_evaluation"):
        items_import(project=made, by=one["owner"], path=path)


@pytest.mark.parametrize("divider", [",", ";"])
def test_triples_and_rewrites_of_benchmarks_become_items(people, tmp_path, divider):
    space, one = people
    rows = [("history", "response")]
    for who, where in (("Maya", "Oslo"), ("Bob", "Bonn")):
        said = f"<user> Do you know {who}?<assistant> Yes.<user> Where is {who}?"
        rows.append((f"Given the knowledge: {who}<sep> lives in<sep> {where}{said}", "There."))
    out = io.StringIO()
    csv.writer(out, delimiter=divider).writerows(rows)
    made, count = project_import(space=space, by=one["owner"], path=saved(tmp_path, out.getvalue(), "dialkg.csv"))
    assert (made.kind, count) == ("triple_relevance", 3)
    told = made.items.order_by("pk").values_list("content__triple", "stratum", "cluster", "dataset")
    assert [*told] == [
        ("Maya lives in Oslo", "given", "1", "dialkg"),
        ("Bob lives in Bonn", "given", "2", "dialkg"),
        ("Maya lives in Oslo", "other", "2", "dialkg"),
    ]
    assert made.items.order_by("pk").first().content["dialogue"] == [
        {"speaker": "User", "text": "Do you know Maya?"},
        {"speaker": "Assistant", "text": "Yes."},
        {"speaker": "User", "text": "Where is Maya?"},
    ]
    case = {
        "history": ["I have a cat named Momo.", "How old?"],
        "utterance": "She is four.",
        "rewrites": ["Momo is four.", "It is four."],
    }
    path = saved(tmp_path, json.dumps(case) + "\n", "rewrites.jsonl")
    made, count = project_import(space=space, by=one["owner"], path=path)
    assert (made.kind, count) == ("reformulation_quality", 2)
    assert made.items.get(key="1/2").content == {
        "rewrite": "It is four.",
        "utterance": "She is four.",
        "dialogue": [
            {"speaker": "User", "text": "I have a cat named Momo."},
            {"speaker": "Assistant", "text": "How old?"},
            {"speaker": "User", "text": "She is four."},
        ],
    }


def test_command_brings_in_and_takes_out_and_tells_faults(owner, tmp_path, capsys):
    path = saved(tmp_path, "".join(json.dumps(line) + "\n" for line in (HEADER, GOOD)))
    call_command("annotation", "import", str(path))
    made = AnnotationProject.objects.get()
    assert f"Project {made.pk}, “Facts”: 1 new item." in capsys.readouterr().out
    call_command("annotation", "export", str(tmp_path / "out.jsonl"), project=made.pk, full=True)
    assert [json.loads(line).get("key") for line in (tmp_path / "out.jsonl").read_text().splitlines()] == [None, "a"]
    with pytest.raises(CommandError, match="There is no annotation project 99 of"):
        call_command("annotation", "export", str(tmp_path / "out.jsonl"), project=99)
    with pytest.raises(CommandError, match="No reply of these days was checked"):
        call_command("annotation", "sample", project=made.pk)
    with pytest.raises(CommandError, match=r"missing.jsonl cannot be read"):
        call_command("annotation", "import", str(tmp_path / "missing.jsonl"))
