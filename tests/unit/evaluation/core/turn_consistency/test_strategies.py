"""What each strategy asks, and how verdicts on sentences make one of a turn."""

from __future__ import annotations

import math

import pytest

from evaluation.core.turn_consistency.strongest_sentence import StrongestSentence, StrongestSentenceConfig
from evaluation.core.turn_consistency.turns import STRATEGIES, replies_in, score_turn
from evaluation.core.turn_consistency.types import LONGEST_REPLY_WORDS, NotScored, ScoredTurn, Unscored
from evaluation.core.turn_consistency.whole_history import HISTORY_CHARACTERS, WholeHistory
from memory.core.errors import ModelUnreachable, TextTooLong
from memory.core.types import EntailmentLabel, EntailmentVerdict
from tests.fakes.entailment import JudgingEntailment
from tests.fakes.language import real_parser
from tests.unit.evaluation.core.turn_consistency.dialogues import Vectors, dialogue, last_reply

FOLLOWS = EntailmentVerdict(0.9, 0.08, 0.02)
CLASHES = EntailmentVerdict(0.05, 0.15, 0.8)
OPEN = EntailmentVerdict(0.2, 0.7, 0.1)


def scored(turn, model, strategy=None, **what) -> ScoredTurn | NotScored:
    strategy = strategy or StrongestSentence()
    return score_turn(turn, strategy=strategy, model=model, vectors=Vectors(turn), parser=real_parser(), **what)


def left_of(turn, **left: str):
    """Return a `WhatHolds`: of the sentences that end with a name, what is given for it."""
    return lambda passages: {
        at: words for at in passages for name, words in left.items() if words_at(turn, at).endswith(f"{name}.")
    }


def words_at(turn, passage) -> str:
    texts = {one.key: one.text for one in (*turn.history, turn.reply)}
    return texts[passage.turn][passage.span.start : passage.span.end]


def test_whole_history_is_asked_once_in_the_words_of_the_replying_speaker():
    turn = last_reply("I moved to Porto.", "Nice, I like Porto.", "Where do I live?", "You live in Porto.\nNice there!")
    model = JudgingEntailment(lambda premise, hypothesis: FOLLOWS)
    outcome = scored(turn, model, WholeHistory())
    assert model.calls == [
        [("You moved to Porto. Nice, I like Porto. Where do you live?", "You live in Porto. Nice there!")]
    ]
    assert outcome == ScoredTurn(FOLLOWS)


def test_whole_history_keeps_the_latest_words_of_a_long_dialogue():
    long = ["Words that were said. " * 100 for _ in range(40)]
    turn = last_reply(*long, "I live in Porto.", "You live in Porto.")
    model = JudgingEntailment()
    scored(turn, model, WholeHistory())
    [(premise, _)] = model.asked
    assert premise.endswith("You live in Porto.")
    assert len(premise) < HISTORY_CHARACTERS + 3_000


def test_sentence_pairs_are_in_the_replying_speakers_words_and_questions_and_courtesies_are_no_claims():
    turn = last_reply("Hello! I moved to Porto.", "Hi! You moved to Porto. How is it?")
    model = JudgingEntailment(lambda premise, hypothesis: FOLLOWS)
    outcome = scored(turn, model)
    assert model.asked == [("You moved to Porto.", "You moved to Porto.")]
    assert words_at(turn, outcome.premise_at) == "I moved to Porto."
    assert words_at(turn, outcome.hypothesis_at) == "You moved to Porto."


def test_most_certain_contradiction_decides_whatever_the_rest_says():
    turn = last_reply("I live in Porto. My cat is red.", "Your cat is red. You live in Rome. Porto has a harbour.")
    verdicts = {"You live in Rome.": CLASHES, "Your cat is red.": FOLLOWS}
    outcome = scored(turn, JudgingEntailment(lambda premise, hypothesis: verdicts.get(hypothesis, OPEN)))
    assert outcome.verdict == CLASHES
    assert outcome.label is EntailmentLabel.CONTRADICTION
    assert words_at(turn, outcome.hypothesis_at) == "You live in Rome."


def test_without_a_contradiction_the_turn_has_the_mean_of_its_sentences():
    turn = last_reply("I live in Porto. My cat is red.", "Your cat is red. You live in old Porto.")
    outcome = scored(turn, JudgingEntailment(lambda premise, hypothesis: FOLLOWS if "cat" in hypothesis else OPEN))
    assert outcome.verdict.entailment == pytest.approx(0.55)
    assert outcome.consistency == pytest.approx((FOLLOWS.entailment - 0.02 + 0.2 - 0.1) / 4 + 0.5)
    assert outcome.label is EntailmentLabel.ENTAILMENT
    assert words_at(turn, outcome.hypothesis_at) == "Your cat is red."


