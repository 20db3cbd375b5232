"""Vectors of two embedders are never mixed, and are made anew by a command that may be killed."""

from __future__ import annotations

import io

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from memory import bootstrap
from memory.core.errors import EmbedderChanged, ModelUnfit
from memory.models import DigestRecord, MaintenanceState, SentenceEdge, SentenceRecord, Space
from memory.services import space_create, space_maintain
from memory.services.edits.add import triple_add
from memory.services.edits.audit import EditRefused
from memory.services.indexing import space_index, spaces_to_index
from memory.services.maintenance import space_lease_take
from memory.services.reembedding import space_reembed
from tests.fakes.engines import WordEmbedder
from tests.integration.memory.dialogues import START, new_session, say
from tests.integration.memory.sentence_graphs import assert_is_exact, index_wholly

pytestmark = pytest.mark.django_db


class MirroredEmbedder(WordEmbedder):
    """Other vectors under another name; fails once `left` calls are used up."""

    name = "mirrored"
    left = 10**9

    def embed(self, texts):
        if MirroredEmbedder.left <= 0:
            raise KeyboardInterrupt
        MirroredEmbedder.left -= 1
        return np.ascontiguousarray(super().embed(texts)[:, ::-1])


class WideEmbedder(WordEmbedder):
    name = "wide"
    dimension = 512


@pytest.fixture
def learnt(space, extractor, monkeypatch) -> Space:
    say(new_session(space), "I live in Paris. I like tea.", "I like tea and rain.", "I like books and rain.")
    space_maintain(space_id=space.pk)
    DigestRecord.objects.create(
        space=space,
        kind="fact",
        text="Ana likes tea.",
        said_at=START,
        embedding=WordEmbedder().embed(["Ana likes tea."])[0],
    )
    monkeypatch.setattr(MirroredEmbedder, "left", 10**9)
    return space


@pytest.fixture
def changed(learnt, monkeypatch) -> Space:
    monkeypatch.setattr(bootstrap, "embedder", lambda: MirroredEmbedder())
    return learnt


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("reembed", *arguments, stdout=out)
    return out.getvalue()


def are_of(embedder: WordEmbedder, space: Space) -> bool:
    rows = SentenceRecord.objects.filter(space=space).values_list("text", "embedding")
    return all(np.allclose(vector, embedder.embed([text])[0], atol=1e-6) for text, vector in rows)


def test_a_space_notes_what_made_its_vectors(learnt):
    learnt.refresh_from_db()
    assert learnt.embedder == "words"


def test_an_embedder_of_another_dimension_is_refused_at_once(learnt, monkeypatch):
    monkeypatch.setattr(bootstrap, "embedder", lambda: WideEmbedder())
    with pytest.raises(ModelUnfit, match=r"'wide' makes vectors of 512 numbers, and the database holds vectors of 384"):
        bootstrap.space_embedder(learnt.pk).embed(["tea"])
    [round] = say(new_session(learnt), "I like cats.")
    space_maintain(space_id=learnt.pk)
    round.refresh_from_db()
    assert round.maintenance == MaintenanceState.FAILED
    assert "vectors of 512 numbers" in round.maintenance_error
    with pytest.raises(CommandError, match="vectors of 512 numbers"):
        run("--space", learnt.name)
    assert are_of(WordEmbedder(), learnt)


def test_another_embedder_neither_reads_nor_writes(changed, ana):
    index = bootstrap.dialogue_index(changed.pk)
    with pytest.raises(EmbedderChanged, match=r"manage\.py reembed"):
        index.embed(["tea"])
    with pytest.raises(EditRefused, match=r"manage\.py reembed"):
        triple_add(space=changed, subject="Ana", predicate="likes", value="cats", by=ana)
    [round] = say(new_session(changed), "I like cats.")
    space_maintain(space_id=changed.pk)
    round.refresh_from_db()
    assert (round.maintenance, SentenceRecord.objects.filter(turn__round=round).count()) == (MaintenanceState.FAILED, 0)
    assert "manage.py reembed" in round.maintenance_error
    assert not space_index(space_id=changed.pk)
    assert not spaces_to_index().exists()
    assert are_of(WordEmbedder(), changed)


def test_sentences_are_still_found_by_their_words(changed):
    found = bootstrap.space_memory(changed.pk).sentences_like("books")
    assert [one.sentence.text for one in found] == ["I like books and rain."]
    assert found[0].similarity == 0
    assert bootstrap.space_memory(changed.pk).embed(["tea"]).shape == (1, 384)


def test_a_new_space_takes_the_new_embedder(changed, ana):
    fresh = space_create(name="Fresh", owner=ana)
    say(new_session(fresh), "I like cats.")
    space_maintain(space_id=fresh.pk)
    fresh.refresh_from_db()
    assert fresh.embedder == "mirrored"
    assert are_of(MirroredEmbedder(), fresh)


def test_reembed_makes_everything_anew_and_reads_what_was_refused(changed):
    [round] = say(new_session(changed), "I like cats.")
    space_maintain(space_id=changed.pk)
    assert "done." in run()
    changed.refresh_from_db()
    assert (changed.embedder, changed.is_indexed, changed.maintenance_token) == ("mirrored", True, None)
    assert are_of(MirroredEmbedder(), changed)
    [fact] = DigestRecord.objects.filter(space=changed)
    assert np.allclose(fact.embedding, MirroredEmbedder().embed([fact.text])[0])
    assert_is_exact(changed)
    space_maintain(space_id=changed.pk)
    round.refresh_from_db()
    assert round.maintenance == MaintenanceState.DONE
    assert_is_exact(changed)
    assert run() == "All vectors are there, and all are of the embedder that there is now.\n"


def test_a_killed_reembed_goes_on_where_it_was(changed, monkeypatch):
    monkeypatch.setattr("memory.services.indexing.EMBEDDED_AT_ONCE", 2)
    monkeypatch.setattr(MirroredEmbedder, "left", 2)
    with pytest.raises(KeyboardInterrupt):
        space_reembed(space=changed)
    made = SentenceRecord.objects.filter(space=changed).exclude(embedding=None).count()
    changed.refresh_from_db()
    assert (made, changed.embedder, changed.is_indexed, changed.maintenance_token) == (4, "mirrored", False, None)
    assert not SentenceEdge.objects.exists()
    monkeypatch.setattr(MirroredEmbedder, "left", 10**9)
    left: list[int] = []
    space_reembed(space=changed, on_left=left.append)
    assert left == sorted(left, reverse=True) and left[-1] == 0
    assert are_of(MirroredEmbedder(), changed)
    assert_is_exact(changed)


def test_the_background_goes_on_with_a_killed_reembed_too(changed, monkeypatch):
    monkeypatch.setattr(MirroredEmbedder, "left", 0)
    with pytest.raises(KeyboardInterrupt):
        space_reembed(space=changed)
    monkeypatch.setattr(MirroredEmbedder, "left", 10**9)
    assert changed in spaces_to_index()
    index_wholly(changed)
    assert are_of(MirroredEmbedder(), changed)
    assert_is_exact(changed)


def test_reembed_waits_for_nobody_for_ever(changed, settings):
    settings.DSMART_LEASE_S = 0.1
    lease = space_lease_take(changed.pk)
    assert lease is not None
    Space.objects.filter(pk=changed.pk).update(maintenance_until="2999-01-01T00:00:00Z")
    with pytest.raises(CommandError, match="Another worker is remembering"):
        run("--space", str(changed.pk))
    assert are_of(WordEmbedder(), changed)
