"""Splits a user's message into questions, statements, courtesies, and requests that only a language model can meet."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    QUESTION = "question"
    STATEMENT = "statement"
    REQUEST = "request"
    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    SMALL_TALK = "small_talk"
    ASSENT = "assent"
    NOISE = "noise"


@dataclass(frozen=True)
class Piece:
    """One sentence of a message and its kind."""

    text: str
    kind: Kind


# A pasted document is remembered whole, but only so much of it is answered and acknowledged: replies must stay instant.
_PIECE_LIMIT = 12
_TEXT_LIMIT = 6_000
_QUESTION_LIMIT = 3

_ENDS = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|e\.g|i\.e|vs|etc|No|Jr|Sr)\.$", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]")
_GREETING = re.compile(
    r"^(?:hi+|hey+|hello+|hiya|howdy|yo|good (?:morning|afternoon|evening|day)|greetings)\b(?:[\s,]+(?:there|again|"
    r"everyone|all|"
    r"dear|friend|assistant|you|bot))*[\s!.,:)]*$",
    re.IGNORECASE,
)
_GREETING_LEAD = re.compile(
    r"^(?:hi+|hey+|hello+|hiya|good (?:morning|afternoon|evening))(?:\s+(?:there|again|assistant))?\s*[,!.]+\s*(?=\S)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^(?:(?:ok(?:ay)?|great|cool|nice|perfect|awesome|oh|alright)[\s,!.]+)*(?:many )?(?:thanks?(?: you)?|thx|ty|"
    r"cheers|much appreciated|"
    r"i appreciate (?:it|that))\b(?:\s+(?:so much|a lot|very much|you|again|for (?:that|this|the help|your help|"
    r"everything)|then|"
    r"mate|buddy))*[\s!.,:)]*$",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"^(?:(?:ok(?:ay)?|well|thanks)[\s,!.]+)*(?:bye(?: bye)?|goodbye|good night|see (?:you|ya)(?: (?:later|soon|"
    r"tomorrow))?|take care|"
    r"talk (?:to you )?later|have a (?:nice|good|great) (?:day|evening|weekend|night))\b[\s!.,:)]*$",
    re.IGNORECASE,
)
_ASSENT = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yeah|yep|no|nope|sure|right|wow|cool|nice|great|lol|haha+|hm+|um+|oh|alright|fine|"
    r"perfect|awesome|got it|"
    r"i see|good to know|sounds good|of course|never mind|test(?:ing)?)[\s,!.]*)+$",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^(?:so )?(?:how are you(?: doing| today)*|how(?:'s| is) it going|how do you do|what(?:'s| is) up|"
    r"how are things|are you (?:there|ok|"
    r"a (?:bot|robot|human|person|machine))|who are you|what are you|what can you do|what do you do|what(?:'s| is) your name|"
    r"can you help(?: me)?|help|how do you work|nice to meet you(?: too)?)[\s?!.]*$",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:(?:please|now|ok(?:ay)?|so|and|then|also|hey)[\s,]+)*(?:(?:can|could|would|will) you\s+(?:please\s+)?|"
    r"i (?:want|need) you to\s+|"
    r"i(?:'d| would) like you to\s+|let's\s+|help me (?:to )?)?"
    r"(?:write|compose|draft|translate|summari[sz]e|explain|generate|create|make me|design|code|program|implement|"
    r"calculate|compute|solve|"
    r"convert|rewrite|rephrase|paraphrase|proofread|fix|improve|edit|recommend|suggest|plan|brainstorm|search|"
    r"google|look up|find me|"
    r"book|order|play|sing|draw|paint me|imagine|pretend|act as|act like|roleplay|role-play|ignore|disregard|forget|"
    r"repeat|print|output|"
    r"reveal|tell me a (?:joke|story)|tell a (?:joke|story)|give me (?:a|an|some|the|ideas|tips|advice|\d+)|"
    r"list (?:the|some|\d+)|name (?:a|some|three|"
    r"five|ten|\d+)|define|compare|analy[sz]e|continue|do my|show me how|teach me|set (?:a|an)|remind me to)\b",
    re.IGNORECASE,
)
_ASKED_FAVOUR = re.compile(r"^(?:please[\s,]+)?(?:can|could|would|will) you\s", re.IGNORECASE)
_WH = r"(?:what|which|who|whom|whose|where|when|why|how|wat|waht|wht|wich|wher|whre|wen|whens)"
_AUX = (
    r"(?:do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|should|isn't|aren't|wasn't|don't|doesn't|didn't|haven't|"
    r"hasn't)"
)
_NOT_QUESTION = re.compile(
    r"^(?:what (?:a|an)\b|how (?:nice|lovely|great|cool|awesome|sad|funny|exciting|sweet)\b|when i\b|whenever|"
    r"have (?:a|you a)|do (?:it|not)|which is why)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    rf"^(?:(?:and|so|but|ok(?:ay)?|hey|hi|well|now|also|please|actually|then|oh)[\s,]+)*(?:"
    rf"(?:(?:in|at|for|to|from|with|since|on|by|about|of)\s+)?{_WH}(?:'s|s|'re|'d|'ll)?\s+(?:\w+\s+){{0,3}}?{_AUX}\b|{_WH}(?:'s|'re|s)\s|"
    rf"who(?:m|se)?\s+\w+|how (?:many|much|old|long|often|far|about)\b|what about\b|"
    rf"{_AUX}\s+(?:i|you|we|he|she|it|they|my|our|his|her|their|there|this|that|the|any(?:one|body)?|[A-Z]\w+)\b|"
    r"(?:please )?(?:tell|remind) me (?:again )?(?:about|of|what|where|who|when|which|how|why|if|everything|all|"
    r"something|more|my)\b|"
    r"(?:do|can|could|would) you (?:still |even )?(?:know|remember|recall|tell me|remind me)\b|"
    r"(?:any idea|i wonder|i(?:'d| would) like to know|i want to know|i (?:forgot|can't remember|"
    r"don't remember))\s+(?:wh|how|if)|"
    r"(?:list|show(?: me)?|give me|summari[sz]e|describe) (?:all |everything )?(?:of )?(?:my|what you)\b)",
    re.IGNORECASE,
)
_TURN_TO_QUESTION = re.compile(
    rf"(?:,|;| -|\u2014)\s*(?:and |so |but |then )?(?=(?:{_WH}(?:'s)?|{_AUX}|can you tell me|tell me|do you)\s)",
    re.IGNORECASE,
)

_TWO_QUESTIONS = re.compile(
    rf"^(?P<first>.{{8,}}?),?\s+and\s+(?P<second>{_WH}(?:'s|\s+{_AUX})\s.+|(?:do|does|did|is|am|are)\s+(?:i|my|he|she)\s.+)$",
    re.IGNORECASE,
)
_THING = r"(?:(?:my|our)\s+[\w'-]+(?:\s+[A-Z][\w'-]+)?|[A-Z][\w'-]*(?:\s+[A-Z][\w'-]+)?)"
_TWO_SUBJECTS = re.compile(
    rf"^(?P<lead>.*?\b(?:do|does|did|are|were|have|is|was|has)\s+)(?P<first>{_THING})\s+and\s+(?P<second>{_THING}|I)"
    r"(?P<rest>(?:'s?)?\s*\w.*|\s*\?*)$",
)
_TWO_NAMES_IN_SMALL = re.compile(
    r"^(?P<lead>(?:\w+\s+){0,3}?(?:do|does|did|are|were)\s+)(?P<first>[a-z'-]+)\s+and\s+(?P<second>[a-z'-]+)(?P<rest>.*)$"
)
# What two people are or do with each other is asked of both at once.
_TOGETHER = re.compile(
    r"\b(?:married|related|engaged|together|dating|each other|friends|siblings|sisters|brothers|cousins|twins|colleagues|"
    r"neighbou?rs|a couple|meet|met|marry|know)\b",
    re.IGNORECASE,
)


def read_message(text: str) -> list[Piece]:
    """Return the pieces of a message in order; questions beyond the first few and the tail of a long text are left out."""
    pieces: dict[Piece, None] = {}
    left = {True: _QUESTION_LIMIT, False: _PIECE_LIMIT}
    for sentence in _sentences(text[:_TEXT_LIMIT]) + (_last_question(text) if len(text) > _TEXT_LIMIT else []):
        for part in _turned(sentence):
            piece = Piece(part, kind_of(part))
            is_question = piece.kind is Kind.QUESTION
            if piece not in pieces and left[is_question]:
                left[is_question] -= 1
                pieces[piece] = None
    return list(pieces)


def kind_of(sentence: str) -> Kind:
    bare = sentence.strip().replace("’", "'")
    if not _LETTERS.search(bare):
        return Kind.NOISE
    if _GREETING.match(bare):
        return Kind.GREETING
    if _THANKS.match(bare):
        return Kind.THANKS
    if _FAREWELL.match(bare):
        return Kind.FAREWELL
    if _ASSENT.match(bare):
        return Kind.ASSENT
    if _SMALL_TALK.match(bare):
        return Kind.SMALL_TALK
    is_asked = bare.rstrip("\"'”’) ").endswith("?") or bool(_QUESTION.match(bare) and not _NOT_QUESTION.match(bare))
    if _ASKED_FAVOUR.match(bare) and _REQUEST.match(bare):
        return Kind.REQUEST
    if (
        _REQUEST.match(bare)
        and not re.search(r"\b(?:my|i|me)\b.*\?$", bare, re.IGNORECASE)
        and not _QUESTION.match(bare)
    ):
        return Kind.REQUEST
    return Kind.QUESTION if is_asked else Kind.STATEMENT


def _sentences(text: str) -> list[str]:
    parts: list[str] = []
    for part in _ENDS.split(text):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        elif part.strip():
            parts.append(part)
    bare = [part.strip() for part in parts]
    return [_GREETING_LEAD.sub("", part) or part for part in bare]


def _last_question(text: str) -> list[str]:
    """Return the question that ends a long text, where one does: people paste first and ask last."""
    last = _sentences(text[-600:])[-1:]
    return [part for part in last if kind_of(part) is Kind.QUESTION]


def _turned(sentence: str) -> list[str]:
    """Part "I live in Paris, where does my sister live?" where it turns from telling to asking."""
    both = _TWO_QUESTIONS.match(sentence)
    if both is not None and kind_of(both["first"]) is Kind.QUESTION:
        return [both["first"], both["second"]]
    if not sentence.rstrip().endswith("?"):
        return [sentence]
    for turn in _TURN_TO_QUESTION.finditer(sentence):
        told, asked = sentence[: turn.start()].strip(), sentence[turn.end() :].strip()
        if (
            len(told.split()) >= 3
            and kind_of(told) is Kind.STATEMENT
            and not re.match(r"(?:if|when|since|because)\b", told, re.I)
        ):
            return [f"{told}.", asked]
    return [sentence]


def is_courtesy(text: str) -> bool:
    """Return whether a message is only a greeting, thanks or the like."""
    courtesies = {Kind.GREETING, Kind.THANKS, Kind.FAREWELL, Kind.ASSENT, Kind.NOISE}
    return {piece.kind for piece in read_message(text)} <= courtesies


def questions_in(pieces: Sequence[Piece]) -> list[str]:
    """Return the questions of a message, each about one subject."""
    return [part for piece in pieces if piece.kind is Kind.QUESTION for part in parted(piece.text)]


def read_line(pieces: Sequence[Piece]) -> str:
    """Return the progress line of a message: "read your 2 questions"."""
    questions = sum(piece.kind is Kind.QUESTION for piece in pieces)
    if questions:
        return "read your question" if questions == 1 else f"read your {questions} questions"
    return "read your message"


def parted(text: str) -> list[str]:
    """Return one question a subject: "Where do Ana and Ben live?" asks for Ana and for Ben."""
    found = _TWO_SUBJECTS.match(text.strip()) or _TWO_NAMES_IN_SMALL.match(text.strip())
    if found is None or _TOGETHER.search(text):
        return [text]
    return [f"{found['lead']}{subject}{found['rest']}" for subject in (found["first"], found["second"])]
