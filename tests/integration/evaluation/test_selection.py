"""`train triple-selector` and `evaluate selection`, on OpenDialKG's files in small."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.opendialkg import read_grounded_turns
from evaluation.core.errors import MalformedBenchmark
from memory import bootstrap
from memory.adapters.knowledge_files import KnowledgeFileRefused
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from tests.unit.memory.adapters.entailment.conftest import build_tiny_bert

NAMES = ("cat", "dog", "paris", "rome", "house", "blue")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with 60 turns, and a knowledge base in which everything is a colour of something."""
    folder = tmp_path / "opendialkg"
    folder.mkdir()
    (folder / "entity2id.txt").write_text("6\n" + "".join(f"{name}\t{place}\n" for place, name in enumerate(NAMES)))
    (folder / "relation2id.txt").write_text("2\nlives in\t0\n~is near\t1\n")
    pairs = [(head, tail) for head in range(6) for tail in range(6) if head != tail]
    lines = [f"{head}\t{tail}\t{place % 2}" for place, (head, tail) in enumerate(pairs)]
    (folder / "valid2id.txt").write_text(f"{len(lines)}\n" + "\n".join(lines) + "\n")
    rows = ["entity_relation_ids,memory_bank,history,response"]
    for number in range(60):
        name = NAMES[number % 5]
        history = f"Given the knowledge: {name}<sep> sleeps in<sep> house<user> {number}: where is the {name}?"
        rows.append(f'"[]","[]","{history}",<assistant> In the house.')
    (folder / "val.csv").write_text("\n".join(rows) + "\n")
    return folder


def test_turns_and_triples_are_read_and_bad_ones_named(files: Path):
    first = next(read_grounded_turns(files / "val.csv"))
    assert first.dialogue == ("0: where is the cat?",) and first.response == "In the house."
    assert first.gold == (KnowledgeTriple("cat", "sleeps in", "house"),)
    triples = list(read_knowledge(files / "valid2id.txt"))
    assert triples[:2] == [KnowledgeTriple("cat", "lives in", "dog"), KnowledgeTriple("paris", "is near", "cat")]
    (files / "valid2id.txt").write_text("1\n0\t99\t0\n")
    with pytest.raises(KnowledgeFileRefused, match=r"valid2id\.txt, line 2"):
        list(read_knowledge(files / "valid2id.txt"))
    (files / "val.csv").write_text("history,response\n<user> Hi,x\n")
    with pytest.raises(MalformedBenchmark, match="row 1, history"):
        list(read_grounded_turns(files / "val.csv"))


@pytest.mark.slow
def test_selector_is_trained_and_measured_beside_the_baselines(files: Path, tmp_path: Path):
    base = build_tiny_bert(tmp_path / "tiny", window=256, layers=1)
    data = tmp_path / "selection"
    data.mkdir()
    row = {"relevant": [["cat", "lives in", "paris"]], "irrelevant": [["cat", "is", "blue"], ["cat", "near", "dog"]]}
    (data / "selection_a.jsonl").write_text(
        "".join(json.dumps({"dialogue": [f"{number} where is the cat"], **row}) + "\n" for number in range(30))
    )
    given = {"base": base, "steps": 4, "decay_steps": 2, "threads": 1, "work": tmp_path / "work", "quiet": True}
    call_command("train", "triple-selector", data=data, public=files, out=tmp_path / "out", stdout=StringIO(), **given)
    card = (tmp_path / "out" / "README.md").read_text()
    assert "| `opendialkg` |" in card and "CC BY-NC 4.0" in card

    call_command(
        "evaluate", "selection", data=files / "val.csv", triples=files / "valid2id.txt", selector=tmp_path / "out",
        json=tmp_path / "rows.json", stdout=StringIO(), verbosity=0,
    )  # fmt: skip
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    figures = {(one["name"], one["metric"]): one["value"] for one in rows if not one.get("group")}
    assert {name for name, _ in figures} == {"bm25", "kaping", "selector", "candidates"}
    assert figures["candidates", "reachable"] == 1
    assert all(0 < value <= 1 for value in figures.values())
    assert {one["group"] for one in rows if one.get("group")} == {"above bm25", "above kaping"}


ANSWERS = (
    {"when": "(?s)is the rome.*Fact:.*rome sleeps in house", "error": "unreachable", "message": "The line is dead."},
    {"when": r"(?s)is the (\w+)\?.*Fact:\n<fact [^>]*>\n\1 sleeps in house", "chances": {"Yes": 0.9, "no": 0.1}},
    {"when": "Fact:", "chances": {"No": 0.8, "yes": 0.1}},
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[str]:
    script = tmp_path / "script.jsonl"
    script.write_text("\n".join(json.dumps(rule) for rule in ANSWERS))
    bootstrap.reset()
    yield f"scripted:{script}"
    bootstrap.reset()


def test_language_model_is_measured_beside_the_baselines_and_its_failures_counted(
    files: Path, tmp_path: Path, engine, settings
):
    settings.DSMART_TRIPLE_SELECTOR = str(tmp_path / "none")
    call_command(
        "evaluate", "selection", data=files / "val.csv", triples=files / "valid2id.txt", engine=engine,
        json=tmp_path / "rows.json", stdout=StringIO(), verbosity=0,
    )  # fmt: skip
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    figures = {(one["name"], one["metric"]): one for one in rows if not one.get("group")}
    assert {name for name, _ in figures} == {"bm25", "kaping", "prompted", "candidates"}
    failed, turns = figures["prompted", "failed"], figures["prompted", "mrr"]["n"]
    assert (failed["value"], failed["n"], failed["why"], turns) == (2, 7, "The line is dead.", 7)
    assert figures["prompted", "mrr"]["value"] == pytest.approx(5 / 7)
    assert figures["candidates", "reachable"]["value"] == 1


def test_engine_without_a_language_model_cannot_be_asked(files: Path):
    with pytest.raises(CommandError, match="is played by a language model, and the engine 'builtin' has none"):
        call_command(
            "evaluate",
            "selection",
            data=files / "val.csv",
            triples=files / "valid2id.txt",
            engine="builtin",
            verbosity=0,
        )


def test_missing_selector_is_named(files: Path, tmp_path: Path):
    with pytest.raises(CommandError, match="There is no reader in"):
        call_command("evaluate", "selection", data=files / "val.csv", triples=files / "valid2id.txt", selector=tmp_path)
