"""What becomes of a fact that was read where a clause tells of the same value, and what a clause adds."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.merging import merged
from memory.core.types import Fact, Modality, Node, Polarity, Span, Tense
from tests.unit.memory.core.knowledge_graph.conftest import notation

SAM = Node("Sam", "Person", is_speaker=True)


def fact(text: str, *, confidence: float = 0.9, modality: Modality = Modality.ASSERTED) -> Fact:
    """Return the fact of "not Sam livesIn Rome" or "was Sam livesIn Rome"."""
    words = text.split()
    polarity = Polarity.NEGATIVE if words[0] == "not" else Polarity.POSITIVE
    tense = Tense.PAST if words[0] == "was" else Tense.PRESENT
    subject, predicate, value = words[1:] if words[0] in ("not", "was") else words
    node = SAM if subject == "Sam" else Node(subject, pos="PROPN")
    return Fact(node, predicate, Node(value), Span(0, 1), polarity, modality, tense, confidence=confidence)


@pytest.mark.parametrize(
    ("read", "told", "expected"),
    [
        ("Sam livesIn Rome", "Sam livesIn Rome", ["Sam livesIn Rome"]),
        ("Sam likes chess", "Sam plays chess", ["Sam likes chess"]),
        ("Tom likes chess", "Tom plays chess", ["Tom likes chess", "Tom plays chess"]),
        ("Sam hasBoss Ana", "Sam hasManager Ana", ["Sam hasManager Ana"]),
        ("Bea plays handball", "Anna plays handball", ["Anna plays handball"]),
        ("was Sam drinks coffee", "not Sam drinks coffee", ["not Sam drinks coffee"]),
        ("Sam studies law", "not Sam studies law", ["not Sam studies law"]),
        ("was Sam livesIn Rome", "Sam livesIn Rome", ["was Sam livesIn Rome"]),
        ("Sam livesIn Rome", "not Sam owns car", ["Sam livesIn Rome", "not Sam owns car"]),
        ("Sam livesIn Rome", "Sam owns car", ["Sam livesIn Rome"]),
        ("Sam livesIn Malmö", "Malmö locatedIn Sweden", ["Sam livesIn Malmö", "Malmö locatedIn Sweden"]),
    ],
)
def test_what_was_read_comes_first(read: str, told: str, expected: list[str]) -> None:
    assert [notation(one) for one in merged([fact(read)], [fact(told)])] == expected


@pytest.mark.parametrize(
    ("read", "told", "expected"),
    [
        ("Veltro worksIn Lyon", "Veltro officeIn Lyon", ["Veltro officeIn Lyon"]),
        ("Sam livesIn Malmö", "Malmö locatedIn Sweden", ["Malmö locatedIn Sweden"]),
    ],
)
def test_an_unsure_fact_gives_way_to_the_clause(read: str, told: str, expected: list[str]) -> None:
    assert [notation(one) for one in merged([fact(read, confidence=0.5)], [fact(told)])] == expected


def test_a_clause_alone_counts_of_others() -> None:
    assert merged([], [fact("Tom owns car"), fact("Sam owns car")]) == [fact("Tom owns car")]


def test_what_somebody_else_says_stays_their_word() -> None:
    [one] = merged([fact("Sam livesIn Rome")], [fact("Sam livesIn Rome", modality=Modality.REPORTED)])
    assert one.modality is Modality.REPORTED
