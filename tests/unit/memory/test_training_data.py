"""The labelled examples that come with the product: every line can be read, and the counts of the READMEs are true."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import memory
from memory.adapters.entailment.pairs import read_pairs
from memory.adapters.learning.answer_reader import read_own
from memory.adapters.learning.change_judge import read_changes
from memory.adapters.learning.evidence_reader import read_histories
from memory.adapters.learning.label_files import label_files
from memory.adapters.learning.message_reader import PREDICATES_FILE, read_glosses, read_messages
from memory.adapters.learning.question_reader import read_asked

FOLDER = Path(memory.__file__).parent / "training"


def told(readme: Path) -> dict[str, list[int]]:
    """Return the figures that a README's tables tell of each name in their first column."""
    rows = re.findall(r"^\| ([\w.]+) \| (.+) \|$", readme.read_text(), re.MULTILINE)
    figures = {
        name: [int(cell.replace(",", "")) for cell in cells.split(" | ") if re.fullmatch(r"[\d,]+", cell)]
        for name, cells in rows
    }
    return {name: found for name, found in figures.items() if found}


def rows_of(path: Path) -> list[dict[str, list[object]]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_messages_are_as_their_readme_tells() -> None:
    counted = {}
    sources: Counter[str] = Counter()
    for path in label_files(FOLDER / "messages"):
        rows = rows_of(path)
        facts = [len(row["f"]) for row in rows]
        counted[path.name] = [len(rows), sum(facts), facts.count(0)]
        sources.update(str(row["src"]).partition("/")[0] for row in rows if "src" in row)
    assert counted | {name: [count] for name, count in sources.items()} == told(FOLDER / "messages" / "README.md")
    data = read_messages(FOLDER / "messages")
    assert data.left_out == sources["mtbench101"], "their words stay with their publisher"
    assert len(data.messages) + data.left_out == sum(figures[0] for figures in counted.values())


def test_questions_are_as_their_readme_tells() -> None:
    counted = {}
    for path in label_files(FOLDER / "questions"):
        rows = rows_of(path)
        asked = [asking for row in rows for asking in row["qa"]]
        unanswered = sum(asking["a"] is None for asking in asked)  # type: ignore[index]
        counted[path.name] = [len(rows), len(asked), unanswered]
        found = list(read_own(path))
        assert sum(question.turn is not None for question in found) == len(asked) - unanswered
    assert counted == told(FOLDER / "questions" / "README.md")


def test_asked_questions_are_as_their_readme_tells() -> None:
    data = read_asked(FOLDER / "asked")
    counts = Counter(question.kind.value for question in data.questions)
    assert {kind: [count] for kind, count in counts.items()} == told(FOLDER / "asked" / "README.md")
    assert set(data.glosses) == set(read_glosses(FOLDER / "messages" / PREDICATES_FILE))


def test_changes_are_as_their_readme_tells() -> None:
    counts = Counter(pair.change.value for pair in read_changes(FOLDER / "changes"))
    assert {label: [count] for label, count in counts.items()} == told(FOLDER / "changes" / "README.md")


def test_pairs_of_entailment_are_as_their_readme_tells() -> None:
    files = [read_pairs(path) for path in label_files(FOLDER / "entailment")]
    assert not [line for file in files for line in file.bad_lines]
    counts = Counter(pair.label.value for file in files for pair in file.pairs)
    assert {label: [count] for label, count in counts.items()} == told(FOLDER / "entailment" / "README.md")


def test_histories_are_as_their_readme_tells() -> None:
    counted = {}
    for path in label_files(FOLDER / "states"):
        turns = [turn for row in rows_of(path) for turn in row["turns"] if turn["role"] == "user"]  # type: ignore[index, call-overload]
        counted[path.name] = [len(rows_of(path)), len(turns), sum(len(turn["evidence"]) for turn in turns)]  # type: ignore[index, call-overload, misc]
    assert counted == told(FOLDER / "states" / "README.md")
    assert len({history.id for history in read_histories(FOLDER / "states")}) == sum(one[0] for one in counted.values())
