"""The stage that gives entities their word senses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from memory import bootstrap
from memory.adapters.wordnet import WordNetFiles
from memory.core.knowledge_graph.senses.gloss_similarity import GlossSimilaritySenseFinder
from memory.core.types import Fact, GraphFragment, Node, Span, Utterance
from memory.models import EntityRecord, MaintenanceState, Round
from memory.services import space_maintain
from tests.fakes.engines import WordEmbedder, engine_of
from tests.fakes.wordnet import small_wordnet
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db


class Owns:
    """Reads "I own a <noun>" and "I live in <Name>"."""

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        return [self._read(said) for said in sentences]

    def _read(self, said: Utterance) -> GraphFragment:
        words = said.text.rstrip(".").split()
        if words[:2] not in (["I", "own"], ["I", "live"]):
            return GraphFragment()
        ana, span = Node("Ana", kind="Person", is_speaker=True, lemma="Ana", pos="PROPN"), Span(0, len(said.text))
        if words[1] == "own":
            noun = words[-1]
            return GraphFragment((Fact(ana, "owns", Node(noun, lemma=noun, pos="NOUN"), span),))
        place = Node(words[-1], kind="Place", lemma=words[-1], pos="PROPN")
        return GraphFragment((Fact(ana, "livesIn", place, span),))


@pytest.fixture
def reading(extractor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine_of(Owns(), name=name))


@pytest.fixture
def wordnet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    finder = GlossSimilaritySenseFinder(lexicon=WordNetFiles(small_wordnet(tmp_path)), embedder=WordEmbedder())
    monkeypatch.setattr(bootstrap, "sense_finder", lambda: finder)


def senses() -> set[tuple[str, str, str, str]]:
    return set(EntityRecord.objects.values_list("label", "synset", "supersense", "dul_class"))


def test_nouns_and_places_get_senses_and_people_and_strangers_none(space, reading, wordnet) -> None:
    say(new_session(space), "I own a bicycle. I live in Oslo. I own a gizmo.")
    space_maintain(space_id=space.pk)
    assert senses() == {
        ("Ana", "", "", ""),
        ("bicycle", "bicycle-noun-1", "noun.artifact", "dul:PhysicalObject"),
        ("Oslo", "oslo-noun-1", "noun.location", "d0:Location"),
        ("gizmo", "", "", ""),
    }


def test_sense_that_was_found_is_kept(space, reading, wordnet) -> None:
    say(new_session(space), "I own a mouse.", "The pointer of a computer moves. I own a mouse.")
    space_maintain(space_id=space.pk)
    assert EntityRecord.objects.filter(label="mouse").count() == 1
    first = EntityRecord.objects.get(label="mouse").synset
    say(new_session(space), "It eats cheese and has a long tail. I own a mouse.")
    space_maintain(space_id=space.pk)
    assert first.startswith("mouse-noun-") and EntityRecord.objects.get(label="mouse").synset == first


def test_without_wordnet_a_round_is_maintained_all_the_same(space, reading, monkeypatch) -> None:
    monkeypatch.setattr(bootstrap, "sense_finder", lambda: None)
    say(new_session(space), "I own a bicycle.")
    space_maintain(space_id=space.pk)
    assert senses() == {("Ana", "", "", ""), ("bicycle", "", "", "")}
    assert Round.objects.get().maintenance == MaintenanceState.DONE
