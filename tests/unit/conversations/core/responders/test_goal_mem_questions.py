"""Questions are taken apart into what they ask for and whom they describe; kinds and wider places come from a lexicon."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conversations.core.responders.goal_mem.kinds import Kinds
from conversations.core.responders.goal_mem.questions import taken_apart
from memory.core.knowledge_graph.senses.lexicon import Synset
from tests.fakes.language import real_parser


class SmallLexicon:
    """Implements `Lexicon`: thing, and what is one of what and in what."""

    THINGS = {
        "person": ("noun.Tops", "", ""),
        "dentist": ("noun.person", "person", ""),
        "practice": ("noun.act", "", ""),
        "state": ("noun.location", "", ""),
        "country": ("noun.location", "", ""),
        "town": ("noun.location", "", ""),
        "Idaho": ("noun.location", "state", "America"),
        "America": ("noun.location", "country", ""),
        "Boise": ("noun.location", "town", "Idaho"),
        "Lodz": ("noun.location", "town", "Poland"),
        "Poland": ("noun.location", "country", ""),
        "fridge": ("noun.artifact", "", ""),
        "tooth": ("noun.body", "", ""),
    }

    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        return [self.synset(place, pos) for place, name in enumerate(self.THINGS) if name.lower() == lemma.lower()]

    def synset(self, offset: int, pos: str) -> Synset:
        names = list(self.THINGS)
        supersense, above, whole = self.THINGS[names[offset]]
        return Synset(offset, pos, (names[offset],), 1, supersense, "", _places(names, above), _places(names, whole))


def _places(names: Sequence[str], name: str) -> tuple[int, ...]:
    return (names.index(name),) if name else ()


KINDS = Kinds(SmallLexicon())


@pytest.mark.parametrize(
    ("place", "kind", "wider"),
    [
        ("Boise", "US state", "Idaho"),
        ("Boise", "country", "America"),
        ("Łódź", "country", ""),
        ("Lódz", "country", "Poland"),
        ("Boise", "town", ""),
        ("fridge", "country", ""),
        ("Nowhere", "country", ""),
    ],
)
def test_a_place_is_in_wider_ones(place: str, kind: str, wider: str) -> None:
    assert KINDS.wider(place, kind) == wider


@pytest.mark.parametrize(
    ("value", "kind", "may_be"),
    [("the fridge", "town", False), ("boise", "town", True), ("Fridge", "town", True), ("kaneshie", "town", True)],
)
def test_only_a_known_word_of_another_kind_is_none(value: str, kind: str, may_be: bool) -> None:
    assert KINDS.may_be(value, kind) is may_be
    assert Kinds(None).may_be(value, kind)


@pytest.mark.parametrize(
    ("question", "asked", "kind", "described"),
    [
        (
            "Where is the practice of the dentist who pulled my tooth?",
            "Where", "place", ["the dentist who pulled my tooth"],
        ),
        ("In which US state does my dentist live?", "which US state", "US state", ["my dentist"]),
        ("In what month and year did I sell the boat?", "what month and year", "month and year", []),
        ("What is the name of the dentist who pulled my tooth?", "What", "name", []),
        ("Who is my dentist?", "Who", "person", []),
        ("How many towns did I see?", "How many towns", "", []),
        ("Did I see my dentist?", None, None, None),
    ],
)  # fmt: skip
def test_a_question_is_taken_apart(
    question: str, asked: str | None, kind: str | None, described: list[str] | None
) -> None:
    apart = taken_apart(real_parser().parse_many([question])[0], kinds=KINDS)
    if apart is None:
        assert asked is None
        return
    assert question[apart.asked.span.start : apart.asked.span.end] == asked
    assert apart.asked.kind == kind
    assert [one.text for one in apart.descriptions] == described
