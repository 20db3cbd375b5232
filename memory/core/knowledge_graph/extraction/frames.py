"""What stands around a sentence's proposition: "According to Tom, ...", "Rumour has it that ...", "... /s".

A frame says how the whole sentence is put. Read apart, it leaves the parser a plain sentence: the parse of "According to
Tom, Maya lives in Rome" makes Maya a friend of Rome's, that of "Maya lives in Rome" does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory.core.knowledge_graph.extraction.own_word import own_word_opening
from memory.core.types import Modality

# Whose word hearsay is where the sentence names nobody.
SOMEBODY = "somebody"


@dataclass(frozen=True)
class Frame:
    """Where the proposition stands in the text, how it is put, and whose word it is, as written."""

    start: int
    end: int
    modality: Modality = Modality.ASSERTED
    source: str = ""


_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_NAME = r"(?:(?:my|our|his|her|their|the|a|an|some|this|that)\s+)?(?:[\w'’-]+)(?:\s+(?:of\s+)?[\w'’-]+){0,3}?"
_LEAD = r"^\W*(?:(?:so|and|but|well|hey|ok|okay|oh|also|now|btw|hmm)\b[\s,]+)*"
_HEARSAY_OPENING = re.compile(
    _LEAD
    + r"(?:(?:according|accordin) to (?P<source>"
    + _NAME
    + r"),?\s+(?=(?:I|I'm|I’m|my|we|our|[A-Z]\w*|the|he|she|it)\b)"
    r"|as (?P<teller>" + _NAME + r") (?:says?|said|puts? it|told (?:me|us)|wrote|claims?|mentioned),?\s+"
    r"|(?:allegedly|supposedly|reportedly|purportedly)\b,?\s+"
    r"|(?:apparently|seemingly|evidently)\b,?\s+(?!(?:I|I'm|I’m|we|we're)\b)"
    r"|(?:(?:the )?(?:rumou?rs?|word|gossip|legend|story)(?: on the street| around (?:town|here|the office))? "
    r"(?:has it|is|says|goes|are)(?:,? that)?|there(?:'s| is| are) (?:a )?(?:rumou?rs?|talk|gossip) that|"
    r"(?:a )?(?:little )?bird(?:ie)? told me(?: that)?|(?:they|people|folks|some(?: people)?|many) (?:say|claim|"
    r"think|"
    r"believe)(?: that)?|it(?:'s| is| was) (?:said|rumou?red|claimed|believed|alleged|reported)(?: that)?|"
    r"from what I(?:'ve| have)? (?:hear|heard|read|understand|gather)[\w ]{0,12},?|"
    r"(?:I|we)(?: was| were|'ve been| have been|'m| am| just got| got) told(?: that)?)\s+)",
    re.IGNORECASE,
)
_HEARSAY_CLOSING = re.compile(
    r",?\s+(?:according to (?P<source>"
    + _NAME
    + r")|(?:or )?so (?:I(?:'ve| have)? (?:hear|heard|read|was told|am told)|"
    r"(?:they|people) say|(?P<teller>"
    + _NAME
    + r") (?:says|said|claims))|(?:I|we) (?:heard|hear|was told|were told|read)|"
    r"(?:they|people) say|allegedly|supposedly|reportedly|apparently|rumou?r has it)\W*$",
    re.IGNORECASE,
)
_IRREAL_OPENING = re.compile(
    _LEAD + r"(?:in (?:an?|my|some)(?: \w+)? (?:ideal|perfect|parallel|alternate|alternative|different|other|another|"
    r"fantasy|"
    r"dream|past|previous|next|former) (?:world|universe|life|reality|timeline)s?|in another (?:life|world|universe)|"
    r"in (?:theory|fantasyland)|hypothetically(?: speaking)?|theoretically|for the sake of (?:the )?(?:argument|"
    r"example)|"
    r"as if|as though|it(?:'s| is| was) (?:like|as if|as though)|it(?:'s| is) not like|not that|"
    r"if only|would that|knock on wood)\b,?\s+",
    re.IGNORECASE,
)
_IRONY = re.compile(
    r"(?i:(?:\s|^)/s(?:arcasm)?\W*$|\(?\b(?:sarcasm|sarcastically|not really|just kidding|jk|kidding|i wish|"
    r"said no one ever|in my dreams|as if)\b\)?[\s!.]*$|^\W*(?:oh,? )?yeah,? right\b\s*[,.!:;-]|"
    r"^\W*oh,? (?:sure|yeah|right|great|yes|of course)\b.{0,20}\b(?:because|cause|since)\b|"
    r"^\W*oh,? (?:sure|great|joy|yay|goody|lovely|wonderful|fantastic|perfect|brilliant|of course|yes|"
    r"yeah)\b[\s,.!-]+"
    r"(?:\w+['’]?\w*\s+){0,3}(?:just|so|really|totally|absolutely|simply)\b|"
    r"\b(?:because|cause|since|like|as if) (?:i|we) (?:so |just |really |totally |obviously |clearly )+"
    r"(?:love|adore|enjoy|need)\b)"
    r"|\.{2,} ?NOT\b\W*$|🙄|\b(?:just|so|totally|absolutely|simply|really) (?:LOVE|ADORE|ENJOY)\b"
)

# What only follows a statement and asks nothing of it.
_ADDED = re.compile(
    r"[,;:.!)–—-]+\s*(?:and |so |but )?(?:any (?:\w+ )?(?:ideas?|tips?|recommendations?|suggestions?|advice|"
    r"thoughts?|"
    r"hints?|clues?|help|luck)\b[^?]*|(?:what|how) about (?:you|yours?\w*|u)|and (?:you|yours)|you|wbu|hbu|"
    r"you know|ya know|"
    r"know what I mean|thoughts|ideas|suggestions|tips|advice|recommendations|help|ok|okay|deal|is that ok(?:ay)?|"
    r"isn't (?:that|this|it) (?:(?:so|just|really|a|pretty) )?\w+|how \w+ is (?:that|this|it)|"
    r"can you believe (?:it|that|this)|"
    r"does that (?:help|make sense)|makes? sense|got it|what (?:now|next|else)|now what)\s*\?+\s*\W*$",
    re.IGNORECASE,
)
_OPENS_QUESTION = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|hi|well|also|oh)\W+)*(?:what|where|when|who|whom|whose|which|how|why|do|"
    r"does|did|is|are|was|"
    r"were|can|could|will|would|should|have|has|had|am|may|shall|\w+n't|any)\b",
    re.IGNORECASE,
)


def frame_of(text: str) -> Frame:
    """Return the frame of a sentence; a plain sentence is its own proposition."""
    bullet = _BULLET.match(text)
    added = _ADDED.search(text) if _OPENS_QUESTION.match(text) is None else None
    if added is not None:
        text = text[: added.start()]
    whole = Frame(bullet.end() if bullet is not None else 0, len(text))
    opening_end = own_word_opening(text)
    if opening_end:
        inner = frame_of(text[opening_end:])
        return replace(inner, start=inner.start + opening_end, end=inner.end + opening_end)
    irreal = _IRREAL_OPENING.match(text)
    if irreal is not None:
        return _framed(text, whole, Frame(irreal.end(), len(text), Modality.HYPOTHETICAL))
    if _IRONY.search(text):
        return replace(whole, modality=Modality.HYPOTHETICAL)
    opening = _HEARSAY_OPENING.match(text)
    if opening is not None:
        source = opening["source"] or opening["teller"] or SOMEBODY
        return _framed(text, whole, Frame(opening.end(), len(text), Modality.REPORTED, source))
    closing = _HEARSAY_CLOSING.search(text)
    if closing is not None:
        source = closing["source"] or closing["teller"] or SOMEBODY
        return _framed(text, whole, Frame(0, closing.start(), Modality.REPORTED, source))
    return whole


def _framed(text: str, whole: Frame, frame: Frame) -> Frame:
    """Return a frame that holds a proposition of some words and asks nothing; else the sentence as it is."""
    inner = text[frame.start : frame.end]
    return frame if len(inner.split()) > 1 and not text.rstrip().endswith("?") else whole
