"""Training: killed and taken up again, it ends where one that ran through ends."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memory.adapters.entailment.pair_files import LabelledPair
from memory.adapters.entailment.training import CHECKPOINT_FILE, TrainingConfig, train
from memory.core.errors import TrainingRefused
from memory.core.types import EntailmentLabel

CONFIG = TrainingConfig(
    steps=24, decay_steps=8, warmup_steps=3, batch_size=4, learning_rate=1e-3, checkpoint_steps=4, threads=1
)
# Fewer than two epochs' pairs, so that the place in the data must be right across an epoch's end.
WORDS = "cat dog house red blue old new paris rome now".split()
PAIRS = [
    LabelledPair(f"i live in a {a} {b}", f"my {b} is {a}", tuple(EntailmentLabel)[(i + j) % 3], "cad-snli")
    for i, a in enumerate(WORDS[:4])
    for j, b in enumerate(WORDS)
]
PROGRAM = """
import os, signal, sys
from pathlib import Path
from tests.unit.memory.adapters.entailment.test_training import CONFIG, PAIRS
from memory.adapters.entailment.training import train
def die(step, loss):
    if step == 14:
        os.kill(os.getpid(), signal.SIGKILL)
train(PAIRS, base=Path(sys.argv[1]), work=Path(sys.argv[2]), config=CONFIG, on_step=die)
"""


def weights_of(folder: Path) -> dict[str, object]:
    from safetensors.numpy import load_file

    return {name: array.tobytes() for name, array in load_file(folder / "model.safetensors").items()}


@pytest.fixture(scope="module")
def uninterrupted(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[float]]:
    losses: list[float] = []
    work = tmp_path_factory.mktemp("whole")
    return train(PAIRS, base=tiny_bert, work=work, config=CONFIG, on_step=lambda _, loss: losses.append(loss)), losses


def test_killed_training_goes_on_to_the_same_weights(
    tiny_bert: Path, uninterrupted: tuple[Path, list[float]], tmp_path: Path
) -> None:
    whole, losses = uninterrupted
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tiny_bert), str(tmp_path)], capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr.decode()
    assert (tmp_path / CHECKPOINT_FILE).is_file()
    seen: list[tuple[int, float]] = []
    resumed = train(
        PAIRS,
        base=tiny_bert,
        work=tmp_path,
        config=CONFIG,
        is_resumed=True,
        on_step=lambda step, loss: seen.append((step, loss)),
    )
    assert seen == list(enumerate(losses, start=1))[12:], "from the last checkpoint, loss by loss"
    assert weights_of(resumed) == weights_of(whole)


def test_training_moves_all_but_the_word_embeddings(tiny_bert: Path, uninterrupted: tuple[Path, list[float]]) -> None:
    before, after = weights_of(tiny_bert), weights_of(uninterrupted[0])
    same = {name for name in before if before[name] == after[name]}
    assert same == {"bert.embeddings.word_embeddings.weight"}
    assert len(uninterrupted[1]) == CONFIG.steps


def test_finished_training_is_resumed_to_nothing_more(tiny_bert: Path, tmp_path: Path) -> None:
    short = replace(CONFIG, steps=4, decay_steps=2)
    first = weights_of(train(PAIRS, base=tiny_bert, work=tmp_path, config=short))
    steps: list[int] = []
    again = train(
        PAIRS, base=tiny_bert, work=tmp_path, config=short, is_resumed=True, on_step=lambda step, _: steps.append(step)
    )
    assert (steps, weights_of(again)) == ([], first)


def test_checkpoint_before_the_fall_can_be_trained_on_for_longer(
    tiny_bert: Path, uninterrupted: tuple[Path, list[float]], tmp_path: Path
) -> None:
    def stop(step: int, _: float) -> None:
        if step == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(PAIRS, base=tiny_bert, work=tmp_path, config=replace(CONFIG, steps=12, decay_steps=6), on_step=stop)
    longer = train(PAIRS, base=tiny_bert, work=tmp_path, config=CONFIG, is_resumed=True)
    assert weights_of(longer) == weights_of(uninterrupted[0])


def test_checkpoint_is_neither_overwritten_nor_taken_for_another_training(tiny_bert: Path, tmp_path: Path) -> None:
    short = replace(CONFIG, steps=4, decay_steps=2)
    train(PAIRS, base=tiny_bert, work=tmp_path, config=short)
    with pytest.raises(TrainingRefused, match="--resume"):
        train(PAIRS, base=tiny_bert, work=tmp_path, config=short)
    with pytest.raises(TrainingRefused, match="other data"):
        train(PAIRS[1:], base=tiny_bert, work=tmp_path, config=short, is_resumed=True)
    with pytest.raises(TrainingRefused, match="seed"):
        train(PAIRS, base=tiny_bert, work=tmp_path, config=replace(short, seed=1), is_resumed=True)
    with pytest.raises(TrainingRefused, match="falls already"):
        train(PAIRS, base=tiny_bert, work=tmp_path, config=CONFIG, is_resumed=True)
    (tmp_path / CHECKPOINT_FILE).write_bytes(b"broken")
    with pytest.raises(TrainingRefused, match="no checkpoint"):
        train(PAIRS, base=tiny_bert, work=tmp_path, config=short, is_resumed=True)


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"decay_steps": 0}, {"decay_steps": 25}, {"threads": 0}])
def test_lengths_that_make_no_sense_are_refused(wrong: dict[str, int], tiny_bert: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingRefused, match=r"at least 1|cannot fall"):
        train(PAIRS, base=tiny_bert, work=tmp_path, config=replace(CONFIG, **wrong))


def test_learning_rate_warms_up_stays_and_falls_to_zero() -> None:
    rates = [TrainingConfig(steps=10, decay_steps=4, warmup_steps=3).rate(step) for step in range(10)]
    assert rates == pytest.approx([1 / 3, 2 / 3, 1, 1, 1, 1, 1, 3 / 4, 2 / 4, 1 / 4])
