"""Questions on single turns for the answer reader: judged by people, or composed of frames and labelled messages.

A composed question asks for the subject, the relation and the value of a fact of the message, or for others: then nothing
answers, or the value that is there says no. Other messages stand around, which tell nothing of the asked kind.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memory.adapters.learning.answer_reader import LabelledQuestion, labelled_question
from memory.adapters.learning.frames import SPEAKER, Frame, Message
from memory.adapters.learning.label_files import labelled
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.types import SaidTurn

USER, ASSISTANT = "user", "assistant"
JUDGED, COMPOSED = "judgements", "composed"
MOST_AROUND = 5
# By the flags of a fact: what answers nothing, whenever it is asked about.
OPEN_FLAGS = frozenset({"hyp", "ask", "rep"})
YES, NO = "yes", "no"


def read_judged(folder: Path, around: Sequence[str], *, chance: random.Random) -> list[LabelledQuestion]:
    """Return the questions on judged turns, each among other messages. Raises `TrainingRefused` that names a bad line."""
    rows = labelled(folder, lambda row: _judged(row), what="judged turn")
    return [
        among(turn, around, question=question, answer=answer, verdict=verdict, source=JUDGED, chance=chance)
        for question, turn, answer, verdict in rows
    ]


def _judged(row: dict[str, Any]) -> tuple[str, SaidTurn, str, str]:
    said = row["turn"]
    before = said.get("before", "")
    turn = SaidTurn(said["text"], said["speaker"], before, "" if not before else other_speaker(said["speaker"]))
    for candidate in row["c"]:
        if candidate["v"] in {"holds", YES, NO} and candidate["a"] in said["text"]:
            return row["q"], turn, candidate["a"], candidate["v"] if candidate["v"] in {YES, NO} else ""
    return row["q"], turn, "", ""


def other_speaker(speaker: str) -> str:
    return ASSISTANT if speaker == USER else USER


def among(
    turn: SaidTurn,
    others: Sequence[str],
    *,
    question: str,
    answer: str,
    verdict: str,
    source: str,
    chance: random.Random,
) -> LabelledQuestion:
    """Return a question on a turn among a few other messages of the user's."""
    turns = [SaidTurn(text, USER) for text in chance.sample(others, min(len(others), chance.randint(1, MOST_AROUND)))]
    place = chance.randint(0, len(turns))
    turns.insert(place, turn)
    at = place if answer else None
    return labelled_question(question, turns, at, answer, source=source, group=turn.text, verdict=verdict)


class Composer:
    """Composes questions on labelled messages from the frames of questions."""

    def __init__(self, messages: Sequence[Message], frames: Sequence[Frame]) -> None:
        self.messages = messages
        self._frames: dict[tuple[str, bool], list[Frame]] = defaultdict(list)
        self._of_want: dict[tuple[str, bool], list[Frame]] = defaultdict(list)
        for frame in frames:
            self._frames[frame.predicate, frame.is_of_speaker].append(frame)
            self._of_want[frame.want, frame.is_of_speaker].append(frame)
        self._values: dict[str, list[str]] = defaultdict(list)
        self._names: list[str] = []
        for message in messages:
            for subject, predicate, value, _ in message.facts:
                self._values[predicate].append(value)
                if subject[:1].isupper() and " " not in subject:
                    self._names.append(subject)

    def questions(self, *, share: float, chance: random.Random) -> Iterator[LabelledQuestion]:
        """Yield a question on about this share of the messages."""
        for message in self.messages:
            if chance.random() < share and (made := self.question(message, chance)) is not None:
                yield made

    def question(self, message: Message, chance: random.Random) -> LabelledQuestion | None:
        """Return a question on a message; None where no frame fits the fact that was drawn."""
        subject, predicate, value, flags = chance.choice(message.facts)
        way = chance.choice(("so", "so", "so", "other", "relation", "value"))
        asked = subject if way != "other" else self._another(subject, message, chance)
        if asked != SPEAKER and not asked[:1].isupper():
            if not asked or f"my {asked}" not in message.text:
                return None
            asked = f"my {asked}"
        frame = self._frame(message, subject, predicate, asked, way, chance)
        if frame is None or value not in message.text:
            return None
        answer, given = answer_of(frame, frozenset(flags.split())), value
        if way in {"other", "relation"}:
            answer = ""
        elif way == "value":
            given = chance.choice(self._values[predicate])
            if any(shares_words(given, fact[2]) for fact in message.facts):
                return None
            is_slot = predicate in PREDICATES and predicate_named(predicate).is_functional
            answer = NO if is_slot and answer == YES and frame.time == "now" else ""
        if answer is None:
            return None
        turn = SaidTurn(message.text, USER, message.before, ASSISTANT if message.before else "")
        return among(
            turn,
            self._around(frame.predicate, chance),
            question=frame.asked(asked, given),
            answer=value if answer else "",
            verdict=answer if frame.is_yes_no else "",
            source=COMPOSED,
            chance=chance,
        )

    def _frame(
        self, message: Message, subject: str, predicate: str, asked: str, way: str, chance: random.Random
    ) -> Frame | None:
        frames = self._frames.get((predicate, asked == SPEAKER), [])
        if way == "relation" and frames:
            told = {fact[1] for fact in message.facts if fact[0] == subject}
            wanted = chance.choice(frames).want
            frames = [frame for frame in self._of_want[wanted, asked == SPEAKER] if frame.predicate not in told]
        elif way == "value":
            frames = [frame for frame in frames if frame.is_yes_no]
        return chance.choice(frames) if frames else None

    def _another(self, subject: str, message: Message, chance: random.Random) -> str:
        ends = [
            SPEAKER,
            *(fact[0] for fact in message.facts),
            *(fact[2] for fact in message.facts if fact[2][0].isupper()),
        ]
        others = [name for name in dict.fromkeys(ends) if name != subject and " " not in name]
        if not others and not self._names:
            return ""
        return chance.choice(others if others and chance.random() < 0.7 or not self._names else self._names)

    def _around(self, predicate: str, chance: random.Random) -> list[str]:
        """Return other messages that tell nothing of a predicate."""
        drawn = chance.sample(self.messages, min(len(self.messages), 2 * MOST_AROUND))
        return [one.text for one in drawn if all(fact[1] != predicate for fact in one.facts)]


def answer_of(frame: Frame, flags: frozenset[str]) -> str | None:
    """Return what a fact with these flags answers to a question of a frame's time: "yes", "no", or "" for nothing.

    None where people would differ. "yes" is also what words answer, where no yes or no is asked.
    """
    if flags & OPEN_FLAGS:
        return ""
    if "neg" in flags:
        return (NO if frame.is_yes_no else "") if frame.time in {"now", "ever"} else None
    if "fut" in flags:
        return YES if frame.time == "future" else ""
    if "past" in flags:
        if frame.time in {"past", "ever"}:
            return YES
        return NO if frame.is_yes_no and frame.time == "now" else ""
    return YES if frame.time in {"now", "ever"} else ""


def shares_words(words: str, others: str) -> bool:
    return bool(set(words.lower().split()) & set(others.lower().split()))
