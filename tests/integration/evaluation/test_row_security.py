"""Raw statements without any condition, as the application makes them: they find nothing of another space."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from django.apps import AppConfig, apps
from django.contrib.auth.models import User
from django.db import IntegrityError, ProgrammingError, connection, models, transaction

from dsmart_web.embedded.preparation import tables_prepare
from memory.adapters.row_security import wall
from memory.adapters.row_security.base import ROLE
from memory.adapters.row_security.scope import (
    NOTHING,
    Scope,
    admit,
    as_owner,
    enter,
    everything,
    of_person,
    spaces,
    within,
)
from memory.adapters.row_security.tenancy import OF_NO_SPACE, Undeclared, all_models, table_of, tables
from memory.adapters.row_security.wall import OWN_ROWS, POLICY, WallMissing, wall_check, wall_stands
from memory.models import ActRecord, Membership, Session, Space, UsageRecord
from memory.services import space_create
from tests.integration.rows_of_spaces import NOW, models_of_spaces, rows_made

pytestmark = pytest.mark.django_db
MODELS = models_of_spaces()
# The log of acts is changed by nobody.
CHANGED = [model for model in MODELS if model is not ActRecord]


@pytest.fixture(scope="module")
def two(module_db) -> Iterator[list[dict[type[models.Model], models.Model]]]:
    """The rows of two people's spaces, one of each kind in each."""
    with module_db.unblock():
        made = []
        for name in ("ana", "ben"):
            user = User.objects.create(username=name)
            space = space_create(name=name, owner=user)
            Membership.objects.all().filter(space=space).delete()  # made again below, like every other row
            made.append(rows_made(space, user))
        # What triggers counted of the rows.
        UsageRecord.objects.exclude(pk__in=[rows[UsageRecord].pk for rows in made]).delete()
    return made


def found(model: type[models.Model]) -> set[object]:
    """Return the keys that an unfiltered raw statement finds."""
    with connection.cursor() as cursor:
        cursor.execute(f'select "{model._meta.pk.column}" from "{model._meta.db_table}"')  # noqa: S608
        return {key for (key,) in cursor.fetchall()}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_unfiltered_statement_finds_the_rows_of_its_scope_alone(two, model):
    ana, ben = two
    hers, his = {ana[model].pk}, {ben[model].pk}
    with spaces(ana[Space].pk):
        assert found(model) == hers
    with within(of_person(ben[User].pk)):
        assert found(model) == his
    with within(NOTHING):
        assert found(model) == set()
    with spaces(ana[Space].pk, ben[Space].pk):
        assert found(model) == hers | his
    with everything():
        assert found(model) == hers | his


@pytest.mark.parametrize("told", ["{NULL}", "{NULL,NULL}", "{}", ""])
def test_spaces_that_are_null_are_none(two, told):
    with within(NOTHING), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select set_config('dsmart.spaces', %s, true)", [told])
        assert {model._meta.label: found(model) for model in MODELS} == {model._meta.label: set() for model in MODELS}
        transaction.set_rollback(True)


@pytest.mark.parametrize("model", CHANGED, ids=lambda model: model._meta.label)
def test_unfiltered_change_and_deletion_leave_the_rows_of_other_spaces(two, model):
    ana, ben = two
    name, key = model._meta.db_table, model._meta.pk.column
    with transaction.atomic():
        with within(of_person(ana[User].pk)), connection.cursor() as cursor:
            cursor.execute(f'update "{name}" set "{key}" = "{key}"')  # noqa: S608
            changed = cursor.rowcount
            with suppress(IntegrityError), transaction.atomic():  # where other rows of hers refer to it
                cursor.execute(f'delete from "{name}"')  # noqa: S608
                cursor.execute("set constraints all immediate")
        with everything():
            assert (changed, ben[model].pk in found(model)) == (1, True)
        transaction.set_rollback(True)


@pytest.mark.parametrize("model", [one for one in CHANGED if one is not Space], ids=lambda model: model._meta.label)
def test_row_of_another_space_is_refused(two, model):
    ana, ben = two
    table = table_of(model)
    theirs = getattr(ben[model], model._meta.get_field(field_of(model, table.column)).attname)
    move = f'update "{table.name}" set "{table.column}" = %s'  # noqa: S608
    with spaces(ana[Space].pk), transaction.atomic(), connection.cursor() as cursor:
        with pytest.raises(ProgrammingError, match="row-level security"):
            cursor.execute(move, [theirs])
        transaction.set_rollback(True)


