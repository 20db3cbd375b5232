"""What `d_smart` says of a missing link, and which of several relatives a modifier means."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conversations.core.responders.d_smart.rule_based import RuleBasedDSmart
from conversations.core.types import Delta, Query
from tests.fakes.language import real_parser, real_questions
from tests.fakes.listening import Teaching
from tests.fakes.memory import FakeMemory
from tests.fakes.said import said_passages
from tests.fakes.walking import FakeWalker
from tests.unit.conversations.core.responders.conftest import NOW

Ask = Callable[[str], str]


@pytest.fixture
def ask() -> Ask:
    memory = FakeMemory()
    learn = memory.learn
    learn("Ana", "hasGrandfather", "Otto", said="My grandfather is Otto.", kind="Person", aliases=["Ana's grandfather"])
    learn("Ana", "hasEx", "Paul", said="My ex-husband is Paul.", kind="Person", aliases=["Ana's ex-husband"])
    learn("Ana", "spouse", "Ana's husband", said="My husband is tall.", kind="Person", aliases=["Ana's husband"])
    learn("Hedda", "maritalStatus", "engaged", said="Hedda is engaged.")
    learn("Ana", "studiesAt", "Brook Academy", said="I study at Brook Academy.", kind="Organization")
    learn("Bastian", "studies", "chemistry", said="Bastian studies chemistry.")
    learn("Ana", "shareAnOfficeWith", "Paolo", said="I share an office with Paolo.", phrase="share an office with")
    learn("Paolo", "livesIn", "Bari", said="Paolo lives in Bari.", kind="Place")
    learn("Ana", "hasNeighbor", "Dirk", said="My upstairs neighbour is Dirk.", kind="Person")
    learn("Ana", "hasNeighbor", "Xanthe", said="My downstairs neighbour is Xanthe.", kind="Person")
    learn("Dirk", "plays", "accordion", said="Dirk plays the accordion.")
    learn("Xanthe", "plays", "harp", said="Xanthe plays the harp.")
    learn("Ana", "hasBrother", "Max", said="My older brother Max and my younger brother Tim sing.", kind="Person")
    learn("Ana", "hasBrother", "Tim", said="My older brother Max and my younger brother Tim sing.", kind="Person")
    learn("Max", "spouse", "Petra", said="Max is married to Petra.", kind="Person")
    learn("Tim", "spouse", "Olga", said="Tim is married to Olga.", kind="Person")
    learn("Petra", "worksAs", "nurse", said="Petra is a nurse.")
    learn("Olga", "worksAs", "pilot", said="Olga is a pilot.")
    learn("Ana", "hasDentist", "Dr Sahin", said="Dr Sahin is my dentist.", kind="Person")
    learn("Emre", "worksFor", "Glass Museum", said="Emre works at the Glass Museum.", kind="Organization")
    learn("Dr Sahin", "spouse", "Emre", said="Dr Sahin is married to Emre.", kind="Person")

    def reply(text: str) -> str:
        responder = RuleBasedDSmart(
            passages=said_passages(),
            read_questions=real_questions(),
            read_answers=None,
            memory=memory,
            walker=FakeWalker(memory),
            parser=real_parser(),
            listener=Teaching(),
        )
        parts = responder.reply(Query(text, "Ana", NOW))
        return "".join(part.text for part in parts if isinstance(part, Delta)).strip()

    return reply


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("Where does my ex-husband's boss live?", "You haven't told me who Paul's boss is."),
        ("Where did my grandfather's wife study?", "You haven't told me who Otto's wife is."),
        ("Who wrote the book that Nadja lent me?", "You haven't told me enough about the book that Nadja lent you."),
        (
            "Where does the man Hedda is engaged to live?",
            "You haven't told me enough about the man Hedda is engaged to.",
        ),
        ("Where does the friend I study with live?", "You haven't told me enough about the friend you study with."),
        ("Where is my grandfather's farm?", "You haven't told me enough about Otto's farm."),
        (
            "Is my younger brother's wife a nurse?",
            "You haven't told me whether Olga is a nurse.",
        ),
        ("What car does the person I share an office with drive?", "You haven't told me which car Paolo drives."),
    ],
)
def test_the_missing_link_is_said_in_good_grammar(ask: Ask, question: str, end: str) -> None:
    assert ask(question).endswith(end)


def test_what_the_question_says_itself_is_not_told_as_known(ask: Ask) -> None:
    # The husband was spoken of, so that it would be wrong to say that nobody told of him.
    assert ask("Where does my husband's boss live?") == "I don't know that yet. Tell me, and I will remember it."


def test_what_somebody_studies_is_not_with_whom(ask: Ask) -> None:
    assert "No." not in ask("Does Bastian study with the man Hedda is engaged to?")
    assert "Brook Academy" not in ask("Which street does the person I study with live on?")


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Which instrument does my upstairs neighbour play?", "accordion", "harp"),
        ("Which instrument does my downstairs neighbour play?", "harp", "accordion"),
        ("What does my older brother's wife do?", "nurse", "pilot"),
        ("What does the wife of my little brother do?", "pilot", "nurse"),
    ],
)
def test_a_modifier_tells_who_is_meant(ask: Ask, question: str, right: str, wrong: str) -> None:
    reply = ask(question)
    assert right in reply
    assert wrong not in reply


def test_without_a_modifier_both_are_told(ask: Ask) -> None:
    reply = ask("Which instrument does my neighbour play?")
    assert "accordion" in reply and "harp" in reply


@pytest.mark.parametrize(
    "question",
    ["How am I connected to the Glass Museum?", "How do I know Sahin?", "What connects me and Doctor Sahin?"],
)
def test_names_are_found_with_another_title_or_article(ask: Ask, question: str) -> None:
    assert "Dr Sahin" in ask(question)


def test_with_whom_something_is_shared_leads_on(ask: Ask) -> None:
    assert "Bari" in ask("Where does the person I share an office with live?")
