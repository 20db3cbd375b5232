"""The kinds of annotation: the six of the house, and what is said of a definition that nobody could label by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.core.annotation.catalogue import kind_named, kinds, read_kind
from evaluation.core.annotation.types import Label, ProjectKind, Question, QuestionForm, ShownField, ShownForm
from evaluation.core.errors import MalformedAnnotation, UnknownName
from evaluation.core.reply_facts.types import Verdict
from memory.core.types import FactFlag

WRITTEN = """
title = "Moods"
what = "Say how a message feels."
guideline = '''
Read it twice.
'''
[[question]]
name = "mood"
title = "How does it feel?"
is_ordinal = true
metric = "mood"
labels = [
    {name = "bad", title = "Bad", key = "1", value = 0, means = "It hurts."},
    {name = "good", title = "Good", key = "2", value = 1, means = "It helps."},
]
[[question]]
name = "facts"
title = "Which facts?"
form = "facts"
predicates = "likes other"
labels = [{name = "neg", title = "Denied", key = "1", means = "It is not so."}]
[[shown]]
name = "message"
title = "Message"
form = "headline"
[[shown]]
name = "before"
title = "Before"
form = "dialogue"
is_needed = false
is_marked = true
"""


def test_a_kind_is_read_whole():
    assert read_kind(WRITTEN, name="moods") == ProjectKind(
        name="moods",
        title="Moods",
        what="Say how a message feels.",
        questions=(
            Question(
                "mood",
                "How does it feel?",
                labels=(Label("bad", "Bad", "1", "It hurts.", 0), Label("good", "Good", "2", "It helps.", 1)),
                is_ordinal=True,
                metric="mood",
            ),
            Question(
                "facts",
                "Which facts?",
                form=QuestionForm.FACTS,
                labels=(Label("neg", "Denied", "1", "It is not so."),),
                predicates=("likes", "other"),
            ),
        ),
        shown=(
            ShownField("message", "Message", ShownForm.HEADLINE),
            ShownField("before", "Before", ShownForm.DIALOGUE, is_needed=False, is_marked=True),
        ),
        guideline="Read it twice.",
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('title = "Moods"', 'title = "Moods', "moods.toml is no TOML: "),
        ('title = "Moods"', "", "moods.toml: KeyError 'title'."),
        ('title = "Moods"', 'title = " "', "moods.toml: ValueError its title is empty."),
        ('title = "Moods"', "title = 3", "moods.toml: ValueError its title is empty."),
        ('title = "Moods"', 'title = "Moods"\nhue = 1', "moods.toml: ValueError has no part 'hue'."),
        ("[[question]]", "[[shown]]", "moods.toml: KeyError 'question'."),
        ('form = "dialogue"', 'form = "song"', "moods.toml: ValueError 'song' is not a valid ShownForm."),
        ('form = "dialogue"', 'form = "headline"', "moods.toml: ValueError shows 2 headlines instead of one."),
        ('form = "facts"', 'form = "essay"', "moods.toml: ValueError 'essay' is not a valid QuestionForm."),
        ('key = "2"', 'key = "1"', "moods.toml: ValueError two labels of mood have one key."),
        ('key = "2"', 'key = "s"', "moods.toml: ValueError the keys of mood are no digits: 1, s."),
        ('name = "good"', 'name = "bad"', "moods.toml: ValueError a label of mood is there twice in bad, bad."),
        ('name = "good"', 'name = "Good one"', "moods.toml: ValueError a label of mood cannot be called 'Good one': "),
        ('name = "facts"', 'name = "mood"', "moods.toml: ValueError a question is there twice in mood, mood."),
        ("value = 1, ", "", "moods.toml: ValueError mood gives a metric, but a label has no figure."),
        ("value = 1", 'value = "high"', "moods.toml: ValueError mood gives a metric, but a label has no figure."),
        ('predicates = "likes other"', "", "moods.toml: ValueError facts: facts have predicates, choices have none."),
        ('form = "facts"\n', "", "moods.toml: ValueError facts leaves no choice."),
        ('means = "It hurts."', 'maens = "It hurts."', "moods.toml: TypeError "),
        ("is_needed = false", "is_neded = false", "moods.toml: TypeError "),
    ],
)
def test_a_definition_that_cannot_be_labelled_by_is_named_with_what_is_wrong(before: str, after: str, said: str):
    assert before in WRITTEN
    changed = WRITTEN.replace(before, after) if after == "[[shown]]" else WRITTEN.replace(before, after, 1)
    with pytest.raises(MalformedAnnotation) as raised:
        read_kind(changed, name="moods")
    assert str(raised.value).startswith(said)


def test_a_kind_is_called_as_its_file():
    with pytest.raises(MalformedAnnotation, match="a kind cannot be called 'My moods'"):
        read_kind(WRITTEN, name="My moods")


def test_the_six_kinds_ask_and_show_what_the_product_counts_on():
    assert {
        kind.name: (
            {question.name: [label.name for label in question.labels] for question in kind.questions},
            {field.name: (field.form.value, field.is_needed, field.is_marked) for field in kind.shown},
        )
        for kind in kinds().values()
    } == {
        "conflict_verdict": (
            {"verdict": ["replaces", "both_hold", "old_stands", "unclear"]},
            {
                "new": ("headline", True, False),
                "old": ("text", True, False),
                "said": ("passages", True, True),
            },
        ),
        "fact_verdict": (
            {"verdict": [verdict.value for verdict in Verdict]},
            {
                "fact": ("headline", True, False),
                "dialogue": ("dialogue", False, False),
                "evidence": ("passages", False, True),
            },
        ),
        "human_evaluation": (
            {name: ["0", "1", "2"] for name in ("coherence", "fluency", "informativeness")},
            {
                "reply": ("headline", True, False),
                "dialogue": ("dialogue", True, False),
                "evidence": ("passages", False, True),
            },
        ),
        "message_facts": (
            {"facts": [flag.value for flag in FactFlag]},
            {"message": ("headline", True, False), "before": ("text", False, False)},
        ),
        "reformulation_quality": (
            {"quality": ["good", "neutral", "bad"]},
            {
                "rewrite": ("headline", True, False),
                "utterance": ("text", True, False),
                "dialogue": ("dialogue", True, False),
            },
        ),
        "triple_relevance": (
            {"relevance": ["relevant", "irrelevant"]},
            {"triple": ("headline", True, False), "dialogue": ("dialogue", True, False)},
        ),
    }


def test_scales_are_in_order_and_give_their_points():
    scales = {
        (kind.name, question.name): (question.metric, [label.value for label in question.labels])
        for kind in kinds().values()
        for question in kind.questions
        if question.is_ordinal
    }
    assert scales == {
        ("human_evaluation", "coherence"): ("coherence", [0, 1, 2]),
        ("human_evaluation", "fluency"): ("fluency", [0, 1, 2]),
        ("human_evaluation", "informativeness"): ("informativeness", [0, 1, 2]),
        ("reformulation_quality", "quality"): ("", [1, 0.5, 0]),
    }


def test_predicates_of_messages_are_those_that_the_reader_is_trained_on():
    glosses = json.loads(Path("memory/training/messages/predicates.json").read_text(encoding="utf-8"))
    [question] = kind_named("message_facts").questions
    assert question.predicates == tuple(glosses)


@pytest.mark.parametrize("kind", kinds().values(), ids=lambda kind: kind.name)
def test_a_guideline_explains_each_label_with_examples_and_says_what_to_do_in_doubt(kind: ProjectKind):
    text = kind.guideline
    words = [
        f"`{label.name}`" if question.form is QuestionForm.FACTS else label.title
        for question in kind.questions
        for label in question.labels
    ]
    if kind.name == "human_evaluation":
        words = [question.title.partition(":")[0] for question in kind.questions]
    assert [word for word in words if word not in text] == []
    examples, _, doubt = text.partition("\nExamples\n")[2].partition("\nIn doubt\n")
    assert examples.count("\n- ") >= 1
    assert doubt.count("\n- ") >= 2


def test_a_kind_that_there_is_not_is_named_with_those_that_there_are():
    with pytest.raises(UnknownName) as raised:
        kind_named("fact_verdicts")
    assert str(raised.value) == (
        "There is no kind of annotation 'fact_verdicts'. There are conflict_verdict, fact_verdict, human_evaluation, "
        "message_facts, reformulation_quality, triple_relevance."
    )
