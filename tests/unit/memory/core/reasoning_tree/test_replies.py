"""What models send in the place of an action or a score: the asked form, the paper's form, and everything else."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.prompting import UnreadableReply
from memory.core.reasoning_tree.replies import AnswerScores, StateScores, action_of, quoted, score_of
from memory.core.reasoning_tree.types import Action
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.reasoning_tree.trees import answer, look, path, think

MAYA = '{"action": "EXPAND ENTITY", "entities": ["Maya"], "text": ""}'


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        (MAYA, look("Maya")),
        (f"```json\n{MAYA}\n```", look("Maya")),
        (f"<think>I {{could}} ANSWER: no</think>\n{MAYA}", look("Maya")),
        (f"Sure, here it is:\n{MAYA}\nGood luck!", look("Maya")),
        ('{"action": "expand_entity", "entities": "Maya"}', look("Maya")),
        ('{"action": "EXPAND ENTITY [Maya]", "entities": [], "text": ""}', look("Maya")),
        ('{"action": "FIND PATH", "entities": ["Ana", 7, "Airbus"], "text": null}', path("Ana", "Airbus")),
        ('{"action": "THINK", "entities": ["Ana"], "text": " So it is. "}', think("So it is.")),
        ('{"action": "ANSWER", "text": "Two lines:\\n- one"}', answer("Two lines:\n- one")),
        ('{"action": "ANSWER", "text": "nul \\u0000 and half \\ud83d"}', answer("nul \ufffd and half \ufffd")),
        ("EXPAND ENTITY [Maya]", look("Maya")),
        ("`EXPAND ENTITY [Maya]`", look("Maya")),
        ("Next Action: EXPAND ENTITY [Mercury (planet)]", look("Mercury (planet)")),
        ("1. **Expand Entity** [Paris, Texas]", look("Paris, Texas")),
        ("expand_entity: Maya.", look("Maya")),
        ("EXPAND ENTITY (Maya)", look("Maya")),
        ("FIND PATH [Ana] [Airbus]", path("Ana", "Airbus")),
        ("FIND PATH [Ana, Airbus]", path("Ana", "Airbus")),
        ("- find path: Ana -> Airbus", path("Ana", "Airbus")),
        ("I need more.\n\n> FIND PATH [Ana], [Airbus]\nThat joins them.", path("Ana", "Airbus")),
        ("THINK: Maya is the sister.", think("Maya is the sister.")),
        ("THINK: Maya is\nthe sister.\nANSWER: Airbus", think("Maya is\nthe sister.")),
        ("Let me see.\n```\nTHINK: Maya\n```", think("Maya")),
        ("**ANSWER:** At Airbus.\n\nIn *Toulouse*.", answer("At Airbus.\n\nIn *Toulouse*.")),
        ("**ANSWER: At Airbus.**", answer("At Airbus.")),
        ('ANSWER: "At Airbus."', answer("At Airbus.")),
        ("ANSWER [At Airbus.]", answer("At Airbus.")),
        ("ANSWER\nAt Airbus.", answer("At Airbus.")),
        # Left to the search, which knows how many names an action takes.
        ("EXPAND ENTITY", Action(look("x").kind)),
        ("ANSWER", answer("")),
    ],
)
def test_actions_are_read_in_both_forms(reply: str, action: Action) -> None:
    assert action_of(reply) == action


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "it is empty."),
        ("\x00", "it names none of the actions."),
        ("<think>Perhaps", "it ended before the answer began."),
        ("I think that Maya works at Airbus.", "it names none of the actions."),
        ("Think about the question. Answer it then.", "it names none of the actions."),
        ("DANCE [Maya]", "it names none of the actions."),
        ('{"action": "DANCE", "entities": ["Maya"]}', '"DANCE" is no action.'),
        ('{"entities": ["Maya"]}', '"" is no action.'),
        ('{"action": null}', '"" is no action.'),
        ('{"action": ["ANSWER"], "text": "Airbus"', "the JSON object breaks off before its end. Keep it shorter."),
    ],
)
def test_a_reply_without_an_action_says_what_is_wrong(reply: str, reason: str) -> None:
    with pytest.raises(UnreadableReply) as raised:
        action_of(reply)
    assert str(raised.value) == reason


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"accuracy": 0.9, "completeness": 0.6, "clarity": 0.75}', 0.75),
        ('```json\n{"Accuracy": "0.9", "Completeness": 0.6, "Clarity": "0,75"}\n```', 0.75),
        ('{"accuracy": 1, "completeness": 0, "clarity": 0, "score": 0.9}', 0.333333),
        ('{"score": 0.4}', 0.4),
        ("0.83", 0.83),
        ("<think>7 or 8?</think> 0.83", 0.83),
        ("**0.8**", 0.8),
        ("0,8", 0.8),
        ("1", 1.0),
        ("Score: 0.83", 0.83),
        ("0.8/1.0", 0.8),
        ("Accuracy 0.9, completeness 0.6, clarity 0.9.\nFinal score: 0.79", 0.79),
    ],
)
def test_scores_are_read_in_both_forms(reply: str, score: float) -> None:
    assert score_of(reply, AnswerScores) == pytest.approx(score)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "it is empty."),
        ("great", "it gives no score."),
        ("7", "7 for score is not between 0 and 1."),
        ("-0.5", "-0.5 for score is not between 0 and 1."),
        ("8/10", "it gives no score."),
        ("85%", "it gives no score."),
        ("0.2 or 0.8", "it gives several numbers and calls none the score."),
        ("Score: 7", "7 for score is not between 0 and 1."),
        ('{"relevance": "great", "progress": 1, "potential": 1}', '"great" is no score for relevance.'),
        ('{"relevance": 1, "progress": 7, "potential": 1}', "7 for progress is not between 0 and 1."),
        ('{"relevance": 1, "progress": NaN, "potential": 1}', "nan for progress is not between 0 and 1."),
        ('{"relevance": 1, "potential": 1}', "it gives no number for progress."),
        ('{"relevance": true, "progress": 1, "potential": 1}', "it gives no number for relevance."),
        (
            '{"relevance": 1, "progress": 1' + "0" * 400 + ', "potential": 1}',
            "inf for progress is not between 0 and 1.",
        ),
        ('{"accuracy": 1, "completeness": 1, "clarity": 1}', "it gives no number for relevance."),
        ('{"relevance": 0.5, "progress":', "the JSON object breaks off before its end. Keep it shorter."),
    ],
)
def test_a_score_outside_of_its_range_or_none_at_all_is_unreadable(reply: str, reason: str) -> None:
    with pytest.raises(UnreadableReply) as raised:
        score_of(reply, StateScores)
    assert str(raised.value) == reason


GOOD = [
    MAYA,
    '{"action": "ANSWER", "entities": [], "text": "At Airbus."}',
    "FIND PATH [Ana] [Airbus]",
    "THINK: Maya is the sister.",
    '{"relevance": 0.5, "progress": 0.4, "potential": 1.0}',
    "Final score: 0.79",
]
# Characters that the parsers look at, and some that nobody expects.
NOISE = st.text(alphabet='{}[]()":,.\\/`*-<>think0179eE+NaN \n\x00\ud800é٣', max_size=12)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Draw a good reply with pieces cut out, doubled, swapped and put in."""
    text = draw(st.sampled_from(GOOD))
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        text = text[:start] + draw(NOISE) + text[end:] + (text[start:end] if draw(st.booleans()) else "")
    return text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(["EXPAND ENTITY", "FIND PATH", "THINK", "ANSWER", "DANCE"])
