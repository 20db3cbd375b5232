"""Agreement of people on random projects against scikit-learn, NLTK, statsmodels, and definitions written out here."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations

import pytest
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from evaluation.core.annotation import agreement
from evaluation.core.annotation.agreement import Comparison, agreement_of
from evaluation.core.annotation.patterns import Pattern, pattern_of, read_pattern
from evaluation.core.annotation.types import Label, ProjectKind, Question, ShownField, ShownForm

TOLERANCE = 1e-9
NAMES = ("ana", "ben", "cy", "dot")
LABELS = ("low", "middle", "high", "top")
KIND = ProjectKind(
    "scale",
    "Scale",
    "Say how much.",
    (Question("q", "How much?", labels=tuple(Label(name, name, "", "") for name in LABELS), is_ordinal=True),),
    (ShownField("text", "Text", ShownForm.HEADLINE),),
    "",
)

Item = dict[str, str]


@pytest.fixture
def chance() -> random.Random:
    return random.Random(2026)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw for intervals of many items alone: they are compared where they are near those of large samples."""
    monkeypatch.setattr(agreement, "FEWEST", 1_000)


def items(chance: random.Random, names: Sequence[str], *, with_gaps: bool = False) -> list[Item]:
    """Return items with a label of each person, which follow a common one more or less, or of some people alone."""
    follows, known = chance.random(), LABELS[: chance.randint(2, 4)]
    weights = [chance.random() ** 3 + 0.01 for _ in known]
    made = []
    for _ in range(chance.randint(2, 30)):
        common = chance.choices(known, weights)[0]
        said = {name: common if chance.random() < follows else chance.choices(known, weights)[0] for name in names}
        if with_gaps:
            said = {name: said[name] for name in chance.sample(names, chance.randint(0, len(names)))}
        made.append(said)
    return made


def counted(said: Sequence[Item], *, machine: str = "") -> Counter[Pattern]:
    def answer(label: str | None) -> dict[str, str] | None:
        return None if label is None else {"q": label}

    return Counter(
        read_pattern(
            pattern_of(
                KIND,
                people={name: {"q": label} for name, label in item.items() if name != machine},
                machine=answer(item.get(machine)),
                final=None,
            )
        )
        for item in said
    )


def people(said: Sequence[Item]) -> Comparison | None:
    [one] = agreement_of(KIND, counted(said))
    return one.people


def same(ours: float | None, theirs: float | None) -> bool:
    return ours is theirs is None or (ours is not None and ours == pytest.approx(theirs, abs=TOLERANCE))


def sklearn_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = float(cohen_kappa_score(*zip(*pairs, strict=True)))
    return None if found != found else found


def task(said: Sequence[Item]) -> AnnotationTask:
    return AnnotationTask(data=[(name, at, label) for at, item in enumerate(said) for name, label in item.items()])


def alpha_by_definition(said: Sequence[Item], *, is_ordinal: bool) -> float | None:
    """Krippendorff (2011), part D: all pairs of labels of one item against all pairs of labels whatsoever."""
    units = [list(item.values()) for item in said if len(item) > 1]
    labels = [label for unit in units for label in unit]
    times = Counter(labels)

    def apart(one: str, other: str) -> float:
        if not is_ordinal:
            return float(one != other)
        first, last = sorted((LABELS.index(one), LABELS.index(other)))
        return (sum(times[label] for label in LABELS[first : last + 1]) - (times[one] + times[other]) / 2) ** 2

    seen = sum(apart(one, other) / (len(unit) - 1) for unit in units for one, other in permutations(unit, 2))
    by_chance = sum(apart(one, other) for one, other in permutations(labels, 2)) / max(len(labels) - 1, 1)
    return 1 - seen / by_chance if by_chance else None


def test_kappa_of_two_people_is_scikit_learns(chance: random.Random) -> None:
    undefined = 0
    for _ in range(1_000):
        said = items(chance, ("ana", "ben"))
        theirs = sklearn_kappa([(item["ana"], item["ben"]) for item in said])
        undefined += theirs is None
        found = people(said)
        assert found is not None
        assert same(found.kappa.value, theirs)
        assert same(found.pairs[0].kappa, theirs)
        assert same(found.raw.value, task(said).avg_Ao())
    assert 0 < undefined < 200


