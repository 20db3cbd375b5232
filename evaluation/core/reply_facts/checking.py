"""Checks one reply: it is split into atomic facts, grounds are found for them, and they are verified (section 3.4).

Departures from the paper:
- Sentences that claim nothing are told apart before the verifier is asked, and count neither as supported nor as unknown.
- What the product says of itself ("I keep your words") is no claim: no memory of what people said can decide it. What it
  says to remember or to think is held against the memory without these words.

Marks sentences in the rendered, clean HTML of a reply. Whatever stands in it stays, in its order, and every element whole.

A sentence is found by its letters and digits alone, since marks of Markdown and white space are not rendered as they were
written. Each piece of text that it covers is wrapped by itself, so that no element is cut. What stands in code or in a
button is no sentence. One that cannot be found is left to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape

from evaluation.core.reply_facts.types import (
    CheckedFact,
    CheckedReply,
    FoundGround,
    GroundKind,
    GroundSource,
    ReplyToCheck,
    Verdict,
)
from evaluation.core.turn_consistency.types import tells_what_was
from memory.core.english.claims import is_claim, plain
from memory.core.english.trees import Tree
from memory.core.grounded_generation.atomic_facts import AtomicFact, FactSplitter
from memory.core.grounded_generation.clause_splitter import SUBJECT
from memory.core.grounded_generation.verification import FactsToVerify, FactVerdict, FactVerifier
from memory.core.ports import SyntacticParser
from memory.core.types import ParsedSentence

# So many facts are verified at once.
AT_ONCE = 24
_OF_ITSELF = re.compile(r"(?:though |because |so |but |and )?(?:I\b|my\b|this chat\b)", re.IGNORECASE)
_THINKING = re.compile(
    r"I (?:also |still )?(?:remember|recall|know|see|think|believe|understand|gather|am sure|am certain)(?: that)? (?=\w)",
    re.IGNORECASE,
)


def check_reply(
    reply: ReplyToCheck,
    *,
    splitter: FactSplitter,
    verifier: FactVerifier,
    sources: Sequence[GroundSource],
    parser: SyntacticParser,
) -> CheckedReply:
    """Return the facts of a reply in their order with their verdicts, and all grounds that they were held against."""
    [facts] = splitter.split_many([reply.text])
    parses = parser.parse_many([claimed(fact) for fact in facts])
    claims = {fact: parse for fact, parse in zip(facts, parses, strict=True) if states(fact, parse, reply.text)}
    grounds = grounds_of(list(claims), reply, sources)
    verdicts = verdicts_on(claims, reply, grounds, verifier)
    checked = [
        checked_fact(fact, verdicts[fact])
        if fact in claims
        else CheckedFact(fact.text, fact.sentence, Verdict.NOT_A_CLAIM)
        for fact in facts
    ]
    return CheckedReply(tuple(checked), grounds)


def states(fact: AtomicFact, parse: ParsedSentence, reply: str) -> bool:
    """Return whether a fact claims something of the world: neither it nor its sentence asks or greets, and it has a verb."""
    sentence = reply[fact.sentence.start : fact.sentence.end]
    if not is_claim(claimed(fact)) or not is_claim(sentence) or _OF_ITSELF.match(claimed(fact)):
        return False
    tree = Tree(parse)
    root = next((node for node in range(len(tree)) if tree.is_root(node)), None)
    is_order = root is not None and tree.tag(root) == "VB" and tree.child(root, *SUBJECT, "aux") is None
    return not is_order and any(tree.pos(node) in ("VERB", "AUX") for node in range(len(tree)))


def claimed(fact: AtomicFact) -> str:
    """Return what a fact claims: "I remember that you live in Rome" claims that you live in Rome."""
    return _THINKING.sub("", plain(fact.text), count=1)


def grounds_of(
    claims: Sequence[AtomicFact], reply: ReplyToCheck, sources: Sequence[GroundSource]
) -> tuple[FoundGround, ...]:
    """Return what the sources have for the claims, numbered by their keys."""
    if not claims:
        return ()
    texts = [claimed(fact) for fact in claims]
    found = [one for source in sources for one in source.grounds_for(texts, reply)]
    return tuple(replace(one, ground=replace(one.ground, key=place)) for place, one in enumerate(found))


def verdicts_on(
    claims: Mapping[AtomicFact, ParsedSentence],
    reply: ReplyToCheck,
    grounds: Sequence[FoundGround],
    verifier: FactVerifier,
) -> dict[AtomicFact, FactVerdict]:
    """Return the verdicts. What tells what was decides about nothing else: "You lived in Rome" is not "you live there"."""
    of_the_past = [fact for fact, parse in claims.items() if tells_what_was(parse)]
    others = [fact for fact in claims if fact not in of_the_past]
    verdicts: dict[AtomicFact, FactVerdict] = {}
    for start in range(0, max(len(of_the_past), len(others)), AT_ONCE):
        batches = [
            (some, [one for one in grounds if may_be_past or not one.is_past])
            for facts, may_be_past in ((others, False), (of_the_past, True))
            if (some := facts[start : start + AT_ONCE])
        ]
        found = verifier.verify_many([to_verify(some, reply, held_against) for some, held_against in batches])
        for (some, _), judged in zip(batches, found, strict=True):
            verdicts |= dict(zip(some, judged, strict=True))
    return verdicts


def to_verify(facts: Sequence[AtomicFact], reply: ReplyToCheck, grounds: Sequence[FoundGround]) -> FactsToVerify:
    return FactsToVerify(
        facts=tuple(claimed(fact) for fact in facts),
        speaker=reply.speaker,
        dialogue=tuple(one.ground for one in grounds if one.kind is GroundKind.TURN),
        evidence=tuple(one.ground for one in grounds if one.kind is not GroundKind.TURN),
    )


def checked_fact(fact: AtomicFact, found: FactVerdict) -> CheckedFact:
    ground = found.ground.key if found.ground is not None else None
    return CheckedFact(fact.text, fact.sentence, Verdict(found.status.value), found.probability, ground)


_TOKEN = re.compile(r'<(?:[^>"]|"[^"]*")*>|[^<]+')
_UNIT = re.compile(r"&[^;\s&]+;|.", re.DOTALL)
_CLOSING, _OPENING = ".!?…,:;\"'”’)]", "\"'“‘(["
_ENDS_BLOCK = re.compile(r"</(?:p|h\d)>")
_BEFORE = re.compile(r"</?(?:li|td|th|blockquote|ul|ol|div|pre|table)\b|<(?:p|h\d|hr)\b")


@dataclass(frozen=True)
class Marking:
    """A sentence to mark: its rendered words, those before it as written, and the HTML around it.

    `sign` comes behind it (and behind a link that it ends in), `below` behind the paragraph or list item that it stands in.
    """

    words: str
    before: str
    opening: str
    closing: str
    sign: str = ""
    below: str = ""


@dataclass(frozen=True)
class _Letter:
    token: int
    unit: int
    is_prose: bool


def text_of(html: str) -> str:
    """Return the text of clean HTML without its elements."""
    return unescape("".join(token for token in _TOKEN.findall(html) if not token.startswith("<")))


def marked(html: str, markings: Sequence[Marking]) -> tuple[str, list[Marking]]:
    """Return the HTML with the sentences marked, and those that were not found."""
    tokens = _TOKEN.findall(html)
    units = [[] if token.startswith("<") else _UNIT.findall(token) for token in tokens]
    letters, text = _letters(tokens, units)
    inside: dict[tuple[int, int], Marking] = {}
    lost: list[Marking] = []
    signs: dict[tuple[int, int], str] = {}
    below: dict[int, str] = {}
    for one in markings:
        found = _found(one, letters, text)
        covered = _covered(found, units) if found else []
        if not covered or any(place in inside for place in covered):
            lost.append(one)
            continue
        inside |= dict.fromkeys(covered, one)
        last = covered[-1]
        place = _after_link(tokens, last)
        signs[place] = signs.get(place, "") + one.sign
        panel = _after_block(tokens, last[0])
        below[panel] = below.get(panel, "") + one.below
    pieces = []
    for number, token in enumerate(tokens):
        pieces += [
            below.get(number, ""),
            _wrapped(number, token, units[number], inside, signs),
            signs.get((number, -1), ""),
        ]
    return "".join([*pieces, below.get(len(tokens), "")]), lost


def _letters(tokens: Sequence[str], units: Sequence[Sequence[str]]) -> tuple[list[_Letter], str]:
    """Return the letters and digits of the text with their places; those of buttons are left out."""
    letters, text, buttons, code = [], [], 0, 0
    for number, token in enumerate(tokens):
        buttons += token.startswith("<button") - token.startswith("</button")
        code += token.startswith("<pre") - token.startswith("</pre")
        for place, unit in enumerate(units[number] if not buttons else ()):
            if unescape(unit).isalnum():
                letters.append(_Letter(number, place, not code))
                text.append(unescape(unit))
    return letters, "".join(text)


def _found(one: Marking, letters: Sequence[_Letter], text: str) -> Sequence[_Letter]:
    """Return the letters of a sentence: of several equal ones, that with as many before it as in the written words."""
    wanted = _bare(one.words)
    start = -1
    for _ in range(_count(_bare(one.before), wanted) + 1 if wanted else 0):
        start = text.find(wanted, start + 1)
        if start < 0:
            return ()
    found = letters[start : start + len(wanted)] if wanted else ()
    return found if all(letter.is_prose for letter in found) else ()


def _bare(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _count(text: str, wanted: str) -> int:
    """Return how often a text has the wanted one, overlapping ones too."""
    count, start = 0, text.find(wanted)
    while start >= 0:
        count, start = count + 1, text.find(wanted, start + 1)
    return count


def _covered(found: Sequence[_Letter], units: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return the places of a sentence's text, with the punctuation around it, in order."""
    first, last = found[0], found[-1]
    start, end = first.unit, last.unit + 1
    while start > 0 and unescape(units[first.token][start - 1]) in _OPENING:
        start -= 1
    while end < len(units[last.token]) and unescape(units[last.token][end]) in _CLOSING:
        end += 1
    places = [(number, place) for number in range(first.token, last.token + 1) for place in range(len(units[number]))]
    return [place for place in places if (first.token, start) <= place < (last.token, end)]


