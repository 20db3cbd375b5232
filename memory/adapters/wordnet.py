"""Reads WordNet 3.0 from its own files (Debian's wordnet-base) without loading them.

The index files are sorted, so a word is found by bisection in a memory map: no start-up time, and no memory kept. Format:
wndb(5WN) and lexnames(5WN) of WordNet's manual.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

from memory.core.errors import ModelNotFound
from memory.core.knowledge_graph.senses.lexicon import Synset

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# Names of the lexicographer files by their number in the data files.
LEXICOGRAPHER_FILES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition "
    "noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person "
    "noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state "
    "noun.substance noun.time verb.body verb.change verb.cognition verb.communication verb.competition "
    "verb.consumption verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession verb.social "
    "verb.stative verb.weather adj.ppl"
).split()
HYPERNYMS = frozenset({"@", "@i"})
PART_OF = "#p"


def wordnet_folder(folders: Sequence[Path]) -> Path | None:
    """Return the first of the folders that holds WordNet's files, or None."""
    return next((folder for folder in folders if all((folder / name).is_file() for name in required_files())), None)


class WordNetFiles:
    """Implements `Lexicon` over a folder with index.*, data.* and *.exc. Raises `ModelNotFound` where one is missing."""

    def __init__(self, folder: Path) -> None:
        missing = [name for name in required_files() if not (folder / name).is_file()]
        if missing:
            raise ModelNotFound(f"{folder} holds no WordNet: {', '.join(missing)} is missing.")
        self._index = {pos: mapped(folder / f"index.{name}") for pos, name in FILES.items()}
        self._data = {pos: mapped(folder / f"data.{name}") for pos, name in FILES.items()}
        self._irregular = {pos: mapped(folder / f"{name}.exc") for pos, name in FILES.items()}

    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        key = "_".join(lemma.lower().split())
        offsets = self._offsets(key, pos)
        if not offsets:
            line = line_of(self._irregular[pos], key)
            offsets = self._offsets(line.split()[1], pos) if line else ()
        return [self.synset(offset, pos) for offset in offsets]

    def synset(self, offset: int, pos: str) -> Synset:
        data = self._data[pos]
        line = data[offset : data.find(b"\n", offset)].decode()
        head, _, gloss = line.partition("|")
        fields = head.split()
        count = int(fields[3], 16)
        lemmas = tuple(fields[4 + 2 * at].partition("(")[0] for at in range(count))
        start = 4 + 2 * count
        # Of four fields each, which begin with a symbol and its target; a city has hundreds.
        pointers = range(start + 1, start + 1 + 4 * int(fields[start]), 4)
        return Synset(
            offset=offset,
            pos=pos,
            lemmas=lemmas,
            number=self._offsets(lemmas[0].lower(), pos).index(offset) + 1,
            supersense=LEXICOGRAPHER_FILES[int(fields[1])],
            gloss=gloss.strip(),
            hypernyms=tuple(int(fields[at + 1]) for at in pointers if fields[at] in HYPERNYMS),
            wholes=tuple(int(fields[at + 1]) for at in pointers if fields[at] == PART_OF),
        )

    def _offsets(self, key: str, pos: str) -> tuple[int, ...]:
        line = line_of(self._index[pos], key)
        if not line:
            return ()
        fields = line.split()
        return tuple(int(offset) for offset in fields[6 + int(fields[3]) :])


def required_files() -> list[str]:
    return [f"{kind}.{name}" for name in FILES.values() for kind in ("index", "data")] + [
        f"{name}.exc" for name in FILES.values()
    ]


def mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def line_of(text: mmap.mmap, key: str) -> str:
    """Return the line of a sorted file that begins with the word `key`, or "".

    Lines of the licence at the top begin with blanks.
    """
    if not key:
        return ""
    wanted = key.encode()
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        start = text.rfind(b"\n", 0, middle) + 1
        end = text.find(b"\n", middle)
        end = len(text) if end < 0 else end
        line = text[start:end]
        first = line.split(b" ", 1)[0]
        if first == wanted:
            return line.decode()
        if first < wanted:
            low = end + 1
        else:
            high = start
    return ""
