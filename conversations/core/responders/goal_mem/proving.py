"""Proves the questions of a message: yields the trace of each search while it runs, and what it came to."""

from collections.abc import Generator, Iterator, Sequence

from conversations.core.responders.message import Kind, Piece, questions_in
from conversations.core.tracing.proof import Outcome, attempt_step, ended_step, missing_in, search_step
from conversations.core.types import Grounds, GroundSentence, Query, ReplyPart, Stage
from memory.core.backward_chaining.prover import Prover, Proving
from memory.core.backward_chaining.types import Attempt, Ending, Proof, ProofQuestion
from memory.core.errors import LanguageModelError
from memory.core.ports import SentenceReader

PROVED_BY = "is what the answer is proved by"
# Attempts that ended so have looked for nothing: what they did not find may well have been said.
_NOT_UNDERSTOOD = frozenset({Ending.UNREADABLE, Ending.NO_LOGIC, Ending.NOTHING_TO_PROVE})
_NAMED = 3


def questions_of(query: Query, pieces: Sequence[Piece]) -> list[str]:
    """Return the questions of a message: a request is one as a whole; none where nothing is asked."""
    is_request = any(piece.kind is Kind.REQUEST for piece in pieces)
    return [query.text] if is_request else questions_in(pieces)


def proofs_of(
    questions: Sequence[str], query: Query, *, prover: Prover
) -> Generator[ReplyPart, None, tuple[Proof, ...]]:
    """Yield the searches for proofs of questions, and return what they came to.

    Raises `LanguageModelError` where none of them could be understood or looked for.
    """
    proofs: list[Proof] = []
    for place, text in enumerate(questions):
        asked = ProofQuestion(text, query.speaker, query.asked_at, query.history)
        proofs.append((yield from proved(asked, prover=prover, search=place)))
    if all(outcome_of(proof) is Outcome.UNREADABLE for proof in proofs):
        raise _not_understood(proofs)
    return tuple(proofs)


def proved(question: ProofQuestion, *, prover: Prover, search: int) -> Generator[ReplyPart, None, Proof]:
    """Yield the steps of the `search`-th search of a reply (GOAL-MEM, Algorithm 1), and return its proof."""
    yield search_step(question, search=search)
    proving = Proving(question, prover)
    for attempt in proving:
        yield Stage("prove", progress_line(attempt))
        yield attempt_step(attempt, search=search)
    yield ended_step(proving.proof, outcome_of(proving.proof), search=search)
    return proving.proof


def outcome_of(proof: Proof) -> Outcome:
    """Return what a search came to; it is unreadable where no attempt could look for anything."""
    if proof.proved is not None:
        return Outcome.PROVED
    is_understood = any(one.ending not in _NOT_UNDERSTOOD and one.subgoals for one in proof.attempts)
    return Outcome.UNKNOWN if is_understood else Outcome.UNREADABLE


def progress_line(attempt: Attempt) -> str:
    """Return the progress line of an attempt: "found 1 of 3 things that I need to know"."""
    many = len(attempt.subgoals)
    if not many:
        return "looking for another way"
    things = f"{many} thing{'' if many == 1 else 's'} that I need to know"
    return f"found {len(attempt.grounded)} of {things}" if attempt.memory else f"looking for {things}"


def grounds_of(proofs: Sequence[Proof], sentences: SentenceReader) -> Iterator[Grounds]:
    """Yield the sentences of the supporting facts F, where there are any."""
    ids = dict.fromkeys(one for proof in proofs for fact in proof.facts for one in fact.sentence_ids)
    sources = sentences.sources_of(list(ids)) if ids else []
    if sources:
        yield Grounds(sentences=tuple(GroundSentence(source, PROVED_BY) for source in sources))


def not_known(proofs: Sequence[Proof]) -> str:
    """Return "I don't know", with what would have to be known."""
    missing = list(dict.fromkeys(one for proof in proofs for one in missing_in(proof)))
    if not missing:
        return "I don't know. Nothing that you told me says it."
    named = "; ".join(f"“{one}”" for one in missing[:_NAMED])
    more = f", and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return f"I don't know. To be sure I would have to know: {named}{more}."


def _not_understood(proofs: Sequence[Proof]) -> LanguageModelError:
    said = [one.detail for proof in proofs for one in proof.attempts if one.detail]
    why = f" {said[0]}" if said else ""
    return LanguageModelError(f"No way of proving an answer could be used.{why} Try again, or choose another model.")
