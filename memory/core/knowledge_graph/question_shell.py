"""Takes the wrapping off a question: "Do you remember where I live?" asks "where I live"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.core.english.questions import LEAD
from memory.core.knowledge_graph.vocabulary import RELATIONS


@dataclass(frozen=True)
class Inner:
    """The question proper, without what it leaves out ("besides French").

    `topic` is set where the wrapping itself asks for all that is known of something.
    """

    text: str
    topic: str = ""
    excluded: str = ""


_TAILS = re.compile(
    r"(?:[\s,]+(?:please|again|though|then|by the way|btw|to you|do you know|do you remember|remind me|can you tell me|"
    r"tell me|if you (?:know|remember)|right now|exactly))+\s*[?.!]*\s*$",
    re.IGNORECASE,
)
_ABOUT_SHELLS = (
    r"what (?:all )?(?:do|did|can|have|could) (?:you|i|we)(?: actually| already)? (?:know|remember|recall|tell(?: me| you)?|"
    r"told(?: me| you)?|say|said|learn(?:ed|t)?|mention(?:ed)?|got|store[d]?)(?: to you| to me)? (?:about|of|on)",
    r"(?:please )?(?:tell|remind) me (?:something |everything |anything |all |more |a bit |again |what |(?:that )?(?:you|i) "
    r"(?:know|remember|said|told you) )*(?:about|of)",
    r"(?:do|did|can|could|would) you (?:know|remember|recall|tell me|remind me)(?: anything| something| everything)*"
    r"(?: about| of)",
    r"(?:list|show(?: me)?|give me|summari[sz]e)(?: everything| all| what)?(?: that)?(?: you (?:know|remember))? "
    r"(?:about|of)",
    r"(?:what|how|anything(?: else)?(?: you know)?) about|describe",
)
_SHELLS = (
    r"(?:do|does|did|can|could|would|will) (?:you|anyone|i)(?: still| even| happen to| perhaps| please)* "
    r"(?:know|remember|recall|tell(?: me| you)?|remind me|say|mention(?: to you)?|guess)(?: again)?(?: of| me)?(?: that)?"
    r"(?= (?:wh|how|if|since|in wh|for wh|i\b|my\b))",
    r"(?:have|did) i (?:ever |already )?(?:told you|tell you|mention(?:ed)?|said|say)(?: to you)?(?: that)?",
    r"(?:please )?(?:tell|remind) me(?: again)?(?= (?:wh|how|if|in wh|for wh))",
    r"(?:i(?: would|'d) (?:like|love) to know|i want to know|i wonder|i(?:'m| am) wondering|i (?:forgot|forget)|"
    r"i (?:can ?not|can't|do ?n't) (?:remember|recall|know))(?= (?:wh|how|if))",
    r"(?:any idea|guess|you know|you remember|so|say|let me know)(?= (?:wh|how|if|in wh|for wh))",
    r"what did i (?:say|tell you)(?: that)?(?= (?:my|i|the|our)\b)",
)
_ABOUT = re.compile(rf"^(?:{'|'.join(_ABOUT_SHELLS)})\s+(?P<topic>.+)$", re.IGNORECASE | re.DOTALL)
_SHELL = re.compile(rf"^(?:{'|'.join(_SHELLS)})\s+", re.IGNORECASE)
_KIND_OF = re.compile(
    r"^what(?:'s| is) the (?:name of the )?(city|town|country|place|company|school|language|band) "
    r"(?:that |where |which )?(?=I |my |[A-Z])",
    re.IGNORECASE,
)
_MEMBER_OF = re.compile(
    r"\b(?:am|are|was|were|is) (I|we|you|they|he|she|my \w+|[A-Z]\w+) (still |also |currently )?(?:a )?(?:member|part) of\b",
    re.IGNORECASE,
)
_SPELLINGS = (
    (re.compile(r"\b(what|where|who|when|how)s\b(?!')", re.IGNORECASE), r"\1's"),
    (re.compile(r"\bi\b"), "I"),
    (re.compile(r"\bfav(?:e|orit|ourit|rite|ortie)?\b", re.IGNORECASE), "favourite"),
    (re.compile(r"\b(what|who|where|which \w+) else\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(do|does|did|is|are|was|were|have|has|had|would|could|should)nt\b", re.IGNORECASE), r"\1n't"),
    (_KIND_OF, r"which \1 "),
    (_MEMBER_OF, r"do \1 \2belong to"),
    (re.compile(r"^(who|what) used to be (my|[A-Z]\w*'s) ([\w -]+?)\s*\?*$", re.IGNORECASE), r"\1 was \2 \3 before?"),
    (re.compile(r"(?:the )?(?:date|day) of (my|his|her|their|\w+'s) birth\b", re.IGNORECASE), r"\1 birthday"),
    (re.compile(r"(?:the )?place of (my|his|her|their|\w+'s) birth\b", re.IGNORECASE), r"\1 birthplace"),
    (re.compile(r"\bu\b(?=\s+(?:know|remember|tell))", re.IGNORECASE), "you"),
    (re.compile(r"^is there (?:anything|something) (?:that )?(?=I\b|my\b)", re.IGNORECASE), "what "),
)
_BESIDES = r"(?:besides|except(?: for)?|apart from|aside from|other than|in addition to|not counting)"
_EXCLUSION = re.compile(
    rf"^{_BESIDES}\s+(?P<lead>[^,]+),\s*|,?\s+(?:else\s+)?{_BESIDES}\s+(?P<tail>.+)$", re.IGNORECASE
)
_OWNED = re.compile(
    r"^(?!(?:what|who|where|when|how|that|it|there|here|let)'s)(?:my|his|her|their|(?:(?:my|our|his|her) )?[\w-]+'s)\s+"
    r"(?:[a-z-]+\s+){0,2}(?P<last>[a-z-]+)$",
    re.IGNORECASE,
)
_LIMIT = 600


def _is_attribute(topic: str) -> bool:
    """Return whether a topic is one thing about somebody ("my sister's name") rather than somebody ("my sister")."""
    owned = _OWNED.match(topic)
    return owned is not None and owned["last"] not in RELATIONS


def unwrapped(text: str) -> Inner:
    """Return the question inside a polite or indirect one, with common misspellings of question words mended."""
    bare = " ".join(text.replace("’", "'").replace("‘", "'").split())[:_LIMIT]
    for pattern, mended in _SPELLINGS:
        bare = pattern.sub(mended, bare)
    for _ in range(3):
        before = bare
        bare = _TAILS.sub("", LEAD.sub("", bare)).strip()
        about = _ABOUT.match(bare)
        if about is not None:
            topic = about["topic"].strip(" ?.!,")
            if _is_attribute(topic):
                return Inner(f"what is {topic}?")
            return Inner(topic, topic=topic)
        bare = _SHELL.sub("", bare)
        if bare == before:
            break
    if _is_attribute(bare.strip(" ?.!")):
        return Inner(f"what is {bare.strip(' ?.!')}?")
    without = _EXCLUSION.search(bare)
    if without is not None:
        rest = f"{bare[: without.start()]} {bare[without.end() :]}".strip(" ,?.!")
        if len(rest.split()) > 1:
            return Inner(f"{rest}?", excluded=(without["tail"] or without["lead"]).strip(" ?.!,"))
    return Inner(bare or text.strip()[:_LIMIT])
