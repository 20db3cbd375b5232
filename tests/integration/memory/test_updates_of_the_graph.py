"""What an update leaves in the store: reports beside the graph, overruled words, held fragments, a model's verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from django.db import connection
from django.urls import reverse

from memory import bootstrap
from memory.core.types import (
    ChangeVerdict,
    Completion,
    ConflictRule,
    Fact,
    GraphFragment,
    Modality,
    Node,
    Prompt,
    Role,
    SamplingConfig,
    Span,
    Utterance,
)
from memory.models import ConflictRecord, HeldFragmentRecord, MaintenanceState, Round, TripleRecord
from memory.services import space_maintain
from memory.services.dialogue import round_complete, round_open
from tests.fakes.engines import StopSegmenter, WordEmbedder, engine_of
from tests.integration.memory.dialogues import new_session

pytestmark = pytest.mark.django_db


class WordedFacts:
    """Reads "subject predicate object", with "reportedly" in front for what somebody else is said to have said."""

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        return [GraphFragment((fact,)) if (fact := self._read(said)) else GraphFragment() for said in sentences]

    def _read(self, said: Utterance) -> Fact | None:
        words = said.text.rstrip(".").split()
        is_report = words[:1] == ["reportedly"]
        words = words[is_report:]
        if len(words) != 3:
            return None
        subject, predicate, value = words
        return Fact(
            subject=Node(subject, kind="Person", is_speaker=subject == said.speaker),
            predicate=predicate,
            object=Node(value),
            span=Span(0, len(said.text)),
            modality=Modality.REPORTED if is_report else Modality.ASSERTED,
            attributed_to="Tom" if is_report else "",
        )


class WholeOrigin:
    """A model that finds everything of the graph in conflict with what is new."""

    name = "whole origin"

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion]:
        shown = [re.search(r"<graph \w+>\n(.*?)\n</graph", prompt.messages[-1].content, re.S) for prompt in prompts]
        counts = [len(graph[1].splitlines()) if graph else 0 for graph in shown]
        return [Completion(f'{{"conflicts": {list(range(1, count + 1))}}}') for count in counts]


@pytest.fixture
def worded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    monkeypatch.setattr(bootstrap, "segmenter", lambda: StopSegmenter())
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine_of(WordedFacts(), name=name))


def told(space, *said: tuple[str, str, Role]) -> list[Round]:
    session = new_session(space)
    rounds = []
    for speaker, text, role in said:
        turn = round_open(session=session, speaker=speaker, role=role, text=text, said_at=session.started_at)
        round_complete(round=turn.round)
        rounds.append(turn.round)
    space_maintain(space_id=space.pk)
    return rounds


def believed(space) -> set[str]:
    rows = TripleRecord.objects.filter(space=space, superseded_at=None, modality=Modality.ASSERTED)
    return {f"{row.subject.label} {row.predicate} {row.value}" for row in rows.select_related("subject")}


def test_report_is_kept_once_beside_the_graph_with_whose_word_it_is(space, worded) -> None:
    told(
        space,
        ("Ana", "Ana livesIn Paris.", Role.USER),
        ("Ana", "reportedly Ana livesIn Rome.", Role.USER),
        ("Ana", "reportedly Ana livesIn Rome.", Role.USER),
    )
    assert believed(space) == {"Ana livesIn Paris"}
    report = TripleRecord.objects.get(modality=Modality.REPORTED)
    assert (report.value, report.attributed_to, report.said_by) == ("Rome", "Tom", "Ana")
    assert not ConflictRecord.objects.exists()
    memory = bootstrap.space_memory(space.pk)
    [ana] = memory.entities_named(["Ana"])["Ana"]
    assert [t.object for t in memory.triples_about([ana.id], include_superseded=True)] == ["Paris"]


def test_word_about_oneself_stands_against_anothers_and_the_clash_is_on_record(space, worded) -> None:
    told(
        space,
        ("Ana", "Ana livesIn Paris.", Role.USER),
        ("Bob", "Ana livesIn Rome.", Role.USER),
        ("Bob", "Ana livesIn Rome.", Role.USER),
        ("assistant", "Ana livesIn Oslo.", Role.ASSISTANT),
    )
    assert believed(space) == {"Ana livesIn Paris"}
    kept = ConflictRecord.objects.order_by("id").values_list("old__value", "new__value", "decision", "rule")
    assert list(kept) == [
        ("Paris", "Rome", "kept", "functional_value"),
        ("Paris", "Oslo", "kept", "functional_value"),
    ]
    memory = bootstrap.space_memory(space.pk)
    [ana] = memory.entities_named(["Ana"])["Ana"]
    assert [t.object for t in memory.triples_about([ana.id], include_superseded=True)] == ["Paris"]


def test_fragment_that_would_break_an_axiom_is_held_back_whole(space, worded) -> None:
    told(space, ("Ana", "Ana hasMother Eva.", Role.USER), ("Ana", "Eva hasMother Ana.", Role.USER))
    assert believed(space) == {"Ana hasMother Eva"}
    held = HeldFragmentRecord.objects.get()
    assert held.axiom == "asymmetric"
    assert [triple.value for triple in held.against.all()] == ["Eva"]
    assert "Ana" in held.reason and "Eva" in held.reason
    assert not Round.objects.exclude(maintenance=MaintenanceState.DONE).exists()


class Ending:
    """A `ChangeJudge` that says of every sentence with "Sold" that it ends what was said before, and is sure of it."""

    name = "ending"
    acts_from = 0.9

    def __init__(self) -> None:
        self.depth = len(connection.savepoint_ids)

    def judge_many(self, pairs: Sequence[tuple[Utterance, Utterance]]) -> list[ChangeVerdict]:
        assert len(connection.savepoint_ids) == self.depth, "no transaction is held across a model"
        ended, stands = ChangeVerdict(0.02, 0.94, 0.01, 0.01, 0.01, 0.01), ChangeVerdict(0, 0, 0, 0.1, 0.9, 0)
        return [ended if "Sold" in new.text else stands for _, new in pairs]


def test_sentence_without_a_fact_ends_what_it_names_and_tells_how_sure_that_is(
    space, worded, monkeypatch, ana, client
) -> None:
    judge = Ending()
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine_of(WordedFacts(), name=name, judge=judge))
    told(space, ("Ana", "Ana drives Panda.", Role.USER), ("Ana", "Ana owns Panda.", Role.USER))
    told(space, ("Bob", "Sold the Panda today.", Role.USER), ("Ana", "My Panda is very red.", Role.USER))
    assert believed(space) == {"Ana drives Panda", "Ana owns Panda"}
    told(space, ("Ana", "Sold the Panda today.", Role.USER))
    rows = ConflictRecord.objects.order_by("id").values_list(
        "old__predicate", "new__predicate", "new__polarity", "new__sentence__text", "rule", "confidence"
    )
    assert list(rows) == [
        (name, name, "negative", "Sold the Panda today.", "learned", 0.94) for name in ("owns", "drives")
    ]
    client.force_login(ana)
    page = client.get(reverse("conflict", args=[ConflictRecord.objects.latest("id").pk])).content.decode()
    assert "read both sentences" in page and "(94% sure)" in page


def test_verdict_of_a_model_supersedes_after_the_rules(space, worded, monkeypatch) -> None:
    engine = engine_of(WordedFacts(), language_model=WholeOrigin())
    told(space, ("Ana", "Ana hasQuality single.", Role.USER))
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine)
    told(space, ("Ana", "Ana hasQuality married.", Role.USER))
    assert believed(space) == {"Ana hasQuality married"}
    conflict = ConflictRecord.objects.get()
    assert (conflict.rule, conflict.old.value, conflict.new.value) == (ConflictRule.MODEL, "single", "married")
