"""The recipe of the answer reader: (question, turns of a dialogue) -> the words of one turn that answer, or nothing.

The first word and the last word of the answer are pointed at among the words of all turns that are shown together; who points
at the first piece says that none of them answers. Every epoch shows other turns: as many as fit into a window whose size is
drawn, the one that answers among them, but for every eighth question, which is put to turns that do not answer it.
Judged turns and questions composed on labelled messages (`composed`) are learned beside. Questions on Wikipedia (QAMR; other
sentences stand around) and on other dialogues come once, in the first epoch; later epochs mix a quarter as many of them in.
Of a question of yes or no it is learned too which of the two the words say.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from memory.adapters.learning.label_files import is_drawn, label_files, labelled_rows, published
from memory.adapters.learning.recipe import (
    IGNORED,
    IMPOSSIBLE,
    OWN,
    ReaderRecipe,
    batches_of,
    chance_of,
    example_length,
    fast_products,
    headed_network,
    tensors,
)
from memory.adapters.readers.answer_reader import KIND, parts_of, passage_of, piece_count, size_of, words_of
from memory.adapters.readers.pieces import Pieces, cut
from memory.core.types import QuestionOnTurns, SaidTurn, Span

WINDOW = 384
QUESTION_ROOM = 40
# Pieces of turns that a question is shown with, drawn anew for every question and epoch.
SHOWN_ROOMS = (90, 150, 250)
ABSENT_ONE_IN = 8
HELD_OUT_ONE_IN = 20
LONGEST_ANSWER = 12
QAMR_SENTENCES = 3
NO_ANSWER = 0
VERDICTS = ("no", "yes")
VERDICT_WEIGHT = 0.5
# On so many of the labelled messages a question is composed in each epoch.
COMPOSED_SHARE = 0.2
FRIENDSQA, QAMR = "friendsqa", "qamr"
ASSISTANT = "assistant"
FRIENDSQA_FILE = "friendsqa_dev.json"
QAMR_QUESTIONS = 10_000


@dataclass(frozen=True)
class LabelledQuestion:
    """A question put to a dialogue; the answer is a range of characters of the turn at the place `turn`, or there is none.

    `verdict` is "yes" or "no" where it asks whether something is so.
    """

    asked: QuestionOnTurns
    turn: int | None
    answer: Span
    source: str
    group: str
    verdict: str = ""

    @property
    def is_own(self) -> bool:
        return self.source == OWN

    @property
    def is_public(self) -> bool:
        return self.source in {FRIENDSQA, QAMR}

    @property
    def is_held_out(self) -> bool:
        return self.is_own and is_drawn(self.group, one_in=HELD_OUT_ONE_IN)

    @property
    def words(self) -> str:
        """Return the words of the answer, empty where there is none."""
        return "" if self.turn is None else self.asked.turns[self.turn].text[self.answer.start : self.answer.end]


@dataclass(frozen=True)
class Example:
    pieces: Pieces
    first: int
    last: int
    verdict: int = IGNORED


def read_questions(folder: Path, *, public: Path | None = None) -> list[LabelledQuestion]:
    """Return the project's questions in the files of a folder and, where there is a folder of public sets, theirs.

    Raises `TrainingRefused` that names a bad line.
    """
    found = [question for path in label_files(folder) for question in read_own(path)]
    if public is not None:
        qamr = partial(read_qamr, limit=QAMR_QUESTIONS, chance=random.Random(0))
        found += published(public, {FRIENDSQA: read_friendsqa, QAMR: qamr})
    return found


def read_own(path: Path) -> Iterator[LabelledQuestion]:
    """Yield the questions of a file in the form of its GUIDE.md, each with the turns of its dialogue.

    What the assistant says stands before the turn that follows it and is not read for answers, as in the product.
    """
    for number, asked in enumerate(labelled_rows(path, _own_dialogue, what="dialogue with questions"), 1):
        for question, turns, turn, answer, verdict in asked:
            group = f"{path.name}:{number}"
            yield labelled_question(question, turns, turn, answer, source=OWN, group=group, verdict=verdict)


def _own_dialogue(row: dict[str, Any]) -> list[tuple[str, tuple[SaidTurn, ...], int | None, str, str]]:
    said = turns_of([(turn["speaker"], turn["text"]) for turn in row["turns"]])
    by_number = {turn["n"]: shown for turn, shown in zip(row["turns"], said, strict=True)}
    return [_own_question(asking, said, by_number) for asking in row["qa"]]


def _own_question(
    asking: dict[str, Any], said: Sequence[SaidTurn], by_number: dict[int, SaidTurn]
) -> tuple[str, tuple[SaidTurn, ...], int | None, str, str]:
    answer = asking.get("a")
    answering = None if answer is None else by_number[asking["n"]]
    if answering is not None and (not answer or answer not in answering.text):
        raise ValueError(f"the answer {answer!r} is not in turn {asking['n']}")
    turns = tuple(turn for turn in said if turn.speaker != ASSISTANT or turn is answering)
    verdict = asking.get("v", "")
    if verdict and (answer is None or verdict not in VERDICTS):
        raise ValueError(f"{verdict!r} is no verdict that words decide")
    return asking["q"], turns, None if answering is None else turns.index(answering), answer or "", verdict


def turns_of(said: Sequence[tuple[str, str]]) -> list[SaidTurn]:
    """Return the turns of a dialogue, given as (speaker, words), each with the one before it."""
    before = [("", ""), *said]
    return [
        SaidTurn(text, speaker, last, last_speaker)
        for (speaker, text), (last_speaker, last) in zip(said, before, strict=False)
    ]


def labelled_question(
    question: str,
    turns: Sequence[SaidTurn],
    turn: int | None,
    answer: str,
    *,
    source: str,
    group: str,
    verdict: str = "",
) -> LabelledQuestion:
    start = 0 if turn is None else turns[turn].text.find(answer)
    asked = QuestionOnTurns(question, tuple(turns))
    return LabelledQuestion(asked, turn, Span(start, start + len(answer)), source, group, verdict)


def read_friendsqa(folder: Path) -> Iterator[LabelledQuestion]:
    """Yield the questions of FriendsQA (Apache-2.0) that a few words of one utterance answer."""
    content = json.loads((folder / FRIENDSQA_FILE).read_text(encoding="utf-8"))
    paragraphs = [paragraph for dialogue in content["data"] for paragraph in dialogue["paragraphs"]]
    for group, paragraph in enumerate(paragraphs):
        yield from _friends_dialogue(paragraph, str(group))


def _friends_dialogue(paragraph: dict[str, Any], group: str) -> Iterator[LabelledQuestion]:
    said = paragraph["utterances:"]
    turns = turns_of([(utterance["speakers"][0].split()[0], utterance["utterance"]) for utterance in said])
    places = {utterance["uid"]: place for place, utterance in enumerate(said)}
    for asking in paragraph["qas"]:
        for answer in asking["answers"][:1]:
            turn, words = places[answer["utterance_id"]], answer["answer_text"]
            is_run = not answer["is_speaker"] and len(words.split()) <= LONGEST_ANSWER
            if is_run and words in turns[turn].text:
                yield labelled_question(asking["question"], turns, turn, words, source=FRIENDSQA, group=group)


def read_qamr(folder: Path, *, limit: int, chance: random.Random) -> Iterator[LabelledQuestion]:
    """Yield at most `limit` questions of QAMR (MIT) on sentences of Wikipedia and Wikinews, each among other sentences."""
    found = list(_qamr_questions(folder))
    chance.shuffle(found)
    texts = list(dict.fromkeys(text for _, text, _ in found))
    for question, text, answer in found[:limit]:
        others = chance.sample(texts, min(chance.randrange(QAMR_SENTENCES), len(texts)))
        shown = [text, *(other for other in others if other != text)]
        chance.shuffle(shown)
        turns = [SaidTurn(sentence) for sentence in shown]
        asked = QuestionOnTurns(question, tuple(turns))
        yield LabelledQuestion(asked, shown.index(text), answer, QAMR, text)


def _qamr_questions(folder: Path) -> Iterator[tuple[str, str, Span]]:
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
                    yield columns[5], " ".join(words), Span(start, end)


def example_of(
    question: LabelledQuestion, tokenizer: Any, *, length: Callable[[str], int], chance: random.Random
) -> Example | None:
    """Return a question and some of its turns as pieces; None where the answer was cut away."""
    chosen = shown_turns(question, length=length, chance=chance)
    passage = passage_of(question.asked.turns, chosen)
    pieces = cut(tokenizer, question.asked.question, passage.text, window=WINDOW, first_room=QUESTION_ROOM)
    answering = [place for place in passage.places if place.turn == question.turn]
    if not answering:
        return Example(pieces, NO_ANSWER, NO_ANSWER)
    start, end = answering[0].begins + question.answer.start, answering[0].begins + question.answer.end
    covered = [word for word in words_of(answering[0], pieces) if word.start < end and word.end > start]
    verdict = VERDICTS.index(question.verdict) if question.verdict else IGNORED
    return Example(pieces, covered[0].first, covered[-1].last, verdict) if covered else None


def shown_turns(question: LabelledQuestion, *, length: Callable[[str], int], chance: random.Random) -> list[int]:
    """Return the places of the turns to show, in their order: the answering one, and others as far as there is room.

    Where the answering one is withheld, so is every other that has the words of the answer.
    """
    turns = question.asked.turns
    is_absent = question.is_own and question.turn is not None and chance.randrange(ABSENT_ONE_IN) == 0
    others = [place for place in range(len(turns)) if place != question.turn]
    if is_absent:
        others = [place for place in others if question.words not in turns[place].text]
    chance.shuffle(others)
    room = chance.choice(SHOWN_ROOMS)
    chosen = [question.turn] if question.turn is not None and not is_absent else []
    for place in others:
        room -= size_of(parts_of(turns[place]), length)
        if room < 0 and chosen:
            break
        chosen.append(place)
    return sorted(chosen)


def none(*, share: float, chance: random.Random) -> Iterator[LabelledQuestion]:
    """Compose no questions."""
    return iter(())


class AnswerRecipe(ReaderRecipe[LabelledQuestion, Example]):
    """Four scores a piece: that the answer begins there, that it ends there, that words from there on say no, or yes."""

    kind, window, first_room = KIND, WINDOW, QUESTION_ROOM
    composed_share = COMPOSED_SHARE

    def __init__(
        self,
        labelled: Sequence[LabelledQuestion],
        *,
        base: Path,
        composed: Callable[..., Iterator[LabelledQuestion]] = none,
    ) -> None:
        super().__init__(labelled, base=base)
        self._composed = composed

    def network(self) -> Any:
        return headed_network(self.base, {"pointers": 2, "verdict": len(VERDICTS)})

    def batches(self, epoch: int, *, seed: int) -> list[list[Example]]:
        """Return the project's questions, composed ones, and a quarter as many public ones as own; at first all of them."""
        chance, length = chance_of(epoch, seed=seed), piece_count(self.tokenizer)
        own = [question for question in self.labelled if not question.is_public]
        public = [question for question in self.labelled if question.is_public]
        asked = own + (public if epoch == 0 else chance.sample(public, min(len(public), len(own) // 4)))
        asked += self._composed(share=COMPOSED_SHARE, chance=chance)
        found = [example_of(question, self.tokenizer, length=length, chance=chance) for question in asked]
        examples = [example for example in found if example is not None]
        return batches_of(examples, size=self.batch, length=example_length, chance=chance)

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        inputs = tensors([example.pieces for example in batch])
        with fast_products():
            hidden = network(**inputs)
            scores, verdicts = network.pointers(hidden), network.verdict(network.drop(hidden))
        scores = scores.float().masked_fill(inputs["attention_mask"][..., None] == 0, IMPOSSIBLE)
        begin = torch.nn.functional.cross_entropy(scores[..., 0], torch.tensor([example.first for example in batch]))
        end = torch.nn.functional.cross_entropy(scores[..., 1], torch.tensor([example.last for example in batch]))
        decided = [place for place, example in enumerate(batch) if example.verdict != IGNORED]
        if not decided:
            return begin + end
        given = verdicts[decided, [batch[place].first for place in decided]].float()
        right = torch.tensor([batch[place].verdict for place in decided])
        return begin + end + VERDICT_WEIGHT * torch.nn.functional.cross_entropy(given, right)
