"""The recipe of the answer reader: (question, passage) -> the words of its last turn that answer, or nothing.

A passage is a turn with the one before it. The first word and the last word of the answer are pointed at; who points at the
first piece says that the passage does not answer. Every question is also put to other turns of its dialogue, which do not.
Questions on Wikipedia (QAMR) and on other dialogues come once, in the first epoch; later epochs mix half as many of them in
as there are of the project's own.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memory.adapters.learning.batching import batches_of, chance_of
from memory.adapters.learning.label_files import label_files, labelled_rows
from memory.adapters.learning.minilm import encoder_of, tokenizer_of
from memory.adapters.readers.passages import passage_text
from memory.adapters.readers.pieces import Pieces, cut, padded
from memory.core.errors import TrainingRefused
from memory.core.types import QuestionOnTurn, Span

WINDOW = 160
QUESTION_ROOM = 40
BATCH = 32
HELD_OUT_ONE_IN = 20
OTHER_TURNS = 2
LONGEST_ANSWER = 12
NO_ANSWER = 0
OWN, FRIENDSQA, QAMR = "own", "friendsqa", "qamr"
FRIENDSQA_FILE = "friendsqa_dev.json"
QAMR_QUESTIONS = 5_000


@dataclass(frozen=True)
class PassageQuestion:
    """A question put to a turn; the answer is a range of characters of the turn's words, or None."""

    asked: QuestionOnTurn
    answer: Span | None
    source: str
    group: str

    @property
    def is_held_out(self) -> bool:
        digest = hashlib.sha256(self.group.encode()).hexdigest()
        return self.source == OWN and int(digest[:8], 16) % HELD_OUT_ONE_IN == 0


@dataclass(frozen=True)
class Example:
    pieces: Pieces
    first: int
    last: int
    is_own: bool


@dataclass(frozen=True)
class _Asked:
    """A question, and the turn (by its place) and the words that answer it, if any."""

    question: str
    place: int | None = None
    answer: str = ""


@dataclass(frozen=True)
class _Dialogue:
    """Turns as (speaker, words), and what is asked about them."""

    turns: tuple[tuple[str, str], ...]
    asked: tuple[_Asked, ...]


def read_questions(folder: Path, *, public: Path | None = None) -> list[PassageQuestion]:
    """Return the project's questions in the files of a folder and, where there is a folder of public sets, theirs.

    Raises `TrainingRefused` that names a bad line.
    """
    chance = random.Random(0)
    found = [question for path in label_files(folder) for question in read_own(path, chance=chance)]
    if public is not None:
        found += read_friendsqa(public / FRIENDSQA / FRIENDSQA_FILE, chance=chance)
        found += read_qamr(public / QAMR, limit=QAMR_QUESTIONS, chance=chance)
    return found


def read_own(path: Path, *, chance: random.Random) -> Iterator[PassageQuestion]:
    """Yield the questions of a file in the form of its GUIDE.md, each with its turn and with other turns of its dialogue."""
    dialogues = labelled_rows(path, _own_dialogue, what="dialogue with questions")
    for number, dialogue in enumerate(dialogues, 1):
        yield from _put_to_turns(dialogue, source=OWN, group=f"{path.name}:{number}", chance=chance)


def _own_dialogue(row: dict[str, Any]) -> _Dialogue:
    turns = tuple((turn["speaker"], turn["text"]) for turn in row["turns"])
    places = {turn["n"]: place for place, turn in enumerate(row["turns"])}
    return _Dialogue(turns, tuple(_own_question(asking, turns, places) for asking in row["qa"]))


def _own_question(asking: dict[str, Any], turns: Sequence[tuple[str, str]], places: dict[int, int]) -> _Asked:
    answer = asking.get("a")
    if answer is None:
        return _Asked(asking["q"])
    if not answer or answer not in turns[places[asking["n"]]][1]:
        raise ValueError(f"the answer {answer!r} is not in turn {asking['n']}")
    return _Asked(asking["q"], places[asking["n"]], answer)


