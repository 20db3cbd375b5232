"""The words of a round as the core reads them."""

from __future__ import annotations

import pytest

from memory.services import space_maintain
from memory.services.round_words import RoundReading, round_sentences, space_state
from memory.services.sentence_graph import index_promise
from memory.services.stages import LOOKS, look_ahead
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


def test_what_was_read_of_a_round_holds_until_words_are_taken_out_of_its_space(space, extractor) -> None:
    [round] = say(new_session(space), "I like tea.")
    space_maintain(space_id=space.pk)
    reading = RoundReading(round, space_state(space.pk))
    sentences = reading.sentences
    unchanged = reading.as_of(space_state(space.pk))
    assert unchanged.sentences is sentences
    index_promise(space.pk)
    anew = unchanged.as_of(space_state(space.pk))
    assert anew.sentences is not sentences
    assert (anew.sentences, anew.space.index_revision) == (sentences, reading.space.index_revision + 1)


def test_what_a_stage_reads_is_read_with_the_end_of_the_stage_before_it(
    space, extractor, django_assert_num_queries
) -> None:
    [round] = say(new_session(space), "I like tea.")
    space_maintain(space_id=space.pk)
    reading = RoundReading(round, space_state(space.pk))
    for done, names in (("graph", ("links",)), ("links", ("links", "digests"))):
        look_ahead(reading, done=done)
        with django_assert_num_queries(0):
            assert all(reading.once(look) is reading.once(look) for name in names for look in LOOKS[name])
