"""The commands of entailment: measuring a model, and training one from files to a card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory import bootstrap
from memory.adapters.entailment.onnx import OnnxEntailmentModel
from memory.adapters.entailment.pairs import LabelledPair
from memory.adapters.learning.entailment import is_held_out
from memory.core.types import EntailmentLabel
from tests.unit.memory.adapters.entailment.conftest import WORDS, build_tiny_bert

LABELS = tuple(EntailmentLabel)


@pytest.fixture(autouse=True)
def fresh_bootstrap() -> Iterator[None]:
    bootstrap.reset()
    yield
    bootstrap.reset()


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_bert(tmp_path_factory.mktemp("bert") / "tiny")


@pytest.fixture(scope="module")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_bert(tmp_path_factory.mktemp("base") / "tiny", window=256, layers=1)


def record(premise: str, hypothesis: str, label: str, source: str) -> str:
    return json.dumps({"premise": premise, "hypothesis": hypothesis, "label": label, "source": source})


@pytest.fixture(scope="module")
def pair_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of 60 good lines of two sources, three of which no window holds, and two bad ones."""
    lines = [
        record(
            f"a {WORDS[place % 9]} house", f"the {WORDS[place % 7]} cat", LABELS[place % 3], ("one", "two")[place % 2]
        )
        for place in range(57)
    ]
    lines += [record("the cat", "dog " * 30, "neutral", "two")] * 3
    file = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    file.write_text("\n".join([*lines, '{"premise": "a"}', "oops"]) + "\n")
    return file


def rows_of(report: Path) -> dict[tuple[str, str], dict[str, object]]:
    rows = json.loads(report.read_text())["rows"]
    return {(row["metric"], row.get("group", "")): row for row in rows}


def test_evaluate_prints_the_figures_by_source_and_reports_what_it_could_not_read(
    tiny_bert: Path, pair_file: Path, tmp_path: Path
) -> None:
    out = StringIO()
    call_command(
        "evaluate",
        "entailment",
        data=pair_file,
        model=str(tiny_bert),
        json=tmp_path / "r.json",
        verbosity=0,
        stdout=out,
    )
    rows = rows_of(tmp_path / "r.json")
    assert {row["name"] for row in rows.values()} == {str(tiny_bert)}
    assert [rows["accuracy", group]["n"] for group in ("", "one", "two")] == [60, 29, 31]
    for group in ("", "one", "two"):
        assert {"accuracy", "macro_f1", "expected_calibration_error", "entailment_as_neutral"} <= {
            metric for metric, of in rows if of == group
        }
    assert sum(int(str(row["value"])) for (metric, of), row in rows.items() if "_as_" in metric and not of) == 57
    assert (rows["failed", "two"]["value"], rows["failed", ""]["n"]) == (3, 60)
    assert "word pieces" in str(rows["failed", ""]["why"])
    assert rows["pairs_per_second", ""]["value"] > 0  # type: ignore[operator]
    assert [key for key in rows if key[0] == "pairs_per_second"] == [("pairs_per_second", "")]
    assert rows["bad_lines", ""]["value"] == 2
    assert "line 61: hypothesis" in str(rows["bad_lines", ""]["why"])
    assert "expected_calibration_error" in out.getvalue()


def test_evaluate_takes_the_first_pairs_alone_where_asked(tiny_bert: Path, pair_file: Path, tmp_path: Path) -> None:
    options = {"data": pair_file, "model": str(tiny_bert), "verbosity": 0, "stdout": StringIO()}
    call_command("evaluate", "entailment", limit=5, json=tmp_path / "r.json", **options)
    assert rows_of(tmp_path / "r.json")["accuracy", ""]["n"] == 5
    with pytest.raises(CommandError, match="--limit"):
        call_command("evaluate", "entailment", limit=0, **options)


