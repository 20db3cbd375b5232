"""`RuleBasedStatementWriter` over the shipped parser."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.statement.rule_based import RuleBasedStatementConfig, RuleBasedStatementWriter
from memory.core.types import DialogueRound, Statement
from tests.fakes.language import real_parser
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.knowledge_graph.rounds import dialogue_round


def write(*lines: str) -> Statement:
    (statement,) = RuleBasedStatementWriter(parser=real_parser()).write_many([dialogue_round(*lines)])
    return statement


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I live in Paris.", "Ana lives in Paris."),
        ("I am a nurse and I've moved to Lyon.", "Ana is a nurse and Ana has moved to Lyon."),
        ("I've moved to Lyon and work for Airbus.", "Ana has moved to Lyon and works for Airbus."),
        ("I was born in 1990 and have two kids.", "Ana was born in 1990 and has two kids."),
        (
            "My sister works for Airbus and I work for Thales.",
            "Ana's sister works for Airbus and Ana works for Thales.",
        ),
        ("My wife and I don't eat meat.", "Ana's wife and Ana don't eat meat."),
        ("im 34 and my dog is called Rex.", "Ana is 34 and Ana's dog is called Rex."),
        ("Well, actually I don't eat meat anymore.", "Ana doesn't eat meat anymore."),
        ('I love the film "Up."', 'Ana loves the film "Up."'),
        ("My boss told me about it.", "Ana's boss told Ana about it."),
        ("I will stay in Rome and work there.", "Ana will stay in Rome and work there."),
    ],
)
def test_speaker_is_called_by_name(said: str, told: str) -> None:
    assert write(f"Ana: {said}").sentences == (told,)


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("How much caffeine is in espresso?", "About 63 mg.", "Espresso contains about 63 mg of caffeine."),
        ("How many bones are there in the hand?", "27 bones.", "The hand has 27 bones."),
        ("When was the Eiffel Tower built?", "In 1889.", "The Eiffel Tower was built in 1889."),
        ("When was the Eiffel Tower built?", "It was built in 1889.", "The Eiffel Tower was built in 1889."),
        ("Who wrote Dune?", "Frank Herbert.", "Frank Herbert wrote Dune."),
        ("And what is the capital of Peru?", "Lima.", "The capital of Peru is Lima."),
        ("Where is the Louvre?", "In Paris.", "The Louvre is in Paris."),
        ("Where is the Louvre?", "It's in Paris.", "The Louvre is in Paris."),
        ("What is Python?", "A programming language.", "Python is a programming language."),
    ],
)
def test_question_and_short_answer_become_one_assertion(question: str, answer: str, told: str) -> None:
    assert write(f"Ana: {question}", f"assistant: {answer}") == Statement((told,), (1,))


def test_short_answer_about_oneself_becomes_an_assertion() -> None:
    assert write("assistant: Where do you live?", "Ana: In Paris.") == Statement(("Ana lives in Paris.",), (1,))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the capital of Peru?", "I don't know."),
        ("What is the capital of Peru?", "Yes."),
        ("Where is my car?", "In the garage."),
        ("What do you think?", "Great idea!"),
        ("Where is the Louvre?", "It might be in Paris."),
        ("Why is the sky blue?", "Rayleigh scattering."),
    ],
)
def test_no_assertion_is_forced(question: str, answer: str) -> None:
    assert write(f"Ana: {question}", f"assistant: {answer}") == Statement()


@pytest.mark.parametrize(
    "line",
    [
        "Ana: Hello there!",
        "Ana: Thanks so much!",
        "Ana: Do I live in Paris?",
        "Ana: I might move to Rome.",
        "Ana: Do you like tea?",
        "Ana: const city = 'Paris';",
        "Ana: Recommend a book.",
        "assistant: Let me know if the tea is too strong!",
        "assistant: Tea might contain caffeine.",
        "assistant: You live in Paris.",
        'assistant: Ana said on 5 May 2023: "Tea is great."',
        "assistant: - Tea is good for digestion",
        "assistant: 1. Tea is good for digestion",
        "assistant: | Tea | is good |",
        "assistant: Try the sencha.",
        "assistant: Yes, they can.",
        "assistant: The tea of [Brand A] is good.",
        "assistant: Here are some teas:",
        "assistant: I think tea is healthy.",
    ],
)
def test_what_asserts_nothing_is_left_out(line: str) -> None:
    assert write("Ana: Tell me about tea.", line) == Statement()


def test_pasted_text_is_left_out() -> None:
    lines = ("Ana: Please summarise this e-mail:", "Ana: My name is Bob.", "Ana: I live in Bonn.")
    assert write(*lines) == Statement()


@pytest.mark.parametrize("request_", ["Write a story about a dog.", "Could you translate this about a dog?"])
def test_what_was_written_on_request_claims_nothing(request_: str) -> None:
    assert write(f"Ana: {request_}", "assistant: The dog lived in Paris.") == Statement()


def test_only_the_sentences_that_answer_are_kept() -> None:
    lines = (
        "Ana: What is green tea good for?",
        "assistant: Green tea is rich in antioxidants.",
        "assistant: The weather is nice in Japan.",
        "assistant: **Green tea** contains caffeine.",
        "assistant: Green tea helps digestion.",
        "assistant: A cup of tea costs little.",
    )
    writer = RuleBasedStatementWriter(parser=real_parser(), config=RuleBasedStatementConfig(answer_sentences=3))
    (statement,) = writer.write_many([dialogue_round(*lines)])
    assert statement.sentences == (
        "Green tea is rich in antioxidants.",
        "Green tea contains caffeine.",
        "Green tea helps digestion.",
    )
    assert statement.sources == (1, 3, 4)


def test_what_ties_a_sentence_to_the_one_before_is_left_out() -> None:
    statement = write(
        "Ana: Is tea good?", "assistant: Yes, tea is rich in iron.", "assistant: Furthermore, tea is cheap."
    )
    assert statement.sentences == ("Tea is rich in iron.", "Tea is cheap.")


def test_rounds_are_written_apart() -> None:
    rounds = [dialogue_round("Ana: I live in Rome."), DialogueRound(()), dialogue_round("Bo: I live in Bonn.")]
    statements = RuleBasedStatementWriter(parser=real_parser()).write_many(rounds)
    assert [statement.text for statement in statements] == ["Ana lives in Rome.", "", "Bo lives in Bonn."]


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(st.sampled_from(["Ana", "assistant", "Bo"]), st.text(max_size=80)), max_size=4))
def test_any_text_gives_a_valid_statement(lines: list[tuple[str, str]]) -> None:
    statement = write(*(f"{speaker}: {text}" for speaker, text in lines))
    assert len(statement.sentences) == len(statement.sources)
    assert list(statement.sources) == sorted(set(statement.sources))


@pytest.mark.parametrize("text", ["🎉🎉🎉", "אני גר בתל אביב.", "أعيش في القاهرة", "I like tea and " * 2_500, ""])
def test_any_script_and_length_is_taken(text: str) -> None:
    for speaker in ("Ana", "assistant"):
        statement = write("Ana: What is up?", f"{speaker}: {text}")
        assert set(statement.sources) <= {0, 1}
