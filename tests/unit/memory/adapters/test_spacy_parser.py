"""The parser: what it costs to import, what its tokens index, and how threads share it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import memory
from memory.adapters.parser.spacy_parser import LemmaTable, SpacyParser, import_spacy, lemma_of
from memory.core.errors import ModelNotFound

WEIGHTS = Path(os.environ.get("DSMART_PARSER", Path(memory.__file__).parent / "pretrained" / "parser"))


@pytest.fixture(scope="module")
def parser() -> SpacyParser:
    return SpacyParser(WEIGHTS)


def test_parsing_imports_neither_torch_nor_transformers_and_leaves_them_importable() -> None:
    program = f"""
import sys
from pathlib import Path
from memory.adapters.parser.spacy_parser import SpacyParser
assert "spacy" not in sys.modules, "the import is not free"
found = SpacyParser(Path({str(WEIGHTS)!r})).parse_many(["I live in Paris."])
assert found[0].tokens[1].lemma == "live"
assert "torch" not in sys.modules and "transformers" not in sys.modules
import torch
assert torch.tensor([1]).item() == 1
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_sentence_is_one_tree_whose_tokens_index_it(parser: SpacyParser) -> None:
    text = "I  live in Paris. And I work… 🎉 d’accord"
    parsed = parser.parse_many([text])[0]
    assert all(text[token.start : token.end] == token.text for token in parsed.tokens)
    assert [token.index for token in parsed.tokens if token.head == token.index] == [
        token.index for token in parsed.tokens if token.dep == "root"
    ]
    assert sum(token.dep == "root" for token in parsed.tokens) == 1


def test_lower_case_i_and_clipped_words_are_understood_and_kept_as_written(parser: SpacyParser) -> None:
    tokens = parser.parse_many(["i dont like olives"])[0].tokens
    assert [token.text for token in tokens] == ["i", "do", "nt", "like", "olives"]
    assert tokens[0].dep == "nsubj" and tokens[2].lemma == "not"
    assert tokens[3].dep == "root" and tokens[4].dep == "obj"


def test_empty_batch_and_empty_sentence(parser: SpacyParser) -> None:
    assert parser.parse_many([]) == []
    assert parser.parse_many([""])[0].tokens == ()


def test_threads_share_one_parser(parser: SpacyParser) -> None:
    sentences = [f"I have {number} cats and my sister lives in Oslo." for number in range(40)]
    alone = [parser.parse_many([sentence])[0] for sentence in sentences]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda sentence: parser.parse_many([sentence])[0], sentences))
    assert together == alone


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="train parser"):
        SpacyParser(tmp_path / "none").parse_many(["Hello."])


@pytest.mark.parametrize(
    ("word", "pos", "lemma"),
    [
        ("lives", "VERB", "live"),
        ("cities", "NOUN", "city"),
        ("n't", "PART", "not"),
        ("'m", "AUX", "be"),
        ("Paris", "PROPN", "paris"),
        ("found", "VERB", "find"),
        ("blogged", "VERB", "blog"),
    ],
)
def test_lemma_is_the_base_form(word: str, pos: str, lemma: str) -> None:
    assert lemma_of(word, pos) == lemma


def test_lemmas_are_those_of_the_whole_dictionary() -> None:
    import_spacy()
    from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
    from lemminflect.core.Lemmatizer import Lemmatizer

    path = Lemmatizer().lemma_lu_fn
    table, whole = LemmaTable(path), LemmaLUCodec.load(path)
    chosen = [*list(whole)[::200], "'d", "zyzzyva", "", ","]
    assert [table.get(word, {}) for word in chosen] == [whole.get(word, {}) for word in chosen]
