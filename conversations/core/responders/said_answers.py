"""Answers from what was said: the answer reader reads the best turns in the order in which they were said.

It weighs them against each other, so that the surest words are those that hold at the time asked about. Whether something
is so is answered with a yes or no and the sentence that decides it. A time is told as the day that its words mean.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TypeVar

from conversations.core.responders.answers import Answer, ReadBack, SaidAnswer, read_nothing
from conversations.core.responders.elapsed import elapsed_question, elapsed_text
from conversations.core.responders.phrasing import quoted
from conversations.core.responders.recall import Recollection, is_asked_for, is_believed
from conversations.core.types import Grounds, GroundSentence, Query, Retrieved, Stage
from memory.core.english.grammatical_person import FIRST_PERSON, told_to_another, told_to_its_speaker
from memory.core.english.telling_times import tell_fully
from memory.core.english.times import dates_across
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.knowledge_graph.verbalisation import finished
from memory.core.naming import key_of
from memory.core.ports import AnswerReader, DialogueIndex, Retriever, SentenceReader
from memory.core.types import (
    MemoryUnit,
    Modality,
    Passage,
    Polarity,
    QuestionOnTurns,
    ReadAnswer,
    RetrievalQuery,
    SaidTurn,
    SourceSentence,
    Triple,
    Unit,
    Utterance,
)

SpokenT = TypeVar("SpokenT", bound=Passage | MemoryUnit)

ASKER = "user"
# How many turns are found for each that is read: a turn that only asks, and each of the product's, is no evidence.
FOUND_FOR_EACH = 2
# What no run of words of one turn answers.
NOT_WORDS = (Wanted.TRUTH, Wanted.EVERYTHING, Wanted.IDENTITY, Wanted.RELATION)
NOT_SAID = NOT_WORDS[1:]
_PLURAL = re.compile(
    r"^(?:what|which)\s+(?:\w+\s+){0,2}?\w+s\s+(?:do|does|did|has|have|are|were|can)\b"
    r"|\b(?:all (?:the|my|our|of|these|those)|both|list)\b",
    re.IGNORECASE,
)
# A bare time answers "when": without its preposition, and without the days that a week is spelled out in.
_AROUND_TIME = re.compile(r"^(?:on|in) | \([^)]*\)$")


@dataclass(frozen=True)
class SaidConfig:
    """How many turns are read, of how many of others where one person is asked about, and how many values a list has."""

    turns: int = 20
    others: int = 3
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

    def answer(self, found: Recollection, query: Query) -> SaidAnswer:
        """Return the answer that was said, with the sentences that say it, if what was found answers."""
        if not self.is_asked(found.question):
            return SaidAnswer()
        text = unwrapped(found.question.text).text
        wanted = RetrievalQuery(text=text, asked_at=query.asked_at, asked_by=query.speaker)
        retrieval = self.passages.retriever.retrieve(wanted, limit=FOUND_FOR_EACH * self.config.turns)
        steps = (Stage("retrieve", "read what was said"), Retrieved(text, retrieval))
        turns = [chunk.id for chunk in retrieval.chunks.get(Unit.TURN, ())]
        return SaidAnswer(self.read(found, query, turns), steps)

    def is_asked(self, question: GraphQuestion) -> bool:
        """Return whether words of turns can answer a question."""
        return question.wanted not in NOT_SAID and not is_chain(question.subject)

    def read(self, found: Recollection, query: Query, turn_ids: Sequence[int]) -> Answer | None:
        """Return the answer that turns give, best first, with the sentences that say it; None where they give none."""
        question = found.question
        if not self.is_asked(question):
            return None
        elapsed = elapsed_question(unwrapped(question.text).text)
        text = elapsed.when if elapsed is not None else unwrapped(question.text).text
        turns = self._turns(text, turn_ids, query)
        read = self._as_read([one for one in self._told(text, turns, query) if self._is_sure(one)], found)
        chosen = chosen_of(question, read, self.config)
        if not chosen:
            return None
        sources = self._sources([one.turn for one in chosen])
        places = [place_of(one, sources[one.turn.id]) for one in chosen]
        grounds = tuple(GroundSentence(one, "says it in these words") for one in places if one is not None)
        if question.wanted is Wanted.TRUTH:
            return self._truth(found, chosen[0], places[0], query)
        if elapsed is not None:
            words = [f"{elapsed_text(day_of(chosen[0]), query.asked_at, elapsed.unit)} ago"]
        else:
            words = list(dict.fromkeys(self._words(question, one, query) for one in chosen))
        return Answer(finished(", ".join(words)), Grounds(sentences=grounds))

    def _turns(self, text: str, found: Sequence[int], query: Query) -> dict[Passage, SaidTurn]:
        """Return the turns to read, as they are read, in the order in which they were said."""
        evidence = self.passages.index.sentences_of(found)
        ids = [turn for turn in found if turn in evidence][: self.config.turns]
        turns = to_read(self.passages.index.passages_of(Unit.TURN, ids), text, query.speaker, others=self.config.others)
        turns.sort(key=lambda turn: (turn.said_at, turn.id))
        windows = {
            window.id: window.text
            for window in self.passages.index.passages_of(Unit.WINDOW, [turn.id for turn in turns])
        }
        return {turn: said_turn(turn, windows.get(turn.id, ""), query) for turn in turns}

    def _told(self, text: str, turns: Mapping[Passage, SaidTurn], query: Query) -> list[Told]:
        """Return what each of the turns answers, surest first."""
        [answers] = self.reader.read_many([QuestionOnTurns(text, tuple(turns.values()))])
        read = [
            Told(turn, answer) for turn, answer in zip(turns, answers, strict=True) if not is_echo(turn, answer, text)
        ]
        return own_answers(sorted(read, key=lambda told: -told.answer.probability), text, query)

    def _is_sure(self, told: Told) -> bool:
        return told.answer.probability >= self.reader.threshold and bool(told.answer.words.text)

    def _as_read(self, told: Sequence[Told], found: Recollection) -> list[Told]:
        """Return the answers without those that were read as a fact about somebody else, as none that holds, or pasted."""
        sources = self._sources([one.turn for one in told])
        places = {place: place_of(one, sources[one.turn.id]) for place, one in enumerate(told)}
        read = self._triples_of([source for source in places.values() if source is not None])
        is_of_asker = FIRST_PERSON.search(found.question.text) is not None
        return [
            one
            for one, source in zip(told, places.values(), strict=True)
            if source is None
            or holds_for(found, one.answer.words.text, read[source.id])
            and not (is_of_asker and is_foreign(one.turn, sources[one.turn.id], source))
        ]

    def _triples_of(self, sources: Sequence[SourceSentence]) -> dict[int, list[Triple]]:
        """Return what was surely read in each of the sentences."""
        read: dict[int, list[Triple]] = defaultdict(list)
        for triple in self.passages.sentences.triples_in([source.id for source in sources]):
            if triple.modality is not Modality.UNSURE:
                read[triple.source.id].append(triple)
        return read

    def _sources(self, turns: Iterable[Passage]) -> dict[int, list[SourceSentence]]:
        """Return the sentences of each turn, in order."""
        ids = self.passages.index.sentences_of(of := [turn.id for turn in turns])
        known = {one.id: one for one in self.passages.sentences.sources_of(list(chain(*ids.values())))}
        return {turn: [known[at] for at in ids.get(turn, ()) if at in known] for turn in of}

    def _truth(self, found: Recollection, told: Told, place: SourceSentence | None, query: Query) -> Answer | None:
        """Return yes or no with the sentence that decides it; None where it is not sure enough."""
        is_sure = told.answer.probability >= self.reader.verdict_threshold
        if not is_sure or place is None or is_refuted(found, self._triples_of([place])[place.id]):
            return None
        said = f"{'Yes' if told.answer.yes > 0.5 else 'No'}. {quoted(place, asker=query.speaker)}"
        return Answer(said, Grounds(sentences=(GroundSentence(place, "decides it"),)))

    def _words(self, question: GraphQuestion, told: Told, query: Query) -> str:
        if question.wanted is Wanted.TIME:
            when = self._when(told)
            if when:
                return when
        return as_told(told.answer.words.text, told.turn.speaker, query)

    def _when(self, told: Told) -> str:
        """Return the day that the words of an answer mean, or the sentence around them, in plain words."""
        times = dates_across(told.turn.text, told.answer.words.span, said_at=told.turn.said_at)
        return _AROUND_TIME.sub("", tell_fully(times[0])) if times else ""


def read_back(reader: AnswerReader | None, *, passages: SaidPassages) -> ReadBack:
    """Return what answers from what was said; it gives nothing where there is no answer reader."""
    if reader is None:
        return read_nothing
    return SaidAnswers(passages=passages, reader=reader).answer


def day_of(told: Told) -> datetime:
    """Return the day that the words of an answer mean, else the one on which they were said."""
    times = dates_across(told.turn.text, told.answer.words.span, said_at=told.turn.said_at)
    return times[0].during(told.turn.said_at).start if times else told.turn.said_at


def is_refuted(found: Recollection, read: Sequence[Triple]) -> bool:
    """Return whether what was read in sentences of what a question asks is not believed any more, where it asks of now."""
    asked = [triple for triple in read if is_asked_for(found.question, triple)]
    return not found.question.is_past and bool(asked) and not any(is_believed(triple) for triple in asked)


def place_of(told: Told, sources: Sequence[SourceSentence]) -> SourceSentence | None:
    """Return the sentence of a turn that holds the words of an answer; its first where none does whole, if it has any."""
    wanted = key_of(told.answer.words.text)
    return next((source for source in sources if wanted in key_of(source.text)), next(iter(sources), None))


def is_foreign(turn: Passage, sources: Sequence[SourceSentence], sentence: SourceSentence) -> bool:
    """Return whether a sentence of a turn is pasted, quoted or played: not what its speaker says of themself."""
    said, end = list[Utterance](), 0
    for source in sources:
        start = max(turn.text.find(source.text, end), end)
        breaks = turn.text.count("\n", end, start)
        said.append(Utterance(source.speaker, source.role, source.text, source.said_at, breaks))
        end = start
    return not own_words(said)[list(sources).index(sentence)]


def holds_for(found: Recollection, words: str, read: Sequence[Triple]) -> bool:
    """Return whether words of a sentence hold for whom a question is about, by the triples that were read in it.

    Words that were read as nothing, and a question about nobody who is known, are left to the answer reader.
    """
    meant = {entity.id for entity in found.subject.entities}
    said = [triple for triple in read if told_in(triple, words)]
    if not said or not meant:
        return not said or any(may_be_of(triple, found.question.subject) for triple in said)
    return any(
        triple.modality is Modality.ASSERTED
        and (triple.polarity is Polarity.POSITIVE or found.question.wanted is Wanted.TRUTH)
        and (triple.superseded_at is None or found.question.is_past)
        and bool(meant & {triple.subject.id, triple.object_id})
        for triple in said
    )


def may_be_of(triple: Triple, unknown: QuestionTerm | None) -> bool:
    """Return whether a triple may be about somebody unknown: of "the mother of Alun", where its sentence names him beside."""
    if unknown is None or unknown.owner is None:
        return True
    if unknown.owner.is_speaker:
        return not triple.subject.is_speaker
    is_owner = key_of(triple.subject.label) == key_of(unknown.owner.text)
    return not is_owner and content_stems(unknown.owner.text) <= content_stems(triple.source.text)


def told_in(triple: Triple, words: str) -> bool:
    """Return whether words are an end of a triple, or hold it: "Lyon" in "in Lyon"."""
    asked = f" {key_of(words)} "
    ends = (key_of(triple.object), key_of(triple.subject.label))
    return any(end and (f" {end} " in asked or asked.strip() in f" {end} ") for end in ends)


def chosen_of(question: GraphQuestion, told: Sequence[Told], config: SaidConfig) -> list[Told]:
    """Return the answers to give, `told` being in the order of their probability."""
    if not (_PLURAL.search(question.text) or question.is_list):
        return list(told[:1])
    distinct: dict[str, Told] = {}
    for one in told:
        distinct.setdefault(key_of(one.answer.words.text), one)
    return list(distinct.values())[: config.listed]


def is_chain(subject: QuestionTerm | None) -> bool:
    """Return whether a question is about somebody's somebody's: "my sister's boss", of whom no single turn may tell."""
    return subject is not None and subject.owner is not None and subject.owner.owner is not None


def asked_about(speakers: set[str], question: str, asker: str) -> set[str]:
    """Return the one speaker whom a question is about, by name or as the asker; all where that is nobody."""
    about = {speaker for speaker in speakers if is_named_in(question, speaker)}
    if not about and FIRST_PERSON.search(question):
        about = {speaker for speaker in speakers if key_of(speaker) == key_of(asker)}
    return about if len(about) == 1 else speakers


def to_read(turns: Sequence[SpokenT], question: str, asker: str, *, others: int) -> list[SpokenT]:
    """Return the turns of whom a question is about, `turns` being nearest first, and the nearest ones of others."""
    about = asked_about({turn.speaker for turn in turns}, question, asker)
    own = [turn for turn in turns if turn.speaker in about]
    return own + [turn for turn in turns if turn.speaker not in about][:others]


def own_answers(told: Sequence[Told], question: str, query: Query) -> list[Told]:
    """Return the answers of whom a question is about, `told` being surest first.

    What Ben did is not the answer to what Anna did, however near its words are. Where his words answer best, it is not known
    what she did: hers are about something else.
    """
    about = asked_about({one.turn.speaker for one in told}, question, query.speaker)
    is_known = bool(told) and told[0].turn.speaker in about
    return [one for one in told if one.turn.speaker in about] if is_known else []


def is_echo(turn: Passage, answer: ReadAnswer, question: str) -> bool:
    """Return whether the words of an answer are those of the question, in the very turn that asks it."""
    asked = key_of(question)
    return asked in key_of(turn.text) and key_of(answer.words.text) in asked


def is_named_in(question: str, speaker: str) -> bool:
    """Return whether a question names a speaker, by the whole name or its first word."""
    names = {speaker, speaker.split()[0]} if speaker.split() else set()
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE) for name in names)


def said_turn(turn: Passage, window: str, query: Query) -> SaidTurn:
    """Return a turn as it is read, with what its window has of the turn before, a line of its own: "Speaker: words"."""
    line, _, rest = window.rpartition(f"\n{turn.speaker}: ")
    speaker, _, before = line.partition(": ") if rest else ("", "", "")
    return SaidTurn(turn.text, called(turn.speaker, query), before, called(speaker, query))


def called(speaker: str, query: Query) -> str:
    """Return what a passage calls its speaker: the asker is the user, whoever asks."""
    return ASKER if key_of(speaker) == key_of(query.speaker) else speaker


def as_told(words: str, speaker: str, query: Query) -> str:
    """Return the words of a speaker as they are told to the asker: "my mum" is "your mum", or "their mum" of another."""
    retold = told_to_its_speaker if key_of(speaker) == key_of(query.speaker) else told_to_another
    return retold(" ".join(words.split()))
