"""Keeps the semantic state of a session (SLSM, section 3.2): reads the user's turns, and takes a person's edits by hand.

A turn is read outside any transaction. One short transaction, which holds the session, then revises the state that is there
by then and writes what changed: two devices come one after the other, a turn is read once, and whoever dies between leaves a
turn that the next one reads. Of a state only what counts is loaded, and what evidence names.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from memory import events
from memory.core.semantic_state.elements import (
    Assumption,
    Constraint,
    Element,
    ElementKind,
    Fact,
    Plan,
    PlanMode,
    Refusal,
    SemanticState,
    Source,
    Status,
    StatusChange,
    Unknown,
)
from memory.core.semantic_state.evidence import (
    Asserted,
    Evidence,
    EvidenceExtractor,
    Required,
    Resolved,
    StateTurn,
    Withdrawn,
)
from memory.core.semantic_state.keeping import BEFORE, StateUpdate, difference, state_of
from memory.core.semantic_state.revision import revise
from memory.core.types import Role, Utterance
from memory.models import Round, Session, StateChangeRecord, StateElementRecord, StateRecord, Turn
from memory.models.semantic_state import CURRENT
from memory.services.dialogue import session_lock
from memory.services.edits.audit import EditRefused
from memory.services.edits.wording import words_checked
from memory.services.round_words import said_in

KINDS: dict[str, type[Element]] = {one.kind: one for one in (Fact, Unknown, Assumption, Constraint)}
COLUMNS = {"id", "description", "turn", "status", "words", "basis"}
COLUMNS_KEPT = ("status", "basis", "details")
WORDS_LIMIT = 1000
FORGOTTEN = "What was said of it has been forgotten since."


class SessionStates:
    """Implements `StateKeeper` by the rows of sessions; what is stored nowhere is read from its first turn on."""

    def update(self, said: Sequence[Utterance], *, round_id: int | None, extractor: EvidenceExtractor) -> StateUpdate:
        if round_id is None:
            return state_of(said, extractor=extractor)
        return state_update(round=Round.objects.select_related("session").get(pk=round_id), extractor=extractor)


def state_update(*, round: Round, extractor: EvidenceExtractor) -> StateUpdate:
    """Read the user's turns of a session up to a round that were not read yet, and return what the round changed.

    A second call changes nothing and returns the same. Raises `LanguageModelError`: the turn is then still to be read.
    """
    session = round.session
    for turn in unread(round):
        seen = state_load(session.pk)
        evidence = extractor.extract(StateTurn(seen, said_in(turn), before(turn)))
        with transaction.atomic():
            session_lock(session.pk)
            if turn.index > read_until(session.pk) and is_as_read(turn):
                state = state_load(session.pk, named=named_in(evidence))
                after = revise(state, evidence, turn=state.turn + 1, said_on=timezone.localdate(turn.said_at))
                state_write(session, difference(state, after), before=state, turn=turn)
    return update_of(round)


def unread(round: Round) -> list[Turn]:
    """Return the turns of the user's that a state has not seen, without wishes about the memory, oldest first."""
    turns = Turn.objects.filter(session=round.session_id, role=Role.USER, index__gt=read_until(round.session_id))
    found = turns.filter(round__index__lte=round.index).exclude(round__is_wish=True)
    return list(found.defer("search").order_by("index"))


def is_as_read(turn: Turn) -> bool:
    """Return whether a turn still has the words that were read, and let nobody forget them before the state is written."""
    same = Turn.objects.select_for_update(no_key=True).filter(pk=turn.pk, text=turn.text)
    return same.values_list("pk").first() is not None


def read_until(session_id: int) -> int:
    known = StateRecord.objects.filter(session=session_id).values_list("read_until", flat=True).first()
    return -1 if known is None else known


def before(turn: Turn) -> tuple[Utterance, ...]:
    """Return what was said just before a turn, oldest first."""
    earlier = Turn.objects.filter(session=turn.session_id, index__lt=turn.index).order_by("-index")
    return tuple(said_in(one) for one in reversed(earlier.defer("search")[:BEFORE]))


