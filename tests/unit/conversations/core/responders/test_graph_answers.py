"""What the responder `graph` answers, question by question."""

from __future__ import annotations

import pytest

from tests.unit.conversations.core.responders.conftest import Ask

KNOWN = [
    ("Where do I live?", "You live in Lyon."),
    ("where do i live", "You live in Lyon."),
    ("Do you remember where I live?", "You live in Lyon."),
    ("which city do I live in?", "You live in Lyon."),
    ("Where did I live before?", "You lived in Paris."),
    ("Where did I use to live?", "You lived in Paris."),
    ("Which city did I live in before Lyon?", "You lived in Paris."),
    ("Do I live in Lyon?", "Yes, you live in Lyon."),
    ("Do I still live in Paris?", "No, you live in Lyon."),
    ("Have I ever lived in Paris?", "Yes, you lived in Paris."),
    (
        "How long have I lived in Lyon?",
        "You have lived in Lyon since the week before 18 May 2024 (6 May 2024 to 12 May 2024): about 2 years.",
    ),
    (
        "When did I move to Lyon?",
        "You moved to Lyon in the week before 18 May 2024 (6 May 2024 to 12 May 2024).",
    ),
    ("Who do I work for?", "You work for Airbus."),
    ("what do i do for a living", "You work for Airbus."),
    ("Where did I work before?", "You worked for IBM."),
    ("Do I still work for IBM?", "No, you work for Airbus."),
    ("Do I work for Airbus?", "Yes, you work for Airbus."),
    ("What is my sister's name?", "Your sister is Maya."),
    ("What is my sister's job?", "Maya works as a nurse."),
    ("what does my sister do?", "Maya works as a nurse."),
    ("Is Maya a nurse?", "Yes, Maya works as a nurse."),
    ("Is Maya my sister?", "Yes, your sister is Maya."),
    ("Who is my sister married to?", "Maya is married to Tom."),
    ("Who is Maya's husband?", "Maya is married to Tom."),
    ("Who is Tom married to?", "Tom is married to Maya."),
    ("is tom married to maya", "Yes, Tom is married to Maya."),
    ("Where does my sister's husband work?", "Tom works for Renault."),
    ("Which company does my sister's husband work for?", "Tom works for Renault."),
    ("What instrument does Ben play?", "Ben plays the piano."),
    ("Does my brother play the piano?", "Yes, Ben plays the piano."),
    ("How many siblings do I have?", "I know of two: Ben and Maya."),
    ("Who are my siblings?", "Your brother is Ben. Your sister is Maya."),
    ("Do I have a dog?", "Yes, you have a dog."),
    ("Do I have any brothers?", "Yes, your brother is Ben."),
    ("What is my cat called?", "Your cat is Luna."),
    ("Who is my boss?", "Your boss is Ivan."),
    ("Who was my old boss?", "Your boss was Olga."),
    ("Is Ivan my boss?", "Yes, your boss is Ivan."),
    ("Is Olga my boss?", "No, your boss is Ivan."),
    ("Is my boss Ivan?", "Yes, your boss is Ivan."),
    ("What do I like?", "You like cheese and olives."),
    ("Do I like cheese?", "Yes, you like cheese."),
    ("Do I like mushrooms?", "No, you dislike mushrooms."),
    ("What food do I hate?", "You dislike mushrooms."),
    ("Do I eat meat?", "No, you do not eat meat."),
    ("What don't I eat?", "You do not eat meat."),
    ("When is my birthday?", "Your birthday is 3 March 1990."),
    ("when was i born", "Your birthday is 3 March 1990."),
    ("How old am I?", "You are 36 years old."),
    ("How old is Leo?", "Leo is 4 years old."),
    ("What's my favourite band?", "Your favourite band is Radiohead."),
    ("What is my favorite band?", "Your favourite band is Radiohead."),
    ("What am I allergic to?", "You are allergic to peanuts."),
    ("What languages do I speak?", "You speak German and French."),
    ("Do I speak German?", "Yes, you speak German."),
    ("Who lives in Lyon?", "You live in Lyon."),
    ("who works for Renault?", "Tom works for Renault."),
    ("How many guitars does Tom have?", "Tom has 3 guitars."),
    ("What is my name?", "I know you as Ana."),
    ("Which musicians does Ben like?", "Ben likes Bach."),
    ("Is Maya single?", "No, Maya is married to Tom."),
    ("Is Maya married?", "Yes, Maya is married to Tom."),
    ("Do I own a cat?", "Yes, your cat is Luna."),
    ("What's the name of the city I live in?", "You live in Lyon."),
    ("Where am I employed?", "You work for Airbus."),
    ("Who is Tom?", "Tom has 3 guitars and works for Renault. Maya is married to Tom."),
    ("tell me about Maya", "Your sister is Maya. Maya is married to Tom and works as a nurse."),
    ("When did Caroline go to the LGBTQ support group?", "Caroline went to a LGBTQ support group on 7 May 2023."),
]


@pytest.mark.parametrize(("question", "answer"), KNOWN)
def test_known_is_answered_in_whole_sentences(ask: Ask, question: str, answer: str) -> None:
    assert ask(question).text == answer


UNKNOWN = [
    "Where does my sister work?",
    "Where does Maya live?",
    "Where does Zoe live?",
    "Who is Zoe?",
    "What is my dog's name?",
    "How old is Maya?",
    "What is my favourite film?",
    "What is my favourite book?",
    "Do I have a parrot?",
    "Do I work for Renault?",
    "Does Ben play the guitar?",
    "Is Maya a teacher?",
    "Am I allergic to cats?",
    "Where do I ski?",
    "Where would I work in Berlin?",
    "Do I have a boat?",
    "What did Melanie research?",
    "When did Caroline paint a sunrise?",
    "When did Caroline run a charity race?",
    "Who did Caroline marry?",
    "Who is the CEO of Apple?",
    "What is my brother's wife called?",
    "where is my office",
    "Where has Ben hiked?",
]


@pytest.mark.parametrize("question", UNKNOWN)
def test_unknown_is_said_to_be_unknown_and_rests_on_nothing(ask: Ask, question: str) -> None:
    heard = ask(question)
    assert heard.text.startswith("I don't know that yet.")
    assert heard.grounds == []


@pytest.mark.parametrize(
    ("question", "speaker", "answer"),
    [
        ("Where do I live?", "Tom", "I don't know that yet. Tell me, and I will remember it."),
        ("Who do I work for?", "Tom", "You work for Renault."),
        ("Where does Ana live?", "Tom", "Ana lives in Lyon."),
        ("What is my name?", "user", "I don't know that yet. Tell me, and I will remember it."),
    ],
)
def test_first_person_is_the_one_who_asks(ask: Ask, question: str, speaker: str, answer: str) -> None:
    assert ask(question, speaker=speaker).text == answer


def test_superseded_value_is_never_told_of_the_present(ask: Ask) -> None:
    told = [
        ask(text).text for text in ("Where do I live?", "What do you know about me?", "Who is my boss?", "Who am I?")
    ]
    assert not any("Paris" in text or "Olga" in text for text in told)


def test_two_questions_are_both_answered(ask: Ask) -> None:
    assert ask("Where do I live and what is my sister's job?").text == "You live in Lyon. Maya works as a nurse."


def test_words_of_an_assistant_are_no_fact(ask: Ask) -> None:
    assert "Chamonix" not in ask("Where should I go skiing?").text
