"""The one training loop of the learned readers: AdamW, a rate that warms up, holds and falls, and checkpoints.

The learning rate warms up, stays constant, and falls to zero over the last steps, so that a checkpoint from before the fall
can be trained for longer than was planned. A checkpoint holds the weights, the optimiser, the position in the data and the
state of the random number generators: a training that was killed and resumed ends with the same weights as one that ran
through, with the same number of threads on the same kind of processor.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from memory.core.errors import TrainingRefused

CHECKPOINT_FILE = "checkpoint.pt"


@dataclass(frozen=True)
class TrainingConfig:
    """The hyperparameters of a training; a recipe brings its own."""

    steps: int
    decay_steps: int
    warmup_steps: int = 200
    learning_rate: float = 1.5e-4
    head_factor: float = 5.0
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    checkpoint_steps: int = 400
    threads: int = 2
    seed: int = 0

    def rate(self, step: int) -> float:
        """Return the factor on the learning rate at a step, counted from 0."""
        decay_from = self.steps - self.decay_steps
        if step < decay_from:
            return min(1.0, (step + 1) / self.warmup_steps)
        return max(0.0, 1 - (step - decay_from) / self.decay_steps)


class Recipe(Protocol):
    """What is trained on what. `network` has its encoder in the attribute `encoder`, if any; all else is a head."""

    def identity(self) -> str:
        """Return a digest of the data and of every choice of the recipe."""

    def network(self) -> Any:
        """Return a fresh network."""

    def batches(self, epoch: int, *, seed: int) -> Sequence[Any]:
        """Return the batches of an epoch, in the order of training."""

    def loss(self, network: Any, batch: Any) -> Any:
        """Return the loss of a batch, a scalar to minimise."""


@dataclass
class _State:
    """The network, its optimiser and the position in the data."""

    network: Any
    optimizer: Any
    step: int = 0
    epoch: int = 0
    batch: int = 0


def train(
    recipe: Recipe,
    *,
    work: Path,
    config: TrainingConfig,
    is_resumed: bool = False,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> Any:
    """Train and return the network; the checkpoint stays in `work`.

    `on_step` is called with the number of steps done and the last loss. Raises `TrainingRefused` where there is a checkpoint
    that is not to be resumed, or one of another training.
    """
    import torch

    check_config(config)
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    state = _begin(recipe, config)
    checkpoint = work / CHECKPOINT_FILE
    identity = training_identity(recipe, config)
    if checkpoint.is_file():
        if not is_resumed:
            raise TrainingRefused(
                f"{checkpoint} is there from a training before. Go on with it by --resume, or choose another --work."
            )
        _restore(state, checkpoint, identity, config)
    work.mkdir(parents=True, exist_ok=True)
    moved = [parameter for group in state.optimizer.param_groups for parameter in group["params"]]
    rates = [config.learning_rate, config.learning_rate * config.head_factor]
    state.network.train()
    batches = recipe.batches(state.epoch, seed=config.seed)
    while state.step < config.steps:
        if state.batch == len(batches):
            state.epoch, state.batch = state.epoch + 1, 0
            batches = recipe.batches(state.epoch, seed=config.seed)
        for group, rate in zip(state.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * config.rate(state.step)
        loss = recipe.loss(state.network, batches[state.batch])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(moved, config.clip_norm)
        state.optimizer.step()
        state.optimizer.zero_grad()
        state.step, state.batch = state.step + 1, state.batch + 1
        on_step(state.step, loss.item())
        if state.step % config.checkpoint_steps == 0:
            _keep(state, checkpoint, identity, config)
    _keep(state, checkpoint, identity, config)
    return state.network.eval()


def trained_network(recipe: Recipe, checkpoint: Path) -> Any:
    """Return the network of a checkpoint, finished or not. Raises `TrainingRefused` for one of another recipe."""
    network = recipe.network()
    try:
        network.load_state_dict(_read(checkpoint)["network"])
    except (KeyError, RuntimeError) as error:
        raise TrainingRefused(f"{checkpoint} is a checkpoint of another network.") from error
    return network.eval()


def check_config(config: TrainingConfig) -> None:
    """Raise `TrainingRefused` for numbers that no training can have."""
    if config.steps < 1 or config.checkpoint_steps < 1 or config.threads < 1:
        raise TrainingRefused("Steps, steps between checkpoints and threads must be at least 1.")
    if not 1 <= config.decay_steps <= config.steps:
        raise TrainingRefused(
            f"The learning rate cannot fall over {config.decay_steps} of {config.steps} steps. "
            "Give --decay-steps a number from 1 to that of --steps."
        )


def training_identity(recipe: Recipe, config: TrainingConfig) -> str:
    """Return a digest of everything that a resumed training must share with its checkpoint; the lengths may differ."""
    numbers = asdict(config)
    for name in ("steps", "decay_steps", "checkpoint_steps"):
        del numbers[name]
    return hashlib.sha256(f"{json.dumps(numbers, sort_keys=True)}{recipe.identity()}".encode()).hexdigest()


def _begin(recipe: Recipe, config: TrainingConfig) -> _State:
    import torch

    network = recipe.network()
    named = [(name, parameter) for name, parameter in network.named_parameters() if parameter.requires_grad]
    body = [parameter for name, parameter in named if name.startswith("encoder.")]
    head = [parameter for name, parameter in named if not name.startswith("encoder.")]
    groups = [
        {"params": body, "lr": config.learning_rate},
        {"params": head, "lr": config.learning_rate * config.head_factor},
    ]
    return _State(network, torch.optim.AdamW(groups, weight_decay=config.weight_decay, fused=True))


def _keep(state: _State, place: Path, identity: str, config: TrainingConfig) -> None:
    """Write a checkpoint atomically."""
    import torch

    part = place.with_suffix(".part")
    with part.open("wb") as file:
        torch.save(
            {
                "identity": identity,
                "decay_from": config.steps - config.decay_steps,
                "steps": config.steps,
                "step": state.step,
                "epoch": state.epoch,
                "batch": state.batch,
                "network": state.network.state_dict(),
                "optimizer": state.optimizer.state_dict(),
                "random": torch.get_rng_state(),
                "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],
            },
            file,
        )
        file.flush()
        os.fsync(file.fileno())
    part.replace(place)


def _read(place: Path) -> dict[str, Any]:
    import torch

    try:
        return dict(torch.load(place, map_location="cpu", weights_only=True))
    except Exception as error:
        # What a broken file raises is the library's own, and of any kind.
        raise TrainingRefused(
            f"{place} is no checkpoint of a training. Remove it, or choose another --work."
        ) from error


def _restore(state: _State, place: Path, identity: str, config: TrainingConfig) -> None:
    import torch

    kept = _read(place)
    if kept["identity"] != identity:
        raise TrainingRefused(
            f"{place} is of a training with other data, seed or threads. Give those again, or choose another --work."
        )
    lengths = (config.steps - config.decay_steps, config.steps)
    if (kept["decay_from"], kept["steps"]) != lengths and kept["step"] > min(kept["decay_from"], lengths[0]):
        raise TrainingRefused(
            f"{place} is at step {kept['step']}, where the learning rate falls already: "
            "it can only be ended as it was begun, with the same --steps and --decay-steps."
        )
    state.network.load_state_dict(kept["network"])
    state.optimizer.load_state_dict(kept["optimizer"])
    torch.set_rng_state(kept["random"])
    if kept.get("random_cuda"):
        torch.cuda.set_rng_state_all(kept["random_cuda"])
    state.step, state.epoch, state.batch = kept["step"], kept["epoch"], kept["batch"]
