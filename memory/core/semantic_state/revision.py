"""How evidence changes a state, locally and on the record (SLSM, section 3.2, equation 6).

What would break an invariant is refused with the reason, and the rest is applied; what nothing names stays the same object.

Departures from the paper:
- Evidence is applied in the order of the words, not type by type: what rests on an element comes after it.
- An unknown that is answered becomes a constraint where a requirement answers it (section 3.1), else an assumption whose
  basis is the answer (section 3.2). Where that answer falls and nothing takes its place, the unknown is open again (ADR 32).
- What rested on an element that fell is closed: it has lost its ground, which does not make it wrong. Only evidence that
  names an assumption contradicts it.
- What is said again is not there twice, and what is confirmed keeps what rests on it.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType

from memory.core.grounding import Grounds
from memory.core.plain_text import has_words
from memory.core.semantic_state.admissibility import TAU, conflicts
from memory.core.semantic_state.checking import has_limit, is_certain_break
from memory.core.semantic_state.elements import (
    Assumption,
    Constraint,
    Element,
    Fact,
    Refusal,
    SemanticState,
    Source,
    Status,
    StatusChange,
    Unknown,
)
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evaluated,
    Evidence,
    Irrelevant,
    Missed,
    Required,
    Resolved,
    Ungrounded,
    Withdrawn,
)
from memory.core.semantic_state.planning import derive_plans

New = Asserted | Required | Assumed | Missed


class NotAdmitted(ValueError):
    """Raised for evidence that would break an invariant; the message says which, in a sentence for people."""


@dataclass(frozen=True)
class RevisionConfig:
    """`tau` is the confidence from which an assumption may be relied on, in [0, 1]."""

    tau: float = TAU


def revise(
    state: SemanticState,
    evidence: Sequence[Evidence],
    *,
    turn: int,
    said_on: date | None = None,
    config: RevisionConfig = RevisionConfig(),
) -> SemanticState:
    """Return S_t of S_{t-1} and the evidence of a turn (SLSM, UPDATE): revised, its constraints evaluated, with its plans.

    `said_on` is the day of the turn, from which its dates count. Raises `ValueError` for a turn before the state's.
    """
    if turn < state.turn:
        raise ValueError(f"Turn {turn} is before turn {state.turn}, which was read already.")
    revision = _Revision(state, turn, said_on.isoformat() if said_on is not None else "")
    for said in evidence:
        try:
            revision.apply(said)
        except NotAdmitted as error:
            revision.refused.append(Refusal(turn, proposal(said), str(error)))
    revision.check_bounds()
    revision.evaluate_constraints()
    revised = revision.state()
    return replace(revised, plans=derive_plans(revised, tau=config.tau))


def proposal(said: Evidence) -> str:
    """Return what evidence proposes, in words."""
    match said:
        case Asserted() | Required() | Assumed() | Missed():
            return f"{_BRINGS[type(said)]}: {said.description}"
        case Resolved():
            return f"answer of {said.unknown}: {said.by}"
        case Withdrawn():
            return f"{said.element} no longer holds"
        case Irrelevant():
            return f"{said.element} no longer matters"
        case Evaluated():
            return f"{said.constraint} is {said.status}"
        case Ungrounded():
            return said.proposed


_BRINGS = {Asserted: "fact", Missed: "unknown", Assumed: "assumption", Required: "constraint"}


@dataclass(frozen=True)
class _End:
    """How an element ends: `by` is what takes its place, `cause` the element whose change led to it."""

    element: Element
    status: Status
    because: str
    cause: str = ""
    by: Element | None = None


@dataclass
class _Revision:
    """A state while the evidence of one turn is applied to it: Delta S_t, as it grows."""

    before: SemanticState
    turn: int
    said_on: str = ""
    refused: list[Refusal] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._elements = dict(self.before.elements)
        self._issued = self.before.issued
        self._history: list[StatusChange] = []
        self._refs: dict[str, str] = {}
        self._judged: dict[str, tuple[str, str]] = {}
        self._resting: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._answered: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._described: dict[tuple[type[Element], str], str] = {}
        for element in self._elements.values():
            self._index(element)

    def state(self) -> SemanticState:
        return replace(
            self.before,
            elements=MappingProxyType(self._elements),
            history=(*self.before.history, *self._history),
            refused=(*self.before.refused, *self.refused),
            turn=self.turn,
            issued=self._issued,
        )

    def apply(self, said: Evidence) -> None:
        """Apply one piece of evidence whole. Raises `NotAdmitted`, and then nothing has changed."""
        match said:
            case Asserted():
                self._assert_fact(said)
            case Missed():
                self._open_unknown(said)
            case Resolved():
                self._resolve_unknown(said)
            case Assumed():
                self._assume(said)
            case Required():
                self._require(said)
            case Evaluated():
                self._evaluate(said)
            case Withdrawn():
                self._withdraw(said)
            case Irrelevant():
                element = self._closable(said.element, said.words)
                self._end(
                    [_End(element, Status.CLOSED, "It no longer matters to the task.")], said.words, reopens=False
                )
            case Ungrounded():
                raise NotAdmitted(said.because)

    # Facts

    def _assert_fact(self, said: Asserted) -> None:
        if said.source is Source.USER:
            _need(has_words(said.words), "A fact is what the user said, and there are no words of theirs for it.")
            promotes = (Assumption, _folded(said.description)) in self._described
            said_again = not promotes or Grounds([said.words]).share(said.description) > 0
            _need(said_again, "It was only assumed, and the user did not say it: an assumption never becomes a fact.")
        because = "The user said it." if said.source is Source.USER else "A tool returned it."
        new = Fact(id="", description=said.description, turn=self.turn, words=said.words, source=said.source)
        self._bring(said, because, new)

    # Unknowns

    def _open_unknown(self, said: Missed) -> None:
        _need(has_words(said.question), "An unknown needs a question that asks for it.")
        _need(0 < said.priority < float("inf"), f"A priority is positive, and {said.priority} is not.")
        new = Unknown(
            id="",
            description=said.description,
            turn=self.turn,
            words=said.words,
            question=said.question,
            priority=said.priority,
        )
        self._bring(said, "The task needs it, and nobody said it.", new)

    def _resolve_unknown(self, said: Resolved) -> None:
        unknown, by = self._current(said.unknown), self._current(said.by)
        _need(isinstance(unknown, Unknown), f"{unknown.id} is no unknown, so nothing answers it.")
        _need(not isinstance(by, Unknown), f"{by.id} is open itself, and answers nothing.")
        _need_share(said.confidence, "confidence")
        default = by.id in self._standing_on([unknown])
        _need(not default, f"{by.id} is only taken for granted while {unknown.id} is open.")
        self._end([_End(unknown, Status.CLOSED, f"{_quoted(by)} answers it.", by.id)], said.words, reopens=False)
        answer = self._taken_for_answer(unknown, by, said.confidence) if isinstance(by, Fact) else by
        self._answer(unknown.id, answer)

    # Assumptions

    def _assume(self, said: Assumed) -> None:
        _need_share(said.confidence, "confidence")
        _need(not said.against, "An assumption that cannot hold beside what is known is not valid.")
        new = Assumption(
            id="", description=said.description, turn=self.turn, words=said.words, confidence=said.confidence
        )
        self._bring(said, "It is taken to be so for now.", new)

    def _taken_for_answer(self, unknown: Element, fact: Element, confidence: float) -> Element:
        """Return the new assumption that a fact answers an unknown."""
        answer = Assumption(
            id="",
            description=_reading(unknown, fact),
            turn=self.turn,
            words=fact.words,
            basis=(fact.id,),
            confidence=confidence,
        )
        return self._add(answer, f"{_quoted(fact)} is taken for the answer.", cause=fact.id)

    def _is_reading(self, one: Assumption) -> bool:
        """Return whether an assumption says that a fact answers an unknown, and nothing else."""
        unknown = self._elements.get(one.answers or "")
        grounds = [self._elements[key] for key in one.basis if key in self._elements]
        return unknown is not None and len(grounds) == 1 and one.description == _reading(unknown, grounds[0])

    def _answer(self, unknown: str, by: Element) -> None:
        """Note what an unknown became."""
        resolved = self._elements[unknown]
        if isinstance(resolved, Unknown):
            self._put(replace(resolved, answer=by.id))
        if isinstance(by, Assumption):
            self._put(replace(by, answers=unknown))

    # Constraints

    def _require(self, said: Required) -> None:
        _need(has_words(said.words), "A requirement is what the user said, and there are no words of theirs for it.")
        _need(said.weight > 0, f"A weight is above 0, and {said.weight} is not.")
        _need_share(said.weight, "weight")
        new = Constraint(id="", description=said.description, turn=self.turn, words=said.words, weight=said.weight)
        self._bring(said, "The user requires it.", new)

    def _evaluate(self, said: Evaluated) -> None:
        constraint = self._current(said.constraint)
        others = tuple(self._current(other).id for other in said.against)
        _need(isinstance(constraint, Constraint), f"{constraint.id} is no constraint, so it is not evaluated.")
        violated = said.status is Status.VIOLATED
        _need(violated or said.status is Status.SATISFIED, f"A constraint that was checked is not {said.status}.")
        stands = {*others, *conflicts(self.state()).get(constraint.id, ())} - {constraint.id}
        _need(violated or not stands, f"It cannot be satisfied beside {', '.join(sorted(stands))}.")
        stays = tuple(one for one in constraint.against if one != constraint.id)
        against = tuple(dict.fromkeys((*stays, *(others or (constraint.id,))))) if violated else stays
        self._judged[constraint.id] = (said.because, said.words)
        if against != constraint.against:
            self._put(replace(constraint, against=against))

    def check_bounds(self) -> None:
        """Note what is certain to break a bound that a constraint sets, where either of the two is new."""
        new = {change.element for change in self._history if change.before is None}
        current = [one for one in self._elements.values() if one.is_current]
        told = [one for one in current if isinstance(one, Fact | Assumption)]
        newly_told = [one for one in told if one.id in new]
        for constraint in current:
            if not isinstance(constraint, Constraint) or not has_limit(constraint):
                continue
            asked = told if constraint.id in new else newly_told
            breaks = [one.id for one in asked if is_certain_break(constraint, one)]
            if not set(breaks) <= set(constraint.against):
                self._put(replace(constraint, against=tuple(dict.fromkeys((*constraint.against, *breaks)))))

    def evaluate_constraints(self) -> None:
        """Mark each constraint that counts as satisfied, or as violated where something that counts stands against it."""
        against = conflicts(self.state())
        for element in list(self._elements.values()):
            if not isinstance(element, Constraint) or not element.is_current:
                continue
            others = against.get(element.id, ())
            status = Status.VIOLATED if others else Status.SATISFIED
            if status is element.status:
                continue
            cause = next((other for other in others if other != element.id), "")
            because = "Nothing stands against it any more."
            if others:
                because = f"It cannot hold beside {_quoted(self._elements[cause])}." if cause else "It does not hold."
            because, words = self._judged.get(element.id, (because, ""))
            self._change(replace(element, status=status), element.status, because, words, cause=cause)

    # All types

    def _withdraw(self, said: Withdrawn) -> None:
        element = self._closable(said.element, said.words)
        status = Status.CONTRADICTED if isinstance(element, Assumption) else Status.CLOSED
        self._end([_End(element, status, "The user said that it no longer holds.")], said.words)

    def _bring(self, said: New, because: str, new: Element) -> None:
        """Add the element that evidence brings, and end what it takes the place of or contradicts."""
        _need(has_words(said.description), "It says nothing.")
        _need(
            said.ref not in self._refs and said.ref not in self._elements, f"Another element has the name {said.ref}."
        )
        known = self._same(type(new), said.description)
        if known is not None and {self._current(one).id for one in said.replaces} <= {known.id}:
            self._name(said.ref, known)
            if said.replaces and isinstance(known, Assumption) and isinstance(new, Assumption):
                because = f"It was spoken of again, and its confidence is {new.confidence:g}."
                self._change(replace(known, confidence=new.confidence), known.status, because, said.words)
            return
        replaced = self._replaced_by(new, said)
        for one in replaced:
            self._need_words(one, said)
            is_asked = isinstance(one, Unknown) and not isinstance(new, Unknown)
            _need(not is_asked, f"{one.id} is an open question: it is answered or withdrawn, not replaced.")
        against = [self._current(one) for one in dict.fromkeys(said.against) if self._current(one) not in replaced]
        for one in against:
            may = isinstance(new, Fact | Constraint) and not isinstance(one, Unknown)
            _need(may, f"A new {new.kind} has no say against {one.id}, which is {_a(one)}.")
        wrong = [one for one in against if isinstance(one, Assumption)]
        ends = [
            *(_End(one, _replaced(one, new), f"{_quoted(new)} took its place.") for one in replaced),
            *(_End(one, Status.CONTRADICTED, f"It cannot be so beside {_quoted(new)}.") for one in wrong),
        ]
        basis = [self._current(one) for one in dict.fromkeys(said.basis)]
        falling = self._standing_on([one.element for one in ends if not _is_confirmed(one.element, new)])
        for one in basis:
            _need(
                one.id not in falling and all(one != end.element for end in ends),
                f"It would rest on {one.id}, which no longer holds because of it.",
            )
            _need(
                isinstance(new, Assumption) or not isinstance(one, Unknown),
                f"It would rest on {one.id}, which is open.",
            )
        stands = tuple(one.id for one in against if one not in wrong)
        new = self._add(replace(new, basis=tuple(one.id for one in basis), against=stands), because)
        self._name(said.ref, new)
        ends = [replace(one, cause=new.id, by=new if one.element in replaced else None) for one in ends]
        self._end(ends, said.words)

    def _replaced_by(self, new: Element, said: New) -> list[Element]:
        """Return what evidence takes the place of, without what falls with another of them.

        A new value for an answer takes the place of the fact that was taken for the answer.
        """
        found: dict[str, Element] = {}
        for name in said.replaces:
            one = self._current(name)
            is_reading = isinstance(one, Assumption) and self._is_reading(one) and not _is_confirmed(one, new)
            for key in one.basis if is_reading else (one.id,):
                found[key] = self._elements[key]
        return [one for one in found.values() if one.id not in self._standing_on(found.values())]

    def _end(self, ends: Iterable[_End], words: str, *, reopens: bool = True) -> None:
        """End elements and close what rested on them, transitively and only that.

        What takes the place of an answer is the answer then. An unknown whose answer is gone is open again, unless what made
        it needed is gone too.
        """
        falling = deque(ends)
        unanswered: list[tuple[str, Element]] = []
        while falling:
            end = falling.popleft()
            element = self._elements[end.element.id]
            if not element.is_current:
                continue
            by = end.by
            ended = replace(element, status=end.status, replaced_by="" if by is None else by.id)
            self._change(ended, element.status, end.because, words, cause=end.cause)
            resting = [self._elements[one] for one in self._resting[element.id]]
            for key in self._answered[element.id]:
                if by is None:
                    unanswered.append((key, element))
                elif not isinstance(by, Unknown):
                    self._answer(key, self._elements[by.id])
            if by is not None and _is_confirmed(element, by):
                for one in resting:
                    self._put(replace(one, basis=tuple(by.id if key == element.id else key for key in one.basis)))
                continue
            for one in resting:
                heir = None
                if isinstance(one, Assumption) and one.is_current and self._is_reading(one):
                    unknown = self._elements[str(one.answers)]
                    heir = self._taken_for_answer(unknown, by, one.confidence) if isinstance(by, Fact) else by
                because = f"It rested on {_quoted(element)}, which no longer counts."
                falling.append(_End(one, Status.CLOSED, because, element.id, heir))
        for key, answer in unanswered if reopens else ():
            unknown = self._elements[key]
            needed = all(one in self._elements and self._elements[one].is_current for one in unknown.basis)
            if isinstance(unknown, Unknown) and unknown.answer == answer.id and not unknown.is_current and needed:
                because = f"Its answer, {_quoted(answer)}, no longer counts."
                opened = replace(unknown, status=Status.OPEN, answer="")
                self._change(opened, unknown.status, because, words, cause=answer.id)

    def _standing_on(self, roots: Iterable[Element]) -> set[str]:
        """Return the ids of all that counts and rests on one of the elements, directly or not."""
        found: set[str] = set()
        waiting = [root.id for root in roots]
        while waiting:
            for one in self._resting[waiting.pop()]:
                if one not in found and self._elements[one].is_current:
                    found.add(one)
                    waiting.append(one)
        return found

    def _current(self, name: str) -> Element:
        """Return the element of an id or a ref that still counts."""
        element = self._elements.get(self._refs.get(name, name))
        if element is None:
            raise NotAdmitted(f"There is no element {name}.")
        _need(element.is_current, f"{element.id} does not count any more: it is {element.status}.")
        return element

    def _closable(self, name: str, words: str) -> Element:
        element = self._current(name)
        self._need_words(element, Withdrawn(element=name, words=words))
        return element

    def _need_words(self, element: Element, said: New | Withdrawn) -> None:
        """Check that it is no inference that ends what the user said."""
        may = has_words(said.words) or (isinstance(said, Asserted) and said.source is Source.TOOL)
        _need(
            may or not isinstance(element, Fact | Constraint),
            f"{element.id} is the user's, and no words of theirs end it.",
        )

    def _same(self, kind: type[Element], description: str) -> Element | None:
        """Return the element of a kind that counts and says the same, if there is one."""
        element = self._elements.get(self._described.get((kind, _folded(description)), ""))
        return element if element is not None and element.is_current else None

    def _name(self, ref: str, element: Element) -> None:
        if ref:
            self._refs[ref] = element.id

    def _add(self, element: Element, because: str, *, cause: str = "") -> Element:
        self._issued += 1
        added = replace(element, id=f"{element.kind[0]}{self._issued}", said_on=self.said_on)
        return self._change(added, None, because, added.words, cause=cause)

    def _change(self, element: Element, before: Status | None, because: str, words: str, *, cause: str = "") -> Element:
        """Put an element with its new status in, and on the record."""
        self._history.append(StatusChange(self.turn, element.id, before, element.status, because, words, cause))
        return self._put(replace(element, since=self.turn))

    def _put(self, element: Element) -> Element:
        self._elements[element.id] = element
        self._index(element)
        return element

    def _index(self, element: Element) -> None:
        for one in element.basis:
            self._resting[one][element.id] = None
        if isinstance(element, Unknown) and element.answer:
            self._answered[element.answer][element.id] = None
        key = (type(element), _folded(element.description))
        if element.is_current or key not in self._described:
            self._described[key] = element.id


def _replaced(old: Element, new: Element) -> Status:
    """Return the status of what something else took the place of."""
    disproved = isinstance(old, Assumption) and isinstance(new, Fact | Constraint) and not _is_confirmed(old, new)
    return Status.CONTRADICTED if disproved else Status.CLOSED


def _reading(unknown: Element, fact: Element) -> str:
    return f"{_bare(unknown.description)}: {fact.description}"


def _is_confirmed(old: Element, new: Element) -> bool:
    return _folded(old.description) == _folded(new.description)


def _need(condition: bool, because: str) -> None:
    if not condition:
        raise NotAdmitted(because)


def _need_share(value: float, name: str) -> None:
    _need(0 <= value <= 1, f"A {name} is between 0 and 1, and {value} is not.")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _bare(text: str) -> str:
    return text.rstrip(".? ")


def _quoted(element: Element) -> str:
    return f'"{_bare(element.description)}"'


def _a(element: Element) -> str:
    return f"{'an' if element.kind[0] in 'au' else 'a'} {element.kind}"
