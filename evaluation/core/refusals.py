"""Recognises replies that say that they do not know.

A reply refuses when it contains one of the phrasings below in its own voice (words between double quotes are somebody else's)
and does not go on to guess ("I don't know, but I think ..."). The phrasings were collected from how people and language
models say that they do not know, do not find, were not told, or that it is not mentioned. They are matched against the
reply's folded words, with contractions written out and filler words left out.
"""

from __future__ import annotations

import re

from evaluation.core.folding import fold

QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]")

VERBS_WITH_NOT = "do|does|did|is|are|was|were|has|have|had|could|would|should"
CONTRACTIONS = (
    (re.compile(r"\bcan ?not\b|\bcan t\b|\bcant\b"), "can not"),
    (re.compile(r"\bwon t\b"), "will not"),
    (re.compile(rf"\b({VERBS_WITH_NOT}) ?n t\b|\b({VERBS_WITH_NOT})nt\b"), r"\1\2 not"),
    (re.compile(r"\bi m\b"), "i am"),
    (re.compile(r"\b(you|we|they) re\b"), r"\1 are"),
    (re.compile(r"\b(i|you|we|they) ve\b"), r"\1 have"),
    (re.compile(r"\b(it|that|this|there|what) s\b"), r"\1 is"),
)

COLOUR = re.compile(
    r"\b(?:a|also|absolutely|actually|an|any|anywhere|anything|at all|available|been|clear|clearly|completely|currently|"
    r"definitively|direct|directly|either|enough|entirely|even|ever|exactly|explicit|explicitly|fully|further|more|much|"
    r"other|personally|quite|really|relevant|simply|so far|something|specific|specifically|still|such|sufficient|that|the|"
    r"this|unfortunately|yet) (?=\S)"
)

FIND_OUT = r"(?:answer|determine|tell|say|find|recall|confirm|infer|identify|locate|provide|give|verify|deduce)"
NEWS = (
    r"(?:information|info|mention|record|records|indication|evidence|detail|details|data|reference|references|memory|"
    r"memories|note|notes|statement|knowledge|trace|answer|idea|clue|way of knowing|way to know|specifics|access to)"
)
TOLD = (
    r"(?:told|tell|mention|mentioned|mentions|say|said|says|state|stated|specify|specified|provide|provided|share|shared|"
    r"discuss|discussed|indicate|indicated|disclose|disclosed|reveal|revealed|describe|described|covered|include|"
    r"included|contain|contained|given|recorded|talked about|spoken about|brought up|come up|addressed|clarified|noted|"
    r"referenced|documented|listed)"
)
WRITTEN = (
    r"(?:mention|mentioned|specify|specified|state|stated|disclose|disclosed|indicate|indicated|discuss|discussed)"
)
# "You never mentioned it to your boss" is about the boss, not about what was left unsaid here.
TO_OTHERS = r"(?! (?:it )?(?:to )?(?:her|him|them|his|their|your|my)\b)"
SOURCE = (
    r"(?:conversations?|dialogues?|context|text|history|records?|transcript|chats?|messages?|documents?|sessions?|memory|"
    r"memories|information|passage|provided)"
)
OWNERS = (
    r"(?:there (?:is|are|was|were)|i have|we have|has|have|had|with|contains?|includes?|provides?|gives?|find|found|"
    r"finds|see)"
)

REFUSALS = tuple(
    re.compile(pattern)
    for pattern in (
        # I do not know.
        r"\b(?:i|we) (?:\w+ )?(?:do|did|could|can|would|am|are|have) not (?:be )?"
        r"(?:know|recall|remember|see|find|aware|sure|certain|familiar|able|told|informed|heard)\b",
        rf"\b(?:i|we) (?:do not|can not) (?:think|believe) (?:i|you|we|it|there) (?:\w+ ){{0,2}}?{TOLD}",
        rf"\b(?:i|we) (?:\w+ )?(?:can|could) not {FIND_OUT}\b",
        rf"\bunable to {FIND_OUT}\b",
        r"\b(?:can|could) not be (?:answered|determined|inferred|known|confirmed|found|established|verified)\b",
        r"\b(?:i|we) know nothing\b|\b(?:i|we) (?:have|found|find) (?:nothing|no idea)\b",
        r"^(?:sorry )?(?:not sure|not certain|unsure|no idea|unknown|unclear|unanswerable|n a)\b",
        # There is no information.
        rf"\b(?:do|did|does|could|can) not (?:have|possess|hold|find|see|contain|include|provide|give|offer) {NEWS}\b",
        rf"\b(?:is|are|was|were|be) not {NEWS}\b",
        rf"\b{OWNERS} no {NEWS}\b",
        rf"^no {NEWS}\b",
        r"\b(?:not|insufficient|lacks?|lack of|lacking) (?:information|evidence|context|details|data)\b",
        rf"\b{SOURCE} (?:\w+ ){{0,3}}?(?:is|are) not (?:to|for)\b|\b(?:is|are) insufficient\b",
        r"\bneed (?:additional )?(?:information|context|details)\b",
        # It was not said.
        rf"\b(?:is|are|was|were|has|have) (?:not|never|nowhere) {TOLD}\b{TO_OTHERS}",
        rf"\b(?:you|conversation|user|we|nobody|no one) (?:\w+ )?(?:have|has|had|did|do|does) (?:not|never) {TOLD}\b"
        rf"{TO_OTHERS}",
        rf"\b(?:you|we) never {TOLD}\b{TO_OTHERS}",
        rf"\bnot (?:you|we) (?:have )?{TOLD}\b",
        rf"\b\w+ (?:do|does|did|has|have) not {WRITTEN}\b(?! (?:it )?to\b)",
        rf"\b{SOURCE} (?:\w+ ){{0,3}}?(?:do|does|did|has|have) not {TOLD}\b",
        rf"\b(?:nobody|no one|nothing|none of) (?:\w+ ){{0,4}}?(?:has |have |was |is )?{TOLD}\b",
        rf"^(?:not|never) {TOLD}\b|^not (?:known|$)",
        # It is unknown.
        r"\b(?:is|are|was|were|remains?) (?:unknown|unclear|unspecified|undisclosed|unstated)\b",
        r"\bnot clear from\b|\bnot known(?: to me)?$",
        r"\bno idea\b|\bbeyond my knowledge\b",
    )
)

GUESSES = re.compile(
    r"\b(?:but|however|though|although) (?:\w+ ){0,2}?"
    r"(?:i (?:would |do |can )?(?:think|believe|guess|suppose|assume|imagine|suspect)|probably|most likely|likely|"
    r"presumably|best guess)\b"
    r"|\bif i had to guess\b"
)


def says_not_known(reply: str) -> bool:
    """Return whether the reply says in its own voice that it does not know the answer, without a guess."""
    words = fold(QUOTED.sub(" ", reply))
    for contraction, written_out in CONTRACTIONS:
        words = contraction.sub(written_out, words)
    plain = COLOUR.sub("", words)
    return not GUESSES.search(words) and any(pattern.search(plain) for pattern in REFUSALS)
