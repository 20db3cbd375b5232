"""Chat's spellings and idioms in the words that the rules read: "dont", "gonna", "moved 2 lyon", "was let go"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.core.knowledge_graph.vocabulary import RELATIONS
from memory.core.types import Span


@dataclass(frozen=True)
class PlainText:
    """A sentence in plain words, with the range of the original that each of its characters stands for."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original(self, span: Span) -> Span:
        """Return the range of the original sentence that a range of the plain one stands for."""
        if not self.starts or span.start >= span.end:
            return span
        last = min(span.end, len(self.ends)) - 1
        return Span(self.starts[min(span.start, last)], self.ends[last])


_KIN = "|".join(sorted(map(re.escape, RELATIONS), key=len, reverse=True))
_BE = r"am|'m|is|'s|are|'re|was|were"
_GOING = r"mov(?:e|es|ed|ing)|relocat(?:e|es|ed|ing)|go|goes|went|going|fl(?:y|ew|ying)|dr(?:ive|ove|iving)|back"
_NOTICE = (
    r"(?:handed in|turned in|put in|gave|gave in) (?:my|his|her|their) (?:resignation(?: letter)?|notice|"
    r"two weeks'?(?: notice)?)"
)
_NEGATED = "do|does|did|is|are|was|were|have|has|had|could|would|should|ca|wo"

# What people write and the plain words for it; a name in braces is the group that stays as it was written.
_PLAIN: tuple[tuple[str, str], ...] = (
    (r"’", "'"),
    (r"\bany more(?= *(?:[.,;!?)]|$|and\b|but\b|so\b|because\b|since\b))", "anymore"),
    (r"(?<![\w'])im(?= )", "I'm"),
    (r"(?<![\w'])ive(?= )", "I've"),
    (rf"\b(?P<v>{_NEGATED})nt\b", "{v}n't"),
    (r"\bgonna\b", "going to"),
    (r"\bgotta\b", "have to"),
    (r"\bwanna\b", "want to"),
    (r"\bb4\b", "before"),
    (r"\b(?:cuz|coz|bcuz|bc)\b", "because"),
    (r"\bw/ ", "with "),
    (rf"\b(?P<v>{_GOING}) 2 (?=[^\W\d])", "{v} to "),
    (r"\b(?P<v>work(?:s|ed|ing)?) 4 (?=[^\W\d])", "{v} for "),
    (r"(?<=[a-z]) n (?=[a-z])", " and "),
    (r"\b(?P<n>\d{1,3}) ?(?:yo|y/o|yrs old|yrs)\b", "{n} years old"),
    (r"\b(?P<o>my|our|his|her) fave?\b", "{o} favorite"),
    (r"\b(?P<o>my|our|his|her) bf\b", "{o} boyfriend"),
    (r"\b(?P<o>my|our|his|her) gf\b", "{o} girlfriend"),
    (r"\b(?P<o>my|our|his|her) bday\b", "{o} birthday"),
    (rf"\b(?P<o>my|our) (?P<k>{_KIN})s (?P<w>[a-z]+)(?= (?:is|was)\b)", "{o} {k}'s {w}"),
    (r"\b(?P<n>name(?: is|'s)) (?:spelled|spelt|written)\b", "{n}"),
    (r"^(?P<n>(?:it|that)(?: is|'s)) (?:spelled|spelt|written)\b", "no, {n}"),
    # Losing and leaving work.
    (
        r"\b(?:been|was|were|got|getting|get|gets) (?:let go|made redundant|laid[ -]off|canned)\b(?: of)?",
        "got fired",
    ),
    (r"\b(?:got|been given|was given) the (?:sack|axe|boot|chop)\b", "got fired"),
    (rf"\b(?:{_NOTICE})(?: (?:at|to|with))(?= [A-Z])", "resigned from"),
    (rf"\b(?:{_NOTICE})(?! about)", "resigned"),
    (r"\bstepped down(?= (?:from|as)\b)", "resigned"),
    (rf"\b(?P<b>{_BE}) no longer (?P<p>at|with|in|on|part of)\b", "{b} not {p}"),
    (r"(?P<b>\b(?:am|is|are|was|were)|'m|'s|'re) (?:not|no longer) employed (?=at|by|for|with)\b", "{b} not working "),
    # Tastes and habits.
    (r"\b(?:have |has |'ve |'s )?given up\b", "gave up"),
    (r"(?<=\bI)(?:'m| am) off (?=(?:coffee|sugar|meat|alcohol|caffeine|gluten|dairy|cigarettes)\b)", " gave up "),
    (r"\b(?:have |has |'ve |'s )?gone off (?=\w)|\bwent off (?=(?:coffee|meat|tea|sugar)\b)", "no longer like "),
    (r"\bnever (?:really |much )?(?:liked|cared for)\b", "don't like"),
    (r"\b(?:can't|can not|cannot) (?:bear|abide|stand)\b", "can't stand"),
)
_RULES = tuple((re.compile(pattern, re.IGNORECASE), template) for pattern, template in _PLAIN)
_SLOT = re.compile(r"\{(\w)\}")


def plain_words(text: str) -> PlainText:
    """Return a sentence in plain words; its own where nothing needs plainer ones."""
    plain = PlainText(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))
    for pattern, template in _RULES:
        for match in reversed(list(pattern.finditer(plain.text))):
            plain = _replaced(plain, match, template)
    return plain


def _replaced(plain: PlainText, match: re.Match[str], template: str) -> PlainText:
    text, starts, ends = "", list[int](), list[int]()
    for index, part in enumerate(_SLOT.split(template)):
        if index % 2:
            low, high = match.span(part)
            text += plain.text[low:high]
            starts += plain.starts[low:high]
            ends += plain.ends[low:high]
        else:
            # Words that nobody wrote stand for all that they replace.
            text += part
            starts += [plain.starts[match.start()]] * len(part)
            ends += [plain.ends[match.end() - 1]] * len(part)
    return PlainText(
        plain.text[: match.start()] + text + plain.text[match.end() :],
        (*plain.starts[: match.start()], *starts, *plain.starts[match.end() :]),
        (*plain.ends[: match.start()], *ends, *plain.ends[match.end() :]),
    )
