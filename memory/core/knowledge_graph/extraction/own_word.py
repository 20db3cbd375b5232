"""A speaker's own word, whatever it calls on: "You know I love jazz", "Believe me, I'm a nurse", "As I said, ..."."""

from __future__ import annotations

import re

_TOLD_BEFORE = r"(?: (?:before|earlier|already|last time|above|previously|yesterday|to you|just now))*"
_OPENINGS = (
    r"(?:you|ya|y'all)(?: already| probably| do| must| surely)? know(?: how| me| what)?",
    r"as you(?: already| may| might| probably| well)* (?:know|remember|recall)",
    rf"(?:as|like) (?:i|we)(?:'ve| have)?(?: already| just| once)? (?:said|mentioned|told you|explained|wrote){_TOLD_BEFORE}",
    r"(?:let me|lemme|allow me to|just to|just so|i(?:'ll| can|'d like to| want to| wanted to|'m going to| should| must| "
    r"have to|'ve got to| gotta| need to|'d love to))(?: just| also| quickly| first)* (?:tell|remind|assure|warn|inform|"
    r"admit|add|say|mention|confess|note|clarify)(?: (?:you|this|it|up front|upfront|something|first|straight away|"
    r"right away|too|also))*",
    r"(?:to be|being|quite|in all) (?:\w+ )?(?:honest|honesty|frank|frankly|fair|candid|truthful|precise|clear)"
    r"(?: with you)?",
    r"(?:believe|trust) me(?: when i say| on this| on that one)?",
    r"take it from me|mark my words|mind you|honestly|frankly|truth be told|the truth is|(?:the )?fact is|i kid you not",
    r"i swear(?: to (?:god|you))?|no kidding|no lie|not gonna lie|ngl|fyi|for the record|for your information|i repeat",
    r"(?:just )?so you know|remember|don't forget|i(?:'m| am) (?:telling you|not (?:lying|joking|kidding))",
)
_OPENING = re.compile(
    r"^\W*(?:(?:so|and|but|well|hey|ok|okay|oh|also|now|btw|hmm|yes|yeah|no)\b[\s,]+)*"
    rf"(?:{'|'.join(_OPENINGS)})"
    r"(?:\s*[,:;–—-]+\s*|\s*\.{2,}\s*|\s+)(?:that\s+)?"
    r"(?=(?:i|i'm|i’m|i've|i’ve|i'd|i'll|my|our|we|we're|we've|he|she|they|mine|the|there|(?-i:[A-Z])\w+)\b)",
    re.IGNORECASE,
)


def own_word_opening(text: str) -> int:
    """Return where the statement begins that a sentence introduces as the speaker's own word; 0 where none is."""
    opening = _OPENING.match(text)
    # What is asked stays a question: "You know I live in Rome, right?"
    return 0 if opening is None or text.rstrip().endswith("?") else opening.end()
