"""Plays a case of questions: its dialogue is replayed once into a scratch space, and each system is asked each question."""

from __future__ import annotations

from collections.abc import Sequence

from conversations.core.types import Grounds
from conversations.services.asking import TimedReply, question_ask
from evaluation.core.naming import KEY_LIMIT, fitted
from evaluation.core.retrieval import Evidence, read_evidence
from evaluation.core.runs.answers import metrics_of_answer, reply_figures
from evaluation.core.runs.identity import case_of
from evaluation.core.runs.items import asker_of
from evaluation.core.types import Case, CaseQuestion
from evaluation.models import CaseState, RunItem
from evaluation.selectors import failed_round_count, failed_round_reason
from evaluation.services.replay import case_replay
from evaluation.services.runs.claims import Claim, Outcome
from evaluation.services.runs.faults import error_of, failed_outcome, memory_check
from evaluation.services.spaces import scratch_create
from memory import bootstrap
from memory.adapters.precedence import precedence
from memory.core.tracing import ModelCall
from memory.core.types import Polarity, Triple
from memory.models import Space, Turn
from memory.trace_views.base import Reading, blocks_of

FILE = "case"


def answers_play(claim: Claim) -> None:
    """Ask what of the case has not been asked."""
    waiting = claim.waiting()
    if not waiting:
        return
    case = case_of(claim.case.content)
    space = scratch_of(claim)
    try:
        case_remember(claim, case, space)
    except Exception as fault:
        claim.write(answers_failed(claim, waiting, error_of(fault, f"The replay of case {case.id}")))
        return
    questions = {fitted(question.id, KEY_LIMIT): question for question in case.questions}
    asking = Asking(claim.run.benchmark, claim.run.engine, case, space)
    for item in waiting:
        claim.go_on()
        precedence.give_way()
        claim.write([asking.outcome(item, questions[item.key])])


def answers_failed(claim: Claim, items: Sequence[RunItem], error: str) -> list[Outcome]:
    return [failed_outcome(item, error, metrics_of(item)) for item in items]


def metrics_of(item: RunItem) -> list[str]:
    return metrics_of_answer(item.expected, has_evidence=bool(item.evidence))


def scratch_of(claim: Claim) -> Space:
    """Return the scratch space of a case, made at the first call."""
    space = claim.case.scratch
    if space is None:
        space = scratch_create(title=claim.case.key, like=claim.run.space)
        claim.case_write(scratch=space)
    return space


def case_remember(claim: Claim, case: Case, space: Space) -> None:
    """Replay the case where that was not done to its end. Raises `EngineGone` where the engine did not answer."""
    bootstrap.engine_warm(claim.run.engine)
    if claim.case.state == CaseState.READY:
        return
    case_replay(case=case, space=space, file_stem=FILE, engine=claim.run.engine, on_turns=claim.go_on)
    memory_check(space)
    claim.case_write(state=CaseState.READY, rounds_failed=failed_round_count(space), failure=failed_round_reason(space))


class Asking:
    """Puts the questions of a case to systems over its space."""

    def __init__(self, benchmark: str, engine: str, case: Case, space: Space) -> None:
        self._benchmark = benchmark
        self._engine = engine
        self._space = space
        self._case = case.id
        self._places = {fitted(turn.key, KEY_LIMIT): (turn.key, one.key) for one in case.sessions for turn in one.turns}
        self._evidence = {one.question.id: one.evidence for one in read_evidence(case).asked}

    def outcome(self, item: RunItem, question: CaseQuestion) -> Outcome:
        """Return how an item ended. Raises `EngineGone`, and what is no fault of the item."""
        asked_by = asker_of(question, benchmark=self._benchmark)
        try:
            answer = question_ask(
                space_id=self._space.pk,
                question=question.question,
                asked_by=asked_by,
                asked_at=question.asked_at,
                responder=item.system,
                engine=self._engine,
            )
            return self._answered(item, question, answer, asked_by)
        except Exception as fault:
            error = error_of(fault, f"Question {question.id} of case {self._case}")
            return failed_outcome(item, error, metrics_of(item))

    def _answered(self, item: RunItem, question: CaseQuestion, answer: TimedReply, asked_by: str) -> Outcome:
        passages = self._passages(answer.grounds)
        found = tuple(dict.fromkeys(str(one["key"]) for one in passages if one["key"]))
        session_of = dict(self._places.values())
        figures = reply_figures(
            answer.text,
            question,
            benchmark=self._benchmark,
            evidence=self._evidence.get(question.id, Evidence(frozenset())),
            found_sessions={session_of[key] for key in found},
            found_turns=found,
        )
        calls = [one.step for one in answer.trace if isinstance(one.step, ModelCall)]
        blocks = blocks_of(answer.trace, Reading(space_id=self._space.pk, reader=asked_by))
        return Outcome(
            item,
            tuple(figures),
            reply=answer.text,
            found=tuple(fitted(key, KEY_LIMIT) for key in found),
            passages=[{**one, "key": fitted(str(one["key"]), KEY_LIMIT)} for one in passages],
            trace=[{"number": one.number, "kind": one.kind, "lines": list(one.lines)} for one in blocks],
            first_token_ms=answer.first_token_ms,
            total_ms=answer.total_ms,
            calls=len(calls),
            prompt_tokens=told([one.prompt_tokens for one in calls]),
            completion_tokens=told([one.completion_tokens for one in calls]),
        )

    def _passages(self, grounds: Grounds) -> list[dict[str, object]]:
        """Return what a reply rests on, as words that outlive the space, each with the key of its turn in the case."""
        facts = [(triple_words(one.triple), one.triple.source, one.why) for one in grounds.triples]
        said = [(one.sentence.shown, one.sentence, one.why) for one in grounds.sentences]
        turns = {source.turn_id for _, source, _ in (*facts, *said)}
        keys = dict(Turn.objects.filter(pk__in=turns).values_list("pk", "key"))
        known: list[dict[str, object]] = [
            {"key": "", "text": one.triple.text, "speaker": one.triple.source, "why": one.why}
            for one in grounds.knowledge
        ]
        found: list[dict[str, object]] = [
            {
                "key": self._places.get(keys.get(source.turn_id, ""), ("", ""))[0],
                "text": text,
                "speaker": source.speaker,
                "said_at": source.said_at.isoformat(),
                "why": why,
            }
            for text, source, why in (*facts, *said)
        ]
        return [*found, *known]


def triple_words(triple: Triple) -> str:
    denied = "" if triple.polarity == Polarity.POSITIVE else "not "
    return f"{triple.subject.label} | {denied}{triple.predicate} | {triple.object}"


def told(counts: Sequence[int | None]) -> int | None:
    """Return the sum of what servers report; None where calls were made and none reports it."""
    known = [count for count in counts if count is not None]
    return sum(known) if known or not counts else None
