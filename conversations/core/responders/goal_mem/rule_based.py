"""The responder `goal_mem` without a language model: proofs by a parse and the answer reader (GOAL-MEM, Algorithm 1).

A question that no words of a turn answer (whether something is so, all that is known of somebody) is answered as `graph`
answers it. So is every question where there is no answer reader.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conversations.core.responders.answers import CANNOT, OF_NO_MEMORY, UNKNOWN, Answer, answer
from conversations.core.responders.goal_mem.kinds import Kinds
from conversations.core.responders.goal_mem.proving import grounds_of, proved
from conversations.core.responders.goal_mem.reading import ReadingPlayers
from conversations.core.responders.goal_mem.triples import AskedTriples
from conversations.core.responders.message import Piece, questions_in
from conversations.core.responders.recall import looked_at, recall
from conversations.core.responders.reply_by_rule import reply_by_rule
from conversations.core.responders.said_answers import NOT_WORDS, as_told
from conversations.core.tracing.proof import missing_in
from conversations.core.types import Grounds, Query, ReplyPart, Stage
from memory.core.backward_chaining.nl_logic import Atom
from memory.core.backward_chaining.prover import Prover, ProverConfig
from memory.core.backward_chaining.types import Proof, ProofQuestion
from memory.core.english.grammatical_person import told_to_its_speaker
from memory.core.knowledge_graph.question import GraphQuestion
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.verbalisation import finished
from memory.core.ports import (
    AnswerReader,
    EntailmentModel,
    MemoryReader,
    MessageListener,
    QuestionReader,
    Recall,
    SentenceReader,
    SyntacticParser,
)

# The reader sees 20 turns at once: a retrieval is read whole, and costs no call of a model.
BY_READING = ProverConfig(breadth=2, units_a_query=20)


@dataclass(frozen=True, kw_only=True)
class RuleBasedGoalMem:
    """Implements `Responder`."""

    name: str = "goal_mem"
    memory: MemoryReader
    recall: Recall
    kinds: Kinds
    parser: SyntacticParser
    listener: MessageListener
    entailment: EntailmentModel | None
    read_questions: QuestionReader | None
    read_answers: AnswerReader | None

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield from reply_by_rule(query, self._answers, listener=self.listener)

    def _answers(self, query: Query, pieces: Sequence[Piece]) -> Iterator[ReplyPart | Answer]:
        questions = read_questions(questions_in(pieces), reader=self.read_questions)
        for place, question in enumerate(questions):
            if self.read_answers is None or question.wanted in NOT_WORDS:
                yield from self._looked_up(question, query)
            elif question.kind in OF_NO_MEMORY:
                yield Answer(CANNOT, is_known=False)
            else:
                yield from self._proved(question, query, self.read_answers, place)

    def _looked_up(self, question: GraphQuestion, query: Query) -> Iterator[ReplyPart | Answer]:
        found = recall(question, query, memory=self.memory)
        yield Stage("recall", looked_at(found))
        yield replace(answer(found, query), question=question.text)

    def _proved(
        self, question: GraphQuestion, query: Query, reader: AnswerReader, place: int
    ) -> Iterator[ReplyPart | Answer]:
        triples = AskedTriples(query=query, memory=self.memory, reader=self.read_questions)
        players = ReadingPlayers(parser=self.parser, reader=reader, triples=triples.values_of, kinds=self.kinds)
        prover = Prover(
            memory=self.recall,
            decompose=players,
            unify=players,
            refine=players,
            entailment=self.entailment,
            config=BY_READING,
        )
        asked = ProofQuestion(question.text, query.speaker, query.asked_at, query.history)
        proof = yield from proved(asked, prover=prover, search=place)
        made = answer_of(proof, query, self.memory)
        yield replace(made, question=question.text, missing=() if made.is_known else missing_in(proof))


def answer_of(proof: Proof, query: Query, sentences: SentenceReader) -> Answer:
    """Return the value that was proved with the sentences that prove it, else that it is not known, and what is missing."""
    if not proof.answer:
        return Answer(unknown(proof), is_known=False)
    speaker = proof.facts[-1].speaker if proof.facts else query.speaker
    told = ", ".join(as_told(value, speaker, query) for value in proof.answer)
    return Answer(finished(told), next(grounds_of([proof], sentences), Grounds()))


def unknown(proof: Proof) -> str:
    """Return that an answer is not known, and of whom it would have to be known who that is."""
    described = [words for one in proof.missing if (words := description_in(one.atom))]
    if not described or proof.statistics.units == 0:
        return f"{UNKNOWN} Nothing that was said tells it surely enough."
    words = told_to_its_speaker(described[0])
    return f"{UNKNOWN} I would have to know who “{words}” is."


def description_in(atom: Atom) -> str:
    """Return the description in an atom that asks who it means: "my dentist" of "(z1) is my dentist"; "" in any other."""
    asks_who = len(atom.variables) == 1 and atom.parts[0] in atom.variables
    return atom.sentence.partition(" is ")[2] if asks_who else ""