def _after_link(tokens: Sequence[str], last: tuple[int, int]) -> tuple[int, int]:
    """Return where the sign of a sentence goes: behind its last piece of text, or behind the link which that stands in."""
    for number in range(last[0] + 1, len(tokens)):
        if tokens[number].startswith("<a "):
            break
        if tokens[number] == "</a>":
            return number, -1
    return last


def _after_block(tokens: Sequence[str], last: int) -> int:
    """Return before which token something goes that stands below the block of a text."""
    for number in range(last + 1, len(tokens)):
        if _ENDS_BLOCK.match(tokens[number]):
            return number + 1
        if _BEFORE.match(tokens[number]):
            return number
    return len(tokens)


def _wrapped(
    number: int,
    token: str,
    units: Sequence[str],
    inside: dict[tuple[int, int], Marking],
    signs: dict[tuple[int, int], str],
) -> str:
    if not units:
        return token
    pieces: list[str] = []
    run, current = "", None
    for place, unit in enumerate([*units, ""]):
        now = inside.get((number, place))
        if now is not current or not unit:
            pieces.append(f"{current.opening}{run}{current.closing}" if current is not None and run.strip() else run)
            run, current = "", now
        run += unit
        if (number, place) in signs:
            pieces += [f"{current.opening}{run}{current.closing}" if current is not None else run, signs[number, place]]
            run, current = "", None
    return "".join(pieces)
