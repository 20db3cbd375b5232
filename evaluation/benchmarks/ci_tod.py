"""CI-ToD (Qin et al., 2021): dialogues with a driver whose last reply people labelled for contradictions.

A file is a list of {"id", "dialogue": [{"turn": "driver" or "assistant", "utterance"}], "scenario": {"qi", "hi", "kbi"}}; "1"
says that the last reply contradicts the driver's question (`qi`), what was said before (`hi`) or the knowledge base
(`kbi`). Words of a name are joined by underscores, which are read as spaces. Some ids occur twice; the second is "<id>-2".
The dialogues have no dates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from evaluation.benchmarks.reading import SPEAKERS, TURN_PAUSE, UNDATED, Field, read_json
from evaluation.core.types import Case, CaseSession, CaseTurn
from memory.core.types import Role

NAME = "ci_tod"
ID = "id"
SIDES = {"driver": Role.USER, "assistant": Role.ASSISTANT}
MARKS = {"0": False, "1": True}


def recognises(path: Path, first_record: object) -> bool:
    return isinstance(first_record, dict) and "dialogue" in first_record and "scenario" in first_record


def cases(path: Path) -> Iterator[Case]:
    """Yield the file's dialogues."""
    for name, record in named_records(path):
        yield case(name, record)


def history_contradictions(path: Path) -> dict[str, bool]:
    """Return of each case, by its id, whether its last reply contradicts what was said before."""
    return {name: mark(record.need("scenario").need("hi")) for name, record in named_records(path)}


def named_records(path: Path) -> Iterator[tuple[str, Field]]:
    seen: Counter[str] = Counter()
    for number, record in enumerate(Field(read_json(path), 0).items(), start=1):
        known = Field(record.value, number)
        name = known.need("id").name()
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name}-{seen[name]}"), known


def case(name: str, record: Field) -> Case:
    turns = []
    for place, said in enumerate(record.need("dialogue").items()):
        side = said.need("turn")
        role = SIDES.get(side.text())
        if role is None:
            side.fail(" or ".join(map(repr, SIDES)))
        turns.append(
            CaseTurn(
                role=role,
                speaker=SPEAKERS[role],
                text=said.need("utterance").text().replace("_", " "),
                said_at=UNDATED + place * TURN_PAUSE,
                key=str(place + 1),
            )
        )
    mark(record.need("scenario").need("hi"))
    session = CaseSession(key="dialogue", started_at=UNDATED, turns=tuple(turns))
    return Case(id=name, category="", sessions=(session,), questions=())


def mark(field: Field) -> bool:
    text = field.name()
    if text not in MARKS:
        field.fail("'0' or '1'")
    return MARKS[text]
