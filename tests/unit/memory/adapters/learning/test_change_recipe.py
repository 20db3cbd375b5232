"""What the change judge is shown: pairs and the time between them, rare labels weighing more."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.learning.change_judge import CHANGES, ChangeRecipe, LabelledChange, pieces_of, read_changes
from memory.adapters.learning.recipe import tokenizer_of
from memory.adapters.readers.change_judge import gap, later_text
from memory.core.errors import TrainingRefused
from memory.core.types import Change

OLD, NEW = date(2023, 1, 12), date(2023, 2, 16)


def row(**fields: object) -> dict[str, Any]:
    return {
        "old": "i live in paris",
        "old_said": "2023-01-12",
        "new": "rome is blue",
        "new_said": "2023-02-16",
        "label": "replaces",
        "kind": "move",
        **fields,
    }


def test_pairs_are_read_with_their_days(tmp_path: Path) -> None:
    (tmp_path / "pairs_a.jsonl").write_text(json.dumps(row()) + "\n")
    assert read_changes(tmp_path) == [LabelledChange("i live in paris", OLD, "rome is blue", NEW, Change.REPLACES)]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("oops", "Expecting value"),
        (json.dumps({"old": "i live"}), "it has no 'old_said'"),
        (json.dumps(row(label="moves")), "'moves' is not a valid Change"),
        (json.dumps(row(new=" ")), "a sentence is empty"),
        (json.dumps(row(new_said="2023-01-11")), "said before the old one"),
        (json.dumps(row(old_said="January")), "Invalid isoformat"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, bad: str, why: str) -> None:
    (tmp_path / "pairs_a.jsonl").write_text(json.dumps(row()) + "\n" + bad + "\n")
    with pytest.raises(TrainingRefused) as refused:
        read_changes(tmp_path)
    assert "pairs_a.jsonl, line 2" in str(refused.value)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (-3, "the same day"),
        (0, "the same day"),
        (1, "a day later"),
        (13, "13 days later"),
        (14, "2 weeks later"),
        (59, "8 weeks later"),
        (60, "2 months later"),
        (729, "24 months later"),
        (731, "2 years later"),
        (3650, "10 years later"),
    ],
)
def test_time_between_is_told_in_words(days: int, told: str) -> None:
    assert gap(OLD, date.fromordinal(OLD.toordinal() + days)) == told


def test_pieces_are_the_old_sentence_and_the_new_one_later(tiny_base: Path) -> None:
    tokenizer = tokenizer_of(tiny_base)
    pair = LabelledChange("i live in paris", OLD, "rome is blue", NEW, Change.REPLACES)
    assert later_text(pair.new, old_said=OLD, new_said=NEW) == "5 weeks later: rome is blue"
    pieces = pieces_of(pair, tokenizer)
    first = tokenizer.encode("i live in paris", add_special_tokens=False).ids
    second = tokenizer.encode("5 weeks later: rome is blue", add_special_tokens=False).ids
    assert pieces.ids == (2, *first, 3, *second, 3)
    assert pieces.split == len(first) + 2


def test_rare_labels_count_by_the_inverse_root(tiny_base: Path) -> None:
    pairs = [LabelledChange("i live", OLD, f"the cat {n}", NEW, Change.ENDS) for n in range(8)]
    pairs += [LabelledChange("i live", OLD, f"the dog {n}", NEW, Change.CONFIRMS) for n in range(2)]
    weights = ChangeRecipe(pairs, base=tiny_base).weights
    assert weights[CHANGES.index(Change.CONFIRMS)] == pytest.approx(2 * weights[CHANGES.index(Change.ENDS)])


def test_pairs_of_an_old_sentence_are_held_out_together() -> None:
    pairs = [
        LabelledChange(f"i live in house {old}", OLD, f"the cat {new}", NEW, Change.ENDS)
        for old in range(400)
        for new in range(2)
    ]
    by_old: dict[str, set[bool]] = {}
    for pair in pairs:
        by_old.setdefault(pair.old, set()).add(pair.is_held_out)
    assert {len(kinds) for kinds in by_old.values()} == {1}
    assert 25 <= sum(True in kinds for kinds in by_old.values()) <= 80


def test_loss_falls_where_the_labels_are_followed(tiny_base: Path) -> None:
    import torch

    torch.manual_seed(0)
    pairs = [LabelledChange("i live in paris", OLD, "rome is blue", NEW, Change.REPLACES)]
    recipe = ChangeRecipe(pairs, base=tiny_base)
    ((batch),) = recipe.batches(0, seed=0)
    network = recipe.network().eval()
    optimizer = torch.optim.SGD([one for one in network.parameters() if one.requires_grad], lr=1e-2)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = recipe.loss(network, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[2] < losses[0]
