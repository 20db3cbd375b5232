"""Whether it is so: what the triples say to a question of yes or no."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from conversations.core.responders.phrasing import distinct, is_kin
from conversations.core.responders.recall import Recollection
from memory.core.knowledge_graph.matching import holds, is_plan, outlived
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.question import GraphQuestion
from memory.core.knowledge_graph.stems import content_stems
from memory.core.naming import key_of
from memory.core.types import Polarity, Triple

_LISTED = 12


@dataclass(frozen=True)
class Verdict:
    """Yes or no and the triples that say so; `is_over` where these held once and nothing has taken their place."""

    is_so: bool
    triples: tuple[Triple, ...]
    is_over: bool = False


def verdict(found: Recollection, triples: Sequence[Triple], *, at: datetime) -> Verdict | None:
    """Return whether it is so, by the newest of what says yes and what says no; None where nothing decides."""
    question, given = found.question, found.given
    asked = [triple for triple in triples if triple.predicate in question.predicates]
    ended = outlived(asked, at=at)
    current = [triple for triple in asked if holds(triple, at=at) and triple not in ended]
    if question.is_future:
        current = [*(triple for triple in asked if is_plan(triple, at=at)), *current]
    former = [triple for triple in asked if triple not in current and triple.polarity is Polarity.POSITIVE]
    if (question.is_past or question.is_finished) and not question.is_perfect:
        current = [*current, *former] if not question.is_past else former
    if question.is_perfect:
        current = [*current, *former]
    if question.verb == "have":
        current = [triple for triple in current if _is_had(triple, question)]
        former = [triple for triple in former if _is_had(triple, question)]
    fitting = [triple for triple in current if given.fits(triple) and not triple.is_any]
    yes = [triple for triple in fitting if triple.polarity is Polarity.POSITIVE]
    if question.verb != "have" and not given.text:
        if len(question.predicates) > 1:
            yes = [t for t in yes if t.predicate == question.predicates[0] or is_kin(t) or _is_quality(t, question)]
        yes = [triple for triple in yes if _is_state_asked(triple, question)]
    no = [
        triple for triple in current if triple.polarity is Polarity.NEGATIVE and (given.fits(triple) or triple.is_any)
    ]
    newest_no = max((triple.recorded_at for triple in no), default=None)
    if yes and (newest_no is None or max(triple.recorded_at for triple in yes) >= newest_no):
        return Verdict(True, tuple(distinct(yes)[:_LISTED]))
    if no:
        return Verdict(False, tuple(no[:1]))
    status = [triple for triple in current if triple.predicate in {"spouse", "maritalStatus"}]
    if status and question.verb.startswith("be ") and not given.text:
        return Verdict(False, tuple(status[:1]))
    if question.verb == "have" and former:
        return Verdict(False, tuple(former[:1]), is_over=True)
    return _contradicted(found, triples, former, at=at) if given.text else None


def _is_had(triple: Triple, question: GraphQuestion) -> bool:
    """Return whether a triple tells of the thing that a question asks for by its noun: of a cabin, not of a boat."""
    noun = question.object.text if question.object is not None else ""
    if triple.predicate == question.predicates[0] or is_kin(triple) or not noun:
        return True
    if triple.is_any:
        return False
    return content_stems(noun) <= content_stems(triple.object) or triple.predicate == "drives" and noun.endswith("car")


def _is_quality(triple: Triple, question: GraphQuestion) -> bool:
    return triple.predicate == "hasQuality" and question.verb.removeprefix("be ") == key_of(triple.object)


def _is_state_asked(triple: Triple, question: GraphQuestion) -> bool:
    """Return whether a marital status is the one that the question asks for; a spouse makes one married."""
    if triple.predicate == "spouse" and question.verb in {
        "be single",
        "be divorced",
        "be widowed",
        "be engaged",
    }:
        return False
    if triple.predicate != "maritalStatus":
        return True
    return question.verb.removeprefix("be ") == key_of(triple.object)


def _contradicted(
    found: Recollection, triples: Sequence[Triple], former: Sequence[Triple], *, at: datetime
) -> Verdict | None:
    """Say no because another value fills the slot, because the opposite is known, or because it is over."""
    question, given = found.question, found.given
    live = [triple for triple in triples if holds(triple, at=at) and triple.polarity is Polarity.POSITIVE]
    opposite = [t for t in live if t.predicate not in question.predicates and given.fits(t)]
    if opposite:
        return Verdict(False, tuple(opposite[:1]))
    primary = question.predicates[0]
    filled = [t for t in live if t.predicate == primary and predicate_named(t.predicate).is_functional]
    if filled:
        return Verdict(False, tuple(filled[:1]))
    over = [triple for triple in former if given.fits(triple)]
    if over:
        others = [t for t in live if t.predicate == over[0].predicate]
        return Verdict(False, tuple(others)) if others else Verdict(False, tuple(over[:1]), is_over=True)
    return None
