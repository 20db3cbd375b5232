"""The words of short answers: yes, no, "not any more", and the bare value in "It's Rex, of course!"."""

from __future__ import annotations

import re

LEAD = (
    r"^\W*(?:(?:well|um+|uh+|hmm+|oh|ah|haha|lol|sure|ok(?:ay)?|so|just|currently|right now|still|actually|"
    r"honestly|it would be|"
    r"that would be|that'd be|i'd say|i would say|i think)\b[\s,.!…-]*)*"
)
YES = re.compile(
    LEAD
    + r"(?:yes|yep|yeah|yup|ya|yea|sure|indeed|absolutely|definitely|of course|certainly|correct|exactly|right|true|"
    r"that(?:'s| is) (?:right|correct|true|it)|you(?:'re| are) right|you got it|affirmative|si|oui|"
    r"i (?:still )?(?:do|am|did|have|was)|"
    r"(?:he|she|it|they) (?:still )?(?:does|is|did|has|was|do|are|have|were)|still (?:do|am|is|does)|"
    r"i sure (?:do|am))\b"
    r"(?:[\s,.!]+(?:yes|i (?:still |really |sure )?(?:do|am|did|have|was)|(?:he|she|it|they) (?:still )?(?:does|"
    r"is|did|has|was|"
    r"do|are|have|were)|that(?:'s| is) (?:right|correct|true)|indeed|still|sir|ma'am|exactly|of course|thanks|"
    r"thank you|"
    r"correct|right|you(?:'re| are) right)\b(?!\s+[a-z]))*"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
NO = re.compile(
    LEAD + r"(?:unfortunately |sadly |afraid )?(?P<no>no(?:pe|t anymore|t any more|t any longer|t really|t at all|"
    r" longer)?|nah|never|"
    r"i(?:'m| am) not|i (?:do not|don't|didn't|did not|haven't|have not|wasn't)|"
    r"(?:he|she|it|they) (?:isn't|doesn't|didn't|hasn't|aren't|don't|haven't|wasn't|weren't)|negative|wrong|"
    r"that(?:'s| is) (?:wrong|not (?:right|true|correct)|incorrect|false)|incorrect|not (?:anymore|any more|"
    r"any longer))\b"
    r"(?:[\s,.!]+(?:no|i(?:'m| am) not|i (?:do not|don't|didn't|did not|haven't)|(?:he|she|it|they) (?:isn't|"
    r"doesn't|didn't|hasn't|"
    r"aren't|don't|haven't|wasn't|weren't)|not (?:anymore|any more|any longer|really|at all)|anymore|any more|"
    r"any longer|sorry|"
    r"that(?:'s| is) (?:wrong|not (?:right|true)|incorrect)|sadly|unfortunately|actually|thanks|thank you|it's|"
    r"it is)\b)*"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
USED_TO = re.compile(LEAD + r"(?:(?:no|not anymore|not any more)\b[\s,.!]+(?:but )?)?i used to\W*$", re.IGNORECASE)
OPEN = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|might|not sure|unsure|no idea|i guess|i think so|i don't know|idk|"
    r"dunno|sort of|kind of|"
    r"kinda|depends|sometimes|not yet|hopefully|i hope|i wish|i'd like|i'd love|none|nothing|nowhere|nobody|"
    r"anything|whatever|"
    r"secret|guess|why|what|which|who|how|where|you|your|thanks|thank|please|both|neither|either)\b|\?",
    re.IGNORECASE,
)
OWN_CLAUSE = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|we|we're|we've|he|she|they|it|there|that|this|who)\b|\b(?:is|are|was|were|am|has|"
    r"have|had|do|does|"
    r"did|will|would|can|could|should)\b",
    re.IGNORECASE,
)
PRONOUN_LEAD = re.compile(
    r"^(?:it|that|he|she|they|his name|her name|its name|my name|the name)(?:'s| is|'re| are|'ll be| was)"
    r"(?: called| named)?\s+",
    re.IGNORECASE,
)
PREPOSITION = re.compile(
    r"^(?:in|at|on|near|for|to|with|from|as|by|since|outside|close|around|of|under)\b", re.IGNORECASE
)
TAIL = re.compile(
    r"[\s,.!…-]*(?:\b(?:of course|haha|lol|actually|thanks for asking|thanks|why|and you|btw|these days|"
    r"nowadays|still|now|"
    r"currently|at the moment|instead|please|sorry|obviously|definitely|absolutely|for sure|any day|"
    r"hands down)\b[\s,.!?…-]*)*$",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"^(?:just |only |about )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|no|a few|several)\b",
    re.IGNORECASE,
)


def says_yes(text: str) -> bool:
    yes = YES.match(text)
    return yes is not None and not TAIL.sub("", yes["rest"]).strip(" .!,")


def value_of(text: str) -> str:
    """Return the bare value that a text consists of, or nothing where it says more, or less, than one."""
    bare = re.sub(LEAD, "", text.strip(), flags=re.IGNORECASE)
    bare = PRONOUN_LEAD.sub("", bare)
    bare = TAIL.sub("", bare).strip(" .!,…\"'“”")
    # "Schindler, the lift company" names one thing and says what it is.
    bare = re.sub(r"^([A-Z][\w&'.-]*(?: [A-Z][\w&'.-]*)*), (?:an?|the|my|our) .*$", r"\1", bare)
    if not bare or OPEN.search(bare) or OWN_CLAUSE.search(bare) or not re.match(r"[\w+]", bare):
        return ""
    if YES.fullmatch(bare) or NO.fullmatch(bare) or len(bare.split()) > 7:
        return ""
    return bare


def thing_of(text: str) -> str:
    """Return a value without its preposition or article: "at Ericsson now" is "Ericsson"."""
    return re.sub(
        r"^(?:(?:in|at|for|with|to|from|an?|the)\s+)+",
        "",
        value_of(text) if text.strip(" .,!") else "",
        flags=re.IGNORECASE,
    )
