"""Sentences that list several clauses, a clause at a time: "Yaw plays the trumpet, Afia sings, and I play the keyboard".

Each is read for itself, so that a date, a verb and a person stay together. What stands under a condition, a report or a
doubt is left whole: its clauses hold together or not at all.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.english.inflection import plural, singular
from memory.core.knowledge_graph.extraction.respelling import pieced, respelled
from memory.core.knowledge_graph.extraction.wording import PlainText
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import OCCUPATIONS, RELATIONS

_KIN = "|".join(sorted(map(re.escape, RELATIONS), key=len, reverse=True))
_KINS = "|".join(sorted({re.escape(plural(noun)) for noun in RELATIONS}, key=len, reverse=True))
_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)?"
_TELLING = r"older|younger|elder|big|little|oldest|youngest|eldest|middle|twin|half|step|other|second|third|first|best"
_OWNED = r"(?:my|our|his|her|their)"
_VERB = (
    r"(?:am|is|are|was|were|has|have|had|does|do|did|live|work|like|love|hate|play|sing|drive|study|go|went|got|get|eat|"
    r"drink|want|teach|speak|run|own|sell|kept|keep|left|quit|bought|became|broke|lost|sold|rent|cook|paint|write|know|"
    r"prefer|make|made|take|took|found|met|began|came|come|flew|rode|ride|swim|swam|gave|give|drove|sang|taught|spoke|"
    r"[a-z]{2,}(?:s|ed))"
)
_ADVERB = r"(?:(?:now|also|still|only|just|never|always|usually|recently|actually|then|even|really|both) )?"
_SUBJECT = (
    rf"(?:I|we|he|she|they|it|{_OWNED} (?:[\w'’-]+ ){{0,3}}?[\w'’-]+(?: {_NAME})?|the (?:other|older|younger|first|second)"
    rf"(?: one)?|{_NAME})"
)
_CLAUSE = rf"(?:{_SUBJECT}(?:['’](?:m|s|re|ve|d) |(?: is|n't)? {_ADVERB}(?:don't |doesn't |didn't )?{_VERB}\b))"
_BOUNDARY = re.compile(
    rf"(?:\s*[,;](?:\s+(?:and|but|while|whereas))?|\s+and|\s+but|\s+while|\s+whereas|\s+[–—-])\s+(?={_CLAUSE})"
)
_FINITE = re.compile(rf"['’](?:m|s|re|ve|d) |\b{_VERB}\b")
# Words that hold the clauses of a sentence together.
_BOUND = re.compile(
    r"\b(?:if|unless|whether|because|when|although|though|that|wish|suppose|imagine|pretend|would|could|should|might|may|"
    r"maybe|perhaps|says?|said|tells?|told|thinks?|thought|believes?|claims?|claimed|heard|hears?|asked|asks|wonder\w*|"
    r"guess|apparently|allegedly|dream\w*|hope|hopes|wants? me|not only|either|neither|nor|or|than|as|so|which|where|"
    r"no longer|instead|rather|actually|wrong|mean|meant|sorry|wait|correction|mistake\w*|misspoke|used to|until|since|"
    r"before|after|once|like|both)\b|[\"“”?*]|\bnot\b",
    re.IGNORECASE,
)
_LISTING = re.compile(
    rf"^(?P<lead>[^:]{{0,80}}?\b(?:(?P<many>{_KINS}|bandmates|teammates|people|team|band|family|project|group|trio|quartet)|"
    rf"(?P<one>{_KIN}))[^:]{{0,24}}):\s+(?=\S)",
    re.IGNORECASE,
)
_GLOSSED = re.compile(rf"(?P<n>{_NAME}|\b[a-z]+) \((?P<g>[^()]{{1,40}})\)")


def clauses_of(plain: PlainText) -> list[PlainText]:
    """Return the clauses that a sentence lists, each as a sentence; one that lists none is returned whole."""
    plain = with_plain_people(plain)
    listed = _listed(plain)
    if listed is None:
        glosses = [_glossed(plain, found) for found in _GLOSS.finditer(plain.text)]
        plain = respelled(plain, _GLOSS, lambda m: [m.span("n")])
        group = _GROUP.match(plain.text)
        listed = _parted(plain, 0, len(plain.text)) if group is None else _apart(plain, group)
        listed += glosses
    return [_opened(part) for part in listed] if len(listed) > 1 else listed


def _opened(clause: PlainText) -> PlainText:
    """Return a clause with the capital that opens a sentence."""
    return replace(clause, text=clause.text[:1].upper() + clause.text[1:])


def _parted(plain: PlainText, start: int, end: int) -> list[PlainText]:
    text = plain.text[start:end]
    opening = re.match(r"(?:(?:so|well|also|ok|okay|oh|and|but)\b,? )+", text, re.IGNORECASE)
    start += opening.end() if opening is not None else 0
    if _BOUND.search(plain.text, start, end) or len(text) > 400:
        return [_cut(plain, start, end)]
    parts, opened = list[PlainText](), start
    for boundary in _BOUNDARY.finditer(plain.text, start, end):
        if boundary.start() > opened and _FINITE.search(plain.text, opened, boundary.start()):
            parts += _gapped(plain, opened, boundary.start())
            opened = boundary.end()
    return [*parts, *_gapped(plain, opened, end)]


_GAP = re.compile(
    rf"(?P<verb> (?:is|lives|works|studies) )(?P<in>in|at|for) (?P<place>[^,;.!?]+?)(?:,? and |[,;] )(?P<n>{_NAME}|[a-z]+) "
    r"(?P=in) (?P<other>[\w'’ -]+)(?=[,;.!?]|$)"
)


def _gapped(plain: PlainText, start: int, end: int) -> list[PlainText]:
    """Return "Jo is in Cardiff, Em in Hull" as two clauses, the second with the verb of the first."""
    found = _GAP.search(plain.text, start, end)
    if found is None or not re.match(rf"(?:{_NAME}|{_OWNED} [\w -]+)$", plain.text[start : found.start("verb")]):
        return [_cut(plain, start, end)]
    first = _cut(plain, start, found.end("place"))
    pieces = [found.span("n"), found["verb"], (found.start("in"), found.end("in")), " ", (found.start("other"), end)]
    return [first, *_gapped_text(pieced(plain, pieces, at=found.start("n")))]


def _gapped_text(plain: PlainText) -> list[PlainText]:
    return _gapped(_opened(plain), 0, len(plain.text))


def _listed(plain: PlainText) -> list[PlainText] | None:
    """Return the items of "I have three brothers: Kunle is a barrister, ..." as sentences about my brothers."""
    found = _LISTING.match(plain.text)
    if found is None or _BOUND.search(plain.text):
        return None
    noun = singular((found["many"] or found["one"]).lower())
    role = f"my {noun} " if relation_of(noun) else ""
    lead = _cut(plain, 0, found.end("lead"))
    items = re.split(rf"[,;]\s+(?:and\s+)?|\s+and\s+(?=\S+ (?:\(|{_VERB}\b))", plain.text[found.end() :].rstrip(" .!"))
    if not all(_says(item) for item in items):
        return None
    sentences, at = [], found.end()
    for item in items:
        at = plain.text.index(item, at)
        sentences.append(_sentence(plain, at, at + len(item), role))
        at += len(item)
    return [lead, *sentences] if _FINITE.search(lead.text) else sentences


# "Ana (12)" and "Ben (a nurse)" tell an age and a job beside what the sentence tells.
_GLOSS = re.compile(
    rf"(?P<n>{_NAME}) \((?P<g>(?:aged )?\d{{1,2}}(?: years old)?|(?:an? )?(?:{'|'.join(sorted(OCCUPATIONS))}))\)"
)


def _glossed(plain: PlainText, found: re.Match[str]) -> PlainText:
    return pieced(plain, [found.span("n"), _copula(found["g"]), found.span("g")], at=found.start())


def _says(item: str) -> bool:
    return bool(_GLOSSED.fullmatch(item.strip()) or re.match(_CLAUSE, item) or re.match(rf"[\w'’-]+ {_VERB}\b", item))


def _sentence(plain: PlainText, start: int, end: int, role: str) -> PlainText:
    """Return an item of a list as a sentence: "priya (nurse)" as "my flatmate Priya is a nurse"."""
    item = plain.text[start:end]
    lead = role if not re.match(r"(?:I|we|he|she|they|it|my|our|i'm)\b", item, re.IGNORECASE) else ""
    gloss = _GLOSSED.fullmatch(item)
    if gloss is not None:
        name = (start + gloss.start("n"), start + gloss.end("n"))
        said = (start + gloss.start("g"), start + gloss.end("g"))
        made = pieced(plain, [lead, name, _copula(gloss["g"]), said], at=start)
    else:
        made = pieced(plain, [lead, (start, end)], at=start)
    at = len(lead)
    return PlainText(made.text[:at] + made.text[at : at + 1].upper() + made.text[at + 1 :], made.starts, made.ends)


def _copula(gloss: str) -> str:
    first = gloss.split()[0].lower()
    if first.isdigit() or re.match(rf"(?:{_VERB})$", first) and gloss.lower() not in OCCUPATIONS:
        return " is " if first.isdigit() else " "
    is_noun = not re.match(r"(?:a|an|the|in|at|from|my|not)\b", gloss)
    return f" is {'an' if first[0] in 'aeiou' else 'a'} " if is_noun else " is "


def _cut(plain: PlainText, start: int, end: int) -> PlainText:
    return PlainText(plain.text[start:end], plain.starts[start:end], plain.ends[start:end])


# How people are named beside what they are to somebody, and how the rules read it.
_APPOSED = re.compile(
    rf"(?:^|(?<=[,;:] )|(?<=\band )|(?<=\bbut ))(?P<n>{_NAME}), (?P<r>(?:my|our) (?:(?:{_TELLING}) )?(?:{_KIN})),? "
    rf"(?={_ADVERB}{_VERB}\b)"
)
_SET_OFF = re.compile(
    rf"\b(?P<o>my|our|his|her|their|My|Our|His|Her|Their) (?P<t>(?:(?:{_TELLING}) )?)(?P<k>{_KIN})(?:,| is called| called) "
    rf"(?P<n>{_NAME}), (?:who )?(?={_ADVERB}{_VERB}\b)"
)
_OTHER = re.compile(rf"\b(?P<o>my|our|his|her|My|Our|His|Her) other (?P<k>{_KIN}),? (?P<n>{_NAME})\b,?")
_ANOTHER = re.compile(
    r"^(?:(?:And|Oh|Also|Then|Well|Plus),? )*(?:[Tt]here(?:['’]s| is| are)|"
    r"(?:I|[Ww]e)(?: also)?(?:['’]ve got| have got|['’]ve| have)) "
    rf"(?:also )?(?:another|a second|one more|a third|a|an|one) (?:(?:{_TELLING}) )?(?P<k>{_KIN})"
    rf"(?: too| as well| also)?(?:,| called| named)? (?P<n>{_NAME}),? who(?P<s>['’]s)? ?(?={_ADVERB}\w)",
)
_TITLE = (
    r"(?P<k>[Gg]rand(?:ma|pa|dad|mother|father)|[Gg]ran(?:ny)?|[Nn]an|[Aa]unt(?:ie|y)?|[Uu]ncle|[Cc]ousin) "
    rf"(?P<n>{_NAME})"
)
_TITLED = re.compile(
    rf"(?P<b>^|\b(?:and|but|with|to|at|by|from|visit|visited|see|saw|met|meet|for|while) |[,;:] ){_TITLE}"
)
_NAMED_LATER = re.compile(
    rf"^(?:(?:So|And|so|and) )?(?:I|[Ww]e|[Tt]hey|[Mm]y \w+)(?:['’]ve| have|['’]re| are)?(?: decided to| going to)? "
    rf"(?:named?|call(?:ed|ing)?) (?P<p>him|her|it) (?P<n>{_NAME})(?=\W*$|,)"
)
_WHOSE = {"him": "His", "her": "Her", "it": "Its"}
_BOTH = re.compile(rf"(?<=\w) both (?P<v>{_VERB}\b)")
_BIRTHDAY = re.compile(
    rf"(?P<w>\b[Mm]y (?:{_KIN})|{_NAME}) (?:has|celebrates) (?:his|hers|her|theirs|their)(?: own)?(?: birthday)? (?=on |in )"
)
_GROUP = re.compile(
    rf"^(?P<o>My|Our|my|our) (?P<c>(?:(?:two|three|four|five|older|younger|little) )*)(?P<k>{_KINS}),? "
    rf"(?P<n>{_NAME}(?:, {_NAME})*,? and {_NAME}),? (?P<rest>(?:both |all )?{_VERB}\b)"
)


def with_plain_people(plain: PlainText) -> PlainText:
    """Return the text with people named as the rules read them: "Emma, my niece, ..." as "my niece Emma ..."."""
    plain = respelled(plain, _APPOSED, lambda m: [m.span("r"), " ", m.span("n"), " "])
    plain = respelled(plain, _SET_OFF, lambda m: [m.span("o"), " ", m.span("t"), m.span("k"), " ", m.span("n"), " "])
    plain = respelled(plain, _OTHER, lambda m: [m.span("o"), " ", m.span("k"), " ", m.span("n")])
    plain = respelled(plain, _ANOTHER, lambda m: ["My ", m.span("k"), " ", m.span("n"), " is " if m["s"] else " "])
    if "birthday" in plain.text.lower():
        plain = respelled(plain, _BIRTHDAY, lambda m: [m.span("w"), "'s birthday is "])
    plain = respelled(plain, _NAMED_LATER, lambda m: [_WHOSE[m["p"].lower()], " name is ", m.span("n")])
    plain = respelled(plain, _BOTH, lambda m: [" ", m.span("v")])
    return respelled(plain, _TITLED, lambda m: [m.span("b"), "my ", m["k"].lower(), " ", m.span("n")])


def _apart(plain: PlainText, group: re.Match[str]) -> list[PlainText]:
    """Return "My two aunts, Rosa and Pina, live in Bari" as "My aunts are Rosa and Pina" and "Rosa and Pina live in Bari"."""
    names = group.span("n")
    named = pieced(plain, [group.span("o"), " ", group.span("k"), " are ", names], at=0)
    return [named, pieced(plain, [names, " ", (group.start("rest"), len(plain.text))], at=0)]
