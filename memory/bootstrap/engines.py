"""Engines: a name, a language model where the engine has one, and the player of each role."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.conf import settings

from memory.bootstrap.models import BUILTIN, ENGINE_KINDS, GONE, GRAPH, kind_and_target, make_language_model
from memory.bootstrap.roles import (
    AMR,
    AMR_HTTP,
    AMRLIB,
    DETECT_CONFLICTS,
    EXTRACT_FACTS,
    JUDGE_ENTAILMENT,
    LEARNED,
    OFF,
    ROLES,
    SCORE_RELEVANCE,
    WHOLE_GRAPH,
    RoleSpec,
)
from memory.core.errors import RoleUnplayed, UnknownEngine, UnknownRole
from memory.core.ports import LanguageModel
from memory.core.tracing import as_role
from memory.models import ADDED, EngineRecord, added_id

MadeT = TypeVar("MadeT")
PortT = TypeVar("PortT")

_made: dict[tuple[Hashable, ...], Any] = {}
_admitted: list[str] = []
_NOTHING = object()
_making = threading.RLock()


def made_once(key: tuple[Hashable, ...], make: Callable[[], MadeT]) -> MadeT:
    """Return the cached object of a key, made at the first call; concurrent calls wait for it."""
    made = _made.get(key, _NOTHING)
    if made is _NOTHING:
        with _making:
            made = _made.get(key, _NOTHING)
            if made is _NOTHING:
                made = _made[key] = make()
    return cast("MadeT", made)


@dataclass(frozen=True)
class Engine:
    """A set of players, one a role. The language model and the players are made at first use, once a process and version."""

    name: str
    version: str = ""

    @property
    def has_language_model(self) -> bool:
        return has_language_model(self.name)

    @property
    def language_model(self) -> LanguageModel | None:
        """The bare language model, None where rules play all roles.

        Callers that play a role use `player`, which records calls.
        """
        if not self.has_language_model:
            return None
        return made_once(self.model_key, lambda: make_language_model(self.name))

    @property
    def model_key(self) -> tuple[Hashable, ...]:
        return ("language model", self.name, self.version)

    def kind_of(self, role: RoleSpec[Any]) -> str | None:
        """Return the kind of a role's player, or None where nobody plays it. Makes nothing."""
        return role.kind(chosen_kinds().get(role.name, ""), has_language_model=self.has_language_model)

    def player(self, role: RoleSpec[PortT], *, kind: str | None = None) -> PortT:
        """Return the player of a role, or that of a kind; its calls of a language model are recorded under the role's name.

        Raises `RoleUnplayed` where nobody plays it, and whatever making the player raises.
        """
        kind = kind or self.kind_of(role)
        if kind is not None and kind in role.not_asking:
            return made_once((role.name, kind), role.not_asking[kind])
        model = self.language_model
        if kind is None or model is None:
            raise RoleUnplayed(
                f"The role {role.name!r} is played by a language model, and the engine {self.name!r} has none. "
                "Choose another engine."
            )
        key = (role.name, kind, self.name, self.version)
        return made_once(key, lambda: role.asking[kind](as_role(model, role.name)))


def language_model_put(playing: Engine, model: LanguageModel) -> None:
    """Let an engine's players that are made from now on until `reset` ask this model in place of its own."""
    _made[playing.model_key] = model


def has_language_model(name: str) -> bool:
    """Return whether an engine has a language model, without loading it; "" means the configured engine."""
    return (name or settings.DSMART_ENGINE) != BUILTIN


def takes_graphs(name: str) -> bool:
    """Return whether an engine's language model reads graphs beside its prompts, without loading it."""
    return (name or settings.DSMART_ENGINE).startswith(f"{GRAPH}:")


def engine_names() -> list[str]:
    """Return the engines that every conversation may choose, the default one first, without repetition."""
    return list(dict.fromkeys([settings.DSMART_ENGINE, BUILTIN, *settings.DSMART_EXTRA_ENGINES, *_admitted]))


def engine(name: str = "") -> Engine:
    """Return an engine by name, the configured one for an empty name. Only configured, added and admitted ones are served."""
    chosen = name or settings.DSMART_ENGINE
    if chosen.startswith(ADDED):
        return added_engine(chosen)
    engine_check(chosen)
    return Engine(chosen)


def added_engine(name: str) -> Engine:
    """Return an engine that was added on the settings page, whatever process it was changed by. Raises `UnknownEngine`.

    What was made of it before its last change is dropped.
    """
    changed_at = EngineRecord.objects.filter(pk=added_id(name)).values_list("changed_at", flat=True).first()
    version = changed_at.isoformat() if changed_at else ""
    for key in [key for key in list(_made) if key[-2] == name and key[-1] != version]:
        _made.pop(key, None)
    if changed_at is None:
        raise UnknownEngine(GONE)
    roles_check()
    return Engine(name, version)


def still_served(name: str) -> str:
    """Return the name of an engine, or "", the configured one, in place of an added one that was removed since."""
    is_gone = name.startswith(ADDED) and not EngineRecord.objects.filter(pk=added_id(name)).exists()
    return "" if is_gone else name


def engine_admit(name: str) -> None:
    """Serve an engine that a command names, in this process, though no setting does. Raises `UnknownEngine`."""
    if name and name != BUILTIN and kind_and_target(name)[0] != "added":
        _admitted.append(name)


def engine_check(name: str) -> None:
    """Raise `UnknownEngine` unless an engine of this name is configured, and `UnknownRole` for wrong roles. Loads nothing."""
    if name not in engine_names():
        raise UnknownEngine(
            f"There is no engine {name!r} here. Configured: {', '.join(engine_names())}. "
            f"DSMART_ENGINE and DSMART_EXTRA_ENGINES take {ENGINE_KINDS}."
        )
    roles_check()


def roles_check() -> None:
    """Raise `UnknownRole` for a role or player in `DSMART_ROLES` that no configured engine can have."""
    for name, kind in settings.DSMART_ROLES.items():
        if name not in ROLES:
            raise UnknownRole(
                f"DSMART_ROLES names the role {name!r}. There is no such role. Roles: {', '.join(ROLES)}."
            )
        role = ROLES[name]
        if kind not in role.kinds:
            raise UnknownRole(
                f"DSMART_ROLES names {kind!r} for the role {name!r}. Nobody of that name plays it. "
                f"Players: {', '.join(role.kinds)}."
            )
        if kind in role.asking and not any(has_language_model(one) for one in engine_names()):
            raise UnknownRole(
                f"DSMART_ROLES names {kind!r} for the role {name!r}, which asks a language model, and no engine here has "
                "one. Name one by DSMART_ENGINE or DSMART_EXTRA_ENGINES."
            )


def chosen_kinds() -> dict[str, str]:
    """Return the kinds of players that settings name, by role; prompted ones apply only to engines with a language model."""
    amr = {"http": AMR_HTTP, "amrlib": AMRLIB, "prompted": AMR}
    by_settings = {
        EXTRACT_FACTS.name: amr.get(settings.DSMART_AMR, ""),
        DETECT_CONFLICTS.name: WHOLE_GRAPH if settings.DSMART_CONFLICTS == WHOLE_GRAPH else "",
        JUDGE_ENTAILMENT.name: OFF if settings.DSMART_ENTAILMENT == OFF else LEARNED,
        SCORE_RELEVANCE.name: LEARNED if settings.DSMART_RELEVANCE else OFF,
    }
    return by_settings | settings.DSMART_ROLES


def reset() -> None:
    _made.clear()
    _admitted.clear()
