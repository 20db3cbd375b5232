"""A sentence only asks where it tells nothing besides; in doubt it tells."""

from __future__ import annotations

import pytest

from memory.core.english.questions import closing_question, only_asks


@pytest.mark.parametrize(
    "sentence",
    [
        "Where does my sister live?",
        "where does my sister live",
        "What's my sister's name?",
        "So, who is Ana?",
        "Hey Ana, how are you?",
        "Wow, Caroline, what did you do there?",
        "In which city does Tom work, please?",
        "Do I like tea, or coffee?",
        "Is Ana a nurse??",
        "“Did he call?”",
        "Do you remember where I live?",
        "Can you tell me what my sister does?",
        "Tell me where I live.",
        "Remind me about my sister.",
        "I wonder where Ana lives.",
        "What did I say that she likes?",
        "Where do you think he works?",
        "How many cats do I have",
        "do I have a dog",
        "What about you?",
        "Any plans for the summer?",
        "Where do Ana and Ben live, and what do they do?",
        "Can you recommend a good book?",
    ],
)
def test_what_only_asks_is_told_apart(sentence: str) -> None:
    assert only_asks(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "...",
        "I moved to Lyon.",
        "Did you know that I moved to Lyon?",
        "Did you know I moved to Lyon?",
        "My sister Ana lives in Rome, doesn't she?",
        "My sister Ana lives in Rome, right?",
        "You moved to Lyon?",
        "I live in Paris, where does my sister live?",
        "Isn't it great that I got the job?",
        "Do you like the sunset I painted?",
        "How is your sister, who lives in Rome?",
        "What should I give my wife on 5 May?",
        "Can you help me with my garden in Lyon?",
        "What did they say when I told them?",
        "Where was I - after I left Airbus?",
        "I forgot where I put the keys, have you seen them?",
        "What I like is tea",
        "Which is why I moved.",
        "Did the dishes",
        "When I was young I lived in Rome",
        "Who knows.",
        "WHERE user_id = ?",
        "How about this: I moved to Lyon?",
        "Where " + "and where " * 30 + "is it?",
    ],
)
def test_what_may_tell_something_tells(sentence: str) -> None:
    assert not only_asks(sentence)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I do not know it yet. Where do you live?", "Where do you live?"),
        ("Nice!\nAnd you?!", ""),
        ("Where do you live?", "Where do you live?"),
        ("Where do you live? Tell me.", ""),
        ("You live in Lyon.", ""),
        ("", ""),
    ],
)
def test_the_question_at_the_end_of_a_text(text: str, question: str) -> None:
    assert closing_question(text) == question
