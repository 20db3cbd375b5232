"""When the beginning of a growing session is read by the encoder: seldom, and in the end to its end."""

from __future__ import annotations

import numpy as np
import pytest

from memory.models import Round, Session, SessionVector, Turn
from memory.services import space_maintain
from memory.services.round_words import RoundReading, space_state
from memory.services.sentence_graph import index_promise, link_words
from memory.services.session_index import session_beginning
from tests.fakes.engines import WordEmbedder
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db
# Five words that tell something, beside those of the date, of which a session has five as well.
SAYING = "I like the number {} very much."


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read of sessions; the encoder of these tests reads thirty words."""
    embed, texts_read = WordEmbedder.embed, []

    def embed_the_beginning(self, texts):
        texts_read.extend(text for text in texts if text.startswith("Saturday"))
        return embed(self, [" ".join(text.split()[:30]) for text in texts])

    monkeypatch.setattr(WordEmbedder, "embed", embed_the_beginning)
    return texts_read


def lengthened(session: Session, *, rounds: int) -> None:
    for _ in range(rounds):
        say(session, SAYING.format(Turn.objects.filter(session=session).count()))
        space_maintain(space_id=session.space_id)


def is_whole(session: Session) -> bool:
    """Return whether the session's vector is the one that it would get now."""
    [vector] = WordEmbedder().embed([session_beginning(session).text])
    return np.allclose(SessionVector.objects.get(session=session).embedding, vector, atol=1e-6)


def test_session_is_read_when_its_words_have_doubled_until_new_ones_change_nothing(space, extractor, read):
    session = new_session(space)
    lengthened(session, rounds=20)
    # Ten words with the first round, twenty with the third, forty with the seventh, which is beyond the thirtieth.
    assert [text.count("number") for text in read] == [1, 3, 7]
    vector = SessionVector.objects.get(session=session)
    assert vector.is_full and is_whole(session)


def test_session_that_was_not_read_to_its_end_is_read_once_another_begins(space, extractor, read):
    short = new_session(space)
    lengthened(short, rounds=2)
    assert not is_whole(short)
    lengthened(new_session(space), rounds=1)
    assert is_whole(short)


def test_round_that_comes_late_is_read_with_its_session(space, extractor, read):
    session = new_session(space)
    late, *_ = say(session, SAYING.format("of the late"), *(SAYING.format(number) for number in range(6)))
    Round.objects.filter(pk=late.pk).update(maintenance="failed")
    space_maintain(space_id=space.pk)
    assert read and "late" not in " ".join(read)
    Round.objects.filter(pk=late.pk).update(maintenance="pending")
    space_maintain(space_id=space.pk)
    assert "late" in read[-1]
    assert is_whole(session)


def test_session_is_not_written_from_words_that_were_taken_out_meanwhile(space, extractor, read):
    session = new_session(space)
    lengthened(session, rounds=2)
    [last] = say(session, SAYING.format("three"))
    SessionVector.objects.filter(session=session).update(read_words=0)
    write = link_words(RoundReading(last, space_state(space.pk)))
    index_promise(space.pk)
    before = list(SessionVector.objects.get(session=session).embedding)
    write(space_state(space.pk))
    assert list(SessionVector.objects.get(session=session).embedding) == before
    space_maintain(space_id=space.pk)
    assert is_whole(session)
