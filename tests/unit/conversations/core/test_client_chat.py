"""A chat of another program, known again by its history."""

from __future__ import annotations

from conversations.core.client_chat import ClientMessage, Said, same_words
from memory.core.types import Role

KEY = "a key"


def said(*texts: str) -> tuple[Said, ...]:
    """A history in which person and assistant take turns."""
    return tuple(Said(Role.ASSISTANT if place % 2 else Role.USER, text) for place, text in enumerate(texts))


def test_message_continues_the_digest_of_the_one_before_it():
    first = ClientMessage("I live in Paris.")
    second = ClientMessage("Where do I live?", history=said("I live in\n Paris. ", "Noted."))
    third = ClientMessage("And Maya?", history=said("I live in Paris.", "Noted.", "Where do I live?", "In Paris."))
    assert second.digest_before(KEY) == first.digest(KEY)
    assert third.digest_before(KEY) == second.digest(KEY)
    assert len({one.digest(KEY) for one in (first, second, third)}) == 3


def test_digest_needs_its_key_and_tells_roles_apart():
    message = ClientMessage("I live in Paris.", history=said("Hello", "Hi"))
    assert message.digest(KEY) != message.digest("another key")
    swapped = ClientMessage("I live in Paris.", history=(Said(Role.ASSISTANT, "Hello"), Said(Role.USER, "Hi")))
    assert message.digest(KEY) != swapped.digest(KEY)
    joined = ClientMessage("I live in Paris.", history=(Said(Role.USER, "HelloHi"),))
    assert message.digest_of_person(KEY) != joined.digest_of_person(KEY)


def test_digest_of_the_person_leaves_out_what_was_answered():
    one = ClientMessage("And Maya?", history=said("Hello", "Hi"))
    other = ClientMessage("And Maya?", history=said("Hello", "Good morning"))
    assert one.digest_of_person(KEY) == other.digest_of_person(KEY)
    assert one.digest(KEY) != other.digest(KEY)


def test_answer_is_what_came_after_the_persons_last_message():
    message = ClientMessage("Go on", history=(*said("Hello", "Hi"), Said(Role.ASSISTANT, "How are you?")))
    assert message.answered == "Hi\n\nHow are you?"
    assert message.history_before == said("Hello")
    greeted = ClientMessage("Hello", history=(Said(Role.ASSISTANT, "Welcome"),))
    assert (greeted.history_before, greeted.answered) == ((), "Welcome")


def test_same_words_ignores_layout_alone():
    assert same_words("You live in **Paris**.\n", "you live in Paris")
    assert not same_words("You live in Paris", "You live in Lyon")
    assert not same_words("1.5", "16")
