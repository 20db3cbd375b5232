"""What the message reader is shown: label files, joined words, targets in pieces, the weights of near misses."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from memory.adapters.learning.message_reader import (
    NEAR_WEIGHT,
    LabelledFact,
    LabelledMessage,
    MessageRecipe,
    Target,
    example_of,
    names_by_predicate,
    read_messages,
    renamed,
    span_table,
    wanted_scores,
)
from memory.adapters.learning.recipe import tokenizer_of
from memory.core.errors import TrainingRefused

GLOSSES = {"livesIn": "lives in", "hasPet": "pet", "other": "something else"}
PREDICATES = tuple(GLOSSES)
NO_FLAGS = (0.0,) * 7


def folder_with(folder: Path, *rows: dict[str, Any] | str) -> Path:
    (folder / "predicates.json").write_text(json.dumps(GLOSSES))
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / "messages_a.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def row(**fields: object) -> dict[str, Any]:
    return {"p": "", "s": "i live in paris now", "r": "plain", "f": [["me", "livesIn", "paris", ""]], **fields}


def message(text: str, *facts: LabelledFact, before: str = "") -> LabelledMessage:
    return LabelledMessage(before, text, "plain", facts)


def test_messages_are_read_with_their_flags_and_whose_words_they_are(tmp_path: Path) -> None:
    rows = row(f=[["me", "other:stay in", "paris", "past neg"]]), "", row(s="hi", f=[], p="hello", src="clinc150")
    data = read_messages(folder_with(tmp_path, *rows))
    assert data.messages == (
        message("i live in paris now", LabelledFact("me", "other:stay in", "paris", ("past", "neg"))),
        LabelledMessage("hello", "hi", "plain", (), "clinc150"),
    )
    assert (data.glosses, data.left_out) == (GLOSSES, 0)


def test_message_that_names_its_source_has_its_words_from_there_or_is_left_out(tmp_path: Path) -> None:
    named = {"r": "real", "src": "mtbench101/CM/7/1", "f": [["me", "hasPet", "cat", ""]]}
    folder = folder_with(tmp_path, row(), named)
    assert (len(read_messages(folder).messages), read_messages(folder).left_out) == (1, 1)

    sources = tmp_path / "sources" / "mtbench101"
    sources.mkdir(parents=True)
    with pytest.raises(TrainingRefused, match="mtbench101"):
        read_messages(folder, sources=tmp_path / "sources")
    history = [{"user": "hello", "bot": "x" * 400}, {"user": "my cat sleeps", "bot": "nice"}]
    (sources / "dev.jsonl").write_text(json.dumps({"task": "CM", "id": 7, "history": history}) + "\n")
    joined = read_messages(folder, sources=tmp_path / "sources")
    fact = LabelledFact("me", "hasPet", "cat", ())
    assert joined.messages[1] == LabelledMessage("x" * 300, "my cat sleeps", "real", (fact,), "mtbench101")
    assert joined.left_out == 0


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("oops", "line 2 is no labelled message: Expecting value"),
        ("[1]", "line 2 is no labelled message"),
        ('{"s": "hi"}', "it has no 'f'"),
        (json.dumps(row(f=[["me", "livesIn", "paris"]])), "missing 1 required"),
        (json.dumps(row(f=[["me", "lives", "paris", ""]])), "predicate 'lives' is not"),
        (json.dumps(row(f=[["me", "livesIn", "paris", "psat"]])), "flag 'psat' is not"),
        (json.dumps(row(f=[["me", "livesIn", " ", ""]])), "no object"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, bad: str, why: str) -> None:
    with pytest.raises(TrainingRefused) as refused:
        read_messages(folder_with(tmp_path, row(), bad))
    assert "messages_a.jsonl, line 2" in str(refused.value)
    assert why in str(refused.value)


def test_folder_without_examples_or_predicates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingRefused, match="no labelled examples"):
        read_messages(tmp_path)
    folder_with(tmp_path, row())
    (tmp_path / "predicates.json").write_text('{"livesIn": "lives in"}')
    with pytest.raises(TrainingRefused, match="'other'"):
        read_messages(tmp_path)


def test_facts_become_words_and_pieces(tiny_base: Path) -> None:
    # [CLS] is your cat blue [SEP] my cat and the dog live in paris [SEP], a piece a word.
    said = message(
        "my cat and the dog live in paris",
        LabelledFact("me", "hasPet", "cat", ()),
        LabelledFact("the dog", "livesIn", "paris", ("past", "rep")),
        LabelledFact("me", "other:say of", "blue", ()),
        LabelledFact("me", "livesIn", "rome", ()),
        before="is your cat blue",
    )
    example = example_of(said, tokenizer_of(tiny_base), PREDICATES)
    assert [(word.text, word.first, word.last) for word in example.pieces.words] == [
        *((0, place, place) for place in range(1, 5)),
        *((1, place, place) for place in range(6, 14)),
    ]
    assert example.targets == (
        Target(5, 5, PREDICATES.index("hasPet"), (0, 0), NO_FLAGS),
        Target(11, 11, PREDICATES.index("livesIn"), (9, 10), (0, 1, 0, 0, 0, 1, 0)),
        Target(3, 3, PREDICATES.index("other"), (0, 0), NO_FLAGS),
    )


def test_near_misses_weigh_little_and_the_right_span_is_wanted(tiny_base: Path) -> None:
    said = message("i live in old paris now", LabelledFact("me", "livesIn", "old paris", ()))
    batch = [example_of(said, tokenizer_of(tiny_base), PREDICATES)]
    (rows, _, _, lengths), places = span_table(batch)
    wanted, weight, chosen = wanted_scores(batch, places, (len(rows), len(PREDICATES)))
    right = places[0][3, 4]
    assert np.argwhere(wanted).tolist() == [[right, 0]]
    assert [(row, span) for row, span, _ in chosen] == [(0, right)]
    near = {span for span, found in places[0].items() if weight[found, 0] == np.float32(NEAR_WEIGHT)}
    assert near == {(3, 3), (4, 4), (2, 3), (4, 5), (2, 4), (3, 5), (1, 4), (2, 5)}
    assert (weight[:, 1:] == 1).all()
    assert lengths[right] == 1


def test_one_message_in_twenty_five_is_held_out_by_its_words_alone() -> None:
    messages = [message(f"i live in house {number}") for number in range(1000)]
    assert 20 <= sum(one.is_held_out for one in messages) <= 60
    moved = [LabelledMessage("", one.text, "other", (LabelledFact("me", "livesIn", "house", ()),)) for one in messages]
    assert [one.is_held_out for one in moved] == [one.is_held_out for one in messages]


def test_identity_tells_other_labels_but_not_whose_words_they_are(tiny_base: Path) -> None:
    said = message("i live in paris", LabelledFact("me", "livesIn", "paris", ()))
    identity = MessageRecipe([said], GLOSSES, base=tiny_base).identity()
    others = LabelledMessage(said.before, said.text, said.register, said.facts, "clinc150")
    assert MessageRecipe([others], GLOSSES, base=tiny_base).identity() == identity
    denied = message("i live in paris", LabelledFact("me", "livesIn", "paris", ("neg",)))
    assert MessageRecipe([denied], GLOSSES, base=tiny_base).identity() != identity


def test_loss_falls_where_the_labels_are_followed(tiny_base: Path) -> None:
    import torch

    torch.manual_seed(0)
    said = message("i live in paris", LabelledFact("me", "livesIn", "paris", ()))
    recipe = MessageRecipe([said, message("the cat sleeps")], GLOSSES, base=tiny_base)
    (batch,) = recipe.batches(0, seed=0)
    network = recipe.network().eval()
    moved = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(moved, lr=1e-3)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = recipe.loss(network, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[2] < losses[0]


def test_message_has_other_names_of_the_same_kind_throughout() -> None:
    facts = (
        LabelledFact("me", "hasSister", "Maya", ()),
        LabelledFact("Maya", "livesIn", "Porto", ()),
        LabelledFact("Maya", "worksAs", "nurse", ()),
    )
    said = LabelledMessage("Is Maya well?", "Maya is in Porto, my sister, a nurse.", "plain", facts)
    others = [
        message(
            "Ida is in Lille", LabelledFact("me", "hasSister", "Ida", ()), LabelledFact("Ida", "livesIn", "Lille", ())
        )
    ]
    names = names_by_predicate(others)
    assert names == {"hasSister": ("Ida",), "livesIn": ("Lille",)}
    assert renamed(said, names_by_predicate([said]), Random(0)) == said
    made = renamed(said, {"hasSister": ("Maya", "Ida"), "livesIn": ("Porto", "Lille")}, OfLast())
    assert (made.before, made.text) == ("Is Ida well?", "Ida is in Lille, my sister, a nurse.")
    assert [(fact.subject, fact.object) for fact in made.facts] == [("me", "Ida"), ("Ida", "Lille"), ("Ida", "nurse")]


class OfLast(Random):
    """Chance that always takes the last."""

    def choice(self, seq: Any) -> Any:
        return seq[-1]
