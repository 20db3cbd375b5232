"""The recipe of the reference reader: (what was said before, utterance, the utterance said in full) -> what was meant where.

The two forms of an utterance are compared word by word. Words that gave way to others, and places where some came in, are
references if what came in was said before; other differences teach nothing. GAP gives pronouns with the name that each means.
One dialogue in twelve is held out, chosen by a digest of its id.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from memory.adapters.learning.batching import fast_products, tensors
from memory.adapters.learning.digests import is_drawn
from memory.adapters.learning.label_files import label_files, labelled_rows, published
from memory.adapters.learning.recipe import IGNORED, IMPOSSIBLE, OWN, ReaderRecipe, headed_network, padded_labels
from memory.adapters.readers.pieces import Pieces, Word, cut
from memory.adapters.readers.reference_reader import (
    GAPS,
    GOES_ON,
    KIND,
    LINE,
    LINKS,
    NAMED,
    OWNER,
    STAYS,
    TAGS,
    words_with_end,
)
from memory.core.english.words import word_places
from memory.core.types import Span, UtteranceInDialogue

WINDOW = 320
BEFORE_ROOM = 240
HELD_OUT_ONE_IN = 12
LONGEST = 12
POINTER_WIDTH = 128
ENDS = ("first", "last")
OWN_TIMES = 4
GAP, GECOR, CANARD, CAST = "gap", "gecor", "canard", "trec_cast"
OWNERS = ("'s", "’s")
# Of what came in, at least so many of the words must have been said before.
SAID_SHARE = 0.5
CAST_PASSAGE = 400


@dataclass(frozen=True)
class LabelledReference:
    """A range of characters of an utterance (empty: words were left out), and the range before it that is meant.

    None where what is meant was not said before: nothing is learned of that place.
    """

    span: Span
    meant: Span | None
    is_owner: bool = False
    link: str = ""


@dataclass(frozen=True)
class LabelledUtterance:
    """An utterance with its references. `rewrites` say it in full; without any, only the labelled words are known of."""

    utterance: UtteranceInDialogue
    rewrites: tuple[str, ...]
    references: tuple[LabelledReference, ...]
    source: str
    group: str

    @property
    def is_held_out(self) -> bool:
        return self.source != GAP and is_drawn(f"{self.source}:{self.group}", one_in=HELD_OUT_ONE_IN)


@dataclass(frozen=True)
class Example:
    """Pieces with a tag and a gap for each piece, and for each reference its piece and the first and last piece it means."""

    pieces: Pieces
    tags: tuple[int, ...]
    gaps: tuple[int, ...]
    pointers: tuple[tuple[int, int, int], ...]


def read_references(folder: Path, *, public: Path | None = None) -> list[LabelledUtterance]:
    """Return the project's utterances in the files of a folder and, where there is a folder of public sets, theirs.

    Raises `TrainingRefused` that names a bad line or set.
    """
    found = [one for path in label_files(folder) for one in read_own(path)]
    if public is not None:
        sets = {GAP: read_gap, GECOR: read_gecor, "canard_dev": read_canard, CAST: read_cast}
        found += published(public, sets)
    return found


def read_own(path: Path) -> Iterator[LabelledUtterance]:
    """Yield the utterances of a file of `{"history": [...], "utterance": "...", "rewrites": ["..."]}` lines."""
    for number, row in enumerate(labelled_rows(path, _own_row, what="utterance with its rewrites"), 1):
        yield labelled(*row, source=OWN, group=f"{path.name}:{number}")


def _own_row(row: dict[str, Any]) -> tuple[list[str], str, list[str]]:
    if not row["rewrites"]:
        raise ValueError("it has no rewrite")
    return [str(one) for one in row["history"]], str(row["utterance"]), [str(one) for one in row["rewrites"]]


def read_gecor(folder: Path) -> Iterator[LabelledUtterance]:
    """Yield the users' turns of GECOR (CC BY 4.0), as they were said and with words left out or replaced by pronouns."""
    for number, dialogue in enumerate(json.loads((folder / "CamRest676_annotated.json").read_text(encoding="utf-8"))):
        before: list[str] = []
        for turn in dialogue["dial"]:
            user = turn["usr"]
            whole = user["transcript_complete"] or user["transcript"]
            forms = dict.fromkeys(
                user[form] for form in ("transcript", "transcript_with_ellipsis", "transcript_with_coreference")
            )
            for said in forms:
                if said and said != "N/A":
                    yield labelled(before, said, [whole], source=GECOR, group=str(number))
            before += [whole, turn["sys"]["sent"]]


