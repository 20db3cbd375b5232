"""Answers from what was said: the answer reader reads the best passages, and the words that hold now are the answer.

Where several passages answer, the surest counts; of those nearly as sure, the newest where the question asks for what holds
now, the oldest where it asks for what was before. A time is told as the day that its words mean.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from conversations.core.responders.answers import Answer, ReadBack, read_nothing
from conversations.core.types import Grounds, GroundSentence, Query
from memory.core.english.grammatical_person import told_to_another, told_to_its_speaker
from memory.core.english.telling_times import tell_fully
from memory.core.english.times import dates_in
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.ports import AnswerReader, DialogueIndex, Retriever, SentenceReader
from memory.core.types import Passage, QuestionOnTurn, ReadAnswer, RetrievalQuery, Unit

ASKER = "user"
# Of what is surer the time alone decides.
SUREST = 0.962
# What no run of words of one turn answers.
_NOT_WORDS = (Wanted.TRUTH, Wanted.EVERYTHING, Wanted.IDENTITY, Wanted.RELATION)
_TIMES = (Wanted.TIME, Wanted.DURATION)
_PLURAL = re.compile(
    r"^(?:what|which)\s+(?:\w+\s+){0,2}?\w+s\s+(?:do|does|did|has|have|are|were|can)\b|\b(?:all|both|list)\b",
    re.IGNORECASE,
)
# A bare time answers "when": without its preposition, and without the days that a week is spelled out in.
_AROUND_TIME = re.compile(r"^(?:on|in) | \([^)]*\)$")
_FIRST = re.compile(r"\b(?:first|originally|initially)\b", re.IGNORECASE)


@dataclass(frozen=True)
class SaidConfig:
    """How many passages are read, and how sure an answer must be.

    `least` is the probability under which a question stays unanswered: on held-out dialogues, read turn by turn, 0.68 refuses
    56 in 100 questions without an answer and answers 77 in 100 of the others. `margin` is how much lower the log-odds of
    an answer may be that is preferred by its time.
    """

    passages: int = 20
    least: float = 0.68
    margin: float = 0.7
    listed: int = 4


@dataclass(frozen=True)
class Told:
    """An answer that was read in a turn, with the turn."""

    turn: Passage
    answer: ReadAnswer


@dataclass(frozen=True, kw_only=True)
class SaidPassages:
    """What finds passages of one space's dialogues, and their words."""

    retriever: Retriever
    index: DialogueIndex
    sentences: SentenceReader


@dataclass(frozen=True, kw_only=True)
class SaidAnswers:
    """Reads the answers to questions in what was said in one space."""

    passages: SaidPassages
    reader: AnswerReader
    config: SaidConfig = SaidConfig()

    def answer(self, question: GraphQuestion, query: Query) -> Answer | None:
        """Return the answer that was said, with the sentences that say it; None where nothing that was found answers."""
        if question.wanted in _NOT_WORDS or is_chain(question.subject):
            return None
        told = self._told(unwrapped(question.text).text, query)
        chosen = chosen_of(question, told, self.config)
        if not chosen:
            return None
        words = list(dict.fromkeys(self._words(question, one, query) for one in chosen))
        grounds = tuple(
            GroundSentence(source, "says it in these words")
            for source in self.passages.sentences.sources_of([self._sentence_of(one) for one in chosen])
        )
        return Answer(finished(", ".join(words)), Grounds(sentences=grounds))

    def _told(self, text: str, query: Query) -> list[Told]:
        """Return what each of the best turns answers, surest first."""
        wanted = RetrievalQuery(text=text, asked_at=query.asked_at, asked_by=query.speaker)
        found = self.passages.retriever.retrieve(wanted, limit=self.config.passages)
        ids = [chunk.id for chunk in found.chunks.get(Unit.TURN, ())]
        turns = {turn.id: turn for turn in own_turns(self.passages.index.passages_of(Unit.TURN, ids), text, query)}
        windows = {window.id: window.text for window in self.passages.index.passages_of(Unit.WINDOW, list(turns))}
        asked = [
            QuestionOnTurn(
                question=text,
                text=turn.text,
                speaker=called(turn.speaker, query),
                before=before_of(windows.get(turn.id, ""), turn),
            )
            for turn in turns.values()
        ]
        read = [Told(turn, answer) for turn, answer in zip(turns.values(), self.reader.read_many(asked), strict=True)]
        return sorted(read, key=lambda told: -told.answer.probability)

    def _words(self, question: GraphQuestion, told: Told, query: Query) -> str:
        if question.wanted is Wanted.TIME:
            when = self._when(told)
            if when:
                return when
        return as_told(told.answer.words.text, told.turn.speaker, query)

    def _when(self, told: Told) -> str:
        """Return the day that the words of an answer mean, or the sentence around them, in plain words."""
        text, span = told.turn.text, told.answer.words.span
        times = dates_in(text, said_at=told.turn.said_at)
        near = [one for one in times if one.span.start < span.end and one.span.end > span.start]
        return _AROUND_TIME.sub("", tell_fully(near[0])) if near else ""

    def _sentence_of(self, told: Told) -> int:
        """Return the sentence of a turn that holds the words of an answer; its first where none does whole."""
        ids = self.passages.index.sentences_of([told.turn.id]).get(told.turn.id, [])
        wanted = key_of(told.answer.words.text)
        for source in self.passages.sentences.sources_of(ids):
            if wanted in key_of(source.text):
                return source.id
        return ids[0]


