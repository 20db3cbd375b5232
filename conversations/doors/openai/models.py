"""The models of this server: ways of answering and engines, as "responder@engine" or either alone."""

from __future__ import annotations

from dataclasses import dataclass

from conversations.bootstrap import is_playable, responder_check, responder_names
from conversations.core.choices import OFFERED
from conversations.core.errors import ResponderUnavailable
from memory import bootstrap
from memory.core.errors import UnknownEngine
from memory.models import Space
from memory.selectors.choices import engines_offered
from memory.services.added_engines import engine_offered_check

DEFAULT = "default"
# The engine's language model as it is: nothing is read from the memory, kept or learnt.
PLAIN = "plain"


@dataclass(frozen=True)
class Choice:
    """What a model's name means; an empty engine or responder is the configured one."""

    engine: str = ""
    responder: str = ""
    is_plain: bool = False


def choice_of(model: str, *, space: Space) -> Choice:
    """Return what a model's name chooses in a space. Raises `UnknownEngine` and `ResponderUnavailable`."""
    name, _, rest = model.partition("@")
    if model == DEFAULT:
        return Choice()
    is_way = name in {*responder_names(), PLAIN}
    engine = rest if is_way else model
    if engine:
        try:
            engine_offered_check(name=engine, space=space)
        except UnknownEngine as error:
            raise UnknownEngine(
                f"There is no model {model!r} here. GET /v1/models lists those that there are."
            ) from error
    if name == PLAIN and not bootstrap.has_language_model(engine):
        raise ResponderUnavailable(
            "This engine has no language model that could answer as it is. Name one that has, as in plain@http:MODEL."
        )
    if is_way and name != PLAIN:
        responder_check(name, engine=engine)
    return Choice(engine, name if is_way and name != PLAIN else "", is_plain=name == PLAIN)


def models_in(space: Space) -> dict[str, str]:
    """Return the names of the models that a space offers, each with words for a person."""
    engines = {name: name for name in bootstrap.engine_names()}
    engines |= {one.engine: one.name for one in engines_offered([space])}
    found = {DEFAULT: "D-SMART"}
    ways = {one.name: one.label for one in OFFERED if is_playable(one.name)} | {PLAIN: "Without memory"}
    for way, label in ways.items():
        if can_play(way, ""):
            found[way] = label
        found |= {
            f"{way}@{engine}": f"{label} ({called})" for engine, called in engines.items() if can_play(way, engine)
        }
    return found | engines


def can_play(way: str, engine: str) -> bool:
    if way == PLAIN:
        return bootstrap.has_language_model(engine)
    try:
        responder_check(way, engine=engine)
    except ResponderUnavailable:
        return False
    return True