def test_entailment_by_what_was_said_later_outweighs_a_weaker_clash_with_what_it_replaced():
    turn = last_reply("I live in Paris.", "Noted.", "I moved, I live in Lyon now.", "You live in Lyon.")
    outcome = scored(turn, JudgingEntailment(lambda premise, _: FOLLOWS if "Lyon" in premise else CLASHES))
    assert outcome.verdict == FOLLOWS
    assert words_at(turn, outcome.premise_at) == "I moved, I live in Lyon now."


def test_question_and_what_is_about_something_else_contradict_nothing():
    claim, asked = "You live in Rome.", ("Do I live in Rome, or did I ever live in Rome?", "Songs are loud.")
    for premise in asked:
        outcome = scored(last_reply(premise, claim), JudgingEntailment(lambda _, hypothesis: CLASHES))
        assert outcome.verdict == EntailmentVerdict(0.05, pytest.approx(0.95), 0.0), premise
    related = scored(last_reply("I live in Porto.", claim), JudgingEntailment(lambda _, hypothesis: CLASHES))
    assert related.verdict == CLASHES


def test_what_does_not_hold_any_more_neither_contradicts_nor_supports_what_is_said_of_now():
    changed = ("I live in Paris.", "Noted, Ana.", "Where do I live?")
    for claim, verdict in (("You live in Lyon.", CLASHES), ("You live in Paris.", FOLLOWS)):
        turn = last_reply(*changed, claim)
        model = JudgingEntailment(lambda premise, _, verdict=verdict: verdict if "Paris" in premise else OPEN)
        assert scored(turn, model).verdict == verdict
        over = scored(turn, model, holding=left_of(turn, Paris="")).verdict
        assert max(over.entailment, over.contradiction) < 0.5 and over.label is EntailmentLabel.NEUTRAL, claim


def test_what_does_not_hold_any_more_supports_what_was():
    turn = last_reply("I live in Paris.", "Noted, Ana.", "Where did I live?", "You lived in Paris before.")
    model = JudgingEntailment(lambda premise, _: FOLLOWS if "Paris" in premise else OPEN)
    assert scored(turn, model, holding=left_of(turn, Paris="")).verdict == EntailmentVerdict(
        0.9, pytest.approx(0.1), 0.0
    )


def test_sentence_of_which_a_part_holds_is_read_as_that_part():
    turn = last_reply(
        "I work for Airbus and live in Paris.", "Noted, Ana.", "Whom do I work for?", "You work for Boeing."
    )
    model = JudgingEntailment(lambda premise, _: CLASHES if "Airbus" in premise else OPEN)
    outcome = scored(turn, model, holding=left_of(turn, Paris="You work for Airbus."))
    assert ("You work for Airbus.", "You work for Boeing.") in model.asked
    assert not any("Paris" in text for pair in model.asked for text in pair)
    assert outcome.verdict == CLASHES
    assert words_at(turn, outcome.premise_at) == "I work for Airbus and live in Paris."


def test_premises_that_are_over_leave_room_for_those_that_hold():
    cities = ["Porto", "Lyon", "Rome", "Oslo", "Bonn", "Turin"]
    told = [words for city in cities for words in (f"I live in {city}.", "Noted.")]
    turn = last_reply(*told, "Thank you.", "You live in Ghent.")
    model = JudgingEntailment(lambda premise, hypothesis: CLASHES)
    gone = dict.fromkeys(cities[1:], "")
    outcome = scored(turn, model, holding=left_of(turn, **gone))
    assert {premise for premise, _ in model.asked if premise.startswith("You")} <= {
        "You live in Porto.",
        "You live in Ghent.",
    }
    assert outcome.label is EntailmentLabel.CONTRADICTION
    assert scored(turn, model, holding=left_of(turn, **gone, Porto="")).label is EntailmentLabel.NEUTRAL


def test_what_is_does_not_contradict_what_was():
    model = JudgingEntailment(lambda premise, _: CLASHES if "Lyon" in premise else OPEN)
    before = scored(last_reply("I live in Lyon.", "You lived in Paris before."), model)
    assert before.label is EntailmentLabel.NEUTRAL and before.verdict.contradiction == 0
    assert scored(last_reply("I live in Lyon.", "You live in Paris."), model).verdict == CLASHES
    assert scored(last_reply("I lived in Lyon.", "You lived in Paris."), model).verdict == CLASHES


def test_contradiction_in_one_direction_alone_is_none():
    model = JudgingEntailment(lambda premise, _: CLASHES if "Porto" in premise else OPEN, is_one_sided=True)
    outcome = scored(last_reply("I live in Porto.", "You live in Rome."), model)
    assert model.calls == [[("You live in Porto.", "You live in Rome.")], [("You live in Rome.", "You live in Porto.")]]
    assert outcome.verdict == EntailmentVerdict(0.05, pytest.approx(0.85), 0.1)


def test_unsure_contradiction_does_not_decide_alone():
    unsure = EntailmentVerdict(0.1, 0.3, 0.6)
    turn = last_reply("I live in Porto. My cat is red.", "Your cat is red. You live in Rome.")
    outcome = scored(turn, JudgingEntailment(lambda _, hypothesis: unsure if "Rome" in hypothesis else FOLLOWS))
    assert outcome.verdict.contradiction == pytest.approx(0.31)
    assert outcome.label is EntailmentLabel.ENTAILMENT


