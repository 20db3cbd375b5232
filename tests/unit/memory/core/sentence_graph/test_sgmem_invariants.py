"""What holds of a retrieval over the sentence graph, whatever was said and whatever is asked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.sentence_graph.catalogue import make_retriever
from memory.core.sentence_graph.config import SgmemConfig
from memory.core.types import Unit
from tests.fakes.spoken import asking, index_of, spoken
from tests.hypothesis_profiles import examples

WORDS = "parrot bicycle bread museum friend garden ticket lecture".split()
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(lambda said: f"{' '.join(said).capitalize()}.")
LINES = st.lists(SENTENCES, min_size=1, max_size=3).map(lambda said: f"Ann: {' '.join(said)}")
SESSIONS = st.lists(st.lists(LINES, min_size=1, max_size=4), min_size=1, max_size=5)
CONFIGS = st.builds(
    SgmemConfig,
    neighbours=st.integers(1, 4),
    hops=st.integers(0, 3),
    max_sentences=st.integers(1, 6),
    min_similarity=st.sampled_from([0.0, 1.0, 1.2, 1.5, 2.0]),
)


@settings(max_examples=examples(100))
@given(
    said=SESSIONS,
    question=SENTENCES,
    config=CONFIGS,
    letter=st.sampled_from("trs"),
    limit=st.integers(0, 4),
)
def test_what_is_found_is_within_what_was_allowed_and_follows_from_the_trace(
    said: list[list[str]], question: str, config: SgmemConfig, letter: str, limit: int
) -> None:
    index = index_of(*(spoken(day, *lines) for day, lines in enumerate(said)))
    found = make_retriever(f"sgmem_{letter}", index, config=config).retrieve(asking(question), limit=limit)
    candidates = {one.id: one.score for one in found.trace.candidates}
    added = {one.id: one.score for one in found.trace.expansion}
    assert len(candidates) <= config.max_sentences
    assert all(score >= config.min_similarity for score in candidates.values())
    assert not candidates.keys() & added.keys()
    assert len(added) <= len(candidates) * sum(config.neighbours**hop for hop in range(1, config.hops + 1))
    for sentence_id in added:
        walked_from = [one for one in (*candidates, *added) if leads_to(index, one, sentence_id, config.neighbours)]
        assert walked_from
    unit = {"t": Unit.TURN, "r": Unit.ROUND, "s": Unit.SESSION}[letter]
    reached = candidates | added
    places = index.places_of(list(reached))
    chunks = found.chunks.get(unit, ())
    assert len(chunks) == min(limit, len({places[one].chunk_id(unit) for one in reached}))
    for chunk in chunks:
        members = [one for one in reached if places[one].chunk_id(unit) == chunk.id]
        assert sorted(members) == sorted(chunk.sentence_ids)
        assert chunk.score == pytest.approx(sum(reached[one] for one in members) / len(members))
    assert [one.score for one in chunks] == sorted((one.score for one in chunks), reverse=True)
    assert {one.id for one in found.sentences} == {one for chunk in chunks for one in chunk.sentence_ids}
    assert found.is_empty == bool(found.reason)


def leads_to(index, source: int, target: int, k: int) -> bool:  # type: ignore[no-untyped-def]
    return target in [near.id for near in index.neighbours_of([source], k=k)[source]]
