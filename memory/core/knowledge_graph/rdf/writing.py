"""Writes blocks as text in four formats, block by block, so that a graph of any size fits into memory.

N-Quads has a named graph for each turn; the other formats have triples alone and name the turn in each description. rdflib's
own writers need the whole graph in memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from rdflib import RDF, XSD, BNode, Literal, URIRef

from memory.core.knowledge_graph.rdf.terms import ESCAPED_TEXT, NOT_XML, PREFIXES, Block, GraphFormat, Term, Thing

_LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_XML_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*$")
_IN_QUOTES = re.compile('[\x00-\x1f"\\\\\x7f\x85\u2028\u2029]')
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def written(blocks: Iterable[Block], form: GraphFormat) -> Iterator[str]:
    """Yield the pieces of a document with the blocks."""
    match form:
        case GraphFormat.N_QUADS:
            return _n_quads(blocks)
        case GraphFormat.TURTLE:
            return _turtle(_of_default_graph(blocks))
        case GraphFormat.JSON_LD:
            return _json_ld(_of_default_graph(blocks))
        case GraphFormat.RDF_XML:
            return _rdf_xml(_of_default_graph(blocks))


def _of_default_graph(blocks: Iterable[Block]) -> Iterator[Block]:
    return (block for block in blocks if block.graph is None)


def _n_quads(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        graph = f" {_iri(block.graph)}" if block.graph is not None else ""
        subject = _line_term(block.subject)
        yield "".join(f"{subject} {_iri(predicate)} {_line_term(term)}{graph} .\n" for predicate, term in block.pairs)


def _line_term(term: Term) -> str:
    if isinstance(term, BNode):
        return term.n3()
    if isinstance(term, URIRef):
        return _iri(term)
    datatype = f"^^{_iri(term.datatype)}" if term.datatype is not None else ""
    return f"{_quoted(term)}{datatype}"


def _turtle(blocks: Iterable[Block]) -> Iterator[str]:
    yield "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in PREFIXES.items())
    for block in blocks:
        said = " ;\n    ".join(f"{_name(predicate)} {_turtle_term(term)}" for predicate, term in block.pairs)
        yield f"\n{_turtle_term(block.subject)} {said} .\n"


def _turtle_term(term: Term) -> str:
    if isinstance(term, BNode):
        return term.n3()
    if isinstance(term, URIRef):
        return _name(term)
    datatype = f"^^{_name(term.datatype)}" if term.datatype is not None else ""
    return f"{_quoted(term)}{datatype}"


def _name(iri: URIRef) -> str:
    return _short(iri) or _iri(iri)


def _short(iri: URIRef) -> str:
    """Return an IRI with one of our prefixes, or "" where none fits."""
    for prefix, start in PREFIXES.items():
        if iri.startswith(start) and _LOCAL.fullmatch(iri[len(start) :]):
            return f"{prefix}:{iri[len(start) :]}"
    return ""


def _iri(iri: URIRef) -> str:
    return "<" + _NOT_IN_IRI.sub(lambda found: f"\\u{ord(found[0]):04X}", iri) + ">"


def _quoted(text: str) -> str:
    escaped = _IN_QUOTES.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04X}", text)
    return f'"{escaped}"'


def _json_ld(blocks: Iterable[Block]) -> Iterator[str]:
    yield f'{{"@context": {json.dumps(PREFIXES)},\n"@graph": ['
    for number, block in enumerate(blocks):
        yield (",\n" if number else "\n") + json.dumps(_json_node(block), ensure_ascii=False)
    yield "\n]}\n"


def _json_node(block: Block) -> dict[str, object]:
    node: dict[str, object] = {"@id": _json_name(block.subject)}
    for predicate, term in block.pairs:
        name, value = _short(predicate) or str(predicate), _json_term(term)
        if predicate == RDF.type:
            name, value = "@type", term.n3() if isinstance(term, BNode) else str(term)
        values = node.setdefault(name, [])
        assert isinstance(values, list)
        values.append(value)
    return node


def _json_term(term: Term) -> object:
    if not isinstance(term, Literal):
        return {"@id": _json_name(term)}
    return {"@value": str(term)} if term.datatype is None else {"@value": str(term), "@type": str(term.datatype)}


def _json_name(thing: Thing) -> str:
    return thing.n3() if isinstance(thing, BNode) else str(thing)


def _rdf_xml(blocks: Iterable[Block]) -> Iterator[str]:
    spaces = "".join(f"\n  xmlns:{prefix}={quoteattr(iri)}" for prefix, iri in PREFIXES.items())
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF{spaces}>\n'
    for block in blocks:
        said = [_xml_pair(predicate, term) for predicate, term in block.pairs]
        if any(said):
            yield f"<rdf:Description {_xml_name(block.subject, 'about')}>\n{''.join(said)}</rdf:Description>\n"
    yield "</rdf:RDF>\n"


def _xml_pair(predicate: URIRef, term: Term) -> str:
    """Return one property of a subject as XML; "" for a property that is no XML name.

    Only a space's own predicate in another script, or one that ends in a digit, is such, and only as a plain statement: its
    description names the predicate as a value.
    """
    name, declared = _short(predicate), ""
    if not name:
        local = _XML_LOCAL.search(predicate)
        if local is None:
            return ""
        name, declared = f"p:{local[0]}", f" xmlns:p={quoteattr(predicate[: local.start()])}"
    if not isinstance(term, Literal):
        return f"  <{name}{declared} {_xml_name(term, 'resource')}/>\n"
    text, datatype = str(term), term.datatype
    if datatype in (None, XSD.string) and NOT_XML.search(text):
        text, datatype = json.dumps(text)[1:-1], ESCAPED_TEXT
    kind = f" rdf:datatype={quoteattr(datatype)}" if datatype is not None else ""
    return f"  <{name}{declared}{kind}>{escape(text, {chr(13): '&#13;'})}</{name}>\n"


def _xml_name(thing: Thing, attribute: str) -> str:
    return f"rdf:{'nodeID' if isinstance(thing, BNode) else attribute}={quoteattr(thing)}"


def literal_text(literal: Literal) -> str:
    """Return the text of a literal as it was before it was written. Raises ValueError for a broken escape."""
    return str(json.loads(f'"{literal}"')) if literal.datatype == ESCAPED_TEXT else str(literal)
