"""Reads what a model replies to the prompts of backward chaining.

A server that holds replies to a schema sends what the reply types say. Others send numbers as words, one thing for a list of
one, mappings for pairs and variables as "?x", "X" or "(x:drink)"; all of that is read. An entry that cannot be used is named,
with the reason, and the rest counts; a reply without a usable entry is unreadable.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel

from memory.core.backward_chaining.nl_logic import (
    Atom,
    Constant,
    NotLogic,
    Substitution,
    Variable,
    parsed_atom,
    parsed_substitution,
    types_of,
)
from memory.core.backward_chaining.types import Antecedent, Decomposition, Refinement, Relation, Unification, Unifier
from memory.core.fact_lines import on_one_line
from memory.core.prompting import UnreadableReply, answer_of, first_object

# Of one text of a reply, in characters.
TEXT_LIMIT = 600
_NUMBER = re.compile(r"[^\d-]{0,12}(\d{1,9})(?:\.0+)?\D{0,3}")
# A variable's name, alone or with its type, with the marks that other notations put around it.
_NAME = re.compile(r"[\s(?$<{\"'`]*([A-Za-z]\d*)[\s)>}\"'`]*(?::.*)?", re.DOTALL)
_QUERY_MARK = re.compile(r"\(\s*[?$]\s*(?=[a-z]\d*\s*[:)])")


class SubgoalReply(BaseModel):
    """A statement in the text form of NL-Logic, and the words to look for it."""

    says: str
    query: str


class DecompositionReply(BaseModel):
    """A goal, what it is taken apart into, and the names of the variables that answer the question."""

    goal: str
    subgoals: list[SubgoalReply]
    answer: list[str]


class BindingReply(BaseModel):
    variable: str
    value: str


class GroundedReply(BaseModel):
    """A statement that follows, by its number and those of the facts that it follows from."""

    subgoal: int
    facts: list[int]
    bridge: str
    bindings: list[BindingReply]


class UnresolvedReply(BaseModel):
    subgoal: int
    why: str


class UnificationReply(BaseModel):
    """Which statements follow, and which do not."""

    grounded: list[GroundedReply]
    unresolved: list[UnresolvedReply]


class AntecedentReply(BaseModel):
    """What has to be known before an open statement, named by its number, can be settled."""

    subgoal: int
    says: str
    relation: Literal["temporal", "causal", "semantic", "spatial"]
    query: str


class RefinementReply(BaseModel):
    """What to look for next; none, with a reason, where nothing would help."""

    antecedents: list[AntecedentReply]
    why_stopped: str


def decomposition_of(reply: str, *, first: Decomposition | None, most: int) -> Decomposition | None:
    """Return the decomposition of a reply; None where it has no subgoals because `first`, made before, is the only way.

    Raises `UnreadableReply`, and `NotLogic` for statements that are none and for more than `most`.
    """
    found = _object(reply, needs=("subgoals",))
    entries = [entry for entry in _items(found["subgoals"]) if isinstance(entry, dict | str)]
    if not entries and first is not None:
        return None
    says = [_text(entry.get("says") if isinstance(entry, dict) else entry) for entry in entries]
    queries = [_text(entry.get("query")) if isinstance(entry, dict) else "" for entry in entries]
    if len(says) > most:
        raise NotLogic(f"The goal is taken apart into {len(says)} subgoals, where {most} are the most.")
    goal = _text(found.get("goal"))
    goal_atom = first.goal if first is not None and not goal else _atom(goal)
    sought = dict(zip(map(_atom, says), queries, strict=True))
    return Decomposition(goal_atom, tuple(sought), _answer(found, goal_atom), tuple(sought.values()))


def unification_of(reply: str) -> Unification:
    """Return the unifiers of a reply, and why other subgoals are open. Raises `UnreadableReply`."""
    found = _object(reply, needs=("grounded", "unresolved"))
    unifiers: list[Unifier] = []
    unresolved: dict[int, str] = {}
    for entry, number in _numbered(found.get("unresolved")):
        unresolved[number] = _text(entry.get("why"))
    for entry, number in _numbered(found.get("grounded")):
        facts = tuple(fact for one in _items(entry.get("facts")) if (fact := _number(one)) is not None)
        try:
            unifiers.append(Unifier(number, facts, _bindings(entry.get("bindings")), _text(entry.get("bridge"))))
        except NotLogic as error:
            unresolved[number] = f"The model's values for it could not be used: {error}"
    if not (unifiers or unresolved) and (found.get("grounded") or found.get("unresolved")):
        raise UnreadableReply("no entry of its lists names a subgoal.")
    return Unification(tuple(unifiers), unresolved)


def refinement_of(reply: str, *, known: tuple[Atom, ...]) -> Refinement:
    """Return the antecedents of a reply, one a subgoal; their variables have the types that they have in `known`.

    Raises `UnreadableReply`, and `NotLogic` where there are antecedents and none is logic.
    """
    found = _object(reply, needs=("antecedents", "why_stopped"))
    antecedents: dict[int, Antecedent] = {}
    faults: list[NotLogic] = []
    for entry, number in _numbered(found.get("antecedents")):
        try:
            atom = _atom(_text(entry.get("says")))
            types_of((*known, *(one.atom for one in antecedents.values()), atom))
        except NotLogic as error:
            faults.append(error)
            continue
        antecedents.setdefault(number, Antecedent(number, atom, _relation(entry), _text(entry.get("query"))))
    if not antecedents and faults:
        raise faults[0]
    if not antecedents and found.get("antecedents"):
        raise UnreadableReply("no entry of its list names a subgoal.")
    return Refinement(tuple(antecedents.values()), _text(found.get("why_stopped")))


def _object(reply: str, *, needs: tuple[str, ...]) -> dict[str, object]:
    """Return the object of a reply that has at least one of the fields that it needs. Raises `UnreadableReply`."""
    found = first_object(answer_of(reply))
    if not any(isinstance(found.get(name), list | dict | str) for name in needs):
        raise UnreadableReply(f'the object has no "{needs[0]}".')
    return found


def _items(value: object) -> list[object]:
    """Return the entries of a list; one thing that stands for a list of one is one, and nothing none."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [] if value is None else [value]


