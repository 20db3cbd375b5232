"""The machine's answers: the same as those that are measured, in batches, by one worker, resumed where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation import dispatch
from evaluation.core.annotation.agreement import project_agreement
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused, MalformedAnnotation
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, MachinePass
from evaluation.selectors.annotation.agreement import patterns_counted
from evaluation.services.annotation import machine
from evaluation.services.annotation.files.importing import project_import
from evaluation.services.annotation.machine import machine_promise, machine_run
from evaluation.services.annotation.projects import project_make
from evaluation.services.scores import MAX_ATTEMPTS
from memory import bootstrap
from memory.bootstrap.roles import VERIFY_FACTS
from memory.core.errors import ModelUnreachable, UnparsableReply
from memory.core.grounded_generation.verification import FactStatus, FactsToVerify, FactVerdict
from memory.models import OutboxRecord
from memory.services.leases import lease_take
from tests.fakes.engines import LivesInExtractor, engine_of
from tests.integration.evaluation.annotated import YES, item, project, says, team
from tests.integration.evaluation.test_facts import record

pytestmark = pytest.mark.django_db
STATUSES = tuple(FactStatus)
NAMES = ("Supports", "Refutes", "Not Enough Info")


class ScriptedVerifier:
    """Gives the verdict that a fact's number names: fact 7 has the digits of 7 by its right side, as the test says."""

    name = "scripted"

    def __init__(self, fail: Callable[[str], None] = lambda fact: None) -> None:
        self.asked: list[list[FactsToVerify]] = []
        self.fail = fail

    def verify_many(self, replies: Sequence[FactsToVerify]) -> list[list[FactVerdict]]:
        self.asked.append(list(replies))
        for one in replies:
            self.fail(one.facts[0])
        return [[FactVerdict(self.status(one), probability=0.75)] for one in replies]

    def status(self, one: FactsToVerify) -> FactStatus:
        number = int(one.facts[0].split()[1].rstrip("."))
        turns, titles = [(turn.speaker, turn.text) for turn in one.dialogue], [ground.title for ground in one.evidence]
        seen = f"{one.speaker}{turns}{titles}"
        return STATUSES[(number * 7 + len(seen)) % 3]


@pytest.fixture
def verifier(monkeypatch: pytest.MonkeyPatch) -> ScriptedVerifier:
    made = ScriptedVerifier()
    engine = engine_of(LivesInExtractor())
    engine = replace(engine, players={**engine.players, VERIFY_FACTS.name: made})
    monkeypatch.setattr(bootstrap, "engine", lambda name="": replace(engine, name=name or "test"))
    return made


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "facts.json"
    told = [
        record(
            f"Fact {n}.",
            NAMES[n * n % 3 if n % 4 else n % 3],
            id=f"dialogue-{n % 9}",
            history=[["A", f"Tell me {'more ' * (n % 5)}."], ["B", " Gladly. "]],
        )
        for n in range(45)
    ]
    path.write_text(json.dumps(told))
    return path


def measured(data: Path, tmp_path: Path) -> dict[str, Any]:
    out = tmp_path / "rows.json"
    call_command("evaluate", "facts", data=data, json=out, verbosity=0, stdout=StringIO())
    rows = json.loads(out.read_text())["rows"]
    return {row["metric"]: row["value"] for row in rows if row["name"] != "people" and not row.get("group")}


def test_agreement_of_machine_and_people_equals_the_measurement_of_the_same_file(verifier, data, tmp_path, owner):
    call_command("annotation", "import", str(data), machine=True, verbosity=0, stdout=StringIO())
    made = AnnotationProject.objects.get()
    asked = [len(batch) for batch in verifier.asked]
    assert (made.kind, made.annotators, asked) == ("fact_verdict", 1, [8, 8, 8, 8, 8, 5])
    figures = measured(data, tmp_path)
    assert verifier.asked[6:12] == verifier.asked[:6], "the verifier is asked the same, and in the same batches"
    [whole] = project_agreement(kind_named(made.kind), patterns_counted(made)).whole
    found = whole.machine
    assert found is not None and found.n == 45
    assert found.raw.value == pytest.approx(figures["accuracy"], abs=1e-9)
    assert found.kappa.value == pytest.approx(figures["kappa"], abs=1e-9)
    assert found.confusion.macro_f1 == pytest.approx(figures["macro_f1"], abs=1e-9)
    labels = {label.name: label.agreement for label in found.labels}
    assert labels.pop("not_a_claim") is None
    assert labels == {status.value: pytest.approx(figures[f"f1_{status.value}"], abs=1e-9) for status in FactStatus}
    assert {label.name for label in Annotation.objects.all()} == {"people"}
    assert 0 < figures["kappa"] < 1 or -1 < figures["kappa"] < 0


