"""The recipe of adapters: what learns, what a graph teaches, and that a stop changes nothing."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.language_models.adapted import LoraSizes, base_weights, with_lora
from memory.adapters.language_models.weights import load
from memory.adapters.learning.loop import CHECKPOINT_FILE, TrainingConfig, train, trained_network
from memory.adapters.learning.replies import (
    LabelledReply,
    ReplyRecipe,
    ReplySizes,
    held_out_losses,
    reply_loss,
    row_of,
)
from memory.core.errors import ModelUnfit, TrainingRefused
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.grounded_generation.text_graph import text_graph
from memory.core.types import Message, MessageRole, Prompt
from tests.fakes.graph_models import build_teachable, reading

CONFIG = TrainingConfig(
    steps=8, decay_steps=4, warmup_steps=2, learning_rate=3e-3, head_factor=1.0, checkpoint_steps=2, threads=1
)
LORA = LoraSizes()
ASKED = (Message(MessageRole.SYSTEM, "Be brief."), Message(MessageRole.USER, "who wrote it"))
# The same words are asked every time: the graph alone tells who it is.
REPLIES = [
    LabelledReply(Prompt(ASKED, graph=text_graph([KnowledgeTriple("the book", "by", who)])), who, "own", who)
    for who in ("anna", "bob", "carl", "dora")
]
PROGRAM = """
import os, signal, sys
from pathlib import Path
from tests.unit.memory.adapters.learning.test_replies_recipe import CONFIG, recipe_of
from memory.adapters.learning.loop import train
def die(step, loss):
    if step == 5:
        os.kill(os.getpid(), signal.SIGKILL)
train(recipe_of(Path(sys.argv[1])), work=Path(sys.argv[2]), config=CONFIG, on_step=die)
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_teachable(tmp_path_factory.mktemp("base") / "tiny")


def recipe_of(base: Path, replies: list[LabelledReply] = REPLIES, *, lora: LoraSizes = LORA) -> ReplyRecipe:
    loaded = load(str(base), "cpu")
    rows = [row_of(one, loaded.tokenizer) for one in replies]
    return ReplyRecipe(
        rows, loaded=loaded, base=base_weights(str(base)), lora=lora, sizes=ReplySizes(batch=2), graphs=reading()
    )


def learned(network: Any) -> dict[str, object]:
    return {name: value.tolist() for name, value in network.state_dict().items() if name != "base"}


def test_replies_that_the_graph_alone_tells_are_learned_by_heart(base: Path, tmp_path: Path) -> None:
    recipe = recipe_of(base, lora=LoraSizes(dropout=0.0))
    config = replace(CONFIG, steps=120, decay_steps=30, learning_rate=1e-2, checkpoint_steps=1_000)
    network = train(recipe, work=tmp_path, config=config)
    rows = [row for batch in recipe.batches(0, seed=0) for row in batch]
    assert max(held_out_losses(network, rows)) < 0.05
    swapped = [replace(row, graph=other.graph) for row, other in zip(rows, [*rows[1:], rows[0]], strict=True)]
    assert min(held_out_losses(network, swapped)) > 1, "another graph means another reply"


def test_gradients_reach_the_encoder_the_projector_and_the_adapters_alone(base: Path) -> None:
    recipe = recipe_of(base)
    network = recipe.network()
    [batch] = recipe_of(base).batches(0, seed=0)[:1]
    reply_loss(network, batch).backward()
    moved = {name for name, value in network.named_parameters() if value.grad is not None}
    assert moved == {name for name, value in network.named_parameters() if value.requires_grad} == set(learned(network))
    assert {name.split(".")[0] for name in moved} == {"encoder", "adapted"}
    assert all("lora_" in name for name in moved if name.startswith("adapted."))
    parts = {name.split(".")[1] for name in moved if name.startswith("encoder.")}
    assert parts == {"layers", "norms", "projector"}
    for part in ("encoder.layers", "encoder.projector", "lora_B"):
        assert any(
            value.grad.abs().sum() > 0
            for name, value in network.named_parameters()
            if part in name and value.grad is not None
        ), part


