"""Chat's spellings and clippings with the plain words for them: "dont", "moved 2 lyon", "my bf".

A name in braces is the group that stays as it was written.
"""

from __future__ import annotations

_GOING = r"mov(?:e|es|ed|ing)|go|goes|went|going|dr(?:ive|ove|iving)|back"
_NEGATED = "do|does|did|is|are|was|were|have|has|had|could|would|should|ca|wo"
_OWNER = r"my|our|his|her|their|ur|your"
_DONE = (
    "moved|joined|quit|dropped|sold|bought|adopted|switched|changed|started|left|lost|got|gave|married|retired|stopped|"
    "worked|lived|studied|went|graduated|finished|became|took|grew up|met|visited"
)

CHAT_SPELLING: tuple[tuple[str, str], ...] = (
    (r"’", "'"),
    (r"\bany more(?= *(?:[.,;!?)]|$|and\b|but\b|so\b|because\b|since\b))", "anymore"),
    (r"(?<![\w'])im(?= )", "I'm"),
    (r"(?<![\w'])ive(?= )", "I've"),
    (rf"\b(?P<v>{_NEGATED})nt\b", "{v}n't"),
    (r"\b(?P<p>he|she|that|there|what|it)s(?= (?!of\b|for\b|in my\b))(?<!\bits)", "{p}'s"),
    (r"\bgonna\b", "going to"),
    (rf"\b(?P<v>{_GOING}) 2 (?=[^\W\d])", "{v} to "),
    (r"(?<=[a-z]) (?:n|nd) (?=[a-z])", " and "),
    (rf"\b(?P<o>{_OWNER}) bf\b", "{o} boyfriend"),
    (rf"\b(?P<o>{_OWNER}) gf\b", "{o} girlfriend"),
    (rf"\b(?P<o>{_OWNER}) bday\b", "{o} birthday"),
    (rf"\b(?P<o>{_OWNER}) (?:lil |little )?sis\b", "{o} sister"),
    (rf"\b(?P<o>{_OWNER}) (?:lil |little )?bro\b", "{o} brother"),
    (r"^\W*(?:lol|lmf?ao+|haha+|hehe|ngl|tbh|btw|omg|yo|update|so yeah|ok so|anyways?)(?:\s*[,:]\s*|\s+)(?=\w)", ""),
    # The "I" that people leave out in a hurry.
    (rf"^(?![^?]*\?\s*$)(?=(?:(?:just|also|recently|finally|already) )*(?:{_DONE})\b\s+\w)", "I "),
)
