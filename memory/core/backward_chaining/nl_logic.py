"""Natural Language Logic: first-order atoms whose predicates and types are phrases (GOAL-MEM, section 3).

One text form is parsed and printed, that of the paper:

    (x:drink) ordered by (Alice:human) at (Momoco:cafe)                     an atom
    (x:drink) contains (y:flavor) ∧ (Alice) likes (y:flavor) ⇒ (x) suits (Alice)     a rule
    {x/(Kyoto Latte), y/(Matcha Powder:ingredient)}                         a substitution

What stands in parentheses is a term, all else is the predicate. A term is a variable where its name is one lower-case letter,
with digits or none (x, y, x1), and a constant otherwise; a constant that would read as something else is quoted ("x"). A type
is optional for constants, and for a variable whose type another place of the same text gives.

Departure from the paper: terms may be bound to variables too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_NAME = re.compile(r"[a-z]\d*")
_TERM = re.compile(r"\(\s*(\"(?:[^\"\\]|\\.)*\"|[^():\"]*)\s*(?::\s*([^():\"]*))?\s*\)")
_MARKS = "()∧⇒"
_NOT_BARE = re.compile(r"[():\"∧⇒\\\x00-\x1f]|^\s|\s$|\s\s|^$")
_ARROW = "⇒"
_AND = "∧"


class NotLogic(ValueError):
    """Raised for text that is no NL-Logic; the message says what is wrong with it."""


@dataclass(frozen=True)
class Constant:
    """A thing by its name, such as "Kyoto Latte", with its type where it was given."""

    text: str
    type: str = ""

    def __str__(self) -> str:
        bare = not _NOT_BARE.search(self.text) and not _NAME.fullmatch(self.text)
        return _in_parentheses(self.text if bare else json.dumps(self.text, ensure_ascii=False), self.type)


@dataclass(frozen=True)
class Variable:
    """What is still unknown, such as x, of a type, such as "cafe visited last week"."""

    name: str
    type: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise NotLogic(f"{self.name!r} is no name of a variable: one lower-case letter, then digits or nothing.")

    def __str__(self) -> str:
        return _in_parentheses(self.name, self.type)


Term = Constant | Variable


@dataclass(frozen=True)
class Atom:
    """An atomic formula R(t_1, ..., t_n), its parts in the order of the sentence: words of the predicate, and terms."""

    parts: tuple[str | Term, ...]

    def __post_init__(self) -> None:
        words = [part for part in self.parts if isinstance(part, str)]
        if not words:
            raise NotLogic(f"{self} says nothing of its terms: words of a predicate are missing.")
        for before, part in zip(("", *self.parts), self.parts, strict=False):
            if isinstance(part, str) and (not part or part != " ".join(part.split()) or any(m in part for m in _MARKS)):
                raise NotLogic(f"{part!r} cannot be a part of a predicate.")
            if isinstance(part, str) and isinstance(before, str) and before:
                raise NotLogic(f"{before!r} and {part!r} are one part of a predicate, not two.")

    def __str__(self) -> str:
        return " ".join(map(str, self.parts))

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(part for part in self.parts if not isinstance(part, str))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, each once, in order."""
        return tuple(dict.fromkeys(term for term in self.terms if isinstance(term, Variable)))

    @property
    def is_ground(self) -> bool:
        return not self.variables

    @property
    def sentence(self) -> str:
        """The atom as plain words: a constant by its text, a variable by its type ("which drink" for x:drink)."""
        words = " ".join(part if isinstance(part, str) else _plain(part) for part in self.parts)
        return re.sub(r"\s+(['’](?:s|re|ve|d|ll|m)\b|[,.;!?])", r"\1", words)


@dataclass(frozen=True)
class Rule:
    """A rule ψ_1 ∧ ... ∧ ψ_k ⇒ φ: the conclusion holds where all its conditions do."""

    conditions: tuple[Atom, ...]
    conclusion: Atom

    def __str__(self) -> str:
        return f"{f' {_AND} '.join(map(str, self.conditions))} {_ARROW} {self.conclusion}"

    @property
    def variables(self) -> tuple[Variable, ...]:
        atoms = (*self.conditions, self.conclusion)
        return tuple(dict.fromkeys(variable for atom in atoms for variable in atom.variables))


