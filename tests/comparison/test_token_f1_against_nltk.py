"""Our stems against NLTK's, and our scores against LoCoMo's formulas over NLTK's stems."""

from __future__ import annotations

import random
import re
import string
from collections import Counter
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.porter import stem
from evaluation.core.token_f1 import answer_f1, is_exact, token_f1

nltk_stem = pytest.importorskip("nltk.stem")
THEIRS = nltk_stem.PorterStemmer()
ROOT = Path(__file__).resolve().parents[2]
ENDINGS = """
    ies ied eed ed ing y ly logi alli fulli bli ational ization iveness ement ment ion sion tion s ss sses ll e able er ous
    """.split()


def words_of_the_project() -> set[str]:
    files = [*ROOT.glob("memory/training/messages/*.jsonl"), *ROOT.glob("docs/*.md")]
    return {word for file in files for word in re.findall(r"[^\W_]+", file.read_text(encoding="utf-8").lower())}


def test_stems_of_real_words_are_nltks() -> None:
    words = words_of_the_project()
    assert len(words) > 5_000
    assert {word: stem(word) for word in words} == {word: THEIRS.stem(word) for word in words}


def test_stems_of_irregular_words_are_nltks() -> None:
    words = "sky skies dying lying tying news inning innings outing outings canning cannings howe".split()
    words += "proceed exceed succeed".split()
    assert [stem(word) for word in words] == [THEIRS.stem(word) for word in words]


def test_stems_of_made_up_words_are_nltks() -> None:
    draw = random.Random(7)
    beginnings = ["".join(draw.choices("aeioubtlsyzwxnr", k=length)) for length in range(6) for _ in range(40)]
    words = {begin + first + last for begin, first, last in product(beginnings, ENDINGS, ["", *ENDINGS])}
    assert {word: stem(word) for word in words} == {word: THEIRS.stem(word) for word in words}


def their_words(text: str) -> list[str]:
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return [word for word in bare.split() if word not in ("a", "an", "the", "and")]


def their_f1(reply: str, answer: str) -> float:
    """Return F1 by precision and recall of stems."""
    said, wanted = ([THEIRS.stem(word) for word in their_words(text)] for text in (reply, answer))
    shared = sum((Counter(said) & Counter(wanted)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(said), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


TEXTS = st.lists(
    st.sampled_from(
        "The a and an Paris, pictures painted painting; 7 May 2023 dogs dog's she hiked hikes , x! any".split()
    )
).map(" ".join)


@given(TEXTS, TEXTS)
def test_token_f1_is_that_of_precision_and_recall(reply: str, answer: str) -> None:
    assert token_f1(reply, answer) == pytest.approx(their_f1(reply, answer))
    assert answer_f1(reply, answer, category="temporal") == pytest.approx(their_f1(reply, answer))
    assert answer_f1(reply, answer, category="open-domain") == pytest.approx(their_f1(reply, answer.split(";")[0]))
    parts = [max(their_f1(said, wanted) for said in reply.split(",")) for wanted in answer.split(",")]
    assert answer_f1(reply, answer, category="multi-hop") == pytest.approx(fmean(parts))
    assert is_exact(reply, answer, category="temporal") == (set(their_words(reply)) == set(their_words(answer)))