def test_first_sentence_of_a_long_dialogue_is_not_lost():
    talk = [text for number in range(300) for text in (f"Song {number} is loud.", f"Song {number} was fun to hear.")]
    turn = last_reply(
        "My sister Maya lives in Porto.", "Fine by me then.", *talk, "Well?", "Your sister Maya lives in Rome."
    )
    model = JudgingEntailment(lambda premise, _: CLASHES if "Maya" in premise else OPEN)
    outcome = scored(turn, model)
    assert outcome.label is EntailmentLabel.CONTRADICTION
    assert words_at(turn, outcome.premise_at) == "My sister Maya lives in Porto."


def test_long_history_is_narrowed_by_words_in_common_before_any_vector_is_asked_for():
    talk = [text for number in range(40) for text in (f"Song {number} is loud.", f"It was fun {number} times.")]
    turn = last_reply(
        "My sister Maya lives in Porto.", "Fine by me then.", *talk, "Well?", "Your sister lives in Rome."
    )
    vectors = Vectors(turn)
    strategy = StrongestSentence(StrongestSentenceConfig(considered=5))
    pairs = strategy.pairs_of(turn.reply, turn.history, vectors=vectors, parser=real_parser())
    assert len(vectors.asked) == 6
    assert pairs[0].premise == "Your sister Maya lives in Porto."


@pytest.mark.parametrize("sentences", [1, 2, 5, 9, 40])
def test_pairs_of_a_turn_are_bounded(sentences):
    said = " ".join(f"Fact {number} is known." for number in range(40))
    reply = " ".join(f"Fact {number} is told." for number in range(sentences))
    config = StrongestSentenceConfig()
    turn = last_reply(said, reply)
    pairs = StrongestSentence().pairs_of(turn.reply, turn.history, vectors=Vectors(turn), parser=real_parser())
    assert 1 <= len(pairs) <= config.pairs
    assert len({pair.hypothesis_at for pair in pairs}) == min(sentences, config.claims)
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("I live in Porto.", "   "), Unscored.NO_SENTENCE),
        (("   ", "You live in Porto."), Unscored.NO_HISTORY),
        (("I live in Porto.", "word " * (LONGEST_REPLY_WORDS + 1)), Unscored.TOO_LONG),
        (("I live in Porto.", "You live there. " * 4_000), Unscored.TOO_LONG),
    ],
)
def test_turn_that_cannot_be_scored_says_why_and_asks_no_model(name, texts, reason):
    model = JudgingEntailment()
    outcome = scored(last_reply(*texts), model, STRATEGIES[name])
    assert isinstance(outcome, NotScored) and outcome.reason is reason
    assert outcome.why.endswith(".") and "Porto" not in outcome.why
    assert model.calls == []


def test_reply_that_opens_a_dialogue_has_nothing_to_follow_from():
    [_, reply] = dialogue("", "I am your assistant.")
    [turn] = replies_in([reply])
    assert scored(turn, JudgingEntailment()).reason is Unscored.NO_HISTORY


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("I live in Porto.", "Thanks! How is it there?"), Unscored.NO_CLAIM),
        (("Hello!", "You live in Porto."), Unscored.NO_HISTORY),
        (("I live in Porto.", "and you live there " * 30), Unscored.TOO_LONG),
    ],
)
def test_sentences_without_a_claim_or_a_premise_are_not_scored(texts, reason):
    model = JudgingEntailment()
    outcome = scored(last_reply(*texts), model)
    assert isinstance(outcome, NotScored) and outcome.reason is reason
    assert model.calls == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TextTooLong("A reply of 900 word pieces fills the model's window of 512."), Unscored.TOO_LONG),
        (ModelUnreachable("The model cannot be reached."), Unscored.FAILED),
    ],
)
def test_what_the_model_refuses_is_not_scored_and_says_why(error, reason):
    def refuse() -> None:
        raise error

    outcome = scored(last_reply("I live in Porto.", "You live in Porto."), JudgingEntailment(before=refuse))
    assert outcome == NotScored(reason, str(error))


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=list(STRATEGIES))
@pytest.mark.parametrize(
    "given",
    [
        [EntailmentVerdict(math.nan, math.nan, math.nan)],
        [EntailmentVerdict(7.0, -7.0, 1.0)],
        [EntailmentVerdict(0.0, 0.0, 0.0)],
        [],
        [FOLLOWS, FOLLOWS],
    ],
)
def test_what_is_no_probability_of_each_label_is_no_score(strategy, given):
    class Broken:
        name = "broken"

        def predict_many(self, pairs):
            return given

    outcome = scored(last_reply("I live in Porto.", "You live in Porto."), Broken(), strategy)
    assert isinstance(outcome, NotScored)
    assert outcome.reason is Unscored.FAILED
    assert "no probability" in outcome.why
