"""`manage.py train` of adapters: a model that reads graphs, and one for a task of its own, on a tiny language model."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.core.drawing import loss_svg
from memory import bootstrap
from memory.adapters.language_models.transformers import TransformersLanguageModel
from memory.adapters.learning.replies import ReplyRecipe
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.grounded_generation.text_graph import text_graph
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig
from tests.fakes.graph_models import DrawnVectors, build_teachable

BOOKS = {"Emma": "Jane", "Dracula": "Bram"}
GREEDY = SamplingConfig(temperature=0.0, max_tokens=12)
LONG = {"steps": 100, "decay_steps": 40, "learning_rate": 1e-2, "checkpoint_steps": 1_000, "batch": 2}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_teachable(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(autouse=True)
def drawn_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("evaluation.services.training.graph_generator", "memory.bootstrap.models"):
        monkeypatch.setattr(f"{place}.embedder", DrawnVectors)


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    """Return dialogues of which one in ten is held out; the graph alone tells who wrote what."""
    rows = [
        {"dialogue": [f"hello {number}", "yes", "who wrote it"], "triples": [[book, "by", who]], "response": who}
        for number in range(10)
        for book, who in BOOKS.items()
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def train(name: str, data: Path, out: Path, base: Path, **options: Any) -> tuple[str, str]:
    stdout, stderr = StringIO(), StringIO()
    given = {
        "steps": 6,
        "decay_steps": 2,
        "checkpoint_steps": 2,
        "threads": 1,
        "device": "cpu",
        "quiet": True,
        "work": out.with_name("work"),
    }
    call_command("train", name, data=data, out=out, model=str(base), stdout=stdout, stderr=stderr, **(given | options))
    return stdout.getvalue(), stderr.getvalue()


def losses_in(out: Path) -> list[float]:
    rows = json.loads((out / "losses.json").read_text())
    assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
    return [row["loss"] for row in rows]


def written(engine: Any, *prompts: Prompt) -> list[str]:
    outcomes = engine.complete_many(prompts, config=GREEDY)
    assert all(isinstance(one, Completion) for one in outcomes), outcomes
    return [one.text for one in outcomes]


@pytest.mark.slow
def test_graph_generator_is_trained_and_run_as_an_engine(base: Path, replies: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said, _ = train("graph-generator", replies, out, base, **LONG)
    assert said.startswith(f"Saved to {out}. Measured: loss with the graph ")
    losses = losses_in(out)
    assert len(losses) == 100 and sum(losses[-5:]) < sum(losses[:5]) / 4
    assert (out / "losses.svg").read_text() == loss_svg(
        dict(enumerate(losses, start=1)), title="a language model that reads graphs"
    )
    card = (out / "README.md").read_text()
    assert "LoRA of rank 8 and alpha 16" in card and "| with the graph |" in card and "| without it |" in card
    assert f"--model {base.name} --rank 8" in card and str(tmp_path) not in card
    scores = {row["name"]: row["value"] for row in json.loads((out / "scores.json").read_text())}
    assert scores["with the graph"] < scores["without it"], "the graph alone tells the reply"

    bootstrap.reset()
    bootstrap.engine_admit(f"graph:{out}")
    engine = bootstrap.engine(f"graph:{out}").language_model
    bootstrap.reset()
    from evaluation.services.grounded_prompts import GA_DRG, prompt_of

    triples = [KnowledgeTriple(book, "by", who) for book, who in BOOKS.items()]
    asked = [prompt_of(GA_DRG, ["hello 3", "yes", "who wrote it"], [triple]) for triple in triples]
    assert written(engine, *asked) == list(BOOKS.values())
    assert engine.name == f"graph:{out}"


@pytest.mark.slow
def test_training_that_was_stopped_goes_on_and_its_curve_is_whole(
    base: Path, replies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train("graph-generator", replies, tmp_path / "whole" / "out", base)
    loss, steps = ReplyRecipe.loss, []

    def stopped(self: ReplyRecipe, network: Any, batch: Any) -> Any:
        steps.append(1)
        if len(steps) == 6:
            raise KeyboardInterrupt
        return loss(self, network, batch)

    monkeypatch.setattr(ReplyRecipe, "loss", stopped)
    out = tmp_path / "stopped" / "out"
    with pytest.raises(CommandError, match="--resume"):
        train("graph-generator", replies, out, base)
    assert not out.exists()
    with pytest.raises(CommandError, match="Go on with it by --resume"):
        train("graph-generator", replies, out, base)
    train("graph-generator", replies, out, base, resume=True)
    assert len(steps) == 8, "from the checkpoint of step 4"
    assert losses_in(out) == losses_in(tmp_path / "whole" / "out")
    weights = [adapters(folder) for folder in (out, tmp_path / "whole" / "out")]
    assert weights[0] == weights[1]
    again = tmp_path / "stopped" / "again"
    train("graph-generator", replies, again, base, export_from=tmp_path / "stopped" / "work" / "checkpoint.pt")
    assert (adapters(again), losses_in(again)) == (weights[0], losses_in(out))


def adapters(folder: Path) -> dict[str, object]:
    import torch

    kept = torch.load(folder / "adapters.pt", weights_only=True)
    return {name: value if name == "base" else value.tolist() for name, value in kept.items()}


@pytest.mark.slow
def test_work_of_another_base_is_refused_by_name_and_a_base_is_not_overwritten(
    base: Path, replies: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    train("graph-generator", replies, out, base)
    other = build_teachable(tmp_path / "other", seed=1)
    for options in ({"resume": True}, {}, {"export_from": tmp_path / "work" / "checkpoint.pt"}):
        with pytest.raises(CommandError, match=rf"trained on {base} \(\w+\), and {other} \(\w+\) is another model"):
            train("graph-generator", replies, out, other, **options)
    with pytest.raises(CommandError, match="is the base model itself"):
        train("graph-generator", replies, base, base, work=tmp_path / "new")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"dialogue": ["hi"], "triples": [["a", "b"]], "response": "x"}, "line 1 is no dialogue with triples"),
        ({"dialogue": ["hi"], "triples": []}, "it has no 'response'"),
        ({"dialogue": [], "triples": [], "response": "x"}, "the dialogue or the response is empty"),
    ],
)
def test_line_that_is_no_reply_is_named(row: dict[str, Any], why: str, base: Path, tmp_path: Path) -> None:
    data = tmp_path / "bad.jsonl"
    data.write_text(json.dumps(row))
    with pytest.raises(CommandError, match=why):
        train("graph-generator", data, tmp_path / "out", base)


def test_ways_models_and_numbers_that_there_are_not_are_refused(base: Path, replies: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(
        CommandError, match=r"There is no way 'tg_drg_r' that gives graphs\. Choose among: g_retriever, ga"
    ):
        train("graph-generator", replies, out, base, way="tg_drg_r")
    with pytest.raises(CommandError, match=f"There is no model folder {tmp_path / 'none'}. Set --model to a folder"):
        train("graph-generator", replies, out, tmp_path / "none")
    with pytest.raises(CommandError, match="--batch and --longest must be at least 1"):
        train("graph-generator", replies, out, base, batch=0)
    with pytest.raises(CommandError, match=r"All replies of .* are too long"):
        train("graph-generator", replies, out, base, longest=5)


@pytest.mark.slow
def test_replies_of_opendialkg_are_learned_with_the_knowledge_that_is_chosen(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.services.grounded_prompts.embedder", DrawnVectors)
    rows = ["history,response"] + [
        f'"Given the knowledge: {book}<sep> written by<sep> {who}<user> Hello {number}<assistant> Yes.'
        f'<user> Who wrote {book}?",<assistant> {who} did.'
        for number in range(10)
        for book, who in BOOKS.items()
    ]
    data = tmp_path / "train.csv"
    data.write_text("\n".join(rows))
    (tmp_path / "valid2id.txt").write_text("1\n0 1 0\n")
    (tmp_path / "entity2id.txt").write_text("2\nEmma\t0\nEngland\t1\n")
    (tmp_path / "relation2id.txt").write_text("1\nset in\t0\n")
    seen: list[Any] = []
    batches = ReplyRecipe.batches
    monkeypatch.setattr(
        ReplyRecipe, "batches", lambda self, epoch, *, seed: seen.extend(self._rows) or batches(self, epoch, seed=seed)
    )
    train("graph-generator", data, tmp_path / "out", base, way="ga_drg_no_reformulation")
    emma = text_graph([KnowledgeTriple("Emma", "written by", "Jane"), KnowledgeTriple("Emma", "set in", "England")])
    graphs = {row.graph for row in seen}
    assert len(graphs) == 2 and any({*graph.nodes} == {*emma.nodes} for graph in graphs)
    assert "`opendialkg`" in (tmp_path / "out" / "README.md").read_text()


SAID = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "say {0}"}]
CHATS = [
    {"messages": [*SAID, {"role": "assistant", "content": "tiny {1}"}]},
    {"prompt": {"system": "Be brief.", "user": "say {0}"}, "response": "tiny {1}"},
    {"prompt": SAID, "response": "tiny {1}"},
]


@pytest.mark.slow
def test_causal_adapter_is_trained_merged_and_run_by_the_transformers_engine(base: Path, tmp_path: Path) -> None:
    data = tmp_path / "chats.jsonl"
    words = ["hello", "world", "corpus", "model"]
    rows = [json.dumps(CHATS[number % 3]) for number in range(40)]
    data.write_text(
        "\n".join(
            row.replace("{0}", f"{words[place % 4]} {place // 4}").replace("{1}", words[place % 4])
            for place, row in enumerate(rows)
        )
    )
    out = tmp_path / "out"
    train("causal-adapter", data, out, base, **LONG)
    bootstrap.reset()
    bootstrap.engine_admit(f"transformers:{out}")
    engine = bootstrap.engine(f"transformers:{out}").language_model
    bootstrap.reset()
    asked = [
        Prompt((Message(MessageRole.SYSTEM, "Be brief."), Message(MessageRole.USER, f"say {word} 2"))) for word in words
    ]
    before = written(TransformersLanguageModel(str(base), device="cpu"), *asked)
    assert written(engine, *asked) == [f"tiny {word}" for word in words] != before
    assert "LoRA of rank 32 and alpha 32" in (out / "README.md").read_text()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"messages": [{"role": "user", "content": "hi"}]}, "the last message is no reply"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "no message is a user's"),
        ({"messages": [{"role": "robot", "content": "hi"}]}, "'robot' is not a valid MessageRole"),
        ({"prompt": {"user": "hi"}}, "it has no 'response'"),
        ({"prompt": {"user": "hi"}, "response": " "}, "the last message is no reply"),
    ],
)
def test_line_that_is_no_chat_is_named(row: dict[str, Any], why: str, base: Path, tmp_path: Path) -> None:
    data = tmp_path / "bad.jsonl"
    data.write_text(json.dumps(row))
    with pytest.raises(CommandError, match=f"line 1 is no prompt with a reply: {why}"):
        train("causal-adapter", data, tmp_path / "out", base)
