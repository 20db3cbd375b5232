"""Proofs without a language model: descriptions are resolved before the question is put, and what is unsure is not taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from conversations.core.responders.goal_mem.reading import ReadingPlayers
from conversations.core.responders.goal_mem.rule_based import BY_READING, RuleBasedGoalMem
from conversations.core.responders.goal_mem.triples import TripleValue
from conversations.core.tracing.proof import ProofAttempt
from conversations.core.types import Delta, Grounds, Query
from memory.core.backward_chaining.prover import Prover, prove
from memory.core.backward_chaining.types import Ending, Proof, ProofQuestion
from memory.core.types import QuestionOnTurns, ReadAnswer, Span, WordSpan
from tests.fakes.language import real_parser, real_questions
from tests.fakes.listening import Teaching
from tests.fakes.memory import FakeMemory
from tests.fakes.proving import SaidUnits
from tests.unit.conversations.core.responders.test_goal_mem_questions import KINDS
from tests.unit.memory.core.backward_chaining.players import last_of

NOW = datetime(2025, 1, 1, tzinfo=UTC)
PULLED = "Mr Obi pulled my tooth, the dentist by the market"
PRACTICE = "Obi has his practice in Boise"
OTHER = "the other dentist has a practice in Lagos"


class Reading:
    """Implements `AnswerReader`: for words of a question, words of a turn, with a probability."""

    name = "reading"
    threshold = 0.5

    def __init__(self, told: Mapping[str, tuple[str, float]]) -> None:
        self._told = told
        self.asked: list[str] = []

    def read_many(self, asked: Sequence[QuestionOnTurns]) -> list[list[ReadAnswer]]:
        self.asked += [one.question for one in asked]
        return [[self._read(one.question, turn.text) for turn in one.turns] for one in asked]

    def _read(self, question: str, text: str) -> ReadAnswer:
        for words, (answer, probability) in self._told.items():
            start = text.find(answer)
            if words in question and start >= 0:
                return ReadAnswer(WordSpan(answer, Span(start, start + len(answer))), probability)
        return ReadAnswer(WordSpan("", Span(0, 0)), 0.0)


def proof_of(question: str, reader: Reading, *said: str, told: Sequence[TripleValue] = ()) -> Proof:
    players = ReadingPlayers(parser=real_parser(), reader=reader, triples=lambda text: told, kinds=KINDS)
    memory = SaidUnits(dict(enumerate(said, start=1)))
    asked = ProofQuestion(question, "Ana", NOW)
    prover = Prover(memory=memory, decompose=players, unify=players, refine=players, config=BY_READING)
    return last_of(prove(asked, prover))


def test_who_is_described_is_found_first_and_then_asked_about() -> None:
    told = {"Who is the dentist": ("Mr Obi", 0.9), "practice of Mr Obi": ("Boise", 0.9), "practice": ("Lagos", 0.3)}
    reader = Reading(told)
    proof = proof_of("Where is the practice of the dentist who pulled my tooth?", reader, PULLED, PRACTICE, OTHER)
    assert proof.answer == ("Boise",)
    assert [fact.text for fact in proof.facts] == [PULLED, PRACTICE]
    assert [str(one.subgoal.atom) for one in proof.proved.grounded] == [
        "(z1:dentist who pulled tooth) is the dentist who pulled my tooth",
        "the practice of (z1:dentist who pulled tooth) is (x:place)",
    ]
    assert "Where is the practice of Mr Obi?" in reader.asked


def test_a_triple_tells_who_is_described_where_no_words_are_read() -> None:
    reader = Reading({"practice of Mr Obi": ("Boise", 0.9)})
    told = [TripleValue("Mr Obi", sentence=1)]
    question = "Where is the practice of the dentist who pulled my tooth?"
    proof = proof_of(question, reader, PULLED, PRACTICE, told=told)
    assert (proof.answer, [fact.text for fact in proof.facts]) == (("Boise",), [PULLED, PRACTICE])
    elsewhere = proof_of(question, reader, PULLED, PRACTICE, told=[TripleValue("Mr Obi", sentence=2)])
    assert elsewhere.proved is None, "the sentence of a triple has to be among the facts, with its words"


def test_a_triple_makes_an_answer_surer_and_is_none_by_itself() -> None:
    told = [TripleValue("Boise", sentence=1)]
    unsure = Reading({"practice": ("Boise", 0.3)})
    assert proof_of("Where is his practice?", unsure, PRACTICE, told=told).answer == ("Boise",)
    assert proof_of("Where is his practice?", Reading({}), PRACTICE, told=told).proved is None


def test_a_question_is_asked_as_a_whole_where_nobody_fits_the_description() -> None:
    reader = Reading({"practice": ("Boise", 0.8)})
    proof = proof_of("Where is the practice of the dentist who pulled my tooth?", reader, PULLED, PRACTICE)
    assert proof.answer == ("Boise",)
    assert [one.breadth for one in proof.attempts] == [1, 2]


def test_what_is_read_unsurely_is_not_taken() -> None:
    reader = Reading({"Who is": ("Mr Obi", 0.3), "practice": ("Lagos", 0.3)})
    proof = proof_of("Where is the practice of the dentist who pulled my tooth?", reader, PULLED, OTHER)
    assert proof.proved is None
    assert Ending.PROVED not in {one.ending for one in proof.attempts}


def test_a_description_in_place_of_an_answer_is_followed() -> None:
    reader = Reading({"Which area is my old area": ("West Park", 0.9), "area": ("my old area", 0.9)})
    said = ("a flood was in my old area again", "West Park is my old area, was it")
    proof = proof_of("What area had a flood?", reader, *said)
    assert proof.answer == ("West Park",)
    assert [one.serves for one in proof.proved.subgoals] == [None, 1]
    assert [fact.text for fact in proof.facts] == [said[1], said[0]]


def test_a_place_is_told_by_the_wider_one_that_is_asked_for_and_a_time_as_its_day() -> None:
    proof = proof_of("In which US state is his practice?", Reading({"practice": ("Boise", 0.9)}), PRACTICE)
    assert proof.answer == ("Idaho",)
    assert proof.proved.grounded[0].bridge == "Boise is in Idaho"
    proof = proof_of("In which month did I fall?", Reading({"fall": ("fall", 0.9)}), "last month I did fall badly")
    assert proof.answer == ("April 2024",)


def test_an_answer_of_another_kind_counts_for_less() -> None:
    reader = Reading({"town": ("fridge", 0.6)})
    assert proof_of("To which town did I go?", reader, "I did go to the fridge").proved is None


def reply_of(text: str, reader: Reading | None, *said: str) -> tuple[str, list[object]]:
    memory = FakeMemory()
    memory.entity("Ana", kind="Person", is_speaker=True)
    ids = [memory.say("Ana", one, at=NOW) for one in said]
    assert len(ids) == len(said)
    responder = RuleBasedGoalMem(
        memory=memory,
        recall=SaidUnits(dict(enumerate(said, start=1))),
        kinds=KINDS,
        parser=real_parser(),
        listener=Teaching(),
        entailment=None,
        read_questions=real_questions(),
        read_answers=reader,
    )
    parts = list(responder.reply(Query(text, "Ana", NOW)))
    return "".join(part.text for part in parts if isinstance(part, Delta)), parts


def test_a_reply_tells_the_value_with_its_sentences_and_shows_the_proof() -> None:
    text, parts = reply_of(
        "Where is my practice?", Reading({"practice": ("my old barn", 0.9)}), "I practice in my old barn"
    )
    assert text == "Your old barn."
    assert any(isinstance(part, Grounds) and part.sentences for part in parts)
    assert any(isinstance(part, ProofAttempt) and part.ending for part in parts)


def test_a_reply_tells_what_is_missing() -> None:
    text, _ = reply_of("Where does the dentist who pulled my tooth live?", Reading({}), "my tooth hurts")
    assert text.startswith("I don't know that yet. I would have to know who “the dentist who pulled your tooth")


def test_what_no_words_answer_is_looked_up_in_the_graph() -> None:
    reader = Reading({})
    text, parts = reply_of("Do I live in Lyon?", reader, "nothing")
    assert not reader.asked and "don't know" in text
    assert not any(isinstance(part, ProofAttempt) for part in parts)
    assert "don't know" in reply_of("Where do I live?", None)[0]
