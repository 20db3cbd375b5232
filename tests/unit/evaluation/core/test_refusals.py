"""When a reply says that it does not know."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.refusals import says_not_known

REFUSALS = [
    "I don't know that yet.",
    "I don't know.",
    "I do not know where Ana lives.",
    "I'm not sure.",
    "That is not mentioned in the conversation.",
    "There is no information about that.",
    "No information available.",
    "The conversation does not mention her age.",
    "You haven't told me where you live.",
    "You never mentioned a dog.",
    "I cannot answer that based on what I know.",
    "I can't find anything about that in my memory.",
    "I couldn't find any mention of a sister.",
    "It's unclear from the dialogue.",
    "Unknown.",
    "N/A",
    "I have no record of that.",
    "I don't have any information about Ben's job.",
    "I don't have enough information to answer.",
    "Based on the provided chat, there is no information related to how user feedback influenced UI/UX improvements.",
    "Not mentioned",
    "Nobody has told me that.",
    "There isn't any information on this.",
    "It wasn't specified.",
    "Caroline didn't mention her plans.",
    "I’m sorry, but I don’t have that information.",
    "I am unable to determine this from the context.",
    "The information provided is not enough to answer this question.",
    "This hasn't been discussed yet.",
    "You did not say when the meeting is.",
    "I have no idea.",
    "I don't recall you mentioning that.",
    "The text doesn't say.",
    "I'm afraid I don't know the answer to that. However, it may be helpful to check with Ana.",
    "There is insufficient information.",
    "That has not come up in our conversations, so I don't know.",
    "Her age is not stated anywhere.",
    "I do not have access to that information",
    "There's no mention of a cat.",
    "No mention of it.",
    "I haven't been told that.",
    "I don’t think you’ve mentioned that.",
    "It is not known.",
    "I know nothing about a brother.",
    "I am not aware of any sister.",
    "This is not something you've told me.",
    "Nothing in our conversation says where he works.",
    "I don't have a record of your birthday.",
    "I don't believe you've told me that yet.",
    "We haven't talked about that.",
    "You haven't shared that with me.",
    "That's something I don't know yet.",
]

CLAIMS = [
    "You live in Lyon.",
    "Ana does not know how to swim.",
    "She works at Airbus.",
    "I don't know, but I think it is Paris.",
    'You said: "I don\'t know anyone in Lyon."',
    "Maya has no children.",
    "You don't like coffee.",
    "He never told his boss.",
    "You never mentioned it to your boss.",
    "No.",
    "No, she isn't married.",
    "Nothing.",
    "She did not go to Paris.",
    "You work as an information officer.",
    "Ben is not a doctor.",
    "He has no car.",
    "It is not expensive.",
    "They could not find the hotel and slept in the car.",
    "You couldn't come to the party.",
    "Maya is known as Mimi.",
    "You are allergic to nuts, not sure about almonds you said",
    "He was not able to attend.",
    "You have no siblings.",
    "Tom is not certain to come, he said on Friday.",
    "Your sister doesn't know Ben.",
    "She is unsure about the job.",
    "I'm not sure, but it's probably Lyon.",
]


@pytest.mark.parametrize("reply", REFUSALS)
def test_says_not_known_sees_a_refusal(reply: str) -> None:
    assert says_not_known(reply)
    assert says_not_known(reply.upper())


@pytest.mark.parametrize("reply", CLAIMS)
def test_says_not_known_lets_a_claim_be(reply: str) -> None:
    assert not says_not_known(reply)


@given(st.lists(st.sampled_from(["you", "live", "in", "Lyon", "work", "Maya", "is", "a", "doctor", "and", "."])))
def test_words_that_follow_do_not_undo_a_refusal(words: list[str]) -> None:
    assert says_not_known("I don't know. " + " ".join(words))
    assert not says_not_known('You said "I don\'t know" to ' + " ".join(words))
