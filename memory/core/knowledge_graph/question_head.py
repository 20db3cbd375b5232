"""The head of a question: its question word with what belongs to it ("In which city", "How many siblings")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.core.english.grammatical_person import FIRST_POSSESSIVES
from memory.core.knowledge_graph.noun_phrases import DETERMINERS
from memory.core.knowledge_graph.question import Wanted
from memory.core.types import Token

AUXILIARIES = {
    **dict.fromkeys("do does did".split(), "do"),
    **dict.fromkeys("is are am was were 's ’s s 're 'm".split(), "be"),
    **dict.fromkeys("has have had 've".split(), "have"),
    **dict.fromkeys("will would can ca could should wo might may must shall 'll 'd".split(), "modal"),
}
_WANTED = {
    "what": Wanted.VALUE, "which": Wanted.VALUE, "who": Wanted.PERSON, "whom": Wanted.PERSON, "whose": Wanted.PERSON,
    "where": Wanted.PLACE, "when": Wanted.TIME, "why": Wanted.REASON, "how": Wanted.MANNER,
}  # fmt: skip
_MEASURED = {
    "old": Wanted.AGE, "many": Wanted.COUNT, "much": Wanted.COUNT, "long": Wanted.DURATION, "tall": Wanted.VALUE,
    "heavy": Wanted.VALUE, "often": Wanted.VALUE, "far": Wanted.VALUE,
}  # fmt: skip
_TIME_NOUNS = frozenset({"year", "date", "day", "month", "time", "weekday", "week", "season"})
_PLACE_NOUNS = frozenset("city country town place state village region neighborhood neighbourhood".split())


@dataclass(frozen=True)
class Head:
    """What stands before the subject: what is wanted, of which kind, and by which auxiliary."""

    wanted: Wanted
    word: str
    noun: str
    preposition: str
    next: int


def read_head(tokens: Sequence[Token]) -> Head:
    """Return the head of a clause that begins at the first token; a clause without question word asks for truth."""
    index, preposition = 0, ""
    lows = [token.text.lower() for token in tokens]
    if len(lows) > 1 and lows[1] in _WANTED and lows[0] not in _WANTED and lows[0] not in AUXILIARIES:
        index, preposition = 1, lows[0]
    word = lows[index]
    if word in {"if", "whether"}:
        return Head(Wanted.TRUTH, "whether", "", "", index + 1)
    if word not in _WANTED:
        return Head(Wanted.TRUTH, "", "", "", 0)
    wanted, index = _WANTED[word], index + 1
    if word == "when" and preposition == "since":
        return Head(Wanted.TIME, word, "", "", index)
    noun: list[str] = []
    if word == "how" and index < len(lows):
        if lows[index] in _MEASURED:
            wanted = _MEASURED[lows[index]]
            noun = [lows[index]] if wanted is Wanted.VALUE else []
            index += 1
            if wanted is Wanted.DURATION and index < len(lows) and lows[index] == "ago":
                wanted, index = Wanted.TIME, index + 1
        elif lows[index] == "come":
            wanted, index = Wanted.REASON, index + 1
    if word in {"what", "which", "whose"} or wanted is Wanted.COUNT:
        while index < len(lows) and lows[index] not in AUXILIARIES:
            pos, is_whole = tokens[index].pos, noun[-1:] == ["of"]
            if lows[index] in FIRST_POSSESSIVES | DETERMINERS and not is_whole:
                break
            if (
                pos == "PRON"
                or pos == "VERB"
                and (noun or index + 1 < len(lows))
                or pos == "PROPN"
                and noun
                and not is_whole
            ):
                break
            noun.append(tokens[index].text)
            index += 1
    kind = noun[-1].lower() if noun and word in {"what", "which"} else ""
    if kind in _TIME_NOUNS:
        wanted = Wanted.TIME
    elif kind in _PLACE_NOUNS:
        wanted = Wanted.PLACE
    elif noun == ["age"]:
        wanted = Wanted.AGE
    return Head(wanted, word, " ".join(noun), preposition, index)