def test_intervals_of_raw_agreement_and_kappa_are_near_statsmodels_of_many_items(chance: random.Random) -> None:
    for _ in range(30):
        said = [
            {"ana": ana, "ben": ana if chance.random() < 0.6 else chance.choice(LABELS)}
            for ana in chance.choices(LABELS, (5, 3, 2, 1), k=3_000)
        ]
        table = [[sum(item == {"ana": ana, "ben": ben} for item in said) for ben in LABELS] for ana in LABELS]
        theirs = cohens_kappa(table)
        raw = proportion_confint(sum(item["ana"] == item["ben"] for item in said), len(said))
        found = people(said)
        assert found is not None
        for ours, low, high in ((found.raw, *raw), (found.kappa, theirs.kappa_low, theirs.kappa_upp)):
            near = 0.15 * (high - low)
            assert (ours.low, ours.high) == (pytest.approx(low, abs=near), pytest.approx(high, abs=near))


def test_kappa_of_several_people_is_that_of_davies_and_fleiss(chance: random.Random) -> None:
    told = 0
    for _ in range(1_000):
        said = items(chance, NAMES[: chance.randint(2, 4)])
        found = people(said)
        assert found is not None
        if found.kappa.value is not None:
            told += 1
            assert same(found.kappa.value, task(said).multi_kappa())
    assert told > 800


def test_kappa_of_each_pair_is_scikit_learns_where_people_labelled_some_items_each(chance: random.Random) -> None:
    for _ in range(300):
        said = items(chance, NAMES, with_gaps=True)
        theirs = {
            (one, other): (len(both), sklearn_kappa(both))
            for one, other in combinations(NAMES, 2)
            if (both := [(item[one], item[other]) for item in said if {one, other} <= set(item)])
        }
        found = people(said)
        ours = {} if found is None else {(pair.one, pair.other): (pair.n, pair.kappa) for pair in found.pairs}
        assert ours.keys() == theirs.keys()
        assert all(ours[pair][0] == theirs[pair][0] and same(ours[pair][1], theirs[pair][1]) for pair in ours)


def test_nominal_alpha_is_nltks_where_all_label_all(chance: random.Random) -> None:
    told = 0
    for _ in range(1_000):
        said = items(chance, NAMES[: chance.randint(2, 4)])
        found = people(said)
        assert found is not None
        if found.alpha.value is not None:
            told += 1
            assert same(found.alpha.value, task(said).alpha())
    assert told > 800


@pytest.mark.parametrize("is_ordinal", [False, True])
def test_alpha_is_that_of_all_pairs_of_labels_also_with_gaps(chance: random.Random, is_ordinal: bool) -> None:
    for _ in range(1_000):
        said = items(chance, NAMES, with_gaps=True)
        found = people(said)
        if found is None:
            assert all(len(item) < 2 for item in said)
            continue
        assert found.ordinal_alpha is not None
        ours = found.ordinal_alpha if is_ordinal else found.alpha
        assert same(ours.value, alpha_by_definition(said, is_ordinal=is_ordinal))


def test_agreement_on_a_label_is_how_often_it_meets_itself(chance: random.Random) -> None:
    for _ in range(1_000):
        said = items(chance, NAMES, with_gaps=True)
        pairs = [pair for item in said for pair in combinations([item[name] for name in NAMES if name in item], 2)]
        theirs = {
            label: 2 * sum(pair == (label, label) for pair in pairs) / times if times else None
            for label in LABELS
            for times in [sum(pair.count(label) for pair in pairs)]
        }
        found = people(said)
        ours = dict.fromkeys(LABELS) if found is None else {one.name: one.agreement for one in found.labels}
        assert ours == pytest.approx(theirs, abs=TOLERANCE)


def test_the_machine_is_compared_as_another_person_is(chance: random.Random) -> None:
    for _ in range(1_000):
        said = items(chance, ("ana", "machine"))
        [found] = agreement_of(KIND, counted(said, machine="machine"))
        assert found.people is None
        assert found.machine is not None
        assert found.machine.n == len(said)
        assert same(found.machine.kappa.value, sklearn_kappa([(item["ana"], item["machine"]) for item in said]))
        assert same(found.machine.alpha.value, alpha_by_definition(said, is_ordinal=False))
        assert found.machine.confusion.counts == Counter((item["ana"], item["machine"]) for item in said)
