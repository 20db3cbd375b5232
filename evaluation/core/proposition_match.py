"""How facts of sentences match the propositions that people read out of them: the lenient token matching of CaRB.

Of a fact and a proposition, precision is the share of the fact's words that the proposition has, recall the share of the
proposition's words that the fact has; both are 0 where the fact has no word of the proposition's relation. Over all sentences
precision is the mean of the facts, each matched with one proposition of its sentence at most, the most precise pairs first;
recall is the mean of the propositions, each by the fact that has most of it (Bhardwaj et al., 2019, section 4).

Departures from CaRB: a fact is a sentence, not a tuple, so that its words match wherever they stand; marks do not count, case
does not matter, and all forms of "be" are one word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

EXACT, TOKEN_F1, UNHARMED = "exact", "token_f1", "unharmed"
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def is_exact(text: str, rewrites: Sequence[str]) -> bool:
    return words(text) in [words(rewrite) for rewrite in rewrites]


def nearest_f1(text: str, rewrites: Sequence[str]) -> float:
    """Return the largest F1 of the words that a text shares with one of the rewrites, in [0, 1]."""
    return max(_f1(words(text), words(rewrite)) for rewrite in rewrites)


def _f1(said: Sequence[str], wanted: Sequence[str]) -> float:
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted)) if shared else float(not said and not wanted)


BE = frozenset("am are be been being is was were".split())


@dataclass(frozen=True)
class Proposition:
    """A relation and its arguments, the subject first, in words."""

    relation: str
    arguments: tuple[str, ...]

    @property
    def text(self) -> str:
        subject, *others = self.arguments
        return " ".join((subject, self.relation, *others))


@dataclass(frozen=True)
class PropositionScores:
    """None where there is no fact, or no proposition, at all."""

    precision: float | None
    recall: float | None

    @property
    def f1(self) -> float | None:
        if self.precision is None or self.recall is None:
            return None
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def proposition_scores(made: Sequence[Sequence[str]], wanted: Sequence[Sequence[Proposition]]) -> PropositionScores:
    """Return the scores of the facts of sentences by the propositions of the same sentences."""
    precise, recalled, facts, propositions = 0.0, 0.0, 0, 0
    for own, gold in zip(made, wanted, strict=True):
        scores = [[pair_scores(fact, one) for fact in own] for one in gold]
        precise += sum(_paired([[precision for precision, _ in row] for row in scores]))
        recalled += sum(max((recall for _, recall in row), default=0.0) for row in scores)
        facts, propositions = facts + len(own), propositions + len(gold)
    return PropositionScores(precise / facts if facts else None, recalled / propositions if propositions else None)


def pair_scores(fact: str, proposition: Proposition) -> tuple[float, float]:
    """Return precision and recall of a fact by one proposition."""
    said, relation = Counter(_folded(fact)), Counter(_folded(proposition.relation))
    told = relation + Counter(_folded(" ".join(proposition.arguments)))
    if not said & relation:
        return 0.0, 0.0
    shared = (said & told).total()
    return shared / said.total(), shared / told.total()


def _folded(text: str) -> list[str]:
    return ["be" if word in BE else word for word in words(text)]


def _paired(values: Sequence[Sequence[float]]) -> list[float]:
    """Return the values of the cells that are taken, the largest first, at most one a row and a column."""
    cells = sorted(
        product(range(len(values)), range(len(values[0]) if values else 0)), key=lambda at: -values[at[0]][at[1]]
    )
    taken: list[float] = []
    rows, columns = set(), set()
    for row, column in cells:
        if row not in rows and column not in columns:
            taken.append(values[row][column])
            rows.add(row)
            columns.add(column)
    return taken


def split_f1(facts: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the F1 of two lists of sentences: each takes the best of the other list by the words they share, once.

    Pairs are taken greedily, the likest first; a pair counts as much as its sentences are alike, in [0, 1].
    """
    pairs = sorted(
        (
            (nearest_f1(fact, [other]), row, column)
            for row, fact in enumerate(facts)
            for column, other in enumerate(wanted)
        ),
        key=lambda pair: (-pair[0], pair[1:]),
    )
    total, rows, columns = 0.0, set(), set()
    for alike, row, column in pairs:
        if row not in rows and column not in columns:
            total += alike
            rows.add(row)
            columns.add(column)
    return 2 * total / (len(facts) + len(wanted)) if facts or wanted else 1.0