def state_load(session_id: int, *, named: Iterable[str] = ()) -> SemanticState:
    """Return a session's state in part: what counts, what is named, what the last turn falsified.

    With them come what they rest on, and the questions that they answer, which are open again where those fall.
    """
    state = StateRecord.objects.filter(session=session_id).first() or StateRecord()
    rows = StateElementRecord.objects.filter(session=session_id)
    falsified = Q(status=Status.CONTRADICTED, details__since=state.turn)
    found = {row.key: row for row in rows.filter(Q(status__in=CURRENT) | Q(key__in=set(named)) | falsified)}
    grounds = {key for row in found.values() for key in row.basis}
    answered = Q(kind=ElementKind.UNKNOWN, details__answer__in=list(found))
    found |= {row.key: row for row in rows.filter(Q(key__in=grounds) | answered)}
    return SemanticState(
        {row.key: element_of(row) for row in sorted(found.values(), key=lambda row: row.pk)},
        plans=tuple(Plan(key, PlanMode(mode), target) for key, mode, target in state.plans),
        turn=state.turn,
        issued=state.issued,
    )


def element_of(row: StateElementRecord) -> Element:
    details: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.details.items()
    }
    if "source" in details:
        details["source"] = Source(details["source"])
    return KINDS[row.kind](
        id=row.key,
        description=row.description,
        turn=row.turn,
        status=Status(row.status),
        words=row.words,
        basis=tuple(row.basis),
        **details,
    )


def change_of(row: StateChangeRecord) -> StatusChange:
    return StatusChange(
        turn=row.turn,
        element=row.element.key if row.element is not None else "",
        before=Status(row.before) if row.before else None,
        after=Status(row.after),
        because=row.because,
        evidence=row.evidence,
        cause=row.cause,
    )


def told(changes: QuerySet[StateChangeRecord]) -> QuerySet[StateChangeRecord]:
    """Return entries of the history, oldest first, each with its element."""
    return changes.filter(element__isnull=False).select_related("element").order_by("pk")


def named_in(evidence: Iterable[Evidence]) -> set[str]:
    """Return the ids and refs that evidence names."""
    named: set[str] = set()
    for one in evidence:
        for several in ("basis", "replaces", "against"):
            named.update(getattr(one, several, ()))
        named.update(getattr(one, single, "") for single in ("unknown", "by", "element", "constraint"))
    return named - {""}


def state_write(
    session: Session,
    update: StateUpdate,
    *,
    before: SemanticState,
    turn: Turn | None = None,
    by: User | None = None,
) -> None:
    """Write what a revision changed, in the caller's transaction, which holds the session; then tell the open pages."""
    space_id, round_id = session.space_id, turn.round_id if turn is not None else None
    changed = [one for one in update.state.elements.values() if before.elements.get(one.id) is not one]
    state = StateRecord.objects.filter(session=session).first() or StateRecord(session=session, space_id=space_id)
    known = [before.elements[one.id] for one in changed if one.id in before.elements]
    before_keep(state, {one.id: columns_of(one) for one in known}, turn=turn)
    if turn is not None:
        state.read_until = turn.index
    rows = StateElementRecord.objects.bulk_create(
        [
            StateElementRecord(
                space_id=space_id,
                session=session,
                key=one.id,
                kind=one.kind,
                description=one.description,
                words=one.words,
                turn=one.turn,
                said_in=turn,
                **columns_of(one),
            )
            for one in changed
        ],
        update_conflicts=True,
        unique_fields=["session", "key"],
        update_fields=["status", "basis", "details"],
    )
    keyed = {row.key: row for row in rows}
    shared = {"space_id": space_id, "session": session, "round_id": round_id, "by": by}
    StateChangeRecord.objects.bulk_create(
        [
            *(change_row(one, keyed, shared) for one in update.changes),
            *(refusal_row(one, shared) for one in update.refused),
        ]
    )
    state.turn, state.issued = update.state.turn, update.state.issued
    state.plans = [[plan.id, plan.mode, plan.target] for plan in update.state.plans]
    state.save()
    transaction.on_commit(lambda: events.memory_changed(space_id=space_id))


def columns_of(element: Element) -> dict[str, Any]:
    """Return what may change of an element, as its row has it."""
    details = {part.name: getattr(element, part.name) for part in fields(element) if part.name not in COLUMNS}
    return {"status": element.status, "basis": list(element.basis), "details": details}


