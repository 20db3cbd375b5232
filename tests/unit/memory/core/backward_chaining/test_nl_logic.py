"""NL-Logic: one text form there and back, substitution at once, and rules without captured variables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.backward_chaining.nl_logic import (
    Atom,
    Constant,
    NotLogic,
    Substitution,
    Term,
    Variable,
    parsed_atom,
    parsed_substitution,
    types_of,
)

words = st.lists(st.from_regex(r"[A-Za-z',-]{1,8}", fullmatch=True), min_size=1, max_size=3).map(" ".join)
types = st.one_of(st.just(""), st.from_regex(r"[a-z]{2,8}( [a-z]{1,6})?", fullmatch=True))
# Drawn as printable, not sorted out: of several texts in one example too many would be.
printable = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
constants = st.builds(Constant, st.text(printable, min_size=1, max_size=12), types)
names = st.sampled_from(["x", "y", "z", "x1", "y2"])
variables = names.map(lambda name: Variable(name, f"kind of {name}"))
terms: st.SearchStrategy[Term] = st.one_of(constants, variables)
substitutions = st.dictionaries(names, terms, max_size=4).map(Substitution.of)


@st.composite
def atoms(draw: st.DrawFn) -> Atom:
    parts: list[str | Term] = []
    for _ in range(draw(st.integers(1, 3))):
        parts += [draw(words), draw(terms)]
    return Atom(tuple(parts[draw(st.integers(0, 1)) :]) if len(parts) > 2 else tuple(parts))


@given(atoms())
def test_an_atom_is_read_as_it_was_printed(atom: Atom) -> None:
    assert parsed_atom(str(atom)) == atom


@given(substitutions)
def test_a_substitution_is_read_as_it_was_printed(theta: Substitution) -> None:
    assert parsed_substitution(str(theta)) == theta


@given(substitutions, substitutions, atoms())
def test_a_composition_applies_one_after_the_other(first: Substitution, second: Substitution, atom: Atom) -> None:
    assert first.then(second).apply(atom) == second.apply(first.apply(atom))


@given(substitutions, atoms())
def test_an_application_leaves_what_is_not_bound(theta: Substitution, atom: Atom) -> None:
    for before, after in zip(atom.parts, theta.apply(atom).parts, strict=True):
        if not isinstance(before, Variable) or before.name not in theta.domain:
            assert after == before


def test_variables_are_replaced_at_once() -> None:
    theta = parsed_substitution("{x/(y), y/(Lyon)}")
    assert str(theta.apply(parsed_atom("(x:city) is near (y:city)"))) == "(y:city) is near (Lyon)"


@given(substitutions, substitutions)
def test_what_clashes_cannot_be_joined(first: Substitution, second: Substitution) -> None:
    if first.clashes(second):
        with pytest.raises(NotLogic):
            first.joined(second)
    else:
        assert first.joined(second).domain == first.domain | second.domain


def test_the_first_running_example_of_the_paper() -> None:
    goal = parsed_atom("(x:drink) ordered by (Alice:human) at (Momoco:cafe).")
    assert goal.variables == (Variable("x", "drink"),)
    theta = parsed_substitution("{x/(Kyoto Latte)}")
    assert theta.apply(goal).is_ground
    assert theta.apply(goal).sentence == "Kyoto Latte ordered by Alice at Momoco"
    assert goal.sentence == "which drink ordered by Alice at Momoco"


@pytest.mark.parametrize(
    "text",
    ["", "(x:drink)", "()", "likes ()", "likes (Alice", "likes Alice)", "a ∧ b", "(x) (y)", 'likes ("Al\\q")'],
)
def test_what_is_no_atom_is_refused(text: str) -> None:
    with pytest.raises(NotLogic):
        parsed_atom(text)


@pytest.mark.parametrize(
    "text", ["x/(a b)", "{x}", "{x/Lyon}", "{x/(Lyon) y/(Rome)}", "{x/(Lyon), x/(Rome)}", "{Xy/(Lyon)}"]
)
def test_what_is_no_substitution_is_refused(text: str) -> None:
    with pytest.raises(NotLogic):
        parsed_substitution(text)


def test_the_closer_of_two_types_holds() -> None:
    atoms = [parsed_atom("(Alice) visited (z:cafe)"), parsed_atom("(x:drink) served in (z:cafe visited last week)")]
    assert types_of(atoms) == {"z": "cafe visited last week", "x": "drink"}


def test_a_variable_of_two_kinds_is_refused() -> None:
    with pytest.raises(NotLogic, match="used as 'cafe' and as 'sister'"):
        types_of([parsed_atom("(Alice) visited (z:cafe)"), parsed_atom("(z:sister) lives in (Lyon)")])
