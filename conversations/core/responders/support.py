"""Decides whether a stored sentence supports an answer, and how it is quoted.

A nearest sentence always exists. It answers only if it is about the question's person, in enough of the question's words.
Questions, suppositions and the assistant's own words support nothing.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from conversations.core.responders.kinds import may_hold_value
from memory.core.english.spelling import plain_words
from memory.core.english.times import MONTHS, WEEKDAYS, dates_in
from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.stems import content_stems, stem
from memory.core.naming import key_of
from memory.core.types import Role, ScoredSentence, SourceSentence


@dataclass(frozen=True)
class SupportConfig:
    """How much of a question a sentence must share.

    Chosen on LoCoMo conversations with their unanswerable questions (category 5), where a wrong answer and a missing one
    weigh the same. `similarity` is the cosine of sentence embeddings, `coverage` the share of the question's stems.
    Scores that differ by less than `tie` count as equal.
    """

    whole_coverage: float = 0.99
    high_coverage: float = 0.6
    low_coverage: float = 0.5
    whole_similarity: float = 0.3
    high_similarity: float = 0.45
    low_similarity: float = 0.6
    tie: float = 0.15


_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|we're|we've|our|us)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"(?:i|we|you|he|she|it|they|who|which|that|everybody|everyone|somebody|someone)(?:'(?:m|s|re|ve|d|ll))?",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if (?:i|we|he|she|they|only)|might|maybe|perhaps|suppose|imagine|pretend|would (?:love|like|have)|"
    r"i'd (?:love|like)|wish|"
    r"hypothetically|what if|could have|should have|thinking (?:of|about)|considering)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:says?|said|claims?|claimed|told me|thinks?|believes?|according to|heard)(?: that)? (?:i|he|she|they|we|"
    r"my)\b|^[\"“>]",
    re.IGNORECASE,
)
# Words that a sentence puts into somebody's mouth: 'She said "I have a snake"'. Titles and names have no "I" in them.
_VOICED = re.compile(
    r"(?:(?<!\d)[\"“]|(?<!\w)['‘](?=[^'’]*\s))(?=[^\"”]*\b(?:i|i'm|i’m|i've|i’ve|i'll|i'd|my|me|we|our|you|he|she|they)\b)"
    r"[^\"”“]*?(?:[\"”]|['’](?!\w)|$)",
    re.IGNORECASE,
)
_SAYING = frozenset({"say", "tell", "ask", "shout", "reply", "write", "answer", "claim", "think", "call", "mean"})
_CAUSES = re.compile(
    r"\b(?:because|since|so that|so i|due to|thanks to|in order to|as i|that's why|the reason|to be|for)\b",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"\b(?:in|at|to|near|from|into|inside|around|by|on|through|across|outside|here|there)\b(?:\s+(?:the|a|an|my|our|this|that))?\s+"
    rf"(?!(?:be|go|do|see|get|have|make|help|the|last|this|first|{'|'.join((*MONTHS, *WEEKDAYS))})\b)[^\W\d]",
    re.IGNORECASE,
)
TOLD_AS_PAST = re.compile(
    r"\b(?:used to|was|were|had|did|before|previous(?:ly)?|former(?:ly)?|old|ex|until|\w+ed|went|came|left)\b",
    re.IGNORECASE,
)
_STATES = frozenset({Wanted.VALUE, Wanted.PLACE, Wanted.PERSON})
# "Great job, that looks yummy!": a speaker's words about what another did.
_OF_OTHERS = re.compile(
    r"\b(?:you|your|you're|you've|congrats|congratulations|kudos)\b|\b(?:looks?|sounds?)\b|"
    r"^(?:wow|great|nice|good|awesome|amazing|cool|well done)\b",
    re.IGNORECASE,
)
# "Wow, Caroline!": a name that only calls its bearer.
_VOCATIVE = re.compile(r"^[\w' ]{0,20}?[A-Z]\w+[,!.]|[,]\s*[A-Z]\w+(?=[,!.?]|$)")
ENDED = re.compile(r"\b(?:used to|no longer|any ?more|quit|stopped|gave up|given up)\b", re.IGNORECASE)
DENIES = re.compile(r"\b(?:no|not|n't|never|any ?more|used to)\b|n't\b", re.IGNORECASE)
_VAGUE = frozenset(
    stem(word)
    for word in "kind type sort thing time people person happen tell mention say know recently name live-in many".split()
)


def supporting(
    question: GraphQuestion,
    found: Sequence[ScoredSentence],
    *,
    asker: str,
    names: Collection[str],
    refuted: Collection[int] = (),
    config: SupportConfig = SupportConfig(),
) -> list[ScoredSentence]:
    """Return the sentences that support an answer, best first.

    `names` are those of the question's subject; `refuted` are the ids of sentences whose triples are superseded.
    """
    about = content_stems(" ".join(names))
    asked = question.content - _VAGUE - content_stems(question.time)
    core = asked - about
    supported = []
    for item in found:
        sentence = item.sentence
        if (
            sentence.id in refuted
            or not _can_support(question, sentence)
            or not _is_about(question, sentence, asker, names)
        ):
            continue
        words = content_stems(own_part(question, sentence.text))
        coverage = len(core & words) / len(core) if core else 0.0
        if not _is_enough(coverage, item.similarity, config):
            continue
        supported.append((coverage + item.similarity, item))
    supported.sort(key=lambda pair: -pair[0])
    if supported and question.wanted in _STATES and not (question.is_finished or question.is_past or question.time):
        # What holds now was said last: "My boss is ..." of this week before that of last year.
        best = supported[0][0]
        supported.sort(key=lambda pair: (pair[0] < best - config.tie, -pair[1].sentence.said_at.timestamp()))
    return [item for _, item in supported]


def own_part(question: GraphQuestion, text: str) -> str:
    """Return the words of a sentence without quotations, unless the question is about what was said."""
    return text if question.verb in _SAYING else _VOICED.sub(" ", text)


def _is_enough(coverage: float, similarity: float, config: SupportConfig) -> bool:
    if coverage >= config.whole_coverage:
        return similarity >= config.whole_similarity
    if coverage >= config.high_coverage:
        return similarity >= config.high_similarity
    return coverage >= config.low_coverage and similarity >= config.low_similarity


def _can_support(question: GraphQuestion, sentence: SourceSentence) -> bool:
    text = sentence.text.strip()
    if sentence.role is Role.ASSISTANT or text.endswith("?") or len(text.split()) < 2:
        return False
    if _SUPPOSED.search(text) or _REPORTED.search(text):
        return False
    if not may_hold_value(question, text):
        return False
    if question.wanted is Wanted.REASON and not _CAUSES.search(text):
        return False
    if question.is_past and not TOLD_AS_PAST.search(text):
        return False
    if question.wanted is Wanted.PLACE and not _PLACES.search(text):
        return False
    if question.wanted in {Wanted.TIME, Wanted.DURATION} and not is_told(sentence):
        return False
    if (
        not question.is_negative
        and not question.is_past
        and DENIES.search(text)
        and question.wanted is not Wanted.TRUTH
    ):
        return False
    return True


def is_said_of_speaker(text: str, asked: Collection[str]) -> bool:
    """Return whether the nearest subject before the asked words is the speaker: not "she has a parrot that I feed"."""
    subject = ""
    for word in re.findall(r"[\w']+", text):
        subject = word.lower() if _SUBJECT.fullmatch(word) else subject
        if stem(word) in asked:
            return bool(_FIRST_PERSON.fullmatch(subject))
    return False


def is_told(sentence: SourceSentence) -> bool:
    """Return whether a sentence states a time by a date expression of its own."""
    return bool(dates_in(sentence.text, said_at=sentence.said_at))


def _is_about(question: GraphQuestion, sentence: SourceSentence, asker: str, names: Collection[str]) -> bool:
    subject = question.subject
    if subject is None:
        return True
    speaker = key_of(sentence.speaker)
    text = sentence.text
    root = _root(subject)
    if root.is_speaker:
        if speaker != key_of(asker) or not sentence.is_own or not _is_of_own(text):
            return False
        return root is subject or _names_any(
            text, [name for name in names if key_of(name) != key_of(asker)] or [subject.text]
        )
    if speaker == key_of(root.text):
        if not _FIRST_PERSON.search(text) and _OF_OTHERS.search(text):
            return False
        return root is subject or _names_any(text, [subject.text, *(name for name in names if key_of(name) != speaker)])
    others = [name for name in names if key_of(name) != key_of(asker)] or [root.text]
    return _names_any(_VOCATIVE.sub("", text), others)


# Whom else a sentence may be about that leaves its own subject out.
_OTHERS = re.compile(
    r"\b(?:he|she|they|you|his|her|their|your|it|this|that|there)\b|(?<=\s)[A-Z][a-z]+['’]s\b", re.IGNORECASE
)
_ADDRESSED = re.compile(
    r"^\W*(?:please|can|could|what|how|why|tell|give|write|help|let|thanks|thank|ok|great|wow)\b", re.I
)


def _is_of_own(text: str) -> bool:
    """Return whether a sentence is about its speaker: by a word for it, or, in chat, by naming nobody."""
    if _FIRST_PERSON.search(text) or _FIRST_PERSON.search(plain_words(text).text):
        return True
    return text[:1].islower() and not _OTHERS.search(text) and not _ADDRESSED.search(text)


def _root(mention: QuestionTerm) -> QuestionTerm:
    return mention if mention.owner is None else _root(mention.owner)


def _names_any(text: str, names: Sequence[str]) -> bool:
    words = content_stems(text)
    return any((stems := content_stems(name.rpartition("'s ")[2])) and stems <= words for name in names)
