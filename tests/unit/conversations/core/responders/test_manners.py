"""How replies are worded: who is addressed, what is counted, what is over, what is not remembered."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from conversations.core.responders.acknowledgement import noted
from conversations.core.responders.graph.rule_based import RuleBasedGraph
from conversations.core.responders.said_in_full import SaidInFull
from conversations.core.types import Delta, Query
from evaluation.core.refusals import says_not_known
from memory.core.types import Polarity, Role, Tense, Utterance
from tests.fakes.language import real_questions, real_references
from tests.fakes.listening import Teaching, taught
from tests.fakes.memory import FakeMemory
from tests.fakes.said import said_passages

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
EARLIER = datetime(2026, 5, 1, 12, tzinfo=UTC)


def reply(
    memory: FakeMemory,
    text: str,
    *,
    speaker: str = "Ana",
    is_remembered: bool = True,
    history: tuple[Utterance, ...] = (),
) -> str:
    graph = RuleBasedGraph(
        passages=said_passages(),
        read_questions=real_questions(),
        read_answers=None,
        memory=memory,
        listener=Teaching(),
    )
    responder = SaidInFull(graph, real_references())
    query = Query(text, speaker, NOW, history, is_remembered=is_remembered)
    return "".join(part.text for part in responder.reply(query) if isinstance(part, Delta))


@pytest.fixture
def memory() -> FakeMemory:
    found = FakeMemory()
    found.entity("Ana", kind="Person", is_speaker=True)
    return found


def test_statement_in_a_chat_without_memory_is_said_not_to_be_remembered(memory: FakeMemory) -> None:
    memory.learn("Ana", "livesIn", "Paris", said="I live in Paris.", kind="Place")
    said = reply(memory, "I live in Lyon.", is_remembered=False)
    assert said == "This chat is not remembered."
    assert reply(memory, "Where do I live?", is_remembered=False) == "You live in Paris."
    assert "remember it" not in reply(memory, "What is my job?", is_remembered=False)


def test_statement_without_fact_in_a_chat_without_memory_is_not_noted(memory: FakeMemory) -> None:
    assert reply(memory, "Well, that was quite something.", is_remembered=False) == "This chat is not remembered."


def test_goodbye_in_a_chat_without_memory_promises_nothing(memory: FakeMemory) -> None:
    assert reply(memory, "bye!", is_remembered=False) == "Goodbye!"


def test_count_of_what_happens_to_be_known_claims_no_more(memory: FakeMemory) -> None:
    memory.learn("Melanie", "hasSon", "Melanie's son", said="My son is six.", speaker="Melanie")
    assert reply(memory, "How many kids does Melanie have?") == "I know of one: Melanie's son."


def test_count_that_was_said_is_a_number(memory: FakeMemory) -> None:
    memory.learn("Melanie", "hasSon", "Leo", said="My son is Leo.", speaker="Melanie")
    memory.learn("Melanie", "hasNumberOfChildren", "3", said="I have three kids.", speaker="Melanie", is_literal=True)
    assert reply(memory, "How many kids does Melanie have?") == "Melanie has 3 children."


def test_asker_named_in_the_question_is_answered_in_the_third_person(memory: FakeMemory) -> None:
    memory.learn(
        "Ana",
        "wentTo",
        "LGBTQ support group",
        said="I went to an LGBTQ support group yesterday.",
        at=EARLIER,
        tense=Tense.PAST,
        valid_from=datetime(2026, 4, 30, tzinfo=UTC),
        valid_to=datetime(2026, 5, 1, tzinfo=UTC),
    )
    asked = "When did {} go to the LGBTQ support group?"
    assert reply(memory, asked.format("Ana")) == "Ana went to an LGBTQ support group on 30 April 2026."
    assert reply(memory, asked.format("I")) == "You went to an LGBTQ support group on 30 April 2026."


def test_end_of_the_only_employer_leaves_the_present_unknown(memory: FakeMemory) -> None:
    memory.learn("Ana", "worksFor", "Airbus", said="I work for Airbus.", at=EARLIER, superseded_at=NOW)
    memory.learn("Ana", "worksFor", "Airbus", said="I quit my job at Airbus.", at=NOW, polarity=Polarity.NEGATIVE)
    said = reply(memory, "Where do I work?")
    assert said == "You used to work for Airbus; I don't know where you work now."
    assert says_not_known(said)
    assert reply(memory, "Do I still work at Airbus?") == "No, you do not work for Airbus."


def test_role_that_is_over_leaves_its_bearer_unknown(memory: FakeMemory) -> None:
    memory.learn("Ana", "hasBoss", "Olga", said="My boss is Olga.", at=EARLIER, superseded_at=NOW, kind="Person")
    said = reply(memory, "Who is my boss?")
    assert said == "Your boss used to be Olga; I don't know who your boss is now."
    assert says_not_known(said)


def test_all_that_is_known_is_a_paragraph_newest_first_and_cut(memory: FakeMemory) -> None:
    for index in range(15):
        memory.learn("Ana", f"likes{chr(65 + index)}", f"thing{index}", said=f"I like thing{index}.")
    said = reply(memory, "what do you know about me?")
    assert "thing14" in said.split(".")[0] and "thing3" in said
    assert not any(f"thing{old} " in f"{said.replace('.', ' ').replace(',', ' ')} " for old in (0, 1, 2))
    assert said.endswith("I know 3 more things about you.")


@pytest.mark.parametrize("account", ["owner", "admin", "user1"])
def test_name_of_an_account_is_no_name_of_a_person(memory: FakeMemory, account: str) -> None:
    memory.entity(account, kind="Person", is_speaker=True)
    assert says_not_known(reply(memory, "What is my name?", speaker=account))
    memory.learn(account, "hasName", "Sara", said="My name is Sara.", speaker=account, is_literal=True)
    assert reply(memory, "What is my name?", speaker=account) == "Your name is Sara."


ASKED = [
    ("What languages do I speak besides French?", "You speak German."),
    ("Besides German, which languages do I speak?", "You speak French."),
    ("Who used to be my boss?", "Your boss was Olga."),
    ("How is Ben related to me?", "Your cousin is Ben."),
    ("Who is Ben to me?", "Your cousin is Ben. Ben lives in Oslo."),
    ("Which company employs me?", "You work for Airbus."),
    ("What's the date of my birth?", "Your birthday is 3 March 1990."),
    ("Do I have a sister?", "No, you do not have a sister."),
    ("Is Leo tall?", "Yes, Leo is tall."),
    ("is leo tall", "Yes, Leo is tall."),
    ("Where do Ben and Leo live?", "Ben lives in Oslo. Leo lives in Rome."),
    ("Do Ben and Leo know each other?", "I don't know that yet. Tell me, and I will remember it."),
    ("What else do I speak besides French and German?", "I don't know that yet. Tell me, and I will remember it."),
]


@pytest.mark.parametrize(("question", "answer"), ASKED)
def test_question_of_everyday_words_is_answered(memory: FakeMemory, question: str, answer: str) -> None:
    learn = memory.learn
    learn("Ana", "speaks", "French", said="I speak French and German.")
    learn("Ana", "speaks", "German", said="I speak French and German.")
    learn("Ana", "hasBoss", "Olga", said="My boss is Olga.", at=EARLIER, superseded_at=NOW, kind="Person")
    learn("Ana", "hasBoss", "Ivan", said="My boss is Ivan.", kind="Person")
    learn("Ana", "hasCousin", "Ben", said="Ben is my cousin.", kind="Person")
    learn("Ana", "worksFor", "Airbus", said="I work for Airbus.", kind="Organization")
    learn("Ana", "birthDate", "3 March 1990", said="I was born on 3 March 1990.", is_literal=True)
    learn("Ana", "hasSister", "sister", said="I have no sisters.", polarity=Polarity.NEGATIVE, is_any=True)
    learn("Ana", "owns", "blue bike", said="I own a blue bike.")
    learn("Ana", "drives", "red Toyota", said="I drive a red Toyota.")
    learn("Leo", "hasQuality", "tall", said="Leo is tall.", is_literal=True)
    learn("Leo", "livesIn", "Rome", said="Leo lives in Rome.", kind="Place")
    learn("Ben", "livesIn", "Oslo", said="Ben lives in Oslo.", kind="Place")
    assert reply(memory, question) == answer


def said_by(speaker: str, role: Role, text: str) -> Utterance:
    return Utterance(speaker, role, text, EARLIER)


def test_pronoun_means_who_was_spoken_of_and_no_word_of_the_assistant(memory: FakeMemory) -> None:
    memory.learn("Ana", "hasSister", "Julia", said="My sister is Julia.", kind="Person", aliases=["Ana's sister"])
    memory.learn("Julia", "worksAs", "teacher", said="Julia is a teacher.", kind="Occupation")
    history = (
        said_by("Ana", Role.USER, "where does my sister live?"),
        said_by("assistant", Role.ASSISTANT, "I don't know that yet. Tell me, and I will remember it."),
    )
    assert reply(memory, "what does she do?", history=history) == "Julia works as a teacher."


def test_pronoun_passes_over_relatives_of_the_other_sex(memory: FakeMemory) -> None:
    memory.learn("Ana", "hasSister", "Julia", said="My sister is Julia.", kind="Person", aliases=["Ana's sister"])
    memory.learn("Ana", "hasBrother", "Ben", said="My brother is Ben.", kind="Person", aliases=["Ana's brother"])
    memory.learn("Julia", "livesIn", "Nice", said="Julia lives in Nice.", kind="Place")
    memory.learn("Ben", "livesIn", "Oslo", said="Ben lives in Oslo.", kind="Place")
    history = (said_by("Ana", Role.USER, "my sister came, then my brother left"),)
    assert reply(memory, "where does she live?", history=history) == "Julia lives in Nice."
    assert reply(memory, "where does he live?", history=history) == "Ben lives in Oslo."


def test_question_without_question_mark_about_a_day_is_no_statement(memory: FakeMemory) -> None:
    memory.learn("Ana", "birthDate", "12 June", said="My birthday is on June 12th.", is_literal=True)
    memory.learn("Ana", "birthDate", "1988", said="I was born in 1988.", is_literal=True)
    assert reply(memory, "when is my birthday") == "Your birthday is 12 June 1988."
    assert reply(memory, "how old am i") == "You are 38 years old."
    assert reply(memory, "what do you know about me") == "Your birthday is 12 June 1988."


@pytest.mark.parametrize(
    "question", ["do you remember my sister's name?", "my sister's name?", "do you know about my sister's name"]
)
def test_attribute_as_a_topic_is_asked_for_by_itself(memory: FakeMemory, question: str) -> None:
    memory.learn("Ana", "hasSister", "Julia", said="My sister is Julia.", kind="Person", aliases=["Ana's sister"])
    assert reply(memory, question) == "Your sister is Julia."


def test_thing_that_is_owned_is_found_by_its_name_and_told_as_it_was_got(memory: FakeMemory) -> None:
    learn = memory.learn
    learn("Ana", "owns", "green lamp", said="I own a green lamp.")
    learn("Ana", "owns", "blue bike", said="I bought a blue bike last Saturday.", at=NOW)
    assert reply(memory, "Did I buy a bike?") == "Yes, you bought a blue bike."
    said = reply(memory, "When did I buy a bike?")
    assert said == "You bought a blue bike on 31 October 2026, the Saturday before 1 November 2026."


def test_thing_of_another_kind_is_no_answer(memory: FakeMemory) -> None:
    memory.learn("Melanie", "owns", "cross necklace", said="I have a cross necklace.", speaker="Melanie")
    memory.learn("Melanie", "learns", "marketing", said="I learn marketing.", speaker="Melanie")
    assert says_not_known(reply(memory, "What kind of painting does Melanie have?"))
    assert says_not_known(reply(memory, "What did Melanie recently get promoted to?"))
    assert says_not_known(reply(memory, "Which language is Melanie learning?"))


def test_company_that_was_not_told_is_not_made_up(memory: FakeMemory) -> None:
    memory.learn("Ana", "visited", "Prado", said="I visited the Prado in May.", tense=Tense.PAST)
    assert "You visited the Prado." not in reply(memory, "Who did I visit the Prado with?")


def test_praise_of_another_is_nothing_of_the_speaker(memory: FakeMemory) -> None:
    memory.entity("Tim", kind="Person", is_speaker=True)
    memory.say("Tim", "That slow cooker meal looks yum!", at=EARLIER)
    assert says_not_known(reply(memory, "What does Tim cook in the slow cooker?"))


def test_who_the_asker_is_begins_with_the_name(memory: FakeMemory) -> None:
    memory.learn("owner", "hasName", "Sara", said="My name is Sara.", speaker="owner", is_literal=True)
    memory.learn("owner", "likes", "jazz", said="I like jazz.", speaker="owner")
    assert reply(memory, "who am i", speaker="owner") == "Your name is Sara. You like jazz."
    assert reply(memory, "tell me everything you know about me", speaker="owner").startswith("You like jazz.")


def test_what_goes_without_saying_is_not_noted(memory: FakeMemory) -> None:
    learnt = taught(
        memory.learn("Ana", "hasCat", "Milo", kind="Animal"),
        memory.learn("Ana", "hasCat", "Otis", kind="Animal"),
        memory.learn("Otis", "isA", "cat"),
        memory.learn("Otis", "hasName", "Otis", is_literal=True),
    )
    query = Query("I have two cats, Milo and Otis.", "Ana", NOW)
    assert noted(learnt, query) == "Noted: your cats are Milo and Otis."


def test_two_names_in_small_letters_are_asked_for_each(memory: FakeMemory) -> None:
    memory.learn("Leo", "age", "7", said="Leo is 7.", is_literal=True)
    memory.learn("Mia", "age", "4", said="Mia is 4.", is_literal=True)
    assert reply(memory, "how old are leo and mia?") == "Leo is 7 years old. Mia is 4 years old."


def test_doings_of_a_day_are_told(memory: FakeMemory) -> None:
    yesterday = datetime(2026, 10, 31, tzinfo=UTC)
    memory.learn("Ana", "likes", "jazz", said="I like jazz.")
    memory.learn(
        "Ana",
        "plays",
        "tennis",
        said="I played tennis yesterday.",
        tense=Tense.PAST,
        valid_from=yesterday,
        valid_to=NOW,
    )
    memory.learn(
        "Ana",
        "visited",
        "Prado",
        said="I visited the Prado yesterday.",
        tense=Tense.PAST,
        valid_from=yesterday,
        valid_to=datetime(2026, 11, 1, tzinfo=UTC),
    )
    assert reply(memory, "what did I do yesterday?") == "You visited the Prado. You played tennis."


def test_assent_is_answered_in_a_word(memory: FakeMemory) -> None:
    assert reply(memory, "ok") == "All right."


def test_sentence_of_which_only_something_else_still_holds_says_no_yes(memory: FakeMemory) -> None:
    said = "I sing in a choir and I play the accordion."
    memory.learn("Ana", "memberOf", "choir", said=said, at=EARLIER, superseded_at=NOW)
    memory.learn("Ana", "plays", "accordion", said=said, at=EARLIER)
    assert not reply(memory, "Do I still sing in a choir?").startswith("Yes")
    assert reply(memory, "Do I play the accordion?").startswith("Yes")


def test_sentence_that_says_it_of_somebody_else_answers_for_nobody_asked_about(memory: FakeMemory) -> None:
    memory.learn("Ana's mother", "dislikes", "jazz", said="My mother hates jazz.")
    said = "I live in Bergen and my sister Nora works at Equinor."
    memory.learn("Ana", "livesIn", "Bergen", said=said, kind="Place")
    memory.learn("Nora", "worksFor", "Equinor", said=said, kind="Organization")
    assert says_not_known(reply(memory, "What do I hate?"))
    assert not reply(memory, "Does Nora live in Bergen?").startswith("Yes")
