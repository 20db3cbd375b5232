"""What was said in full: which words give way to which, where they stand then, and in whose person they are put."""

from __future__ import annotations

import pytest

from memory.core.english.references import in_full
from memory.core.types import Reference, Span, UtteranceInDialogue, WordSpan

MAYA = "My sister Maya moved to Lisbon."
CASES = (
    ((MAYA,), "Where does she work?", [("she", "Maya", {})], "Where does Maya work?"),
    ((MAYA,), "Where is her office?", [("her", "Maya", {"is_owner": True})], "Where is Maya's office?"),
    ((MAYA,), "She is tired.", [("She", "Maya", {})], "Maya is tired."),
    (
        (MAYA, "Noted."),
        "is she there?",
        [("she", "Maya", {}), ("there", "Lisbon", {"link": "in"})],
        "is Maya in Lisbon?",
    ),
    (("Your sister works.",), "What does she do?", [("she", "Your sister", {})], "What does my sister do?"),
    (("My sister works.", "Noted."), "What does she do?", [("she", "My sister", {})], "What does my sister do?"),
    (("A ticket costs 9 euros.",), "And on Sundays?", [(3, "A ticket", {})], "And a ticket on Sundays?"),
    (("It is in Oslo.",), "How is the weather?", [(18, "Oslo", {"link": "in"})], "How is the weather in Oslo?"),
    (("So the cat it is.",), "Is the cat old?", [("the cat", "the cat", {})], "Is the cat old?"),
)


def references(said: UtteranceInDialogue, found: list, probability: float = 0.9) -> list[Reference]:
    before = "\n".join(said.before)
    made = []
    for put, meant, more in found:
        start = put if isinstance(put, int) else f" {said.text}".index(f" {put}")
        span = Span(start, start if isinstance(put, int) else start + len(put))
        at = before.index(meant)
        made.append(Reference(span, WordSpan(meant, Span(at, at + len(meant))), probability, **more))
    return made


@pytest.mark.parametrize(("before", "text", "found", "full"), CASES)
def test_said_in_full(before, text, found, full):
    said = UtteranceInDialogue(text, before)
    made = in_full(said, references(said, found)[::-1], threshold=0.5)
    assert made.text == full
    meant = [words.split()[-1].lower() for put, words, _ in found if words.lower() != str(put).lower()]
    placed = [made.text[one.in_full.start : one.in_full.end].lower() for one in made.replacements]
    assert all(word in place for word, place in zip(meant, placed, strict=True))


def test_what_is_not_probable_enough_stays():
    said = UtteranceInDialogue("Where does she work?", (MAYA,))
    made = in_full(said, references(said, [("she", "Maya", {})], probability=0.4), threshold=0.5)
    assert (made.text, made.replacements) == (said.text, ())


@pytest.mark.parametrize(
    ("of_other", "full"), [((False,), "What does my sister do?"), ((True,), "What does your sister do?")]
)
def test_words_of_another_are_put_as_the_speaker_would(of_other, full):
    said = UtteranceInDialogue("What does she do?", ("My sister works.",), of_other)
    assert in_full(said, references(said, [("she", "My sister", {})]), threshold=0.5).text == full
