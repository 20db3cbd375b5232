"""What replies state is checked once after their round was read, as of the reply, and survives what may happen meanwhile."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from conversations.models import ReplyTrace
from conversations.services import (
    conversation_check_facts,
    conversation_create,
    conversation_delete,
    message_edit,
    reply_regenerate,
    reply_stop,
    version_show,
)
from evaluation import dispatch
from evaluation.core.reply_facts.types import Verdict
from evaluation.models import CheckState, FactCheck, FactGround, FactRecord
from evaluation.selectors.facts import facts_in
from evaluation.services import fact_checks
from evaluation.services.fact_checks import check_claim, checks_run
from evaluation.services.fact_promises import check_ask
from evaluation.services.scores import MAX_ATTEMPTS
from memory.core.errors import ModelUnreachable
from memory.core.grounded_generation.verification import Ground
from memory.models import OutboxRecord, Round, SentenceRecord, StepRecord, TripleRecord, Turn
from memory.selectors.tracing import steps_of
from memory.services import (
    round_retract,
    session_create,
    session_forget,
    space_forget,
    space_maintain,
    space_personal,
    triple_forget,
)
from memory.services.edits.forget_many import memory_forget
from memory.services.knowledge import knowledge_import, knowledge_remove
from tests.integration.evaluation.scored_talk import talk
from tests.integration.memory.dialogues import START, new_session
from tests.integration.memory.knowledge import base_of, jsonl, knowledge_file, tsv
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db


def facts_of(reply) -> list[tuple]:
    """The text, the words of the sentence, the verdict, and what decided, of each fact."""
    return [
        (
            fact.text,
            reply.text[fact.start : fact.end],
            fact.verdict,
            (fact.ground.kind, fact.ground.words) if fact.ground else None,
        )
        for fact in FactRecord.objects.filter(check_of__turn__key=f"reply-{reply.pk}").select_related("ground")
    ]


def the_check() -> FactCheck:
    return FactCheck.objects.get()


def trace_of(reply) -> list:
    return [one.step for one in steps_of(ReplyTrace.objects.get(reply=reply)) if one.step.kind == "fact_check"]


def test_end_of_the_round_promises_a_check_and_what_is_found_is_stored_and_traced(checking, told):
    reply = told("I live in Porto.", "You live in Porto. You live in Rome. You sail every spring. Nice to meet you.")
    assert (the_check().state, the_check().verifier) == (CheckState.PENDING, "")
    assert OutboxRecord.objects.filter(task="evaluation.check_facts", queue="evaluation").count() == 1
    assert checking.model.calls == []

    assert checks_run() == 1
    check = the_check()
    assert (check.state, check.verifier, check.splitter, check.why) == ("checked", "judging", "sentences", "")
    assert check.lease_token is None and check.checked_at and check.milliseconds is not None
    said = ("triple", "You live in Porto.")
    assert facts_of(reply) == [
        ("You live in Porto.", "You live in Porto.", Verdict.TRUE, said),
        ("You live in Rome.", "You live in Rome.", Verdict.FALSE, said),
        ("You sail every spring.", "You sail every spring.", Verdict.NOT_ENOUGH, None),
        ("Nice to meet you.", "Nice to meet you.", Verdict.NOT_A_CLAIM, None),
    ]
    first = FactRecord.objects.first()
    assert (first.probability, first.ground.triple.value) == (0.9, "Porto")
    assert [(one.kind, one.words) for one in check.grounds.all()] == [said, ("turn", "I live in Porto.")]
    assert [(one.fact, one.verdict, one.ground, one.words, one.of) for one in trace_of(reply)] == [
        ("You live in Porto.", "true", "triple", "You live in Porto.", 2),
        ("You live in Rome.", "false", "triple", "You live in Porto.", 2),
        ("You sail every spring.", "not_enough_information", "", "", 2),
        ("Nice to meet you.", "not_a_claim", "", "", 2),
    ]
    assert len(checking.model.calls) == 1, "the claims of a reply are judged in one batch"
    assert checks_run() == 0


def test_conversation_without_the_switch_is_not_checked_until_it_is_asked_for(checking, told, conversation):
    conversation_check_facts(conversation=conversation, checks_facts=False)
    reply = told("I live in Porto.", "You live in Porto.")
    assert not FactCheck.objects.exists()
    turn = Turn.objects.get(key=f"reply-{reply.pk}")
    check_ask(turn=turn)
    check_ask(turn=turn)
    assert checks_run() == 1
    check_ask(turn=turn)
    assert [row.state for row in FactCheck.objects.all()] == ["checked"]


def test_grounds_come_from_other_conversations_and_never_from_the_products_own_replies(checking, told, space, owner):
    told("I live in Porto.", "You live in Rome.", within=conversation_create(owner=owner, space=space))
    reply = told("Where do I live?", "You live in Rome. You live in Porto.")
    checks_run()
    assert [(fact[0], fact[2], fact[3]) for fact in facts_of(reply)] == [
        ("You live in Rome.", Verdict.FALSE, ("triple", "You live in Porto.")),
        ("You live in Porto.", Verdict.TRUE, ("triple", "You live in Porto.")),
    ]
    assert "Rome" not in " ".join(FactGround.objects.values_list("words", flat=True))


def test_what_was_replaced_by_then_decides_nothing_and_what_came_later_is_not_known(checking, told, conversation):
    first = told("I live in Porto.", "You live in Porto.")
    second = told("I live in Lyon.", "You live in Porto.")
    third = told("I live in Nice.", "You live in Lyon.")
    checks_run()
    assert [facts_of(reply)[0][2] for reply in (first, second, third)] == [Verdict.TRUE, Verdict.FALSE, Verdict.FALSE]
    assert facts_of(second)[0][3] == ("triple", "You live in Lyon.")
    before = FactGround.objects.exclude(check_of__turn__key=f"reply-{third.pk}")
    assert not before.filter(words__contains="Nice").exists()


def test_knowledge_bases_and_passages_of_the_space_are_grounds_too(checking, told, space):
    base_of(space, tsv([("Maya", "lives in", "Oslo")]), name="People")
    pages = knowledge_file(jsonl([Ground("Bob lives in Bonn.", "Bob")]), "pages.jsonl", form="passages")
    knowledge_import(space=space, file=pages, name="Pages")
    reply = told("Tell me.", "Maya lives in Oslo. Bob lives in Rome.")
    checks_run()
    assert [(fact[0], fact[2], fact[3] and fact[3][0]) for fact in facts_of(reply)] == [
        ("Maya lives in Oslo.", Verdict.TRUE, "knowledge"),
        ("Bob lives in Rome.", Verdict.FALSE, "passage"),
    ]


def test_what_was_decides_only_about_what_was(checking, told):
    told("I live in Porto.", "Noted.")
    told("I live in Lyon. I lived in Oslo.", "Noted.")
    reply = told("Tell me.", "You lived in Porto. You live in Porto. You live in Oslo. You lived in Oslo.")
    checks_run()
    assert [(fact[0], fact[2], fact[3]) for fact in facts_of(reply)] == [
        ("You lived in Porto.", Verdict.TRUE, ("triple", "You lived in Porto.")),
        ("You live in Porto.", Verdict.FALSE, ("triple", "You live in Lyon.")),
        ("You live in Oslo.", Verdict.FALSE, ("triple", "You live in Lyon.")),
        ("You lived in Oslo.", Verdict.TRUE, ("turn", "I live in Lyon. I lived in Oslo.")),
    ]


def test_other_peoples_words_are_told_by_their_names(checking, told, space):
    from tests.integration.memory.dialogues import say

    say(new_session(space), "I live in Oslo.", speaker="Bob")
    space_maintain(space_id=space.pk)
    reply = told("Who lives there?", "You live in Oslo. Bob lives in Oslo.")
    checks_run()
    assert [(fact[0], fact[2]) for fact in facts_of(reply)] == [
        ("You live in Oslo.", Verdict.NOT_ENOUGH),
        ("Bob lives in Oslo.", Verdict.TRUE),
    ]


@pytest.mark.parametrize(
    "answer", ["Noted.", "Where do you live?", "Thank you! Good night.", "I keep your words for you."]
)
def test_reply_that_claims_nothing_says_so_and_asks_no_model(checking, told, answer):
    reply = told("I live in Porto.", answer)
    assert checks_run() == 1
    assert the_check().state == CheckState.CHECKED
    assert {fact[2] for fact in facts_of(reply)} == {Verdict.NOT_A_CLAIM}
    assert checking.model.calls == [] and not FactGround.objects.exists()


def test_reply_to_a_wish_and_one_about_the_products_own_work_are_not_split(checking, told, space):
    told("I live in Porto.", "This chat is not remembered.")
    [wish] = talk(new_session(space), ("Forget Porto.", "Forgotten: you live in Porto."), is_wish=True)
    check_ask(turn=wish)
    checking.splitter.before = lambda: pytest.fail("it was split")
    assert checks_run() == 2
    assert [(row.state, row.why) for row in FactCheck.objects.order_by("turn_id")] == [
        ("checked", fact_checks.OWN_WORK),
        ("checked", fact_checks.WISH),
    ]


def test_no_claim_is_told_in_the_trace(checking, told):
    reply = told("I live in Porto.", "This chat is not remembered.")
    checks_run()
    [step] = trace_of(reply)
    assert (step.verdict, step.why, step.of) == ("", fact_checks.OWN_WORK, 0)


def test_reply_without_words_gets_no_check(checking, told):
    told("I live in Porto.", "")
    assert not FactCheck.objects.exists() and checks_run() == 0


def test_words_longer_than_any_window_are_cut_and_nothing_fails(checking, told):
    told("I live in Porto. " + "The sea was calm and the wind was mild that day. " * 390, "Noted.")
    reply = told("And I live in Porto still.", "You live in Porto. " * 60)
    checks_run()
    assert {fact[2] for fact in facts_of(reply)} == {Verdict.TRUE} and len(facts_of(reply)) == 60
    assert max(len(words) for words in FactGround.objects.values_list("words", flat=True)) == 4_000
    assert FactGround.objects.count() <= 60


def test_session_that_is_not_remembered_is_held_against_its_dialogue(checking, space):
    session = session_create(space=space, started_at=START, is_remembered=False)
    [turn] = talk(session, ("I live in Porto.", "You live in Porto. You live in Rome."))
    check_ask(turn=turn)
    checks_run()
    assert list(FactRecord.objects.values_list("verdict", flat=True)) == [Verdict.TRUE, Verdict.FALSE]
    assert not SentenceRecord.objects.exists()


def test_worker_that_died_leaves_a_check_that_is_done_again(checking, told, monkeypatch):
    told("I live in Porto.", "You live in Porto.")

    def die(*given: object) -> None:
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(fact_checks, "trace_add", die)
        with pytest.raises(SystemExit):
            checks_run()
    assert (the_check().state, the_check().attempts, FactRecord.objects.count()) == ("pending", 1, 0)
    assert checks_run() == 0, "the dead worker's lease still stands"
    FactCheck.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert checks_run() == 1
    assert (the_check().state, the_check().attempts, FactRecord.objects.count()) == ("checked", 2, 1)


def test_reply_at_which_workers_die_is_given_up_and_can_be_tried_again(checking, told):
    reply = told("I live in Porto.", "You live in Porto.")
    for _ in range(MAX_ATTEMPTS):
        assert check_claim() is not None
        FactCheck.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    checks_run()
    assert (the_check().state, the_check().why) == ("failed", "The check was interrupted 3 times. Try again.")
    check_ask(turn=Turn.objects.get(key=f"reply-{reply.pk}"))
    checks_run()
    assert (the_check().state, facts_of(reply)[0][2]) == ("checked", Verdict.TRUE)


def test_worker_that_lost_its_lease_writes_nothing(checking, told):
    reply = told("I live in Porto.", "You live in Porto.")

    def overtake() -> None:
        checking.splitter.before = lambda: None
        FactCheck.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert checks_run() == 1

    checking.splitter.before = overtake
    assert checks_run() == 0
    assert len(facts_of(reply)) == 1 and len(trace_of(reply)) == 1


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ModelUnreachable("The server did not answer. Start it."), "The server did not answer. Start it."),
        (ValueError("a bug"), fact_checks.WENT_WRONG),
    ],
)
def test_failure_is_written_down_and_another_try_can_be_asked_for(checking, told, error, why):
    reply = told("I live in Porto.", "You live in Porto.")

    def fail() -> None:
        raise error

    checking.splitter.before = fail
    assert checks_run() == 1
    assert (the_check().state, the_check().why, FactRecord.objects.count()) == ("failed", why, 0)
    checking.splitter.before = lambda: None
    check_ask(turn=Turn.objects.get(key=f"reply-{reply.pk}"))
    assert checks_run() == 1
    assert (the_check().state, facts_of(reply)[0][2]) == ("checked", Verdict.TRUE)


def test_ground_that_is_forgotten_while_the_model_reads_is_not_stored(checking, told, space, owner):
    told("I live in Porto.", "Noted.", within=conversation_create(owner=owner, space=space))
    reply = told("Where do I live?", "You live in Porto.")
    said = SentenceRecord.objects.get(text="I live in Porto.")

    def forget() -> None:
        checking.model.before = lambda: None
        memory_forget(space=space, by=owner, sentences=[said.pk])

    checking.model.before = forget
    assert checks_run() == 1
    assert the_check().attempts == 2
    assert facts_of(reply) == [("You live in Porto.", "You live in Porto.", Verdict.NOT_ENOUGH, None)]
    assert not FactGround.objects.filter(words__contains="Porto").exists()


def test_forgotten_sentence_takes_its_words_and_the_facts_that_it_decided_with_it(checking, told, space, owner):
    told("I live in Porto.", "Noted.", within=conversation_create(owner=owner, space=space))
    reply = told("Where do I live?", "You live in Porto. You sail every spring.")
    checks_run()
    assert [fact[2] for fact in facts_of(reply)] == [Verdict.TRUE, Verdict.NOT_ENOUGH]
    memory_forget(space=space, by=owner, sentences=[SentenceRecord.objects.get(text="I live in Porto.").pk])
    assert [fact[0] for fact in facts_of(reply)] == ["You sail every spring."]
    assert not FactGround.objects.filter(words__contains="Porto").exists()
    assert not StepRecord.objects.filter(kind="fact_check", words__icontains="Porto").exists()


def test_forgotten_triple_takes_the_facts_that_it_decided_with_it(checking, told, space, monkeypatch):
    monkeypatch.setattr(fact_checks, "SaidGrounds", lambda reply: fact_checks.TripleGrounds(reply))
    reply = told("I live in Porto.", "You live in Porto.")
    checks_run()
    assert facts_of(reply)[0][3] == ("triple", "You live in Porto.")
    triple_forget(triple=TripleRecord.objects.get())
    assert facts_of(reply) == [] and not FactGround.objects.exists()
    assert trace_of(reply)[0].words == ""


def test_forgotten_words_of_the_dialogue_take_what_they_decided_with_them(checking, told, space, owner):
    reply = told("I live in Porto. The sun shines.", "You live in Porto.")
    checks_run()
    assert ("turn", "I live in Porto. The sun shines.") in FactGround.objects.values_list("kind", "words")
    memory_forget(space=space, by=owner, sentences=[SentenceRecord.objects.get(text="I live in Porto.").pk])
    assert facts_of(reply) == [] and not FactGround.objects.filter(words__contains="Porto").exists()


def test_forgotten_words_of_the_reply_itself_take_its_check_with_them(checking, told, space, owner):
    told("I live in Porto.", "You live in Porto. You sail every spring.")
    checks_run()
    memory_forget(space=space, by=owner, sentences=[SentenceRecord.objects.get(text="You live in Porto.").pk])
    assert not FactCheck.objects.exists() and not FactRecord.objects.exists() and not FactGround.objects.exists()


@pytest.mark.parametrize("act", ["retract", "forget", "space"])
def test_check_goes_with_its_turn_its_session_and_its_space(checking, told, space, conversation, act):
    reply = told("I live in Porto.", "You live in Porto.")
    checks_run()
    assert FactRecord.objects.exists()
    if act == "retract":
        round_retract(round=Round.objects.get(pk=reply.round_id))
    elif act == "forget":
        session_forget(session=conversation.session)
    else:
        space_forget(space=space)
    assert not FactCheck.objects.exists() and not FactRecord.objects.exists() and not FactGround.objects.exists()


def test_session_forgotten_while_the_model_reads_leaves_nothing(checking, told, conversation):
    told("I live in Porto.", "You live in Porto.")
    checking.model.before = lambda: session_forget(session=conversation.session)
    assert checks_run() == 0
    assert not FactCheck.objects.exists()


def test_answer_given_anew_and_message_edited_are_checked_anew(checking, told, monkeypatch):
    from conversations import bootstrap as conversation_bootstrap
    from conversations.services.generation import reply_run
    from tests.fakes.engines import WordByWordResponder

    reply = told("I live in Porto.", "You live in Rome.")
    checks_run()
    responder = WordByWordResponder("You live in Lyon.")
    monkeypatch.setattr(conversation_bootstrap, "responder", lambda name, *, engine, space_id: responder)
    for act in (reply_regenerate, lambda reply: message_edit(reply=reply, text="I live in Lyon.")):
        reply = act(reply=reply)
        assert not FactCheck.objects.filter(turn__is_aside=False).exists()
        reply_run(reply_id=reply.pk)
        space_maintain(space_id=the_space(reply))
        reply.refresh_from_db()
        assert checks_run() == 1
    assert facts_of(reply)[0][2:] == (Verdict.TRUE, ("triple", "You live in Lyon."))


def test_check_of_a_version_that_is_put_aside_stays_with_what_it_was_held_against(checking, told):
    reply = told("I live in Porto.", "You live in Rome.")
    checks_run()
    other = message_edit(reply=reply, text="I live in Lyon.")
    assert facts_of(reply) == [
        ("You live in Rome.", "You live in Rome.", Verdict.FALSE, ("turn", "You live in Porto."))
    ]
    assert set(FactGround.objects.values_list("triple", "sentence", "turn__round")) == {(None, None, reply.round_id)}
    assert not facts_in(reply.conversation.space).exists(), "what is put aside is in no figure"
    reply_stop(reply=other)
    version_show(conversation=reply.conversation, round=Round.everything.get(pk=reply.round_id))
    space_maintain(space_id=the_space(reply))
    assert checks_run() == 0 and facts_in(reply.conversation.space).count() == 1


def the_space(reply) -> int:
    return reply.conversation.space_id


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_check_every_reply_once(checking, told):
    for number in range(6):
        told(f"I live in City{number}.", f"You live in City{number}.")
    ended: list[int] = []

    def work() -> None:
        ended.append(checks_run())
        connection.close()

    workers = [seeing_thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sum(ended) == 6 == FactRecord.objects.filter(verdict=Verdict.TRUE).count()


@pytest.mark.django_db(transaction=True)
def test_conversation_deleted_while_a_check_is_stored_waits_and_takes_it_along(
    checking, told, conversation, monkeypatch
):
    told("I live in Porto.", "You live in Porto.")
    deleting = seeing_thread(target=lambda: (conversation_delete(conversation=conversation), connection.close()))
    store = fact_checks.trace_add

    def meanwhile(*given: object) -> None:
        deleting.start()
        deleting.join(0.5)
        assert deleting.is_alive(), "it waits for the check to be stored"
        store(*given)

    monkeypatch.setattr(fact_checks, "trace_add", meanwhile)
    assert checks_run() == 1
    deleting.join(10)
    assert not deleting.is_alive() and not FactCheck.objects.exists() and not StepRecord.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_words_forgotten_while_a_check_is_stored_wait_and_take_it_along(checking, told, space, owner, monkeypatch):
    told("I live in Porto.", "You live in Porto.")
    said = SentenceRecord.objects.get(text="I live in Porto.")
    forgetting = seeing_thread(
        target=lambda: (memory_forget(space=space, by=owner, sentences=[said.pk]), connection.close())
    )
    store = fact_checks.trace_add

    def meanwhile(*given: object) -> None:
        forgetting.start()
        forgetting.join(0.5)
        assert forgetting.is_alive(), "it waits for the check to be stored"
        store(*given)

    monkeypatch.setattr(fact_checks, "trace_add", meanwhile)
    assert checks_run() == 1
    forgetting.join(10)
    assert not forgetting.is_alive()
    assert not FactGround.objects.filter(words__contains="Porto").exists() and not FactRecord.objects.exists()
    assert not StepRecord.objects.filter(words__icontains="Porto").exists()


def test_sweep_asks_for_checks_that_nobody_does(checking, told, monkeypatch):
    sent: list[str] = []
    monkeypatch.setattr(dispatch.current_app, "send_task", lambda task, **options: sent.append(task))
    told("I live in Porto.", "You live in Porto.")
    dispatch.sweep()
    assert sent == []
    FactCheck.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    dispatch.sweep()
    assert sent == ["evaluation.check_facts"]


def test_task_ends_after_its_time_and_promises_the_rest(checking, told):
    told("I live in Porto.", "You live in Porto.")
    told("I live in Lyon.", "You live in Lyon.")
    OutboxRecord.objects.all().delete()
    assert checks_run(seconds=0) == 1
    assert OutboxRecord.objects.filter(task="evaluation.check_facts").count() == 1


def test_command_checks_past_replies_once_a_verifier(checking, told, space, conversation, capsys):
    conversation_check_facts(conversation=conversation, checks_facts=False)
    told("I live in Porto.", "You live in Porto. You live in Rome.")
    told("Thanks.", "You sail every spring.")
    call_command("check_facts", space=space.name, verbosity=0)
    assert capsys.readouterr().out == (
        "2 replies were promised a check, 2 were checked. 1 of 3 statements are supported "
        "(Dialogue Fact Score 0.50, NEIP 0.33).\n"
    )
    kept = list(FactRecord.objects.values_list("pk", flat=True))
    call_command("check_facts", space=space.name, conversation=conversation.pk, verbosity=0)
    assert "0 replies were promised a check, 0 were checked. 1 of 3" in capsys.readouterr().out
    checking.model.name = "better"
    call_command("check_facts", space=space.name, verbosity=0)
    assert "2 replies were promised a check, 2 were checked. 1 of 3" in capsys.readouterr().out
    assert set(kept) < set(FactRecord.objects.values_list("pk", flat=True)), "what another verifier said stays"


def test_command_says_what_it_does_not_know(checking, space, owner):
    with pytest.raises(CommandError, match="There is no space 'nowhere'"):
        call_command("check_facts", space="nowhere")
    with pytest.raises(CommandError, match="There is no conversation 0 over this space"):
        call_command("check_facts", space=space.name, conversation=0)


def test_queries_of_a_check_grow_by_three_a_fact_and_not_with_the_memory(checking, told, space):
    def queries_of(answer: str) -> int:
        told("Where do I live?", answer)
        with CaptureQueriesContext(connection) as queries:
            assert checks_run() == 1
        return len(queries)

    few, more = queries_of("You live in Porto."), queries_of("You live in Porto. You live in Rome. You live in Oslo.")
    assert more - few == 6
    talk(new_session(space), *((f"I live in City{number}.", "Noted.") for number in range(30)))
    space_maintain(space_id=space.pk)
    assert queries_of("You live in Porto.") <= few + 1


@pytest.mark.parametrize(
    ("content", "ground"),
    [
        (jsonl([Ground("Lena lives in Rome.", title="Lena")]), ("passage", "Lena lives in Rome.")),
        (tsv([("Lena", "lives in", "Rome")]), ("knowledge", "Lena lives in Rome")),
    ],
)
def test_facts_rest_on_knowledge_bases_and_go_with_them(checking, told, space, content, ground):
    base = base_of(space, content, name="People")
    other = space_personal(user=User.objects.create_user("else"))
    base_of(other, tsv([("Lena", "lives in", "Oslo")]), name="People of others")
    reply = told("Tell me of Lena.", "Lena lives in Rome.")
    assert checks_run() == 1
    assert facts_of(reply) == [("Lena lives in Rome.", "Lena lives in Rome.", Verdict.TRUE, ground)]
    assert set(FactGround.objects.exclude(base=None).values_list("base", "words")) == {(base.pk, ground[1])}
    assert [(step.ground, step.words) for step in trace_of(reply)] == [(ground[0], "")]
    knowledge_remove(base=base)
    assert facts_of(reply) == [] and not FactGround.objects.exclude(base=None).exists()


def test_knowledge_base_that_was_removed_meanwhile_is_no_ground(checking, told, space):
    base = base_of(space, tsv([("Lena", "lives in", "Rome")]), name="People")
    reply = told("Tell me of Lena.", "Lena lives in Rome.")
    checking.model.before = lambda: knowledge_remove(base=base)
    checks_run()
    assert facts_of(reply) == [("Lena lives in Rome.", "Lena lives in Rome.", Verdict.NOT_ENOUGH, None)]
    assert not FactGround.objects.exclude(base=None).exists()
