"""Chat's spellings and clippings with the plain words for them: "dont", "2nite", "w my mate", "rn", "soz".

A name in braces is the group that stays as it was written.
"""

from __future__ import annotations

_GOING = r"mov(?:e|es|ed|ing)|relocat(?:e|es|ed|ing)|go|goes|went|going|fl(?:y|ew|ying)|dr(?:ive|ove|iving)|back"
_NEGATED = "do|does|did|is|are|was|were|have|has|had|could|would|should|ca|wo"
_OWNER = r"my|our|his|her|their|ur|your"
_KIN = "mum|mom|dad|sis|bro|sister|brother|gran|nan|grandma|grandad|boss|bf|gf|mate|aunt|uncle|cousin|dog|cat"

CHAT_SPELLING: tuple[tuple[str, str], ...] = (
    (r"’", "'"),
    (r"\bany more(?= *(?:[.,;!?)]|$|and\b|but\b|so\b|because\b|since\b))", "anymore"),
    (r"(?<![\w'])im(?= )", "I'm"),
    (r"(?<![\w'])ive(?= )", "I've"),
    (rf"\b(?P<v>{_NEGATED})nt\b", "{v}n't"),
    (r"\b(?P<p>he|she|that|there|what|it)s(?= (?!of\b|for\b|in my\b))(?<!\bits)", "{p}'s"),
    (r"\bits(?= (?:a|an|the|all|just|now|over|not|called|been|actually|my|in|on|at|so|\d)\b)", "it's"),
    (r"\b(?P<p>they|we)re\b(?<!\bwere)", "{p}'re"),
    (r"\bgonna\b", "going to"),
    (r"\bgotta\b", "have to"),
    (r"\bwanna\b", "want to"),
    (r"\b(?:em)\b(?<=\w em)", "them"),
    (r"\bb4\b", "before"),
    (r"\b(?:cuz|coz|cos|bcuz|bc|bcos)\b", "because"),
    (r"\bw/ ", "with "),
    (r"\bw(?= (?:my|me|our|his|her|the|a|an|[A-Z]\w+|\w+)\b)", "with"),
    (r"\br(?= (?:fine|ok|good|my|the|so|not|great|now)\b)", "are"),
    (r"\b(?:u)\b(?= )", "you"),
    (r"\bur\b", "your"),
    (r"\brn\b", "right now"),
    (r"\babt\b", "about"),
    (r"\bppl\b", "people"),
    (r"\blil\b", "little"),
    (r"\bused 2\b", "used to"),
    (rf"\b(?P<v>{_GOING}) 2 (?=[^\W\d])", "{v} to "),
    (r"\b(?P<v>work(?:s|ed|ing)?) 4 (?=[^\W\d])", "{v} for "),
    (r"(?<=[a-z]) (?:n|nd) (?=[a-z])", " and "),
    (r"\btill\b", "until"),
    (r"\b(?P<o>my) num\b", "{o} number"),
    (r"\b(?P<n>\d{1,3}) ?(?:yo|y/o|yrs old|yrs)\b", "{n} years old"),
    (rf"\b(?P<o>{_OWNER}) fave?\b", "{o} favorite"),
    (rf"\b(?P<o>{_OWNER}) bf\b", "{o} boyfriend"),
    (rf"\b(?P<o>{_OWNER}) gf\b", "{o} girlfriend"),
    (rf"\b(?P<o>{_OWNER}) bday\b", "{o} birthday"),
    (rf"\b(?P<o>{_OWNER}) (?:lil |little )?sis\b", "{o} sister"),
    (rf"\b(?P<o>{_OWNER}) (?:lil |little )?bro\b", "{o} brother"),
    (r"\b(?P<s>studying|study|studies|doing|dropped) econ\b", "{s} economics"),
    # What only gives a tone is no part of what is told.
    (
        r"[\s,]+(?:lol|lmf?ao+|haha+|hehe|ngl|tbh|btw|tho|imo|fr|smh|omg|pls|plz|innit|xx?)(?=\s*(?:[.,!?]|$))",
        "",
    ),
    (r"^\W*(?:lol|lmf?ao+|haha+|hehe|ngl|tbh|btw|omg|yo|update|so yeah|ok so|anyways?)(?:\s*[,:]\s*|\s+)(?=\w)", ""),
    (rf"^(?P<k>(?:{_KIN}))(?= (?:is|isn't|was|works?|lives?|moved|got|just|has|had|plays?|'s)\b)", "my {k}"),
)
