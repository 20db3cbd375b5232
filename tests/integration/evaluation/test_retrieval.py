"""`evaluate retrieval` over small files of the three formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.catalogue import read_cases
from evaluation.services.case_digests import case_digests
from memory import bootstrap
from memory.core.types import Unit
from tests.fakes.engines import StopSegmenter, WordEmbedder

EIGHT = "s,t,r,bm25_s,bm25_t,sgmem_s,sgmem_s_max,fused"
Rows = dict[tuple[str, str, str], dict[str, object]]


def talk(number: int, *lines: str) -> dict[str, object]:
    turns = [
        {"speaker": line.partition(": ")[0], "dia_id": f"D{number}:{place}", "text": line.partition(": ")[2]}
        for place, line in enumerate(lines, start=1)
    ]
    return {f"session_{number}": turns, f"session_{number}_date_time": f"1:56 pm on {number} May, 2023"}


def conversation(name: str, *, qa: list[dict[str, object]]) -> dict[str, object]:
    talks = (
        talk(1, "Ann: I adopted a green parrot.", "Bob: Parrots sing all day.", "Ann: Mine whistles."),
        talk(2, "Ann: My bicycle broke.", "Bob: Repair the bicycle then."),
        talk(3, "Bob: I bake bread on Sundays.", "Ann: Bread with olives tastes best."),
        talk(4, "Ann: The rain fell for weeks.", "Bob: We stayed at home."),
        talk(5, "Bob: I sold the old piano.", "Ann: A pity."),
        talk(6, "Ann: The dentist was kind.", "Bob: Good."),
    )
    spoken = {key: value for one in talks for key, value in one.items()}
    return {"sample_id": name, "conversation": {"speaker_a": "Ann", "speaker_b": "Bob", **spoken}, "qa": qa}


def asked(question: str, *evidence: object, category: int = 4) -> dict[str, object]:
    return {"question": question, "answer": "so", "evidence": list(evidence), "category": category}


LOCOMO = [
    conversation(
        "one",
        qa=[
            asked("Who adopted a parrot?", "D1:1"),
            asked("What did Ann and Bob say of bread?", "D3:1; D3:2", category=1),
            asked("What broke?", "D:2:1", "D9:9", category=2),
            asked("Who would like a piano?", "D7:77", category=3),
            asked("Who sings?", "somewhere", category=5),
            asked("Who flew to the moon?", category=3),
        ],
    ),
    conversation("two", qa=[asked("Who sold the piano?", "D5:1"), asked("Was the dentist kind?", "D6:1", category=2)]),
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    monkeypatch.setattr(bootstrap, "segmenter", lambda: StopSegmenter())


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(LOCOMO))
    return path


@pytest.fixture
def measure(tmp_path: Path) -> Callable[..., tuple[Rows, str]]:
    def run(path: Path, *options: str) -> tuple[Rows, str]:
        out, report = StringIO(), tmp_path / "report.json"
        arguments = ["--data", str(path), "--json", str(report), *options]
        call_command("evaluate", "retrieval", *arguments, verbosity=0, stdout=out)
        rows = json.loads(report.read_text())["rows"]
        return {(row["name"], row["metric"], row.get("group", "")): row for row in rows}, out.getvalue()

    return run


def test_eight_retrievers_are_measured_in_one_run(locomo: Path, measure: Callable[..., tuple[Rows, str]]) -> None:
    rows, table = measure(locomo, "--benchmark", "locomo", "--retrievers", EIGHT, "--k", "1,5")
    for name in EIGHT.split(","):
        recall = rows[name, "session_recall@5", ""]
        assert recall["n"] == 5
        assert float(str(recall["low"])) <= float(str(recall["value"])) <= float(str(recall["high"]))
        assert float(str(rows[name, "seconds_per_query", ""]["value"])) > 0
        assert f"\n{name} " in table
    for name in EIGHT.split(",")[1:]:
        assert rows[f"{name} against s", "session_recall@5_difference", ""]["n"] == 5
    assert rows["fused", "turn_recall@5", ""]["value"] == 1.0
    assert rows["fused", "mrr", ""]["value"] == 1.0
    assert {group for name, _, group in rows if name == "fused"} == {"", "single-hop", "multi-hop", "temporal"}
    assert rows["fused", "session_recall@5", "temporal"]["n"] == 2


def test_evidence_that_names_nothing_is_counted(locomo: Path, measure: Callable[..., tuple[Rows, str]]) -> None:
    rows, _ = measure(locomo, "--retrievers", "fused")
    assert [rows["questions", metric, ""]["value"] for metric in ("measured", "without_evidence")] == [5, 1]
    assert rows["questions", "evidence_names_nothing", ""]["value"] == 2
    strays = rows["evidence", "references_unknown", ""]
    assert strays["value"] == 3
    assert "'D9:9' of one, question 3" in str(strays["why"])
    assert "'somewhere' of one, question 5" in str(strays["why"])


def test_what_a_retriever_does_not_rank_is_a_row_without_a_value(
    locomo: Path, measure: Callable[..., tuple[Rows, str]]
) -> None:
    rows, _ = measure(locomo, "--retrievers", "bm25_s,no_history,light_rag,rmm", "--no-digests")
    assert rows["bm25_s", "turn_recall@10", ""]["why"] == "the recipe ranks sessions, no turns"
    assert rows["no_history", "session_recall@5", ""]["value"] is None
    assert "reads no history" in str(rows["no_history", "mrr", ""]["why"])
    assert "knowledge graph" in str(rows["light_rag", "session_recall@5", ""]["why"])
    assert "--no-digests" in str(rows["rmm", "session_recall@5", ""]["why"])


def test_the_ablation_leaves_out_one_part_after_the_other(
    locomo: Path, measure: Callable[..., tuple[Rows, str]]
) -> None:
    rows, _ = measure(locomo, "--retrievers", "fused", "--ablation", "--only", "two")
    without = {name for name, metric, _ in rows if metric == "session_recall@5" and name.startswith("fused_without_")}
    assert {"fused_without_words", "fused_without_speaker", "fused_without_time"} <= without
    assert ("fused_without_words against fused", "turn_recall@10_difference", "") in rows


def test_hyperparameters_of_the_sentence_graph_can_be_given(
    locomo: Path, measure: Callable[..., tuple[Rows, str]]
) -> None:
    usual, _ = measure(locomo, "--retrievers", "sgmem_t")
    given, _ = measure(locomo, "--retrievers", "sgmem_t", "--hops", "0", "--sentences", "1", "--similarity", "0")
    key = ("sgmem_t", "turn_recall@10", "")
    assert usual[key]["value"] > given[key]["value"] > 0
    with pytest.raises(CommandError, match=r"has a count below what it counts\."):
        measure(locomo, "--hops", "-1")
    with pytest.raises(CommandError, match=r"The threshold gamma is in \[0, 2\], not 3\.0\."):
        measure(locomo, "--similarity", "3")


def test_vectors_are_kept_for_another_run(
    locomo: Path, measure: Callable[..., tuple[Rows, str]], tmp_path: Path
) -> None:
    kept = tmp_path / "vectors"
    first, _ = measure(locomo, "--retrievers", "s,fused", "--vectors", str(kept))
    with np.load(kept) as content:
        assert len(content["keys"]) > 12
    second, _ = measure(locomo, "--retrievers", "s,fused", "--vectors", str(kept))
    for key in first:
        if key[1] != "seconds_per_query":
            assert first[key] == second[key]


def test_digests_cover_the_turns_that_they_are_of(locomo: Path, measure: Callable[..., tuple[Rows, str]]) -> None:
    rows, _ = measure(locomo, "--retrievers", "s,s_f,rmm", "--k", "1,5", "--only", "one")
    assert float(str(rows["s_f", "session_recall@5", ""]["value"])) >= float(
        str(rows["s", "session_recall@5", ""]["value"])
    )
    assert rows["rmm", "mrr", ""]["why"] == "the recipe ranks digests, no chunks"
    assert float(str(rows["s_f", "sessions_in_context@1", ""]["value"])) >= 1
    (case, _) = read_cases(locomo)
    writers = bootstrap.digest_writers(bootstrap.engine("builtin"))
    assert writers is not None
    digests = case_digests(case, writers=writers, embedder=WordEmbedder(), segmenter=StopSegmenter())
    facts = dict(zip([one.text for one in digests.written], digests.sources, strict=True))
    (parrot,) = [sources for text, sources in facts.items() if "adopted a green parrot" in text and sources.turns]
    assert (parrot.sessions, parrot.turns) == ({"session_1"}, {"D1:1"})
    assert {one.unit for one in digests.written} >= {Unit.FACT, Unit.SUMMARY}


def test_longmemeval_has_sessions_and_marked_turns(tmp_path: Path, measure: Callable[..., tuple[Rows, str]]) -> None:
    def said(*texts: str, answer: int = -1) -> list[dict[str, object]]:
        return [
            {
                "role": ("user", "assistant")[place % 2],
                "content": text,
                **({"has_answer": True} if place == answer else {}),
            }
            for place, text in enumerate(texts)
        ]

    path = tmp_path / "longmemeval.json"
    record = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which degree did I finish?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": "Law",
        "answer_session_ids": ["a2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
        "haystack_session_ids": ["a1", "a2"],
        "haystack_sessions": [
            said("The weather is fine.", "Good."),
            said("I finished a degree in law.", "Well.", answer=0),
        ],
    }
    path.write_text(json.dumps([record]))
    rows, _ = measure(path, "--benchmark", "longmemeval", "--retrievers", "fused,bm25_t", "--k", "1")
    assert rows["fused", "session_recall@1", "single-session-user"]["value"] == 1.0
    assert rows["fused", "turn_recall@1", ""]["value"] == 1.0


def test_beam_takes_the_ids_of_messages_in_every_shape(
    tmp_path: Path, measure: Callable[..., tuple[Rows, str]]
) -> None:
    chat = tmp_path / "chats" / "7"
    chat.mkdir(parents=True)
    lines = ["I bought a kayak.", "Nice.", "My sister bakes bread.", "Good.", "The kayak leaks.", "Oh."]
    messages = [
        {"role": ("user", "assistant")[place % 2], "id": place, "content": line, "time_anchor": "March-15-2024"}
        for place, line in enumerate(lines)
    ]
    (chat / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [messages]}]))
    probes = {
        "knowledge_update": [{"question": "How is the kayak?", "source_chat_ids": {"original": [0], "updated": [[4]]}}],
        "information_extraction": [{"question": "Who bakes bread?", "answer": "sister", "source_chat_ids": [2, 99]}],
        "abstention": [{"question": "Who swims?", "answer": "unknown"}],
    }
    (chat / "probing_questions.json").write_text(json.dumps(probes))
    rows, _ = measure(tmp_path / "chats", "--retrievers", "bm25_t,fused", "--k", "3")
    assert rows["fused", "turn_recall@3", "knowledge_update"]["value"] == 1.0
    assert rows["questions", "without_evidence", ""]["value"] == 1
    assert rows["evidence", "references_unknown", ""]["value"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--retrievers", "fused,nobody"], "no retriever 'nobody'"),
        (["--retrievers", "fused,fused"], "named twice"),
        (["--only", "three"], "no case 'three'"),
        (["--k", "0"], "whole numbers from 1"),
        (["--retrievers", ","], "names a retriever"),
        (["--limit", "0"], "at least 1"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(
    locomo: Path, measure: Callable[..., tuple[Rows, str]], options: list[str], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        measure(locomo, *options)


def test_a_file_without_evidence_measures_nothing(tmp_path: Path, measure: Callable[..., tuple[Rows, str]]) -> None:
    path = tmp_path / "none.json"
    path.write_text(json.dumps([conversation("one", qa=[asked("Who?")])]))
    with pytest.raises(CommandError, match="no question that was asked for has evidence"):
        measure(path, "--retrievers", "fused")