def read_canard(folder: Path) -> Iterator[LabelledUtterance]:
    """Yield the questions of CANARD (CC BY-SA 4.0), each with the questions and answers before it."""
    for row in json.loads((folder / "dev.json").read_text(encoding="utf-8")):
        yield labelled(row["History"], row["Question"], [row["Rewrite"]], source=CANARD, group=row["QuAC_dialog_id"])


def read_cast(folder: Path) -> Iterator[LabelledUtterance]:
    """Yield the questions of TREC CAsT 2020 to 2022 (MIT), each with what was asked and answered before it."""
    for name, said, answered in (
        ("2020/2020_manual_evaluation_topics_v1.0.json", "raw_utterance", "passage"),
        ("2021/2021_manual_evaluation_topics_v1.0.json", "raw_utterance", "passage"),
        ("2022/2022_evaluation_topics_flattened_duplicated_v1.0.json", "utterance", "response"),
    ):
        for topic in json.loads((folder / name).read_text(encoding="utf-8")):
            before: list[str] = []
            for turn in topic["turn"]:
                rewrite = turn.get("manual_rewritten_utterance")
                if rewrite:
                    yield labelled(before, turn[said], [rewrite], source=CAST, group=f"{name[:4]}:{topic['number']}")
                before.append(turn[said])
                if turn.get(answered):
                    before.append(turn[answered][:CAST_PASSAGE])


def read_gap(folder: Path) -> Iterator[LabelledUtterance]:
    """Yield the pronouns of GAP (Apache-2.0) that mean one of the two names, which stands in a sentence before."""
    for name in ("gap-development.tsv", "gap-test.tsv", "gap-validation.tsv"):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                for which in ("A", "B"):
                    if row[f"{which}-coref"] == "TRUE":
                        yield from _gap_pronoun(row, which)


def _gap_pronoun(row: dict[str, str], which: str) -> Iterator[LabelledUtterance]:
    text, at, name_at = row["Text"], int(row["Pronoun-offset"]), int(row[f"{which}-offset"])
    begins = text.rfind(". ", 0, at) + 2
    if begins < 2 or name_at + len(row[which]) > begins:
        return
    before, said = text[: begins - 1], text[begins:]
    span = Span(at - begins, at - begins + len(row["Pronoun"]))
    is_owner = (
        row["Pronoun"].lower() in ("his", "her") and text[span.end + begins : span.end + begins + 2].strip().isalpha()
    )
    reference = LabelledReference(span, Span(name_at, name_at + len(row[which])), is_owner)
    yield LabelledUtterance(UtteranceInDialogue(said, (before,)), (), (reference,), GAP, row["ID"])


def labelled(
    before: Sequence[str], said: str, rewrites: Sequence[str], *, source: str, group: str
) -> LabelledUtterance:
    utterance = UtteranceInDialogue(said, tuple(before))
    return LabelledUtterance(utterance, tuple(rewrites), tuple(references_of(utterance, rewrites[0])), source, group)


def references_of(utterance: UtteranceInDialogue, rewrite: str) -> Iterator[LabelledReference]:
    """Yield what came in, in the full form of an utterance, that was said before, each with the words that it came for."""
    before = LINE.join(utterance.before)
    said, full, earlier = (words_in(text) for text in (utterance.text, rewrite, before))
    folded = [[word for word, _ in words] for words in (said, full, earlier)]
    for change, first, last, came, until in SequenceMatcher(None, folded[0], folded[1], autojunk=False).get_opcodes():
        if change not in ("insert", "replace") or not any(word.isalnum() for word in folded[1][came:until]):
            continue
        coming = folded[1][came:until]
        is_owner = change == "replace" and coming[-1] in OWNERS
        coming = [word for word in coming if word not in OWNERS]
        begins = said[first][1].start if first < len(said) else len(utterance.text)
        ends = said[last - 1][1].end if change == "replace" else begins
        found = said_before(folded[2], coming)
        if found is None:
            yield LabelledReference(Span(begins, ends), None)
            continue
        start, end, at = found
        link = coming[at - 1] if change == "insert" and at and coming[at - 1] in LINKS else ""
        yield LabelledReference(
            Span(begins, ends), Span(earlier[start][1].start, earlier[end - 1][1].end), is_owner, link
        )


def words_in(text: str) -> list[tuple[str, Span]]:
    return [(text[start:end].casefold(), Span(start, end)) for start, end in word_places(text)]


