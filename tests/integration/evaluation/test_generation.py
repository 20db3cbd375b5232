"""`evaluate generation` on OpenDialKG's files in small, with a scripted language model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory import bootstrap

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
