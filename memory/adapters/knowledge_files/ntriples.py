"""N-Triples (W3C, 2014), a statement a line. Nothing is fetched, and no IRI is looked up.

Labels (rdfs:label, skos:prefLabel) and other labels (skos:altLabel) become names of things, in English or without a language
only; a thing without one is called by the last part of its IRI. Other languages of a literal are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from memory.adapters.knowledge_files.lines import Lines
from memory.adapters.knowledge_files.records import NameKind, StatedName, StatedTriple
from memory.core.plain_text import NOT_TEXT

_IRI = r'<(?:[^\x00-\x20<>"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>'
_BLANK = r"_:[^\s<\"]+"
_LITERAL = rf'"(?P<text>(?:[^"\\]|\\.)*)"(?:@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^{_IRI})?'
_STATEMENT = re.compile(
    rf"\s*(?P<subject>{_IRI}|{_BLANK})\s*(?P<predicate>{_IRI})\s*(?P<object>{_IRI}|{_BLANK}|{_LITERAL})\s*\.\s*(?:#.*)?"
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_CONTROL = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_PARTS = ("subject", "predicate", "object")
_BETWEEN = re.compile("[/#:]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMES = {
    "<http://www.w3.org/2000/01/rdf-schema#label>": NameKind.LABEL,
    "<http://www.w3.org/2004/02/skos/core#prefLabel>": NameKind.LABEL,
    "<http://www.w3.org/2004/02/skos/core#altLabel>": NameKind.ALIAS,
}
# What marks the identity of a literal: its words name it.
LITERAL = '"'


def read_ntriples(lines: Lines, beside: Path | None = None) -> Iterator[StatedTriple | StatedName]:
    for number, line in lines:
        if line.lstrip().startswith("#"):
            continue
        found = _STATEMENT.fullmatch(line)
        if found is None:
            raise lines.refusal(number, "expected a statement of N-Triples that ends in a full stop", line)
        language, quoted = found.group("language", "text")
        if language and not re.fullmatch(r"en(?:-.*)?", language, re.IGNORECASE):
            continue
        try:
            subject, predicate, object_ = (_ESCAPE.sub(_unescaped, part) for part in found.group(*_PARTS))
            if quoted is not None:
                object_ = LITERAL + " ".join(_ESCAPE.sub(_unescaped, quoted).split())
        except (KeyError, ValueError, OverflowError):
            raise lines.refusal(number, "expected the escapes of N-Triples", line) from None
        kind = _NAMES.get(predicate)
        if kind is not None and object_.startswith(LITERAL):
            yield StatedName(number, subject, object_[1:], kind)
        else:
            yield StatedTriple(number, subject, predicate, object_)


def readable(identity: str) -> str:
    """Return the name of a thing without a label: "<http://e/New_York>" is "New York"; empty for a blank node."""
    if identity.startswith(LITERAL):
        return identity[1:]
    if identity.startswith("_:"):
        return ""
    tail = unquote(_BETWEEN.split(identity.strip("<>").rstrip("/#:"))[-1])
    return " ".join(_HUMP.sub(" ", NOT_TEXT.sub("", tail).replace("_", " ")).split())


def _unescaped(found: re.Match[str]) -> str:
    short, long, control = found.groups()
    if control:
        return _CONTROL[control]
    character = chr(int(short or long, 16))
    character.encode()
    if character == "\x00":
        raise ValueError(character)
    return character
