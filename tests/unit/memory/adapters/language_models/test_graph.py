"""`GraphLanguageModel`: what a graph beside a prompt does to a reply, on a tiny model with random weights."""

from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path

import pytest

from memory.adapters.language_models.graph import GraphLanguageModel
from memory.adapters.language_models.transformers import TransformersLanguageModel
from memory.core.errors import ModelNotFound, ModelUnfit
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.grounded_generation.text_graph import text_graph
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig, TextEdge, TextGraph
from tests.fakes.graph_models import DrawnVectors, build_graph_model, build_teachable

GREEDY = SamplingConfig(temperature=0.0, max_tokens=12)
BILL = text_graph([KnowledgeTriple("Bill", "written by", "Dorothy"), KnowledgeTriple("Dorothy", "born in", "Sydney")])
CYCLE = TextGraph(("a", "b", ""), (TextEdge(0, 1, "to"), TextEdge(1, 0, "back"), TextEdge(1, 1, "self")))
LONE = TextGraph(("nobody",))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_teachable(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="module")
def folder(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_graph_model(tmp_path_factory.mktemp("graph") / "model", base)


@pytest.fixture(scope="module")
def model(folder: Path) -> GraphLanguageModel:
    return GraphLanguageModel(str(folder), DrawnVectors(), device="cpu", batch_size=4)


def prompt(text: str = "hello", graph: TextGraph | None = None, schema: dict[str, object] | None = None) -> Prompt:
    return Prompt((Message(MessageRole.USER, text),), schema, graph)


def said(model: TransformersLanguageModel, *prompts: Prompt, config: SamplingConfig = GREEDY) -> list[str]:
    outcomes = model.complete_many(prompts, config=config)
    assert all(isinstance(outcome, Completion) for outcome in outcomes), outcomes
    return [outcome.text for outcome in outcomes if isinstance(outcome, Completion)]


def test_batch_of_prompts_with_and_without_graphs_gives_what_single_ones_give(model: GraphLanguageModel) -> None:
    graphs = (BILL, None, CYCLE, LONE, TextGraph(), BILL)
    prompts = [prompt("hello world " * (1 + place % 3), graph) for place, graph in enumerate(graphs)]
    together = model.complete_many(prompts, config=GREEDY)
    assert together == [model.complete_many([one], config=GREEDY)[0] for one in prompts]
    assert len({one.text for one in together if isinstance(one, Completion)}) > 3


def test_graph_changes_the_reply_and_takes_one_token(model: GraphLanguageModel) -> None:
    asked = [prompt(graph=graph) for graph in (None, BILL, CYCLE, LONE)]
    assert len(set(said(model, *asked))) == 4
    without, *others = [one.prompt_tokens for one in model.complete_many(asked, config=GREEDY)]
    assert others == [without + 1] * 3


def test_edges_and_their_relations_change_the_reply(model: GraphLanguageModel) -> None:
    nodes = ("Bill", "Dorothy", "Sydney")
    wirings = [(), (TextEdge(0, 1, "wrote"),), (TextEdge(1, 0, "wrote"),), (TextEdge(0, 1, "met"),)]
    assert len(set(said(model, *(prompt(graph=TextGraph(nodes, edges)) for edges in wirings)))) == 4


def test_nothing_of_a_graph_is_read_but_its_vector(base: Path, tmp_path: Path) -> None:
    deaf = GraphLanguageModel(str(build_graph_model(tmp_path, base, loud=0.0)), DrawnVectors(), device="cpu")
    with_one, *others = said(deaf, *(prompt(graph=graph) for graph in (BILL, CYCLE, LONE)))
    assert others == [with_one] * 2


def test_prompt_without_a_graph_is_read_as_by_the_base(model: GraphLanguageModel, base: Path) -> None:
    plain = TransformersLanguageModel(str(base), device="cpu")
    asked = [prompt("hello world"), prompt("tiny corpus", TextGraph())]
    assert said(model, *asked) == said(plain, *asked), "fresh adapters add nothing, nor does a graph without nodes"


@pytest.mark.parametrize("graph", [BILL, None])
def test_stream_yields_what_complete_gives(model: GraphLanguageModel, graph: TextGraph | None) -> None:
    config = SamplingConfig(temperature=1.0, max_tokens=20, seed=3)
    assert ["".join(model.stream(prompt(graph=graph), config=config))] == said(
        model, prompt(graph=graph), config=config
    )


def test_closing_the_stream_stops_the_generation(model: GraphLanguageModel) -> None:
    reply = model.stream(prompt(graph=BILL), config=SamplingConfig(temperature=1.0, max_tokens=450, seed=2))
    assert next(reply)
    began = time.monotonic()
    reply.close()
    assert time.monotonic() - began < 2
    assert not [thread for thread in threading.enumerate() if thread.name == "generation"]


def test_reply_beside_a_graph_follows_a_schema(model: GraphLanguageModel) -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "green"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    config = SamplingConfig(temperature=0.0, max_tokens=40)
    first, second = said(model, prompt(graph=BILL, schema=schema), prompt("hello world", schema=schema), config=config)
    assert {json.loads(first)["colour"], json.loads(second)["colour"]} <= {"red", "green"}


def test_another_base_in_the_place_of_its_own_is_refused_by_name(base: Path, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(base, tmp_path / "base"))
    folder = build_graph_model(tmp_path / "graph", moved)
    before = json.loads((folder / "config.json").read_text())["base"]["digest"]
    build_teachable(moved, seed=1)
    model = GraphLanguageModel(str(folder), DrawnVectors(), device="cpu")
    [outcome] = model.complete_many([prompt()], config=GREEDY)
    assert isinstance(outcome, ModelUnfit)
    assert str(outcome).startswith(f"These weights were trained on {moved} ({before}), and {moved} (")
    shutil.rmtree(moved)
    with pytest.raises(ModelNotFound, match=f"The base of {folder} is not at {moved}. Name its place in"):
        GraphLanguageModel(str(folder), DrawnVectors())


def test_base_that_was_moved_is_found_where_the_folder_says(folder: Path, base: Path, tmp_path: Path) -> None:
    shutil.copytree(base, tmp_path / "base")
    moved = Path(shutil.copytree(folder, tmp_path / "graph"))
    config = json.loads((moved / "config.json").read_text())
    config["base"]["name"] = str(tmp_path / "base")
    (moved / "config.json").write_text(json.dumps(config))
    model = GraphLanguageModel(str(moved), DrawnVectors(), device="cpu")
    original = GraphLanguageModel(str(folder), DrawnVectors(), device="cpu")
    assert said(model, prompt(graph=BILL)) == said(original, prompt(graph=BILL))


def test_folder_of_something_else_is_said_at_once(folder: Path, base: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match=r"it has no config\.json\. `manage\.py train graph-generator` makes one"):
        GraphLanguageModel(str(tmp_path / "nowhere"), DrawnVectors())
    with pytest.raises(ModelUnfit, match="holds no model that reads graphs: 'kind'"):
        GraphLanguageModel(str(base), DrawnVectors())
    other = DrawnVectors()
    other.name = "another"
    with pytest.raises(ModelUnfit, match="are embedded by drawn, and the embedder here is another"):
        GraphLanguageModel(str(folder), other)


def test_broken_weights_are_one_sentence(folder: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(folder, tmp_path / "broken"))
    (broken / "adapters.pt").write_bytes(b"broken")
    [outcome] = GraphLanguageModel(str(broken), DrawnVectors(), device="cpu").complete_many([prompt()], config=GREEDY)
    assert isinstance(outcome, ModelUnfit)
    assert str(outcome).startswith(f"The weights in {broken} cannot be read: ") and "\n" not in str(outcome)
