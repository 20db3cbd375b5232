"""Text files of words: sections, lists by name, and what is no word."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.core.word_files import WordFile

TEXT = """# Of animals.

[pets]
hasDog: dog, guard dog
hasCat: cat
hasNone:

# What says nothing.
[empty]
thing, stuff,
lot of, ice-cream
"""


@pytest.fixture
def words(tmp_path: Path) -> WordFile:
    path = tmp_path / "words.txt"
    path.write_text(TEXT, encoding="utf-8")
    return WordFile(path)


def test_words_of_a_section_are_those_between_commas_and_lines(words: WordFile) -> None:
    assert words.words("empty") == {"thing", "stuff", "lot of", "ice-cream"}


def test_lists_have_the_words_of_each_name_in_order(words: WordFile) -> None:
    assert words.lists("pets") == {"hasDog": ["dog", "guard dog"], "hasCat": ["cat"], "hasNone": []}


def test_names_give_each_word_its_name(words: WordFile) -> None:
    assert list(words.names("pets")) == [("dog", "hasDog"), ("guard dog", "hasDog"), ("cat", "hasCat")]


def test_a_section_that_is_not_there_is_an_error(words: WordFile) -> None:
    with pytest.raises(KeyError, match="verbs"):
        words.lists("verbs")
