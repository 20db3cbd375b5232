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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.adapters.learning.minilm import WIDTH, minilm_encoder, minilm_tokenizer
from memory.adapters.readers.passages import passage_text
from memory.adapters.readers.pieces import Pieces, cut, padded
from memory.core.errors import TrainingRefused

WINDOW = 160
QUESTION_ROOM = 40
BATCH = 32
BATCHES_A_CHUNK = 40
HELD_OUT_ONE_IN = 20
OTHER_TURNS = 2
LONGEST_ANSWER = 12
NO_ANSWER = 0


@dataclass(frozen=True)
class PassageQuestion:
    """A question put to a turn, `before` it the one before; the answer is a range of the turn's characters, or None."""

    question: str
    before: str
    turn: str
    answer: tuple[int, int] | None
    source: str
    group: str

    @property
    def is_held_out(self) -> bool:
        digest = hashlib.sha256(self.group.encode()).hexdigest()
        return self.source == "own" and int(digest[:8], 16) % HELD_OUT_ONE_IN == 0


@dataclass(frozen=True)
class Example:
    pieces: Pieces
    first: int
    last: int
    is_own: bool


def read_own(path: Path, *, chance: random.Random) -> Iterator[PassageQuestion]:
    """Yield the questions of a file in the form of GUIDE.md, each with its turn and with other turns of its dialogue."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            turns = [(turn["speaker"], turn["text"]) for turn in row["turns"]]
            places = {turn["n"]: place for place, turn in enumerate(row["turns"])}
            asked = [(qa["q"], qa.get("a"), qa.get("n")) for qa in row["qa"]]
        except (ValueError, KeyError, TypeError) as error:
            raise TrainingRefused(f"{path}, line {number} is no dialogue with questions: {error}.") from error
        yield from _put_to_turns(turns, places, asked, source="own", group=f"{path.name}:{number}", chance=chance)


def read_friendsqa(path: Path, *, chance: random.Random) -> Iterator[PassageQuestion]:
    """Yield the questions of FriendsQA (Apache-2.0) that words of one utterance answer."""
    for number, dialogue in enumerate(json.loads(path.read_text(encoding="utf-8"))["data"]):
        for paragraph in dialogue["paragraphs"]:
            said = paragraph["utterances:"]
            turns = [(utterance["speakers"][0].split()[0], utterance["utterance"]) for utterance in said]
            places = {utterance["uid"]: place for place, utterance in enumerate(said)}
            asked = [
                (asking["question"], answer["answer_text"], answer["utterance_id"])
                for asking in paragraph["qas"]
                for answer in asking["answers"][:1]
                if not answer["is_speaker"] and len(answer["answer_text"].split()) <= LONGEST_ANSWER
            ]
            yield from _put_to_turns(turns, places, asked, source="friendsqa", group=str(number), chance=chance)


def read_qamr(folder: Path, *, limit: int, chance: random.Random) -> Iterator[PassageQuestion]:
    """Yield at most `limit` questions of QAMR (MIT) on sentences of Wikipedia and Wikinews, a quarter as many unanswered."""
    with gzip.open(folder / "wiki-sentences.tsv.gz", "rt", encoding="utf-8") as file:
        sentences = dict(line.rstrip("\n").split("\t")[:2] for line in file)
    found = []
    for name in ("dev", "test"):
        with gzip.open(folder / "filtered" / f"{name}.tsv.gz", "rt", encoding="utf-8") as file:
            for line in file:
                columns = line.rstrip("\n").split("\t")
                words = sentences.get(columns[0], "").split()
                places = [int(place) for place in columns[6].split()]
                if places and max(places) < len(words) and max(places) - min(places) < LONGEST_ANSWER:
                    start = len(" ".join([*words[: min(places)], ""]))
                    end = len(" ".join(words[: max(places) + 1]))
                    found.append((columns[5], " ".join(words), (start, end)))
    chance.shuffle(found)
    texts = [text for _, text, _ in found]
    for question, text, answer in found[:limit]:
        yield PassageQuestion(question, "", text, answer, "qamr", text)
    for question, text, _ in found[: limit // 4]:
        yield PassageQuestion(question, "", chance.choice(texts), None, "qamr", text)


def _put_to_turns(
    turns: Sequence[tuple[str, str]],
    places: dict[int, int],
    asked: Sequence[tuple[str, str | None, int | None]],
    *,
    source: str,
    group: str,
    chance: random.Random,
) -> Iterator[PassageQuestion]:
    for question, answer, number in asked:
        others = list(range(len(turns)))
        if answer is not None and number in places:
            place = places[number]
            start = turns[place][1].find(answer)
            others.remove(place)
            if start >= 0:
                before, turn, offset = _passage(turns, place)
                span = (offset + start, offset + start + len(answer))
                yield PassageQuestion(question, before, turn, span, source, group)
        for place in chance.sample(others, min(OTHER_TURNS, len(others))):
            before, turn, _ = _passage(turns, place)
            yield PassageQuestion(question, before, turn, None, source, group)


def _passage(turns: Sequence[tuple[str, str]], place: int) -> tuple[str, str, int]:
    """Return the turn before, as it is shown, the turn, and where its words begin in it."""
    before = f"{turns[place - 1][0]}: {turns[place - 1][1]}" if place else ""
    head = f"{turns[place][0]}: "
    return before, head + turns[place][1], len(head)


def example_of(asked: PassageQuestion, tokenizer: Any) -> Example | None:
    """Return a question and its passage as pieces; None where the answer was cut away."""
    passage, offset = passage_text(asked.before, asked.turn)
    pieces = cut(tokenizer, asked.question, passage, window=WINDOW, first_room=QUESTION_ROOM)
    if asked.answer is None:
        return Example(pieces, NO_ANSWER, NO_ANSWER, asked.source == "own")
    start, end = asked.answer[0] + offset, asked.answer[1] + offset
    covered = [word for word in pieces.words if word.text == 1 and word.start < end and word.end > start]
    if not covered:
        return None
    return Example(pieces, covered[0].first, covered[-1].last, asked.source == "own")


def answer_network() -> Any:
    """Return a fresh network: the encoder, and two scores a piece: that the answer begins there, that it ends there."""
    from torch import nn

    class AnswerNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = minilm_encoder()
            self.pointers = nn.Linear(WIDTH, 2)

        def forward(self, **inputs: Any) -> Any:
            return self.pointers(self.encoder(**inputs).last_hidden_state)

    return AnswerNetwork()


class AnswerRecipe:
    """Implements `Recipe` for the answer reader."""

    def __init__(self, questions: Sequence[PassageQuestion]) -> None:
        self._questions = questions
        tokenizer = minilm_tokenizer()
        found = [example_of(question, tokenizer) for question in questions]
        self.examples = [example for example in found if example is not None]

    def identity(self) -> str:
        digest = hashlib.sha256()
        for question in self._questions:
            digest.update(repr(question).encode())
        return digest.hexdigest()

    def network(self) -> Any:
        return answer_network()

    def batches(self, epoch: int, *, seed: int) -> list[list[Example]]:
        """Return the examples in batches of similar length: all of them at first, then as many public as own ones."""
        chance = random.Random(1000 * (seed + 1) + epoch)
        own = [example for example in self.examples if example.is_own]
        public = [example for example in self.examples if not example.is_own]
        examples = own + (public if epoch == 0 else chance.sample(public, min(len(public), len(own) // 2)))
        chance.shuffle(examples)
        batches = []
        size = BATCH * BATCHES_A_CHUNK
        for start in range(0, len(examples), size):
            chunk = sorted(examples[start : start + size], key=lambda example: len(example.pieces.ids))
            in_order = [chunk[first : first + BATCH] for first in range(0, len(chunk), BATCH)]
            chance.shuffle(in_order)
            batches += in_order
        return batches

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        inputs = {name: torch.from_numpy(part) for name, part in padded([example.pieces for example in batch]).items()}
        with torch.autocast("cpu", torch.bfloat16):
            scores = network(**inputs)
        scores = scores.float().masked_fill(inputs["attention_mask"][..., None] == 0, -1e4)
        begin = torch.nn.functional.cross_entropy(scores[..., 0], torch.tensor([example.first for example in batch]))
        end = torch.nn.functional.cross_entropy(scores[..., 1], torch.tensor([example.last for example in batch]))
        return begin + end
