"""Replies whose right verdict is known, and what is made of a judge's verdicts on them."""

from __future__ import annotations

import pytest

from evaluation.core.judging.altered import AlteredReply, AnswerType, GoldAnswer, Sort, altered_replies, type_of
from evaluation.core.judging.check import BothFigures, CheckedReply, agreement_rows, check_rows
from evaluation.core.judging.types import Judgement
from evaluation.core.report import Row


def gold(key: str, question: str, *answers: str, category: str = "single-hop", case: str = "a") -> GoldAnswer:
    return GoldAnswer(case, key, category, question, answers)


GOLDS = [
    gold("1", "When did Ann move?", "7 May 2023", category="temporal"),
    gold("2", "When did Bob marry?", "June 2021", category="temporal"),
    gold("3", "What did Ann bake?", "bread, two pies and jam"),
    gold("4", "What did Bob buy?", "ink, pens, paper"),
    gold("5", "Does Ann ski?", "Likely no, she hates the cold"),
    gold("6", "What does Bob play?", "the violin"),
    gold("7", "What does Ann sing?", "ballads"),
    gold("8", "How many cats has Bob?", "three"),
    gold("9", "What is the name of Ann's fish?", category="adversarial"),
]


def replies(key: str) -> dict[tuple[str, str], str]:
    return {(one.sort.value, one.kind): one.reply for one in altered_replies(GOLDS) if one.gold.key == key}


@pytest.mark.parametrize(
    ("answer", "type"),
    [
        ("7 May 2023", AnswerType.TIME),
        ("The week before 9 June 2023", AnswerType.TIME),
        ("2022", AnswerType.TIME),
        ("three", AnswerType.NUMBER),
        ("40 points", AnswerType.NUMBER),
        ("Yes, she is supportive", AnswerType.YES_NO),
        ("Likely no", AnswerType.YES_NO),
        ("Oregon, Florida", AnswerType.LIST),
        ("Coco and Shadow", AnswerType.LIST),
        ("to feel closer to a community and her faith", AnswerType.WORDS),
        ("no-bake cake", AnswerType.YES_NO),
        ("Sweden", AnswerType.WORDS),
    ],
)
def test_an_answer_has_a_type(answer: str, type: AnswerType) -> None:
    assert type_of(answer) is type


def test_replies_to_a_date_are_dates_refusals_and_the_topic() -> None:
    found = replies("1")
    shifted = found.pop(("wrong", "shifted"))
    either = found.pop(("vague", "either or"))
    refusal = found.pop(("vague", "refusal"))
    assert found == {
        ("right", "verbatim"): "7 May 2023",
        ("right", "case"): "7 MAY 2023",
        ("right", "date form"): "2023-05-07",
        ("right", "sentence"): "As far as I know it is this: 7 May 2023",
        ("wrong", "another answer"): "June 2021",
        ("wrong", "denied"): "It was certainly not this: 7 May 2023.",
        ("vague", "topic alone"): "That has to do with Ann move.",
        ("vague", "kind alone"): "That was a while ago.",
    }
    assert shifted in ("7 May 2021", "7 May 2025")
    assert either in ("It was either 7 May 2023 or June 2021.", "It was either June 2021 or 7 May 2023.")
    assert refusal in ("I don't know.", "That was never mentioned.", "I have no information about that.")


def test_a_list_loses_a_part_and_its_order() -> None:
    found = replies("3")
    assert found["right", "list order"] == "jam, two pies, bread"
    kept = {"bread", "two pies", "jam"} & set(found["wrong", "part exchanged"].split(", "))
    assert len(kept) == 2
    assert set(found["wrong", "part exchanged"].split(", ")) - kept <= {"ink", "pens", "paper"}


def test_yes_becomes_no_and_articles_come_and_go() -> None:
    assert replies("5")["wrong", "denied"] == "Yes."
    assert replies("6")["right", "article"] == "violin"
    assert replies("7")["right", "article"] == "the ballads"
    assert replies("8")["wrong", "shifted"] in ("1", "5")
    assert ("right", "article") not in replies("1")


