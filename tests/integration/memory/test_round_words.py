"""The words of a round as the core reads them."""

from __future__ import annotations

import pytest

from memory.services import space_maintain
from memory.services.round_words import round_sentences
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db


def test_text_of_a_turn_is_read_once_whatever_the_number_of_its_sentences(
    space, extractor, django_assert_num_queries
) -> None:
    [round] = say(new_session(space), "I like tea. " * 30)
    space_maintain(space_id=space.pk)
    with django_assert_num_queries(2):
        sentences = round_sentences(round)
        words = [sentence.turn.text[sentence.start : sentence.end] for sentence in sentences]
    assert words == [*["I like tea."] * 30, "Noted."]
    assert len({id(sentence.turn) for sentence in sentences}) == 2