def test_names_of_annotators_are_credited_and_the_files_label_settles_what_they_dispute(tmp_path):
    space, people = team()
    path = tmp_path / "facts, a record a line"
    both = {"Ana": "Supports", "Ben": "Refutes"}
    told = [
        record("Fact 1.", "Refutes", annotators=both),
        record("Fact 2.", "Supports", annotators={"Ana": "Supports", "Ben": "Supports"}),
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in told))
    made, _ = project_import(space=space, by=people["owner"], path=path)
    assert made.annotators == 2
    rows = made.items.order_by("pk").values_list("standing", "final__verdict", "settlements__name")
    assert [*rows] == [("settled", "false", "people"), ("agreed", "true", None)]
    assert [*Annotation.objects.order_by("pk").values_list("name", "answer__verdict")] == [
        ("Ana", "true"), ("Ben", "false"), ("Ana", "true"), ("Ben", "true"),
    ]  # fmt: skip
    assert "people" not in made.items.order_by("pk").first().content


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"factualLabel": "Perhaps"}, "record 2, field factualLabel: expected one of Supports"),
        ({"atomic_fact": None}, "record 2, field atomic_fact: missing"),
        ({"atomic_fact": "  "}, r"record 2: The field fact \(Fact\) is missing or empty"),
        ({"annotators": {"Ana": "Yes"}}, "record 2, field annotators.Ana: expected one of Supports"),
        *(
            ({"annotators": {name: "Supports"}}, "record 2, field annotators: expected names of 1 to 150 characters")
            for name in (" ", "An\0a", "An\ud800a")
        ),
    ],
)
def test_faulty_record_of_labelled_facts_is_named_and_nothing_is_taken(tmp_path, wrong, told):
    space, people = team()
    path = tmp_path / "facts.json"
    path.write_text(json.dumps([record("Fact 1.", "Supports"), record("Fact 2.", "Supports", **wrong)]))
    with pytest.raises(MalformedAnnotation, match=told):
        project_import(space=space, by=people["owner"], path=path)
    assert not AnnotationProject.objects.exists() and not AnnotationItem.objects.exists()


@pytest.fixture
def asked_of(verifier) -> AnnotationProject:
    """A project of 20 facts; people labelled the first before the machine did."""
    space, people = team(ana="annotator")
    made = project(space, people["owner"], annotators=1)
    for number in range(20):
        row = item(made, f"f{number}")
        row.content = {"fact": f"Fact {number}."}
        row.save()
    says(people["ana"], made.items.get(key="f0"), YES)
    return made


def answered(project: AnnotationProject) -> list[str]:
    return [*project.items.filter(machine__isnull=False).order_by("pk").values_list("key", flat=True)]


def test_promised_pass_is_queued_and_ends_in_the_patterns(asked_of):
    machine_promise(project=asked_of)
    task = OutboxRecord.objects.get(task="evaluation.answer_items")
    assert (task.arguments, task.queue) == ({"project_id": asked_of.pk}, "evaluation")
    assert machine_run(project_id=asked_of.pk) == 20
    assert (len(answered(asked_of)), MachinePass.objects.get().is_done) == (20, True)
    first = asked_of.items.get(key="f0")
    assert (first.machine_by, json.loads(first.pattern)["machine"]) == ("scripted", dict(first.machine))
    assert machine_run(project_id=asked_of.pk) == 0


