"""What is shown in training: held-out rows, weights, changed words, order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from memory.adapters.entailment.pair_files import LabelledPair
from memory.adapters.entailment.recipe import (
    BATCHES_A_CHUNK,
    LABELS,
    addressed,
    epoch_batches,
    is_addressable,
    is_held_out,
    split_held_out,
)
from memory.core.types import EntailmentLabel

CONTRADICTION = LABELS.index(EntailmentLabel.CONTRADICTION)


@pytest.mark.parametrize(
    ("said", "put"),
    [
        ("I am at my house.", "You are at your house."),
        ("I was told that it is mine.", "You were told that it is yours."),
        ("I've hurt myself, and I'd know.", "You've hurt yourself, and you'd know."),
        ("My sister likes me.", "Your sister likes you."),
    ],
)
def test_first_person_becomes_second(said: str, put: str) -> None:
    assert addressed(said) == put


def test_only_pairs_in_which_nobody_is_addressed_yet_are_put_into_the_second_person() -> None:
    pair = LabelledPair("I live here.", "My house is here.", EntailmentLabel.NEUTRAL, "")
    assert is_addressable(pair)
    assert not is_addressable(replace(pair, premise="She lives here."))
    assert not is_addressable(replace(pair, hypothesis="A house is here."))
    assert not is_addressable(replace(pair, premise="I live near you."))


def test_one_pair_in_fifty_is_held_out_by_its_words_alone(some_pairs: list[LabelledPair]) -> None:
    train, held_out = split_held_out(some_pairs)
    assert {is_held_out(pair) for pair in held_out} == {True}
    assert len(train) + len(held_out) == len(some_pairs)
    assert len(some_pairs) / 150 < len(held_out) < len(some_pairs) / 20
    assert [is_held_out(replace(pair, source="other")) for pair in some_pairs] == [*map(is_held_out, some_pairs)]


def test_sources_are_seen_by_their_weights(some_pairs: list[LabelledPair]) -> None:
    rows = [row for batch in epoch_batches(some_pairs, 0, batch_size=8) for row in batch]
    seen = Counter(row.label for row in rows)
    of_label = Counter(LABELS.index(pair.label) for pair in some_pairs)
    assert seen[0] == 2 * of_label[0], "cad-snli counts twice"
    assert 0.4 * of_label[1] < seen[1] < 0.8 * of_label[1], "conjnli counts six tenths"
    assert seen[2] == of_label[2]


def test_some_hypotheses_are_addressed_and_few_contradictions_turned(some_pairs: list[LabelledPair]) -> None:
    rows = [row for batch in epoch_batches(some_pairs, 0, batch_size=8) for row in batch]
    share = sum("you" in (row.hypothesis + row.premise).lower().split() for row in rows) / len(rows)
    assert 0.4 < share < 0.65
    turned = [row for row in rows if row.premise.lower().split()[1] == "live"]
    assert {row.label for row in turned} == {CONTRADICTION}
    assert 0.02 < len(turned) / sum(row.label == CONTRADICTION for row in rows) < 0.16


def test_order_follows_from_seed_and_epoch_and_rows_of_a_batch_are_alike(some_pairs: list[LabelledPair]) -> None:
    first = epoch_batches(some_pairs, 0, batch_size=4)
    assert first == epoch_batches(some_pairs, 0, batch_size=4)
    assert first != epoch_batches(some_pairs, 1, batch_size=4)
    assert first != epoch_batches(some_pairs, 0, batch_size=4, seed=1)
    chunk = [sorted(len(row.premise) + len(row.hypothesis) for row in batch) for batch in first[:BATCHES_A_CHUNK]]
    spans = sorted((batch[0], batch[-1]) for batch in chunk)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
