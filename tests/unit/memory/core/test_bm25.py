"""The words of a text, and an index of them that stays exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.bm25 import Bm25Index, idf, stem, weight, words


@pytest.mark.parametrize(
    "forms",
    [
        "paint paints painted painting",
        "move moves moved moving",
        "city cities",
        "movie movies",
        "plan plans planned planning",
        "arrive arrives arrived arriving",
        "box boxes boxed boxing",
        "study studies studied studying",
        "church churches",
        "travel travels",
    ],
)
def test_regular_forms_share_a_key(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "others", ["sing s", "thing th", "bus bu", "boss bos", "need ne", "speed spe", "king k", "this thi", "paris pari"]
)
def test_what_only_looks_like_an_ending_stays(others: str) -> None:
    word, cut = others.split()
    assert stem(word) != cut


def test_words_fold_case_accents_and_apostrophes_and_leave_out_what_says_nothing() -> None:
    assert words("Where does ZOË's café-owner live? She doesn’t know!") == words("zoe cafe owner live know")
    assert words("What was the that of") == []
    assert words("Room 101, 3rd floor") == ["room", "101", "3rd", "floor"]
    assert words("東京 Привет") == ["東京", "привет"]


def test_scores_are_those_of_the_formula_worked_by_hand() -> None:
    index = Bm25Index({1: "cat sat mat", 2: "cat cat dog", 3: "dog"})
    average = 7 / 3
    expected = idf(2, 3) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / average))
    assert index.search("cats", limit=1) == [(2, pytest.approx(expected))]
    assert weight(2, 3, average) * idf(2, 3) == pytest.approx(expected)
    assert index.search("cat cat", limit=1)[0][1] == pytest.approx(2 * expected)


def test_what_shares_no_word_is_not_found_and_equals_go_by_id() -> None:
    index = Bm25Index({7: "red boat", 3: "red boat", 5: "green tree"})
    assert [found for found, _ in index.search("boats", limit=5)] == [3, 7]
    assert index.search("airplane", limit=5) == index.search("the", limit=5) == []
    assert Bm25Index().search("boat", limit=5) == []


TEXTS = st.lists(
    st.sampled_from(["boat", "red", "green tree", "", "the", "boats boats", "tree house"]), max_size=4
).map(" ".join)


@given(
    added=st.lists(st.dictionaries(st.integers(0, 15), TEXTS, max_size=6), max_size=5),
    leaving=st.lists(st.integers(0, 15), max_size=12),
    asked=TEXTS,
)
def test_an_index_that_grew_and_shrank_scores_like_one_built_anew(
    added: list[dict[int, str]], leaving: list[int], asked: str
) -> None:
    index, there = Bm25Index(), dict[int, str]()
    for texts in added:
        new = {one: text for one, text in texts.items() if one not in there}
        index.add(new)
        there |= new
    gone = [one for one in set(leaving) if one in there]
    index.remove(gone)
    left = {one: text for one, text in there.items() if one not in gone}
    assert index.search(asked, limit=99) == Bm25Index(left).search(asked, limit=99)
    assert len(index) == len(left)


def test_a_text_is_added_once_and_removed_once() -> None:
    index = Bm25Index({1: "boat"})
    with pytest.raises(ValueError, match="once"):
        index.add({1: "boat", 2: "tree"})
    index.remove([1])
    with pytest.raises(KeyError):
        index.remove([1])
    assert len(index) == 0
