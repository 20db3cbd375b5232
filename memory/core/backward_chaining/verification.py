"""Verifies unifiers: what a player proposes holds only as far as the facts that it cites say so (GOAL-MEM, section 4.2).

The player judges types, equality and entailment in natural language; here is checked what can be checked without it:

- the subgoal, the cited facts and the variables exist, and no variable of the subgoal stays unknown;
- each value occurs in a cited fact, with who said it, in the question, or among what holds already. One that does not, such
  as the state of a city or the month of "last month", needs a bridge: a date that the fact's words mean, or a named step of
  common knowledge that begins at words of the fact;
- a variable has one value: one that holds already stays, and of two that are proposed at once none is taken;
- an entailment model, where there is one, does not find that the facts contradict the grounded subgoal.

Departure from the paper: it leaves all three conditions to the model that proposes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from memory.core.backward_chaining.nl_logic import Constant, Substitution, Variable
from memory.core.backward_chaining.types import (
    Fault,
    Grounded,
    RejectedUnifier,
    Subgoal,
    Unification,
    UnificationTask,
    Unifier,
)
from memory.core.english.times import dates_in
from memory.core.grounding import Grounds
from memory.core.naming import key_of
from memory.core.ports import EntailmentModel
from memory.core.types import MemoryUnit, TimeSpan


@dataclass(frozen=True)
class VerificationConfig:
    """`contradiction` is the probability from which an entailment model is believed that facts contradict: it is small."""

    contradiction: float = 0.9


@dataclass(frozen=True)
class Verified:
    """What of a unification holds, with θ grown by it, and what does not."""

    grounded: tuple[Grounded, ...]
    rejected: tuple[RejectedUnifier, ...]
    substitution: Substitution


def verified(
    task: UnificationTask,
    unification: Unification,
    *,
    entailment: EntailmentModel | None = None,
    config: VerificationConfig = VerificationConfig(),
) -> Verified:
    """Return what holds of a unification, whatever the order of its unifiers.

    One that leaves out a value may take it from another that holds.
    """
    found = _verified_alone(task, unification.unifiers, entailment, config)
    waiting = tuple(one.unifier for one in found.rejected if one.fault is Fault.UNBOUND)
    if not (waiting and found.grounded):
        return found
    grounded = (*task.attempt.grounded, *found.grounded)
    grown = replace(task, attempt=replace(task.attempt, grounded=grounded, substitution=found.substitution))
    more = verified(grown, Unification(waiting), entailment=entailment, config=config)
    others = tuple(one for one in found.rejected if one.unifier not in waiting)
    return Verified((*found.grounded, *more.grounded), (*others, *more.rejected), more.substitution)


def _verified_alone(
    task: UnificationTask, unifiers: Sequence[Unifier], entailment: EntailmentModel | None, config: VerificationConfig
) -> Verified:
    """Return what holds of unifiers, each with the values that it has itself and that hold already."""
    checked = [_checked(unifier, task) for unifier in unifiers]
    sound = [one for one in checked if isinstance(one, Grounded)]
    rejected = [one for one in checked if isinstance(one, RejectedUnifier)]
    disputed = _disputed(sound)
    rejected += [
        _rejection(one, Fault.CONTRADICTORY, _both_values(one, disputed)) for one in sound if _has(one, disputed)
    ]
    agreed = _first_of_each([one for one in sound if not _has(one, disputed)])
    refuted = _refuted(agreed, entailment, config)
    rejected += [
        _rejection(one, Fault.CONTRADICTED, f"The facts speak against “{one.atom.sentence}”.") for one in refuted
    ]
    held = [one for one in agreed if one not in refuted]
    substitution = task.substitution
    for one in held:
        substitution = _grown(substitution, one.bindings)
    return Verified(tuple(held), tuple(rejected), substitution)


def same(one: str, other: str) -> bool:
    """Return whether two names mean the same: equal, or all words of one among the other's ("Matcha", "Matcha Powder")."""
    first, second = set(key_of(one).split()), set(key_of(other).split())
    return bool(first and second) and (first <= second or second <= first)


def _checked(unifier: Unifier, task: UnificationTask) -> Grounded | RejectedUnifier:
    subgoal = next((one for one in task.subgoals if one.number == unifier.subgoal), None)
    if subgoal is None:
        return RejectedUnifier(unifier, Fault.NO_SUBGOAL, f"There is no open subgoal {unifier.subgoal}.")
    strangers = [number for number in unifier.facts if not 1 <= number <= len(task.facts)]
    if strangers or not (unifier.facts or unifier.bridge):
        named = f"There is no fact {strangers[0]}." if strangers else "No fact is cited."
        return RejectedUnifier(unifier, Fault.NO_FACT, named)
    atom = task.substitution.apply(subgoal.atom)
    own = {variable.name for variable in subgoal.atom.variables}
    if outside := sorted(unifier.bindings.domain - own):
        return RejectedUnifier(unifier, Fault.NO_VARIABLE, f"The subgoal has no variable {outside[0]}.")
    if clash := _other_value(unifier.bindings, task.substitution):
        return RejectedUnifier(unifier, Fault.OTHER_VALUE, clash)
    grounded = unifier.bindings.apply(atom)
    if not grounded.is_ground:
        return RejectedUnifier(unifier, Fault.UNBOUND, f"It does not say {grounded.variables[0]}.")
    facts = tuple(task.facts[number - 1] for number in dict.fromkeys(unifier.facts))
    if unsaid := _unsaid(unifier, facts, task):
        return RejectedUnifier(unifier, Fault.NOT_SAID, f"“{unsaid}” is in none of the facts that are cited for it.")
    return Grounded(subgoal, grounded, unifier.bindings, facts, unifier.bridge)


