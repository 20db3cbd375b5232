"""The rules of the clause reader as a set: each has a name of its own, and can be left out by building without it."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.built_in_rules import RULES
from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.knowledge_graph.extraction.rules import RuleSet
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted


def read_with(extractor: RuleBasedExtractor, rules: RuleSet, *texts: str) -> set[str]:
    """Return what the last of several messages asserts when it is read by other rules."""
    reader = RuleBasedExtractor(parser=extractor._parser, rules=rules)
    said = [Utterance("Sam", Role.USER, text, SAID_AT.replace(minute=place)) for place, text in enumerate(texts)]
    return asserted(reader.extract_many(said[-1:], context=said[:-1])[0].facts)


def test_every_name_leaves_one_rule_out() -> None:
    assert len(RULES.names) == len(set(RULES.names))
    for name in RULES.names:
        assert set(RULES.names) - set(RULES.without(name).names) == {name}


def test_a_name_that_no_rule_has_leaves_the_set_as_it_is() -> None:
    assert RULES.without("read_minds") == RULES


def test_no_rules_read_nothing(extractor: RuleBasedExtractor) -> None:
    assert read_with(extractor, RuleSet(), "I'm from Kent and I live in Oslo.") == set()


@pytest.mark.parametrize(
    ("name", "said", "with_it", "without_it"),
    [
        ("with_left_out_words", ("Born in Leeds.",), {"Sam bornIn Leeds"}, set()),
        ("read_attribute", ("My favourite colour is green.",), {"Sam hasFavoriteColor green"}, set()),
        ("read_place", ("I'm into chess.",), {"Sam likes chess"}, set()),
        ("read_known", ("I live in Oslo.",), {"Sam livesIn Oslo"}, set()),
        ("read_turning", ("I turned 35.",), {"Sam age 35"}, set()),
        ("corrected", ("I live in Paris.", "No, it's Lyon, not Paris."), {"Sam livesIn Lyon"}, set()),
    ],
)
def test_what_a_rule_reads_is_not_read_without_it(
    extractor: RuleBasedExtractor, name: str, said: tuple[str, ...], with_it: set[str], without_it: set[str]
) -> None:
    assert name in RULES.names
    assert read_with(extractor, RULES, *said) == with_it
    assert read_with(extractor, RULES.without(name), *said) == without_it
