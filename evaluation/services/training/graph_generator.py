"""`train graph-generator`: from dialogues with triples and replies to a language model that reads graphs (GA-DRG)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.opendialkg import read_grounded_turns
from evaluation.services.grounded_prompts import GA_DRG, WAYS, WayToGround, grounded_prompts, prompt_of
from evaluation.services.training.adapting import adapted, adapted_finish, base_of, loss_row
from evaluation.services.training.request import TrainingRequest, TrainingResult
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.adapters.language_models.adapted import GraphReading
from memory.adapters.language_models.graph import GraphModelConfig, graph_model_write
from memory.adapters.learning.label_files import label_files, labelled_rows
from memory.adapters.learning.replies import LabelledReply
from memory.bootstrap.engines import Engine
from memory.bootstrap.models import BUILTIN
from memory.bootstrap.tools import embedder
from memory.core.errors import TrainingRefused
from memory.core.grounded_generation.graph_encoder import GraphEncoderConfig
from memory.core.grounded_generation.knowledge import KnowledgeIndex, knowledge_triple
from memory.core.grounded_generation.text_graph import GraphEmbedding

HELP = "a language model that reads a graph beside the dialogue (GA-DRG), from dialogues with triples and replies"
OPENDIALKG = "opendialkg"
GIVEN = "given"
TITLE = "a language model that reads graphs"
WHAT = (
    "A graph encoder, a projector and LoRA adapters: the graph of the triples that fit a dialogue becomes one token before "
    "the text, and the language model replies. The engine graph:PATH runs it."
)


def train(request: TrainingRequest) -> TrainingResult:
    """Train and measure; the model is then complete in `request.out`."""
    way = way_of(request)
    if request.data.suffix == ".csv":
        replies = list(of_opendialkg(request.data, way, quiet=request.is_quiet))
    else:
        replies = list(read_replies(request.data, way))
    base = base_of(request)
    encoder = GraphEncoderConfig(width=embedder().dimension, out=base.width)
    done = adapted(replies, request, base, graphs=GraphReading(encoder, GraphEmbedding(embedder())))
    config = GraphModelConfig(base.weights, base.asked.lora, encoder, embedder().name)
    graph_model_write(request.out, done.network, config)
    rows = [loss_row("with the graph", done), loss_row("without it", done, has_graphs=False)]
    return adapted_finish(done, request, title=TITLE, what=f"{WHAT} Its prompts are those of {way.name}.", rows=rows)


def way_of(request: TrainingRequest) -> WayToGround:
    """Return whose prompts are learned. Raises `TrainingRefused` for a way without a graph."""
    name = GA_DRG.name if request.adapter is None else request.adapter.way or GA_DRG.name
    if name not in WAYS or not WAYS[name].is_graph:
        graphs = ", ".join(way.name for way in WAYS.values() if way.is_graph)
        raise TrainingRefused(f"There is no way {name!r} that gives graphs. Choose among: {graphs}.")
    return WAYS[name]


def read_replies(data: Path, way: WayToGround) -> Iterator[LabelledReply]:
    """Yield the replies of a folder's files, or of one file. Raises `TrainingRefused` that names a bad line."""

    def read(row: dict[str, Any]) -> LabelledReply:
        dialogue, reply = [str(text) for text in row["dialogue"]], str(row["response"]).strip()
        if not dialogue or not reply:
            raise ValueError("the dialogue or the response is empty")
        triples = [knowledge_triple(*map(str, triple)) for triple in row["triples"]]
        return LabelledReply(prompt_of(way, dialogue, triples), reply, GIVEN, dialogue[0])

    for path in [data] if data.is_file() else label_files(data):
        yield from labelled_rows(path, read, what="dialogue with triples and a response")


def of_opendialkg(data: Path, way: WayToGround, *, quiet: bool = False) -> Iterator[LabelledReply]:
    """Yield the replies of OpenDialKG, with the knowledge that a way of the built-in engine gives them."""
    turns = [turn for turn in read_grounded_turns(data) if turn.response]
    known = read_knowledge(data.with_name("valid2id.txt"))
    index = KnowledgeIndex([*known, *(one for turn in turns for one in turn.gold)])
    prompts = grounded_prompts(turns, index, way, Engine(BUILTIN))
    with progress_bar(len(turns), title="knowledge", unit="turns", hidden=quiet) as bar:
        for turn, (_, prompt, _) in zip(turns, prompts, strict=True):
            yield LabelledReply(prompt, turn.response, OPENDIALKG, turn.dialogue[0])
            bar.update()