@dataclass(frozen=True)
class Substitution:
    """A substitution θ = {x_1/e_1, ...}, ordered by name; a variable is bound once."""

    bindings: tuple[tuple[str, Term], ...] = ()

    @classmethod
    def of(cls, bindings: Mapping[str, Term]) -> Substitution:
        """Return the substitution of a mapping. Raises `NotLogic` for what is no name of a variable."""
        for name in bindings:
            Variable(name)
        kept = {name: term for name, term in bindings.items() if not _is_itself(name, term)}
        return cls(tuple(sorted(kept.items())))

    def __str__(self) -> str:
        return f"{{{', '.join(f'{name}/{term}' for name, term in self.bindings)}}}"

    def __len__(self) -> int:
        return len(self.bindings)

    @property
    def domain(self) -> frozenset[str]:
        """dom(θ): the names of the variables that are bound."""
        return frozenset(name for name, _ in self.bindings)

    def get(self, name: str) -> Term | None:
        return dict(self.bindings).get(name)

    def apply_to(self, term: Term) -> Term:
        """Return a term's value; a variable that is bound to one without a type lends it its own."""
        if not isinstance(term, Variable):
            return term
        match self.get(term.name):
            case None:
                return term
            case Variable(name=name, type=""):
                return Variable(name, term.type)
            case found:
                return found

    def apply(self, atom: Atom) -> Atom:
        """Return SUBST(θ, atom). All variables are replaced at once, so that none of a value is replaced again."""
        return Atom(tuple(part if isinstance(part, str) else self.apply_to(part) for part in atom.parts))

    def then(self, other: Substitution) -> Substitution:
        """Return the composition: applying it is applying this one, and then the other."""
        mine = {name: other.apply_to(term) for name, term in self.bindings}
        return Substitution.of(dict(other.bindings) | mine)

    def joined(self, other: Substitution) -> Substitution:
        """Return θ ∪ δ. Raises `NotLogic` where they bind a variable to different terms."""
        if clash := self.clashes(other):
            raise NotLogic(f"{', '.join(sorted(clash))} would be bound twice, by {self} and by {other}.")
        return Substitution.of(dict(self.bindings) | dict(other.bindings))

    def clashes(self, other: Substitution) -> frozenset[str]:
        """Return the variables that both bind, to different terms."""
        return frozenset(name for name, term in self.bindings if other.get(name) not in (None, term))


NO_BINDINGS = Substitution()


def parsed_atom(text: str) -> Atom:
    """Return the atom of a text. Raises `NotLogic`."""
    parts: list[str | Term] = []
    end = 0
    bare = text.strip().rstrip(".").rstrip()
    for match in _TERM.finditer(bare):
        parts += _words(bare[end : match.start()])
        parts.append(_term(match))
        end = match.end()
    return Atom(_with_types((*parts, *_words(bare[end:]))))


def parsed_substitution(text: str) -> Substitution:
    """Return the substitution of a text. Raises `NotLogic`."""
    inside = text.strip()
    if not (inside.startswith("{") and inside.endswith("}")):
        raise NotLogic(f"A substitution stands in braces: {text!r}")
    found: dict[str, Term] = {}
    rest = inside[1:-1].strip()
    while rest:
        name, _, rest = rest.partition("/")
        match = _TERM.match(rest)
        if match is None or name.strip() in found:
            raise NotLogic(f"This binds no variable once, as in x/(Kyoto Latte): {text!r}")
        found[name.strip()] = _term(match)
        rest = rest[match.end() :].strip()
        if rest and not rest.startswith(","):
            raise NotLogic(f"Bindings are divided by commas: {text!r}")
        rest = rest[1:].strip()
    return Substitution.of(found)


def types_of(atoms: Iterable[Atom]) -> dict[str, str]:
    """Return the type of each variable in atoms, the closest one where one tells more ("cafe", "cafe visited last week").

    Raises `NotLogic` for a variable with two types of which neither says what the other does.
    """
    types: dict[str, str] = {}
    for atom in atoms:
        for variable in atom.variables:
            known = types.get(variable.name, "")
            closer = max(known, variable.type, key=lambda one: len(one.split()))
            if not _type_words(known) | _type_words(variable.type) <= _type_words(closer):
                raise NotLogic(f"The variable {variable.name} is used as {known!r} and as {variable.type!r}.")
            types[variable.name] = closer
    return types


def _in_parentheses(name: str, type: str) -> str:
    if _NOT_BARE.search(type) and type:
        raise NotLogic(f"{type!r} cannot be a type: it has parentheses, colons, quotes or a mark of a rule.")
    return f"({name}:{type})" if type else f"({name})"


def _plain(term: Term) -> str:
    return term.text if isinstance(term, Constant) else f"which {term.type or 'thing'}"


def _is_itself(name: str, term: Term) -> bool:
    return isinstance(term, Variable) and term.name == name


def _type_words(type: str) -> set[str]:
    return set(type.casefold().split())


def _words(text: str) -> list[str]:
    words = " ".join(text.split())
    if any(mark in words for mark in _MARKS):
        raise NotLogic(f"Parentheses do not match, or a mark of a rule stands where no rule is: {words!r}")
    return [words] if words else []


def _term(match: re.Match[str]) -> Term:
    name, type = match[1].strip(), " ".join((match[2] or "").split())
    if name.startswith('"'):
        try:
            return Constant(json.loads(name), type)
        except ValueError as error:
            raise NotLogic(f"{name} is no quoted constant: {error}") from None
    if not name:
        raise NotLogic("A term has a name: () has none.")
    return Variable(name, type) if _NAME.fullmatch(name) else Constant(" ".join(name.split()), type)


def _with_types(parts: tuple[str | Term, ...]) -> tuple[str | Term, ...]:
    """Return parts in which a variable without a type has that of its other places."""
    typed = {part.name: part.type for part in parts if isinstance(part, Variable) and part.type}
    return tuple(
        Variable(part.name, part.type or typed.get(part.name, "")) if isinstance(part, Variable) else part
        for part in parts
    )
