"""A small WordNet of our own in the real files' format, with offsets computed."""

from __future__ import annotations

from pathlib import Path

from memory.adapters.wordnet import FILES, LEXICOGRAPHER_FILES

LICENCE = "  1 This line stands for the licence, which begins with blanks and so sorts first.  \n"
# (part of speech, lexicographer file, lemmas, gloss, name of the hypernym's first lemma or nothing)
SYNSETS = (
    ("n", "noun.Tops", ("entity",), "that which exists", ""),
    ("n", "noun.object", ("slope",), "ground that rises or falls", "entity"),
    ("n", "noun.object", ("bank", "riverbank"), "sloping land beside a body of water such as a river", "slope"),
    ("n", "noun.group", ("institution",), "a body of people with a common purpose", "entity"),
    ("n", "noun.group", ("bank", "lender"), 'where money is kept; "she opened an account"', "institution"),
    ("n", "noun.animal", ("mouse",), "a small animal with a long tail that eats cheese", "entity"),
    ("n", "noun.artifact", ("mouse", "computer_mouse"), "a device that moves the pointer of a computer", "entity"),
    ("n", "noun.location", ("Oslo", "capital_of_Norway"), "a city in Norway", "entity"),
    ("n", "noun.person", ("Oslo",), "a made-up man", "entity"),
    ("n", "noun.artifact", ("bicycle",), "a vehicle with two wheels", "entity"),
    ("v", "verb.motion", ("run",), "move fast on foot", ""),
    ("a", "adj.all", ("red",), "of the colour of blood", ""),
    ("r", "adv.all", ("soon",), "in a short time", ""),
)
IRREGULAR = {"n": "geese goose\nmice mouse\n"}


def small_wordnet(folder: Path) -> Path:
    """Write the files and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for pos, name in FILES.items():
        mine = [synset for synset in SYNSETS if synset[0] == pos]
        lines: list[str] = []
        places: dict[str, int] = {}
        senses: dict[str, list[int]] = {}
        end = len(LICENCE)
        for _, file, lemmas, gloss, above in mine:
            words = " ".join(f"{lemma} 0" for lemma in lemmas)
            pointers = f"001 @ {places[above]:08d} {pos} 0000" if above else "000"
            number = LEXICOGRAPHER_FILES.index(file)
            line = f"{end:08d} {number:02d} {pos} {len(lemmas):02x} {words} {pointers} | {gloss}  \n"
            places.setdefault(lemmas[0], end)
            for lemma in lemmas:
                senses.setdefault(lemma.lower(), []).append(end)
            end += len(line)
            lines.append(line)
        (folder / f"data.{name}").write_text(LICENCE + "".join(lines))
        index = [
            f"{lemma} {pos} {len(found)} 1 @ {len(found)} 0 {' '.join(f'{offset:08d}' for offset in found)}  \n"
            for lemma, found in sorted(senses.items())
        ]
        (folder / f"index.{name}").write_text(LICENCE + "".join(index))
        (folder / f"{name}.exc").write_text(IRREGULAR.get(pos, "aaa aab\n"))
    return folder
