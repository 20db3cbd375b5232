"""The readers that come with the product: small enough, with a card, and able to read what nobody misreads."""

from __future__ import annotations

from pathlib import Path

import pytest

import memory
from memory.adapters.readers.encoder import NETWORK_FILE
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.adapters.readers.question_reader import OnnxQuestionReader
from memory.core.types import AskedKind, FactFlag, MessageInContext

FOLDER = Path(memory.__file__).parent / "pretrained"
READERS = tuple(
    name
    for name in (
        "message_reader",
        "answer_reader",
        "question_reader",
        "change_judge",
        "evidence_reader",
        "reference_reader",
    )
    if (FOLDER / name / NETWORK_FILE).is_file()
)
MOST_BYTES = 35_000_000


@pytest.mark.parametrize("name", READERS)
def test_folder_is_small_enough_and_carries_its_card(name: str) -> None:
    assert sum(file.stat().st_size for file in (FOLDER / name).iterdir()) <= MOST_BYTES
    card = (FOLDER / name / "README.md").read_text()
    assert f"manage.py train {name.replace('_', '-')} " in card
    assert (FOLDER / name / "scores.json").is_file()


@pytest.mark.parametrize(
    ("message", "subject", "predicate", "value", "flags"),
    [
        ("I live in Lyon.", None, "livesIn", "Lyon", frozenset()),
        ("My sister Maya works for Airbus.", None, "hasSister", "Maya", frozenset()),
        ("I'm allergic to peanuts.", None, "allergicTo", "peanuts", frozenset()),
        ("I used to live in Rome.", None, "livesIn", "Rome", frozenset({FactFlag.PAST})),
    ],
)
def test_plain_message_is_read(
    message: str, subject: str | None, predicate: str, value: str, flags: frozenset[FactFlag]
) -> None:
    (found,) = OnnxMessageReader(FOLDER / "message_reader").read_many([MessageInContext(message)])
    told = [(fact.subject and fact.subject.text, fact.predicate, fact.object.text, fact.flags) for fact in found]
    assert (subject, predicate, value, flags) in told


def test_small_talk_is_read_as_nothing() -> None:
    messages = ["Hello, how are you?", "Thanks a lot!", "What is the capital of France?"]
    assert OnnxMessageReader(FOLDER / "message_reader").read_many([MessageInContext(m) for m in messages]) == [
        (),
        (),
        (),
    ]


@pytest.mark.parametrize(
    ("question", "kind", "start", "relations", "predicate"),
    [
        ("Where do I live?", AskedKind.MEMORY, None, (), "livesIn"),
        ("What is my sister allergic to?", AskedKind.MEMORY, None, ("hasSister",), "allergicTo"),
        ("Which company does Tomasz work for?", AskedKind.MEMORY, "Tomasz", (), "worksFor"),
        ("What is the capital of Mongolia?", AskedKind.WORLD, None, None, None),
    ],
)
def test_plain_question_is_read(
    question: str, kind: AskedKind, start: str | None, relations: tuple[str, ...] | None, predicate: str | None
) -> None:
    [found] = OnnxQuestionReader(FOLDER / "question_reader").read_many([question])
    assert found.kind.value is kind
    if kind is AskedKind.MEMORY:
        path = found.subject.value
        assert (path.start and path.start.text, path.relations) == (start, relations)
        assert found.predicates[0].value == predicate