def read_back(reader: AnswerReader | None, *, passages: SaidPassages) -> ReadBack:
    """Return what answers from what was said; it gives nothing where there is no answer reader."""
    if reader is None:
        return read_nothing
    return SaidAnswers(passages=passages, reader=reader).answer


def chosen_of(question: GraphQuestion, told: Sequence[Told], config: SaidConfig) -> list[Told]:
    """Return the answers to give, `told` being in the order of their probability."""
    sure = [one for one in told if one.answer.probability >= config.least and one.answer.words.text]
    if not sure:
        return []
    best = log_odds(sure[0])
    near = [one for one in sure if log_odds(one) >= best - config.margin]
    if _PLURAL.search(question.text) or question.is_list:
        distinct: dict[str, Told] = {}
        for one in sure:
            distinct.setdefault(key_of(one.answer.words.text), one)
        return list(distinct.values())[: config.listed]
    if question.wanted in _TIMES or question.is_finished and not question.is_past:
        return near[:1]
    order = sorted(near, key=lambda one: (one.turn.said_at, one.turn.id))
    return order[:1] if question.is_past or _FIRST.search(question.text) else order[-1:]


def is_chain(subject: QuestionTerm | None) -> bool:
    """Return whether a question is about somebody's somebody's: "my sister's boss", of whom no single turn may tell."""
    return subject is not None and subject.owner is not None and subject.owner.owner is not None


def log_odds(told: Told) -> float:
    probability = min(told.answer.probability, SUREST)
    return math.log(probability / (1 - probability))


def own_turns(turns: Sequence[Passage], question: str, query: Query) -> list[Passage]:
    """Return the turns of the one speaker whom a question is about, by name or as the asker; all where that is nobody.

    What Ben did is not the answer to what Anna did, however near its words are.
    """
    speakers = {turn.speaker for turn in turns}
    named = {speaker for speaker in speakers if is_named_in(question, speaker)}
    if not named and _FIRST_PERSON.search(question):
        named = {speaker for speaker in speakers if key_of(speaker) == key_of(query.speaker)}
    return [turn for turn in turns if turn.speaker in named] if len(named) == 1 else list(turns)


def is_named_in(question: str, speaker: str) -> bool:
    """Return whether a question names a speaker, by the whole name or its first word."""
    names = {speaker, speaker.split()[0]} if speaker.split() else set()
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE) for name in names)


def before_of(window: str, turn: Passage) -> str:
    """Return what a window has of the turn before, which is a line of its own: "Speaker: words"."""
    before, _, rest = window.rpartition(f"\n{turn.speaker}: ")
    return before if rest else ""


def called(speaker: str, query: Query) -> str:
    """Return what a passage calls its speaker: the asker is the user, whoever asks."""
    return ASKER if key_of(speaker) == key_of(query.speaker) else speaker


_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)


def as_told(words: str, speaker: str, query: Query) -> str:
    """Return the words of a speaker as they are told to the asker: "my mum" is "your mum", or "their mum" of another."""
    retold = told_to_its_speaker if key_of(speaker) == key_of(query.speaker) else told_to_another
    return retold(" ".join(words.split()))


def finished(text: str) -> str:
    """Return an answer as a sentence: with a capital and a full stop."""
    whole = text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."
