"""What becomes of a fact that was read where a clause tells of the same value, and what a clause adds."""

from __future__ import annotations

from dataclasses import replace

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
    object_ = Node(value, is_any=value == "anything")
    return Fact(node, predicate, object_, Span(0, 1), polarity, modality, tense, confidence=confidence)


@pytest.mark.parametrize(
    ("read", "told", "expected"),
    [
        ("Sam livesIn Rome", "Sam livesIn Rome", ["Sam livesIn Rome"]),
        ("Sam likes chess", "Sam plays chess", ["Sam likes chess"]),
        ("Tom likes chess", "Tom plays chess", ["Tom likes chess", "Tom plays chess"]),
        ("Sam hasBoss Ana", "Sam hasManager Ana", ["Sam hasManager Ana"]),
        ("Bea plays handball", "Anna plays handball", ["Anna plays handball"]),
        ("Bea plays handball", "Sam plays handball", []),
        ("was Sam drinks coffee", "not Sam drinks coffee", ["not Sam drinks coffee"]),
        ("Sam studies law", "not Sam studies law", ["not Sam studies law"]),
        ("was Sam livesIn Rome", "Sam livesIn Rome", ["was Sam livesIn Rome"]),
        ("Sam livesIn Rome", "not Sam owns car", ["Sam livesIn Rome", "not Sam owns car"]),
        ("Sam livesIn Rome", "Sam owns car", ["Sam livesIn Rome"]),
        ("Sam livesIn Malmö", "Malmö locatedIn Sweden", ["Sam livesIn Malmö", "Malmö locatedIn Sweden"]),
        ("Sam spouse Ana", "not Sam spouse anything", ["not Sam spouse anything"]),
        ("Sam likes jazz", "not Sam likes anything", ["Sam likes jazz", "not Sam likes anything"]),
        ("Sam spouse Ana", "not Tom spouse anything", ["Sam spouse Ana", "not Tom spouse anything"]),
        ("Sam worksFor Bosch", "not Tom worksFor anything", ["Sam worksFor Bosch", "not Tom worksFor anything"]),
    ],
)
def test_what_was_read_comes_first(read: str, told: str, expected: list[str]) -> None:
    assert [notation(one) for one in merged([fact(read)], [fact(told)], text=told)] == expected


@pytest.mark.parametrize(
    ("read", "told", "expected"),
    [
        ("Veltro worksIn Lyon", "Veltro officeIn Lyon", ["Veltro officeIn Lyon"]),
    ],
)
def test_an_unsure_fact_gives_way_to_the_clause(read: str, told: str, expected: list[str]) -> None:
    assert [notation(one) for one in merged([fact(read, confidence=0.5)], [fact(told)])] == expected


@pytest.mark.parametrize(("confidence", "expected"), [(0.9, "Bea plays handball"), (0.5, "Anna plays handball")])
def test_whom_a_clause_guesses_gives_way_to_whom_the_reader_is_sure_of(confidence: float, expected: str) -> None:
    read, told = fact("Bea plays handball", confidence=confidence), fact("Anna plays handball")
    assert [notation(one) for one in merged([read], [told], text="she plays handball")] == [expected]


def test_a_value_has_no_verb_that_the_clause_reads_as_one() -> None:
    read = replace(fact("Sam likes bus"), object=Node("drove the school bus"), confidence=0.5)
    told = replace(fact("was Sam drives bus"), object=Node("school bus", pos="NOUN"))
    [one] = merged([read], [told])
    assert (one.predicate, one.object.label) == ("drives", "school bus")


def test_a_clause_alone_counts_of_others() -> None:
    assert merged([], [fact("Tom owns car"), fact("Sam owns car")]) == [fact("Tom owns car")]


def test_what_nobody_could_ask_for_is_no_subject_of_a_clause_alone() -> None:
    nudge, shop = replace(fact("nudge embrace womanhood"), subject=Node("nudge")), fact("Kornblume hasQuality small")
    assert merged([], [nudge, shop]) == [shop]


@pytest.mark.parametrize("modality", [Modality.REPORTED, Modality.HYPOTHETICAL, Modality.ASKED])
def test_what_its_clause_does_not_assert_is_not_asserted(modality: Modality) -> None:
    [one] = merged([fact("Sam livesIn Rome")], [fact("Sam livesIn Rome", modality=modality)])
    assert one.modality is modality


def test_what_is_denied_of_a_report_is_the_speakers_own_word() -> None:
    reported = fact("Sam eats meat", modality=Modality.REPORTED)
    assert merged([fact("not Sam eats meat")], [reported]) == [fact("not Sam eats meat")]


@pytest.mark.parametrize("told", ["Sam hasQuality terrified", "Sam locatedIn Leeds", "Spain hasKing Sam"])
def test_what_a_clause_alone_tells_of_the_speaker_may_not_last(told: str) -> None:
    assert (
        merged([], [replace(fact(told), object=Node(told.split()[-1], pos="PROPN", is_speaker="Sam" in told[3:]))])
        == []
    )