def before_keep(state: StateRecord, elements: dict[str, Any], *, turn: Turn | None) -> None:
    """Keep what elements were before a turn changed them, with its round, and by hand with the round that was read last."""
    wanted = Q(pk=turn.round_id) if turn is not None else Q(state_before__isnull=False)
    round = Round.objects.filter(wanted, session=state.session_id).order_by("-index").first()
    if round is None:
        return
    kept = round.state_before if round.state_before is not None else scalars_of(state)
    kept["elements"] = elements | kept["elements"]
    Round.objects.filter(pk=round.pk).update(state_before=kept)


def scalars_of(state: StateRecord) -> dict[str, Any]:
    """Return what the taking back of a round needs besides the elements that it changes."""
    changes = StateChangeRecord.objects.filter(session=state.session_id)
    return {
        "last_change": changes.order_by("-pk").values_list("pk", flat=True).first() or 0,
        "turn": state.turn,
        "read_until": state.read_until,
        "plans": state.plans,
        "elements": {},
    }


def change_row(
    change: StatusChange, keyed: dict[str, StateElementRecord], shared: dict[str, object]
) -> StateChangeRecord:
    return StateChangeRecord(
        element=keyed[change.element],
        turn=change.turn,
        before=change.before or "",
        after=change.after,
        because=change.because,
        evidence=change.evidence,
        cause=change.cause,
        **shared,
    )


def refusal_row(refusal: Refusal, shared: dict[str, object]) -> StateChangeRecord:
    return StateChangeRecord(turn=refusal.turn, proposed=refusal.proposed, because=refusal.because, **shared)


def update_of(round: Round) -> StateUpdate:
    """Return a session's state, and what the turns of a round changed of it."""
    rows = StateChangeRecord.objects.filter(session=round.session_id, round=round)
    changes = tuple(change_of(row) for row in told(rows))
    refused = tuple(Refusal(row.turn, row.proposed, row.because) for row in rows.filter(element=None).order_by("pk"))
    named = {one.element for one in changes} | {one.cause for one in changes}
    return StateUpdate(state_load(round.session_id, named=named), changes, refused)


@transaction.atomic
def state_retract(*, round: Round) -> None:
    """Take back what a round's turn and those after it changed, and what was changed by hand meanwhile.

    A state that was read before rounds kept what was before them is read again from its first turn.
    """
    session_lock(round.session_id)
    known = StateElementRecord.objects.filter(session=round.session_id)
    changes = StateChangeRecord.objects.filter(session=round.session_id)
    state = StateRecord.objects.filter(session=round.session_id)
    later = Round.objects.filter(session=round.session_id, index__gte=round.index)
    kept: list[Any] = list(
        later.filter(state_before__isnull=False).order_by("index").values_list("state_before", flat=True)
    )
    unkept = Turn.objects.filter(round__in=later.filter(state_before__isnull=True, is_wish=False), role=Role.USER)
    if unkept.filter(index__lte=read_until(round.session_id)).exists():
        for rows in (changes, known, state):
            rows.delete()
    elif kept:
        first = kept[0]
        later_changes = changes.filter(pk__gt=first["last_change"])
        known.filter(changes__in=later_changes.filter(before="")).delete()
        later_changes.delete()
        columns = {key: value for one in reversed(kept) for key, value in one["elements"].items()}
        elements = list(known.filter(key__in=columns))
        for element in elements:
            element.status, element.basis, element.details = (columns[element.key][name] for name in COLUMNS_KEPT)
        StateElementRecord.objects.bulk_update(elements, COLUMNS_KEPT)
        state.update(**{name: first[name] for name in ("turn", "read_until", "plans")})
    later.update(state_before=None)


