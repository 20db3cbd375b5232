"""A kind of step is a frozen dataclass: what is stored of it, what goes with its words, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from memory.core.tracing import (
    CallOutcome,
    ModelCall,
    Name,
    Names,
    SentenceIds,
    StoredForm,
    TraceStep,
    TripleIds,
    UnknownStep,
    Words,
    restored,
    stored_form,
)
from memory.core.tracing.step import names_in
from memory.core.types import ScoredUnit, Unit


@dataclass(frozen=True)
class Looked(TraceStep):
    kind: ClassVar[str] = "test_looked"

    number: int
    found: TripleIds = ()
    said: SentenceIds = ()
    at: Names = ()
    thought: Words = ""
    ranked: tuple[ScoredUnit, ...] = ()
    outcome: CallOutcome = CallOutcome.ANSWERED

    @property
    def key(self) -> str:
        return str(self.number)


LOOKED = Looked(
    3,
    found=(7, 8, 7),
    said=(5,),
    at=(Name("Maya", 12), Name("Bob"), Name("Airbus")),
    thought="She may work there.",
    ranked=(ScoredUnit(Unit.TURN, 4, 0.5),),
)


def test_stored_form_parts_figures_from_words_and_says_what_the_step_rests_on():
    assert stored_form(LOOKED, entities={"Airbus": 9}) == StoredForm(
        kind="test_looked",
        key="3",
        figures={
            "number": 3,
            "found": [7, 8, 7],
            "said": [5],
            "at": [12, None, 9],
            "ranked": [{"unit": "turn", "id": 4, "score": 0.5}],
            "outcome": "answered",
        },
        words={"at": ["", "Bob", ""], "thought": "She may work there."},
        triples=(7, 8),
        sentences=(5,),
    )


def test_step_comes_back_as_it_was_and_names_of_entities_come_as_their_ids():
    form = stored_form(LOOKED)
    at = (Name(entity=12), Name("Bob"), Name("Airbus"))
    assert restored(form.kind, form.figures, form.words) == Looked(
        3, found=(7, 8, 7), said=(5,), at=at, thought="She may work there.", ranked=LOOKED.ranked
    )


def test_step_whose_words_were_forgotten_keeps_its_figures_and_the_entities():
    form = stored_form(LOOKED)
    forgotten = Looked(3, found=(7, 8, 7), said=(5,), at=(Name(entity=12),), ranked=LOOKED.ranked)
    assert restored(form.kind, form.figures, {}) == forgotten


def test_what_no_text_can_hold_is_left_out():
    form = stored_form(Looked(1, thought="a\0b\ud800", at=(Name("\0Bob"),)))
    assert form.words == {"thought": "ab?", "at": ["Bob"]}


def test_names_are_those_of_unknown_entities():
    assert names_in([LOOKED, Looked(4)]) == {"Bob", "Airbus"}


def test_step_of_a_kind_that_is_not_there_comes_back_as_that():
    assert restored("dream", {"of": 3}, {"what": "sheep"}) == UnknownStep("dream")


def test_two_kinds_of_one_name_are_refused():
    with pytest.raises(TypeError, match="'model_call'"):

        class Other(TraceStep):
            kind = "model_call"


def test_model_call_has_no_words():
    call = ModelCall("extraction", "scripted:x", CallOutcome.FAILED, 12.5, error="ModelUnreachable")
    form = stored_form(call)
    assert (form.words, form.triples, form.sentences) == ({}, (), ())
    assert restored(form.kind, form.figures, form.words) == call