def test_pass_goes_on_behind_what_is_written_and_another_worker_waits(asked_of, verifier):
    machine_promise(project=asked_of)
    OutboxRecord.objects.all().delete()
    assert machine_run(project_id=asked_of.pk, seconds=0) == 8
    assert OutboxRecord.objects.get().task == "evaluation.answer_items"
    held = lease_take(MachinePass.objects.all())
    assert machine_run(project_id=asked_of.pk) == 0
    held.release()
    assert machine_run(project_id=asked_of.pk) == 12
    assert [len(batch) for batch in verifier.asked] == [8, 8, 4]


def test_pass_ends_behind_items_that_were_added_as_it_ended(asked_of, monkeypatch):
    found = machine.waiting

    def waiting(promised):
        items = found(promised)
        if not items and asked_of.items.count() == 20:
            item(asked_of, "late", content={"fact": "Fact 20."})
            machine_promise(project=asked_of)
        return items

    monkeypatch.setattr(machine, "waiting", waiting)
    machine_promise(project=asked_of)
    assert machine_run(project_id=asked_of.pk) == 21
    assert (answered(asked_of)[-1], MachinePass.objects.get().is_done) == ("late", True)


def test_reply_that_cannot_be_read_fails_its_item_alone(asked_of, verifier):
    def fail(fact: str) -> None:
        if fact == "Fact 3.":
            raise UnparsableReply("The model answered in prose.", reply="Hm.")

    verifier.fail = fail
    machine_promise(project=asked_of)
    assert machine_run(project_id=asked_of.pk) == 19
    ended = MachinePass.objects.get()
    assert (ended.is_done, ended.failed, "f3" in answered(asked_of)) == (True, 1, False)
    verifier.fail = lambda fact: None
    machine_promise(project=asked_of)
    assert (machine_run(project_id=asked_of.pk), MachinePass.objects.get().failed) == (1, 0)


def test_engine_that_does_not_answer_stops_the_pass_with_the_reason(asked_of, verifier):
    def fail(fact: str) -> None:
        if fact == "Fact 9.":
            raise ModelUnreachable("The server does not answer.")

    verifier.fail = fail
    machine_promise(project=asked_of)
    assert machine_run(project_id=asked_of.pk) == 8
    stopped = MachinePass.objects.get()
    assert (stopped.why, stopped.is_done, stopped.lease_token) == ("The server does not answer.", False, None)
    assert machine_run(project_id=asked_of.pk) == 0
    verifier.fail = lambda fact: None
    out = StringIO()
    call_command("annotation", "machine", project=asked_of.pk, user="owner", verbosity=0, stdout=out)
    assert out.getvalue() == "12 answers of the machine, 0 that could not be read.\n"
    AnnotationItem.objects.update(machine=None)
    verifier.fail = fail
    with pytest.raises(CommandError, match="The server does not answer"):
        call_command("annotation", "machine", project=asked_of.pk, user="owner", verbosity=0, stdout=out)


def test_pass_that_ends_its_workers_again_and_again_is_given_up(asked_of):
    machine_promise(project=asked_of)
    MachinePass.objects.update(attempts=MAX_ATTEMPTS)
    assert machine_run(project_id=asked_of.pk) == 0
    assert "interrupted 3 times" in MachinePass.objects.get().why


def test_lost_task_of_a_pass_is_queued_again(asked_of, monkeypatch):
    machine_promise(project=asked_of)
    OutboxRecord.objects.all().delete()
    dispatch.sweep()
    assert not OutboxRecord.objects.exists()
    MachinePass.objects.update(asked_at=MachinePass.objects.get().asked_at - 2 * machine.IDLE)
    dispatch.sweep()
    dispatch.sweep()
    assert OutboxRecord.objects.filter(task="evaluation.answer_items").count() == 1


def test_least_certain_items_come_first_once_the_machine_has_answered(asked_of, verifier):
    AnnotationProject.objects.update(order="uncertain")
    machine_promise(project=asked_of)
    machine_run(project_id=asked_of.pk)
    assert all(0.75 <= place < 0.7501 for place in asked_of.items.values_list("place", flat=True))


def test_kind_that_no_machine_answers_is_refused():
    space, people = team()
    rated = project_make(space=space, by=people["owner"], name="Rate", kind="human_evaluation")
    with pytest.raises(AnnotationRefused, match="No machine answers"):
        machine_promise(project=rated)
