"""Checks one reply: it is split into atomic facts, grounds are found for them, and they are verified (section 3.4).

Departures from the paper:
- Sentences that claim nothing are told apart before the verifier is asked, and count neither as supported nor as unknown.
- What the product says of itself ("I keep your words") is no claim: no memory of what people said can decide it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from memory.core.english.claims import is_claim, plain
from memory.core.grounded_generation.atomic_facts import AtomicFact, FactSplitter
from memory.core.grounded_generation.verification import FactsToVerify, FactVerdict, FactVerifier

# So many facts are verified at once.
AT_ONCE = 24
_OF_ITSELF = re.compile(r"(?:though |because |so |but |and )?(?:I\b|my\b|this chat\b)", re.IGNORECASE)


def check_reply(
    reply: ReplyToCheck, *, splitter: FactSplitter, verifier: FactVerifier, sources: Sequence[GroundSource]
) -> CheckedReply:
    """Return the facts of a reply in their order with their verdicts, and all grounds that they were held against."""
    [facts] = splitter.split_many([reply.text])
    claims = [fact for fact in facts if states(fact, reply.text)]
    grounds = grounds_of(claims, reply, sources)
    verdicts = iter(verdicts_on([fact.text for fact in claims], reply, grounds, verifier))
    checked = [
        checked_fact(fact, next(verdicts))
        if fact in claims
        else CheckedFact(fact.text, fact.sentence, Verdict.NOT_A_CLAIM)
        for fact in facts
    ]
    return CheckedReply(tuple(checked), grounds)


def states(fact: AtomicFact, reply: str) -> bool:
    """Return whether a fact claims something of the world, and so does the sentence that it is of."""
    sentence = reply[fact.sentence.start : fact.sentence.end]
    return is_claim(fact.text) and is_claim(sentence) and not _OF_ITSELF.match(plain(fact.text))


def grounds_of(
    claims: Sequence[AtomicFact], reply: ReplyToCheck, sources: Sequence[GroundSource]
) -> tuple[FoundGround, ...]:
    """Return what the sources have for the claims, numbered by their keys."""
    if not claims:
        return ()
    texts = [fact.text for fact in claims]
    found = [one for source in sources for one in source.grounds_for(texts, reply)]
    return tuple(replace(one, ground=replace(one.ground, key=place)) for place, one in enumerate(found))


def verdicts_on(
    facts: Sequence[str], reply: ReplyToCheck, grounds: Sequence[FoundGround], verifier: FactVerifier
) -> list[FactVerdict]:
    dialogue = tuple(one.ground for one in grounds if one.kind is GroundKind.TURN)
    evidence = tuple(one.ground for one in grounds if one.kind is not GroundKind.TURN)
    batches = [tuple(facts[start : start + AT_ONCE]) for start in range(0, len(facts), AT_ONCE)]
    verified = [verifier.verify_many([FactsToVerify(some, reply.speaker, dialogue, evidence)]) for some in batches]
    return [verdict for [verdicts] in verified for verdict in verdicts]


def checked_fact(fact: AtomicFact, found: FactVerdict) -> CheckedFact:
    ground = found.ground.key if found.ground is not None else None
    return CheckedFact(fact.text, fact.sentence, Verdict(found.status.value), found.probability, ground)
