"""The built-in extraction of evidence, over a reader that does as it is told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memory.core.semantic_state.elements import EMPTY_STATE, Constraint, ElementKind, Fact, SemanticState, Status
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evidence,
    Irrelevant,
    Missed,
    Required,
    Resolved,
    StateTurn,
    Withdrawn,
)
from memory.core.semantic_state.learned import CONSIDERED, LearnedEvidenceExtractor, task_schemas
from memory.core.semantic_state.ports import Bearing, Fate, Marked
from memory.core.semantic_state.revision import revise
from memory.core.types import QuestionOnTurns, ReadAnswer, Role, Span, Utterance, WordSpan
from tests.fakes.engines import WordEmbedder
from tests.fakes.evidence_reading import ToldEvidenceReader

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)


class NumbersAnswer:
    """Answers every question with the first digit of a turn."""

    name = "numbers"
    threshold = 0.5

    def read_many(self, asked: Sequence[QuestionOnTurns]) -> list[list[ReadAnswer]]:
        return [
            [
                ReadAnswer(WordSpan(turn.text, Span(0, len(turn.text))), float(any(map(str.isdigit, turn.text))))
                for turn in question.turns
            ]
            for question in asked
        ]


def extractor(reader: ToldEvidenceReader) -> LearnedEvidenceExtractor:
    return LearnedEvidenceExtractor(reader=reader, answers=NumbersAnswer(), embedder=WordEmbedder())


def said(text: str, role: Role = Role.USER) -> Utterance:
    return Utterance("Ana", role, text, NOON)


def read(reader: ToldEvidenceReader, *texts: str) -> tuple[SemanticState, list[Evidence]]:
    """Return the state after a user's turns, and the evidence of the last."""
    state, before, evidence = EMPTY_STATE, list[Utterance](), list[Evidence]()
    for number, text in enumerate(texts, start=1):
        evidence = list(extractor(reader).extract(StateTurn(state, said(text), tuple(before))))
        state = revise(state, evidence, turn=number)
        before.append(said(text))
    return state, evidence


def current(state: SemanticState, kind: ElementKind) -> list[str]:
    return [one.description for one in state.current(kind)]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Marked.ASSERT, Asserted(description="for 6", ref="e1", words="for 6")),
        (Marked.REQUIRE, Required(description="for 6", ref="e1", words="for 6")),
        (Marked.FORBID, Required(description="for 6", ref="e1", words="for 6")),
        (Marked.PREFER, Required(description="for 6", ref="e1", words="for 6", weight=0.5)),
        (Marked.GUESS, Assumed(description="for 6", ref="e1", words="for 6", confidence=0.6)),
        (
            Marked.MISSING,
            Missed(description="for 6", ref="e1", words="for 6", question="You said “for 6”. What shall it be?"),
        ),
    ],
)
def test_each_kind_brings_its_element(kind: Marked, expected: Evidence) -> None:
    _, evidence = read(ToldEvidenceReader({"for 6": kind}), "it is for 6")
    assert evidence == [expected]


@pytest.mark.parametrize("kind", [Marked.SUPPOSE, Marked.RETRACT, Marked.SWITCH])
def test_what_is_supposed_or_taken_back_brings_none(kind: Marked) -> None:
    _, evidence = read(ToldEvidenceReader({"for 6": kind}), "it is for 6")
    assert evidence == []


def test_new_value_takes_the_place_of_the_old_and_what_rested_on_it_falls() -> None:
    reader = ToldEvidenceReader(
        {"for 6": Marked.ASSERT, "6 chairs": Marked.REQUIRE, "8 now": Marked.ASSERT},
        {("for 6", "6 chairs"): Bearing.RESTS_ON, ("for 6", "8 now"): Bearing.REPLACES},
        {("for 6", "8 now"): Fate.REPLACED},
    )
    state, evidence = read(reader, "for 6, so 6 chairs", "8 now")
    assert evidence == [Asserted(description="8 now", ref="e1", words="8 now", replaces=("f1",))]
    assert current(state, ElementKind.FACT) == ["8 now"]
    assert current(state, ElementKind.CONSTRAINT) == []
    assert [change.cause for change in state.history if change.element == "c2"] == ["", "f1"]


def test_piece_that_rests_on_a_later_one_is_told_after_it() -> None:
    reader = ToldEvidenceReader(
        {"no nuts": Marked.FORBID, "Tom is allergic": Marked.ASSERT},
        {("Tom is allergic", "no nuts"): Bearing.RESTS_ON},
    )
    state, _ = read(reader, "no nuts, Tom is allergic")
    assert state.refused == ()
    assert [(one.description, one.basis) for one in state.elements.values()] == [
        ("Tom is allergic", ()),
        ("no nuts", ("f1",)),
    ]


def test_pieces_that_rest_on_one_another_are_both_told() -> None:
    reader = ToldEvidenceReader(
        {"no nuts": Marked.FORBID, "Tom is allergic": Marked.ASSERT},
        {
            ("Tom is allergic", "no nuts"): Bearing.RESTS_ON,
            ("no nuts", "Tom is allergic"): Bearing.RESTS_ON,
        },
    )
    state, _ = read(reader, "no nuts, Tom is allergic")
    assert state.refused == ()
    assert [(one.description, one.basis) for one in state.elements.values()] == [
        ("no nuts", ()),
        ("Tom is allergic", ("c1",)),
    ]


