"""`make_training_data`: what a teacher's replies become, what is left out and why, and a run that was killed goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from memory.adapters.language_models.scripted import Rule, ScriptedLanguageModel
from memory.adapters.language_models.scripted_server import ScriptedServer, ServerConfig
from memory.adapters.learning.triple_selector import is_kept_back, read_selections
from memory.core.grounded_generation.reformulation import PromptedReformulator
from memory.core.grounded_generation.selection import selection_prompts
from tests.fakes.language import Saying

AUTHOR, SPECIES = ["Blinky Bill", "author", "Dorothy Wall"], ["Blinky Bill", "species", "Koala"]


def dialogue(number: int) -> list[str]:
    return [f"Number {number}: do you know Blinky Bill?", "Yes, it is a koala.", "Who is the author?"]


SHOWN = [number for number in range(60) if not is_kept_back(dialogue(number))][:20]
KEPT_BACK = next(number for number in range(60) if is_kept_back(dialogue(number)))


def full(number: int) -> dict[str, object]:
    said = [dialogue(number)[0], "Yes, Blinky Bill is a koala.", "Who is the author of Blinky Bill?"]
    return {"turns": [{"turn": place, "reasoning": "The book.", "full": text} for place, text in enumerate(said, 1)]}


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def made(tmp_path: Path, what: str, data: Path, rules: list[dict[str, Any]], **options: Any) -> tuple[list[Any], str]:
    """Return the lines that a scripted teacher wrote, and what the command said."""
    script, told = written(tmp_path / "script.jsonl", *rules), StringIO()
    out = tmp_path / f"{what}.jsonl"
    call_command(
        "make_training_data", what, data=data, engine=f"scripted:{script}", out=out, verbosity=0, stdout=told, **options
    )
    return [json.loads(line) for line in out.read_text().splitlines()], told.getvalue()


def test_dialogues_in_full_become_chats_that_the_product_would_take(tmp_path: Path) -> None:
    one, strange, torn, failing = SHOWN[:4]
    numbers = [one, strange, KEPT_BACK, torn, failing, one]
    data = written(
        tmp_path / "data.jsonl", *({"dialogue": dialogue(number)} for number in numbers), "{", {"dialogue": []}
    )
    spoilt = full(strange)
    spoilt["turns"][2]["full"] = "Who is the author of Peter Rabbit?"  # type: ignore[index]
    rules = [
        {"when": f"Number {one}:", "reply": full(one)},
        {"when": f"Number {strange}:", "reply": spoilt},
        {"when": f"Number {torn}:", "reply": "It is about a koala."},
        {"when": "asked form", "reply": "I do not know."},
        {"when": f"Number {failing}:", "error": "refused", "message": "Too long."},
        {"reply": "Never."},
    ]
    [lesson], told = made(tmp_path, "reformulation", data, rules)
    assert list(lesson) == ["messages"]
    assert [message["role"] for message in lesson["messages"]] == ["system", "user", "assistant"]
    assert json.loads(lesson["messages"][2]["content"]) == full(one)
    [turns] = PromptedReformulator(Saying(lesson["messages"][2]["content"])).reformulate_many([dialogue(one)])
    assert not isinstance(turns, Exception) and not any(turn.refused for turn in turns)
    lines = told.splitlines()
    assert lines[0] == f"Wrote 1 lines to {tmp_path / 'reformulation.jsonl'}."
    assert "2 left out: cannot be read (record 7: not JSON" in lines[1]
    assert sorted(lines[2:]) == [
        "1 left out: Nobody said … (Nobody said “peter”.)",
        "1 left out: is there twice",
        "1 left out: kept back for evaluate selection",
        "1 left out: the reply has not the asked form "
        "(The model's reply has not the asked form: there is no JSON object in it.)",
        "1 left out: the teacher did not answer (Too long.)",
    ]


JUDGES = [
    {
        "when": f"(?s)Fact {number}:\\n<fact [^>]*>\\n{' '.join(AUTHOR)}",
        "reply": {
            "facts": [{"fact": place, "reason": "Because.", "relevant": place == number} for place in range(1, 5)]
        },
    }
    for number in range(1, 5)
]
LIKES = [["Ana", "likes", "tea"], ["Koala", "eats", "leaves"]]


def with_triples(*numbers: int) -> list[dict[str, Any]]:
    return [{"dialogue": dialogue(number), "triples": [AUTHOR, SPECIES, *LIKES]} for number in numbers]


def test_judged_triples_become_chats_as_many_relevant_as_not(tmp_path: Path) -> None:
    data = written(tmp_path / "data.jsonl", *with_triples(*SHOWN[:5]), {"dialogue": ["Hello?"]})
    lessons, told = made(tmp_path, "selection", data, JUDGES)
    answers = Counter(lesson["messages"][-1]["content"] for lesson in lessons)
    assert answers == {"yes. Because.": 5, "no. Because.": 5}
    for number in SHOWN[:5]:
        [asked] = selection_prompts(dialogue(number), [" ".join(AUTHOR)])
        said = [{"role": str(one.role), "content": one.content} for one in asked.messages]
        [yes] = [one for one in lessons if one["messages"][:-1] == said]
        assert yes["messages"][-1]["content"] == "yes. Because."
    assert "10 left out: a triple of the kind that there are more of" in told
    assert "1 left out: no triple is about what it names" in told


def test_judged_triples_become_what_the_selector_is_trained_on(tmp_path: Path) -> None:
    data = written(tmp_path / "data.jsonl", *with_triples(SHOWN[0], KEPT_BACK), {"dialogue": ["Hm?"], "triples": LIKES})
    rules = [*JUDGES, {"when": "Fact 1:", "reply": {"facts": [{"fact": 1, "relevant": False}]}}]
    lines, told = made(tmp_path, "selection", data, rules, form="selector")
    assert [line["dialogue"] for line in lines] == [dialogue(SHOWN[0]), dialogue(KEPT_BACK)]
    for line in lines:
        assert line["relevant"] == [AUTHOR]
        assert sorted(line["irrelevant"]) == sorted([SPECIES, *LIKES])
    assert "1 left out: all of its triples are relevant, or none is" in told
    assert "1 left out: a triple that the reply leaves out" in told
    folder = tmp_path / "selection"
    folder.mkdir()
    (tmp_path / "selection.jsonl").rename(folder / "selection_a.jsonl")
    assert [one.relevant for one in read_selections(folder)] == [(" ".join(AUTHOR),)] * 2


def test_turns_of_opendialkg_are_judged_with_triples_of_the_knowledge_base(tmp_path: Path) -> None:
    names = ["Blinky Bill", "Dorothy Wall", "Koala", *(f"Book {number}" for number in range(30))]
    written(tmp_path / "entity2id.txt", str(len(names)), *(f"{name}\t{place}" for place, name in enumerate(names)))
    written(tmp_path / "relation2id.txt", "2", "author\t0", "is like\t1")
    triples = written(tmp_path / "valid2id.txt", "31", "0 1 0", *(f"0 {place} 1" for place in range(3, 33)))
    rows = ["entity_relation_ids,memory_bank,history,response"]
    for number in SHOWN[:3]:
        said = f"{dialogue(number)[0]}<assistant> Yes, it is a koala.<user> Who is the author?"
        rows.append(f'"[]","[]","Given the knowledge: {"<sep>".join(SPECIES)}<user> {said}",<assistant> Dorothy Wall.')
    rows.append('"[]","[]","nothing",x')
    data = written(tmp_path / "val.csv", *rows)
    everything = {"facts": [{"fact": number, "relevant": number % 2 == 0} for number in range(1, 11)]}
    lines, told = made(tmp_path, "selection", data, [{"reply": everything}], triples=triples, form="selector")
    for line in lines:
        judged = [*line["relevant"], *line["irrelevant"]]
        assert len(judged) == 10 and SPECIES in judged and AUTHOR in judged
        assert sum(triple[1] == "is like" for triple in judged) == 8
    assert len(lines) == 3 and "1 left out: cannot be read (row 4, history" in told


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["a,b", "1,2"], "holds neither OpenDialKG's turns nor one dialogue a line as JSON"),
        ([], "became a lesson"),
        (["{}", '{"dialogue": "hi"}', '{"dialogue": ["a"], "triples": [["b"]]}'], "3 left out: cannot be read"),
    ],
)
def test_file_of_which_nothing_comes_is_an_error(tmp_path: Path, lines: list[str], words: str) -> None:
    data = written(tmp_path / "data.jsonl", *lines)
    with pytest.raises(CommandError, match=words):
        made(tmp_path, "selection", data, [{"reply": "x"}])
    assert not (tmp_path / "selection.jsonl").exists()


def test_engine_that_cannot_teach_and_limit_below_one_are_refused(tmp_path: Path) -> None:
    data = written(tmp_path / "data.jsonl", *with_triples(*SHOWN[:3]))
    given = {"data": data, "out": tmp_path / "out.jsonl", "verbosity": 0}
    with pytest.raises(CommandError, match="A language model teaches, and the engine 'builtin' has none"):
        call_command("make_training_data", "selection", engine="builtin", **given)
    with pytest.raises(CommandError, match="--limit must be at least 1"):
        call_command("make_training_data", "selection", engine="builtin", limit=0, **given)
    lines, _ = made(tmp_path, "selection", data, JUDGES, limit=2)
    assert len(lines) == 4


def test_teacher_that_is_gone_ends_the_run_and_what_it_answered_is_kept(tmp_path: Path) -> None:
    data = written(tmp_path / "data.jsonl", *({"dialogue": dialogue(number)} for number in SHOWN))
    able = [{"when": f"Number {number}:", "reply": full(number)} for number in SHOWN]
    with pytest.raises(CommandError, match=r"did not answer 16 times in a row: The line is dead\. The same command"):
        made(tmp_path, "reformulation", data, [able[0], {"error": "unreachable", "message": "The line is dead."}])
    assert not (tmp_path / "reformulation.jsonl").exists()
    lines, told = made(tmp_path, "reformulation", data, able[1:])
    assert len(lines) == len(SHOWN) and "left out" not in told, "the first one was answered before"


def test_killed_run_goes_on_without_asking_again_what_was_answered(tmp_path: Path) -> None:
    data = written(tmp_path / "data.jsonl", *({"dialogue": dialogue(number)} for number in range(60)))
    numbers = [number for number in range(60) if not is_kept_back(dialogue(number))]
    rules = [Rule(when=f"Number {number}:", reply=full(number)) for number in numbers]  # type: ignore[arg-type]
    out = tmp_path / "out.jsonl"
    with ScriptedServer(rules, config=ServerConfig(latency_s=0.2)) as server:
        engine = f"http:scripted@{server.base_url}"
        command = [sys.executable, "manage.py", "make_training_data", "reformulation", "--data", str(data)]
        running = subprocess.Popen(
            [*command, "--engine", engine, "--out", str(out)],
            cwd=settings.BASE_DIR,
            env={**os.environ, "DSMART_HTTP_CONCURRENCY": "4", "DSMART_HOME": str(tmp_path / "home")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until = time.monotonic() + 60
            while len(server.requests) < 20 and time.monotonic() < until:
                assert running.poll() is None
                time.sleep(0.02)
        finally:
            running.send_signal(signal.SIGKILL)
            running.wait()
        time.sleep(0.5)
        asked_before = Counter(map(number_of, server.requests))
        assert 20 <= len(server.requests) < len(numbers) and not out.exists()
        told = StringIO()
        call_command("make_training_data", "reformulation", data=data, engine=engine, out=out, verbosity=0, stdout=told)
        asked = Counter(map(number_of, server.requests))
    assert set(asked) == set(numbers) and max(asked.values()) <= 2
    assert set(asked - Counter(numbers)) <= set(asked_before) - set(numbers[:16]), "the first sixteen were kept"
    assert len(out.read_text().splitlines()) == len(numbers)


def number_of(request: Any) -> int:
    found = re.search(r"Number (\d+):", request.body["messages"][-1]["content"])
    assert found is not None
    return int(found[1])


def test_run_that_a_person_stops_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = written(tmp_path / "data.jsonl", *({"dialogue": dialogue(number)} for number in SHOWN))
    rules = [{"when": f"Number {number}:", "reply": full(number)} for number in SHOWN]
    complete, batches = ScriptedLanguageModel.complete_many, []

    def stopping(self, prompts, *, config):
        batches.append(len(prompts))
        if len(batches) == 2:
            raise KeyboardInterrupt
        return complete(self, prompts, config=config)

    monkeypatch.setattr(ScriptedLanguageModel, "complete_many", stopping)
    with pytest.raises(CommandError, match=r"Stopped\. The same command goes on where it stopped\."):
        made(tmp_path, "reformulation", data, rules)
    lines, _ = made(tmp_path, "reformulation", data, rules)
    assert len(lines) == len(SHOWN) == 20 and batches == [16, 4, 4]


def test_lines_of_json_may_have_any_character(tmp_path: Path) -> None:
    said = ["Number 1:\u2028 do you know\x85 “Blinky Bill”?"]
    data = tmp_path / "data.jsonl"
    data.write_text(
        "\ufeff" + json.dumps({"dialogue": said, "triples": [AUTHOR, SPECIES]}, ensure_ascii=False) + "\n\n"
    )
    judged = {"facts": [{"fact": 1, "relevant": True}, {"fact": 2, "relevant": False}]}
    [line], _ = made(tmp_path, "selection", data, [{"reply": judged}], form="selector")
    assert line["dialogue"] == said
