"""Dialogue Fact Score and NEIP by hand-counted facts."""

from __future__ import annotations

from memory.core.grounded_generation.verification import FactStatus, dialogue_fact_score, not_enough_proportion

TRUE, FALSE, OPEN = FactStatus.TRUE, FactStatus.FALSE, FactStatus.NOT_ENOUGH


def test_facts_without_enough_information_count_in_the_proportion_alone():
    statuses = [TRUE, TRUE, TRUE, FALSE, OPEN, OPEN]
    assert dialogue_fact_score(statuses) == 3 / 4
    assert not_enough_proportion(statuses) == 2 / 6


def test_reply_without_a_factual_claim_has_no_score():
    assert dialogue_fact_score([OPEN, OPEN]) is None and not_enough_proportion([OPEN, OPEN]) == 1
    assert dialogue_fact_score([]) is None and not_enough_proportion([]) == 1
