"""Messages as the reader sees them: the sentences of a turn as one text, with what was asked or told just before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import dropwhile, groupby

from memory.core.english.questions import only_asks
from memory.core.knowledge_graph.extraction.people import THEY, pronoun_gender
from memory.core.types import FactFlag, ReadFact, Span, Utterance, WordSpan

BEFORE_CHARACTERS = 300
SHORT_WORDS = 4


@dataclass(frozen=True)
class SaidMessage:
    """Sentences of one turn as one text: its places among what was said, and where each begins in the text.

    `before` is what another asked just before (`is_asked`), else what its speaker said in the turn before.
    """

    places: tuple[int, ...]
    text: str
    starts: tuple[int, ...]
    before: str
    is_asked: bool

    @property
    def goes_on(self) -> bool:
        """Whether its speaker told something just before, and nobody asked since."""
        return bool(self.before) and not self.is_asked

    def sentence_at(self, place: int) -> int:
        """Return which of the sentences holds a character of the text."""
        return max((number for number, start in enumerate(self.starts) if start <= place), default=0)


def messages_of(said: Sequence[Utterance], own: Sequence[bool], start: int) -> Iterator[SaidMessage]:
    """Yield the speaker's own sentences from `start` on, those of one turn together, with what was asked or told before."""
    places = [place for place, is_own in enumerate(own) if is_own and place >= start]
    for _, group in groupby(places, key=lambda place: turn_of(said[place])):
        together = tuple(group)
        text, starts = "", []
        for place in together:
            text += "" if not text else "\n" if said[place].breaks else " "
            starts.append(len(text))
            text += said[place].text
        asked = asked_before(said, together[0])
        yield SaidMessage(together, text, tuple(starts), asked or told_before(said, own, together[0]), bool(asked))


def is_short(message: SaidMessage) -> bool:
    """Return whether a message is a short answer, which may leave its value to the question before it: "not since May"."""
    return message.is_asked and len(message.text.split()) <= SHORT_WORDS and not only_asks(message.text)


def turn_of(utterance: Utterance) -> tuple[str, datetime]:
    return utterance.speaker, utterance.said_at


def turn_before(said: Sequence[Utterance], place: int) -> list[int]:
    """Return the places of the turn before that of an utterance; none where it is the first."""
    first = next((at for at in range(place, -1, -1) if turn_of(said[at]) != turn_of(said[place])), None)
    return [] if first is None else [at for at in range(first + 1) if turn_of(said[at]) == turn_of(said[first])]


def asked_before(said: Sequence[Utterance], place: int) -> str:
    """Return what another asked just before an utterance's turn, up to a length.

    What another says before a question is left out: an assistant's "Noted: your sister is Hina" is nothing that a message
    answers.
    """
    turn = turn_before(said, place)
    if not turn or said[turn[-1]].speaker == said[place].speaker:
        return ""
    return " ".join(said[at].text for at in dropwhile(lambda at: "?" not in said[at].text, turn))[-BEFORE_CHARACTERS:]


def told_before(said: Sequence[Utterance], own: Sequence[bool], place: int) -> str:
    """Return what the speaker of an utterance told in the turn before, of which a correction or a pronoun may speak."""
    turn = turn_before(said, place)
    if turn and said[turn[-1]].speaker != said[place].speaker:
        turn = turn_before(said, turn[0])
    if not turn or said[turn[-1]].speaker != said[place].speaker:
        return ""
    return " ".join(said[at].text for at in turn if own[at] and "?" not in said[at].text)[-BEFORE_CHARACTERS:]


def completed(alone: Sequence[ReadFact], after: Sequence[ReadFact], *, surely_from: float) -> list[ReadFact]:
    """Return what a message says by itself, then, where it leaves open of whom or what it speaks, what was read after more.

    What puts something right is read after more alone, also where it is less sure.
    """
    sure = [fact for fact in after if fact.probability >= surely_from]
    right = [fact.object for fact in sure if is_right(fact)]
    by_itself = [fact for fact in alone if not any(overlap(fact.object, words) for words in right)]
    told_of = [fact.subject for fact in by_itself if fact.subject is not None and not is_left_open(fact)]
    whole = [*told_of, *(fact.object for fact in by_itself if not is_left_open(fact))]
    told = [*sure, *(fact for fact in after if is_right(fact) and fact not in sure)]
    return [*by_itself, *(fact for fact in told if not any(overlap(fact.object, words) for words in whole))]


def is_right(fact: ReadFact) -> bool:
    """Return whether a fact is said to put another right."""
    return FactFlag.CORRECTED in fact.flags


def is_left_open(fact: ReadFact) -> bool:
    word = "" if fact.subject is None else fact.subject.text.lower()
    return word in THEY or bool(pronoun_gender(word))


def is_from_before(fact: ReadFact) -> bool:
    return fact.subject is not None and fact.subject.is_before


def place_of(message: SaidMessage, fact: ReadFact) -> tuple[int, ReadFact | None]:
    """Return the sentence that tells a fact, whose subject stands in it or before it, and the fact with its value there.

    None where the subject comes in a later sentence, in which the value does not stand again.
    """
    if fact.object.is_before:
        return 0, fact
    number = message.sentence_at(fact.object.span.start)
    if fact.subject is None or fact.subject.is_before or message.sentence_at(fact.subject.span.start) <= number:
        return number, fact
    start = message.text.find(fact.object.text, message.starts[message.sentence_at(fact.subject.span.start)])
    if start < 0:
        return number, None
    span = Span(start, start + len(fact.object.text))
    return message.sentence_at(start), replace(fact, object=replace(fact.object, span=span))


def overlap(one: WordSpan, other: WordSpan) -> bool:
    is_apart = one.span.end <= other.span.start or other.span.end <= one.span.start
    return one.is_before == other.is_before and not is_apart
