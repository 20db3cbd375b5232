"""`bench knowledge`: what a knowledge base costs to bring in, to look into at each turn, and to remove.

The triples are made up: names of two or three words of syllables, every third object one of a few hundred things that very
many triples have. `import` is from the file to the ready base, `triples_per_s`. `link` is the triples of all that a dialogue
of seven turns names, with two names a turn of which one in four is misspelt, cut at `LIMIT`: what a reply waits for.
`p95_ratio` is its 95th percentile over that at the smallest size.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import percentile
from evaluation.core.report import Row
from evaluation.performance.costs import ActionCosts, BenchOption, sizes
from evaluation.services.spaces import temporary_space
from memory.services.knowledge import KnowledgeFile, knowledge_import, knowledge_remove
from memory.services.knowledge.importing import path_opened
from memory.stores import SpaceKnowledge

HELP = "bringing a knowledge base in and finding what a dialogue names in it"
OPTIONS: tuple[BenchOption, ...] = (
    sizes("triples", (100_000, 1_000_000), what="the base has"),
    BenchOption("dialogues", int, 300, "how many dialogues are measured (default: 300)"),
)
LIMIT = 1_000
WARM_UP = 10
TURNS, NAMES_A_TURN, MISSPELT_EVERY = 7, 2, 4
TRIPLES_AN_ENTITY = 2
HUBS, HUB_EVERY = 300, 3
RELATIONS = ("written by", "starred actors", "has genre", "directed by", "born in", "member of")
SYLLABLES = "ka lo mi ren tas ber go val ster nin do pra sel tor wy che lan mor fi dun ash bry cor del".split()
SAYINGS = ("Have you heard of {} or of {}?", "I liked {} much more than {}, to be honest.", "Was {} before {} then?")


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the cost of an import, of a look into it and of its removal at each size."""
    rows: list[Row] = []
    first: float | None = None
    for triples in sorted(options["triples"]):
        links, measured = measure_at(triples, options)
        p95 = percentile(links.measured, 95)
        first = first or p95
        group = str(triples)
        rows += [*measured, *links.rows(group), Row("link", "p95_ratio", p95 / first, unit="times", group=group)]
    return rows


def measure_at(triples: int, options: Mapping[str, Any]) -> tuple[ActionCosts, list[Row]]:
    chooser, group = random.Random(triples), str(triples)
    names = made_up_names(max(triples // TRIPLES_AN_ENTITY, HUBS + 1), chooser)
    links, found = ActionCosts("link", WARM_UP), 0
    with tempfile.TemporaryDirectory() as folder, temporary_space(title="bench knowledge") as space:
        path = Path(folder) / "triples.tsv"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(made_up_lines(triples, names, chooser))
        given = KnowledgeFile(path.name, path.stat().st_size, path_opened(path))
        with progress_bar(100, title=f"importing {triples}", unit="%", hidden=options["quiet"]) as bar:
            began = time.perf_counter()
            base, _ = knowledge_import(
                space=space, file=given, name="made up", on_progress=lambda share: bar.update(int(share * 100) - bar.n)
            )
            imported_s = time.perf_counter() - began
        knowledge, wanted = SpaceKnowledge(space.pk), WARM_UP + options["dialogues"]
        with progress_bar(wanted, title=f"looking into {triples}", unit="dialogues", hidden=options["quiet"]) as bar:
            for _ in range(wanted):
                dialogue = made_up_dialogue(names, chooser)
                with links.one():
                    found += len(knowledge.candidates(dialogue, limit=LIMIT))
                bar.update(1)
        began = time.perf_counter()
        knowledge_remove(base=base)
        removed_s = time.perf_counter() - began
    return links, [
        Row("import", "triples_per_s", base.triples / imported_s, unit="triples/s", n=base.triples, group=group),
        Row("import", "entities", base.entities, unit="entities", group=group),
        Row("link", "candidates", found / wanted, unit="triples", n=wanted, group=group),
        Row("remove", "seconds", removed_s, unit="s", n=base.triples, group=group),
    ]


def made_up_names(count: int, chooser: random.Random) -> list[str]:
    def word() -> str:
        return "".join(chooser.choices(SYLLABLES, k=chooser.randint(2, 3))).capitalize()

    return [" ".join(word() for _ in range(chooser.randint(2, 3))) for _ in range(count)]


def made_up_lines(count: int, names: list[str], chooser: random.Random) -> Iterator[str]:
    for number in range(count):
        subject = chooser.choice(names)
        thing = names[chooser.randrange(HUBS)] if number % HUB_EVERY == 0 else chooser.choice(names)
        yield f"{subject}\t{chooser.choice(RELATIONS)}\t{thing}\n"


def made_up_dialogue(names: list[str], chooser: random.Random) -> list[str]:
    def named(number: int) -> str:
        name = chooser.choice(names)
        if number % MISSPELT_EVERY:
            return name
        place = chooser.randrange(1, len(name) - 1)
        return name[:place] + chooser.choice("aeiou") + name[place + 1 :]

    return [
        chooser.choice(SAYINGS).format(*(named(turn * NAMES_A_TURN + place) for place in range(NAMES_A_TURN)))
        for turn in range(TURNS)
    ]