def test_nothing_new_rests_on_what_falls_and_what_rested_on_it_falls_once() -> None:
    reader = ToldEvidenceReader(
        {"with mum": Marked.ASSERT, "a lift": Marked.REQUIRE, "alone": Marked.ASSERT},
        {("with mum", "a lift"): Bearing.RESTS_ON, ("with mum", "alone"): Bearing.RESTS_ON},
        {("with mum", "alone"): Fate.ENDED, ("a lift", "alone"): Fate.ENDED},
    )
    state, _ = read(reader, "with mum, so a lift", "alone")
    assert state.refused == ()
    assert [one.description for one in state.elements.values() if one.is_current] == ["alone"]


def test_what_is_taken_back_is_withdrawn_by_its_words() -> None:
    reader = ToldEvidenceReader(
        {"with mum": Marked.ASSERT, "not coming": Marked.RETRACT},
        {("with mum", "not coming"): Bearing.ENDS},
        {("with mum", "she is not coming"): Fate.ENDED},
    )
    _, evidence = read(reader, "with mum", "she is not coming")
    assert evidence == [Withdrawn(element="f1", words="not coming")]


def test_what_falls_by_no_marked_words_is_withdrawn_all_the_same() -> None:
    reader = ToldEvidenceReader({"with mum": Marked.ASSERT}, fates={("with mum", "she has a cold"): Fate.ENDED})
    _, evidence = read(reader, "with mum", "she has a cold")
    assert evidence == [Withdrawn(element="f1", words="she has a cold")]


def test_another_task_makes_the_old_one_irrelevant() -> None:
    reader = ToldEvidenceReader(
        {"for 6": Marked.ASSERT, "forget it": Marked.SWITCH},
        {("for 6", "forget it"): Bearing.ENDS},
        {("for 6", "forget it"): Fate.ENDED},
    )
    state, evidence = read(reader, "for 6", "forget it")
    assert evidence == [Irrelevant(element="f1", words="forget it")]
    assert state.elements["f1"].status is Status.CLOSED


def test_open_question_is_resolved_by_the_words_that_answer_it() -> None:
    question = "You said “no date yet”. What shall it be?"
    reader = ToldEvidenceReader(
        {"no date yet": Marked.MISSING, "on Friday": Marked.ASSERT},
        {(question, "on Friday"): Bearing.ANSWERS},
        {(question, "on Friday"): Fate.ANSWERED},
    )
    state, evidence = read(reader, "no date yet", "on Friday")
    assert evidence[1:] == [Resolved(unknown="u1", by="e1", confidence=0.9, words="on Friday")]
    assert current(state, ElementKind.UNKNOWN) == []
    assert [one.kind for one in state.elements.values() if one.is_current] == [
        ElementKind.FACT,
        ElementKind.ASSUMPTION,
    ]


def test_request_of_a_known_kind_of_task_leaves_open_what_it_does_not_say() -> None:
    schema = next(task for task in task_schemas() if task.name == "event")
    _, evidence = read(ToldEvidenceReader({}), schema.asked[0])
    assert [one.question for one in evidence if isinstance(one, Missed)] == [need.question for need in schema.needs]
    _, evidence = read(ToldEvidenceReader({}), f"{schema.asked[0]} for 6")
    assert evidence == []


def test_task_that_goes_on_is_not_asked_for_its_needs_again() -> None:
    schema = next(task for task in task_schemas() if task.name == "event")
    reader = ToldEvidenceReader({"for 6": Marked.ASSERT})
    _, evidence = read(reader, "it is for 6", schema.asked[0])
    assert evidence == []


def test_turn_costs_the_same_however_long_the_conversation_is() -> None:
    reader = ToldEvidenceReader({"for 6": Marked.ASSERT})
    many = {f"f{n}": Fact(id=f"f{n}", description=f"fact {n}", turn=1, words=f"fact {n}") for n in range(500)}
    extractor(reader).extract(StateTurn(SemanticState(elements=many, turn=1), said("for 6")))
    assert reader.pairs == 2 * CONSIDERED


def test_wish_is_read_as_a_wish_when_it_is_held_against_a_turn() -> None:
    seen: list[Marked] = []

    class Watching(ToldEvidenceReader):
        def fates_many(self, pairs):  # type: ignore[no-untyped-def]
            seen.extend(pair.earlier_kind for pair in pairs)
            return super().fates_many(pairs)

    kept = {
        "c1": Constraint(id="c1", description="sea", turn=1, words="sea", weight=0.5),
        "c2": Constraint(id="c2", description="cheap", turn=1, words="cheap"),
    }
    extractor(Watching({})).extract(StateTurn(SemanticState(elements=kept, turn=1), said("hm")))
    assert seen == [Marked.PREFER, Marked.REQUIRE]
