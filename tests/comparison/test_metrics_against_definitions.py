"""Each metric without a comparison of its own against scikit-learn, statsmodels or its formula, on 1,000 random pairs."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from evaluation.core.calibration import calibration_error
from evaluation.core.confusion import Confusion
from evaluation.core.proposition_match import nearest_f1
from evaluation.core.retrieval import covered_share
from evaluation.core.tasks.rows import aptitude, averaged_performance, unreliability
from evaluation.core.text_metrics import answer_f1, entity_f1, is_exact
from evaluation.core.turn_consistency.types import consistency_score, entailment_rate, mean_consistency
from memory.core.grounded_generation.verification import FactStatus, dialogue_fact_score, not_enough_proportion
from memory.core.types import EntailmentLabel, EntailmentVerdict

TOLERANCE = 1e-6
NAMES = "Ann Bob Cy Paris Rome Oslo Dune Emma 2022 2023 seven".split()
LABELS = tuple(EntailmentLabel)


@pytest.fixture
def chance() -> random.Random:
    return random.Random(2026)


def words(chance: random.Random, most: int = 8) -> list[str]:
    return chance.choices(NAMES, k=chance.randrange(most))


def harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def test_entity_f1_is_the_harmonic_mean_of_precision_and_recall(chance: random.Random) -> None:
    for _ in range(1_000):
        said, wanted = words(chance), words(chance)
        if not wanted:
            assert entity_f1(said, wanted) is None
            continue
        shared = sum(name in set(wanted) for name in set(said))
        precision = shared / len(set(said)) if said else 0.0
        theirs = harmonic(precision, shared / len(set(wanted)))
        assert entity_f1(said, wanted) == pytest.approx(theirs, abs=TOLERANCE)


def test_word_f1_is_the_harmonic_mean_over_repeated_words(chance: random.Random) -> None:
    for _ in range(1_000):
        said, wanted = words(chance), words(chance) or ["Ann"]
        own, other = (Counter(word.lower() for word in side) for side in (said, wanted))
        shared = sum(min(own[word], other[word]) for word in own)
        theirs = harmonic(shared / len(said) if said else 0.0, shared / len(wanted))
        assert nearest_f1(" ".join(said), [" ".join(wanted)]) == pytest.approx(theirs, abs=TOLERANCE)


def test_exact_match_is_that_of_the_sets_of_words(chance: random.Random) -> None:
    for _ in range(1_000):
        said, wanted = words(chance, 4), words(chance, 4)
        theirs = {word.lower() for word in said} == {word.lower() for word in wanted}
        assert is_exact(" ".join(said), " ".join(wanted), category="") == theirs


def test_f1_of_lists_takes_the_best_part_for_each(chance: random.Random) -> None:
    for _ in range(1_000):
        said, wanted = words(chance, 5) or ["Ann"], words(chance, 5) or ["Bob"]
        theirs = np.mean([max(float(part == other) for part in said) for other in wanted])
        ours = answer_f1(", ".join(said), ", ".join(wanted), category="multi-hop")
        assert ours == pytest.approx(theirs, abs=TOLERANCE)


def test_consistency_and_entailment_rate_are_equations_4_and_5(chance: random.Random) -> None:
    for _ in range(1_000):
        shares = np.random.default_rng(chance.randrange(10**9)).dirichlet([1, 1, 1], size=chance.randrange(1, 6))
        verdicts = [EntailmentVerdict(entailment=e, neutral=n, contradiction=c) for e, n, c in shares.tolist()]
        each = ((shares[:, 0] - shares[:, 2]) + 1) / 2
        assert [consistency_score(one) for one in verdicts] == pytest.approx(each, abs=TOLERANCE)
        assert mean_consistency(verdicts) == pytest.approx(each.mean(), abs=TOLERANCE)
        named = [chance.choice([*LABELS, None]) for _ in verdicts]
        scored = [label for label in named if label]
        rate = np.mean([label == "entailment" for label in scored]) if scored else None
        assert entailment_rate(named).rate == (rate if rate is None else pytest.approx(rate, abs=TOLERANCE))


def outcomes(chance: random.Random) -> Iterator[list[tuple[EntailmentLabel, EntailmentLabel]]]:
    for _ in range(100):
        own = [(chance.choice(LABELS), chance.choice(LABELS)) for _ in range(10)]
        yield own


def test_kappa_and_f1_are_sklearns_over_1000_pairs(chance: random.Random) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    for own in outcomes(chance):
        expected, predicted = ([label.value for label in side] for side in zip(*own, strict=True))
        ours = Confusion.of(own)
        assert ours.accuracy == pytest.approx(metrics.accuracy_score(expected, predicted), abs=TOLERANCE)
        assert ours.kappa == pytest.approx(metrics.cohen_kappa_score(expected, predicted), abs=TOLERANCE)
        theirs = metrics.f1_score(expected, predicted, average="macro", zero_division=0)
        assert ours.macro_f1 == pytest.approx(theirs, abs=TOLERANCE)


def test_kappa_is_statsmodels(chance: random.Random) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    for own in outcomes(chance):
        table = np.zeros((3, 3))
        for expected, predicted in own:
            table[LABELS.index(expected), LABELS.index(predicted)] += 1
        assert Confusion.of(own).kappa == pytest.approx(inter_rater.cohens_kappa(table).kappa, abs=TOLERANCE)


def test_calibration_error_is_its_formula(chance: random.Random) -> None:
    for _ in range(100):
        confidences = [chance.random() for _ in range(10)]
        hits = [chance.random() < one for one in confidences]
        theirs = 0.0
        for low in range(15):
            inside = [place for place, one in enumerate(confidences) if low / 15 < one <= (low + 1) / 15]
            if inside:
                gap = np.mean([confidences[one] for one in inside]) - np.mean([hits[one] for one in inside])
                theirs += len(inside) / 10 * abs(float(gap))
        assert calibration_error(confidences, hits) == pytest.approx(theirs, abs=TOLERANCE)


def test_fact_score_and_neip_are_their_counts(chance: random.Random) -> None:
    for _ in range(1_000):
        letters = "".join(chance.choices("tfn", k=chance.randrange(7)))
        by_letter = {"t": FactStatus.TRUE, "f": FactStatus.FALSE, "n": FactStatus.NOT_ENOUGH}
        statuses = [by_letter[letter] for letter in letters]
        decided = re.sub("n", "", letters)
        score = dialogue_fact_score(statuses)
        assert score == (pytest.approx(decided.count("t") / len(decided), abs=TOLERANCE) if decided else None)
        neip = letters.count("n") / len(letters) if letters else 1.0
        assert not_enough_proportion(statuses) == pytest.approx(neip, abs=TOLERANCE)


def test_performance_aptitude_and_unreliability_are_numpys_percentiles(chance: random.Random) -> None:
    for _ in range(100):
        scores = {str(task): [chance.random() for _ in range(10)] for task in range(chance.randrange(1, 5))}
        table = np.array(list(scores.values()))
        high, low = (np.percentile(table, rank, axis=1) for rank in (90, 10))
        ours = (averaged_performance(scores), aptitude(scores), unreliability(scores))
        assert ours == pytest.approx((table.mean(), high.mean(), (high - low).mean()), abs=TOLERANCE)


def test_evidence_recall_is_the_share_of_the_evidence(chance: random.Random) -> None:
    for _ in range(1_000):
        found, evidence = words(chance), frozenset(words(chance)) or frozenset({"Ann"})
        theirs = np.mean([name in found for name in sorted(evidence)])
        assert covered_share(found, evidence) == pytest.approx(theirs, abs=TOLERANCE)
