"""BLEU-4, ROUGE-L and the F1 of entities, worked by hand."""

from __future__ import annotations

import pytest

from evaluation.core.text_metrics import bleu_4, entities_in, entity_f1, rouge_l
from tests.fakes.language import real_parser

REFERENCE = "I was surprised to hear that Kevin Spacey also voiced a character in that movie."


def test_the_papers_case_has_no_four_words_in_common_with_its_reference() -> None:
    reply = "Hayden Panettiere voiced the character Dot in A Bug's Life."
    assert 0 < bleu_4([reply], [REFERENCE]) < 0.05
    assert rouge_l(reply, REFERENCE) == pytest.approx(2 * 3 / (11 + 15))


def test_same_words_are_perfect_and_others_nothing() -> None:
    assert bleu_4([REFERENCE], [REFERENCE]) == pytest.approx(1) and rouge_l(REFERENCE, REFERENCE) == 1
    assert bleu_4(["no"], [REFERENCE]) == rouge_l("no", REFERENCE) == rouge_l("", "") == 0


def test_short_reply_is_penalised() -> None:
    assert bleu_4(["a b c d"], ["a b c d e f g h"]) == pytest.approx(0.36787944)


def test_bleu_without_replies_is_refused() -> None:
    for replies, references in (([], []), (["a"], [])):
        with pytest.raises(ValueError, match="as many replies as references"):
            bleu_4(replies, references)


def test_entities_are_names_and_numbers() -> None:
    [parse] = real_parser().parse_many(["Hayden Panettiere moved to Paris in 2009 and was happy."])
    found = set(entities_in(parse))
    assert found == {"hayden panettiere", "paris", "2009"}
    assert entity_f1(found, {"paris", "rome"}) == pytest.approx(2 / 5)
    assert entity_f1(found, set()) is None
