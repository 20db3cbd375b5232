"""A reply is split, its claims are told apart, and each is held against all that may decide about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from evaluation.core.reply_facts import checking
from evaluation.core.reply_facts.checking import check_reply, claimed, states
from evaluation.core.reply_facts.types import (
    CheckedFact,
    CheckedReply,
    FactFigures,
    FoundGround,
    FromKnowledge,
    FromPassages,
    GroundKind,
    ReplyToCheck,
    Verdict,
    figures_of,
)
from memory.core.grounded_generation.atomic_facts import AtomicFact
from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeTriple, PassageIndex
from memory.core.grounded_generation.verification import FactStatus, FactsToVerify, FactVerdict, Ground
from memory.core.types import Span
from tests.fakes.engines import StopSegmenter
from tests.fakes.language import real_parser


class Sentences:
    name = "sentences"

    def split_many(self, replies: Sequence[str]) -> list[list[AtomicFact]]:
        found = StopSegmenter().segment_many(replies)
        return [[AtomicFact(one.text, one.span) for one in some] for some in found]


@dataclass
class FirstGround:
    """Takes every fact for true by the first ground that it is given."""

    asked: list[list[FactsToVerify]] = field(default_factory=list)
    name: str = "first"

    def verify_many(self, replies: Sequence[FactsToVerify]) -> list[list[FactVerdict]]:
        self.asked.append(list(replies))
        grounds = [[*one.evidence, *one.dialogue] for one in replies]
        return [
            [FactVerdict(FactStatus.TRUE, there[0], 0.9) if there else FactVerdict(FactStatus.NOT_ENOUGH)]
            * len(one.facts)
            for one, there in zip(replies, grounds, strict=True)
        ]


@dataclass(frozen=True)
class Known:
    grounds: tuple[FoundGround, ...]

    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        return list(self.grounds)


NOW = FoundGround(GroundKind.TRIPLE, Ground("You live in Lyon."), 7)
THEN = FoundGround(GroundKind.TRIPLE, Ground("You lived in Porto."), 8, is_past=True)
SAID = FoundGround(GroundKind.TURN, Ground("I live in Lyon.", speaker="Ana"), 9)


def checked(text: str, *sources: object, verifier: FirstGround | None = None) -> CheckedReply:
    reply = ReplyToCheck(text, "assistant", ("Where do I live?",))
    return check_reply(
        reply, splitter=Sentences(), verifier=verifier or FirstGround(), sources=sources, parser=real_parser()
    )


def test_reply_is_held_against_all_sources_and_names_what_decided_by_its_place():
    verifier = FirstGround()
    found = checked("Hello there. You live in Lyon.", Known((SAID,)), Known((NOW,)), verifier=verifier)
    assert found.facts == (
        CheckedFact("Hello there.", Span(0, 12), Verdict.NOT_A_CLAIM),
        CheckedFact("You live in Lyon.", Span(13, 30), Verdict.TRUE, 0.9, 1),
    )
    assert [(one.kind, one.id, one.ground.key) for one in found.grounds] == [
        (GroundKind.TURN, 9, 0),
        (GroundKind.TRIPLE, 7, 1),
    ]
    [[asked]] = verifier.asked
    assert (asked.facts, asked.speaker) == (("You live in Lyon.",), "assistant")
    assert [one.text for one in (*asked.dialogue, *asked.evidence)] == ["I live in Lyon.", "You live in Lyon."]


def test_what_was_is_shown_only_to_what_tells_of_the_past():
    verifier = FirstGround()
    found = checked("You lived in Porto. You live in Porto.", Known((THEN, NOW)), verifier=verifier)
    assert [(one.text, one.ground) for one in found.facts] == [("You lived in Porto.", 0), ("You live in Porto.", 1)]
    [[now, past]] = verifier.asked
    assert ([one.text for one in now.evidence], [one.text for one in past.evidence]) == (
        ["You live in Lyon."],
        ["You lived in Porto.", "You live in Lyon."],
    )


def test_reply_without_claims_asks_no_source_and_no_verifier():
    class Unasked:
        def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
            raise AssertionError(facts)

    verifier = FirstGround()
    assert checked("", Unasked(), verifier=verifier) == CheckedReply(())
    found = checked("Noted. Where do you live?", Unasked(), verifier=verifier)
    assert {one.verdict for one in found.facts} == {Verdict.NOT_A_CLAIM} and verifier.asked == []


def test_long_reply_is_verified_in_parts_and_keeps_the_order_of_its_facts(monkeypatch):
    monkeypatch.setattr(checking, "AT_ONCE", 2)
    verifier = FirstGround()
    text = " ".join(f"You have {number} cats." for number in range(5))
    assert [one.text for one in checked(text, Known((NOW,)), verifier=verifier).facts] == [
        f"You have {number} cats." for number in range(5)
    ]
    assert [len(one.facts) for [one] in verifier.asked] == [2, 2, 1]


def test_same_sentence_twice_is_two_facts():
    found = checked("You live in Lyon. You live in Lyon.", Known((NOW,)))
    assert [(one.sentence, one.verdict) for one in found.facts] == [
        (Span(0, 17), Verdict.TRUE),
        (Span(18, 35), Verdict.TRUE),
    ]


@pytest.mark.parametrize(
    ("text", "is_claim"),
    [
        ("You live in Lyon.", True),
        ("Yes, you lived in Lyon.", True),
        ("- **Maya** works for Sanofi.", True),
        ("There is a train at nine.", True),
        ("I remember that you live in Lyon.", True),
        ("I think you live in Lyon.", True),
        ("I think so too.", False),
        ("I know a place in Lyon.", False),
        ("Where do you live?", False),
        ("You are welcome.", False),
        ("Tell me, and I will remember it.", False),
        ("Enjoy your evening by the sea.", False),
        ("On Friday at nine in Lyon.", False),
        ("I keep your words, though I read no new fact in them.", False),
        ("Though I read no new fact in them.", False),
        ("This chat is not remembered.", False),
        ("Noted: you live in Lyon now.", False),
        ("I don't know where you live.", False),
        ("", False),
    ],
)
def test_claims_are_told_from_what_claims_nothing(text, is_claim):
    fact = AtomicFact(text, Span(0, len(text)))
    [parse] = real_parser().parse_many([claimed(fact)])
    assert states(fact, parse, text) is is_claim


def test_what_is_remembered_is_held_against_the_memory_without_these_words():
    verifier = FirstGround()
    found = checked("I remember that you live in Lyon.", Known((NOW,)), verifier=verifier)
    assert [(one.text, one.verdict) for one in found.facts] == [("I remember that you live in Lyon.", Verdict.TRUE)]
    assert verifier.asked[0][0].facts == ("you live in Lyon.",)


def test_passages_are_found_for_every_fact_the_best_first_and_each_once():
    index = PassageIndex(
        [
            Ground("Lyon is a city in France.", "Lyon", base_id=1),
            Ground("Porto is a city in Portugal.", "Porto", base_id=2),
        ]
    )
    source = FromPassages(index)
    reply = ReplyToCheck("Lyon is in France. Porto is in Spain.", "assistant")
    found = source.grounds_for(["Porto is in Spain.", "Lyon is in France."], reply)
    assert [(one.kind, one.ground.base_id, one.ground.title) for one in found] == [
        (GroundKind.PASSAGE, 2, "Porto"),
        (GroundKind.PASSAGE, 1, "Lyon"),
    ]


def test_knowledge_is_that_of_what_dialogue_and_reply_name():
    index = KnowledgeIndex(
        [KnowledgeTriple("Lyon", "country", "France"), KnowledgeTriple("Oslo", "country", "Norway"),
         KnowledgeTriple("Porto", "country", "Portugal")]
    )  # fmt: skip
    reply = ReplyToCheck("It is in Portugal, as Porto is.", "assistant", ("Where is Lyon?",))
    found = FromKnowledge(index).grounds_for(["It is in Portugal."], reply)
    assert [(one.kind, one.ground.text) for one in found] == [
        (GroundKind.KNOWLEDGE, "Porto country Portugal"),
        (GroundKind.KNOWLEDGE, "Lyon country France"),
    ]


def test_figures_count_claims_alone():
    verdicts = [Verdict.TRUE, Verdict.TRUE, Verdict.FALSE, Verdict.NOT_ENOUGH, Verdict.NOT_A_CLAIM]
    assert figures_of(verdicts) == FactFigures(
        claims=4, supported=2, decided=3, score=pytest.approx(2 / 3), not_enough=0.25
    )
    assert figures_of([Verdict.NOT_ENOUGH]) == FactFigures(1, 0, 0, None, 1.0)
    assert figures_of([Verdict.NOT_A_CLAIM]) == figures_of([]) == FactFigures(0, 0, 0, None, 1.0)