def test_model_of_a_kind_that_nobody_knows_gets_adapters_on_all_its_layers(base: Path) -> None:
    def adapted(kind: str) -> set[str]:
        loaded = load(str(base), "cpu")
        loaded.model.config.model_type = kind
        names = (name for name, _ in with_lora(loaded.model, LORA).named_parameters() if "lora_A" in name)
        return {name.split(".lora_A")[0].rpartition(".")[2] for name in names}

    assert adapted("qwen3") == {"q_proj", "v_proj"}
    projections = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
    assert adapted("of-tomorrow") == projections


def test_loss_is_of_the_reply_and_its_end_alone(base: Path) -> None:
    import torch

    recipe = recipe_of(base)
    network = recipe.network().eval()
    [row] = [row for batch in recipe.batches(0, seed=0) for row in batch][:1]
    tokens = torch.tensor([[*row.prompt, *row.reply]])
    with torch.inference_mode():
        vectors = network.vectors(tokens, torch.ones_like(tokens), [row.graph])
        logits = network.model(inputs_embeds=vectors).logits[0, len(row.prompt) - 1 : -1]
        wanted = torch.nn.functional.cross_entropy(logits, torch.tensor(row.reply))
    assert held_out_losses(network, [row]) == [pytest.approx(float(wanted), rel=1e-5)]
    assert row.reply[-1] == load(str(base), "cpu").tokenizer.eos_token_id


def test_loss_of_a_batch_does_not_depend_on_its_padding(base: Path) -> None:
    long = replace(REPLIES[0], prompt=replace(REPLIES[0].prompt, messages=(*ASKED, *ASKED)), reply=REPLIES[1].reply)
    plain = replace(REPLIES[1], prompt=Prompt(ASKED))
    recipe = recipe_of(base, [REPLIES[1], long, plain])
    network = recipe.network().eval()
    rows = [row for batch in recipe.batches(0, seed=0) for row in batch]
    together = reply_loss(network, rows).item()
    assert together == pytest.approx(sum(held_out_losses(network, rows)) / 3, rel=1e-4)


def test_killed_training_goes_on_to_the_same_weights(base: Path, tmp_path: Path) -> None:
    whole = train(recipe_of(base), work=tmp_path / "whole", config=CONFIG)
    work = tmp_path / "killed"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(base), str(work)], capture_output=True, check=False, timeout=120
    )
    assert done.returncode == -9, done.stderr.decode()
    steps: list[int] = []
    resumed = train(
        recipe_of(base), work=work, config=CONFIG, is_resumed=True, on_step=lambda step, _: steps.append(step)
    )
    assert steps == [5, 6, 7, 8]
    assert learned(resumed) == learned(whole)


def test_checkpoint_gives_the_same_logits_again_and_holds_nothing_of_the_base(base: Path, tmp_path: Path) -> None:
    import torch

    network = train(recipe_of(base), work=tmp_path, config=CONFIG)
    recipe = recipe_of(base)
    again = trained_network(recipe, tmp_path / CHECKPOINT_FILE)
    rows = [row for batch in recipe.batches(0, seed=0) for row in batch]
    for row in rows:
        tokens = torch.tensor([row.prompt])
        with torch.inference_mode():
            found = [
                one.model(inputs_embeds=one.vectors(tokens, torch.ones_like(tokens), [row.graph])).logits
                for one in (network, again)
            ]
        assert torch.equal(*found)
    kept = torch.load(tmp_path / CHECKPOINT_FILE, weights_only=True)["network"]
    assert all(name == "base" or name.startswith("encoder.") or "lora_" in name for name in kept)


def test_checkpoint_of_another_base_is_refused_by_name(base: Path, tmp_path: Path) -> None:
    train(recipe_of(base), work=tmp_path, config=CONFIG)
    other = build_teachable(tmp_path / "other", seed=1)
    with pytest.raises(ModelUnfit, match=rf"trained on {base} \(\w+\), and {other} \(\w+\) is another model"):
        trained_network(recipe_of(other), tmp_path / CHECKPOINT_FILE)
    with pytest.raises(ModelUnfit, match=f"trained on {base}"):
        train(recipe_of(other), work=tmp_path, config=CONFIG, is_resumed=True)
    with pytest.raises(TrainingRefused, match="another network"):
        trained_network(recipe_of(base, lora=LoraSizes(rank=4)), tmp_path / CHECKPOINT_FILE)
