"""Items from the files of benchmarks: FineDialFact with people's labels, triples of OpenDialKG, and rewritten utterances."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation.benchmarks.finedialfact import SPEAKER, LabelledFact, read_labelled_facts
from evaluation.benchmarks.opendialkg import read_grounded_turns
from evaluation.benchmarks.reformulations import read_reformulations
from evaluation.core.annotation.drafts import GivenLabel, GivenSettlement, ItemDraft, ItemRecord, drawn
from evaluation.core.naming import KEY_LIMIT, fitted

LATEST = 50
TURN_BY_TURN = ("User", "Assistant")
OF_FILE = "The label of the file."


def labelled_facts(path: Path, labelled_by: str) -> Iterator[ItemRecord]:
    """Yield the facts of a file in FineDialFact's form, with the labels of those whom it names, else of `labelled_by`.

    The label of the record settles what those whom it names disagree about.
    """
    taken: Counter[str] = Counter()
    for number, one in enumerate(read_labelled_facts(path), start=1):
        key = f"{one.dialogue_id}/{one.fact}"
        taken[key] += 1
        draft = ItemDraft(
            key=key_of(key, taken[key]),
            content={
                "fact": one.fact,
                "dialogue": [{"speaker": turn.speaker, "text": turn.text} for turn in one.dialogue],
                "evidence": [{"title": passage.title, "text": passage.text} for passage in one.evidence],
            },
            dataset=fitted(path.stem, 120),
            cluster=fitted(one.dialogue_id, KEY_LIMIT),
            source={"speaker": SPEAKER, "file": path.name, "record": number},
        )
        yield ItemRecord(
            draft,
            labels=labels_of(one, labelled_by),
            settlements=settled_of(one, labelled_by),
            where=f"record {number}",
        )


def labels_of(one: LabelledFact, labelled_by: str) -> tuple[GivenLabel, ...]:
    people = one.people or ((labelled_by, one.status),)
    return tuple(GivenLabel(name, {"verdict": status.value}) for name, status in people)


def settled_of(one: LabelledFact, labelled_by: str) -> tuple[GivenSettlement, ...]:
    if all(status is one.status for _, status in one.people):
        return ()
    return (GivenSettlement(labelled_by, {"verdict": one.status.value}, OF_FILE),)


def triples(path: Path, labelled_by: str) -> Iterator[ItemRecord]:
    """Yield the triples that replies of OpenDialKG were written from, and for each one of another dialogue nearby."""
    latest: deque[str] = deque(maxlen=LATEST)
    for turn in read_grounded_turns(path):
        given = list(dict.fromkeys(triple.text for triple in turn.gold))
        others = sorted((one for one in latest if one not in given), key=lambda one: drawn(turn.line, one))[
            : len(given)
        ]
        for text, stratum in [*((one, "given") for one in given), *((one, "other") for one in others)]:
            yield ItemRecord(
                ItemDraft(
                    key=key_of(f"{turn.line}/{text}", 1),
                    content={"triple": text, "dialogue": in_turns(turn.dialogue)},
                    dataset=fitted(path.stem, 120),
                    stratum=stratum,
                    cluster=str(turn.line),
                    source={"file": path.name, "record": turn.line},
                ),
                where=f"row {turn.line}",
            )
        latest.extend(one for one in given if one not in latest)


def rewrites(path: Path, labelled_by: str) -> Iterator[ItemRecord]:
    """Yield the forms of the utterances of a file, each an item of its own."""
    for number, case in enumerate(read_reformulations(path), start=1):
        for place, rewrite in enumerate(dict.fromkeys(case.rewrites), start=1):
            yield ItemRecord(
                ItemDraft(
                    key=f"{number}/{place}",
                    content={
                        "rewrite": rewrite,
                        "utterance": case.said.text,
                        "dialogue": in_turns([*case.said.before, case.said.text]),
                    },
                    dataset=fitted(path.stem, 120),
                    cluster=str(number),
                    source={"file": path.name, "record": number},
                ),
                where=f"record {number}",
            )


def in_turns(utterances: Sequence[str]) -> list[dict[str, Any]]:
    """Return utterances of two who take turns, the last of which is the user's."""
    last = len(utterances) - 1
    return [{"speaker": TURN_BY_TURN[(last - place) % 2], "text": text} for place, text in enumerate(utterances)]


def key_of(text: str, occurrence: int) -> str:
    """Return a key of the words, which differs where the same words stand in a file again."""
    if occurrence == 1:
        return fitted(text, KEY_LIMIT)
    return fitted(f"{hashlib.sha256(text.encode()).hexdigest()[:16]}/{occurrence}/{text}", KEY_LIMIT)
