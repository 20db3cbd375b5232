"""FineDialFact (Chen et al., 2025): atomic facts of HybriDialogue replies, labelled by people, with passages of Wikipedia.

A file is a list of records, or has one a line: {"atomic_fact", "history": [["A", "..."], ...], "A": the last question,
"B": ..., "evidence": [{"id", "title", "text"}, ...], "factualLabel": "Supports" | "Refutes" | "Not Enough Info", "id"}. A
record may say who gave which label: {"annotators": {"Ana": "Supports", "Ben": "Refutes"}}.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.benchmarks.reading import Field, read_json, read_json_lines, read_text
from memory.core.grounded_generation.verification import FactStatus, Ground
from memory.core.plain_text import is_plain

SPEAKER, ASKER = "B", "A"
NAME_LONGEST = 150
HEAD = 1_000
LABELS = {
    "Supports": FactStatus.TRUE,
    "Refutes": FactStatus.FALSE,
    "Not Enough Info": FactStatus.NOT_ENOUGH,
}


@dataclass(frozen=True)
class LabelledFact:
    """An atomic fact of a reply with the turns before it, the passages given for it, and what people say of it.

    `people` are those whom the record names, each with their own label.
    """

    dialogue_id: str
    fact: str
    dialogue: tuple[Ground, ...]
    evidence: tuple[Ground, ...]
    status: FactStatus
    people: tuple[tuple[str, FactStatus], ...] = ()


def read_labelled_facts(path: Path) -> Iterator[LabelledFact]:
    """Yield the records of a file. Raises `MalformedBenchmark` that names the record and the field."""
    for record in _records(path):
        yield LabelledFact(
            dialogue_id=record.need("id").text(),
            fact=record.need("atomic_fact").text().strip(),
            dialogue=tuple(_turns(record)),
            evidence=tuple(
                Ground(one.need("text").text().strip(), title=one.need("title").text())
                for one in record.need("evidence").items()
            ),
            status=_status(record.need("factualLabel")),
            people=tuple(_people(record)),
        )


def _records(path: Path) -> Iterator[Field]:
    if read_text(path, most=HEAD).lstrip().startswith("{"):
        yield from read_json_lines(path)
        return
    for number, item in enumerate(Field(read_json(path), 0).items(), start=1):
        yield Field(item.value, number)


def _status(label: Field) -> FactStatus:
    if label.text() not in LABELS:
        label.fail(f"one of {', '.join(LABELS)}")
    return LABELS[label.text()]


def _people(record: Field) -> Iterator[tuple[str, FactStatus]]:
    named = record.find("annotators")
    if named is None:
        return
    for name in named.names():
        if not (0 < len(name.strip()) <= NAME_LONGEST and is_plain(name)):
            named.fail(f"names of 1 to {NAME_LONGEST} characters")
        yield name, _status(named.need(name))


def _turns(record: Field) -> Iterator[Ground]:
    for turn in record.need("history").items():
        parts = turn.items()
        if len(parts) != 2:
            turn.fail("a speaker and a text")
        yield Ground(parts[1].text().strip(), speaker=parts[0].text().strip())
    yield Ground(record.need(ASKER).text().strip(), speaker=ASKER)
