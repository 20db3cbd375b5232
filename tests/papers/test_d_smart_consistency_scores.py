"""D-SMART, "NLI-based Consistency Metrics": Equations 4 and 5 by hand, and Cases 1 to 3 from the words to DER."""

from __future__ import annotations

import pytest

from evaluation.core.turn_consistency.turns import STRATEGIES, replies_in, score_turn
from evaluation.core.turn_consistency.types import (
    EntailmentRate,
    NotScored,
    ScoredTurn,
    SpokenTurn,
    Unscored,
    consistency_score,
    entailment_rate,
    mean_consistency,
    running_entailment_rates,
)
from memory.adapters.segmenter import SyntokSegmenter
from memory.core.types import EntailmentLabel, EntailmentVerdict, Role
from tests.fakes.engines import OneMeaningEmbedder
from tests.fakes.entailment import TurnByTurn, verdict_with
from tests.fakes.language import real_parser
from tests.papers.d_smart_cases import CASES, UNSCORED, PaperCase

ENTAILED, NEUTRAL, CONTRADICTED = EntailmentLabel


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ((0.90, 0.08, 0.02), 0.94),
        ((0.02, 0.08, 0.90), 0.06),
        ((0.10, 0.80, 0.10), 0.50),
        ((1.00, 0.00, 0.00), 1.00),
        ((0.00, 0.00, 1.00), 0.00),
        ((0.38, 0.62, 0.00), 0.69),
    ],
)
def test_equation_4_by_hand(verdict, expected):
    assert consistency_score(EntailmentVerdict(*verdict)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("labels", "rate", "scored"),
    [
        ([ENTAILED, NEUTRAL, ENTAILED], 2 / 3, 3),
        ([NEUTRAL, CONTRADICTED], 0.0, 2),
        ([ENTAILED], 1.0, 1),
        ([ENTAILED, None, NEUTRAL, None], 0.5, 2),
        ([None], None, 0),
        ([], None, 0),
    ],
)
def test_equation_5_by_hand_counts_the_turns_that_have_a_label(labels, rate, scored):
    assert entailment_rate(labels) == EntailmentRate(rate, scored)


def test_consistency_tells_how_sure_the_model_is_and_the_rate_does_not():
    sure, unsure = EntailmentVerdict(0.98, 0.02, 0.0), EntailmentVerdict(0.40, 0.35, 0.25)
    assert consistency_score(sure) > consistency_score(unsure)
    assert entailment_rate([sure.label]) == entailment_rate([unsure.label]) == EntailmentRate(1.0, 1)


def test_running_rate_is_the_rate_of_the_turns_so_far_and_can_go_on_from_counts():
    labels = [NEUTRAL, ENTAILED, None, ENTAILED]
    running = running_entailment_rates(labels)
    assert running == [entailment_rate(labels[: place + 1]) for place in range(4)]
    assert running_entailment_rates(labels[2:], entailed=1, scored=2) == running[2:]


def outcomes_of(case: PaperCase, strategy: str) -> list[ScoredTurn | NotScored]:
    """Return the outcome of each reply, by a model that gives it the verdict that the paper printed."""
    dialogue = spoken(case)
    return [
        score_turn(
            turn,
            strategy=STRATEGIES[strategy],
            model=TurnByTurn(verdict_with(printed.consistency, printed.label)),
            vectors=vectors_of(dialogue),
            parser=real_parser(),
        )
        for turn, printed in zip(replies_in(dialogue), case.turns, strict=True)
    ]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_by_sentences_a_reply_has_the_printed_figure_or_states_nothing_of_the_dialogues_world(case):
    """The paper scores explanations ("AI can be misused") too; no other sentence of a dialogue contradicts such."""
    outcomes = outcomes_of(case, "strongest_sentence")
    expected = [
        Unscored.NO_CLAIM if turn in UNSCORED.get(case.name, ()) else printed.consistency
        for turn, printed in enumerate(case.turns)
    ]
    assert expected == [
        outcome.reason if isinstance(outcome, NotScored) else round(outcome.consistency, 2) for outcome in outcomes
    ]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_cases_of_the_paper_from_their_words_to_the_printed_figures(case):
    outcomes = outcomes_of(case, "whole_history")
    assert all(isinstance(outcome, ScoredTurn) for outcome in outcomes), outcomes
    assert [round(outcome.consistency, 2) for outcome in outcomes] == [turn.consistency for turn in case.turns]
    assert entailment_rate(outcome.label for outcome in outcomes).rate == pytest.approx(case.rate, abs=0.0005)
    assert mean_consistency([outcome.verdict for outcome in outcomes]) == pytest.approx(
        sum(turn.consistency for turn in case.turns) / 3
    )


def spoken(case: PaperCase) -> list[SpokenTurn]:
    said = [
        (role, text) for turn in case.turns for role, text in ((Role.USER, turn.user), (Role.ASSISTANT, turn.reply))
    ]
    sentences = SyntokSegmenter().segment_many([text for _, text in said])
    return [
        SpokenTurn(key, role.value, role, text, tuple(found))
        for key, ((role, text), found) in enumerate(zip(said, sentences, strict=True))
    ]


def vectors_of(dialogue: list[SpokenTurn]):
    texts = {turn.key: turn.text for turn in dialogue}
    return lambda passages: OneMeaningEmbedder().embed([texts[at.turn][at.span.start : at.span.end] for at in passages])
