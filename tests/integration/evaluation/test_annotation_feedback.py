"""What comes of what people settled: figures of runs, data sets with their origin, corrections of the memory."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection

from evaluation.benchmarks.finedialfact import read_labelled_facts
from evaluation.benchmarks.labelled_messages import read_messages
from evaluation.core.errors import AnnotationRefused
from evaluation.models import ReviewEvent, ReviewMember, RunItem, ScoreOverride
from evaluation.selectors.item_scores import effective_scores
from evaluation.selectors.run_metrics import metrics_of
from evaluation.services.annotation import corrections, overrides
from evaluation.services.annotation.adjudication import item_settle
from evaluation.services.annotation.corrections import Corrected, corrections_apply, corrections_planned
from evaluation.services.annotation.files.importing import project_import
from evaluation.services.annotation.files.writing import project_export
from evaluation.services.annotation.from_conversations import conversations_sample
from evaluation.services.annotation.overrides import overrides_apply, overrides_planned
from evaluation.services.annotation.projects import project_make
from evaluation.services.annotation.sampling import Sample
from evaluation.services.overrides import score_override
from memory.adapters.learning import message_reader
from memory.core.grounded_generation.verification import FactStatus
from memory.models import ConflictRecord, EditRecord, TripleRecord
from memory.services.edits.undo import edit_undo
from tests.integration.evaluation.annotated import NO, UNSURE, YES, account, item, says
from tests.integration.evaluation.measured_runs import item_of, made_run
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db
PLAIN = {"verdict": "not_a_claim"}
EXAMPLES = Path(__file__).parents[3] / "memory" / "training" / "messages"


@pytest.fixture
def people(space, owner) -> dict[str, Any]:
    named = {name: account(name) for name in ("ana", "ben")}
    for user in named.values():
        ReviewMember.objects.create(space=space, user=user, role="annotator")
    return named


def made(space: Any, owner: Any, kind: str, **options: Any) -> Any:
    return project_make(space=space, by=owner, name="Drawn", kind=kind, **options)


def scores(run: Any, metric: str) -> dict[str, float | None]:
    return {one.key: one.value for one in effective_scores([run.pk], metric=metric)}


def test_settled_facts_become_figures_of_their_reply_once(space, owner, people):
    run = made_run(space, owner, right={"graph": [1.0, 1.0, 1.0]})
    facts = made(space, owner, "fact_verdict")
    for key, number, one, other in (
        ("a", 0, YES, YES), ("b", 0, NO, NO), ("c", 0, UNSURE, UNSURE), ("d", 0, PLAIN, PLAIN), ("e", 0, YES, NO),
        ("f", 1, PLAIN, PLAIN), ("g", 2, YES, None),
    ):  # fmt: skip
        row = item(facts, key, run_item=item_of(run, number))
        says(people["ana"], row, one)
        if other is not None:
            says(people["ben"], row, other)
    planned = [
        (one.item.key, one.metric, one.value, one.now, one.comment) for one in overrides_planned(facts, by=owner)
    ]
    assert planned == [
        ("q0", "fact_score", 1 / 2, None, "Review “Drawn”: 4 of its facts."),
        ("q0", "neip", pytest.approx(1 / 3), None, "Review “Drawn”: 4 of its facts."),
        ("q1", "neip", 1.0, None, "Review “Drawn”: 1 of its facts."),
    ]
    assert not ScoreOverride.objects.exists()
    assert overrides_apply(project=facts, by=owner) == 3
    assert (scores(run, "fact_score"), scores(run, "neip")) == ({"q0": 0.5}, {"q0": pytest.approx(1 / 3), "q1": 1.0})
    assert metrics_of([run]) == ["accuracy", "fact_score", "neip"]
    assert overrides_apply(project=facts, by=owner) == 0
    item_settle(item=facts.items.get(key="e"), by=owner, answer=YES, reason="It says so.")
    assert [(one.metric, one.now) for one in overrides_planned(facts, by=owner)] == [
        ("fact_score", 0.5), ("neip", pytest.approx(1 / 3)),
    ]  # fmt: skip
    overrides_apply(project=facts, by=owner)
    assert scores(run, "fact_score") == {"q0": pytest.approx(2 / 3)}
    events = ReviewEvent.objects.filter(what="override")
    assert (events.count(), events.first().about["metric"]) == (5, "fact_score")


@pytest.mark.django_db(transaction=True)
def test_figures_that_two_put_into_a_run_at_once_are_put_once(space, owner, people, monkeypatch):
    run = made_run(space, owner, right={"graph": [1.0]})
    facts = made(space, owner, "fact_verdict", annotators=1)
    says(people["ana"], item(facts, "a", run_item=item_of(run, 0)), YES)

    def slowly(**figure: Any) -> ScoreOverride:
        time.sleep(0.3)
        return score_override(**figure)

    monkeypatch.setattr(overrides, "score_override", slowly)
    counts = []

    def act() -> None:
        try:
            counts.append(overrides_apply(project=facts, by=owner))
        finally:
            connection.close()

    threads = [seeing_thread(target=act) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sorted(counts), ScoreOverride.objects.count()) == ([0, 2], 2)


def test_points_of_people_become_figures_of_their_reply(space, owner, people):
    run = made_run(space, owner, right={"graph": [1.0]})
    rate = made(space, owner, "human_evaluation")
    content = {"reply": "In Porto.", "dialogue": [{"speaker": "User", "text": "Where?"}]}
    row = item(rate, "a", run_item=item_of(run, 0), content=content)
    for user in people.values():
        says(user, row, {"coherence": "2", "fluency": "0", "informativeness": "1"})
    assert overrides_apply(project=rate, by=owner) == 3
    assert [scores(run, name)["q0"] for name in ("coherence", "fluency", "informativeness")] == [2.0, 0.0, 1.0]
    assert set(ScoreOverride.objects.values_list("by__username", flat=True)) == {owner.get_username()}


def test_runs_of_others_and_other_kinds_get_no_figures(space, owner, people):
    run = made_run(space, owner, right={"graph": [1.0]})
    facts = made(space, owner, "fact_verdict", annotators=1)
    says(people["ana"], item(facts, "a", run_item=item_of(run, 0)), YES)
    ReviewMember.objects.filter(user=people["ben"]).update(role="curator")
    assert overrides_planned(facts, by=people["ben"]) == [], "a curator from outside sees no run of the space"
    with pytest.raises(PermissionDenied):
        overrides_apply(project=facts, by=people["ana"])
    with pytest.raises(AnnotationRefused, match="gives no figure of a run"):
        overrides_apply(project=made(space, owner, "triple_relevance"), by=owner)
    RunItem.objects.update(state="failed")
    assert overrides_planned(facts, by=owner) == []


def exported(project: Any, owner: Any, form: str, path: Path) -> Path:
    path.write_text("".join(project_export(project=project, by=owner, form=form)), encoding="utf-8")
    return path


def test_verdicts_become_rows_of_the_verifiers_development_set(space, owner, people, tmp_path):
    facts = made(space, owner, "fact_verdict")
    content = {
        "fact": "You live in Porto.",
        "dialogue": [
            {"speaker": "Ana", "text": "I moved."},
            {"speaker": "Bot", "text": "Oh?"},
            {"speaker": "Ana", "text": "Guess."},
        ],
        "evidence": [{"title": "Said", "text": "I live in Porto."}],
    }  # fmt: skip
    for key, one, other in (("a", YES, YES), ("b", YES, NO), ("c", PLAIN, PLAIN), ("d", YES, None)):
        row = item(facts, key, content=content, cluster="s1", source={"speaker": "Bot"})
        says(people["ana"], row, one)
        if other is not None:
            says(people["ben"], row, other)
    item_settle(item=facts.items.get(key="b"), by=owner, answer=NO, reason="It is over.")
    path = exported(facts, owner, "facts", tmp_path / "dev.json")
    read = list(read_labelled_facts(path))
    assert [one.status for one in read] == [FactStatus.TRUE, FactStatus.FALSE, FactStatus.NOT_ENOUGH]
    assert read[1].people == (("ana", FactStatus.TRUE), ("ben", FactStatus.FALSE))
    assert [(turn.speaker, turn.text) for turn in read[0].dialogue] == [
        ("A", "I moved."),
        ("B", "Oh?"),
        ("A", "Guess."),
    ]
    rows = json.loads(path.read_text())
    assert [row["isFactualClaim"] for row in rows] == ["verifiable", "verifiable", "non-verifiable"]
    told = rows[1]["provenance"]
    assert told == {
        "project": facts.pk, "item": "b", "standing": "settled", "annotators": ["ana", "ben"], "guidelines": [1],
        "settled_by": [owner.get_username()], "reason": ["It is over."], "at": told["at"],
    }  # fmt: skip
    again, count = project_import(space=space, by=owner, path=path)
    assert (count, [*again.items.order_by("pk").values_list("standing", "final__verdict")]) == (
        3, [("agreed", "true"), ("settled", "false"), ("agreed", "not_enough_information")],
    )  # fmt: skip


def test_labelled_messages_are_learned_from_and_measured_with(space, owner, people, tmp_path):
    messages = made(space, owner, "message_facts", annotators=1)
    content = {"message": "We moved from Porto to Braga.", "before": "How are you?"}
    says(
        people["ana"],
        item(messages, "a", content=content),
        {"facts": [["me", "livesIn", "Braga", ""], ["me", "livesIn", "Porto", "past"]]},
    )
    says(people["ana"], item(messages, "b", content={"message": "Hm."}, stratum="none"), {"facts": []})
    path = exported(messages, owner, "messages", tmp_path / "own.jsonl")
    learned = message_reader.read_messages(EXAMPLES, own=path)
    plain = message_reader.read_messages(EXAMPLES)
    assert len(learned.messages) == len(plain.messages) + 2
    first, last = learned.messages[-2:]
    assert (first.before, first.text, first.source, last.register) == (
        "How are you?", "We moved from Porto to Braga.", "review", "none",
    )  # fmt: skip
    assert [(fact.predicate, fact.object, fact.flags) for fact in first.facts] == [
        ("livesIn", "Braga", ()), ("livesIn", "Porto", ("past",)),
    ]  # fmt: skip
    assert [len(one.labels) for one in read_messages(path).messages] == [2, 0]


@pytest.fixture
def conflicts(checking, told, space, owner):
    told("I live in Porto.", "Noted.")
    told("I live in Lyon.", "Noted.")
    drawn = made(space, owner, "conflict_verdict", annotators=1)
    conversations_sample(project=drawn, by=owner, sample=Sample())
    return drawn


def believed() -> set[str]:
    return set(TripleRecord.objects.filter(superseded_at=None).values_list("value", flat=True))


def test_memory_is_corrected_as_people_settled_and_can_be_put_back(conflicts, owner, people):
    says(people["ana"], conflicts.items.get(), {"verdict": "old_stands"})
    [planned] = corrections_planned(conflicts, by=owner)
    assert (planned.now, planned.then, believed()) == ("superseded", "kept", {"Lyon"})
    assert corrections_apply(project=conflicts, by=owner).count == 1
    assert believed() == {"Porto"}
    assert corrections_apply(project=conflicts, by=owner).count == 0
    edit = EditRecord.objects.get()
    assert edit.actor == owner
    assert ReviewEvent.objects.get(what="correct").about["decision"] == "kept"
    edit_undo(edit=edit, by=owner)
    assert (believed(), ConflictRecord.objects.get().decision) == ({"Lyon"}, "superseded")


@pytest.mark.parametrize("verdict", ["replaces", "unclear"])
def test_what_changes_nothing_is_not_planned(conflicts, owner, people, verdict):
    says(people["ana"], conflicts.items.get(), {"verdict": verdict})
    assert corrections_planned(conflicts, by=owner) == []


def test_two_homes_at_once_are_refused_and_two_hobbies_hold_again(conflicts, owner, people):
    says(people["ana"], conflicts.items.get(), {"verdict": "both_hold"})
    done = corrections_apply(project=conflicts, by=owner)
    assert done.count == 0 and "This cannot be so beside what I remember" in done.refused[0]
    assert (believed(), EditRecord.objects.count()) == ({"Lyon"}, 0)
    TripleRecord.objects.update(predicate="likes")
    conflicts.items.update(source={})
    assert corrections_apply(project=conflicts, by=owner).count == 1
    assert (believed(), ConflictRecord.objects.get().decision) == ({"Lyon", "Porto"}, "both")
    edit_undo(edit=EditRecord.objects.get(), by=owner)
    assert (believed(), ConflictRecord.objects.get().decision) == ({"Lyon"}, "superseded")


def test_conflict_that_is_forgotten_meanwhile_is_told_without_its_words(conflicts, owner, people, monkeypatch):
    says(people["ana"], conflicts.items.get(), {"verdict": "old_stands"})
    planned = corrections_planned(conflicts, by=owner)
    ConflictRecord.objects.all().delete()
    monkeypatch.setattr(corrections, "corrections_planned", lambda project, by: planned)
    assert corrections_apply(project=conflicts, by=owner) == Corrected(0, ("A conflict was forgotten meanwhile.",))


def test_conflict_that_changed_since_it_was_shown_is_refused(conflicts, owner, people):
    says(people["ana"], conflicts.items.get(), {"verdict": "old_stands"})
    TripleRecord.objects.filter(value="Lyon").update(predicate="likes")
    done = corrections_apply(project=conflicts, by=owner)
    assert done.count == 0 and "Nothing was overwritten" in done.refused[0]
    ReviewMember.objects.filter(user=people["ben"]).update(role="curator")
    with pytest.raises(PermissionDenied, match="Only members of the memory"):
        corrections_apply(project=conflicts, by=people["ben"])
