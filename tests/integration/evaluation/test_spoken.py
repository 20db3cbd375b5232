"""The vectors by which stored turns are scored: memory's own, as long as they are of the embedder that there is."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.turn_consistency.types import Passage
from evaluation.services.spoken import StoredVectors, stored_turn_to_score
from memory import bootstrap
from memory.core.types import Span
from memory.models import SentenceRecord, Space
from memory.services import space_maintain
from tests.integration.evaluation.scored_talk import talk
from tests.integration.memory.dialogues import new_session

pytestmark = pytest.mark.django_db
REPLY = "You live in Porto."


def test_vectors_of_memory_are_taken_until_the_embedder_is_another(space, model):
    [turn] = talk(new_session(space), ("I live in Porto.", REPLY))
    space_maintain(space_id=space.pk)
    marked = np.eye(1, 384, 383, dtype=np.float32)[0]
    SentenceRecord.objects.filter(turn=turn).update(embedding=marked)
    vectors = StoredVectors(stored_turn_to_score(turn))
    passage = Passage(turn.pk, Span(0, len(REPLY)))

    assert np.array_equal(vectors([passage]), [marked])
    Space.objects.filter(pk=space.pk).update(embedder="of the past")
    assert np.array_equal(vectors([passage]), bootstrap.embedder().embed([REPLY]))
