"""The rules beside the message reader: each is a step of its own, and can be left out by building without it."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.rule_based import RULES, RuleBasedExtractor
from memory.core.knowledge_graph.extraction.rules import Rule
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted


def read_with(extractor: RuleBasedExtractor, rules: tuple[Rule, ...], *texts: str) -> set[str]:
    """Return what the last of several messages asserts when it is read by other rules."""
    reader = RuleBasedExtractor(parser=extractor._parser, rules=rules)
    said = [Utterance("Sam", Role.USER, text, SAID_AT.replace(minute=place)) for place, text in enumerate(texts)]
    return asserted(reader.extract_many(said[-1:], context=said[:-1])[0].facts)


def test_no_rules_read_nothing(extractor: RuleBasedExtractor) -> None:
    assert read_with(extractor, (), "I'm from Kent and I live in Oslo.") == set()


@pytest.mark.parametrize(
    ("name", "said", "with_it", "without_it"),
    [
        ("with_propositions", ("I live in Oslo.",), {"Sam livesIn Oslo"}, set()),
        (
            "with_relatives",
            ("My brother works for Tesco.",),
            {"Sam hasBrother Sam's brother", "Sam's brother worksFor Tesco"},
            {"Sam's brother worksFor Tesco"},
        ),
        ("corrected", ("I live in Paris.", "No, it's Lyon, not Paris."), {"Sam livesIn Lyon"}, set()),
        (
            "with_endings",
            ("I work for Boeing now.",),
            {"not Sam worksFor anything", "Sam worksFor Boeing"},
            {"Sam worksFor Boeing"},
        ),
    ],
)
def test_what_a_rule_reads_is_not_read_without_it(
    extractor: RuleBasedExtractor, name: str, said: tuple[str, ...], with_it: set[str], without_it: set[str]
) -> None:
    [left] = [rule for rule in RULES if rule.__name__ == name]
    assert read_with(extractor, RULES, *said) == with_it
    assert read_with(extractor, tuple(rule for rule in RULES if rule is not left), *said) == without_it
