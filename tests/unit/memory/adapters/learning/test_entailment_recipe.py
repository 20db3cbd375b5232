"""What is shown in training: held-out rows, weights, changed words, order."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from memory.adapters.entailment.pairs import LABELS, LabelledPair
from memory.adapters.learning.entailment import (
    WINDOW,
    EntailmentRecipe,
    TrainingRow,
    is_addressable,
    is_held_out,
    pieces_of,
    renumbered,
    split_held_out,
)
from memory.adapters.learning.recipe import tokenizer_of
from memory.core.types import EntailmentLabel
from tests.unit.memory.adapters.entailment.conftest import WORDS

CONTRADICTION = LABELS.index(EntailmentLabel.CONTRADICTION)


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


@pytest.fixture(scope="module")
def rows(some_pairs: list[LabelledPair], tiny_base: Path) -> list[TrainingRow]:
    recipe = EntailmentRecipe(some_pairs, base=tiny_base)
    return [row for batch in recipe.batches(0, seed=0) for row in batch]


def test_sources_are_seen_by_their_weights(some_pairs: list[LabelledPair], rows: list[TrainingRow]) -> None:
    seen = Counter(row.label for row in rows)
    of_label = Counter(LABELS.index(pair.label) for pair in some_pairs)
    assert seen[0] == 2 * of_label[0], "cad-snli counts twice"
    assert 0.4 * of_label[1] < seen[1] < 0.8 * of_label[1], "conjnli counts six tenths"
    assert seen[2] == 3 * of_label[2], "the project's own count three times"


def test_some_hypotheses_are_addressed_and_few_contradictions_turned(rows: list[TrainingRow]) -> None:
    share = sum("you" in (row.hypothesis + row.premise).lower().split() for row in rows) / len(rows)
    assert 0.4 < share < 0.65
    turned = [row for row in rows if row.premise.lower().split()[1] == "live"]
    assert {row.label for row in turned} == {CONTRADICTION}
    assert 0.02 < len(turned) / sum(row.label == CONTRADICTION for row in rows) < 0.16


def test_entailed_number_is_shown_as_another_one_which_contradicts() -> None:
    pair = LabelledPair("It opened in 1932 with 40 rooms.", "In 1932 it had 40 rooms.", EntailmentLabel.ENTAILMENT, "")
    made = {renumbered(pair, random.Random(seed)) for seed in range(60)}
    assert {row.premise for row in made if row} == {pair.premise}
    assert {row.label for row in made if row} == {CONTRADICTION}
    changed = [re.findall(r"\d+", row.hypothesis) for row in made if row]
    assert all((year == "1932") != (rooms == "40") for year, rooms in changed)
    assert {1902 <= int(year) <= 1962 and 1 <= int(rooms) <= 80 for year, rooms in changed} == {True}


@pytest.mark.parametrize(
    "pair",
    [
        LabelledPair("It opened in 1932.", "It opened.", EntailmentLabel.ENTAILMENT, ""),
        LabelledPair("It opened in 1932.", "In 1931 it was closed.", EntailmentLabel.ENTAILMENT, ""),
        LabelledPair("It opened in 1932.", "It had 1932 rooms.", EntailmentLabel.NEUTRAL, ""),
        LabelledPair("It opened in rooms 1, 2, 3 and 4.", "It opened in room 1.", EntailmentLabel.ENTAILMENT, ""),
        LabelledPair("It cost 1,932 euros.", "It cost 932 euros or 1,932 euros.", EntailmentLabel.ENTAILMENT, ""),
    ],
)
def test_only_a_number_of_both_sentences_of_an_entailment_is_changed(pair: LabelledPair) -> None:
    assert renumbered(pair, random.Random(0)) is None


def test_order_follows_from_seed_and_epoch(some_pairs: list[LabelledPair], tiny_base: Path) -> None:
    recipe = EntailmentRecipe(some_pairs, base=tiny_base)
    first = recipe.batches(0, seed=0)
    assert first == recipe.batches(0, seed=0)
    assert first != recipe.batches(1, seed=0)
    assert first != recipe.batches(0, seed=1)


def test_hypothesis_is_read_whole_and_the_end_of_the_premise(tiny_base: Path) -> None:
    tokenizer = tokenizer_of(tiny_base)
    cat, dog = WORDS.index("cat") + 5, WORDS.index("dog") + 5
    pieces = pieces_of(tokenizer, "dog " * 50 + "cat " * 200, "dog " * 30)
    assert pieces.ids == (2, *[cat] * (WINDOW - 33), 3, *[dog] * 30, 3)
    long = pieces_of(tokenizer, "cat " * 200, "dog " * 200)
    assert (len(long.ids), long.split) == (WINDOW, WINDOW // 2 - 1)


def test_identity_tells_another_label(some_pairs: list[LabelledPair], tiny_base: Path) -> None:
    identity = EntailmentRecipe(some_pairs, base=tiny_base).identity()
    changed = [replace(some_pairs[0], label=EntailmentLabel.NEUTRAL), *some_pairs[1:]]
    assert EntailmentRecipe(changed, base=tiny_base).identity() != identity


def test_loss_falls_and_labels_are_learned(tiny_base: Path) -> None:
    import torch

    torch.manual_seed(0)
    pairs = [LabelledPair("the cat sleeps", "a dog runs", EntailmentLabel.CONTRADICTION, "cad-snli")]
    recipe = EntailmentRecipe(pairs, base=tiny_base)
    ((batch),) = recipe.batches(0, seed=0)
    network = recipe.network().eval()
    optimizer = torch.optim.SGD([one for one in network.parameters() if one.requires_grad], lr=3e-2)
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = recipe.loss(network, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert recipe.labels(network, pairs) == [EntailmentLabel.CONTRADICTION]
