"""Tells in the third person what people said of themselves: the built-in engine's facts (SGMem, Appendix B.4).

"I went to a support group yesterday and it was so powerful." of Caroline's, said on 8 May 2023, is told as
"Caroline went to a support group on 7 May 2023.".

Departures from the paper:
- Nothing is paraphrased and nothing is merged: a fact keeps the speaker's words, but for names, dates and what cannot
  stand alone. Facts are fewer than a model's, and each is true of its one source sentence.
- "We" is told of its speaker alone, because who else is meant is not said.
- Of feelings, wishes and praise that tell nothing else, no fact is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.core.english.claims import is_courtesy
from memory.core.english.spelling import plain_words
from memory.core.english.telling_times import tell_when
from memory.core.english.times import dates_in
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.retelling.clauses import addressed_to_nobody, leans, of_speaker_alone, standing_part
from memory.core.knowledge_graph.statement.answers import own_answer_as_assertion
from memory.core.knowledge_graph.statement.rule_based import is_assertion, question_before
from memory.core.knowledge_graph.statement.speech_acts import commissions_writing
from memory.core.knowledge_graph.statement.third_person import told_of
from memory.core.knowledge_graph.stems import content_stems, stem
from memory.core.knowledge_graph.verbalisation import finished
from memory.core.naming import key_of
from memory.core.ports import SyntacticParser
from memory.core.types import DialogueRound, Role, Utterance

_LONGEST = 400
# What is asked of the other is gone once it was answered.
_REQUEST = re.compile(
    r"^\W*(?:\w+, )?i(?:['’]m| am|['’]d| would)? (?:need|want|like|looking|after|seeking)(?: for| to (?:get|have|know|"
    r"understand|compare|see|learn more))?\b(?:.{0,40}\b(?:help|advice|information|info|tips|guidance|assistance|"
    r"explanations?|summary|synonyms?|titles?|analysis|recommendations?|suggestions?|ideas|examples?|answers?)\b|"
    r".* to (?:know|paraphrase|compare))",
    re.IGNORECASE,
)
_TRAILING_DASH = re.compile(r"(?<=\w)[–—-] ")
_OPENS_WITH_I = re.compile(r"^I\b")
_DONE = re.compile(
    r"^I (?P<did>(?:(?:just|also|recently|finally|already|even) )?(?:\w{3,}ed|got|went|took|had|met|made|lost|left|found|"
    r"bought|saw|ran|gave|sold|won|quit|became|grew))\b",
    re.IGNORECASE,
)
_FEELINGS = frozenset(
    stem(word)
    for word in "thankful grateful happy glad agree hope wish mean sure know think feel see believe proud sorry lucky "
    "excited thrilled pumped stoked blessed wonder love like good great nice awesome amazing cool best well lot bit super "
    "really truly totally definitely absolutely pretty guess say tell talk hear catch miss understand appreciate thank look "
    "forward wait stuff way kind sort time day today new able make want need try keep go come let take give honest true "
    "right okay fine busy forever always never sound fun feeling while much deal so chat ask question help support "
    "word".split()
)


@dataclass(frozen=True)
class _Candidate:
    place: int
    text: str
    is_whole: bool = False


class RuleBasedFactTeller:
    """A `FactTeller` with a parser and a date resolver."""

    def __init__(self, *, parser: SyntacticParser) -> None:
        self._parser = parser

    def tell_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[list[str]]:
        candidates = _candidates(sentences, context)
        parses = self._parser.parse_many([one.text for one in candidates])
        told: list[list[str]] = [[] for _ in sentences]
        for candidate, parsed in zip(candidates, parses, strict=True):
            said = sentences[candidate.place]
            if not candidate.is_whole and not is_assertion(parsed):
                continue
            fact = candidate.text if candidate.is_whole else told_of(parsed, said.speaker)
            if _tells_something(fact, said.speaker):
                told[candidate.place].append(with_dates(_put(fact), said_at=said.said_at))
        return told


def _candidates(sentences: Sequence[Utterance], context: Sequence[Utterance]) -> list[_Candidate]:
    """Return the part of each sentence that may become a fact, still in the first person."""
    said_round = DialogueRound((*context[-1:], *sentences))
    offset = len(said_round.sentences) - len(sentences)
    own = own_words([*context, *sentences])[len(context) :]
    names = {said.speaker for said in (*context, *sentences)}
    found = []
    for place, (said, is_own) in enumerate(zip(sentences, own, strict=True)):
        if said.role is not Role.USER or not is_own or len(said.text) > _LONGEST or commissions_writing(said.text):
            continue
        question = question_before(said_round, place + offset)
        answered = own_answer_as_assertion(question, said.text, name=said.speaker) if question else ""
        if answered and not _addresses(answered, names - {said.speaker}):
            found.append(_Candidate(place, answered, is_whole=True))
            continue
        text = _first_person(said.text, names)
        if text:
            found.append(_Candidate(place, text))
    return found


def _first_person(text: str, names: set[str]) -> str:
    """Return the part of a sentence that asserts something on its own, or ""."""
    bare = addressed_to_nobody(_TRAILING_DASH.sub(" - ", " ".join(text.split())), names)
    if bare.rstrip(" \"'”’)!").endswith("?") or is_courtesy(bare) or _REQUEST.match(bare):
        return ""
    alone = of_speaker_alone(_with_subject(bare))
    part = standing_part(addressed_to_nobody(alone, names)) if alone else ""
    return "" if len(part.split()) < 3 or leans(part) else part


def _addresses(text: str, names: set[str]) -> bool:
    return any(key_of(name) in key_of(text) for name in names)


def _with_subject(text: str) -> str:
    """Return a sentence with an omitted "I" restored, where it tells what somebody did."""
    plain = plain_words(text).text
    if _OPENS_WITH_I.match(plain) and not _OPENS_WITH_I.match(text):
        done = _DONE.match(plain)
        return "" if done is None else f"I {done['did'][:1].lower()}{done['did'][1:]}{plain[done.end() :]}"
    return plain


def _tells_something(fact: str, speaker: str) -> bool:
    """Return whether a sentence is about its speaker and says more than a feeling."""
    if key_of(speaker) not in key_of(fact):
        return False
    return bool(content_stems(fact) - content_stems(speaker) - _FEELINGS)


def with_dates(text: str, *, said_at: datetime) -> str:
    """Return a sentence with each phrase for a time replaced by the time that it meant; what says its year stays."""
    for time in reversed(dates_in(text, said_at=said_at)):
        before, after = text[: time.span.start], text[time.span.end :]
        is_whole = time.relative_to is None or str(time.relative_to.year) in time.words
        if not is_whole and after[:1] not in {"'", "’", "-"}:
            text = before + tell_when(time) + after
    return text[:1].upper() + text[1:]


def _put(fact: str) -> str:
    bare = re.sub(r"\s*[!…]+\s*$", "", re.sub(r"\s+", " ", fact)).strip(" .,;:–—-")
    return finished(bare)
