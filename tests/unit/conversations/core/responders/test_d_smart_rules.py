"""`d_smart` without a language model: joined facts through the tree, plain questions as `graph`, and nothing invented."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from conversations.core.responders.acknowledgement import NOT_REMEMBERED
from conversations.core.responders.answers import CANNOT
from conversations.core.responders.d_smart.rule_based import RuleBasedDSmart
from conversations.core.responders.graph.rule_based import RuleBasedGraph
from conversations.core.types import Delta, Grounds, Query, Reasoning, ReplyPart, Stage
from memory.core.reasoning_tree.types import ActionKind, Level, SearchNode, SearchResult
from memory.core.types import AskedKind, Likely, QuestionOnTurns, ReadAnswer, Role, Span, Utterance, WordSpan
from tests.fakes.asked import PLAIN, OneReading
from tests.fakes.language import real_parser, real_questions
from tests.fakes.listening import Teaching
from tests.fakes.memory import FakeMemory
from tests.fakes.said import said_passages, spoken
from tests.fakes.walking import FakeWalker
from tests.unit.conversations.core.responders.conftest import NOW, Heard, day

Ask = Callable[[str], Heard]


@pytest.fixture
def town() -> FakeMemory:
    """Ana's people and what is around them."""
    memory = FakeMemory()
    learn = memory.learn
    learn("Ana", "hasSister", "Maya", said="My sister is Maya.", kind="Person", aliases=["Ana's sister"])
    learn("Maya", "worksFor", "Airbus", said="Maya works for Airbus.", kind="Organization", superseded_at=None)
    learn(
        "Airbus",
        "officeIn",
        "Toulouse",
        said="Airbus has its office in Toulouse.",
        kind="Place",
        phrase="have office in",
    )
    learn("Toulouse", "locatedIn", "France", said="Toulouse is in France.", kind="Place", phrase="be in")
    learn("Maya", "livesIn", "Lyon", said="Maya lives in Lyon.", kind="Place")
    learn("Ana", "hasBoss", "Karin", said="My boss is Karin.", kind="Person", aliases=["Ana's boss"])
    learn("Karin", "livesIn", "Lyon", said="Karin lives in Lyon.", kind="Place")
    learn("Ana", "hasFriend", "Ben", said="My friend Ben works at Spotify.", kind="Person", aliases=["Ana's friend"])
    learn("Ben", "worksFor", "Spotify", said="My friend Ben works at Spotify.", kind="Organization")
    learn("Ben", "livesIn", "Oslo", said="Ben lives in Oslo.", kind="Place")
    learn("Ana", "hasFriend", "Omar", said="My friend Omar works at Spotify.", kind="Person", aliases=["Ana's friend"])
    learn("Omar", "worksFor", "Spotify", said="My friend Omar works at Spotify.", kind="Organization")
    learn("Ana", "hasFriend", "Lisa", said="My friend Lisa works at IKEA.", kind="Person", aliases=["Ana's friend"])
    learn("Lisa", "worksFor", "IKEA", said="My friend Lisa works at IKEA.", kind="Organization")
    learn("Ana", "hasBrother", "Leo", said="My brother Leo married Claire.", kind="Person", aliases=["Ana's brother"])
    learn("Leo", "spouse", "Claire", said="My brother Leo married Claire.", kind="Person", phrase="marry")
    learn("Claire", "hasBoss", "Mr. Duval", said="Claire's boss is Mr. Duval.", kind="Person")
    learn("Leo", "worksFor", "Nestle", said="Leo works for Nestle.", kind="Organization", superseded_at=day(2025))
    learn("Nestle", "officeIn", "Vevey", said="Nestle has its office in Vevey.", kind="Place", phrase="have office in")
    learn("Rosa", "owns", "Kornblume", said="Rosa owns the bakery Kornblume.", phrase="own")
    learn("Claire", "worksFor", "Kornblume", said="Claire works at Kornblume.", kind="Organization")
    learn("Rosa", "drives", "old Volvo", said="Rosa drives an old Volvo.", phrase="drive")
    return memory


@pytest.fixture
def ask(town: FakeMemory) -> Ask:
    return lambda text: heard(town, text)


