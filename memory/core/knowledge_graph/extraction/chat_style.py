"""What people leave out and write small in chat, put back: "gf is called mia", "got 2 cats", "dads in derby now"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memory.core.english.times import WEEKDAYS
from memory.core.knowledge_graph.extraction.respelling import respelled
from memory.core.knowledge_graph.extraction.wording import PlainText
from memory.core.knowledge_graph.vocabulary import OCCUPATIONS, PETS, RELATIONS, TRANSIENT

_KIN_NOUNS = sorted((set(RELATIONS) - PETS - {"ex", "ma", "client", "student", "baby"}), key=len, reverse=True)
_KIN = "|".join(map(re.escape, _KIN_NOUNS))
# Relatives who go by their role: "Mum lives in Derby", "I went with Grandad".
_CALLED_BY_ROLE = r"mum|mom|mam|mama|mommy|dad|daddy|papa|grandma|grandpa|granny|grandad|granddad|gran|nan|nana"
_CHAT_KIN = r"bro|sis|gf|bf|hubby|wife|husband|girlfriend|boyfriend|brother|sister|boss|landlord|flatmate|roommate|" + (
    r"housemate|roomie|flattie|bestie|neighbou?r|cousin|son|daughter|fianc[eé]e?"
)
_FINITE = (
    r"is|was|has|had|does|did|lives?|works?|likes?|loves?|hates?|plays?|sings?|drives?|studies|goes|went|moved|got|gets|"
    r"started|starts|eats|drinks|wants|teaches|speaks|runs|owns|sells|kept|keeps|left|quit|bought|joined|became|turned|"
    r"turns|passed|failed|broke|lost|sold|stopped|switched|swapped|prefers|stays|rides|rents|cooks|paints|writes|knows|"
    r"married|died|retired|made|makes|took|takes|found|said|says"
)
_OPENS = r"(?:^|[,;:.!(–—]\s+|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\balso )|(?<=\bcos )|(?<=\bbecause ))"
# No name, though it stands before a verb without an article.
_NO_NAMES = frozenset(
    "i u you we he she it they who what which where when how why this that these those there here one everyone everybody "
    "someone somebody anyone nobody everything something nothing mine yours hers his theirs ours everyone1 every1 ppl people "
    "and but or so cos because if though also then still now just really only even never always usually actually lately "
    "today yesterday tomorrow tonight work school uni college life rent food coffee tea water music money weather dinner "
    "lunch breakfast traffic homework stuff same other another both all some most half each none either neither nothing "
    "love luck time today's sleep football tennis yoga chess sport sports maths math english french german spanish "
    "history physics chemistry biology gaming reading cooking swimming running my his her our your their the a an not no "
    "yes yeah yep ok okay lol lmao omg btw tbh ngl idk rn gonna wanna got have has had is was are were be been do does did "
    "mould pain practical theory gig exam test train flight bus bed gaff flat house car laptop phone".split()
)
_PLACELESS = frozenset(
    "bed town class school uni university college love pain fact general person particular between trouble hospital "
    "church prison jail debt shock tears bits time front charge progress spring summer autumn winter fall january february "
    "march april may june july august september october november december jan feb mar apr jun jul aug sept sep oct nov dec "
    "my his her our your their the a an it them him us me this that these those case need order part half two three "
    "four five six seven eight nine ten years months weeks days hours high secondary primary year touch public private "
    "finance marketing sales tech software retail it law medicine education construction therapy advance total goal "
    "work home sync rehab recovery theory practice danger peace silence bulk line real life hindsight reality bio".split()
)
_DOING = re.compile(
    r"^(?P<s>(?:(?:so|and|also|but|just|still|well|currently|now|ok|okay|oh|yeah|btw|lol|update)\b[\s,:]*)*)"
    r"(?P<v>selling|saving|obsessed|based|allergic|addicted|married|engaged|scared|"
    r"terrified|afraid|vegan|vegetarian|into|turning|originally from)\b",
    re.IGNORECASE,
)


def with_left_out(plain: PlainText) -> PlainText:
    """Return the words of a chat message with the small words and the capitals that it lacks; others as they are."""
    plain = respelled(plain, _ROLE_NAMES, _owned)
    if not _is_chat(plain.text):
        return plain
    for pattern, write in _CHAT:
        plain = respelled(plain, pattern, write)
    return _capitalised(plain)


def _is_chat(text: str) -> bool:
    """Return whether a message is written without capitals, but for an "I" or a word that is all capitals."""
    words = re.findall(r"[^\W\d_]+", text)
    return bool(words) and all(
        word == word.lower() or word == "I" or word.isupper() and len(word) > 1 for word in words
    )


def _owned(match: re.Match[str]) -> list[str | tuple[int, int]]:
    return ["my ", match.span("k")]


# A relative without "my" or "his" is the speaker's: "Grandad is 80", "dinner with Mum".
_ROLE_NAMES = re.compile(
    rf"(?:^|(?<=[,;:.!(] )|(?<=\band )|(?<=\bbut )|(?<=\bwith )|(?<=\bto )|(?<=\bfrom )|(?<=\bat )|(?<=\bw )|(?<=\bso )|"
    rf"(?<=\bfor )|(?<=\bnow )|(?<=\bthink ))(?P<k>(?:{_CALLED_BY_ROLE}))"
    r"(?=(?:['’]?s)?\b(?! and dad\b))(?!['’]s? (?:day|boy|girl)\b)",
    re.IGNORECASE,
)
_Piece = str | tuple[int, int]
_WEEKDAYS = {day[:3].lower(): day for day in WEEKDAYS}
_CHAT: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], list[_Piece]]], ...] = (
    (re.compile(r"(?<!\w)i(?=$|[\s'’])"), lambda m: ["I"]),
    (re.compile(rf"{_OPENS}(?P<p>it|that)s\b"), lambda m: [(m.start(), m.end() - 1), "'s"]),
    (re.compile(r"(?<=\w) n (?=\w)"), lambda m: [" and "]),
    (re.compile(r"\byday\b"), lambda m: ["yesterday"]),
    (re.compile(r"\b2nite\b"), lambda m: ["tonight"]),
    (re.compile(r"\b(?:tmrw?|2moro|tomoz)\b"), lambda m: ["tomorrow"]),
    (re.compile(r"\b(?P<d>mon|tues?|weds?|thurs?|fri|sat|sun)s?(?=$|[\s.,!?])"), lambda m: [_WEEKDAYS[m["d"][:3]]]),
    (re.compile(r"\b(?P<y>y)rs?\b"), lambda m: ["year" if m.group() == "yr" else "years"]),
    # "gf is called mia", "dads in derby", "boss left"
    (
        re.compile(rf"{_OPENS}(?P<k>(?:(?:other|older|younger|little|big|best) )?(?:{_CHAT_KIN}))(?=s?\b(?! that\b))"),
        lambda m: [(m.start(), m.start("k")), "my ", m.span("k")],
    ),
    (
        re.compile(rf"\bmy (?P<k>{_KIN})s (?=(?:in|at|with|from|a|an|the|called|not|on|still|back|doing|\d+)\b)"),
        lambda m: ["my ", m.span("k"), " is "],
    ),
    (
        re.compile(rf"\bmy (?P<k>{_CALLED_BY_ROLE})s (?=\w+ed\b|kept|got|left|gone)"),
        lambda m: ["my ", m.span("k"), " "],
    ),
    (_DOING, lambda m: [m.span("s"), "I'm ", m.span("v")]),
    (re.compile(r"^(?P<p>in|from|at) (?=\w+(?: now| atm| rn| again|[,.!]|$))"), lambda m: ["I'm ", m.span("p"), " "]),
    (
        re.compile(r"\bme (?P<v>stuck|still|living|back) (?=in\b|at\b)"),
        lambda m: ["I'm ", "" if m["v"] == "stuck" else (m.start("v"), m.end("v") + 1)],
    ),
)
# Where a small word is somebody's name: before a verb, after a relation, after "called".
_NAMES = (
    re.compile(rf"{_OPENS}(?P<n>[a-z][a-z'-]+)(?= (?:{_FINITE})\b|['’]s (?:in|at|a|an|from|called|\d))"),
    re.compile(
        rf"\bmy (?:(?:older|younger|little|big|best|other) )?(?:{_KIN}),? (?P<n>[a-z][a-z'-]+)(?= (?:{_FINITE})\b|['’]s )"
    ),
    re.compile(r"\b(?:called|named) (?:(?:him|her|it|them) )?(?P<n>[a-z][a-z'-]+)"),
    re.compile(r"\b(?:with|and) (?P<n>[a-z][a-z'-]+)(?= (?:live|both|moved|play|broke|got|had|went)\b)"),
    re.compile(r"^I'm (?P<n>[a-z][a-z'-]+)(?=, )"),
)
_PLACES = re.compile(
    r"(?:\b(?:lives?|living|live|born|based|stuck|moved|am|is|'m|'s|are|back|studying|flat|house|place|room|home) (?:now )?"
    r"(?:in|to|near)|^I'm from|\bfrom|\bleft|\b[a-z]+ in(?=\s\w+[,.!]|\s\w+$)) (?P<n>[a-z][a-z'-]+)"
    r"(?=$|[,.!?;)]|\s+(?:now|and|with|but|since|for|because|this|next|again|then|still|these|last|so|lol|in|from|to)\b)"
)


def _capitalised(plain: PlainText) -> PlainText:
    text = plain.text
    for pattern in (*_NAMES, _PLACES):
        stop = _PLACELESS if pattern is _PLACES else _NO_NAMES
        for match in pattern.finditer(text):
            word = match["n"]
            if word in stop or word in _COMMON or word.rstrip("s") in _COMMON:
                continue
            at = match.start("n")
            text = text[:at] + text[at].upper() + text[at + 1 :]
    return replace(plain, text=text)


_COMMON = frozenset(RELATIONS) | OCCUPATIONS | TRANSIENT | PETS
