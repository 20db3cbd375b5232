"""Playing the tasks of benchmarks turn by turn through responders, in conversations as the chat has them.

Each task has a fresh space. What was played stands in a file, from which the scores are counted: a run that was killed
goes on where it stopped, and an item that failed is played again.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from conversations.bootstrap import responder_check
from conversations.core.errors import ConversationError
from conversations.core.wishes import is_forgetting
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create, message_post, reply_retry, reply_run
from evaluation.adapters.measured_model import MeasuredModel
from evaluation.adapters.played_file import PlayedFile
from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.task_catalogue import read_tasks
from evaluation.bootstrap import measured_engine
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.core.tasks.rows import task_rows
from evaluation.core.tasks.types import PlayedTask, PlayedTurn, Task, TaskTurn
from evaluation.services.case_asking import reason
from evaluation.services.replay import space_maintain_fully
from evaluation.services.responder_names import responders_check
from evaluation.services.spaces import abandoned_spaces_forget, evaluation_account, temporary_space
from memory.core.errors import MemoryCoreError
from memory.core.types import Role
from memory.services import round_add_turn, round_complete, round_open
from memory.services.accounts import speaker_name

logger = logging.getLogger(__name__)

RETRIES = 2
# What these say depends on the messages of the conversation alone, so that nothing is learnt while they are played.
WITHOUT_MEMORY = frozenset({"base", "naive_memory"})


@dataclass(frozen=True)
class TaskPlan:
    """What to play: responders on engines, in which modes, how often, and at most how many items of a file."""

    responders: tuple[str, ...]
    engines: tuple[str, ...]
    modes: tuple[str, ...]
    repeat: int = 1
    limit: int | None = None


@dataclass(frozen=True)
class Part:
    """A task of a benchmark as one responder on one engine is to play it, for the `repeat`-th time."""

    benchmark: str
    task: Task
    responder: str
    engine: str
    repeat: int
    prompts: str

    @property
    def key(self) -> str:
        content = json.dumps(asdict(self), sort_keys=True, default=str)
        return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True)
class TasksResult:
    """What stands in the file of this plan, and why responders cannot be played on engines."""

    played: tuple[PlayedTask, ...]
    unplayed: tuple[tuple[str, str, str], ...]
    plan: TaskPlan

    def rows(self) -> list[Row]:
        unplayed = [Row(self._name(one, on), "score", None, n=0, why=why) for one, on, why in self.unplayed]
        return task_rows(self.played, name_of=lambda one: self._name(one.responder, one.engine)) + unplayed

    def _name(self, responder: str, engine: str) -> str:
        return responder if len(self.plan.engines) == 1 else f"{responder}/{engine.partition(':')[0]}"


def tasks_evaluate(*, paths: Sequence[Path], items: Path, plan: TaskPlan, quiet: bool = False) -> TasksResult:
    """Play what the file of items lacks, and return all that was played."""
    responders_check(list(plan.responders))
    files = [read_tasks(path, modes=plan.modes, limit=plan.limit) for path in paths]
    if not any(tasks for _, tasks in files):
        raise EvaluationError("No task of these files is told in the modes that are asked for.")
    prompts = prompts_digest()
    file = PlayedFile(items)
    abandoned_spaces_forget()
    keys: list[str] = []
    unplayed: list[tuple[str, str, str]] = []
    for engine in plan.engines:
        with measured_engine(engine, replies=items.with_name(f"{items.name}.replies.sqlite")) as model:
            able = []
            for responder in plan.responders:
                try:
                    responder_check(responder, engine=engine)
                    able.append(responder)
                except ConversationError as error:
                    unplayed.append((responder, engine, str(error)))
            parts = [
                Part(benchmark, task, responder, engine, repeat, prompts)
                for responder, (benchmark, tasks) in product(able, files)
                for task in tasks
                for repeat in range(plan.repeat)
            ]
            keys += [part.key for part in parts]
            turns = sum(len(part.task.turns) for part in parts)
            with progress_bar(turns, title=engine, unit="turns", hidden=quiet) as bar:
                for part in parts:
                    known = file.find(part.key)
                    if known is None or known.error:
                        file.add(part_play(part, model=model))
                    bar.update(len(part.task.turns))
    played = [one for one in map(file.find, keys) if one is not None]
    return TasksResult(tuple(played), tuple(unplayed), plan)


def prompts_digest() -> str:
    """Return a digest of all prompts of the product: what was played with other prompts is played again."""
    digest = hashlib.sha256()
    for app in ("memory", "conversations"):
        for path in sorted((settings.BASE_DIR / app).rglob("*.j2")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def part_play(part: Part, *, model: MeasuredModel | None) -> PlayedTask:
    """Play a task in a space of its own. An error ends it, and is kept with the turns before it."""
    if model is not None:
        model.repeat = part.repeat
    turns: list[PlayedTurn] = []
    error = ""
    try:
        with temporary_space(title=part.task.id) as space:
            conversation = conversation_create(
                owner=evaluation_account(),
                space=space,
                title=part.task.id,
                engine=part.engine,
                responder=part.responder,
                remember=part.responder not in WITHOUT_MEMORY,
            )
            try:
                turns.extend(turns_play(part.task.turns, conversation, model))
            finally:
                conversation.delete()
    except (MemoryCoreError, ConversationError, EvaluationError) as fault:
        error = str(fault)
    except Exception as fault:
        logger.exception("Task %s broke off.", part.task.id)
        error = reason(fault)
    return PlayedTask(
        part.key, part.task, part.benchmark, part.responder, part.engine, part.repeat, tuple(turns), error
    )


def turns_play(
    turns: Sequence[TaskTurn], conversation: Conversation, model: MeasuredModel | None
) -> Iterator[PlayedTurn]:
    """Yield each turn with its reply, the memory of the conversation kept up after it."""
    for turn in turns:
        before = counted(model)
        if turn.given is not None:
            given_turn_write(turn, conversation)
            played = PlayedTurn(turn.text, turn.given, is_given=True)
        else:
            reply = message_reply(conversation, turn.text)
            played = PlayedTurn(turn.text, reply.text, label=turn.label, milliseconds=float(reply.total_ms or 0))
        answered = counted(model)
        space_maintain_fully(conversation.space)
        kept_up = counted(model)
        yield replace(
            played,
            calls=answered[0] - before[0],
            upkeep_calls=kept_up[0] - answered[0],
            cached=kept_up[1] - before[1],
        )


def counted(model: MeasuredModel | None) -> tuple[int, int]:
    return (model.calls, model.cached) if model is not None else (0, 0)


def given_turn_write(turn: TaskTurn, conversation: Conversation) -> None:
    """Write a turn with the reply that stands in the benchmark's file."""
    now, engine = timezone.now(), conversation.engine
    opened = round_open(
        session=conversation.session,
        speaker=speaker_name(conversation.owner),
        role=Role.USER,
        text=turn.text,
        said_at=now,
    )
    round_add_turn(
        round=opened.round, speaker="assistant", role=Role.ASSISTANT, text=turn.given or "", said_at=timezone.now()
    )
    round_complete(round=opened.round, engine=engine, is_wish=is_forgetting(turn.text))


def message_reply(conversation: Conversation, text: str) -> Reply:
    """Post a message and return the reply to it, asked for anew where it fails. Raises `EvaluationError` in the end."""
    reply = message_post(conversation=conversation, text=text)
    for attempt in range(RETRIES + 1):
        if attempt:
            reply = reply_retry(reply=reply)
        reply_run(reply_id=reply.pk)
        reply.refresh_from_db()
        if reply.state == ReplyState.DONE:
            return reply
    raise EvaluationError(reply.error or f"The reply ended as {reply.state}.")
