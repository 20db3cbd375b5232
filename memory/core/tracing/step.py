"""The base class of all trace steps, and the form in which a step is stored.

A kind is a frozen dataclass. The types of its fields say what happens to them when something is forgotten:

    @dataclass(frozen=True)
    class Looked(TraceStep):
        kind: ClassVar[str] = "looked"
        found: TripleIds = ()     # triples that the step rests on
        thought: Words = ""       # emptied as soon as one triple or sentence of its trace is forgotten
        at: Names = ()            # things, shown by the names that they have now
        score: float = 0.0        # any other field is a figure, and stays

Figures may contain ids; the words behind them are read when the step is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_type_hints

from pydantic import TypeAdapter

Json = Any
T = TypeVar("T")


@dataclass(frozen=True)
class Name:
    """A thing in a step: an entity by id, or the words for what is no entity. Both are empty once forgotten."""

    text: str = ""
    entity: int | None = None


class _Mark(Enum):
    WORDS = "words"
    NAMES = "names"
    TRIPLES = "triples"
    SENTENCES = "sentences"


Words = Annotated[str, _Mark.WORDS]
Lines = Annotated[tuple[str, ...], _Mark.WORDS]
# Words by their parts: frozen dataclasses of text.
Wordings = Annotated[tuple[T, ...], _Mark.WORDS]
Names = Annotated[tuple[Name, ...], _Mark.NAMES]
TripleIds = Annotated[tuple[int, ...], _Mark.TRIPLES]
SentenceIds = Annotated[tuple[int, ...], _Mark.SENTENCES]

_KINDS: dict[str, type[TraceStep]] = {}


@dataclass(frozen=True)
class TraceStep:
    """One step of a trace. `words_pass` says that its words are for progress only: they are emptied when the trace ends."""

    kind: ClassVar[str]
    words_pass: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        known = _KINDS.setdefault(cls.kind, cls)
        if known.__qualname__ != cls.__qualname__ or known.__module__ != cls.__module__:
            raise TypeError(f"Two kinds of steps are called {cls.kind!r}: {known} and {cls}.")
        _KINDS[cls.kind] = cls

    def steps(self) -> tuple[TraceStep, ...]:
        """Return the steps of a part of a reply: here the step alone."""
        return (self,)

    @property
    def key(self) -> str:
        """The identity of the step within its kind; a step with the key of an earlier one replaces it."""
        return ""


@dataclass(frozen=True)
class UnknownStep(TraceStep):
    """A stored step of a kind that this version of the product does not have."""

    kind: ClassVar[str] = "unknown"

    called: str


@dataclass(frozen=True)
class Together:
    """Steps that happened together."""

    members: tuple[TraceStep, ...]

    def steps(self) -> tuple[TraceStep, ...]:
        return self.members


@dataclass
class Numbering:
    """Numbers the steps of one trace from 1; a step with the key of an earlier one gets its number."""

    count: int = 0
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def number(self, step: TraceStep) -> int:
        if (step.kind, step.key) in self.numbers:
            return self.numbers[step.kind, step.key]
        self.count += 1
        if step.key:
            self.numbers[step.kind, step.key] = self.count
        return self.count


@dataclass(frozen=True)
class StoredForm:
    """A step as it is stored. `figures` stay; `words` are emptied when any of `triples` and `sentences` is forgotten."""

    kind: str
    key: str
    figures: Mapping[str, Json]
    words: Mapping[str, Json] = field(default_factory=dict)
    triples: tuple[int, ...] = ()
    sentences: tuple[int, ...] = ()


def stored_form(step: TraceStep, *, entities: Mapping[str, int] | None = None) -> StoredForm:
    """Return a step in its stored form, without characters that no database can hold.

    `entities` maps names to entity ids; a name without one is stored by its words.
    """
    figures: dict[str, Json] = {}
    words: dict[str, Json] = {}
    ids: dict[_Mark, dict[int, None]] = {_Mark.TRIPLES: {}, _Mark.SENTENCES: {}}
    for name, value in _shape(type(step)).adapter.dump_python(step, mode="json").items():
        mark = _shape(type(step)).marks.get(name)
        if mark is _Mark.WORDS:
            if value:
                words[name] = _storable(value)
        elif mark is _Mark.NAMES:
            called = [one["entity"] or (entities or {}).get(one["text"]) for one in value]
            figures[name] = called
            texts = ["" if entity else _storable(one["text"]) for one, entity in zip(value, called, strict=True)]
            if any(texts):
                words[name] = texts
        else:
            figures[name] = _storable(value)
            if mark is not None:
                ids[mark] |= dict.fromkeys(value)
    return StoredForm(
        kind=step.kind,
        key=step.key,
        figures=figures,
        words=words,
        triples=tuple(ids[_Mark.TRIPLES]),
        sentences=tuple(ids[_Mark.SENTENCES]),
    )


def restored(kind: str, figures: Mapping[str, Json], words: Mapping[str, Json]) -> TraceStep:
    """Return the step of a stored form; forgotten words are empty."""
    cls = _KINDS.get(kind)
    if cls is None:
        return UnknownStep(kind)
    marks = _shape(cls).marks
    values: dict[str, Json] = dict(_shape(cls).wordless)
    for name, value in figures.items():
        if marks.get(name) is _Mark.NAMES:
            texts = words.get(name) or [""] * len(value)
            values[name] = [
                {"entity": entity, "text": text} for entity, text in zip(value, texts, strict=True) if entity or text
            ]
        else:
            values[name] = value
    values |= {name: text for name, text in words.items() if marks.get(name) is _Mark.WORDS}
    step: TraceStep = _shape(cls).adapter.validate_python(values)
    return step


def step_data(step: TraceStep) -> dict[str, Json]:
    """Return all fields of a step as JSON, with words as far as they exist."""
    data: dict[str, Json] = _shape(type(step)).adapter.dump_python(step, mode="json")
    return data


def names_in(steps: Sequence[TraceStep]) -> set[str]:
    """Return the names in steps whose entity is not known yet."""
    return {
        one.text
        for step in steps
        for name, mark in _shape(type(step)).marks.items()
        if mark is _Mark.NAMES
        for one in getattr(step, name)
        if one.entity is None and one.text
    }


@dataclass(frozen=True)
class _Shape:
    """The fields of a kind by their mark, to write and read it, and what is read where its words are gone."""

    adapter: TypeAdapter[Any]
    marks: Mapping[str, _Mark]
    wordless: Mapping[str, Json]


_SHAPES: dict[type[TraceStep], _Shape] = {}


def _shape(cls: type[TraceStep]) -> _Shape:
    if cls not in _SHAPES:
        hints = get_type_hints(cls, include_extras=True)
        marked = {one.name: get_args(hints[one.name]) for one in fields(cls)}
        marks = {name: mark for name, extras in marked.items() for mark in extras if isinstance(mark, _Mark)}
        wordless = {name: "" if marked[name][0] is str else () for name, mark in marks.items() if mark is _Mark.WORDS}
        _SHAPES[cls] = _Shape(TypeAdapter(cls), marks, wordless)
    return _SHAPES[cls]


def _storable(value: Json) -> Json:
    """Return a JSON value without characters that no database can hold."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {_storable(name): _storable(one) for name, one in value.items()}
    return value
