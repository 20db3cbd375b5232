"""Reading WordNet's files: a small one of our own, and the real one where the machine has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.adapters.wordnet import WordNetFiles, wordnet_folder
from memory.core.errors import ModelNotFound
from tests.fakes.wordnet import SYNSETS, small_wordnet

SYSTEM = Path("/usr/share/wordnet")


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNetFiles:
    return WordNetFiles(small_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.mark.parametrize(("pos", "lemma"), [(synset[0], lemma) for synset in SYNSETS for lemma in synset[2]])
def test_every_word_is_found_with_its_senses_in_order(wordnet: WordNetFiles, pos: str, lemma: str) -> None:
    expected = [gloss for kind, _, lemmas, gloss, _ in SYNSETS if kind == pos and lemma in lemmas]
    assert [synset.gloss for synset in wordnet.synsets(lemma, pos)] == expected


def test_synset_is_read_whole(wordnet: WordNetFiles) -> None:
    money = wordnet.synsets("bank", "n")[1]
    assert (money.lemmas, money.supersense, money.number, money.pos) == (("bank", "lender"), "noun.group", 2, "n")
    [above] = [wordnet.synset(offset, "n") for offset in money.hypernyms]
    assert above.lemmas == ("institution",)


def test_irregular_forms_and_phrases_are_found(wordnet: WordNetFiles) -> None:
    assert len(wordnet.synsets("mice", "n")) == 2
    assert [synset.number for synset in wordnet.synsets("Computer  Mouse", "n")] == [2]


@pytest.mark.parametrize("word", ["zebra", "", "geese", "aardvark", "\n", "a b c", "ʒ", "zzz"])
def test_word_that_is_not_there_has_no_senses(wordnet: WordNetFiles, word: str) -> None:
    assert wordnet.synsets(word, "n") == []


def test_folder_without_wordnet_is_refused_by_name(tmp_path: Path) -> None:
    (small_wordnet(tmp_path / "broken") / "data.verb").unlink()
    with pytest.raises(ModelNotFound, match=r"data\.verb"):
        WordNetFiles(tmp_path / "broken")
    whole = small_wordnet(tmp_path / "whole")
    assert wordnet_folder([tmp_path / "none", tmp_path / "broken", whole]) == whole
    assert wordnet_folder([tmp_path / "broken"]) is None


@pytest.mark.skipif(not SYSTEM.is_dir(), reason="this machine has no WordNet (package wordnet-base)")
def test_real_wordnet_gives_the_senses_of_bank() -> None:
    senses = WordNetFiles(SYSTEM).synsets("bank", "n")
    assert len(senses) == 10
    assert senses[0].gloss.startswith("sloping land")
    assert (senses[1].lemmas[0], senses[1].number) == ("depository_financial_institution", 1)
    assert (senses[2].lemmas[0], senses[2].number) == ("bank", 3)
