"""Whether it is so: what the triples say to a question of yes or no."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from conversations.core.responders.phrasing import distinct, is_kin
from conversations.core.responders.recall import Recollection
from memory.core.knowledge_graph.matching import holds, is_plan, outlived
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.naming import key_of
from memory.core.types import AskedTime, Polarity, Triple

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
    named = [triple for triple in triples if triple.predicate in question.predicates]
    asked = named or list(triples)
    ended = outlived(asked, at=at)
    current = [triple for triple in asked if holds(triple, at=at) and triple not in ended]
    if question.when is AskedTime.FUTURE:
        current = [*(triple for triple in asked if is_plan(triple, at=at)), *current]
    former = [triple for triple in asked if triple not in current and triple.polarity is Polarity.POSITIVE]
    if question.when in {AskedTime.PAST, AskedTime.EVER, AskedTime.DATED}:
        current = [*current, *former]
    fitting = [triple for triple in current if given.fits(triple) and not triple.is_any]
    yes = [triple for triple in fitting if triple.polarity is Polarity.POSITIVE]
    if not given.text and named:
        yes = [triple for triple in yes if triple.predicate in question.predicates[:1] or is_kin(triple)]
    no = [
        triple for triple in current if triple.polarity is Polarity.NEGATIVE and (given.fits(triple) or triple.is_any)
    ]
    if "spouse" in question.predicates and "maritalStatus" in question.predicates:
        # Who is told to be married to somebody is married, and not single.
        spouses = [triple for triple in current if triple.predicate == "spouse" and triple not in (*yes, *no)]
        is_so = Polarity.POSITIVE if key_of(given.text) in {"", "married"} else Polarity.NEGATIVE
        yes += [triple for triple in spouses if triple.polarity is is_so is Polarity.POSITIVE]
        no += [triple for triple in spouses if triple.polarity is not is_so]
    newest_no = max((triple.recorded_at for triple in no), default=None)
    if yes and (newest_no is None or max(triple.recorded_at for triple in yes) >= newest_no):
        return Verdict(True, tuple(distinct(yes)[:_LISTED]))
    if no:
        return Verdict(False, tuple(no[:1]))
    if given.text:
        return _contradicted(found, triples, former, at=at)
    return Verdict(False, tuple(former[:1]), is_over=True) if former else None


def _contradicted(
    found: Recollection, triples: Sequence[Triple], former: Sequence[Triple], *, at: datetime
) -> Verdict | None:
    """Say no because another value fills the slot, because the opposite is known, or because it is over."""
    question, given = found.question, found.given
    live = [triple for triple in triples if holds(triple, at=at) and triple.polarity is Polarity.POSITIVE]
    opposite = [t for t in live if t.predicate not in question.predicates and given.fits(t)]
    if opposite:
        return Verdict(False, tuple(opposite[:1]))
    filled = [t for t in live if t.predicate in question.predicates[:1] and predicate_named(t.predicate).is_functional]
    if filled:
        return Verdict(False, tuple(filled[:1]))
    over = [triple for triple in former if given.fits(triple)]
    if over:
        others = [t for t in live if t.predicate == over[0].predicate]
        return Verdict(False, tuple(others)) if others else Verdict(False, tuple(over[:1]), is_over=True)
    return None
