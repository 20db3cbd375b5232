"""The dependency parser behind the built-in engine: a spaCy pipeline, loaded at the first sentence."""

from __future__ import annotations

import gzip
import importlib
import sys
import threading
import unicodedata
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from memory.adapters.precedence import BETWEEN_CALLS_S, precedence
from memory.core.errors import ModelNotFound
from memory.core.types import ParsedSentence, Token

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_BATCH = 128
# Some 12 MB. Insights are drawn from the same facts again and again.
_KEPT = 1024
_OPEN_CLASSES = {"NOUN": "NOUN", "VERB": "VERB", "AUX": "VERB", "ADJ": "ADJ", "ADV": "ADV"}


class SpacyParser:
    """Implements `SyntacticParser` over the pipeline saved at `path`. Safe to share between threads.

    Raises `ModelNotFound` at the first use where there is no pipeline.
    """

    def __init__(self, path: Path) -> None:
        self._path = Path(path)
        self._lock = threading.Lock()
        self._pipeline: Language | None = None
        # The statement and the facts of a round rest on the same parses, and the next round reads the last once more.
        self._recent: OrderedDict[str, ParsedSentence] = OrderedDict()

    def parse_many(self, sentences: Sequence[str]) -> list[ParsedSentence]:
        precedence.give_way(within_s=BETWEEN_CALLS_S)
        # A pipeline shares its vocabulary and its buffers between calls, so that one thread parses at a time.
        with self._lock:
            known = {sentence: self._recent[sentence] for sentence in sentences if sentence in self._recent}
            unknown = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
            known.update(zip(unknown, self._parse(unknown), strict=True))
            self._recent.update(known)
            while len(self._recent) > _KEPT:
                self._recent.popitem(last=False)
            return [known[sentence] for sentence in sentences]

    def _parse(self, sentences: Sequence[str]) -> list[ParsedSentence]:
        if not sentences:
            return []
        nlp = self._loaded()
        originals = [nlp.make_doc(sentence) for sentence in sentences]
        docs = nlp.pipe((_normalised(nlp, original) for original in originals), batch_size=_BATCH)
        return [_parsed(*three) for three in zip(sentences, originals, docs, strict=True)]

    def _loaded(self) -> Language:
        if self._pipeline is None:
            if not (self._path / "config.cfg").is_file():
                raise ModelNotFound(
                    f"No parser at {str(self._path)!r}. Train one with `manage.py train parser`, "
                    "or point DSMART_PARSER at a spaCy pipeline."
                )
            self._pipeline = pipeline_load(self._path)
        return self._pipeline


def pipeline_load(path: Path) -> Language:
    """Return a saved pipeline. One that was saved without its tokenizer has that of its language, made once, not twice."""
    return import_spacy().load(path, exclude=() if (path / "tokenizer").is_file() else ("tokenizer",))


def import_spacy() -> ModuleType:
    """Return the spaCy module, imported without PyTorch and without spaCy's command line.

    spaCy's thinc imports torch wherever it is installed (hundreds of megabytes, seconds), and spaCy the terminals and
    downloads of its commands (half a second); this pipeline never uses them.
    """
    if "thinc.compat" not in sys.modules and "torch" not in sys.modules:
        with _torch_hidden_from_this_thread():
            importlib.import_module("thinc.compat")
    if "spacy" not in sys.modules:
        command = sys.modules["spacy.cli.info"] = ModuleType("spacy.cli.info")
        vars(command)["info"] = None
    return importlib.import_module("spacy")


class _HidingFinder(MetaPathFinder):
    """Hides torch from imports of one thread; other threads import as usual."""

    def __init__(self, thread: int) -> None:
        self._thread = thread

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name == "torch" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("torch is hidden while thinc is imported", name=name)
        return None


@contextmanager
def _torch_hidden_from_this_thread() -> Iterator[None]:
    finder = _HidingFinder(threading.get_ident())
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


# What people type for what the treebank has; "I" in lower case is the commonest word of a chat.
_NORMAL_FORMS = {
    "i": "I",
    "nt": "n't",
    "m": "'m",
    "ve": "'ve",
    "re": "'re",
    "’s": "'s",
    "’m": "'m",
    "’re": "'re",
    "’ve": "'ve",
    "’ll": "'ll",
    "’d": "'d",
    "n’t": "n't",
}


def _normalised(nlp: Language, original: Doc) -> Doc:
    """Return a sentence's words in the parser's spelling, word by word, as a single sentence."""
    from spacy.tokens import Doc

    words = [_normal_form(token.text) for token in original]
    doc = Doc(nlp.vocab, words=words, spaces=[bool(token.whitespace_) for token in original])
    for token in doc:
        token.is_sent_start = token.i == 0
    return doc


def _normal_form(word: str) -> str:
    # A picture at the end of a sentence would become its root; the treebank hardly has any.
    is_picture = all(unicodedata.category(character) in ("So", "Sk", "Mn", "Cf") for character in word)
    return "." if is_picture else _NORMAL_FORMS.get(word, word)


def _parsed(sentence: str, original: Doc, doc: Doc) -> ParsedSentence:
    pairs = zip(original, doc, strict=True)
    return ParsedSentence(text=sentence, tokens=tuple(_token(as_written, token) for as_written, token in pairs))


def _token(as_written: Any, token: Any) -> Token:
    return Token(
        index=token.i,
        text=as_written.text,
        lemma=lemma_of(token.text, token.pos_),
        pos=token.pos_,
        tag=token.tag_,
        dep=token.dep_ if token.head.i != token.i else "root",
        head=token.head.i,
        start=as_written.idx,
        end=as_written.idx + len(as_written.text),
        morph=frozenset(str(token.morph).split("|")) - {""},
    )


# Lemmas of clipped words that the tokenizer splits off.
_CLITICS = {
    "'s": "be",
    "'m": "be",
    "'re": "be",
    "'ve": "have",
    "'ll": "will",
    "ll": "will",
    "'d": "would",
    "n't": "not",
    "ca": "can",
    "wo": "will",
}


class LemmaTable:
    """Looks words up in the lines of lemminflect's table, in place of its dictionary, which takes half a second to fill."""

    def __init__(self, path: str) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as table:
            self._lines = sorted(table.read().splitlines())

    def get(self, word: str, default: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        from lemminflect.core.LexicalUtils import categoryToUPos

        found = {}
        for line in islice(self._lines, bisect_left(self._lines, f"{word},"), None):
            known, category, lemmas = line.split(",")
            if known != word:
                break
            found[categoryToUPos(category)] = tuple(lemmas.split("/"))
        return found or default


@cache
def _lemmatizer() -> Any:
    import_spacy()
    from lemminflect.core.Lemmatizer import Lemmatizer

    lemmatizer = Lemmatizer()
    lemmatizer.lemma_dict = LemmaTable(lemmatizer.lemma_lu_fn)
    return lemmatizer


@lru_cache(maxsize=50_000)
def lemma_of(word: str, pos: str) -> str:
    """Return the lower-case lemma of a word of a universal part of speech; the word itself where none is known."""
    lower = word.lower()
    if lower in _CLITICS and pos in ("AUX", "VERB", "PART"):
        return _CLITICS[lower]
    if pos not in _OPEN_CLASSES:
        return lower
    found = _lemmatizer().getLemma(lower, upos=_OPEN_CLASSES[pos])
    return found[0] if found else lower
