"""MT-Eval (Kwan et al., 2024): the forms of its six files, one JSON a line, told apart by their first record.

- classification (`cls_ablation_gold`): {"id", "conv": [{"user", "sys", "id", "do_inference"}]}; the first message lists the
  labels, a line each. A turn with `do_inference` is answered, the others are played with their replies.
- `documents`: {"topic", "gen_resp"}; each is a task of one turn: its class, among the topics of the file.
- `global_inst`: {"id", "query", "instructions"}; for each instruction, up to two conversations that begin with it, and go on
  with up to ten questions that can be answered under it. The file has no conversations: which questions are drawn, and
  what an instruction is about, is ours, and the same in every run.
- `mt-bench_extended`: {"question_id", "category", "conversation": [{"user", "sys", "id"}]}; as the benchmark does, the first
  two turns are played with their replies.
- refinement (`refinement_multi_inst`, `refinement_single_inst`): a list of {"user", "sys", "id"}.

The last two take a judge.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evaluation.benchmarks.reading import Field, read_json_lines
from evaluation.core.folding import fold
from evaluation.core.tasks.constraints import RULES, constraint_of, told
from evaluation.core.tasks.types import Scoring, Task, TaskTurn

NAME = "mteval"
ID = "id or question_id"
SESSIONS, QUESTIONS = 2, 10
GIVEN_OF_EXTENDED = 2
UNDERSTOOD = "ok."
SHORTEST_KEYWORD = 5


def recognises(path: Path, first_record: object) -> bool:
    return form_of(first_record) is not None


def form_of(first: object) -> Callable[[list[Field]], Iterator[Task]] | None:
    """Return the reader of the form that a file's first record has."""
    has = set(first) if isinstance(first, dict) else set()
    return next((reader for fields, reader in FORMS if fields <= has), None)


def tasks(path: Path) -> Iterator[Task]:
    """Yield the file's conversations."""
    records = list(read_json_lines(path))
    if not records:
        return
    first = records[0].value
    reader = form_of(first[0] if isinstance(first, list) and first else first)
    if reader is None:
        records[0].fail("a record of one of MT-Eval's six files")
    yield from reader(records)


def classification(records: list[Field]) -> Iterator[Task]:
    for record in records:
        conversation = record.need("conv").items()
        if not conversation:
            record.need("conv").fail("at least one turn")
        labels = tuple(
            line.strip()
            for line in conversation[0].need("user").text().splitlines()[1:]
            if len(fold(line).split()) == 1
        )
        turns = [label_turn(turn, labels) for turn in conversation]
        count = f"{len(turns) - 1} documents"
        name = f"{record.need('id').name()} of {count}"
        yield Task(name, count, Scoring.LABEL, tuple(turns), labels=labels)


def label_turn(turn: Field, labels: Sequence[str]) -> TaskTurn:
    is_played, reply = turn.need("do_inference"), turn.need("sys")
    if not isinstance(is_played.value, bool):
        is_played.fail("true or false")
    if not is_played.value:
        return TaskTurn(turn.need("user").name(), reply.text())
    if reply.text() not in labels:
        reply.fail(f"one of the labels {', '.join(labels)}")
    return TaskTurn(turn.need("user").name(), label=reply.text())


def documents(records: list[Field]) -> Iterator[Task]:
    labels = tuple(sorted({record.need("topic").name() for record in records}))
    asked = "Which of these classes does the text below belong to? Reply with the class alone.\n" + "\n".join(labels)
    for record in records:
        turn = TaskTurn(f"{asked}\n\n{record.need('gen_resp').name()}", label=record.need("topic").name())
        yield Task(str(record.record), "1 document", Scoring.LABEL, (turn,), labels=labels)


def global_instructions(records: list[Field]) -> Iterator[Task]:
    asked: dict[str, list[tuple[str, str]]] = {}
    words: set[str] = set()
    for record in records:
        query = record.need("query").name()
        words |= {word for word in fold(query).split() if len(word) >= SHORTEST_KEYWORD}
        for instruction in record.need("instructions").items():
            if instruction.name() not in RULES:
                instruction.fail(f"one of the instructions {', '.join(RULES)}")
            asked.setdefault(instruction.name(), []).append((record.need("id").name(), query))
    for kind, queries in asked.items():
        drawn = random.Random(kind).sample(queries, min(len(queries), SESSIONS * QUESTIONS))
        for start in range(0, len(drawn), QUESTIONS):
            session = drawn[start : start + QUESTIONS]
            name = f"{kind}/{start // QUESTIONS + 1}"
            constraint = constraint_of(kind, seed=name, words=sorted(words))
            turns = (TaskTurn(told(constraint), UNDERSTOOD), *(TaskTurn(query) for _, query in session))
            yield Task(name, kind, Scoring.CONSTRAINT, turns, constraint=constraint)


def extended(records: list[Field]) -> Iterator[Task]:
    for record in records:
        said = [(turn.need("user").name(), turn.need("sys").text()) for turn in record.need("conversation").items()]
        if len(said) <= GIVEN_OF_EXTENDED:
            record.need("conversation").fail(f"more than {GIVEN_OF_EXTENDED} turns")
        turns = tuple(
            TaskTurn(text, reply if place < GIVEN_OF_EXTENDED else None) for place, (text, reply) in enumerate(said)
        )
        yield Task(record.need("question_id").name(), record.need("category").name(), Scoring.JUDGE, turns)


def refinement(records: list[Field]) -> Iterator[Task]:
    for record in records:
        turns = record.items()
        if not turns:
            record.fail("at least one turn")
        name = turns[0].need("id").name()
        kind = name.split("_")
        if len(kind) < 3:
            turns[0].need("id").fail("an id such as '1_sum_1'")
        yield Task(name, kind[1], Scoring.JUDGE, tuple(TaskTurn(turn.need("user").name()) for turn in turns))


FORMS: tuple[tuple[set[str], Callable[[list[Field]], Iterator[Task]]], ...] = (
    ({"conv", "id"}, classification),
    ({"gen_resp", "topic"}, documents),
    ({"query", "instructions"}, global_instructions),
    ({"conversation", "question_id"}, extended),
    ({"user", "sys", "id"}, refinement),
)
