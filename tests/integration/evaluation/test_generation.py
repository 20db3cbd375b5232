"""`evaluate generation` on OpenDialKG's files in small, with a scripted language model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from evaluation.models import AnnotationProject
from memory import bootstrap
from memory.adapters.language_models.graph import GraphLanguageModel
from memory.core.types import Completion, Prompt, SamplingConfig
from tests.fakes.graph_models import tell_of_graph_model
from tests.fakes.memory import BagOfStems

BOOK = "Blinky Bill<sep> written by<sep> Dorothy Wall<triple> Blinky Bill<sep> has genre<sep> Fiction"
RULES = [
    {
        "when": "(?s)Turn 1:.*Turn 3:",
        "reply": {
            "turns": [
                {"turn": 1, "full": "Do you know Blinky Bill?"},
                {"turn": 2, "full": "Yes, Blinky Bill is a koala."},
                {"turn": 3, "full": "Who wrote Blinky Bill?"},
            ]
        },
    },
    {"when": "Sentence 1:", "reply": {"facts": [{"sentence": 1, "fact": "Dorothy Wall wrote Blinky Bill."}]}},
    {"when": "Fact 1:", "reply": {"verdicts": [{"fact": 1, "status": "true", "source": 1}]}},
    {"when": r"(?s)written by Dorothy Wall.*Who wrote Blinky Bill\?", "reply": "Dorothy Wall wrote Blinky Bill."},
    {"when": r"Who wrote that\?", "reply": "I do not know."},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    turns = "<user> Do you know Blinky Bill?<assistant> Yes, it is a koala.<user> Who wrote that?"
    history = f"Given the knowledge: {BOOK}{turns}"
    path = tmp_path / "val.csv"
    path.write_text(
        f'entity_relation_ids,memory_bank,history,response\n"[]","[]","{history}",<assistant> Dorothy Wall wrote it.\n'
    )
    return path


@pytest.fixture
def engine(settings: Any, tmp_path: Path) -> Iterator[str]:
    script = tmp_path / "script.jsonl"
    script.write_text("\n".join(json.dumps(rule) for rule in RULES))
    settings.DSMART_EXTRA_ENGINES = [f"scripted:{script}"]
    bootstrap.reset()
    yield settings.DSMART_EXTRA_ENGINES[0]
    bootstrap.reset()


def measured(data: Path, engine: str, **options: Any) -> tuple[dict[tuple[str, str], Any], list[dict[str, Any]]]:
    out, items = data.with_name("rows.json"), data.with_name("items.jsonl")
    call_command(
        "evaluate",
        "generation",
        data=data,
        engine=engine,
        json=out,
        items=items,
        verbosity=0,
        stdout=StringIO(),
        **options,
    )
    rows = {(row["name"], row["metric"]): row["value"] for row in json.loads(out.read_text())["rows"]}
    return rows, [json.loads(line) for line in items.read_text().splitlines()]


def test_replies_of_each_way_are_scored(data: Path, engine: str) -> None:
    rows, items = measured(data, engine)
    assert [one["way"] for one in items] == ["none", "bm25", "kaping", "tg_drg_nr", "tg_drg_r"]
    last = items[-1]
    assert last["reply"] == "Dorothy Wall wrote Blinky Bill."
    assert set(last["knowledge"]) == {"Blinky Bill written by Dorothy Wall", "Blinky Bill has genre Fiction"}
    assert last["facts"] == ["true"]
    assert rows["tg_drg_r", "fact_score"] == 1 and rows["tg_drg_r", "neip"] == 0
    assert rows["tg_drg_r", "rouge_l"] == pytest.approx(2 * 3 / (5 + 4))
    assert rows["tg_drg_r", "word_f1"] == pytest.approx(2 * 3 / (5 + 4))
    assert rows["tg_drg_r", "entity_f1"] == pytest.approx(2 / 3)
    assert rows["none", "rouge_l"] == 0 and items[0]["knowledge"] == []


@pytest.mark.django_db
def test_replies_become_items_to_be_rated_with_what_was_said_before(data: Path, engine: str, owner: User) -> None:
    (data.parent / "script.jsonl").write_text("\n".join(json.dumps(rule) for rule in RULES[:-1]))
    measured(data, engine)
    call_command("annotation", "import", str(data.with_name("items.jsonl")), stdout=StringIO())
    made = AnnotationProject.objects.get()
    said = [
        {"speaker": "User", "text": "Do you know Blinky Bill?"},
        {"speaker": "Assistant", "text": "Yes, it is a koala."},
        {"speaker": "User", "text": "Who wrote that?"},
    ]
    known = [{"title": "", "text": f"Blinky Bill {what}"} for what in ("written by Dorothy Wall", "has genre Fiction")]
    assert made.kind == "human_evaluation"
    content = made.items.get(stratum="tg_drg_r").content
    evidence = sorted(content.pop("evidence"), key=lambda one: one["text"], reverse=True)
    assert (content, evidence) == ({"reply": "Dorothy Wall wrote Blinky Bill.", "dialogue": said}, known)


def test_replies_that_fail_stay_in_and_are_counted(data: Path, engine: str, tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text(json.dumps({"when": "nothing like it", "reply": "x"}))
    bootstrap.reset()
    rows, items = measured(data, engine, ways="none,tg_drg_r")
    assert [one["reply"] for one in items] == ["", ""] and all(one["error"] for one in items)
    assert (rows["none", "failed"], rows["none", "bleu_4"], rows["none", "neip"]) == (1, 0, 1)
    assert rows["none", "fact_score"] is None


def test_way_that_nobody_knows_and_engine_without_a_model_are_refused(data: Path, engine: str) -> None:
    with pytest.raises(CommandError, match=r"There is no way 'magic'. Choose among: none, bm25, kaping"):
        measured(data, engine, ways="magic")
    with pytest.raises(CommandError, match="is played by a language model, and the engine 'builtin' has none"):
        measured(data, "builtin")


def test_perplexity_is_read_by_the_named_model(data: Path, engine: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no model folder"):
        measured(data, engine, perplexity=str(tmp_path / "none"))


def test_turn_whose_triples_cannot_be_selected_fails_alone(
    data: Path, engine: str, settings: Any, tmp_path: Path
) -> None:
    settings.DSMART_ROLES = {"select_triples": "prompted"}
    (tmp_path / "script.jsonl").write_text(
        "\n".join(json.dumps(rule) for rule in [{"when": "Fact:", "error": "refused", "message": "Not now."}, *RULES])
    )
    bootstrap.reset()
    rows, items = measured(data, engine, ways="kaping,tg_drg_nr")
    assert [(one["error"], bool(one["reply"])) for one in items] == [("", True), ("Not now.", False)]
    assert rows["tg_drg_nr", "failed"] == 1 and ("kaping", "failed") not in rows


def test_ways_that_give_a_graph_are_played_by_a_model_that_reads_graphs(
    data: Path, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Prompt] = []

    def noting(self: GraphLanguageModel, some: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion]:
        asked.extend(some)
        return [Completion("Dorothy Wall wrote Blinky Bill.") for _ in some]

    monkeypatch.setattr(GraphLanguageModel, "complete_many", noting)
    monkeypatch.setattr("evaluation.services.grounded_prompts.embedder", BagOfStems)
    folder = tell_of_graph_model(tmp_path / "graph", bootstrap.embedder().name)
    rows, items = measured(data, f"graph:{folder}", judge=engine)
    ways = [one["way"] for one in items]
    assert ways == [
        *("none", "bm25", "kaping", "tg_drg_nr", "tg_drg_r", "g_retriever", "ga_drg"),
        *("ga_drg_no_selection", "ga_drg_no_reformulation", "ga_drg_no_graph"),
    ]
    prompts = dict(zip(ways, asked, strict=True))
    book = {"Blinky Bill", "Dorothy Wall", "Fiction"}
    nodes = {way: None if prompt.graph is None else {*prompt.graph.nodes} for way, prompt in prompts.items()}
    assert nodes == {
        **dict.fromkeys(ways[:5]),
        **dict.fromkeys(("ga_drg", "ga_drg_no_selection", "ga_drg_no_reformulation"), book),
        "g_retriever": nodes["g_retriever"],
        "ga_drg_no_graph": set(),
    }
    assert nodes["g_retriever"] and nodes["g_retriever"] <= book
    words = {way: prompt.messages[-1].content for way, prompt in prompts.items()}
    assert "Blinky Bill" in words["g_retriever"].partition("Dialogue:")[0], "its triples are told in words too"
    assert "Dorothy Wall" not in words["ga_drg"] and "Who wrote that?" in words["ga_drg"]
    assert words["ga_drg"] == words["ga_drg_no_graph"]
    assert rows["ga_drg", "fact_score"] == 1, "the judge split and verified it"


def test_ways_that_give_a_graph_are_refused_for_models_that_read_none(data: Path, engine: str) -> None:
    with pytest.raises(CommandError, match=r"The way 'ga_drg' gives a graph, and the engine 'scripted:.*' reads none"):
        measured(data, engine, ways="none,ga_drg")
