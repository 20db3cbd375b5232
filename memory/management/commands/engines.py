"""`manage.py engines`: which engines are configured, and the proof that each of them answers."""

from __future__ import annotations

import json
import sys
import threading
import time
from argparse import ArgumentParser
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory import bootstrap
from memory.bootstrap.roles import EXTRACT_FACTS, ROLES
from memory.core.errors import MemoryCoreError, OnlyThinking, UnknownRole
from memory.core.ports import KnowledgeExtractor, LanguageModel
from memory.core.types import Message, MessageRole, Prompt, Role, SamplingConfig, Utterance

QUESTION = Prompt((Message(MessageRole.USER, "Name the days of the week, and say nothing else."),))
SAMPLING = SamplingConfig(temperature=0.0, max_tokens=16)
# All engines have so long together, and each the same share of what is left.
TRIALS_S = 15.0
SENTENCE = "I live in Paris."


@dataclass(frozen=True)
class EngineTrial:
    """What one engine did. Times are seconds; `start_s` is the first answer of all, loading included.

    `roles` names the player of each role, None where nobody plays it.
    """

    name: str
    is_default: bool
    answers: bool
    said: str
    start_s: float | None = None
    first_token_s: float | None = None
    tokens_per_s: float | None = None
    roles: dict[str, str | None] = field(default_factory=dict)


class Command(BaseCommand):
    help = (
        "List the configured engines, prove that each answers, and show who plays which role. "
        "Exits with 1 when the default one does not answer."
    )
    requires_system_checks = []
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON instead of lines")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bootstrap.roles_check()
        except UnknownRole as error:
            raise CommandError(str(error)) from error
        names = bootstrap.engine_names()
        trials = []
        ends = time.monotonic() + TRIALS_S
        for place, name in enumerate(names):
            share_s = max(ends - time.monotonic(), 0.0) / (len(names) - place)
            trial = trial_within(share_s, name, is_default=place == 0)
            trials.append(trial)
            if not options["json"]:
                self.stdout.write("\n".join([line_of(trial), *role_lines(trial)]))
                self.stdout.flush()
        if options["json"]:
            self.stdout.write(
                json.dumps({"command": "engines", "engines": [asdict(trial) for trial in trials]}, indent=2)
            )
        if not trials[0].answers:
            if not options["json"]:
                self.stderr.write("The default engine does not answer: replies and memory will fail until it does.")
            sys.exit(1)


def trial_within(seconds: float, name: str, *, is_default: bool) -> EngineTrial:
    """Return what an engine does within a time; one that takes longer is left alone, and does not answer."""
    made: list[EngineTrial] = []
    trying = threading.Thread(target=lambda: made.append(try_engine(name, is_default=is_default)), daemon=True)
    trying.start()
    trying.join(seconds)
    late = f"It did not answer within {seconds:.0f} s. " + (
        "Check that its server runs, and ask again once its model is loaded."
        if name.startswith("http:")
        else "Its model is loaded here, which may take longer; a chat waits for it."
    )
    return made[0] if made else EngineTrial(name, is_default, answers=False, said=late, roles=played_by(name))


def played_by(name: str) -> dict[str, str | None]:
    engine = bootstrap.engine(name)
    return {role.name: engine.kind_of(role) for role in ROLES.values()}


def try_engine(name: str, *, is_default: bool) -> EngineTrial:
    """Return what an engine answers, or why it does not. Raises nothing of its own for a configured engine."""
    engine, began = bootstrap.engine(name), time.perf_counter()
    played = played_by(name)
    try:
        model = engine.language_model
        if model is None:
            trial = _extraction(name, engine.player(EXTRACT_FACTS), is_default=is_default, began=began)
        else:
            trial = _completion(name, model, is_default=is_default, began=began)
        return replace(trial, roles=played)
    except MemoryCoreError as error:
        return EngineTrial(name=name, is_default=is_default, answers=False, said=str(error), roles=played)


def line_of(trial: EngineTrial) -> str:
    """Return a trial as one line for a person."""
    mark = "answers" if trial.answers else "FAILS"
    default = " (default)" if trial.is_default else ""
    if not trial.answers:
        return f"{trial.name}{default}: {mark}. {trial.said}"
    times = [f"ready in {trial.start_s:.2f} s"]
    if trial.first_token_s is not None:
        times.append(f"first token after {trial.first_token_s * 1000:.0f} ms")
    if trial.tokens_per_s is not None:
        times.append(f"{trial.tokens_per_s:.1f} tokens/s")
    return f"{trial.name}{default}: {mark}: {trial.said} [{', '.join(times)}]"


def role_lines(trial: EngineTrial) -> list[str]:
    """Return who plays each role, a line a role; a role without a player is one that the responders by rule do without."""
    return [f"  {name:<20}{kind or '-':<12}{ROLES[name].does}" for name, kind in trial.roles.items()]


def _extraction(name: str, extractor: KnowledgeExtractor, *, is_default: bool, began: float) -> EngineTrial:
    said = Utterance("You", Role.USER, SENTENCE, timezone.now())
    (fragment,) = extractor.extract_many([said])
    start_s = time.perf_counter() - began
    facts = "; ".join(f"{fact.subject.label} {fact.predicate} {fact.object.label}" for fact in fragment.facts)
    if not facts:
        return EngineTrial(
            name, is_default, answers=False, said=f"It reads no fact in {SENTENCE!r}. Train the parser again."
        )
    began = time.perf_counter()
    extractor.extract_many([said])
    return EngineTrial(
        name,
        is_default,
        answers=True,
        said=f"{SENTENCE!r} says {facts}",
        start_s=start_s,
        first_token_s=time.perf_counter() - began,
    )


def _completion(name: str, model: LanguageModel, *, is_default: bool, began: float) -> EngineTrial:
    said: list[str] = []
    times: list[float] = []
    reply = model.stream(QUESTION, config=SAMPLING)
    usage = None
    try:
        while True:
            said.append(next(reply))
            times.append(time.perf_counter() - began)
    except StopIteration as end:
        usage = end.value
    except OnlyThinking:
        said, times = ["(it thinks before it speaks)"], [time.perf_counter() - began]
    text = " ".join("".join(said).split())
    if not text:
        return EngineTrial(name, is_default, answers=False, said="It answers with nothing. Choose a model for chat.")
    return EngineTrial(
        name,
        is_default,
        answers=True,
        said=text if len(text) <= 80 else text[:79] + "…",
        start_s=times[-1],
        first_token_s=times[0],
        tokens_per_s=usage.completion_tokens / times[-1] if usage and usage.completion_tokens else None,
    )
