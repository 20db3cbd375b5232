"""Plays a case of a run of dialogues: the user's turns are posted one by one, the history is the system's own replies.

A dialogue of one system is written as a whole when it ends, so one that was broken off is held again from its first turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from conversations.models import Conversation, Reply
from conversations.selectors import reply_trace, with_grounds
from conversations.services import conversation_create
from evaluation import bootstrap
from evaluation.core.errors import EvaluationError
from evaluation.core.runs.answers import Figure, consistency_figures, metrics_of_turn, task_figures
from evaluation.core.runs.identity import task_of
from evaluation.core.runs.metrics import CONSISTENCY, ENTAILED
from evaluation.core.tasks.types import PlayedTurn, Task
from evaluation.core.turn_consistency.types import NotScored, Unscored
from evaluation.models import RunItem
from evaluation.services.consistency import dialogue_scored, entailment_model, spoken
from evaluation.services.replay import space_maintain_fully
from evaluation.services.runs.answers import triple_words
from evaluation.services.runs.claims import Claim, Outcome
from evaluation.services.runs.faults import error_of, failed_outcome, memory_check, reply_check
from evaluation.services.spaces import evaluation_account, scratch_create, space_leave
from evaluation.services.tasks import WITHOUT_MEMORY, given_turn_write, message_reply
from memory import bootstrap as memory_bootstrap
from memory.adapters.precedence import precedence
from memory.core.types import Role
from memory.models import Space
from memory.selectors.tracing import ModelUse, steps_of
from memory.stores.rows import triple_of
from memory.trace_views.base import Reading, blocks_of

ALL_STEPS = 2_000
BROKE_OFF = "The dialogue broke off before this turn. "
WORDLESS = NotScored(Unscored.NO_SENTENCE, "The reply has no words.")


@dataclass(frozen=True)
class SaidTurn:
    role: Role
    speaker: str
    text: str


def dialogues_play(claim: Claim) -> None:
    """Hold each dialogue of the case that was not held to its end."""
    task = task_of(claim.case.content)
    for _, items in groupby(claim.waiting(), lambda item: (item.repeat, item.system)):
        claim.go_on()
        precedence.give_way()
        claim.write(dialogue_hold(claim, task, list(items)))


def dialogues_failed(claim: Claim, items: Sequence[RunItem], error: str) -> list[Outcome]:
    task = task_of(claim.case.content)
    return [turn_failed(task, item, error) for item in items]


def turn_failed(task: Task, item: RunItem, error: str) -> Outcome:
    return failed_outcome(item, error, metrics_of_turn(task, is_last=item.key == str(len(task.turns))))


def dialogue_hold(claim: Claim, task: Task, items: Sequence[RunItem]) -> list[Outcome]:
    """Return how the turns of a dialogue with one system ended, each in order; its space is kept or deleted."""
    memory_bootstrap.engine_warm(claim.run.engine)
    space = scratch_create(title=claim.case.key, like=claim.run.space)
    keeper = None
    try:
        conversation = conversation_create(
            owner=evaluation_account(),
            space=space,
            title=claim.case.key,
            engine=claim.run.engine,
            responder=items[0].system,
            remember=items[0].system not in WITHOUT_MEMORY,
        )
        try:
            outcomes = turns_hold(task, items, conversation)
            keeper = claim.run.created_by if claim.run.keeps_spaces else None
        finally:
            if keeper is None:
                conversation.delete()
        if keeper is not None:
            conversation.owner = keeper
            conversation.save(update_fields=["owner"])
        return outcomes
    finally:
        space_leave(space=space, to=keeper)


def turns_hold(task: Task, items: Sequence[RunItem], conversation: Conversation) -> list[Outcome]:
    played: list[PlayedTurn] = []
    replies: dict[str, Reply] = {}
    error = ""
    try:
        for place, turn in enumerate(task.turns, start=1):
            if turn.given is not None:
                given_turn_write(turn, conversation)
                played.append(PlayedTurn(turn.text, turn.given, is_given=True))
            else:
                reply = replies[str(place)] = message_reply(conversation, turn.text)
                played.append(PlayedTurn(turn.text, reply.text, label=turn.label))
            space_maintain_fully(conversation.space)
            memory_check(conversation.space)
    except Exception as fault:
        reply_check(conversation, fault)
        error = error_of(fault, f"The dialogue {task.id} with {items[0].system}")
    of_task = task_figures(task, played, is_whole=not error)
    figures = dict(zip(replies, zip(consistency_of(played), of_task, strict=True), strict=True))
    missing = [item for item in items if item.key not in replies]
    return [
        *(
            replied(item, replies[item.key], [one for part in figures[item.key] for one in part], conversation.space)
            for item in items
            if item.key in replies
        ),
        *(turn_failed(task, item, error if item is missing[0] else BROKE_OFF + error) for item in missing),
    ]


def consistency_of(played: Sequence[PlayedTurn]) -> list[list[Figure]]:
    """Return CS and entailment of each reply that the system gave itself."""
    said = [
        SaidTurn(role, role.value, text)
        for turn in played
        for role, text in ((Role.USER, turn.text), (Role.ASSISTANT, turn.reply))
    ]
    try:
        model = entailment_model("")
    except EvaluationError as error:
        lacking = [Figure(name, None, str(error)) for name in (CONSISTENCY, ENTAILED)]
        return [lacking for turn in played if not turn.is_given]
    scored = dialogue_scored(spoken(said), strategy=bootstrap.strategy(), model=model)
    of_turns = [(turn, next(scored)[1] if turn.reply.strip() else WORDLESS) for turn in played]
    return [consistency_figures(outcome) for turn, outcome in of_turns if not turn.is_given]


def replied(item: RunItem, reply: Reply, figures: Sequence[Figure], space: Space) -> Outcome:
    """Return the end of a turn with what its reply rests on and how it was found, in words that outlive the space."""
    told: Any = with_grounds(Reply.objects.filter(pk=reply.pk)).get()
    use = ModelUse.of(told.model_use)
    trace = reply_trace(reply)
    steps = steps_of(trace, limit=ALL_STEPS) if trace is not None else []
    blocks = blocks_of(steps, Reading(space_id=space.pk))
    return Outcome(
        item,
        tuple(figures),
        reply=reply.text,
        passages=[
            *(
                {"key": "", "text": triple_words(triple_of(one.triple)), "why": one.why}
                for one in told.triples_used.all()
            ),
            *(
                {"key": "", "text": one.sentence.shown, "speaker": one.sentence.turn.speaker, "why": one.why}
                for one in told.sentences_used.all()
            ),
        ],
        trace=[{"number": one.number, "kind": one.kind, "lines": list(one.lines)} for one in blocks],
        first_token_ms=reply.first_token_ms,
        total_ms=reply.total_ms,
        calls=use.calls,
        prompt_tokens=use.prompt_tokens,
        completion_tokens=use.completion_tokens,
    )