def test_evaluate_says_what_is_wrong_with_a_file_or_a_model(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("evaluate", "entailment", data=tmp_path / "none", verbosity=0)
    with pytest.raises(CommandError, match="DSMART_ENTAILMENT"):
        call_command("evaluate", "entailment", data=pair_file, model=str(tmp_path / "none"), verbosity=0)
    two_labels = build_tiny_bert(tmp_path / "two", labels=("entailment", "not_entailment"))
    with pytest.raises(CommandError, match="not_entailment"):
        call_command("evaluate", "entailment", data=pair_file, model=str(two_labels), verbosity=0)


@pytest.mark.slow
def test_training_goes_from_pairs_to_a_model_with_its_card(tiny_base: Path, tmp_path: Path) -> None:
    pairs = [
        LabelledPair(f"{a} {b} in paris", f"the {b} {c}", LABELS[(i + j + k) % 3], ("lingnli", "mine")[k])
        for i, a in enumerate(WORDS[:8])
        for j, b in enumerate(WORDS[:12])
        for k, c in enumerate(("sleeps", "runs"))
    ]
    assert any(map(is_held_out, pairs))
    data, public, dev = tmp_path / "own", tmp_path / "train.jsonl", tmp_path / "dev.jsonl"
    data.mkdir()
    (data / "pairs_a.jsonl").write_text(
        json.dumps({"premise": "the cat", "hypothesis": "a dog", "label": "neutral"}) + "\n"
    )
    public.write_text("".join(record(p.premise, p.hypothesis, p.label, p.source) + "\n" for p in pairs) + "oops\n")
    dev.write_text("".join(record(p.hypothesis, p.premise, p.label, "talk") + "\n" for p in pairs[:40]))
    out, errors = StringIO(), StringIO()
    call_command(
        "train",
        "entailment",
        data=data,
        public=public,
        dev=dev,
        base=tiny_base,
        out=tmp_path / "out",
        work=tmp_path / "work",
        steps=6,
        decay_steps=2,
        threads=1,
        quiet=True,
        stdout=out,
        stderr=errors,
    )
    assert errors.getvalue() == (
        f"train.jsonl: 1 lines left out since they are no pairs. The first is line {len(pairs) + 1}: not JSON.\n"
    )
    card = (tmp_path / "out" / "README.md").read_text()
    command = (
        "--data own --public train.jsonl --dev dev.jsonl --base tiny --steps 6 --decay-steps 2 --threads 1 --seed 0"
    )
    assert f"manage.py train entailment {command}\n" in card
    assert "| `own` | 1 | 3.0 | written for this project | Apache-2.0, as the project |" in card
    assert str(tmp_path) not in card
    model = OnnxEntailmentModel(tmp_path / "out")
    judged = model.predict_many([(pair.hypothesis, pair.premise) for pair in pairs[:40]])
    right = sum(verdict.label == pair.label for verdict, pair in zip(judged, pairs[:40], strict=True)) / 40
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert scores[0] == {**scores[0], "name": "built-in", "metric": "accuracy", "value": right, "n": 40}
    assert f"Measured: accuracy {right:.3f}, macro_f1 " in out.getvalue()
    assert "entailment_as" not in out.getvalue(), "counts are in the card"


def test_training_says_what_it_cannot_take(tiny_base: Path, pair_file: Path, tmp_path: Path) -> None:
    paths = {"base": tiny_base, "out": tmp_path / "out", "work": tmp_path / "work", "quiet": True}
    with pytest.raises(CommandError, match="no labelled examples"):
        call_command("train", "entailment", data=tmp_path, dev=pair_file, **paths)
    with pytest.raises(CommandError, match="--dev"):
        call_command("train", "entailment", data=pair_file.parent, **paths)
    with pytest.raises(CommandError, match="--decay-steps"):
        call_command("train", "entailment", data=pair_file.parent, dev=pair_file, steps=3, decay_steps=4, **paths)
    with pytest.raises(CommandError, match="No such file"):
        call_command("train", "entailment", data=pair_file.parent, dev=tmp_path / "none", **paths)
    assert not (tmp_path / "out").exists()
