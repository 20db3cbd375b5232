"""Parses an RDF file into statements, within limits and without ever fetching anything.

What could fetch or grow without limit is refused before a parser sees it: remote and scoped contexts of JSON-LD, document
types and entities of XML, encodings other than UTF-8. What grows during parsing (prefixes and bases that lengthen every name)
is stopped at the first statement that is too large.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rdflib import BNode, Dataset, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.plugins.parsers.nquads import NQuadsParser
from rdflib.plugins.stores.memory import Memory

from memory.core.errors import ImportFault
from memory.core.knowledge_graph.rdf.terms import ROOT, GraphFormat
from memory.core.plain_text import NOT_TEXT

Node = URIRef | BNode | Literal
IRI_LIMIT = 4_000
# A relative name in a file belongs to the file; without a base rdflib would make it a path of this machine.
_BASE = f"{ROOT}file/"
_DECLARATION = re.compile(r"\s*<\?xml\b([^>]*)\?>")
_ENCODING = re.compile(r"""\bencoding\s*=\s*["']([^"']*)["']""")
_LINE_END = re.compile(r"\r\n|\r|\n")


class GraphFileRefused(ImportFault):
    """Raised for a file that cannot be imported. The message is a sentence for the person who asked."""


@dataclass(frozen=True)
class GraphFileLimits:
    """Limits of a file's contents. The defaults keep an import within a minute and a few hundred megabytes."""

    size: int = 20 * 1024 * 1024
    triples: int = 200_000
    literal: int = 100_000
    characters: int = 200_000_000


@dataclass(frozen=True)
class Statement:
    """One RDF statement; `graph` is None in the default graph."""

    subject: URIRef | BNode
    predicate: URIRef
    object: Node
    graph: URIRef | BNode | None = None


def parsed(content: bytes, form: GraphFormat, limits: GraphFileLimits) -> list[Statement]:
    """Return the statements of a file. Raises `GraphFileRefused` with the reason, and the line where a parser tells it."""
    if len(content) > limits.size:
        raise GraphFileRefused(f"The file is larger than {limits.size / 1024 / 1024:g} MB.")
    text = _text_of(content)
    store = _BoundedStore(limits)
    dataset = Dataset(store=store)
    with _explained(form), _quiet():
        match form:
            case GraphFormat.N_QUADS:
                _LineParser().parse_text(text, dataset)
            case GraphFormat.JSON_LD:
                dataset.parse(data=_checked_json(text), format="json-ld", publicID=_BASE)
            case GraphFormat.RDF_XML:
                _check_xml(text)
                dataset.parse(data=text, format="xml", publicID=_BASE)
            case GraphFormat.TURTLE:
                dataset.parse(data=text, format="turtle", publicID=_BASE)
    return list(store.statements())


class _BoundedStore(Memory):
    """An rdflib store that refuses statements over the limits as they are added."""

    def __init__(self, limits: GraphFileLimits) -> None:
        super().__init__()
        self._limits = limits
        self._held: dict[Statement, None] = {}
        self._characters = 0

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        for term in triple:
            self._check(term)
        self._check(context.identifier)
        # A prefix of some length makes much of a small file.
        self._characters += sum(map(len, triple)) + len(context.identifier)
        if self._characters > self._limits.characters:
            raise GraphFileRefused(
                f"The names and texts of the file have more than {self._limits.characters:,} characters."
            )
        graph = None if context.identifier == DATASET_DEFAULT_GRAPH_ID else context.identifier
        subject, predicate, value = triple
        self._held[Statement(subject, predicate, value, graph)] = None
        if len(self._held) > self._limits.triples:
            raise GraphFileRefused(f"The file has more than {self._limits.triples:,} triples.")

    def statements(self) -> Iterator[Statement]:
        """Yield each statement once, in the order of the file."""
        return iter(self._held)

    def _check(self, term: Node) -> None:
        if isinstance(term, Literal):
            if len(term) > self._limits.literal:
                raise GraphFileRefused(
                    f"A text of the file has more than {self._limits.literal:,} characters: {start_of(term)}."
                )
        elif len(term) > IRI_LIMIT:
            raise GraphFileRefused(f"A name of the file has more than {IRI_LIMIT:,} characters: {start_of(term)}.")
        if NOT_TEXT.search(term):
            raise GraphFileRefused(f"A value of the file holds characters that are not text: {start_of(term)}.")


