"""`ga_drg` over PostgreSQL: a real, tiny model replies beside the graph of the facts of what is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conversations.models import ReplyState
from conversations.services import conversation_create
from memory import bootstrap
from memory.core.grounded_generation.text_graph import EmbeddedGraphs, GraphEmbedding
from memory.core.types import TextGraph
from memory.services import space_personal
from tests.fakes.graph_models import build_graph_model, build_teachable
from tests.integration.conversations.test_d_smart import asked, told

pytestmark = pytest.mark.django_db(transaction=True)


def test_reply_is_streamed_beside_the_graph_of_the_facts_of_what_is_named(
    ana: Any, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = build_teachable(tmp_path / "base")
    folder = build_graph_model(tmp_path / "graph", base, embedder=bootstrap.embedder())
    settings.DSMART_EXTRA_ENGINES = [f"graph:{folder}"]
    settings.DSMART_TRANSFORMERS_DEVICE = "cpu"
    settings.DSMART_ROLES = {"reformulate": "learned"}
    bootstrap.reset()
    read: list[TextGraph] = []
    embedded = GraphEmbedding.embedded

    def noting(self: GraphEmbedding, graphs: Sequence[TextGraph]) -> EmbeddedGraphs:
        read.extend(graphs)
        return embedded(self, graphs)

    monkeypatch.setattr(GraphEmbedding, "embedded", noting)
    space = space_personal(user=ana)
    told(space, "My sister Maya lives in Lyon.", "Maya works for Airbus.", "Tom lives in Oslo.")
    talk = conversation_create(owner=ana, space=space, responder="ga_drg", engine=f"graph:{folder}")
    reply = asked(talk, "Where does Maya work?")
    assert (reply.state, reply.error) == (ReplyState.DONE, "")
    assert reply.text and reply.events.filter(kind="delta").exists()
    [graph] = read
    assert {"Maya", "Lyon", "Airbus"} <= {*graph.nodes} and "Oslo" not in graph.nodes
    bootstrap.reset()