def read_friendsqa(path: Path, *, chance: random.Random) -> Iterator[PassageQuestion]:
    """Yield the questions of FriendsQA (Apache-2.0) that a few words of one utterance answer."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        paragraphs = [paragraph for dialogue in content["data"] for paragraph in dialogue["paragraphs"]]
        dialogues = [_friends_dialogue(paragraph) for paragraph in paragraphs]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise TrainingRefused(f"{path} is no file of FriendsQA: {error}.") from error
    for number, dialogue in enumerate(dialogues):
        yield from _put_to_turns(dialogue, source=FRIENDSQA, group=str(number), chance=chance)


def _friends_dialogue(paragraph: dict[str, Any]) -> _Dialogue:
    said = paragraph["utterances:"]
    turns = tuple((utterance["speakers"][0].split()[0], utterance["utterance"]) for utterance in said)
    places = {utterance["uid"]: place for place, utterance in enumerate(said)}
    asked = (
        _Asked(asking["question"], places[answer["utterance_id"]], answer["answer_text"])
        for asking in paragraph["qas"]
        for answer in asking["answers"][:1]
        if not answer["is_speaker"] and len(answer["answer_text"].split()) <= LONGEST_ANSWER
    )
    return _Dialogue(turns, tuple(one for one in asked if one.place is None or one.answer in turns[one.place][1]))


def read_qamr(folder: Path, *, limit: int, chance: random.Random) -> Iterator[PassageQuestion]:
    """Yield at most `limit` questions of QAMR (MIT) on sentences of Wikipedia and Wikinews, a quarter as many unanswered."""
    try:
        found = list(_qamr_questions(folder))
    except (OSError, ValueError, IndexError) as error:
        raise TrainingRefused(f"{folder} is no folder of QAMR: {error}.") from error
    chance.shuffle(found)
    texts = [question.asked.text for question in found]
    yield from found[:limit]
    for question in found[: limit // 4]:
        other = chance.choice(texts)
        if other != question.asked.text:
            yield replace(question, asked=replace(question.asked, text=other), answer=None)


def _qamr_questions(folder: Path) -> Iterator[PassageQuestion]:
    with gzip.open(folder / "wiki-sentences.tsv.gz", "rt", encoding="utf-8") as file:
        sentences = dict(line.rstrip("\n").split("\t")[:2] for line in file)
    for name in ("dev", "test"):
        with gzip.open(folder / "filtered" / f"{name}.tsv.gz", "rt", encoding="utf-8") as file:
            for line in file:
                columns = line.rstrip("\n").split("\t")
                words = sentences.get(columns[0], "").split()
                places = [int(place) for place in columns[6].split()]
                if places and max(places) < len(words) and max(places) - min(places) < LONGEST_ANSWER:
                    start = len(" ".join([*words[: min(places)], ""]))
                    end = len(" ".join(words[: max(places) + 1]))
                    text = " ".join(words)
                    yield PassageQuestion(QuestionOnTurn(columns[5], text), Span(start, end), QAMR, text)


def _put_to_turns(dialogue: _Dialogue, *, source: str, group: str, chance: random.Random) -> Iterator[PassageQuestion]:
    """Yield each question with the turn that answers it and with some of those that do not have the words of the answer."""
    turns = dialogue.turns
    for asked in dialogue.asked:
        others = [place for place, (_, text) in enumerate(turns) if asked.place is None or asked.answer not in text]
        if asked.place is not None:
            start = turns[asked.place][1].find(asked.answer)
            span = Span(start, start + len(asked.answer))
            yield PassageQuestion(_on_turn(asked.question, turns, asked.place), span, source, group)
        for place in chance.sample(others, min(OTHER_TURNS, len(others))):
            yield PassageQuestion(_on_turn(asked.question, turns, place), None, source, group)


def _on_turn(question: str, turns: Sequence[tuple[str, str]], place: int) -> QuestionOnTurn:
    speaker, text = turns[place]
    before_speaker, before = turns[place - 1] if place else ("", "")
    return QuestionOnTurn(question, text, speaker, before, before_speaker)


def example_of(question: PassageQuestion, tokenizer: Any) -> Example | None:
    """Return a question and its passage as pieces; None where the answer was cut away."""
    is_own = question.source == OWN
    passage, begins = passage_text(question.asked)
    pieces = cut(tokenizer, question.asked.question, passage, window=WINDOW, first_room=QUESTION_ROOM)
    if question.answer is None:
        return Example(pieces, NO_ANSWER, NO_ANSWER, is_own)
    start, end = begins + question.answer.start, begins + question.answer.end
    covered = [word for word in pieces.words if word.text == 1 and word.start < end and word.end > start]
    return Example(pieces, covered[0].first, covered[-1].last, is_own) if covered else None


def answer_network(base: Path) -> Any:
    """Return a fresh network: the encoder, and two scores a piece: that the answer begins there, that it ends there."""
    from torch import nn

    class AnswerNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder_of(base)
            self.pointers = nn.Linear(int(self.encoder.config.hidden_size), 2)

        def forward(self, **inputs: Any) -> Any:
            return self.pointers(self.encoder(**inputs).last_hidden_state)

    return AnswerNetwork()


class AnswerRecipe:
    """Implements `Recipe` for the answer reader."""

    def __init__(self, questions: Sequence[PassageQuestion], *, base: Path) -> None:
        self._questions = questions
        self._base = base
        tokenizer = tokenizer_of(base)
        found = [example_of(question, tokenizer) for question in questions]
        self.examples = [example for example in found if example is not None]

    def identity(self) -> str:
        digest = hashlib.sha256()
        for question in self._questions:
            digest.update(repr(question).encode())
        return digest.hexdigest()

    def network(self) -> Any:
        return answer_network(self._base)

    def batches(self, epoch: int, *, seed: int) -> list[list[Example]]:
        """Return all examples at first, then half as many public ones as own."""
        chance = chance_of(epoch, seed=seed)
        own = [example for example in self.examples if example.is_own]
        public = [example for example in self.examples if not example.is_own]
        examples = own + (public if epoch == 0 else chance.sample(public, min(len(public), len(own) // 2)))
        return batches_of(examples, size=BATCH, length=lambda example: len(example.pieces.ids), chance=chance)

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        inputs = {name: torch.from_numpy(part) for name, part in padded([example.pieces for example in batch]).items()}
        with torch.autocast("cpu", torch.bfloat16):
            scores = network(**inputs)
        scores = scores.float().masked_fill(inputs["attention_mask"][..., None] == 0, -1e4)
        begin = torch.nn.functional.cross_entropy(scores[..., 0], torch.tensor([example.first for example in batch]))
        end = torch.nn.functional.cross_entropy(scores[..., 1], torch.tensor([example.last for example in batch]))
        return begin + end