def said_before(earlier: Sequence[str], coming: Sequence[str]) -> tuple[int, int, int] | None:
    """Return where the weightiest run of words that came in was last said, and where it begins in what came in.

    A word weighs its letters, from three on. None where no run weighs enough of all that came in. The end is exclusive.
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(earlier):
        places.setdefault(word, []).append(place)
    best, weight = None, SAID_SHARE * weight_of(coming)
    for at, word in enumerate(coming):
        if word in LINKS or not word[:1].isalnum():
            continue
        for place in reversed(places.get(word, ())):
            length = 0
            while at + length < len(coming) and coming[at + length : at + length + 1] == earlier[place + length :][:1]:
                length += 1
            while not coming[at + length - 1][:1].isalnum():
                length -= 1
            run = weight_of(coming[at : at + length])
            if run > weight and length <= LONGEST:
                best, weight = (place, place + length, at), run
    return best


def weight_of(words: Sequence[str]) -> int:
    return sum(len(word) for word in words if len(word) > 2)


def example_of(one: LabelledUtterance, tokenizer: Any) -> Example:
    """Return an utterance as pieces with its labels. Of one without rewrites only the labelled words have tags."""
    pieces = cut(tokenizer, LINE.join(one.utterance.before), one.utterance.text, window=WINDOW, first_room=BEFORE_ROOM)
    words = words_with_end(pieces, one.utterance.text)
    tags, gaps = [IGNORED] * len(pieces.ids), [IGNORED] * len(pieces.ids)
    if one.rewrites:
        for word in words:
            gaps[word.first] = 0
            tags[word.first] = STAYS if word.end > word.start else IGNORED
    pointers = []
    for reference in one.references:
        covered = _covered(words, reference.span)
        meant = _covered([word for word in pieces.words if word.text == 0], reference.meant) if reference.meant else []
        if not covered:
            continue
        if reference.span.start == reference.span.end:
            gaps[covered[0].first] = 1 + LINKS.index(reference.link) if meant else IGNORED
        else:
            for place, word in enumerate(covered):
                tag = GOES_ON if place else OWNER if reference.is_owner else NAMED
                tags[word.first] = tag if meant else IGNORED
        if meant:
            pointers.append((covered[0].first, meant[0].first, meant[-1].last))
    return Example(pieces, tuple(tags), tuple(gaps), tuple(pointers))


def _covered(words: Sequence[Word], span: Span) -> list[Word]:
    if span.start == span.end:
        return [word for word in words if word.start >= span.start][:1]
    return [word for word in words if word.start < span.end and word.end > span.start]


class ReferenceRecipe(ReaderRecipe[LabelledUtterance, Example]):
    """The tags of words, the gaps before them, and two pointers. The project's own utterances come several times an epoch."""

    kind, window, first_room = KIND, WINDOW, BEFORE_ROOM

    def __init__(self, labelled: Sequence[LabelledUtterance], *, base: Path) -> None:
        super().__init__(labelled, base=base)
        self.examples = [
            example_of(one, self.tokenizer) for one in labelled for _ in range(OWN_TIMES if one.source == OWN else 1)
        ]

    def network(self) -> Any:
        pointers = [f"{end}_{what}" for what in ("mention", "words") for end in ENDS]
        return headed_network(self.base, {"tags": TAGS, "gaps": GAPS, **dict.fromkeys(pointers, POINTER_WIDTH)})

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        losses = torch.nn.functional
        inputs = tensors([example.pieces for example in batch])
        with fast_products():
            hidden = network.drop(network(**inputs))
        hidden = hidden.float()
        loss = hidden.new_zeros(())
        for head, labels in (
            (network.tags, [example.tags for example in batch]),
            (network.gaps, [example.gaps for example in batch]),
        ):
            wanted = padded_labels(labels, hidden.shape[:2])
            if (wanted != IGNORED).any():
                loss = loss + losses.cross_entropy(head(hidden).flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)
        points = [(row, *pointer) for row, example in enumerate(batch) for pointer in example.pointers]
        if points:
            rows, mentions, *meant = torch.tensor(points).T
            outside = (inputs["attention_mask"] * (1 - inputs["token_type_ids"]) == 0)[rows]
            for end, wanted in zip(ENDS, meant, strict=True):
                asking = getattr(network, f"{end}_mention")(hidden[rows, mentions])
                scores = torch.einsum("mw,mpw->mp", asking, getattr(network, f"{end}_words")(hidden)[rows])
                loss = loss + losses.cross_entropy(scores.masked_fill(outside, IMPOSSIBLE), wanted) / 2
        return loss
