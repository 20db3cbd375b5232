"""`manage.py train`: from labelled examples to a reader with its card, on an encoder of two layers."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from django.core.management import CommandError, call_command

from memory.adapters.learning.answer_reader import AnswerRecipe, read_questions
from memory.adapters.learning.export import export_encoder
from memory.adapters.learning.loop import CHECKPOINT_FILE, TrainingConfig, train
from memory.adapters.learning.message_reader import MessageRecipe, read_messages
from memory.adapters.learning.recipe import encoder_of, tokenizer_of
from memory.adapters.readers.answer_reader import OnnxAnswerReader
from memory.adapters.readers.change_judge import OnnxChangeJudge
from memory.adapters.readers.encoder import NETWORK_FILE
from memory.adapters.readers.evidence_reader import OnnxEvidenceReader
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.adapters.readers.pieces import cut, padded
from memory.adapters.readers.question_reader import OnnxQuestionReader
from memory.adapters.readers.reference_reader import OnnxReferenceReader
from memory.core.types import (
    Change,
    MessageInContext,
    QuestionOnTurns,
    Role,
    SaidTurn,
    Utterance,
    UtteranceInDialogue,
)
from tests.unit.memory.adapters.entailment.conftest import WORDS, build_tiny_bert

GLOSSES = {"livesIn": "lives in paris", "hasPet": "cat or dog", "other": "is"}


@pytest.fixture(scope="module")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_bert(tmp_path_factory.mktemp("base") / "tiny", window=256, layers=1)


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of 60 messages, and one that only names its source."""
    folder = tmp_path_factory.mktemp("messages")
    (folder / "predicates.json").write_text(json.dumps(GLOSSES))
    rows: list[dict[str, Any]] = [
        {"p": "", "s": f"i live in {town} {word} now", "r": "plain", "f": [["me", "livesIn", town, ""]]}
        for town in ("paris", "rome", "house")
        for word in WORDS[:20]
    ]
    rows.append({"r": "real", "src": "mtbench101/CM/1/0", "f": []})
    (folder / "messages_a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="module")
def exported_encoder(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of an exported encoder: an export takes seconds, so that the trainings below share this one."""
    target = tmp_path_factory.mktemp("exported") / NETWORK_FILE
    export_encoder(encoder_of(tiny_base), target)
    return target


@pytest.fixture
def ready_export(exported_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "memory.adapters.learning.export.export_encoder",
        lambda encoder, target: shutil.copyfile(exported_encoder, target),
    )


def options(work: Path, base: Path) -> dict[str, Any]:
    return {
        "base": base,
        "steps": 6,
        "decay_steps": 2,
        "checkpoint_steps": 2,
        "threads": 1,
        "work": work,
        "quiet": True,
        "stdout": StringIO(),
        "stderr": StringIO(),
    }


@pytest.mark.slow
def test_exported_encoder_gives_nearly_the_vectors_of_the_trained_one(exported_encoder: Path, tiny_base: Path) -> None:
    import torch

    rows = [
        cut(tokenizer_of(tiny_base), "the cat", text, window=64, first_room=8) for text in ("a dog", "i live in rome")
    ]
    session = onnxruntime.InferenceSession(str(exported_encoder), providers=["CPUExecutionProvider"])
    exported = session.run(None, padded(rows))[0]
    with torch.inference_mode():
        inputs = {name: torch.from_numpy(part) for name, part in padded(rows).items()}
        trained = encoder_of(tiny_base).eval()(**inputs).last_hidden_state.numpy()
    for row, here, there in zip(rows, exported, trained, strict=True):
        here, there = here[: len(row.ids)], there[: len(row.ids)]
        cosines = (here * there).sum(axis=1) / np.linalg.norm(here, axis=1) / np.linalg.norm(there, axis=1)
        assert cosines.min() > 0.99


@pytest.mark.slow
@pytest.mark.usefixtures("ready_export")
def test_message_reader_is_stopped_resumed_and_has_its_card(
    tiny_base: Path, messages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options(tmp_path / "work", tiny_base)
    steps = 0
    loss = MessageRecipe.loss

    def stopped(self: MessageRecipe, network: Any, batch: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps == 6:
            raise KeyboardInterrupt
        return loss(self, network, batch)

    monkeypatch.setattr(MessageRecipe, "loss", stopped)
    with pytest.raises(CommandError, match="--resume"):
        call_command("train", "message-reader", data=messages, out=tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()
    call_command("train", "message-reader", data=messages, out=tmp_path / "out", resume=True, **given)
    assert steps == 8, "from the checkpoint of step 4"
    assert given["stderr"].getvalue().startswith("1 messages that only name their source were left out")
    assert given["stdout"].getvalue().startswith(f"Saved to {tmp_path / 'out'}. Measured: ")

    read = read_messages(messages).messages
    shown = [message for message in read if not message.is_held_out]
    config = TrainingConfig(steps=6, decay_steps=2, checkpoint_steps=2, threads=1)
    whole = train(MessageRecipe(shown, GLOSSES, base=tiny_base), work=tmp_path / "whole", config=config)
    with np.load(tmp_path / "out" / "heads.npz") as heads:
        assert {name: heads[name].tolist() for name in heads.files} == {
            name: value.numpy().astype(np.float16).tolist()
            for name, value in whole.state_dict().items()
            if not name.startswith("encoder.")
        }

    (found,) = OnnxMessageReader(tmp_path / "out").read_many([MessageInContext("i live in paris")], least=0.0)
    assert {fact.predicate for fact in found} == set(GLOSSES)
    card = (tmp_path / "out" / "README.md").read_text()
    assert f"| `own` | {len(shown)} | written for this project | Apache-2.0, as the project |" in card
    command = "--base tiny --steps 6 --decay-steps 2 --threads 1 --seed 0"
    assert f"manage.py train message-reader --data {messages.name} {command}\n" in card
    assert str(tmp_path) not in card
    assert "\n\n\n" not in card
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert {(row["metric"], row.get("group", "")) for row in scores} == {
        *((metric, group) for metric in ("precision", "recall", "f1", "object_f1") for group in ("", "plain")),
        *((metric, "a message") for metric in ("p50_ms", "p95_ms")),
    }


@pytest.mark.slow
@pytest.mark.usefixtures("ready_export")
def test_answer_reader_is_exported_from_a_checkpoint_with_its_card(tiny_base: Path, tmp_path: Path) -> None:
    data = tmp_path / "questions"
    data.mkdir()
    turns = [{"n": 0, "speaker": "Ana", "text": "i live in paris"}, {"n": 1, "speaker": "Bo", "text": "the cat sleeps"}]
    asked = [{"q": "where is ana", "a": "paris", "n": 0}, {"q": "is it blue", "a": None, "n": None}]
    (data / "questions_a.jsonl").write_text(
        "".join(json.dumps({"turns": turns, "qa": asked}) + "\n" for _ in range(60))
    )
    shown = [question for question in read_questions(data) if not question.is_held_out]
    config = TrainingConfig(steps=2, decay_steps=1, threads=1)
    train(AnswerRecipe(shown, base=tiny_base), work=tmp_path / "elsewhere", config=config)

    given = options(tmp_path / "work", tiny_base)
    checkpoint = tmp_path / "elsewhere" / CHECKPOINT_FILE
    call_command("train", "answer-reader", data=data, out=tmp_path / "out", export_from=checkpoint, **given)
    reader = OnnxAnswerReader(tmp_path / "out")
    said = tuple(SaidTurn(text, "Ana") for text in ("i live in paris", "the cat sleeps"))
    [answers] = reader.read_many([QuestionOnTurns("where is ana", said)])
    for turn, answer in zip(said, answers, strict=True):
        assert answer.words.text == turn.text[answer.words.span.start : answer.words.span.end] != ""
    card = (tmp_path / "out" / "README.md").read_text()
    assert "manage.py train answer-reader --data questions --base tiny --steps 6" in card
    assert "\n\n\n" not in card
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert [row["metric"] for row in scores] == [
        *("precision", "recall", "f1", "refused", "yes_or_no", "p50_ms", "p95_ms")
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("ready_export")
def test_question_reader_is_trained_to_a_card(tiny_base: Path, tmp_path: Path) -> None:
    data = tmp_path / "asked"
    data.mkdir()
    (data / "predicates.json").write_text(json.dumps(GLOSSES))
    part = {"subject": ["me"], "predicate": "livesIn", "want": "place", "time": "now", "form": "where"}
    rows = [{"q": f"where do i {word} in {town}", "parts": [part]} for town in ("paris", "rome") for word in WORDS]
    rows += [{"q": f"why is the {word}", "parts": [], "act": "world"} for word in WORDS]
    (data / "asked_a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = options(tmp_path / "work", tiny_base)
    call_command("train", "question-reader", data=data, out=tmp_path / "out", **given)
    [found] = OnnxQuestionReader(tmp_path / "out").read_many(["where do i live in paris"])
    assert {one.value for one in found.predicates} <= set(GLOSSES)
    assert sum(one.probability for one in found.predicates) == pytest.approx(1, abs=0.05)
    card = (tmp_path / "out" / "README.md").read_text()
    assert "manage.py train question-reader --data asked --base tiny --steps 6" in card
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert [row["metric"] for row in scores] == [
        *("is_of_memory", "kind", "predicate", "predicate_of_3", "subject_path", "value", "want", "form", "time"),
        *("p50_ms", "p95_ms"),
    ]


def test_command_says_what_it_cannot_take(tiny_base: Path, messages: Path, tmp_path: Path) -> None:
    given = options(tmp_path / "work", tiny_base)
    with pytest.raises(CommandError, match="no labelled examples"):
        call_command("train", "message-reader", data=tmp_path, out=tmp_path / "out", **given)
    with pytest.raises(CommandError, match="--decay-steps"):
        call_command("train", "message-reader", data=messages, out=tmp_path / "out", **{**given, "decay_steps": 7})
    with pytest.raises(CommandError, match="no checkpoint"):
        call_command(
            "train", "message-reader", data=messages, out=tmp_path / "out", export_from=tmp_path / "none", **given
        )
    with pytest.raises(CommandError, match="holds no mtbench101"):
        call_command("train", "message-reader", data=messages, sources=tmp_path, out=tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("ready_export")
def test_change_judge_is_trained_to_a_card(tiny_base: Path, tmp_path: Path) -> None:
    data = tmp_path / "changes"
    data.mkdir()
    rows = [
        {
            "old": f"i live in {town}",
            "old_said": "2023-01-12",
            "new": f"the {word} cat sleeps",
            "new_said": "2023-05-12",
            "label": list(Change)[place % 6],
        }
        for place, (town, word) in enumerate((town, word) for town in WORDS for word in WORDS[:6])
    ]
    (data / "pairs_a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = options(tmp_path / "work", tiny_base)
    call_command("train", "change-judge", data=data, out=tmp_path / "out", **given)
    day = datetime(2023, 5, 12, tzinfo=UTC)
    old, new = (Utterance("Ana", Role.USER, text, day) for text in ("i live in paris", "the cat sleeps"))
    (verdict,) = OnnxChangeJudge(tmp_path / "out").judge_many([(old, new)])
    assert sum(getattr(verdict, change) for change in Change) == pytest.approx(1, abs=1e-3)
    assert (
        "manage.py train change-judge --data changes --base tiny --steps 6"
        in (tmp_path / "out" / "README.md").read_text()
    )
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert [(row["metric"], row.get("group", "")) for row in scores] == [
        ("accuracy", ""),
        ("macro_f1", ""),
        *((f"gives_way_{metric}", "") for metric in ("precision", "recall", "f1")),
        *(("f1", change.value) for change in Change),
        *((metric, "a new sentence beside 20 old ones") for metric in ("p50_ms", "p95_ms")),
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("ready_export")
def test_reference_reader_is_trained_to_a_card(tiny_base: Path, tmp_path: Path) -> None:
    data = tmp_path / "references"
    data.mkdir()
    rows = [
        {
            "history": [f"the {word} cat sleeps"],
            "utterance": f"where is {said}",
            "rewrites": [f"where is {full}"],
        }
        for word in WORDS
        for said, full in (("it", f"the {word} cat"), ("the house", "the house"))
    ]
    (data / "references_a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = options(tmp_path / "work", tiny_base)
    call_command("train", "reference-reader", data=data, out=tmp_path / "out", **given)
    said = UtteranceInDialogue("where is it", ("the cat sleeps",))
    reader = OnnxReferenceReader(tmp_path / "out")
    [found] = reader.resolve_many([said])
    assert all(one.meant.text in said.before[0] and 0 <= one.probability <= 1 for one in found)
    assert 0.3 <= reader.threshold <= 0.9
    assert (
        "manage.py train reference-reader --data references --base tiny" in (tmp_path / "out" / "README.md").read_text()
    )
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert [(row["metric"], row.get("group", "")) for row in scores] == [
        *((metric, group) for group in ("", "own") for metric in ("exact", "token_f1", "unharmed")),
        *((metric, "an utterance") for metric in ("p50_ms", "p95_ms")),
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("ready_export")
def test_evidence_reader_is_trained_to_a_card(tiny_base: Path, tmp_path: Path) -> None:
    data = tmp_path / "states"
    data.mkdir()
    histories = [
        {
            "id": f"h-{number}",
            "category": "cascade",
            "turns": [
                {
                    "role": "user",
                    "text": f"i live in {word}",
                    "evidence": [{"id": "e1", "kind": "assert", "words": word, "about": "house"}],
                },
                {"role": "assistant", "text": "the cat sleeps"},
                {
                    "role": "user",
                    "text": "no the dog is blue",
                    "evidence": [
                        {"id": "e2", "kind": "retract", "words": "no", "about": "house", "ends": ["e1"]},
                        {"id": "e3", "kind": "require", "words": "blue", "about": "dog", "rests_on": ["e1"]},
                    ],
                },
            ],
        }
        for number, word in enumerate(WORDS * 2)
        if word not in ("no", "blue")
    ]
    (data / "sa.jsonl").write_text("".join(json.dumps(one) + "\n" for one in histories))
    (tmp_path / "changes").mkdir()
    pair = {"old": "i live in paris", "old_said": "2023-01-12", "new": "i live in rome", "new_said": "2023-05-12"}
    (tmp_path / "changes" / "pairs_a.jsonl").write_text(json.dumps({**pair, "label": "replaces"}) + "\n")
    given = options(tmp_path / "work", tiny_base)
    call_command("train", "evidence-reader", data=data, out=tmp_path / "out", **given)
    reader = OnnxEvidenceReader(tmp_path / "out")
    [marks] = reader.mark_many([MessageInContext("i live in paris", "")])
    assert all(mark.text in "i live in paris" for mark in marks)
    assert "manage.py train evidence-reader --data states --base tiny" in (tmp_path / "out" / "README.md").read_text()


def test_parser_says_what_it_cannot_take(tmp_path: Path) -> None:
    given = {"out": tmp_path / "out", "work": tmp_path / "work", "quiet": True}
    with pytest.raises(CommandError, match=r"has no train\.conllu"):
        call_command("train", "parser", data=tmp_path, **given)
    for name in ("train.conllu", "dev.conllu"):
        (tmp_path / name).write_text("")
    with pytest.raises(CommandError, match="--steps"):
        call_command("train", "parser", data=tmp_path, steps=0, **given)
