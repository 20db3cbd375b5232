"""How a message is taken apart."""

from __future__ import annotations

import pytest

from conversations.core.responders.message import Kind, kind_of, read_message


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Where do I live?", Kind.QUESTION),
        ("where do i live", Kind.QUESTION),
        ("do you remember my name", Kind.QUESTION),
        ("tell me about Maya", Kind.QUESTION),
        ("How many dogs do I have", Kind.QUESTION),
        ("Is Maya a nurse", Kind.QUESTION),
        ("You live where?", Kind.QUESTION),
        ("I live in Paris.", Kind.STATEMENT),
        ("When I was young, I lived in Rome.", Kind.STATEMENT),
        ("What a lovely day!", Kind.STATEMENT),
        ("My boss is Tom", Kind.STATEMENT),
        ("Hi there!", Kind.GREETING),
        ("thank you so much", Kind.THANKS),
        ("bye!", Kind.FAREWELL),
        ("ok", Kind.ASSENT),
        ("Write a poem.", Kind.REQUEST),
        ("could you summarise this text?", Kind.REQUEST),
        ("12345 !!", Kind.NOISE),
    ],
)
def test_sentence_is_told_by_what_it_does(text: str, kind: Kind) -> None:
    assert kind_of(text) is kind


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hi! I live in Paris. Where does Maya live?", [Kind.GREETING, Kind.STATEMENT, Kind.QUESTION]),
        ("I live in Paris, where does my sister live?", [Kind.STATEMENT, Kind.QUESTION]),
        ("Where do I live and what is my job?", [Kind.QUESTION, Kind.QUESTION]),
        ("Mr. Olsen is my boss.", [Kind.STATEMENT]),
        ("If I move, where do I go?", [Kind.QUESTION]),
    ],
)
def test_message_is_taken_apart(text: str, pieces: list[Kind]) -> None:
    assert [piece.kind for piece in read_message(text)] == pieces


def test_long_text_keeps_few_statements_and_the_question_at_its_end() -> None:
    pieces = read_message("I like tea a lot. " * 1_000 + "Where do I live?")
    assert len(pieces) <= 13
    assert pieces[-1].text == "Where do I live?"
