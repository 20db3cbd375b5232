"""Checks one reply: it is split into atomic facts, grounds are found for them, and they are verified (section 3.4).

Departures from the paper:
- Sentences that claim nothing are told apart before the verifier is asked, and count neither as supported nor as unknown.
- What the product says of itself ("I keep your words") is no claim: no memory of what people said can decide it. What it
  says to remember or to think is held against the memory without these words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.core.reply_facts.types import (
    CheckedFact,
    CheckedReply,
    FoundGround,
    GroundKind,
    GroundSource,
    ReplyToCheck,
    Verdict,
)
from evaluation.core.turn_consistency.tense import tells_what_was
from memory.core.english.claims import is_claim, plain
from memory.core.english.trees import Tree
from memory.core.grounded_generation.atomic_facts import AtomicFact, FactSplitter
from memory.core.grounded_generation.clause_splitter import SUBJECT
from memory.core.grounded_generation.verification import FactsToVerify, FactVerdict, FactVerifier
from memory.core.ports import SyntacticParser
from memory.core.types import ParsedSentence

# So many facts are verified at once.
AT_ONCE = 24
_OF_ITSELF = re.compile(r"(?:though |because |so |but |and )?(?:I\b|my\b|this chat\b)", re.IGNORECASE)
_THINKING = re.compile(
    r"I (?:also |still )?(?:remember|recall|know|see|think|believe|understand|gather|am sure|am certain)(?: that)? (?=\w)",
    re.IGNORECASE,
)


def check_reply(
    reply: ReplyToCheck,
    *,
    splitter: FactSplitter,
    verifier: FactVerifier,
    sources: Sequence[GroundSource],
    parser: SyntacticParser,
) -> CheckedReply:
    """Return the facts of a reply in their order with their verdicts, and all grounds that they were held against."""
    [facts] = splitter.split_many([reply.text])
    parses = parser.parse_many([claimed(fact) for fact in facts])
    claims = {fact: parse for fact, parse in zip(facts, parses, strict=True) if states(fact, parse, reply.text)}
    grounds = grounds_of(list(claims), reply, sources)
    verdicts = verdicts_on(claims, reply, grounds, verifier)
    checked = [
        checked_fact(fact, verdicts[fact])
        if fact in claims
        else CheckedFact(fact.text, fact.sentence, Verdict.NOT_A_CLAIM)
        for fact in facts
    ]
    return CheckedReply(tuple(checked), grounds)


def states(fact: AtomicFact, parse: ParsedSentence, reply: str) -> bool:
    """Return whether a fact claims something of the world: neither it nor its sentence asks or greets, and it has a verb."""
    sentence = reply[fact.sentence.start : fact.sentence.end]
    if not is_claim(claimed(fact)) or not is_claim(sentence) or _OF_ITSELF.match(claimed(fact)):
        return False
    tree = Tree(parse)
    root = next((node for node in range(len(tree)) if tree.is_root(node)), None)
    is_order = root is not None and tree.tag(root) == "VB" and tree.child(root, *SUBJECT, "aux") is None
    return not is_order and any(tree.pos(node) in ("VERB", "AUX") for node in range(len(tree)))


def claimed(fact: AtomicFact) -> str:
    """Return what a fact claims: "I remember that you live in Rome" claims that you live in Rome."""
    return _THINKING.sub("", plain(fact.text), count=1)


def grounds_of(
    claims: Sequence[AtomicFact], reply: ReplyToCheck, sources: Sequence[GroundSource]
) -> tuple[FoundGround, ...]:
    """Return what the sources have for the claims, numbered by their keys."""
    if not claims:
        return ()
    texts = [claimed(fact) for fact in claims]
    found = [one for source in sources for one in source.grounds_for(texts, reply)]
    return tuple(replace(one, ground=replace(one.ground, key=place)) for place, one in enumerate(found))


def verdicts_on(
    claims: Mapping[AtomicFact, ParsedSentence],
    reply: ReplyToCheck,
    grounds: Sequence[FoundGround],
    verifier: FactVerifier,
) -> dict[AtomicFact, FactVerdict]:
    """Return the verdicts. What tells what was decides about nothing else: "You lived in Rome" is not "you live there"."""
    of_the_past = [fact for fact, parse in claims.items() if tells_what_was(parse)]
    others = [fact for fact in claims if fact not in of_the_past]
    verdicts: dict[AtomicFact, FactVerdict] = {}
    for start in range(0, max(len(of_the_past), len(others)), AT_ONCE):
        batches = [
            (some, [one for one in grounds if may_be_past or not one.is_past])
            for facts, may_be_past in ((others, False), (of_the_past, True))
            if (some := facts[start : start + AT_ONCE])
        ]
        found = verifier.verify_many([to_verify(some, reply, held_against) for some, held_against in batches])
        for (some, _), judged in zip(batches, found, strict=True):
            verdicts |= dict(zip(some, judged, strict=True))
    return verdicts


def to_verify(facts: Sequence[AtomicFact], reply: ReplyToCheck, grounds: Sequence[FoundGround]) -> FactsToVerify:
    return FactsToVerify(
        facts=tuple(claimed(fact) for fact in facts),
        speaker=reply.speaker,
        dialogue=tuple(one.ground for one in grounds if one.kind is GroundKind.TURN),
        evidence=tuple(one.ground for one in grounds if one.kind is not GroundKind.TURN),
    )


def checked_fact(fact: AtomicFact, found: FactVerdict) -> CheckedFact:
    ground = found.ground.key if found.ground is not None else None
    return CheckedFact(fact.text, fact.sentence, Verdict(found.status.value), found.probability, ground)
