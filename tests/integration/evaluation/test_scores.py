"""Scores are promised with the end of a round, computed once, and shown as the pure functions give them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from conversations.models import Reply, ReplyState
from conversations.services import conversation_create, message_post
from evaluation import dispatch
from evaluation.core.turn_consistency.types import Unscored
from evaluation.models import ScoreState, TurnScore
from evaluation.selectors import ScoreStanding, session_scores
from evaluation.services import scores
from evaluation.services.score_promises import scores_catch_up, scores_promise
from evaluation.services.scores import MAX_ATTEMPTS, rows_claim, scores_run
from memory.core.errors import ModelUnfit, TextTooLong
from memory.core.types import EntailmentLabel, EntailmentVerdict
from memory.models import OutboxRecord, SentenceRecord, Turn
from memory.services import (
    maintenance_retry,
    session_create,
    space_maintain,
)
from tests.fakes.entailment import UNDECIDED, JudgingEntailment
from tests.integration.evaluation.scored_talk import talk, use
from tests.integration.memory.dialogues import START, new_session
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db
FOLLOWS = EntailmentVerdict(0.9, 0.08, 0.02)
CLASHES = EntailmentVerdict(0.05, 0.15, 0.8)


def score_of(turn: Turn) -> TurnScore:
    return TurnScore.objects.get(turn=turn)


def test_end_of_maintenance_promises_a_score_and_a_task_in_its_own_transaction(space, model):
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    assert not TurnScore.objects.exists(), "before maintenance there are no sentences to score by"
    space_maintain(space_id=space.pk)
    promised = score_of(reply)
    assert (promised.state, promised.model, promised.strategy) == (ScoreState.PENDING, "", "strongest_sentence")
    assert OutboxRecord.objects.filter(task="evaluation.score_turns", queue="evaluation").count() == 1
    assert model.calls == []


def test_promise_is_lost_with_the_transaction_that_would_have_ended_the_round(space, model, monkeypatch):
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))

    def fail(**signal: object) -> None:
        raise SystemExit

    from memory import events

    events.round_ended.connect(fail, weak=False)
    try:
        with pytest.raises(SystemExit):
            space_maintain(space_id=space.pk)
    finally:
        events.round_ended.disconnect(fail)
    assert not TurnScore.objects.filter(turn=reply).exists()
    space_maintain(space_id=space.pk)
    assert score_of(reply).state == ScoreState.PENDING


def test_score_is_stored_with_all_that_decided(space, model):
    [reply] = talk(new_session(space), ("Hello. I live in Porto.", "Well. You live in Rome."))
    space_maintain(space_id=space.pk)
    model.judge = lambda premise, hypothesis: CLASHES if "Rome" in hypothesis else UNDECIDED
    assert scores_run() == 1
    score = score_of(reply)
    assert (score.state, score.model, score.strategy, score.label) == (
        "scored", "judging", "strongest_sentence", EntailmentLabel.CONTRADICTION,
    )  # fmt: skip
    assert (score.entailment, score.neutral, score.contradiction) == (0.05, 0.15, 0.8)
    assert score.premise_turn.text[score.premise_start : score.premise_end] == "I live in Porto."
    assert reply.text[score.hypothesis_start : score.hypothesis_end] == "You live in Rome."
    assert score.lease_token is None and score.scored_at and score.milliseconds is not None
    assert ("You live in Porto.", "You live in Rome.") in model.asked


def test_session_that_is_not_remembered_is_scored_too_and_leaves_no_sentences(space, model):
    session = session_create(space=space, started_at=START, is_remembered=False)
    [reply] = talk(session, ("I live in Porto.", "You live in Porto."))
    model.judge = lambda premise, hypothesis: FOLLOWS
    assert scores_run() == 1
    assert score_of(reply).label == EntailmentLabel.ENTAILMENT
    assert model.asked == [("You live in Porto.", "You live in Porto.")]
    assert not SentenceRecord.objects.exists()


def test_scoring_that_is_off_promises_nothing(space, model, settings):
    settings.DSMART_SCORES = False
    session = new_session(space)
    talk(session, ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    assert not TurnScore.objects.exists()
    [shown] = session_scores(session)
    assert (shown.state, shown.consistency, shown.label) == (ScoreStanding.NOT_ASKED, None, None)


def test_round_that_failed_is_scored_and_a_retry_scores_nothing_twice(space, model, small_engine):
    def fail_once() -> None:
        small_engine.before = lambda: None
        raise TextTooLong("The message is too long.")

    small_engine.before = fail_once
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    scores_run()
    first = score_of(reply)
    assert first.state == ScoreState.SCORED
    maintenance_retry(round=reply.round)
    space_maintain(space_id=space.pk)
    assert scores_run() == 0
    assert score_of(reply).pk == first.pk
    assert len(model.calls) == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_score_every_turn_once(space, model):
    talk(new_session(space), *((f"I live in City{index}.", f"You live in City{index}.") for index in range(20)))
    space_maintain(space_id=space.pk)
    written: list[int] = []

    def work() -> None:
        written.append(scores_run())
        connection.close()

    workers = [seeing_thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sum(written) == 20
    assert TurnScore.objects.filter(state=ScoreState.SCORED).count() == 20
    assert len(model.calls) == 20


def test_worker_that_died_between_computing_and_writing_leaves_a_turn_that_is_scored_again(space, model, monkeypatch):
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)

    def die(outcome: object) -> None:
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(scores, "outcome_fields", die)
        with pytest.raises(SystemExit):
            scores_run()
    left = score_of(reply)
    assert (left.state, left.attempts, left.entailment) == (ScoreState.PENDING, 1, None)
    assert scores_run() == 0, "the dead worker's lease still stands"

    TurnScore.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert scores_run() == 1
    assert (score_of(reply).state, score_of(reply).attempts) == (ScoreState.SCORED, 2)


def test_turn_at_which_workers_die_is_given_up_with_a_reason(space, model):
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    for _ in range(MAX_ATTEMPTS):
        assert rows_claim().rows
        TurnScore.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    scores_run()
    assert (score_of(reply).reason, score_of(reply).why) == (
        Unscored.FAILED, "The server was interrupted 3 times while it read this turn.",
    )  # fmt: skip
    assert model.calls == []


def test_worker_that_lost_its_lease_writes_nothing(space, model):
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)

    def overtake() -> None:
        model.before = lambda: None
        TurnScore.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        model.judge = lambda premise, hypothesis: FOLLOWS
        assert scores_run() == 1
        model.judge = lambda premise, hypothesis: CLASHES

    model.before = overtake
    assert scores_run() == 0
    assert score_of(reply).label == EntailmentLabel.ENTAILMENT


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelUnfit("The model's labels are A, B and C."), Unscored.FAILED),
        (TextTooLong("The reply fills the model's window."), Unscored.TOO_LONG),
        (ValueError("a bug"), Unscored.FAILED),
    ],
)
def test_what_goes_wrong_is_written_on_the_turn_and_is_no_score(space, model, error, reason):
    def fail() -> None:
        raise error

    model.before = fail
    session = new_session(space)
    [reply] = talk(session, ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    scores_run()
    score = score_of(reply)
    assert (score.state, score.reason, score.label, score.entailment) == (ScoreState.NOT_SCORED, reason, "", None)
    assert score.why == (str(error) if reason is not Unscored.FAILED or isinstance(error, ModelUnfit) else WENT_WRONG)
    [shown] = session_scores(session)
    assert (shown.state, shown.consistency, shown.label, shown.running.rate) == ("not_scored", None, None, None)


WENT_WRONG = "Something went wrong while this turn was read. Its words are kept."


@pytest.mark.parametrize(
    ("message", "answer", "reason"),
    [
        ("I live in Porto.", "Noted.", Unscored.NO_CLAIM),
        ("I live in Porto.", "You live in Porto. " * 2_600, Unscored.TOO_LONG),
        ("I live in Porto.", "...", Unscored.NO_SENTENCE),
    ],
)
def test_turn_without_anything_to_score_says_so(space, model, message, answer, reason):
    [reply] = talk(new_session(space), (message, answer))
    space_maintain(space_id=space.pk)
    scores_run()
    assert (score_of(reply).state, score_of(reply).reason) == (ScoreState.NOT_SCORED, reason)
    assert model.calls == []


def test_without_a_model_turns_say_why_and_are_scored_once_there_is_one(space, monkeypatch):
    use(monkeypatch, None, "There are no weights in /nowhere.")
    session = new_session(space)
    talk(session, ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    scores_run()
    assert [(shown.state, shown.why) for shown in session_scores(session)] == [
        ("not_scored", "There are no weights in /nowhere.")
    ]
    use(monkeypatch, JudgingEntailment())
    assert scores_catch_up(model="judging", space=space) == 1
    scores_run()
    assert [shown.state for shown in session_scores(session)] == ["scored"]
    assert scores_catch_up(model="judging", space=space) == 0


def test_another_model_reads_the_turns_again_and_the_last_to_read_is_shown(space, model, monkeypatch):
    session = new_session(space)
    talk(session, ("I live in Porto.", "You live in Porto."), ("And my cat?", "Your cat lives there."))
    space_maintain(space_id=space.pk)
    scores_run()
    better = JudgingEntailment(lambda premise, hypothesis: FOLLOWS, name="better")
    use(monkeypatch, better)
    assert scores_catch_up(model=better.name, limit=1) == 1
    assert [shown.model for shown in session_scores(session)] == ["judging", "judging"], "until it is read"
    scores_run()
    assert [shown.model for shown in session_scores(session)] == ["judging", "better"]
    assert TurnScore.objects.count() == 3
    assert scores_catch_up(model=better.name) == 1


def test_sweep_asks_for_what_nobody_computes_and_for_nothing_else(space, model, monkeypatch):
    sent: list[str] = []
    monkeypatch.setattr(dispatch.current_app, "send_task", lambda task, **options: sent.append(options["queue"]))
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    dispatch.sweep()
    assert sent == [], "its task is still on its way"
    TurnScore.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    dispatch.sweep()
    assert sent == ["evaluation"]
    rows_claim()
    dispatch.sweep()
    assert sent == ["evaluation"]
    TurnScore.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    scores_run()
    dispatch.sweep()
    assert sent == ["evaluation"] and score_of(reply).state == ScoreState.SCORED


def test_task_is_queued_once_for_all_scores_that_wait(space, model):
    session = new_session(space)
    talk(session, ("I live in Porto.", "You live in Porto."), ("And my cat?", "Your cat lives there."))
    space_maintain(space_id=space.pk)
    tasks = OutboxRecord.objects.filter(task="evaluation.score_turns")
    assert (TurnScore.objects.count(), tasks.count()) == (2, 1)

    def promise_more() -> None:
        model.before = lambda: None
        talk(session, ("I live in Lyon.", "You live in Lyon."))
        space_maintain(space_id=space.pk)

    model.before = promise_more
    assert scores_run() == 3
    assert tasks.count() == 1, "a worker was at it"
    talk(session, ("I live in Nice.", "You live in Nice."))
    space_maintain(space_id=space.pk)
    assert tasks.count() == 2


@pytest.mark.django_db(transaction=True)
def test_worker_that_finds_nothing_more_sees_what_is_being_promised(space, model):
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    TurnScore.objects.all().delete()
    begun = threading.Event()

    def promise() -> None:
        with transaction.atomic():
            scores_promise(round_id=reply.round_id)
            begun.set()
            time.sleep(0.5)
        connection.close()

    promising = seeing_thread(target=promise)
    promising.start()
    assert begun.wait(10)
    assert scores_run() == 1
    promising.join()


def test_task_ends_after_its_time_and_promises_the_rest(space, model):
    talk(new_session(space), *((f"I live in City{index}.", f"You live in City{index}.") for index in range(12)))
    space_maintain(space_id=space.pk)
    OutboxRecord.objects.all().delete()
    assert scores_run(seconds=0) == scores.ROWS_A_CLAIM
    assert OutboxRecord.objects.filter(task="evaluation.score_turns").count() == 1
    newest = TurnScore.objects.filter(state=ScoreState.SCORED).order_by("turn_id").values_list("turn_id", flat=True)
    assert list(newest) == list(TurnScore.objects.order_by("turn_id").values_list("turn_id", flat=True))[4:]


def test_reply_that_is_being_written_goes_first(space, model, owner, monkeypatch):
    conversation = conversation_create(owner=owner, space=space)
    reply = message_post(conversation=conversation, text="Where do I live?")
    Reply.objects.filter(pk=reply.pk).update(
        state=ReplyState.RUNNING, lease_until=timezone.now() + timedelta(minutes=1)
    )
    talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    waits: list[bool] = []

    def wait_until(is_so: Callable[[], bool], *, topic: str, within_s: float) -> None:
        waits.append(is_so())
        Reply.objects.update(state=ReplyState.DONE)
        waits.append(is_so())

    monkeypatch.setattr(scores, "wait_until", wait_until)
    assert scores_run() == 1
    assert waits == [False, True]
