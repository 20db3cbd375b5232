"""Replaying recorded dialogues through the services that the chat uses.

Nothing is imported before the whole file has been read once and found well formed. Every session and turn carries the
file's own key, so that a second replay adds nothing, one that was killed goes on where it stopped, and what failed is read
again. Sessions are written and maintained a few rounds at a time, so that the cost of a turn does not depend on how many came
before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypedDict

from django.conf import settings
from django.contrib.auth.models import User

from conversations.core.wishes import is_forgetting
from evaluation import selectors
from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import AUTO, collection_name, only_cases, read_cases
from evaluation.core.costs import first_decile_mean, last_decile_mean
from evaluation.core.errors import UnknownName
from evaluation.core.naming import KEY_LIMIT, NAME_LIMIT, case_space_name, fitted, session_key
from evaluation.core.report import Row
from evaluation.core.types import Case, CaseSession, CaseTurn, group_rounds
from memory import bootstrap
from memory.core.types import Role
from memory.models import Round, Session, Space
from memory.selectors import spaces_of
from memory.services import (
    maintenance_retry,
    round_add_turn,
    round_complete,
    round_open,
    session_create,
    space_create,
    space_maintain,
    space_personal,
)

ROUNDS_A_BATCH = 8
LEASE_POLL_S = 0.2


class Said(TypedDict):
    """The arguments that store a turn."""

    speaker: str
    role: Role
    text: str
    said_at: datetime
    key: str


@dataclass(frozen=True)
class CaseReplay:
    """What the replay of one case did. `turn_ms` has the cost of each new turn: its share of its batch."""

    sessions: int
    rounds: int
    turns: int
    turns_known: int
    turns_blank: int
    retried: int
    turn_ms: tuple[float, ...]


@dataclass(frozen=True)
class FileReplay:
    """What the replay of a file did, and what its spaces contain."""

    spaces: tuple[Space, ...]
    cases: tuple[CaseReplay, ...]
    triples: int
    superseded: int
    rounds_failed: int
    failure: str
    seconds: float

    def total(self, count: Callable[[CaseReplay], int]) -> int:
        return sum(count(case) for case in self.cases)

    def rows(self, name: str) -> list[Row]:
        """Return the summary as rows that are named after the file."""
        turn_ms = [cost for case in self.cases for cost in case.turn_ms]
        missing = "" if turn_ms else "nothing new was replayed"
        return [
            Row(name, "sessions", self.total(lambda case: case.sessions), unit="sessions"),
            Row(name, "rounds", self.total(lambda case: case.rounds), unit="rounds"),
            Row(name, "turns", self.total(lambda case: case.turns), unit="turns"),
            Row(name, "turns_already_there", self.total(lambda case: case.turns_known), unit="turns"),
            Row(name, "turns_without_words", self.total(lambda case: case.turns_blank), unit="turns"),
            Row(name, "rounds_read_again", self.total(lambda case: case.retried), unit="rounds"),
            Row(name, "triples", self.triples, unit="triples"),
            Row(name, "superseded", self.superseded, unit="triples"),
            Row(name, "rounds_failed", self.rounds_failed, unit="rounds", why=self.failure),
            Row(name, "seconds", self.seconds, unit="s"),
            Row(
                name, "first_decile_ms", first_decile_mean(turn_ms) if turn_ms else None, unit="ms a turn", why=missing
            ),
            Row(name, "last_decile_ms", last_decile_mean(turn_ms) if turn_ms else None, unit="ms a turn", why=missing),
        ]


def file_replay(
    *,
    path: Path,
    owner: User,
    format: str = AUTO,
    space_name: str = "",
    only: str = "",
    limit: int | None = None,
    engine: str = "",
    quiet: bool = False,
) -> FileReplay:
    """Replay a benchmark file into spaces of the owner's and return what was done.

    Each case goes into a space of its own, "<file>/<case>", unless one space is named for all of them. Raises
    `MalformedBenchmark` before anything is written, and `UnknownName` where no case has the id `only`.
    """
    collection = collection_name(path)
    turn_total = turns_to_replay(path, format=format, only=only, limit=limit)
    bootstrap.engine_warm(engine)
    space_personal(user=owner)
    began = time.perf_counter()
    spaces: dict[int, Space] = {}
    replays: list[CaseReplay] = []
    with progress_bar(turn_total, title=collection, unit="turns", hidden=quiet) as bar:
        for case in only_cases(read_cases(path, format=format), only=only, limit=limit):
            space = space_for(owner, space_name or case_space_name(collection, case.id))
            spaces[space.pk] = space
            replays.append(
                case_replay(case=case, space=space, file_stem=collection, engine=engine, on_turns=bar.update)
            )
    counts = selectors.graph_counts(list(spaces))
    failures = [selectors.failed_round_reason(space) for space in spaces.values()]
    return FileReplay(
        spaces=tuple(spaces.values()),
        cases=tuple(replays),
        triples=counts.triples,
        superseded=counts.superseded,
        rounds_failed=sum(selectors.failed_round_count(space) for space in spaces.values()),
        failure=next(filter(None, failures), ""),
        seconds=time.perf_counter() - began,
    )


def turns_to_replay(path: Path, *, format: str, only: str, limit: int | None) -> int:
    """Read the whole file, to find malformed records before anything is written, and return the number of turns."""
    ids: list[str] = []
    counts: list[int] = []
    for case in read_cases(path, format=format):
        ids.append(case.id)
        if not only or case.id == only:
            counts.append(case.turn_count)
    if not counts:
        shown = ", ".join(ids[:20]) + (", ..." if len(ids) > 20 else "")
        raise UnknownName(f"{path.name} has no case {only!r}. Cases: {shown}.")
    return sum(counts[:limit])


def space_for(owner: User, name: str) -> Space:
    """Return the owner's space of that name, made where there is none."""
    fitting = fitted(name.strip(), NAME_LIMIT)
    return spaces_of(owner).filter(name=fitting).first() or space_create(name=fitting, owner=owner)


