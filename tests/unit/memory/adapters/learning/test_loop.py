"""The training loop: killed and taken up again, it ends where one that ran through ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.learning.loop import CHECKPOINT_FILE, TrainingConfig, train, trained_network
from memory.core.errors import TrainingRefused

CONFIG = TrainingConfig(steps=24, decay_steps=8, warmup_steps=3, learning_rate=1e-2, checkpoint_steps=4, threads=1)
# Fewer than two epochs' batches, so that the place in the data must be right across an epoch's end.
NUMBERS = tuple(place / 10 for place in range(10))


class Doubling:
    """A recipe that learns to double a number, behind dropout, so that the random numbers must be right too."""

    def __init__(self, numbers: Sequence[float] = NUMBERS) -> None:
        self.numbers = numbers

    def identity(self) -> str:
        return repr(self.numbers)

    def network(self) -> Any:
        from torch import nn

        class Network(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.encoder = nn.Linear(1, 8)
                self.encoder.bias.requires_grad = False
                self.drop = nn.Dropout(0.5)
                self.head = nn.Linear(8, 1)

            def forward(self, numbers: Any) -> Any:
                return self.head(self.drop(self.encoder(numbers)))

        return Network()

    def batches(self, epoch: int, *, seed: int) -> list[float]:
        return [number + (epoch + seed) / 100 for number in self.numbers]

    def loss(self, network: Any, batch: float) -> Any:
        import torch

        return ((network(torch.tensor([[batch]])) - 2 * batch) ** 2).sum()


PROGRAM = """
import os, signal, sys
from pathlib import Path
from tests.unit.memory.adapters.learning.test_loop import CONFIG, Doubling
from memory.adapters.learning.loop import train
def die(step, loss):
    if step == 14:
        os.kill(os.getpid(), signal.SIGKILL)
train(Doubling(), work=Path(sys.argv[1]), config=CONFIG, on_step=die)
"""


def weights_of(network: Any) -> dict[str, object]:
    return {name: value.tolist() for name, value in network.state_dict().items()}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[float]]:
    losses: list[float] = []
    work = tmp_path_factory.mktemp("whole")
    return train(Doubling(), work=work, config=CONFIG, on_step=lambda _, loss: losses.append(loss)), losses


def test_killed_training_goes_on_to_the_same_weights(uninterrupted: tuple[Any, list[float]], tmp_path: Path) -> None:
    whole, losses = uninterrupted
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == -9, done.stderr.decode()
    seen: list[tuple[int, float]] = []
    resumed = train(
        Doubling(),
        work=tmp_path,
        config=CONFIG,
        is_resumed=True,
        on_step=lambda step, loss: seen.append((step, loss)),
    )
    assert seen == list(enumerate(losses, start=1))[12:], "from the last checkpoint, loss by loss"
    assert weights_of(resumed) == weights_of(whole)


def test_training_moves_what_needs_a_gradient_alone(uninterrupted: tuple[Any, list[float]]) -> None:
    import torch

    torch.manual_seed(CONFIG.seed)
    before, after = weights_of(Doubling().network()), weights_of(uninterrupted[0])
    assert {name for name in before if before[name] == after[name]} == {"encoder.bias"}
    assert len(uninterrupted[1]) == CONFIG.steps


def test_finished_training_is_resumed_to_nothing_more(tmp_path: Path) -> None:
    short = replace(CONFIG, steps=4, decay_steps=2)
    first = weights_of(train(Doubling(), work=tmp_path, config=short))
    steps: list[int] = []
    again = train(Doubling(), work=tmp_path, config=short, is_resumed=True, on_step=lambda step, _: steps.append(step))
    assert (steps, weights_of(again)) == ([], first)
    assert weights_of(trained_network(Doubling(), tmp_path / CHECKPOINT_FILE)) == first


def test_checkpoint_before_the_fall_can_be_trained_on_for_longer(
    uninterrupted: tuple[Any, list[float]], tmp_path: Path
) -> None:
    def stop(step: int, _: float) -> None:
        if step == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(Doubling(), work=tmp_path, config=replace(CONFIG, steps=12, decay_steps=6), on_step=stop)
    longer = train(Doubling(), work=tmp_path, config=CONFIG, is_resumed=True)
    assert weights_of(longer) == weights_of(uninterrupted[0])


def test_checkpoint_is_neither_overwritten_nor_taken_for_another_training(tmp_path: Path) -> None:
    short = replace(CONFIG, steps=4, decay_steps=2)
    train(Doubling(), work=tmp_path, config=short)
    with pytest.raises(TrainingRefused, match="--resume"):
        train(Doubling(), work=tmp_path, config=short)
    with pytest.raises(TrainingRefused, match="other data"):
        train(Doubling(NUMBERS[1:]), work=tmp_path, config=short, is_resumed=True)
    with pytest.raises(TrainingRefused, match="seed"):
        train(Doubling(), work=tmp_path, config=replace(short, seed=1), is_resumed=True)
    with pytest.raises(TrainingRefused, match="falls already"):
        train(Doubling(), work=tmp_path, config=CONFIG, is_resumed=True)
    (tmp_path / CHECKPOINT_FILE).write_bytes(b"broken")
    with pytest.raises(TrainingRefused, match="no checkpoint"):
        train(Doubling(), work=tmp_path, config=short, is_resumed=True)
    with pytest.raises(TrainingRefused, match="no checkpoint"):
        trained_network(Doubling(), tmp_path / CHECKPOINT_FILE)


def test_checkpoint_of_another_network_is_not_exported(tmp_path: Path) -> None:
    import torch

    torch.save({"network": {"encoder.weight": torch.zeros(3, 3)}}, tmp_path / CHECKPOINT_FILE)
    with pytest.raises(TrainingRefused, match="another network"):
        trained_network(Doubling(), tmp_path / CHECKPOINT_FILE)


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"decay_steps": 0}, {"decay_steps": 25}, {"threads": 0}])
def test_lengths_that_make_no_sense_are_refused(wrong: dict[str, int], tmp_path: Path) -> None:
    with pytest.raises(TrainingRefused, match=r"at least 1|cannot fall"):
        train(Doubling(), work=tmp_path, config=replace(CONFIG, **wrong))


def test_learning_rate_warms_up_stays_and_falls_to_zero() -> None:
    rates = [TrainingConfig(steps=10, decay_steps=4, warmup_steps=3).rate(step) for step in range(10)]
    assert rates == pytest.approx([1 / 3, 2 / 3, 1, 1, 1, 1, 1, 3 / 4, 2 / 4, 1 / 4])
