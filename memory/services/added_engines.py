"""Engines that people add: kept with their keys encrypted, offered in spaces, changed and removed."""

from collections.abc import Collection

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from memory import bootstrap
from memory.adapters.language_models.addresses import same_server
from memory.adapters.row_security.scope import everything
from memory.adapters.sealing import sealed, unsealed
from memory.core.errors import LanguageModelError, UnknownEngine
from memory.models import ADDED, ActRecord, EngineRecord, Membership, Space
from memory.selectors import choices as selectors
from memory.services.acts import act_record


def may_add_engines(user: User) -> bool:
    """Return whether somebody may have the product connect to addresses that they write."""
    return user.is_staff or settings.DSMART_ADD_ENGINES == "everybody"


@transaction.atomic
def engine_add(
    *, by: User, name: str, base_url: str, model: str, key: str | None = None, is_shared: bool = False
) -> EngineRecord:
    """Add an engine, offered in the spaces that its adder alone uses, and return it."""
    added = EngineRecord.objects.create(
        name=name, base_url=base_url, model=model, key=key_sealed(key or ""), is_shared=is_shared, added_by=by
    )
    owned = Space.objects.filter(memberships__user=by, memberships__role=Membership.Role.OWNER)
    act_record(kind=ActRecord.Kind.ENGINE_ADDED, by=by, words=name)
    added.offered_in.set(owned.exclude(pk__in=Membership.objects.exclude(user=by).values("space_id")))
    return added


@transaction.atomic
def engine_change(
    *, engine: EngineRecord, name: str, base_url: str, model: str, key: str | None = None, is_shared: bool = False
) -> None:
    """Change an engine; without a `key` it keeps its own, which belongs to its server only. Every process makes it anew."""
    if key is not None or not same_server(base_url, engine.base_url):
        engine.key = key_sealed(key or "")
    engine.name, engine.base_url, engine.model, engine.is_shared = name, base_url, model, is_shared
    engine.save()
    act_record(kind=ActRecord.Kind.ENGINE_CHANGED, words=name)
    if not is_shared:
        mine = Membership.objects.filter(user=engine.added_by_id, role=Membership.Role.OWNER).values("space_id")
        with everything():
            EngineRecord.offered_in.through.objects.filter(enginerecord=engine).exclude(space__in=mine).delete()


@transaction.atomic
def engine_remove(*, engine: EngineRecord) -> None:
    """Remove an engine with its key. Conversations that chose it, and the upkeep of their rounds, take the default."""
    act_record(kind=ActRecord.Kind.ENGINE_REMOVED, words=engine.name)
    with everything():  # others may offer it
        engine.delete()


def engines_offer(*, space: Space, engines: Collection[EngineRecord]) -> None:
    """Let conversations of a space choose among these engines, and no other added ones."""
    space.engines.set(engines)


def engine_offered_check(*, name: str, space: Space) -> None:
    """Raise `UnknownEngine` unless conversations of a space may choose the engine."""
    if not name.startswith(ADDED):
        bootstrap.engine_check(name)
    elif not selectors.is_offered(name, space.pk):
        raise UnknownEngine(bootstrap.GONE)


def engine_of_space(*, name: str, space_id: int) -> str:
    """Return the engine that a choice means in a space: itself, or the configured one where it is not offered any more."""
    is_there = selectors.is_offered(name, space_id) if name.startswith(ADDED) else name in bootstrap.engine_names()
    return name if is_there else settings.DSMART_ENGINE


def models_listed(*, base_url: str, key: str) -> list[str] | None:
    """Return the models that a server says it has, or None where it does not say."""
    try:
        return bootstrap.make_model_of_page(base_url, key, "").models()
    except LanguageModelError:
        return None


def key_sealed(key: str) -> str:
    return sealed(key, secret=settings.SECRET_KEY) if key else ""


def key_of(engine: EngineRecord) -> str | None:
    """Return an engine's key, "" where it has none, None where it cannot be read any more."""
    return unsealed(engine.key, secret=settings.SECRET_KEY) if engine.key else ""