def case_replay(
    *,
    case: Case,
    space: Space,
    file_stem: str,
    engine: str = "",
    on_turns: Callable[[int], object] = lambda count: None,
) -> CaseReplay:
    """Replay one case into the space and maintain it. What is stored already is skipped; what failed is read again."""
    failed = selectors.failed_rounds(space)
    for round in failed:
        maintenance_retry(round=round)
    sessions = rounds = known_turns = blank_turns = 0
    turn_ms: list[float] = []
    for case_session in case.sessions:
        spoken = [turn for turn in case_session.turns if turn.text.strip()]
        blank_turns += len(case_session.turns) - len(spoken)
        on_turns(len(case_session.turns) - len(spoken))
        if not spoken:
            continue
        session = case_session_create(case, case_session, space=space, file_stem=file_stem)
        known = selectors.turn_keys(session)
        groups = group_rounds(spoken)
        missing = [group for group in groups if any(fitted(turn.key, KEY_LIMIT) not in known for turn in group)]
        there = len(spoken) - sum(len(group) for group in missing)
        known_turns += there
        on_turns(there)
        sessions += bool(missing)
        for batch in batches(missing):
            began = time.perf_counter()
            for group in batch:
                round_replay(session, group, engine=engine)
            space_maintain_fully(space)
            count = sum(len(group) for group in batch)
            turn_ms += [(time.perf_counter() - began) * 1000 / count] * count
            rounds += len(batch)
            on_turns(count)
    space_maintain_fully(space)
    return CaseReplay(
        sessions=sessions,
        rounds=rounds,
        turns=len(turn_ms),
        turns_known=known_turns,
        turns_blank=blank_turns,
        retried=len(failed),
        turn_ms=tuple(turn_ms),
    )


def case_session_create(case: Case, case_session: CaseSession, *, space: Space, file_stem: str) -> Session:
    return session_create(
        space=space,
        started_at=case_session.started_at,
        title=fitted(f"{case.id}, {case_session.key}", KEY_LIMIT),
        key=session_key(file_stem, case.id, case_session.key),
    )


def batches(groups: Sequence[tuple[CaseTurn, ...]]) -> Iterator[Sequence[tuple[CaseTurn, ...]]]:
    for start in range(0, len(groups), ROUNDS_A_BATCH):
        yield groups[start : start + ROUNDS_A_BATCH]


def round_replay(session: Session, turns: Sequence[CaseTurn], *, engine: str) -> Round:
    """Store one round and queue its maintenance."""
    first, *others = turns
    opened = round_open(session=session, **said(first)).round
    for turn in others:
        round_add_turn(round=opened, **said(turn))
    round_complete(round=opened, engine=engine, is_wish=first.role is Role.USER and is_forgetting(first.text))
    return opened


def said(turn: CaseTurn) -> Said:
    """Return the turn as the memory takes it."""
    return Said(
        speaker=fitted(turn.speaker, NAME_LIMIT),
        role=turn.role,
        text=turn.text,
        said_at=turn.said_at,
        key=fitted(turn.key, KEY_LIMIT),
    )


def space_maintain_fully(space: Space) -> None:
    """Run the space's pending rounds; while another worker holds the space, wait."""
    while True:
        space_maintain(space_id=space.pk)
        if not selectors.rounds_to_maintain(space).exists():
            return
        time.sleep(LEASE_POLL_S)


def replay_config(*, format: str, engine: str) -> dict[str, object]:
    """Return the configuration that a replay's figures depend on."""
    return {"format": format, "engine": engine or settings.DSMART_ENGINE, "rounds_a_batch": ROUNDS_A_BATCH}