def _other_value(bindings: Substitution, held: Substitution) -> str:
    for name, value in bindings.bindings:
        known = held.get(name)
        if isinstance(known, Constant) and isinstance(value, Constant) and not same(known.text, value.text):
            return f"{name} is “{known.text}” already, not “{value.text}”."
    return ""


def _unsaid(unifier: Unifier, facts: Sequence[MemoryUnit], task: UnificationTask) -> str:
    """Return the first value that is neither said nor reached by a bridge."""
    known = [value.text for _, value in task.substitution.bindings if isinstance(value, Constant)]
    told = [*known, *(word for fact in facts for word in (fact.text, fact.speaker))]
    said = Grounds([*told, task.question.text, task.question.asker])
    bridge = Grounds([unifier.bridge])
    is_bridge = bool(unifier.bridge) and (not facts or Grounds(told).share(unifier.bridge) > 0)
    for _, value in unifier.bindings.bindings:
        if isinstance(value, Variable) or said.share(value.text) == 1 or _is_dated(value.text, facts, task):
            continue
        if not (is_bridge and bridge.share(value.text) == 1):
            return value.text
    return ""


def _is_dated(value: str, facts: Sequence[MemoryUnit], task: UnificationTask) -> bool:
    """Return whether a value is a time that overlaps one that the words of a fact mean, or the day when it was said."""
    wanted = [time.during(task.question.asked_at) for time in dates_in(value, said_at=task.question.asked_at)]
    told = [time.during(fact.said_at) for fact in facts for time in dates_in(fact.text, said_at=fact.said_at)]
    told += [TimeSpan(fact.said_at, fact.said_at + timedelta(seconds=1)) for fact in facts]
    return bool(wanted) and all(any(one.start < time.end and time.start < one.end for time in told) for one in wanted)


def _disputed(sound: Sequence[Grounded]) -> Mapping[str, tuple[str, ...]]:
    """Return the variables for which different values were proposed, with the values."""
    values: dict[str, list[str]] = {}
    for one in sound:
        for name, value in one.bindings.bindings:
            if isinstance(value, Constant):
                values.setdefault(name, []).append(value.text)
    return {
        name: tuple(dict.fromkeys(found))
        for name, found in values.items()
        if any(not same(one, other) for one in found for other in found)
    }


def _has(one: Grounded, disputed: Mapping[str, tuple[str, ...]]) -> bool:
    return bool(one.bindings.domain & disputed.keys())


def _both_values(one: Grounded, disputed: Mapping[str, tuple[str, ...]]) -> str:
    name = min(one.bindings.domain & disputed.keys())
    return f"{name} would be {' and '.join(f'“{value}”' for value in disputed[name])} at once."


def _first_of_each(sound: Sequence[Grounded]) -> list[Grounded]:
    """Return one grounding a subgoal, with the facts of all that agree with it."""
    merged: dict[int, Grounded] = {}
    for one in sound:
        known = merged.get(one.subgoal.number)
        facts = {fact.id: fact for fact in (*known.facts, *one.facts)} if known else {}
        merged[one.subgoal.number] = replace(known, facts=tuple(facts.values())) if known else one
    return list(merged.values())


def _refuted(
    grounded: Sequence[Grounded], entailment: EntailmentModel | None, config: VerificationConfig
) -> list[Grounded]:
    judged = [one for one in grounded if one.facts and not one.bridge]
    if entailment is None or not judged:
        return []
    pairs = [(" ".join(f"{fact.speaker}: {fact.text}" for fact in one.facts), one.atom.sentence) for one in judged]
    verdicts = entailment.predict_many(pairs)
    return [one for one, verdict in zip(judged, verdicts, strict=True) if verdict.contradiction >= config.contradiction]


def _grown(held: Substitution, bindings: Substitution) -> Substitution:
    return held.joined(Substitution.of({name: value for name, value in bindings.bindings if held.get(name) is None}))


def _rejection(one: Grounded, fault: Fault, detail: str) -> RejectedUnifier:
    return RejectedUnifier(Unifier(one.subgoal.number, (), one.bindings, one.bridge), fault, detail)


def open_reasons(subgoals: Sequence[Subgoal], unification: Unification, verified: Verified) -> dict[int, str]:
    """Return why each of the subgoals that are not grounded is open."""
    held = {one.subgoal.number for one in verified.grounded}
    why = dict(unification.unresolved) | {one.unifier.subgoal: one.detail for one in verified.rejected}
    return {one.number: why.get(one.number, "No fact says it.") for one in subgoals if one.number not in held}
