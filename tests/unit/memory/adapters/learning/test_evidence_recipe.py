"""What the evidence reader is shown: tagged turns, and pairs of pieces that still stood with how they bear on one another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.learning.evidence_reader import (
    EvidenceRecipe,
    LabelledEvidence,
    LabelledHistory,
    LabelledTurn,
    PairExample,
    TurnExample,
    echoed,
    fates_of,
    pairs_of,
    read_histories,
    turn_example,
)
from memory.adapters.learning.recipe import tokenizer_of
from memory.adapters.readers.evidence_reader import BEARINGS, FATES, begins, goes_on
from memory.core.errors import TrainingRefused
from memory.core.semantic_state.ports import Bearing, Fate, Marked, MarkedWords
from memory.core.types import MessageInContext, Span


def evidence(name: str, kind: str, words: str, **links: object) -> dict[str, Any]:
    return {"id": name, "kind": kind, "words": words, "about": "it", **links}


def row(**fields: object) -> dict[str, Any]:
    """Return a history in which a cat falls, and with it the house that was there for it."""
    return {
        "id": "h-1",
        "category": "cascade",
        "turns": [
            {
                "role": "user",
                "text": "your house is blue, the cat sleeps in it",
                "evidence": [
                    evidence("e1", "ask", "your house"),
                    evidence("e2", "require", "house is blue", rests_on=["e3"]),
                    evidence("e3", "assert", "the cat sleeps"),
                ],
            },
            {"role": "assistant", "text": "in rome?"},
            {
                "role": "user",
                "text": "not the cat. now the dog",
                "evidence": [
                    evidence("e4", "retract", "not the cat", ends=["e3"]),
                    evidence("e5", "assert", "the dog"),
                ],
            },
            {"role": "assistant", "text": "and now?"},
            {"role": "user", "text": "paris", "evidence": [evidence("e6", "assert", "paris", replaces=["e5"])]},
        ],
        "checks": [],
        **fields,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "states_a.jsonl").write_text(json.dumps(row()) + "\n")
    return tmp_path


def test_turns_have_what_was_said_before_and_no_request(folder: Path) -> None:
    [history] = read_histories(folder)
    assert [turn.message.before for turn in history.turns] == ["", "in rome?", "and now?"]
    assert [[one.id for one in turn.evidence] for turn in history.turns] == [["e2", "e3"], ["e4", "e5"], ["e6"]]


def test_pairs_are_of_what_still_stood(folder: Path) -> None:
    [history] = read_histories(folder)
    found = {(one.pair.earlier, one.pair.new.text): one.bearing for one in pairs_of(history)}
    assert found == {
        ("the cat sleeps", "house is blue"): Bearing.RESTS_ON,
        ("house is blue", "the cat sleeps"): Bearing.NONE,
        ("house is blue", "not the cat"): Bearing.NONE,
        ("the cat sleeps", "not the cat"): Bearing.ENDS,
        ("the dog", "not the cat"): Bearing.NONE,
        ("house is blue", "the dog"): Bearing.NONE,
        ("the cat sleeps", "the dog"): Bearing.NONE,
        # Neither the cat nor what rested on it stands beside "paris".
        ("the dog", "paris"): Bearing.REPLACES,
    }


def test_what_rested_on_a_fallen_piece_ends_with_it(folder: Path) -> None:
    [history] = read_histories(folder)
    found = [(one.pair.earlier, one.pair.message.text, one.fate) for one in fates_of(history)]
    assert found == [
        ("house is blue", "not the cat. now the dog", Fate.ENDED),
        ("the cat sleeps", "not the cat. now the dog", Fate.ENDED),
        ("the dog", "paris", Fate.REPLACED),
    ]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("oops", "Expecting value"),
        (json.dumps({"id": "h"}), "it has no 'turns'"),
        (
            json.dumps(row(turns=[{"role": "user", "text": "a", "evidence": [evidence("e1", "assert", "b")]}])),
            "'b' is not in the turn",
        ),
        (
            json.dumps(row(turns=[{"role": "user", "text": "a", "evidence": [evidence("e1", "hope", "a")]}])),
            "'hope' is not a valid Marked",
        ),
    ],
)
def test_bad_line_is_named(folder: Path, bad: str, why: str) -> None:
    (folder / "states_a.jsonl").write_text(json.dumps(row()) + "\n" + bad + "\n")
    with pytest.raises(TrainingRefused) as refused:
        read_histories(folder)
    assert "states_a.jsonl, line 2" in str(refused.value)
    assert why in str(refused.value)


def test_words_are_tagged_by_their_first_piece(folder: Path, tiny_base: Path) -> None:
    [history] = read_histories(folder)
    example = turn_example(history.turns[1], tokenizer_of(tiny_base))
    said = [tag for tag in example.tags if tag >= 0]
    retract, told = Marked.RETRACT, Marked.ASSERT
    assert said == [begins(retract), goes_on(retract), goes_on(retract), 0, 0, begins(told), goes_on(told)]


def test_an_epoch_shows_turns_four_times_and_every_pair_to_which_something_happens(
    folder: Path, tiny_base: Path
) -> None:
    recipe = EvidenceRecipe(read_histories(folder), [], base=tiny_base)
    shown = [one for batch in recipe.batches(0, seed=0) for one in batch]
    assert sum(isinstance(one, TurnExample) for one in shown) == 4 * 3
    happening = [(one.head, one.label) for one in shown if isinstance(one, PairExample) and one.label]
    assert sorted(happening) == sorted(
        [
            *(("bearings", BEARINGS.index(one)) for one in (Bearing.RESTS_ON, Bearing.ENDS, Bearing.REPLACES)),
            *(("fates", FATES.index(one)) for one in (Fate.ENDED, Fate.ENDED, Fate.REPLACED)),
        ]
    )


def test_loss_falls_where_the_labels_are_followed(folder: Path, tiny_base: Path) -> None:
    import torch

    torch.manual_seed(0)
    recipe = EvidenceRecipe(read_histories(folder), [], base=tiny_base)
    network = recipe.network().eval()
    optimizer = torch.optim.SGD([one for one in network.parameters() if one.requires_grad], lr=1e-2)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = sum(recipe.loss(network, batch) for batch in recipe.batches(0, seed=0))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[2] < losses[0]


def test_history_is_also_shown_with_the_replies_of_the_built_in_engine():
    def piece(name: str, kind: Marked, text: str) -> LabelledEvidence:
        return LabelledEvidence(name, MarkedWords(text, Span(0, len(text)), kind, 1.0), "", ())

    told = (piece("e1", Marked.ASSERT, "six of us"), piece("e2", Marked.FORBID, "no nuts"))
    first = LabelledTurn(MessageInContext("six of us, no nuts", ""), told)
    asked = MessageInContext("Saturday", "Lovely! Which day? I will look.")
    second = LabelledTurn(asked, (piece("e3", Marked.ASSERT, "Saturday"),))
    third = LabelledTurn(MessageInContext("thanks", "Good."), ())
    made = echoed(LabelledHistory("h", (first, second, third)))
    assert [turn.message.before for turn in made.turns] == [
        "",
        "Noted: six of us. I keep to this: no nuts. Which day?",
        "Noted: Saturday. Nothing is open.",
    ]
    assert [turn.evidence for turn in made.turns] == [turn.evidence for turn in (first, second, third)]