class _LineParser(NQuadsParser):
    """Parses N-Quads line by line, so that an error names its line and a long line costs no more than its length."""

    def parse_text(self, text: str, dataset: Dataset) -> None:
        self.sink = dataset
        for number, line in _lines(text):
            self.line = line
            try:
                self.parseline()
            except GraphFileRefused:
                raise
            except Exception as error:
                raise GraphFileRefused(
                    f"The file cannot be read as N-Quads: line {number}, near {start_of(line)}."
                ) from error


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the non-empty lines of a text with their numbers."""
    number, start = 1, 0
    for end in _LINE_END.finditer(text):
        if start < end.start():
            yield number, text[start : end.start()]
        number, start = number + 1, end.end()
    yield number, text[start:]


def _text_of(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphFileRefused("The file is not text in UTF-8.") from error
    if "\0" in text:  # to a parser of XML that may be UTF-16, and hide what is looked for here
        raise GraphFileRefused("The file is not text in UTF-8.")
    if not text.strip():
        raise GraphFileRefused("The file is empty.")
    return text


def _checked_json(text: str) -> str:
    """Return JSON-LD whose contexts are all inline. Raises `GraphFileRefused` for a remote one."""
    waiting: list[tuple[object, bool]] = [(json.loads(text), False)]
    while waiting:
        value, in_context = waiting.pop()
        if isinstance(value, dict):
            if "@import" in value:
                raise GraphFileRefused("The JSON-LD imports a context from elsewhere. Put the context into the file.")
            if "@context" in value:
                if in_context:
                    raise GraphFileRefused("The JSON-LD has a context inside a context. Write it without that.")
                _check_context(value["@context"])
            waiting += [(item, in_context or key == "@context") for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [(item, in_context) for item in value]
    return text


def _check_context(context: object) -> None:
    for part in context if isinstance(context, list) else [context]:
        if part is not None and not isinstance(part, dict):
            raise GraphFileRefused(
                f"The JSON-LD wants a context from {start_of(str(part))}. Nothing is fetched: put the context into the file."
            )


def _check_xml(text: str) -> None:
    lowered = text.lower()
    if "<!doctype" in lowered or "<!entity" in lowered:
        raise GraphFileRefused(
            "The RDF/XML declares a document type or entities, which are not read. Write it without."
        )
    declared = _DECLARATION.match(text)
    encoding = _ENCODING.search(declared[1]) if declared else None
    if encoding is not None and encoding[1].lower() not in ("utf-8", "us-ascii"):
        raise GraphFileRefused("The RDF/XML is not in UTF-8.")


@contextmanager
def _explained(form: GraphFormat) -> Iterator[None]:
    """Turn a parser's exceptions into `GraphFileRefused` with a sentence."""
    title = {
        GraphFormat.TURTLE: "Turtle",
        GraphFormat.JSON_LD: "JSON-LD",
        GraphFormat.RDF_XML: "RDF/XML",
        GraphFormat.N_QUADS: "N-Quads",
    }[form]
    try:
        yield
    except GraphFileRefused:
        raise
    except RecursionError as error:
        raise GraphFileRefused(f"The {title} is nested too deeply.") from error
    except Exception as error:
        # On broken input rdflib's parsers raise nearly anything: of syntax, of types, of keys, of XML.
        raise GraphFileRefused(f"The file cannot be read as {title}{_place_of(error)}.") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep rdflib from printing a traceback for each literal that does not match its datatype."""
    logger = logging.getLogger("rdflib.term")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _place_of(error: Exception) -> str:
    if isinstance(error, BadSyntax):
        return f": line {error.lines + 1}"
    if isinstance(error, json.JSONDecodeError):
        return f": line {error.lineno}: {error.msg}"
    line = getattr(error, "getLineNumber", lambda: None)()
    return f": line {line}" if line else ""


def start_of(text: str) -> str:
    """Return the start of a value for quoting in a sentence."""
    return repr(str(text) if len(text) <= 60 else text[:59] + "…")
