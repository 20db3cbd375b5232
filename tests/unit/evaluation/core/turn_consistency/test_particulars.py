"""Which sentences assert something of the people, names or numbers of a dialogue."""

from __future__ import annotations

import pytest

from evaluation.core.turn_consistency.strongest_sentence import is_particular
from tests.fakes.language import real_parser


@pytest.mark.parametrize(
    "sentence",
    [
        "You moved to Porto.",
        "Your dentist appointment is at 6pm.",
        "It will rain in Boston on Monday.",
        "The nearest station is Valero.",
        "Maya lives in Lyon.",
        "Tom is not your brother.",
    ],
)
def test_what_is_said_of_somebody_or_something_is_particular(sentence: str) -> None:
    [parsed] = real_parser().parse_many([sentence])
    assert is_particular(parsed)


@pytest.mark.parametrize(
    "sentence",
    [
        "You should see a doctor.",
        "You could try the museum in Lyon.",
        "Drink more water.",
        "A comet is a body made of ice.",
        "Regular exercise helps people to sleep.",
        "They often live in cold places.",
        "Benefits of sleep",
        "",
    ],
)
def test_advice_headings_and_general_knowledge_are_not(sentence: str) -> None:
    [parsed] = real_parser().parse_many([sentence])
    assert not is_particular(parsed)