def test_what_cannot_be_answered_is_refused_rightly_and_answered_wrongly() -> None:
    found = replies("9")
    assert found["wrong", "another answer"] in ("the violin", "ballads")
    assert found["vague", "guess"] == f"I don't know, but it is probably {found['wrong', 'another answer']}"
    assert set(found) == {
        ("right", "refusal"), ("right", "refusal in a sentence"), ("wrong", "another answer"), ("vague", "guess"),
    }  # fmt: skip


def test_an_answer_in_place_of_another_shares_no_word_with_it() -> None:
    golds = [
        gold("1", "Where is Ann?", "New York"),
        gold("2", "Where is Bob?", "York"),
        gold("3", "And Cy?", "New Delhi"),
    ]
    assert not [one for one in altered_replies(golds) if one.gold.key == "1" and one.kind == "another answer"]
    assert [one.reply for one in altered_replies(golds) if one.gold.key == "2" and one.kind == "another answer"] == [
        "New Delhi"
    ]


def test_the_same_answers_and_seed_give_the_same_replies() -> None:
    assert altered_replies(GOLDS, seed=4) == altered_replies(GOLDS, seed=4)
    assert altered_replies(GOLDS, seed=4) != altered_replies(GOLDS, seed=5)
    assert altered_replies([]) == []


def test_no_reply_that_is_not_right_is_the_answer_itself() -> None:
    wrong = [one for seed in range(20) for one in altered_replies(GOLDS, seed=seed) if one.sort is not Sort.RIGHT]
    assert not [one for one in wrong if one.reply in one.gold.answers]
    assert all(one.reply.strip() for one in wrong)


def test_a_check_counts_unscored_replies_among_all() -> None:
    first, second = GOLDS[0], gold("1", "Who?", "Zoe", case="b")
    said = [
        (first, Sort.WRONG, "denied", Judgement(1.0)),
        (first, Sort.WRONG, "denied", Judgement(None, why="prose")),
        (second, Sort.WRONG, "shifted", Judgement(0.0)),
        (second, Sort.RIGHT, "case", Judgement(1.0)),
    ]
    rows = check_rows("j", [CheckedReply(AlteredReply(one, sort, kind, "x"), found) for one, sort, kind, found in said])
    assert [(row.name, row.metric, row.group, row.value, row.n) for row in rows] == [
        ("j", "false_positives", "wrong", 1 / 3, 3),
        ("j", "false_positives", "wrong: denied", 0.5, 2),
        ("j", "false_positives", "wrong: shifted", 0.0, 1),
        ("j", "true_positives", "right", 1.0, 1),
        ("j", "true_positives", "right: case", 1.0, 1),
        ("j", "unscored", "", 0.25, 4),
    ]
    assert all(row.low is not None and row.high is not None and row.low <= row.high for row in rows)


def test_agreement_with_people_is_a_share_and_kappa() -> None:
    """8 of 10 agree; both say "right" of 6 and 5: (0.8 - 0.5) / 0.5."""
    pairs = [(1.0, 1.0)] * 5 + [(1.0, 0.0)] + [(0.0, 0.0)] * 3 + [(None, 0.0)]
    figures = [BothFigures(str(place % 3), measured, given) for place, (measured, given) in enumerate(pairs)]
    agreement, kappa, unscored = agreement_rows("answer@x", "judged", figures)
    assert (agreement.metric, agreement.value, agreement.n, agreement.group) == ("agreement", 0.8, 10, "judged")
    assert kappa.value == pytest.approx((0.8 - (0.5 * 0.6 + 0.5 * 0.3)) / (1 - (0.5 * 0.6 + 0.5 * 0.3)))
    assert unscored == Row("answer@x", "unscored", 1, "items", 10, group="judged")


def test_without_peoples_figures_there_is_no_agreement() -> None:
    why = "no person gave a figure in place of a measured one"
    assert agreement_rows("rules", "", []) == [
        Row("rules", metric, None, n=0, why=why) for metric in ("agreement", "kappa")
    ]