def field_of(model: type[models.Model], column: str) -> str:
    return next(field.name for field in model._meta.local_fields if field.column == column)


def test_session_is_not_put_into_another_space(two):
    ana, ben = two
    with within(of_person(ana[User].pk)):
        Session.objects.create(space=ana[Space], started_at=NOW)
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            Session.objects.create(space=ben[Space], started_at=NOW)
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            Membership.objects.create(space=ben[Space], user=ana[User])


def test_every_table_is_of_spaces_or_of_nobody_and_every_wall_stands():
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(
            "select relname, relrowsecurity and relforcerowsecurity, pg_get_userbyid(relowner), "
            "array(select polname from pg_policy where polrelid = pg_class.oid) "
            "from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace"
        )
        there = {name: (is_walled, owner, sorted(policies)) for name, is_walled, owner, policies in cursor.fetchall()}
        cursor.execute(
            "select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname = %s", [ROLE]
        )
        assert cursor.fetchall() == [(False, False, False, False)]
    of_spaces = {table.name: sorted({POLICY, OWN_ROWS} if table.gives_access else {POLICY}) for table in tables()}
    nobodys = {model._meta.db_table for model in all_models() if table_of(model) is None} | {"django_migrations"}
    assert {name: policies for name, (is_walled, _, policies) in there.items() if is_walled} == of_spaces
    assert {name for name, (is_walled, _, _) in there.items() if not is_walled} == nobodys
    assert ROLE not in {owner for _, owner, _ in there.values()}


def test_model_of_which_nobody_says_whose_it_is_is_refused(monkeypatch):
    config: AppConfig = apps.get_app_config("evaluation")
    monkeypatch.setattr(config, "belongs_through", {})
    with pytest.raises(Undeclared, match=r"evaluation\.\w+ are. Give it a foreign key `space`, or name it in"):
        tables()


def test_models_of_no_space_hold_nothing_that_is_said():
    named = {model._meta.label for model in all_models() if table_of(model) is None}
    assert {label for label in named if label.split(".")[0] not in OF_NO_SPACE} == {
        "memory.EngineRecord",
        "memory.OutboxRecord",
        "memory.TokenRecord",
    }


def visible() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("select name from memory_space")
        return {name for (name,) in cursor.fetchall()}


def test_scope_is_told_again_after_a_rollback_and_a_savepoints_rollback(two):
    ana, ben = two
    with spaces(ana[Space].pk):
        assert visible() == {"ana"}
        with suppress(ProgrammingError), transaction.atomic(), spaces(ben[Space].pk):
            assert visible() == {"ben"}
            with connection.cursor() as cursor:
                cursor.execute("select nothing from nowhere")
        assert visible() == {"ana"}
        sid = transaction.savepoint()
        with spaces(ben[Space].pk):
            assert visible() == {"ben"}
            transaction.savepoint_rollback(sid)
            assert visible() == {"ben"}
        assert visible() == {"ana"}


def test_many_rows_copies_and_cursors_of_the_server_are_within_the_scope(two):
    ana, ben = two
    statement = "copy (select name from memory_space) to stdout"
    with spaces(ana[Space].pk), connection.cursor() as cursor, cursor.copy(statement) as copy:
        assert b"".join(bytes(part) for part in copy) == b"ana\n"
    with spaces(ben[Space].pk):
        assert [space.name for space in Space.objects.iterator()] == ["ben"]
        with connection.cursor() as cursor:
            cursor.executemany("update memory_space set name = name || %s", [("!",), ("?",)])
    with everything():
        assert visible() == {"ana", "ben!?"}
        Space.objects.filter(pk=ben[Space].pk).update(name="ben")


def test_cursor_that_is_open_follows_the_context(two):
    ana, ben = two
    with connection.cursor() as cursor:
        seen = []
        for space in (ana[Space], ben[Space]):
            with spaces(space.pk):
                cursor.execute("select name from memory_space")
                seen += cursor.fetchall()
    assert seen == [("ana",), ("ben",)]


