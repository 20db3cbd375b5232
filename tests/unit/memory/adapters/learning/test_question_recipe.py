"""What the question reader is shown: labelled questions, and what is right of each judgement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.adapters.learning.question_reader import (
    LabelledQuestion,
    QuestionRecipe,
    example_of,
    judged,
    read_asked,
)
from memory.adapters.learning.recipe import tokenizer_of
from memory.adapters.readers.question_reader import CHOICES, COOLED, RELATIONS
from memory.core.errors import TrainingRefused
from memory.core.types import AskedKind, AskedTime

GLOSSES = {"livesIn": "lives in paris", "hasPet": "cat or dog", "other": "is"}


def part(**fields: object) -> dict[str, Any]:
    return {"subject": ["me"], "predicate": "livesIn", "want": "place", "time": "now", "form": "where", **fields}


def row(text: str = "where do i live now", **fields: object) -> dict[str, Any]:
    return {"q": text, "parts": [part(**fields)]}


def asked(folder: Path, *rows: object) -> tuple[LabelledQuestion, ...]:
    (folder / "predicates.json").write_text(json.dumps(GLOSSES))
    (folder / "asked_a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return read_asked(folder).questions


def test_question_has_what_it_asks_first(tmp_path: Path) -> None:
    both: dict[str, Any] = {
        "q": "where is the cat and who",
        "parts": [part(subject=["the cat", "hasPet"], time="last may"), part()],
    }
    world = {"q": "why is the house blue", "parts": [], "act": "world"}
    assert asked(tmp_path, both, world) == (
        LabelledQuestion(
            both["q"], AskedKind.MEMORY, "the cat", ("hasPet",), "livesIn", "place", AskedTime.DATED, "where"
        ),
        LabelledQuestion("why is the house blue", AskedKind.WORLD),
    )


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"parts": []}, "it has no 'q'"),
        (row(predicate="hates"), "'hates' is none of the words"),
        (row(subject=["me", "hasBoat"]), "'hasBoat' is none of the words"),
        (row(subject=["the dog"]), "'the dog' is none of the words"),
        (row(want="colour"), "'colour' is none of the words"),
        (row(form="whence"), "'whence' is none of the words"),
        ({"q": "where", "parts": []}, "a question to a memory has parts"),
        ({**row(), "act": "world"}, "a question to a memory has parts"),
        ({**row(), "act": "sing"}, "'sing' is not a valid AskedKind"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, bad: object, why: str) -> None:
    with pytest.raises(TrainingRefused) as refused:
        asked(tmp_path, row(), bad)
    assert "asked_a.jsonl, line 2" in str(refused.value)
    assert why in str(refused.value)


def test_example_says_what_is_right_of_each_judgement(tiny_base: Path, tmp_path: Path) -> None:
    tokenizer = tokenizer_of(tiny_base)
    named = row(
        "where does the dog live now",
        subject=["the dog", "hasPet", "other:x"],
        predicate="other:sleep in",
        value=["me", "hasPet"],
    )
    mine, dog, world = asked(tmp_path, row(), named, {"q": "why", "parts": [], "act": "world"})
    wanted = [example_of(question, tokenizer, tuple(GLOSSES)).wanted for question in (mine, dog, world)]
    nobody = len(GLOSSES)
    assert wanted[0] == {
        "kind": 0,
        "time": 0,
        "want": CHOICES["want"].index("place"),
        "form": CHOICES["form"].index("where"),
        "predicate": 0,
        **dict.fromkeys(("subject_first", "subject_second", "subject_third"), nobody),
        **dict.fromkeys(("value_first", "value_second", "value_third"), nobody),
        "subject_begin": 0,
        "subject_end": 0,
        "value_begin": 0,
        "value_end": 0,
    }
    assert [wanted[1][name] for name in ("predicate", *RELATIONS["subject"])] == [2, 1, 2, nobody]
    assert [wanted[1][name] for name in RELATIONS["value"]] == [1, nobody, nobody]
    pieces = example_of(dog, tokenizer, tuple(GLOSSES)).pieces
    first, last = wanted[1]["subject_begin"], wanted[1]["subject_end"]
    assert tokenizer.decode(list(pieces.ids[first : last + 1])) == "the dog"
    assert wanted[2] == {"kind": 1}


def test_loss_falls_where_the_labels_are_followed(tiny_base: Path, tmp_path: Path) -> None:
    import torch

    torch.manual_seed(0)
    questions = asked(tmp_path, row(), {"q": "why is the house blue", "parts": [], "act": "world"})
    recipe = QuestionRecipe(questions, GLOSSES, base=tiny_base)
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

    logits = judged(network, recipe.examples)
    assert set(logits) == set(COOLED)
    assert [len(logits[name][1]) for name in ("kind", "predicate", "subject_first")] == [2, 1, 1]
    assert logits["kind"][0].shape == (2, len(AskedKind))
    assert logits["predicate"][0].shape == (1, len(GLOSSES))
    assert np.isfinite(logits["subject_begin"][0]).all()
