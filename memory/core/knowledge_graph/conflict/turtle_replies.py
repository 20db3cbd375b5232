"""Parses the Turtle of a model's reply, which was asked for in one fenced block.

Models leave out the fence, prefixes and full stops, write prose around the block, mark it as `<turtle>`, and write IRIs
without brackets: all that is accepted. A truncated reply is not, because its missing part is unknown; nor is a reply without
any triple, unless it has an empty block.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rdflib import Graph
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.term import Node

from memory.core.prompting import UnreadableReply
from memory.core.thinking import UnfinishedThinking, without_thinking

LOGGER = logging.getLogger(__name__)
RdfTriple = tuple[Node, Node, Node]

# What a model needs for 40 triples, several times over; what is longer is no answer.
REPLY_LIMIT = 60_000

# Of its own prefixes a model needs a few; each line is read with all of them.
PREFIXES_LIMIT = 40

_LONG_GAP = re.compile(r"[ \t]{50,}")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w./+-]*)[ \t]*$", re.MULTILINE)
# A fence that shares its line with the text of the block.
_INLINE_OPENING = re.compile(r"^([ \t]*(?:`{3,}|~{3,})[ \t]*[\w./+-]*)[ \t]+(?=[<@\w`~])", re.MULTILINE)
_INLINE_CLOSING = re.compile(r"(?<=[^\s`~])[ \t]*(`{3,}|~{3,})[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"\s#\s.*$")
_MARK = re.compile(r"</?\s*(?:turtle|ttl|rdf)\s*>", re.IGNORECASE)
_TAGS = frozenset({"turtle", "ttl", "rdf", "n3", "nt", "ntriples"})
_BARE_IRI = re.compile(r"(?<![<\"\w])(https?://[^\s<>\"{}|\\^`]*[^\s<>\"{}|\\^`.,;])")
_LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
_SUBJECT = re.compile(r"<|[\w.-]*:\S")
_DIRECTIVE = re.compile(r"^@?(?:prefix|base)\b", re.IGNORECASE)
# What the parser of rdflib raises for text that is no Turtle; the last four come from inside of it.
_NO_TURTLE = (BadSyntax, ValueError, RecursionError, LookupError, AssertionError, AttributeError)


@dataclass(frozen=True)
class _Block:
    """A fenced part of a reply; `is_closed` is false where the reply ends before the closing fence."""

    tag: str
    text: str
    is_closed: bool


def triples_of_reply(reply: str, *, prefixes: Mapping[str, str]) -> list[RdfTriple]:
    """Return the triples that a reply states, each once. Raises `UnreadableReply`."""
    try:
        text = without_thinking(reply)
    except UnfinishedThinking:
        raise UnreadableReply("it ended before the answer began.") from None
    if len(text) > REPLY_LIMIT:
        raise UnreadableReply(f"it is longer than {REPLY_LIMIT:,} characters.")
    text = _LONG_GAP.sub(" ", text)
    blocks = _blocks(text)
    if not blocks:
        return _unfenced(text, prefixes)
    # A model that thinks aloud quotes the origin first; its answer is the last block.
    answer = [block for block in blocks if block.tag.lower() in _TAGS] or blocks
    if not answer[-1].is_closed:
        raise UnreadableReply("the block of Turtle has no closing fence, so that it may have broken off.")
    return _triples(answer[-1].text, prefixes)


def _unfenced(text: str, prefixes: Mapping[str, str]) -> list[RdfTriple]:
    marked = _MARK.split(text)
    inside = "\n".join(marked[1:2]) if len(marked) > 2 else "\n".join(marked)
    if len(marked) > 2 and not inside.strip():
        return []
    found = _triples(inside, prefixes)
    if not found:
        raise UnreadableReply("there is no block of Turtle in it.")
    return found


def _triples(text: str, prefixes: Mapping[str, str]) -> list[RdfTriple]:
    """Return the triples of a block: of the whole block if it is valid Turtle, else of each line that is."""
    content = _BARE_IRI.sub(r"<\1>", _without_word(_MARK.sub("", text)))
    if not _meant(content):
        return []
    header = "".join(f"@prefix {name}: <{namespace}> .\n" for name, namespace in prefixes.items())
    for whole in (content, f"{content}\n."):
        found = _parsed(header + whole)
        if found is not None:
            return found
    return _by_line(content, header)


def _by_line(content: str, header: str) -> list[RdfTriple]:
    found: list[RdfTriple] = []
    refused: list[str] = []
    declared = 0
    for line in _meant(content):
        bare = _LIST_MARK.sub("", line).strip("`")
        if _DIRECTIVE.match(bare):
            declared += 1
            if declared > PREFIXES_LIMIT:
                raise UnreadableReply(f"it has more than {PREFIXES_LIMIT} prefixes.")
            header += f"{bare}\n" if _parsed(f"{header}{bare}\n") is not None else ""
            continue
        if not _SUBJECT.match(bare):
            refused.append(line)
            continue
        readings = (bare, f"{bare} .", f"{_COMMENT.sub('', bare).rstrip(' .;,')} .")
        parsed = next((triples for reading in readings if (triples := _parsed(header + reading))), None)
        if parsed:
            found += parsed
        else:
            refused.append(line)
    if refused and not found:
        raise UnreadableReply(f"it is no Turtle: {refused[0][:120]}")
    if refused and refused[-1] == _meant(content)[-1] and refused[-1].startswith(("<", "e:", "ds:", "not:")):
        raise UnreadableReply("its last triple breaks off before its end.")
    for line in refused:
        LOGGER.warning("Passed over a line that is no Turtle in a verdict on conflicts: %r", line[:120])
    return found


def _parsed(turtle: str) -> list[RdfTriple] | None:
    graph = Graph(bind_namespaces="none")
    try:
        graph.parse(data=turtle, format="turtle")
    except _NO_TURTLE:
        return None
    return sorted(graph, key=lambda triple: [str(term) for term in triple])


def _blocks(text: str) -> list[_Block]:
    text = _INLINE_CLOSING.sub(r"\n\1", _INLINE_OPENING.sub(r"\1\n", text))
    blocks: list[_Block] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1][0] == opened[1][0] and not fence[2]:
            blocks.append(_Block(opened[2], text[opened.end() : fence.start()], True))
            opened = None
    if opened is not None:
        blocks.append(_Block(opened[2], text[opened.end() :], False))
    return blocks


def _without_word(text: str) -> str:
    """Return a block without a line that only names its language."""
    first, _, rest = text.strip().partition("\n")
    return rest if first.strip().lower() in _TAGS else text


def _meant(content: str) -> list[str]:
    lines = (line.strip() for line in content.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
