"""Takes a question apart into what it asks for and the descriptions that have to be resolved first, by its parse.

"Where is the practice of the dentist who pulled my tooth?" asks for (x:place) and for the practice of (z1:dentist), who is to
be found first: the one who pulled my tooth.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conversations.core.responders.goal_mem.kinds import Kinds
from memory.core.backward_chaining.nl_logic import Atom, Term, Variable
from memory.core.english.trees import Tree
from memory.core.types import ParsedSentence, Span

ANSWER = "x"
_QUESTION_WORDS = frozenset({"what", "which", "who", "whom", "whose", "where", "when", "why", "how"})
_OF_WORDS = {"who": "person", "whom": "person", "whose": "person", "where": "place", "when": "time"}
_IN_PHRASE = ("det", "amod", "compound", "nmod", "acl", "nummod", "flat", "appos")
_DO = frozenset({"do", "does", "did"})
_MARKS = re.compile(r"[()∧⇒:\"]")
_NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM"})
_NAMES = frozenset({"name", "names"})
# What is asked is who a description is, or its name: the description is the answer's own.
_ASKS_FOR_IT = re.compile(
    r"^(?:who|what|which)(?:\s+(?:is|was|are|were)|['’]s)(?:\s+the(?:\s+\w+)?\s+name\s+of)?$", re.IGNORECASE
)


@dataclass(frozen=True)
class Description:
    """A description in a question: where it stands, and the noun that says what kind of thing it is."""

    span: Span
    text: str
    kind: str


@dataclass(frozen=True)
class AskedPart:
    """What a question asks for: the words that ask ("in which town"), and the kind of the answer; "" where it is open."""

    span: Span
    kind: str
    word: str


@dataclass(frozen=True)
class TakenApart:
    """A question with what it asks for and its descriptions, the innermost first; `order` are its words as a statement."""

    text: str
    asked: AskedPart
    order: tuple[Span, ...]
    descriptions: tuple[Description, ...]


def taken_apart(parse: ParsedSentence, *, kinds: Kinds) -> TakenApart | None:
    """Return a parsed question with its parts; None for one without a question word."""
    tree = Tree(parse)
    asked = _asked(tree)
    if asked is None:
        return None
    found = {one.text: one for one in _descriptions(tree, asked) if kinds.is_living(one.kind)}
    inner_first = sorted(found.values(), key=lambda one: one.span.end - one.span.start)
    kept = [one for one in inner_first if not _ASKS_FOR_IT.match(parse.text[: one.span.start].strip())]
    return TakenApart(parse.text, asked, tuple(told(parse, asked)), tuple(kept))


def told(parse: ParsedSentence, asked: AskedPart) -> list[Span]:
    """Return the words of a question in the order of a statement: who is asked about, the verb, and what is asked for last.

    "In which town does my aunt work" is "my aunt", "does", "work", "in which town". A question that begins with its subject,
    or of which no subject is found, stays as it is.
    """
    tree = Tree(parse)
    end = len(parse.text.rstrip(" ?!."))
    start = asked.span.end
    root = next(node for node in range(len(tree)) if tree.is_root(node))
    subject = next((one for one in tree.children(root, "nsubj") if tree.tokens[one].start >= start), None)
    verb = next((token for token in parse.tokens if token.start >= start), None)
    if subject is None or verb is None or verb.pos != "AUX":
        return [Span(0, end)]
    whole = tree.span(tree.subtree(subject))
    if not verb.end < whole.start + 2 or whole.end > end:
        return [Span(0, end)]
    return [whole, Span(verb.start, verb.end), Span(whole.end, end), Span(0, start)]


def atom_of(text: str, order: Sequence[Span], terms: Mapping[Span, Term]) -> Atom:
    """Return words of a text, in an order, as an atom in which terms stand for the words of spans.

    Raises `NotLogic` where it says nothing else.
    """
    parts: list[str | Term] = []
    for part in order:
        end = part.start
        for span, term in sorted(terms.items(), key=lambda one: one[0].start):
            if part.start <= span.start and span.end <= part.end:
                parts += [*_words(text[end : span.start]), term]
                end = span.end
        parts += _words(text[end : part.end])
    return Atom(_joined(parts))


def _joined(parts: Sequence[str | Term]) -> tuple[str | Term, ...]:
    """Return parts with the words between two terms as one."""
    found: list[str | Term] = []
    for part in parts:
        if found and isinstance(part, str) and isinstance(found[-1], str):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return tuple(found)


def named(text: str, spans: dict[Span, str]) -> str:
    """Return a text with the words of spans replaced by names."""
    said = text
    for span, name in sorted(spans.items(), key=lambda one: -one[0].start):
        said = f"{said[: span.start]}{name}{said[span.end :]}"
    return said


def type_of(words: str) -> str:
    """Return words as the type of a variable."""
    return " ".join(_MARKS.sub(" ", words).split())


def _asked(tree: Tree) -> AskedPart | None:
    node = next((node for node in range(len(tree)) if tree.low(node) in _QUESTION_WORDS), None)
    if node is None:
        return None
    word, last = tree.low(node), node
    if word in ("what", "which", "whose", "how"):
        last = _noun_end(tree, node)
    kind = " ".join(tree.tokens[one].text for one in range(node + 1, last + 1)) if word != "how" else ""
    name = next((one for one in range(last + 1, min(last + 5, len(tree))) if tree.low(one) in _NAMES), None)
    if name is not None and last == node and word in ("what", "which"):
        kind = "name"
    return AskedPart(tree.span(list(range(node, last + 1))), kind or _OF_WORDS.get(word, ""), word)


def _noun_end(tree: Tree, node: int) -> int:
    """Return the last word of the noun that a question word asks for: "which US state", "what month and year", "how much"."""
    last = end = node
    while end + 1 < len(tree) and (
        tree.pos(end + 1) in _NOMINAL or tree.pos(end + 1) == "CCONJ" and tree.pos(end) in _NOMINAL
    ):
        end += 1
        last = end if tree.pos(end) in _NOMINAL else last
    return last


def _descriptions(tree: Tree, asked: AskedPart) -> Iterator[Description]:
    for node in range(len(tree)):
        if tree.pos(node) not in ("NOUN", "PROPN") or tree.low(node) in _NAMES:
            continue
        owned = tree.children(node, "nmod:poss")
        told = tree.children(node, "acl")
        of = [child for child in tree.children(node, "nmod") if tree.children(child, "case")]
        if not (owned or told or of):
            continue
        parts = [child for child in tree.children(node) if tree.is_dep(child, *_IN_PHRASE)]
        nodes = _without_verb(tree, sorted({node, *(one for part in parts for one in tree.subtree(part))}))
        span = tree.span(nodes)
        if node not in nodes or span.start < asked.span.end:
            continue
        yield Description(span, tree.text[span.start : span.end], tree.lemma(node).lower())


def _without_verb(tree: Tree, nodes: list[int]) -> list[int]:
    """Return a phrase without the verb at the end of a question with "do", which parses take for a noun of it."""
    last = nodes[-1]
    asks_with_do = any(tree.low(node) in _DO and tree.is_root(node) for node in range(nodes[0]))
    is_last = all(tree.pos(node) in ("PUNCT", "ADP") for node in range(last + 1, len(tree)))
    return nodes[:-1] if asks_with_do and is_last and len(nodes) > 1 else nodes


def _words(text: str) -> list[str]:
    words = type_of(text.replace("?", " "))
    return [words] if words else []


def variable(name: str, type: str) -> Variable:
    return Variable(name, type_of(type))
