"""How people say that something is no longer so, was wrong, or is another thing now."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.knowledge_graph.replacement import is_open
from memory.core.types import Fact, Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, Read, asserted

ENDINGS = [
    ("I divorced my husband.", "not Sam spouse anything; Sam maritalStatus divorced"),
    (
        "My brother and his wife got divorced.",
        "not Sam's brother spouse anything; Sam hasBrother Sam's brother; Sam's brother maritalStatus divorced; "
        "not Sam's brother's wife spouse anything; Sam's brother's wife maritalStatus divorced",
    ),
    ("My landlord is Bob now.", "not Sam hasLandlord anything; Sam hasLandlord Bob"),
    ("I'm quitting my job next week.", "will not Sam worksFor anything; will not Sam worksAs anything"),
]
FORMER = [
    ("I used to hate coriander but now I love it.", "was Sam dislikes coriander; Sam likes coriander"),
]
CONTRASTS = [
    ("I'm not a doctor but a nurse.", "not Sam worksAs doctor; Sam worksAs nurse"),
    ("I eat neither meat nor fish.", "not Sam eats meat; not Sam eats fish"),
]
CHAT = [
    ("i dont live in paris anymore", "not Sam livesIn Paris"),
    ("I moved 2 Lyon last month", "Sam livesIn Lyon"),
    ("i'm gonna move to Rome in June", "will Sam livesIn Rome"),
    ("my bf is called Tom", "Sam hasBoyfriend Tom"),
]
ATTACHED = [
    ("I work for a small bakery called Pain Doré now.", "Sam worksFor Pain Doré; not Sam worksFor anything"),
    (
        "Now I live in Brussels with my daughter Aline.",
        "Sam livesIn Brussels; Sam hasDaughter Aline; Sam livesWith Aline",
    ),
]


def notes(facts: list[Fact]) -> set[str]:
    return {note.replace("not will", "will not") for note in asserted(facts)}


@pytest.mark.parametrize(("text", "expected"), [*ENDINGS, *FORMER, *CONTRASTS, *CHAT, *ATTACHED])
def test_sentence_tells_the_change(read: Read, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == notes(read(text))


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("My sister broke up with Tom.", "not Sam hasSister anything"),
        ("My friend Al and his girlfriend split up.", "not Sam hasFriend anything"),
        ("I'm used to living in Rome.", "was Sam livesIn Rome"),
        ("I'm back in Oslo for the weekend.", "Sam livesIn Oslo"),
        ("I lost my keys.", "not Sam owns keys"),
    ],
)
def test_sentence_changes_nothing_else(read: Read, text: str, forbidden: str) -> None:
    assert forbidden not in notes(read(text))


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("I live in Paris.", "That was wrong, it's Lyon.", "Sam livesIn Lyon"),
        ("I live in Paris.", "*Lyon", "Sam livesIn Lyon"),
        ("I live in Paris.", "I misspoke. It's Lyon.", "Sam livesIn Lyon"),
        ("I live in Paris.", "When I said Paris I meant Lyon.", "Sam livesIn Lyon"),
        ("I live in Paris.", "Forget what I said about Paris.", "not Sam livesIn Paris"),
        (
            "My birthday is on the 5th of May.",
            "Actually my birthday is on the 6th, not the 5th.",
            "Sam birthDate 6 May",
        ),
        (
            "I drive a Honda City.",
            "Sorry, not a Honda City, a Honda Amaze.",
            "Sam drives Honda Amaze; not Sam drives Honda City",
        ),
        (
            "My sister Ada is a pharmacist.",
            "That's not right actually, she's a chemist.",
            "not Ada worksAs pharmacist; Ada worksAs chemist",
        ),
    ],
)
def test_correction_puts_right_what_was_said(read: Read, before: str, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == asserted(read(text, before))


def test_correction_announced_in_one_sentence_is_made_in_the_next(extractor: RuleBasedExtractor) -> None:
    said = ("my birthday is on 21 November", "ugh, typo.", "It's 12 November.")
    turn = [Utterance("Sam", Role.USER, text, SAID_AT) for text in said]
    assert asserted(extractor.extract_many(turn)[-1].facts) == {"Sam birthDate 12 November"}


@pytest.mark.parametrize("text", ["No, it's fine.", "Sorry, I'm busy.", "Not today, maybe tomorrow.", "Wait, really?"])
def test_small_talk_corrects_nothing(read: Read, text: str) -> None:
    assert asserted(read(text, "I live in Paris.")) == set()


def test_misnamed_sister_is_the_same_sister(read: Read) -> None:
    renamed = next(fact.object for fact in read("My sister's name is Maya, not Mia.") if fact.predicate == "hasSister")
    assert (renamed.label, set(renamed.aliases)) == ("Maya", {"Mia", "Sam's sister"})


@pytest.mark.parametrize("text", ["I left Google for Meta.", "Not Tom, Tim.", "My ex-wife Rita lives in Bonn."])
def test_replacement_of_what_was_said_long_ago_is_for_who_looks_it_up(extractor: RuleBasedExtractor, text: str) -> None:
    looking_up = RuleBasedExtractor(parser=extractor._parser, replaces=True)
    said = [Utterance("Sam", Role.USER, text, SAID_AT)]
    assert not any(is_open(fact) for fact in extractor.extract_many(said)[0].facts)
    assert any(is_open(fact) for fact in looking_up.extract_many(said)[0].facts)