def test_scope_is_told_once_as_long_as_it_is_the_same(two, monkeypatch):
    told: list[Scope] = []
    from memory.adapters.row_security import base

    true_statement = base.statement_of
    monkeypatch.setattr(base, "statement_of", lambda scope: told.append(scope) or true_statement(scope))
    for _ in range(3):
        with spaces(two[0][Space].pk):
            assert visible() == {"ana"}
            assert visible() == {"ana"}
    with within(of_person(two[0][User].pk)):
        assert visible() == {"ana"}
    with within(of_person(two[0][User].pk)):
        assert visible() == {"ana"}
    assert [(sorted(scope.spaces), scope.user_id) for scope in told] == [
        ([two[0][Space].pk], None),
        ([], two[0][User].pk),
        ([], two[0][User].pk),
    ]


def test_person_sees_what_they_make_and_what_they_join_at_once(two):
    ana, ben = two
    with within(of_person(ana[User].pk)):
        made = space_create(name="second", owner=ana[User])
        assert visible() == {"ana", "second"}
        with everything():
            Membership.objects.create(space=ben[Space], user=ana[User])
        admit(made.pk)  # read again, as for a request that comes after
        assert visible() == {"ana", "second", "ben"}


def test_made_space_is_seen_beside_those_of_the_context(two):
    with spaces(two[0][Space].pk):
        made = space_create(name="scratch", owner=two[0][User])
        assert visible() == {"ana", "scratch"}
    with spaces(two[0][Space].pk):
        assert visible() == {"ana"}
    with spaces(made.pk, None):
        assert visible() == {"scratch"}


def test_entered_scope_lasts_until_the_block_around_it_ends(two):
    with within(NOTHING):
        before = enter(of_person(two[0][User].pk))
        assert before == NOTHING
        assert visible() == {"ana"}
    assert visible() == {"ana", "ben"}


def test_wall_of_another_version_is_made_anew():
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("update pg_description set description = 'earlier' where description = %s", [wall.version()])
        cursor.execute("set constraints all immediate")
    assert not wall_stands()
    tables_prepare()
    assert wall_stands()


def test_role_that_is_missing_is_told_with_what_an_administrator_runs(monkeypatch):
    from memory.adapters.row_security import base

    assert wall_stands()
    monkeypatch.setattr(base, "ROLE", "dsmart_nobody")
    connection._scope_forget()
    with pytest.raises(WallMissing, match="create role dsmart_app nologin"):
        wall_check()


# An index and a statement that it answers, though the functions in it look at a row before its policy does.
ANSWERED_BY_INDEX = {
    "sentence_search": "select id from memory_sentencerecord where search @@ websearch_to_tsquery('english', 'lisbon')",
    "turn_search": "select id from memory_turn where search @@ websearch_to_tsquery('english', 'lisbon')",
    "digest_words": "select id from memory_digestrecord "
    "where to_tsvector('english'::regconfig, text) @@ to_tsquery('english', 'lisbon')",
    "alias_words": "select id from memory_aliasrecord "
    "where to_tsvector('simple'::regconfig, key) @@ to_tsquery('simple', 'ann:*')",
    "step_of_triple": "select id from memory_steprecord where triples && array[1, 2]::bigint[]",
    "knowledge_passage_words": "select id from memory_knowledgepassagerecord where words @@ 'lisbon'::tsquery",
    "sentence_embedding": "select id from memory_sentencerecord where is_evidence "
    "order by embedding <=> array_fill(0.05, array[384])::vector limit 5",
    "word_once_a_turn": "select turn_id, in_turn from memory_wordposting "
    "where word_id = 1 and in_turn > 0 order by turn_id desc limit 9",
}


@pytest.mark.parametrize("index", ANSWERED_BY_INDEX)
def test_statement_is_answered_by_its_index_as_without_the_wall(two, index):
    with as_owner():
        sizes_forgotten()
        without = conditions_of(ANSWERED_BY_INDEX[index])
    with spaces(two[0][Space].pk):
        behind = conditions_of(ANSWERED_BY_INDEX[index])
    assert set(without) <= set(behind)
    assert any(index in line for line in behind)


def sizes_forgotten() -> None:
    """Let the planner guess how large tables are: what earlier tests measured of them outlives those tests."""
    with connection.cursor() as cursor:
        cursor.execute("update pg_class set reltuples = -1 where relkind = 'r' and relname like 'memory_%'")


def conditions_of(statement: str) -> list[str]:
    """Return which indexes a statement is answered by, and by which conditions, where no table is read through."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("set local enable_seqscan = off")
        cursor.execute(f"explain (costs off) {statement}")
        plan = [line.strip() for (line,) in cursor.fetchall()]
    return [line for line in plan if any(word in line for word in ("Index Cond", "Index Scan", "Index Only Scan"))]