def _numbered(value: object) -> Iterator[tuple[dict[str, object], int]]:
    """Yield the entries of a list that name a subgoal, with its number."""
    for entry in _items(value):
        if isinstance(entry, dict) and (number := _number(entry.get("subgoal"))) is not None:
            yield entry, number


def _number(value: object) -> int | None:
    """Return a number that may be written "3", "3." or "fact 3"; None for what is none."""
    found = _NUMBER.fullmatch(str(value).strip()) if isinstance(value, int | float | str) else None
    return int(found[1]) if found else None


def _text(value: object) -> str:
    """Return a text on one line that a database can hold, cut to what is of use."""
    if isinstance(value, list):
        value = ", ".join(_text(one) for one in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return on_one_line(str(value))[:TEXT_LIMIT]


def _atom(text: str) -> Atom:
    return parsed_atom(_QUERY_MARK.sub("(", text))


def _answer(found: Mapping[str, object], goal: Atom) -> tuple[str, ...]:
    """Return the names of the answer variables: those of the goal where a reply leaves them out."""
    if "answer" not in found:
        return tuple(variable.name for variable in goal.variables)
    said = [_text(one) for one in _items(found["answer"])]
    return tuple(dict.fromkeys(_name(one) for one in said if one.casefold() not in ("", "none")))


def _name(text: str) -> str:
    found = _NAME.fullmatch(text)
    if found is None:
        raise NotLogic(f"{text!r} is no name of a variable.")
    return found[1].lower()


def _bindings(value: object) -> Substitution:
    """Return the bindings of a list of pairs, or of a mapping; what has no value stays unbound. Raises `NotLogic`."""
    pairs = [(entry.get("variable"), entry.get("value")) for entry in _items(value) if isinstance(entry, dict)]
    if isinstance(value, dict) and "variable" not in value:
        pairs = list(value.items())
    found: dict[str, Constant] = {}
    for variable, said in pairs:
        constant = _constant(_text(said))
        name = _name(_text(variable))
        if constant is None:
            continue
        if found.setdefault(name, constant) != constant:
            raise NotLogic(f"{name} would be {found[name].text!r} and {constant.text!r} at once.")
    return Substitution.of(found)


def _constant(text: str) -> Constant | None:
    """Return the value that a text names, also as a term, "(Matcha Powder:ingredient)"; None for none or a variable."""
    if text.startswith("("):
        try:
            term = parsed_substitution(f"{{x/{text}}}").get("x")
        except NotLogic:
            return Constant(text)
        return None if isinstance(term, Variable) or term is None else term
    return Constant(text) if text else None


def _relation(entry: Mapping[str, object]) -> Relation:
    said = _text(entry.get("relation")).casefold()
    return next((relation for relation in Relation if relation.value == said), Relation.SEMANTIC)