def heard(memory: FakeMemory, text: str) -> Heard:
    parts = list(responder_of(memory).reply(Query(text, "Ana", NOW)))
    return Heard("".join(part.text for part in parts if isinstance(part, Delta)), tuple(parts))


def responder_of(memory: FakeMemory) -> RuleBasedDSmart:
    return RuleBasedDSmart(
        passages=said_passages(),
        read_questions=real_questions(),
        read_answers=None,
        memory=memory,
        walker=FakeWalker(memory),
        parser=real_parser(),
        listener=Teaching(),
    )


def tree_of(reply: Heard) -> list[SearchNode]:
    return [
        node
        for part in reply.parts
        if isinstance(part, Reasoning) and isinstance(part.part, Level)
        for node in part.part.nodes
    ]


def result_of(reply: Heard) -> SearchResult:
    [result] = [
        part.part for part in reply.parts if isinstance(part, Reasoning) and isinstance(part.part, SearchResult)
    ]
    return result


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Where does my sister's employer have its office?", "Toulouse"),
        ("Where does the company that Maya works for have its office?", "Toulouse"),
        ("In which country is the company my sister works for?", "France"),
        ("Who is the boss of the woman my brother married?", "Mr. Duval"),
        ("Who is my brother's wife's boss?", "Mr. Duval"),
        ("What does the owner of the bakery where Claire works drive?", "Volvo"),
        ("Who lives in the same city as my sister?", "Karin"),
        ("Which of my friends work at the same company?", "Ben and Omar"),
        ("Which of my friends works at IKEA?", "Lisa"),
        ("How many of my friends work at Spotify?", "2: "),
        ("Does my sister live in the same city as my boss?", "Yes."),
        ("Does Ben live in the same city as my boss?", "No."),
        ("Do any two of my friends work at the same company?", "Yes."),
        ("Does my sister's employer have its office in Toulouse?", "Yes"),
        ("Whose sister works for Airbus?", "Maya"),
        ("How do I know Claire?", "Leo is married to Claire"),
        ("What connects Maya and Toulouse?", "Airbus"),
    ],
)
def test_joined_questions_are_answered(ask: Ask, question: str, said: str) -> None:
    reply = ask(question)
    assert said in reply.text
    assert reply.grounds
    assert result_of(reply).best is not None


def test_two_hops_are_found_through_a_path(ask: Ask) -> None:
    reply = ask("Where does my sister's employer have its office?")
    best = result_of(reply).best
    assert best is not None
    assert ActionKind.FIND_PATH in {action.kind for action in best.state.trajectory}
    assert best.state.answer == reply.text == "Your sister Maya works for Airbus. Airbus has an office in Toulouse."
    assert any(stage.detail.startswith("found a path") for stage in reply.stages)
    whys = {item.triple.predicate: item.why for item in reply.grounds[0].triples}
    assert whys == {
        "officeIn": "answers the question",
        "hasSister": "is a step of the way",
        "worksFor": "is a step of the way",
    }


@pytest.mark.parametrize(
    ("question", "known", "missing", "never"),
    [
        (
            "Where does the company Lisa works for have its office?",
            "Lisa works for IKEA.",
            "where IKEA has its office",
            "Toulouse",
        ),
        ("Who is the boss of the woman Ben married?", "", "Ben", "Duval"),
        ("What does the boss of my brother's wife drive?", "Mr. Duval", "what Mr. Duval drives", "Volvo"),
        ("Who lives in the same city as Lisa?", "", "Lisa", "Karin"),
    ],
)
def test_what_is_missing_is_said_and_nothing_near_is_given(
    ask: Ask, question: str, known: str, missing: str, never: str
) -> None:
    reply = ask(question)
    assert known in reply.text
    assert "haven't told me" in reply.text
    assert missing in reply.text
    assert never not in reply.text


def test_superseded_links_are_not_walked(ask: Ask) -> None:
    reply = ask("Where does the company my brother works for have its office?")
    assert "Vevey" not in reply.text
    assert "haven't told me" in reply.text