def state_words_forget(*, turn: Turn, before: str) -> None:
    """Remove what a state has of words of a turn (`before`) that are gone from its text, in the caller's transaction.

    Elements that tell them go, with what rests on those. Entries of the history that quote them lose their words.
    """
    rows = list(StateElementRecord.objects.filter(session=turn.session_id).order_by("pk"))
    lost = [row.words for row in rows if row.said_in_id == turn.pk and row.words not in turn.text]
    lost += [one.evidence for one in turn.round.state_changes.all() if one.evidence not in turn.text]
    told = {words.casefold() for words in lost if words and words in before}
    gone: set[str] = set()
    for row in rows:
        says = f"{row.description}\n{row.words}".casefold()
        is_wordless = row.said_in_id == turn.pk and not row.words
        if is_wordless or not gone.isdisjoint(row.basis) or any(words in says for words in told):
            gone.add(row.key)
    StateElementRecord.objects.filter(session=turn.session_id, key__in=gone).delete()
    changes = StateChangeRecord.objects.filter(session=turn.session_id)
    changes.filter(round=turn.round_id, element=None).delete()
    changes.filter(Q(round=turn.round_id) | Q(cause__in=gone)).update(because=FORGOTTEN, evidence="")


@dataclass(frozen=True)
class ByHand:
    """What a person says of one element beside the chat: evidence as good as a turn's, with the words that they wrote."""

    element: StateElementRecord
    by: User

    @transaction.atomic
    def revise(self, *evidence: Evidence) -> None:
        session = session_lock(self.element.session_id)
        before = state_load(session.pk, named={self.element.key, *named_in(evidence)})
        update = difference(before, revise(before, evidence, turn=before.turn, said_on=timezone.localdate()))
        if update.refused:
            raise EditRefused(update.refused[0].because)
        state_write(session, update, before=before, by=self.by)


def unknown_answer(*, element: StateElementRecord, words: str, by: User) -> None:
    """Answer an open question: the answer is a fact that the person asserts. Raises `EditRefused`, as all of these do."""
    of_kind(element, ElementKind.UNKNOWN, "Only an open question can be answered.")
    said = words_checked(words, what="the answer", limit=WORDS_LIMIT)
    answer = Asserted(description=f"{element.description}: {said}", words=said, ref="answer")
    ByHand(element, by).revise(answer, Resolved(unknown=element.key, by="answer", words=said))


def assumption_confirm(*, element: StateElementRecord, by: User) -> None:
    """Say that an assumption is so: the person asserts it, which makes a fact, and what was assumed is needed no longer."""
    of_kind(element, ElementKind.ASSUMPTION, "Only an assumption can be confirmed.")
    ByHand(element, by).revise(
        Asserted(description=element.description, words=element.description, replaces=(element.key,))
    )


def assumption_refuse(*, element: StateElementRecord, by: User) -> None:
    """Say that an assumption is not so: it is contradicted, and what rested on it falls."""
    of_kind(element, ElementKind.ASSUMPTION, "Only an assumption can be refused.")
    ByHand(element, by).revise(Withdrawn(element=element.key, words=element.description))


def constraint_edit(*, element: StateElementRecord, words: str, by: User) -> None:
    """Put a requirement in other words: a new one takes its place, as strict as it was."""
    of_kind(element, ElementKind.CONSTRAINT, "Only a requirement can be changed.")
    said = words_checked(words, what="what is required", limit=WORDS_LIMIT)
    weight = element.details["weight"]
    ByHand(element, by).revise(
        Required(description=said, words=said, weight=weight, basis=tuple(element.basis), replaces=(element.key,))
    )


def element_withdraw(*, element: StateElementRecord, by: User) -> None:
    """Say that an element holds no longer; what rested on it falls."""
    ByHand(element, by).revise(Withdrawn(element=element.key, words=element.description))


def of_kind(element: StateElementRecord, kind: ElementKind, otherwise: str) -> None:
    if element.kind != kind:
        raise EditRefused(otherwise)


# What may be done to an element beside the chat: with the words of whoever does it.
ACTS: Mapping[str, Callable[[StateElementRecord, str, User], None]] = {
    "answer": lambda element, words, by: unknown_answer(element=element, words=words, by=by),
    "confirm": lambda element, _, by: assumption_confirm(element=element, by=by),
    "refuse": lambda element, _, by: assumption_refuse(element=element, by=by),
    "edit": lambda element, words, by: constraint_edit(element=element, words=words, by=by),
    "withdraw": lambda element, _, by: element_withdraw(element=element, by=by),
}
