"""What must hold of every revision, over random histories of good, bad and hostile evidence (SLSM, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from cProfile import Profile
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.semantic_state.admissibility import TAU, admissibility
from memory.core.semantic_state.elements import (
    EMPTY_STATE,
    Assumption,
    Constraint,
    Element,
    Fact,
    PlanMode,
    SemanticState,
    Source,
    Status,
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
from memory.core.semantic_state.revision import revise
from tests.hypothesis_profiles import examples

HISTORIES = examples(500)
DESCRIPTIONS = (*"ABCDEFGHIJKLMNOPQRS", "")
NEW = (Asserted, Required, Assumed, Missed)


@dataclass(frozen=True)
class Draft:
    """Evidence before it is known which elements there are: `pick` and `points` say which of them it names."""

    kind: type[Evidence]
    description: str
    words: str
    number: float
    pick: int
    points: tuple[tuple[str, int], ...]
    source: Source
    status: Status


LINKS = ("basis", "replaces", "against")
drafts = st.builds(
    Draft,
    kind=st.sampled_from((*NEW, *NEW, Resolved, Resolved, Withdrawn, Irrelevant, Evaluated, Ungrounded)),
    description=st.sampled_from(DESCRIPTIONS),
    words=st.sampled_from((*["as I said"] * 9, " ")),
    number=st.sampled_from((*[0.2, 0.5, 0.9, 1.0, 0.8] * 4, 0.0, -1.0, 3.0, float("inf"), float("nan"))),
    pick=st.integers(0, 30),
    points=st.lists(st.tuples(st.sampled_from((*LINKS, *LINKS, "none")), st.integers(0, 30)), max_size=1).map(tuple),
    source=st.sampled_from(Source),
    status=st.sampled_from(Status),
)
turns = st.lists(st.lists(drafts, min_size=2, max_size=6), min_size=3, max_size=6)


def evidence_of(turn: Sequence[Draft], state: SemanticState, *, mark: str = "", hostile: bool = True) -> list[Evidence]:
    """Return the evidence of drafts, which name the elements of a state, each other, and what is not there."""
    known = [name for name, one in state.elements.items() if one.description.startswith(mark)]
    counts = [name for name in known if state.elements[name].is_current]
    names = [*known, *counts * 3, *(f"{mark}e{place}" for place in range(len(turn))), *(["x99"] if hostile else [])]
    fits = {
        Resolved: [name for name in counts if name.startswith("u")],
        Evaluated: [name for name in counts if name.startswith("c")],
    }
    found: list[Evidence] = []
    for place, draft in enumerate(turn):
        named = [(link, names[point % len(names)]) for link, point in draft.points]
        fitting = fits.get(draft.kind) or names or [""]
        one = fitting[draft.pick % len(fitting)]
        other = named[0][1] if named else f"{mark}e{place - 1}"
        said = {"words": draft.words}
        new = {
            **said,
            "description": f"{mark}{draft.description}" if draft.description else "",
            "ref": f"{mark}e{place}",
            **{link: tuple(name for of, name in named if of == link) for link in LINKS},
        }
        match draft.kind.__name__:
            case "Asserted":
                found.append(Asserted(**new, source=draft.source))
            case "Required":
                found.append(Required(**new, weight=draft.number))
            case "Assumed":
                found.append(Assumed(**new, confidence=draft.number))
            case "Missed":
                found.append(Missed(**new, question=draft.description, priority=draft.number))
            case "Resolved":
                found.append(Resolved(**said, unknown=one, by=other, confidence=draft.number))
            case "Evaluated":
                found.append(Evaluated(**said, constraint=one, status=draft.status, because="Checked."))
            case "Ungrounded":
                found.append(Ungrounded(proposed="fact: It rains", because="Nobody said it."))
            case _:
                found.append(draft.kind(**said, element=one))  # type: ignore[call-arg]
    return found


Step = tuple[SemanticState, list[Evidence], SemanticState]


def steps(history: Sequence[Sequence[Draft]]) -> Iterable[Step]:
    """Yield each state of a history, the evidence that revises it, and what it becomes."""
    state = EMPTY_STATE
    for number, turn in enumerate(history, start=1):
        evidence = evidence_of(turn, state)
        after = revise(state, evidence, turn=number)
        yield state, evidence, after
        state = after


def names_in(evidence: Iterable[Evidence], state: SemanticState) -> set[str]:
    """Return the ids and refs that evidence has in its fields; a ref names what is there and said again, too."""
    found: set[str] = set()
    for said in evidence:
        found |= {getattr(said, one, "") for one in ("element", "unknown", "by", "constraint", "ref")}
        found.update(*(getattr(said, link, ()) for link in LINKS))
    said_again = {said.description for said in evidence if isinstance(said, NEW)}
    return found | {name for name, one in state.elements.items() if one.description in said_again}


def touched(before: SemanticState, evidence: Sequence[Evidence], after: SemanticState) -> set[str]:
    """Return the ids of what evidence names or says again, and of what is bound to such, however far."""
    found = (names_in(evidence, before) & set(after.elements)) | (set(after.elements) - set(before.elements))
    elements = [*before.elements.values(), *after.elements.values()]
    bound: dict[str, set[str]] = {}
    for one in elements:
        for other in (*one.basis, *one.against, getattr(one, "answer", ""), getattr(one, "answers", "") or ""):
            bound.setdefault(one.id, set()).add(other)
            bound.setdefault(other, set()).add(one.id)
    waiting = list(found)
    while waiting:
        new = bound.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


@settings(max_examples=HISTORIES)
@given(turns)
def test_types_sources_and_ids_stay_what_they_are(history):
    for before, _, after in steps(history):
        assert list(after.elements)[: len(before.elements)] == list(before.elements), "nothing is deleted or moved"
        assert after.issued - before.issued == len(after.elements) - len(before.elements), "no id is given twice"
        for name, one in after.elements.items():
            assert one.id == name and one.status in one.statuses
            assert type(before.elements.get(name, one)) is type(one), "an assumption never becomes a fact"
            if isinstance(one, Fact) and one.source is Source.USER:
                assert one.words.strip(), "a user's fact has the user's words"
            if isinstance(one, Assumption):
                assert 0 <= one.confidence <= 1
            if isinstance(one, Constraint):
                assert 0 < one.weight <= 1 and one.words.strip()


@settings(max_examples=HISTORIES)
@given(turns)
def test_every_status_is_on_the_record(history):
    for before, _, after in steps(history):
        assert after.history[: len(before.history)] == before.history
        assert after.refused[: len(before.refused)] == before.refused
        told: dict[str, Status | None] = {}
        for change in after.history:
            assert told.get(change.element) == change.before and change.because.endswith((".", "!", "?"))
            told[change.element] = change.after
        assert told == {name: one.status for name, one in after.elements.items()}


@settings(max_examples=HISTORIES)
@given(turns)
def test_what_no_evidence_touches_stays_the_same_object(history):
    for before, evidence, after in steps(history):
        near = touched(before, evidence, after)
        for name, one in before.elements.items():
            assert name in near or after.elements[name] is one


@settings(max_examples=HISTORIES)
@given(turns)
def test_retraction_reaches_all_that_rested_on_it_and_nothing_else(history):
    for before, evidence, after in steps(history):
        for one in after.elements.values():
            grounds = [after.elements[name] for name in one.basis]
            assert not one.is_current or all(ground.is_current for ground in grounds), "it rests on what fell"
        fell = {
            change.element
            for change in after.history[len(before.history) :]
            if change.before in (current := after.elements[change.element].current) and change.after not in current
        }
        named = names_in(evidence, before)
        readings = {name for key in named & set(after.elements) for name in after.elements[key].basis}
        refs = {name for name in after.elements if name not in before.elements}
        for name in fell:
            rested = {*after.elements[name].basis, *before.elements.get(name, after.elements[name]).basis}
            assert name in named | readings | refs or rested & fell, "nothing says that it falls"


@settings(max_examples=HISTORIES)
@given(turns)
def test_open_question_closes_only_where_it_is_named_or_loses_its_ground(history):
    for before, evidence, after in steps(history):
        named = names_in(evidence, before)
        for name, one in before.elements.items():
            now = after.elements[name]
            if not isinstance(one, Unknown) or not one.is_current or now.is_current:
                continue
            lost = [key for key in one.basis if not after.elements[key].is_current]
            assert name in named or lost, "it was silently filled"
            if now.answer:
                confirmed = [key for key, one in after.elements.items() if one.replaced_by == now.answer]
                became = [after.elements[key] for key in (now.answer, *confirmed)]
                assert any(isinstance(one, Assumption | Constraint) for one in became), "it became a fact by itself"


@settings(max_examples=HISTORIES)
@given(turns)
def test_refused_evidence_leaves_no_trace_and_the_rest_is_applied(history):
    for before, evidence, after in steps(history):
        turn = after.turn
        kept = [
            said
            for place, said in enumerate(evidence)
            if len(revise(before, evidence[: place + 1], turn=turn).refused)
            == len(revise(before, evidence[:place], turn=turn).refused)
        ]
        assert len(evidence) - len(kept) == len(after.refused) - len(before.refused)
        alone = revise(before, kept, turn=turn)
        assert (alone.elements, alone.history, alone.plans) == (after.elements, after.history, after.plans)
        for refusal in after.refused:
            assert refusal.proposed.strip() and refusal.because.endswith(".")


@settings(max_examples=HISTORIES)
@given(turns)
def test_admissible_by_the_four_conditions_and_only_then_proceeds(history):
    for _, _, after in steps(history):
        elements = after.elements.values()
        stands_against = (
            any(isinstance(one, Unknown) and one.is_current for one in elements)
            or any(isinstance(one, Constraint) and one.status is Status.VIOLATED for one in elements)
            or any(isinstance(one, Assumption) and one.is_current and one.confidence < TAU for one in elements)
            or any(
                isinstance(one, Assumption)
                and one.status is Status.CONTRADICTED
                and one.since == after.turn
                and not one.replaced_by
                for one in elements
            )
        )
        assert bool(admissibility(after)) is stands_against
        modes = {plan.mode for plan in after.plans}
        assert modes == ({PlanMode.VERIFY} if stands_against else {PlanMode.PROCEED})
        assert {plan.target for plan in after.plans} <= {*after.elements, ""}


@settings(max_examples=HISTORIES)
@given(turns)
def test_constraint_is_violated_where_something_that_counts_stands_against_it(history):
    for _, _, after in steps(history):
        counting = [one for one in after.elements.values() if one.is_current]
        told = {(one.id, other) for one in counting for other in one.against if after.elements[other].is_current}
        against = {name for pair in told for name in pair}
        for one in counting:
            assert not isinstance(one, Constraint) or (one.status is Status.VIOLATED) is (one.id in against)


@settings(max_examples=HISTORIES)
@given(turns, turns)
def test_order_of_independent_evidence_does_not_matter(left, right):
    state = EMPTY_STATE
    for number, (one, other) in enumerate(zip(left, right, strict=False), start=1):
        first = evidence_of(one, state, mark="L:", hostile=False)
        second = evidence_of(other, state, mark="R:", hostile=False)
        after = revise(state, [*first, *second], turn=number)
        assert by_description(after) == by_description(revise(state, [*second, *first], turn=number))
        state = after


def by_description(state: SemanticState) -> list[tuple[object, ...]]:
    """Return the elements without their ids, in an order of their own."""

    def told(names: Iterable[str]) -> list[str]:
        return sorted(state.elements[name].description for name in names)

    def row(one: Element) -> tuple[object, ...]:
        return (one.kind, one.description, one.status, one.since, told(one.basis), told(one.against), one.words)

    return sorted((row(one) for one in state.elements.values()), key=repr)


@pytest.mark.parametrize("number", [3, -0.1, float("nan"), float("inf")])
def test_confidence_that_is_none_is_refused(number):
    state = revise(EMPTY_STATE, [Assumed(description="Six plates", confidence=number)], turn=1)
    assert not state.elements and f"{number}" in state.refused[0].because


def calls_of_an_update(things: int) -> int:
    """Return how many functions an update and its plan call in a state of so many things, each of which is to be blue."""
    many = [
        one
        for number in range(things)
        for one in (
            Asserted(description=f"Thing {number} is here", words="as I said", ref=f"thing{number}"),
            Required(description=f"Thing {number} is blue", words="as I said", basis=(f"thing{number}",)),
        )
    ]
    state = revise(EMPTY_STATE, many, turn=1)
    assert len(state.elements) == 2 * things and not state.refused
    news = [
        Withdrawn(element="f1", words="not that one"),
        Asserted(description="It is on Saturday", words="as I said", replaces=("f3",)),
    ]
    with Profile() as profile:
        after = revise(state, news, turn=2)
        broken = admissibility(after)
    assert not after.refused and after.plans and not broken
    return sum(entry.callcount for entry in profile.getstats())


def test_work_of_an_update_and_its_plan_grows_no_faster_than_the_state():
    assert calls_of_an_update(500) < 2.5 * calls_of_an_update(250)