@pytest.mark.parametrize(
    "message",
    [
        "Where does Maya live?",
        "Where does my sister live?",
        "Who is my boss?",
        "I moved to Bonn.",
        "Hello!",
        "Write me a poem.",
    ],
)
def test_whatever_joins_nothing_is_answered_as_graph_does(town: FakeMemory, message: str) -> None:
    graph = RuleBasedGraph(
        passages=said_passages(),
        read_questions=real_questions(),
        read_answers=None,
        memory=town,
        listener=Teaching(),
    )
    said = "".join(part.text for part in graph.reply(Query(message, "Ana", NOW)) if isinstance(part, Delta))
    assert heard(town, message).text == said


def test_question_that_is_none_to_a_memory_is_not_searched_for(town: FakeMemory) -> None:
    world = OneReading(replace(PLAIN, kind=Likely(AskedKind.WORLD, 0.9)))
    responder = replace(responder_of(town), read_questions=world)
    parts = tuple(responder.reply(Query("Which city does the company that made the first phone sit in?", "Ana", NOW)))
    reply = Heard("".join(part.text for part in parts if isinstance(part, Delta)), parts)
    assert reply.text == CANNOT
    assert tree_of(reply) == []


def test_what_one_look_answers_leaves_no_tree(ask: Ask) -> None:
    reply = ask("Where does Maya live?")
    assert [part.name for part in reply.parts if isinstance(part, Stage)] == ["read", "recall"]
    assert not any(isinstance(part, Reasoning) for part in reply.parts)


def test_grounds_come_before_the_words_that_rest_on_them(ask: Ask) -> None:
    kinds: list[type[ReplyPart]] = [
        type(part) for part in ask("Where does my sister's employer have its office?").parts
    ]
    assert kinds.index(Grounds) < kinds.index(Delta)
    assert kinds[0] is Stage


def test_what_is_told_beside_a_question_is_acknowledged_first(ask: Ask) -> None:
    reply = ask("I moved to Bonn. Where does my sister's employer have its office?")
    assert reply.text.index(NOT_REMEMBERED) < reply.text.index("Toulouse")


def test_the_same_question_grows_the_same_tree(ask: Ask) -> None:
    first, second = (tree_of(ask("Who is the boss of the woman my brother married?")) for _ in range(2))
    assert [(n.number, n.action, n.fate, n.state.value) for n in first] == [
        (n.number, n.action, n.fate, n.state.value) for n in second
    ]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who owns my old cello?", "Marlene."),
        # What was said of a part does not answer for a whole of which the asker is no part.
        ("What is the job of the man Rosa married?", "I don't know that yet."),
    ],
)
def test_what_the_asker_said_answers_where_the_search_finds_nothing(question: str, said: str) -> None:
    told = spoken(NOW, ("Ana", "My old cello has gone to Marlene, a dentist."))
    responder = replace(responder_of(FakeMemory()), passages=said_passages(told), read_answers=NamedReader("Marlene"))
    parts = tuple(responder.reply(Query(question, "Ana", NOW)))
    assert "".join(part.text for part in parts if isinstance(part, Delta)).startswith(said)


class NamedReader:
    """An answer reader that is sure of one word wherever it stands."""

    name = "named"
    threshold = 0.5

    def __init__(self, word: str) -> None:
        self._word = word

    def read_many(self, asked: Sequence[QuestionOnTurns]) -> list[list[ReadAnswer]]:
        return [[self._read(turn.text) for turn in one.turns] for one in asked]

    def _read(self, text: str) -> ReadAnswer:
        start = text.index(self._word)
        return ReadAnswer(WordSpan(self._word, Span(start, start + len(self._word))), 0.9)


def test_an_empty_memory_knows_nothing() -> None:
    assert "don't know" in heard(FakeMemory(), "Where does my sister's employer have its office?").text


def test_closing_the_reply_ends_the_search(town: FakeMemory) -> None:
    query = Query(
        "Where does my sister's employer have its office?", "Ana", NOW, (Utterance("Ana", Role.USER, "Hi.", NOW),)
    )
    parts = responder_of(town).reply(query)
    reads = town.reads
    while not isinstance(next(parts), Reasoning):
        reads = town.reads
    reads = town.reads
    parts.close()  # type: ignore[attr-defined]
    assert town.reads == reads
    assert list(parts) == []