ODD_OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "action": KINDS | JSON_VALUES,
        "entities": st.lists(st.text(max_size=8)) | JSON_VALUES,
        "text": st.text(alphabet="a\x00\ud800 ") | JSON_VALUES,
        **dict.fromkeys(["relevance", "progress", "potential", "score"], st.floats(0, 1) | JSON_VALUES),
    },
).map(json.dumps)


@settings(max_examples=examples(400))
@given(mutated() | ODD_OBJECTS | st.text(max_size=200))
def test_mutated_replies_are_read_or_unreadable_and_nothing_else(reply: str) -> None:
    with suppress(UnreadableReply):
        action = action_of(reply)
        for text in (*action.arguments, action.text):
            text.encode()
            assert "\x00" not in text
        assert all(0 < len(name) <= 200 for name in action.arguments)
    with suppress(UnreadableReply):
        assert 0.0 <= score_of(reply, StateScores) <= 1.0
    shown = quoted(reply)
    shown.encode()
    assert len(shown) <= 201


@pytest.mark.parametrize(
    "reply", ["-" * 200_000, "[" * 200_000, "1" * 200_000, "\n" * 200_000, "{" * 200_000, "a " * 100_000]
)
def test_long_replies_are_given_up_in_no_time(reply: str) -> None:
    for read in (action_of, lambda text: score_of(text, AnswerScores)):
        with pytest.raises(UnreadableReply):
            read(reply)


@pytest.mark.parametrize("gap", [" ", "\t", "\n"])
def test_reply_of_blanks_is_read_in_no_time(gap: str) -> None:
    blanks = gap * 39_000
    began = time.process_time()
    for reply in (f"FIND PATH [Ana{blanks}Airbus]", f"FIND PATH Ana{blanks}Airbus", f"0.5{blanks}/ 2", f"x{blanks}7"):
        with suppress(UnreadableReply):
            action_of(reply)
        with suppress(UnreadableReply):
            score_of(reply, StateScores)
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    "reply", ["ANSWER: " + "word " * 400_000, json.dumps({"action": "THINK", "text": "x" * 40_000})]
)
def test_reply_without_measure_is_refused_by_its_length(reply: str) -> None:
    with pytest.raises(UnreadableReply, match="characters, where 40,000 are more than enough"):
        action_of(reply)
    with pytest.raises(UnreadableReply, match="characters"):
        score_of(reply, AnswerScores)
