"""`manage.py experiment`: the papers' experiments by name, on small files of our own."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from conversations.bootstrap import responder_names
from evaluation.benchmarks.catalogue import FORMATS
from evaluation.benchmarks.task_catalogue import TASK_FORMATS
from evaluation.core.complexity.measures import Complexity
from evaluation.core.experiments.catalogue import FILES, experiments
from evaluation.core.experiments.types import ENGINE, Column, Experiment, Measure
from evaluation.core.judging import words
from evaluation.core.judging.catalogue import ASKING
from evaluation.core.runs.plan import KINDS
from evaluation.experiments.data_files import OPENDIALKG, STATES
from evaluation.experiments.measuring import TAKERS, Asked, experiment_take, words_of
from evaluation.models import EvaluationRun, RunState
from evaluation.performance.catalogue import BENCHES
from evaluation.quality.catalogue import EVALUATIONS
from evaluation.services.chaining_ways import WAYS as REASONING
from evaluation.services.grounded_prompts import WAYS as GROUNDING
from memory import bootstrap
from memory.bootstrap import backbones as backbone_making
from memory.core.backbones.catalogue import BACKBONES
from memory.core.sentence_graph.catalogue import RETRIEVERS
from tests.fakes.engines import StopSegmenter, WordEmbedder

STATES_FILE = Path(__file__).parents[2] / "data" / "states.jsonl"
ALL = list(experiments().values())
METRICS = {
    "accuracy", "judged", "token_f1", "gpt_score", "cs", "entailed", "word_f1", "bleu_4", "seconds", "prompt_tokens",
    "fact_score", "neip", "entity_f1", "perplexity", "rouge_l", "{}", "calls", "share", "checks", "early_attempts",
    "averaged_performance", "unreliability_90_10", "last_attempt_exact", "session_recall@5", "session_recall@10",
    "turn_recall@5", "turn_recall@10", "mrr", "refused", "evidence_recall", "tokens",
    "unique_entities", "turns", "new_entities_a_turn",
}  # fmt: skip
SYSTEMS = {*responder_names(), *BACKBONES, *REASONING, *GROUNDING, *Complexity.__dataclass_fields__}
NAMES = {
    "systems": responder_names(),
    "backbones": BACKBONES,
    "methods": REASONING,
    "ways": GROUNDING,
    "retrievers": RETRIEVERS,
}


def taken(name: str, *options: object, **keywords: Any) -> str:
    out = StringIO()
    call_command("experiment", name, *map(str, options), stdout=out, stderr=StringIO(), verbosity=0, **keywords)
    return out.getvalue()


@pytest.mark.parametrize("experiment", ALL, ids=lambda one: one.name)
def test_every_experiment_is_made_of_what_is_there(experiment: Experiment) -> None:
    assert set(experiment.judges) <= {words.NAME, ENGINE, *ASKING}
    assert experiment.title and experiment.data and (experiment.measures or experiment.differs)
    assert set(experiment.data) <= {*FORMATS, *(one.NAME for one in TASK_FORMATS), OPENDIALKG, STATES}
    for column in experiment.table.columns:
        assert bool(column.metric) != bool(column.lacking) and (not column.metric or column.metric in METRICS)
    for row in experiment.table.rows:
        assert not row.ours or row.ours in SYSTEMS
        assert all(re.search(r"\d", cell) or cell in ("-", "?") for cell in row.printed)
    assert {metric for figure in experiment.figures for metric in figure.metrics} <= METRICS
    assert set(experiment.summary) <= METRICS
    for measure in experiment.measures:
        for setting in measure.settings():
            measure_check(setting)


def measure_check(measure: Measure) -> None:
    kind, _, name = measure.what.partition(" ")
    assert kind in TAKERS
    for option, known in NAMES.items():
        if option in measure.options and measure.options[option] != "*":
            assert set(str(measure.options[option]).split(",")) <= set(known)
    match kind:
        case "run":
            assert name in KINDS and "systems" in measure.options
        case "bench":
            assert set(measure.options) <= {option.name for option in BENCHES[name].OPTIONS}
        case "evaluate":
            parser = ArgumentParser(exit_on_error=False)
            EVALUATIONS[name].add_arguments(parser)
            destinations = {action.dest for action in parser._actions}
            flags = {flag.lstrip("-") for action in parser._actions for flag in action.option_strings}
            assert set(measure.options) <= destinations | flags
            parser.parse_args(
                words_of(parser, {"data": "x", "engine": "x", "transcript": "x", **measure.options}, ["x"])
            )


def test_all_that_the_papers_print_is_there() -> None:
    wanted = [
        *(f"d-smart-{one}" for one in ("table-1", "table-2", "table-3", "table-4")),
        *(f"d-smart-figure-{one}" for one in (4, 5, 6, 7)),
        "sgmem-table-1",
        *(f"sgmem-figure-{one}" for one in (3, 4, 5, 6)),
        *(f"goal-mem-table-{one}" for one in (1, 2, 3)),
        *(f"goal-mem-figure-{one}" for one in (3, 4, 5)),
        *(f"slsm-o{one}" for one in (1, 2, 3, 4)),
        *(f"drg-table-{one}" for one in (2, 3, 4)),
        "five-memories",
        "consistency-by-turn",
    ]
    assert set(wanted) <= set(experiments())
    folder = Path(__file__).parents[3] / "evaluation" / "core" / "experiments"
    assert {path.name for path in folder.glob("*.toml")} == set(FILES)
    out = StringIO()
    call_command("experiment", "--list", stdout=out)
    assert [line.split()[0] for line in out.getvalue().splitlines()[1:]] == list(experiments())


# By hand from the papers: the experiment, the system, and figures of its row in the order of the columns.
PRINTED = [
    ("d-smart-table-1", "D-SMART", "| GPT-4o | 8.63 | 0.692 | 38.51% | 0.414 | 0.549 |"),
    ("d-smart-table-2", "w/o RT", "| Qwen3-8B | 5.69 | 0.70 | 41.30% |"),
    ("d-smart-table-3", "D-SMART", "| 1.27 | 9.80 |"),
    ("d-smart-table-4", "Vocabulary Diversity (TTR)", "| 6.12% | 10.89% |"),
    ("sgmem-table-1", "SGMem-SMFI", r"| 0.700\* | 0.730\* | 0.526 | 0.532 |"),
    ("sgmem-table-1", "RMM", "| 0.612 | 0.668 | - | - |"),
    ("goal-mem-table-1", "A-MEM", "| locomo | 44.42 (2.48) | 0.386 (0.019) | 59.08 (2.45) | 0.457 (0.020) |"),
    ("goal-mem-table-2", "GraphRAG", "| 50.83 (5.94) | 45.83 (5.92) | 51.67 (5.94) | 22.50 (4.47) | 50.83 (5.94) |"),
    ("goal-mem-table-3", "ReAct", "| 16.01 | 22802 |"),
    ("goal-mem-figure-3", "MAGMA", "| 13.54 (6.84) | 52.08 (9.99) | 63.73 (3.25) | 82.05 (2.59) |"),
    ("goal-mem-table-5", "Mem0", "| GPT-5.4 mini | 0.395 (0.038) | 0.414 (0.039) |"),
    ("drg-table-2", "Flan-T5-Large +TG-DRG-R", "| 74.25 | 28.53 | 15.00 | 20.22 | 2.19 | 11.27 | 74.41 | 33.68 |"),
    ("drg-table-3", "w/o Graph Repr.", "| -1.00 | -1.52 | -3.41 | -0.03 |"),
    ("drg-table-4", "GA-DRG", "| 2.00 | 2.00 | 0.60 | 1.96 | 1.81 | 1.82 |"),
]


@pytest.mark.parametrize(("name", "system", "figures"), PRINTED)
def test_paper_alone_is_printed_as_it_is(name: str, system: str, figures: str) -> None:
    rows = [line for line in taken(name, "--paper").splitlines() if line.startswith(f"| {system} |")]
    assert any(figures in row for row in rows), rows


def test_paper_without_figures_says_so() -> None:
    assert taken("d-smart-figure-6", "--paper").splitlines()[2:] == [
        "- Judge: GPT-4 (GPT Score), DeBERTa-v3-large (CS, DER).",
        "- A picture without figures; those of all tasks together are in Table 2.",
    ]
    assert "No paper has this experiment." in taken("five-memories", "--paper")


def test_counts_behind_the_half_widths_of_goal_mem_are_those_of_other_categories() -> None:
    counts = {"multi-hop": 282, "temporal": 321, "open-domain": 96, "single-hop": 841}
    table = experiments()["goal-mem-figure-3"].table
    for column, printed in zip(table.columns, table.rows[0].printed, strict=True):
        share, half = (float(one) / 100 for one in re.findall(r"[\d.]+", printed))
        count = share * (1 - share) * (1.96 / half) ** 2
        assert count == pytest.approx(counts[column.group], rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "No experiment is named. `manage.py experiment --list` names them."),
        (["d-smart-table-9"], "There is no experiment 'd-smart-table-9'. `manage.py experiment --list` names all "),
        (["sgmem-table-1"], "sgmem-table-1 is taken on data. Give --data FILE: a file of longmemeval or locomo."),
        (["slsm-o3", "--data", "no.jsonl"], "There is no file no.jsonl. slsm-o3 is taken on a file of states."),
        (["slsm-o3", "--limit", "0"], "--limit must be at least 1."),
    ],
)
def test_wrong_arguments_are_answered_in_one_sentence(arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError) as raised:
        call_command("experiment", *arguments, verbosity=0)
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("name", "judge", "said"),
    [
        ("slsm-o3", "words", "slsm-o3 takes no judge. Leave --judge out."),
        (
            "d-smart-table-1",
            "locomo@builtin",
            "d-smart-table-1 is judged by gpt_score, such as gpt_score@ENGINE, not locomo.",
        ),
        (
            "d-smart-table-1",
            "gpt_score",
            "The judge 'gpt_score' asks a language model, and the engine 'builtin' has none.",
        ),
    ],
)
def test_a_judge_that_does_not_fit_is_refused_before_anything_is_measured(
    dialogues: Path, name: str, judge: str, said: str
) -> None:
    data = STATES_FILE if name == "slsm-o3" else dialogues
    with pytest.raises(CommandError) as raised:
        taken(name, "--data", data, "--judge", judge)
    assert str(raised.value).startswith(said)


@pytest.mark.django_db
def test_a_judge_gives_the_figures_of_its_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backbone_making, "embedder", WordEmbedder)
    monkeypatch.setattr(backbone_making, "segmenter", StopSegmenter)
    table = replace(experiments()["goal-mem-table-3"].table, columns=(Column("judged", "judged", name="{}/bm25"),))
    rows = tuple(replace(row, printed=row.printed[:1]) for row in table.rows)
    experiment = replace(
        experiments()["goal-mem-table-3"], judges=("words",), table=replace(table, rows=rows), figures=()
    )
    asked = Asked(
        experiment.name, (talk_file(tmp_path),), {"judge": "words"}, scratch=tmp_path, folder=tmp_path, quiet=True
    )
    result = experiment_take(experiment, asked)
    judged = {cell.row.ours: (cell.value, cell.count, cell.why) for cell in result.cells}
    assert judged.pop("alone") == ("1.00", "1", "")
    assert {(value, count) for value, count, _ in judged.values()} == {("-", "")}
    assert all("builtin" in why for _, _, why in judged.values())
    assert "- Judge: `words`. There: none." in result.document()


def talk_file(folder: Path) -> Path:
    turns = [
        {"speaker": "Ann", "dia_id": f"D1:{place}", "text": text}
        for place, text in enumerate(("Ann has a parrot.", "It sings."), 1)
    ]
    talk = {"speaker_a": "Ann", "speaker_b": "Bob", "session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    qa = [{"question": "Who has a parrot?", "answer": "Ann", "evidence": ["D1:1"], "category": 4}]
    path = folder / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "one", "conversation": talk, "qa": qa}]))
    return path


@pytest.mark.parametrize(
    ("name", "file", "content", "said"),
    [
        (
            "sgmem-table-1",
            "a.jsonl",
            '{"task": "CM", "id": 1, "history": []}\n',
            "a.jsonl is of mtbench101, and sgmem-table-1 is taken on a file of longmemeval or locomo.",
        ),
        (
            "drg-table-2",
            "a.csv",
            "x,y\n1,2\n",
            "a.csv has no columns history and response, as OpenDialKG's turns have.",
        ),
        ("drg-table-3", "a.csv", "", "a.csv has no columns history and response"),
        ("d-smart-table-4", "a.jsonl", "", "a.jsonl: there is no record in it"),
        ("goal-mem-table-1", "a.json", '{"x": 1}', "The format of a.json cannot be told from its first record."),
    ],
)
def test_wrong_data_is_named_before_anything_is_measured(
    tmp_path: Path, name: str, file: str, content: str, said: str
) -> None:
    (tmp_path / file).write_text(content)
    with pytest.raises(CommandError) as raised:
        taken(name, "--data", tmp_path / file)
    assert str(raised.value).startswith(said)


def dialogue(number: int, *rounds: tuple[str, str]) -> str:
    history = [{"user": user, "bot": bot} for user, bot in rounds]
    return json.dumps({"task": "CM" if number % 2 else "GR", "id": number, "history": history}) + "\n"


@pytest.fixture
def dialogues(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    path.write_text(
        dialogue(1, ("I live in Lyon.", "Good to know."), ("Where do I live?", "You live in Lyon."))
        + dialogue(2, ("Name a river.", "The Rhine."))
        + dialogue(
            3, ("If Ana visits Oslo, don't tell Ben.", "I never tell Ben about Ana."), ("And Rome?", "Nor Rome.")
        )
        + dialogue(4, ("Hi.", "Hello."))
    )
    return path


@pytest.mark.django_db
def test_the_refined_quarter_is_measured_and_drawn_by_the_built_in_parser(tmp_path: Path, dialogues: Path) -> None:
    out, rows = tmp_path / "out", tmp_path / "rows.json"
    said = taken("d-smart-table-4", "--data", dialogues, "--out", out, "--json", rows)
    assert sorted(path.name for path in out.iterdir()) == sorted(
        [
            "refined.jsonl",
            *(
                f"d-smart-table-4{end}"
                for end in (".md", ".json", ".csv", ".tex", "-1.svg", "-measured.csv", "-measured.tex")
            ),
        ]
    )
    assert [json.loads(line)["id"] for line in (out / "refined.jsonl").read_text().splitlines()] == [3]
    report = json.loads(rows.read_text())
    assert report["command"] == "experiment d-smart-table-4" and report["identity"]["data"].keys() == {"talks.jsonl"}
    figures = {(row["name"], row["metric"]): row["value"] for row in report["rows"]}
    assert (figures["original", "turns"], figures["refined", "turns"]) == (1.5, 2)
    assert figures["refined", "constraint_turns"] == 0.5
    assert "| Avg. Turns per Dialogue | Original |  | 3.03 | turns | 1.50 | 4 | 1.00 to 2.00 |" in said
    assert "stage 1 needs the scores of the model alone" in said and "Judge: none" not in said
    assert (out / "d-smart-table-4.md").read_text().startswith(said.split("##")[0])


@pytest.mark.django_db
def test_hyperparameters_are_varied_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", WordEmbedder)
    monkeypatch.setattr(bootstrap, "segmenter", StopSegmenter)
    path = talk_file(tmp_path)
    taken("sgmem-figure-6", "--data", path, "--json", tmp_path / "rows.json")
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    found = [row["name"] for row in rows if row["metric"] == "session_recall@5" and not row.get("group")]
    assert found == [
        f"{name}={value}/sgmem_s"
        for name, values in (
            ("hops", (0, 1, 2)),
            ("neighbours", (1, 2, 3, 4, 5)),
            ("sentences", (5, 10, 15, 20)),
            ("similarity", (1.0, 1.2, 1.5)),
        )
        for value in values
    ]
    assert all(row["value"] == 1 for row in rows if row["metric"] == "session_recall@5")


@pytest.mark.django_db
def test_questions_are_as_many_as_the_document_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", WordEmbedder)
    monkeypatch.setattr(bootstrap, "segmenter", StopSegmenter)
    path = talk_file(tmp_path)
    record = json.loads(path.read_text())[0]
    path.write_text(json.dumps([{**record, "qa": record["qa"] * 3}]))
    said = taken("sgmem-figure-6", "--data", path, "--questions", "2", "--json", tmp_path / "rows.json")
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert "- A part of it: questions 2." in said
    assert {row["n"] for row in rows if row["metric"] == "session_recall@5" and not row.get("group")} == {2}
    with pytest.raises(CommandError, match=r"sgmem-figure-6 has no measurement that takes --sample\. Leave it out."):
        taken("sgmem-figure-6", "--data", path, "--limit", "1", "--sample", "3")


@pytest.mark.django_db
def test_what_asks_a_language_model_says_that_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "val.csv"
    path.write_text('history,response\n"Given the knowledge: A<sep> by<sep> B<user> Who wrote A?",B did.\n')
    said = taken("drg-table-2", "--data", path)
    lines = [line for line in said.splitlines() if line.startswith("| GA-DRG |")]
    assert len(lines) == 6 and all("the engine 'builtin'" in line for line in lines)
    assert (
        "Engine: `builtin`, which has no language model. There: ChatGLM-6B, Flan-T5-Large, Flan-T5-XXL, Llama2 7B."
        in said
    )
    assert "evaluate generation" in said


@pytest.mark.django_db
def test_every_responder_answers_one_conversation_by_one_command(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    turns = [{"role": "user", "text": "I live in Lyon."}, {"role": "assistant", "text": "Good to know."}]
    case = {
        "id": "move",
        "sessions": [{"started_at": "2024-03-02T18:20:00", "turns": turns}],
        "questions": [{"question": "Where do I live?", "answers": ["Lyon"]}],
    }
    path.write_text("".join(json.dumps({**case, "id": name}) + "\n" for name in ("first", "second")))
    said = taken("five-memories", "--data", path, "--judge", "words", "--json", tmp_path / "rows.json")
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert {row["name"] for row in rows} == set(responder_names())
    unplayed = {row["name"] for row in rows if row["metric"] == "measured"}
    assert unplayed >= {"base", "ga_drg", "tg_drg_r", "d_smart_no_memory"} and unplayed.isdisjoint(
        {"graph", "d_smart", "sgmem"}
    )
    figures = {(row["name"], row["metric"]): row for row in rows if not row.get("group")}
    assert figures["graph", "accuracy"]["value"] == 1 and figures["graph", "accuracy"]["n"] == 1
    assert figures["no_history", "accuracy"]["value"] == 0
    assert [figures[name, "judged"]["value"] for name in ("graph", "no_history")] == [1, 0]
    assert {"accuracy", "token_f1", "calls", "seconds"} <= {metric for name, metric in figures if name == "slsm"}
    assert "- A part of it: limit 1." in said and "- Judge: `words`. There: none." in said
    [run] = EvaluationRun.objects.all()
    assert (run.state, run.tags, run.name, run.cases.count()) == (RunState.DONE, ["experiment"], "five-memories", 1)


@pytest.mark.django_db
def test_dialogues_are_scored_by_turn_and_task_in_one_command(tmp_path: Path, dialogues: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"reply": "You live in Lyon."}\n')
    out = tmp_path / "out"
    said = taken(
        "consistency-by-turn", "--data", dialogues, "--limit", 2, "--engine", f"scripted:{script}", "--out", out
    )
    rows = json.loads((out / "consistency-by-turn.json").read_text())["rows"]
    figures = {(row["name"], row["metric"], row.get("group", "")): row["n"] for row in rows if "n" in row}
    for name in ("graph", "d_smart", "base"):
        assert {group for own, metric, group in figures if (own, metric) == (name, "cs")} == {
            "", "CM", "GR", "turn 1", "turn 2"
        }  # fmt: skip
        assert figures[name, "entailed", "turn 2"] == 1
    assert [run.engine for run in EvaluationRun.objects.order_by("pk")] == ["builtin", f"scripted:{script}"]
    assert f"Engine: `scripted:{script}`. " not in said and f"- Engine: `scripted:{script}`." in said
    assert {path.name for path in out.glob("*.svg")} == {f"consistency-by-turn-{number}.svg" for number in (1, 2, 3)}


def test_every_experiment_is_in_the_documentation() -> None:
    text = (Path(__file__).parents[3] / "docs" / "experiments.md").read_text()
    assert [name for name in experiments() if f"`{name}`" not in text] == []
