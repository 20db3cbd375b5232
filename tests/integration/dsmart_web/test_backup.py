"""Backups of real rows by PostgreSQL's own programs: consistent, checked, brought back whole or not at all."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, connections
from psycopg import sql
from pytest_django import DjangoDbBlocker

from conversations.services import conversation_create, message_post
from dsmart_web.backups.archive import CARD, DUMP, archive_check
from dsmart_web.backups.errors import BackupDamaged, BackupError, BackupNotMade, RestoreRefused
from dsmart_web.backups.making import backup_make
from dsmart_web.backups.manifest import Manifest, secret_fingerprint, version_check
from dsmart_web.backups.restoring import backup_restore, is_key_of, known_migrations
from dsmart_web.embedded.postgres import bundled_binaries
from evaluation.models import Annotation
from memory.adapters.row_security.base import ROLE
from memory.adapters.row_security.scope import as_owner
from memory.adapters.wakeups import listener
from memory.models import ActRecord, SentenceRecord, Space, TokenRecord, Turn, UsageRecord, WordPosting
from memory.services import space_maintain, space_personal
from memory.services.added_engines import engine_add
from memory.services.knowledge import knowledge_upload
from memory.services.tokens import TokenGrant, token_account, token_digest, token_make
from tests.fakes.engines import small_models
from tests.integration.evaluation import annotated
from tests.integration.memory.dialogues import new_session, say

# Not in a transaction: another process reads what was written.
pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
# What tokens were before they had scopes: Django REST framework's table, one a person.
OLD_TOKENS = """
create table authtoken_token (key varchar(40) primary key, created timestamptz, user_id int references auth_user (id));
insert into authtoken_token select %s, now(), id from auth_user where username = 'ana'
"""
TOLD_OF_BACKUPS = ("backup", "restore")


def name_of(part: str) -> str:
    """Return a database's name that the next run drops where this one is killed."""
    return f"test_dsmart_{os.getpid()}_{part}"


def server() -> psycopg.Connection:
    chosen = connection.settings_dict
    return psycopg.connect(
        host=chosen["HOST"],
        port=chosen["PORT"],
        user=chosen["USER"],
        password=chosen["PASSWORD"] or None,
        dbname="postgres",
        autocommit=True,
        **{name: value for name, value in chosen["OPTIONS"].items() if name == "passfile"},
    )


def drop(name: str) -> None:
    with server() as at:
        at.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def create(name: str, *, like: str = "template1") -> None:
    drop(name)
    with server() as at:
        at.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(like)))


@contextmanager
def using(name: str) -> Iterator[None]:
    """Let Django use another database of the same server."""
    before = connection.settings_dict["NAME"]
    listener().stop()
    connections.close_all()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connections.close_all()
        connection.settings_dict["NAME"] = before


@contextmanager
def owning(name: str) -> Iterator[None]:
    """Let Django use another database as the owner of its tables."""
    with using(name), as_owner():
        yield


def rows_of(name: str) -> dict[str, list[str]]:
    """Return every row of every table as text, but for what the log tells of backups."""
    with owning(name), connection.cursor() as cursor:
        cursor.execute("select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'")
        tables = sorted(table for (table,) in cursor.fetchall())
        found = {}
        for table in tables:
            kept = f"where kind not in {TOLD_OF_BACKUPS}" if table == "memory_actrecord" else ""
            cursor.execute(f"select t::text from {table} t {kept} order by 1")  # noqa: S608
            found[table] = [row for (row,) in cursor.fetchall()]
    return found


@pytest.fixture(scope="module")
def source(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """A database with words, facts, vectors, postings, an annotation, people, a token and an engine, made once."""
    name = name_of("source")
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        tested = connection.settings_dict["NAME"]
        with using("postgres"):
            create(name, like=tested)
        with using(name):
            ana = User.objects.create_user("ana", first_name="Ana")
            space = space_personal(user=ana)
            say(new_session(space), "I live in Paris.", "I live in Lyon.")
            space_maintain(space_id=space.pk)
            knowledge_upload(space=space, content=b"Ana\tlives in\tParis\n", file_name="ana.tsv", name="Ana's")
            engine_add(by=ana, name="Mine", base_url="http://127.0.0.1:1/v1", model="small", key="sk-secret")
            token_make(user=ana, space=space)
            annotated.says(ana, annotated.project(space, ana, items=1).items.get(), annotated.YES)
            message_post(conversation=conversation_create(owner=ana, space=space), text="Where do I live?")
            filled = (Turn, SentenceRecord, WordPosting, Annotation, ActRecord, UsageRecord)
            assert all(rows.objects.exists() for rows in filled)
            assert SentenceRecord.objects.exclude(embedding=None).exists()
        yield name
        drop(name)


@pytest.fixture(scope="module")
def backup(source: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("backups") / "backup.zip"
    with using(source):
        backup_make(file)
    return file


@pytest.fixture
def target(source: str) -> Iterator[str]:
    """An empty database."""
    name = name_of("target")
    create(name)
    yield name
    drop(name)


def test_restored_database_is_the_same_row_for_row(source, backup, target):
    made = archive_check(backup)
    before = rows_of(source)
    with using(target):
        assert backup_restore(backup) == made and is_key_of(made)
        told = list(ActRecord.objects.filter(kind__in=TOLD_OF_BACKUPS).values_list("kind", "words"))
        space = Space.objects.get()
        say(new_session(space), "I live in Nice.")  # its numbers go on, its triggers count
        assert UsageRecord.objects.filter(space=space).exists()
        Turn.objects.filter(text__contains="Nice").delete()
    assert told == [("restore", "backup.zip")]
    counted = {table: len(rows) for table, rows in before.items() if table in made.rows}
    assert made.rows == counted
    after = rows_of(target)
    changed = {"memory_session", "memory_round", "memory_turn", "memory_usagerecord", "memory_outboxrecord"}
    assert {name: rows for name, rows in after.items() if name not in changed} == {
        name: rows for name, rows in before.items() if name not in changed
    }
    assert all(set(before[name]) <= set(after[name]) for name in changed - {"memory_turn"})
    assert after["memory_turn"] != [] and set(before["memory_turn"]) <= set(after["memory_turn"])


def test_file_is_private_has_a_card_and_no_secret_unless_asked(source, backup, tmp_path, settings):
    assert backup.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in backup.parent.iterdir()] == ["backup.zip"]
    with zipfile.ZipFile(backup) as archive:
        assert archive.namelist() == [DUMP, CARD]
    made = archive_check(backup)
    assert made.product == settings.PRODUCT_VERSION and made.secret == secret_fingerprint(settings.SECRET_KEY)
    assert made.migrations["memory"] in known_migrations()["memory"] and made.postgres >= 15 and made.pgvector
    assert settings.SECRET_KEY.encode() not in backup.read_bytes()
    whole = tmp_path / "whole.zip"
    with using(source):
        backup_make(whole, with_secret_key=True)
    with zipfile.ZipFile(whole) as archive:
        assert archive.read("secret_key").decode() == settings.SECRET_KEY
    with using(source), pytest.raises(BackupNotMade, match=r"is there already. Name another file, or add --replace"):
        backup_make(whole)
    with using(source):
        backup_make(whole, replace=True)
    with zipfile.ZipFile(whole) as archive:
        assert archive.namelist() == [DUMP, CARD]


def test_backup_is_consistent_while_turns_are_written(source, target, tmp_path):
    busy = name_of("busy")
    create(busy, like=source)
    stop, written = threading.Event(), []

    def write() -> None:
        with psycopg.connect(server().info.dsn, dbname=busy, autocommit=True, passfile=passfile()) as at:
            while not stop.is_set():
                at.execute(
                    "insert into memory_turn (round_id, session_id, space_id, index, role, speaker, text, said_at, key, "
                    "is_generated, is_aside) select round_id, session_id, space_id, index + 1, role, speaker, 'more', "
                    "said_at, '', false, false from memory_turn order by index desc limit 1"
                )
                written.append(1)

    writer = threading.Thread(target=write)
    try:
        writer.start()
        while not written:
            assert writer.is_alive(), "the writer failed"
            time.sleep(0.01)
        with using(busy):
            made = backup_make(tmp_path / "busy.zip")
    finally:
        stop.set()
        writer.join()
    with using(busy):
        assert Turn.objects.count() > made.rows["memory_turn"], "nothing was written meanwhile"
    drop(busy)
    with using(target):
        backup_restore(tmp_path / "busy.zip")
        turns = Turn.objects.count()
        assert turns == made.rows["memory_turn"] == sum(UsageRecord.objects.values_list("turns", flat=True))


def passfile() -> str:
    return str(connection.settings_dict["OPTIONS"].get("passfile", ""))


def test_older_backup_is_brought_up_to_date(source, target, tmp_path):
    older = name_of("older")
    create(older, like=source)
    with owning(older):
        call_command("migrate", "memory", "0025", verbosity=0, interactive=False)
        connection.cursor().execute(OLD_TOKENS, [token_digest("an old token")])
        made = backup_make(tmp_path / "older.zip")
    drop(older)
    assert made.migrations["memory"].startswith("0025") and "memory_actrecord" not in made.rows
    with using(target):
        backup_restore(tmp_path / "older.zip")
        held = sum(UsageRecord.objects.values_list("turns", flat=True))
        assert held == Turn.objects.count() == made.rows["memory_turn"] > 0
        assert ActRecord.objects.get().kind == "restore"
        grant = token_account("an old token")
        assert grant == TokenGrant(User.objects.get(username="ana"), "write", None, TokenRecord.objects.get().pk)
        assert "authtoken_token" not in connection.introspection.table_names()


def test_grants_and_policies_come_back_with_the_role_that_they_name(source, target, tmp_path):
    granted, role = name_of("granted"), name_of("role")
    create(granted, like=source)
    with owning(granted), connection.cursor() as cursor:
        cursor.execute(f"create role {role} nologin; grant select on memory_turn to {role}")
        cursor.execute(f"alter table memory_turn enable row level security; create policy own on memory_turn to {role}")
    with using(granted):
        made = backup_make(tmp_path / "granted.zip")
    assert made.roles == [ROLE, role]
    drop(granted)
    with server() as at:
        at.execute(f"drop role {role}")
    with using(target):
        backup_restore(tmp_path / "granted.zip")
        with connection.cursor() as cursor:
            cursor.execute("select has_table_privilege(%s, 'memory_turn', 'select')", [role])
            assert cursor.fetchone() == (True,)
            cursor.execute("select polroles[1]::regrole::text from pg_policy where polname = 'own'")
            assert cursor.fetchall() == [(role,)]
    drop(target)
    with server() as at:
        at.execute(f"drop role {role}")


def test_full_disk_leaves_no_half_file(source, tmp_path):
    file = tmp_path / "full.zip"
    file.write_bytes(b"the backup of yesterday")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with (
            using(source),
            pytest.raises(BackupNotMade, match=r"cannot be written. The file is larger than files may be"),
        ):
            backup_make(file, replace=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [one.name for one in tmp_path.iterdir()] == ["full.zip"] and file.read_bytes() == b"the backup of yesterday"


@pytest.mark.parametrize("file", ["folder", "nowhere/backup.zip"])
def test_place_that_cannot_be_written_is_said(source, tmp_path, file):
    (tmp_path / "folder").mkdir()
    with using(source), pytest.raises(BackupNotMade, match=r"is a folder|No such file"):
        backup_make(tmp_path / file)
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]


def rewritten(backup: Path, file: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(backup) as before, zipfile.ZipFile(file, "w") as after:
        for name in before.namelist():
            after.writestr(name, members.get(name.removesuffix(".json"), before.read(name)))
    return file


def test_damaged_files_are_refused_before_anything_is_touched(backup, target, tmp_path):
    content = backup.read_bytes()
    flipped, cut = bytearray(content), tmp_path / "cut"
    flipped[len(content) // 2] ^= 0xFF
    cut.write_bytes(content[:-200])
    (tmp_path / "flipped").write_bytes(flipped)
    (tmp_path / "text").write_text("no backup")
    with zipfile.ZipFile(tmp_path / "other", "w") as other:
        other.writestr("a", "b")
    rewritten(backup, tmp_path / "exchanged", dump=zipfile.ZipFile(backup).read(DUMP)[:-1])
    rewritten(backup, tmp_path / "cardless", manifest=b"[]")
    said = {}
    for name in ("cut", "flipped", "text", "other", "exchanged", "cardless", "missing"):
        with using(target), pytest.raises(BackupDamaged) as refused:
            backup_restore(tmp_path / name)
        said[name] = str(refused.value)
    damaged = "The file is not a backup, or it is damaged. Take another copy."
    told = {
        "cut": damaged,
        "flipped": damaged,
        "text": damaged,
        "other": "The file is not a backup of this product.",
        "exchanged": "The file is damaged: its dump is not the one that was written. Take another copy.",
        "cardless": "The file has no card that this product can read: it is not a backup, or damaged.",
        "missing": "There is no such file.",
    }
    assert said == {name: f"{tmp_path / name}: {sentence}" for name, sentence in told.items()}
    assert rows_of(target) == {}


def test_dump_with_other_rows_than_its_card_says_is_rolled_back(backup, target, tmp_path):
    made = archive_check(backup)
    wrong = replace(made, rows={**made.rows, "memory_turn": 7}).as_json().encode()
    rewritten(backup, tmp_path / "wrong", manifest=wrong)
    with using(target), pytest.raises(RestoreRefused, match=r"nothing has changed: .*other rows than its card says"):
        backup_restore(tmp_path / "wrong")
    assert rows_of(target) == {}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {
                "migrations": {"memory": "9999_future", "auth": "0012_alter_user_first_name_max_length"},
                "product": "9.9",
            },
            "The backup was made by version 9.9 with memory 9999_future, which this version (0.1.0) does not know. "
            "Update the product first.",
        ),
        (
            {"migrations": {"newapp": "0001_initial"}, "product": "9.9"},
            "The backup was made by version 9.9 with newapp 0001_initial, which this version (0.1.0) does not know. "
            "Update the product first.",
        ),
        (
            {"postgres": 19},
            "The backup was made by PostgreSQL 19, and this server is of 18. Restore it into PostgreSQL 19 or newer.",
        ),
    ],
)
def test_newer_backup_is_refused_by_name(changed, sentence):
    own = {app: max(names) for app, names in known_migrations().items()}
    made = Manifest("0.1.0", "", 18, "0.8", own, {}, [], "")
    version_check(made, server_version=18, known=known_migrations())
    with pytest.raises(RestoreRefused) as refused:
        version_check(replace(made, **changed), server_version=18, known=known_migrations())
    assert str(refused.value) == sentence


def test_full_database_is_replaced_only_when_asked_and_nobody_else_uses_it(source, backup, target):
    with owning(target):
        connection.cursor().execute(
            "create table kept (a int); insert into kept values (1); create view seen as table kept"
        )
    with using(target), pytest.raises(RestoreRefused, match=r"The database is not empty. Add --replace"):
        backup_restore(backup)
    assert rows_of(target) == {"kept": ["(1)"]}
    other = psycopg.connect(server().info.dsn, dbname=target, passfile=passfile())
    with (
        using(target),
        pytest.raises(RestoreRefused, match=r"1 other connection is using the database. Stop the product"),
    ):
        backup_restore(backup, replace=lambda: True)
    other.close()
    for _ in range(2):
        with using(target):
            backup_restore(backup, replace=lambda: True)
    assert rows_of(target) == rows_of(source)


def test_embedded_database_is_not_restored_while_the_product_runs(source, backup):
    with pytest.raises(CommandError, match=r"The product is running on this data folder. Stop it, and try again."):
        call_command("restore", str(backup), "--replace", "--yes")


def test_secret_key_is_taken_only_from_a_backup_that_has_it_and_where_it_would_be_used(
    source, backup, target, settings
):
    settings.SECRET_KEY_IS_GIVEN = False
    with using(target), pytest.raises(RestoreRefused, match="The backup holds no secret key"):
        backup_restore(backup, with_secret_key=True)
    assert rows_of(target) == {}


def product(command: str, *arguments: str, database: str, path: str, **more: object) -> subprocess.Popen[str]:
    """Start a command of the product over a database of `DATABASE_URL`, as one with a server of its own does."""
    chosen = connection.settings_dict
    password = chosen["PASSWORD"] or Path(passfile()).read_text().strip().rsplit(":", 1)[1]
    address = f"postgresql://{chosen['USER']}:{quote(password)}@{quote(str(chosen['HOST']), safe='')}:5432/{database}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DSMART_")}
    return subprocess.Popen(
        [sys.executable, "manage.py", command, *arguments],
        cwd=ROOT,
        env={
            **kept,
            "DJANGO_SETTINGS_MODULE": "dsmart_web.settings",
            "DATABASE_URL": address,
            "PATH": path,
            "DSMART_HOME": str(ROOT / "var" / "test-home"),
            "DSMART_SECRET_KEY": "x" * 60,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **more,
    )


@pytest.fixture
def old_programs(tmp_path: Path) -> str:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("pg_dump", "pg_restore"):
        (folder / name).write_text('#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.1"\n')
        (folder / name).chmod(0o755)
    return str(folder)


def test_commands_work_on_a_server_of_its_own_and_say_which_programs_they_lack(source, target, tmp_path, old_programs):
    file, newest = str(tmp_path / "own.zip"), str(bundled_binaries())
    runs = {
        "old": product("backup", file, database=source, path=old_programs),
        "none": product("backup", file, database=source, path=str(tmp_path)),
    }
    said = {name: run.communicate(timeout=300)[0].strip() for name, run in runs.items()}
    assert said["old"] == (
        f"CommandError: {old_programs}/pg_dump is of PostgreSQL 9, and the server is of 18. "
        "Install the client programs of PostgreSQL 18, and put them first on PATH."
    )
    assert said["none"].startswith("CommandError: pg_dump is not on PATH. Install PostgreSQL's client programs")
    made = product("backup", file, database=source, path=newest)
    told = made.communicate(timeout=300)[0]
    assert made.returncode == 0 and "The secret key is not in it." in told and "DSMART_SECRET_KEY safe" in told
    brought = product("restore", file, database=target, path=newest)
    told = brought.communicate(timeout=300)[0]
    assert brought.returncode == 0 and "rows, counted again." in told
    assert rows_of(target) == rows_of(source)


def test_restore_that_is_killed_in_the_middle_changes_nothing(backup, target, tmp_path):
    with owning(target):
        connection.cursor().execute("create table kept (a int); insert into kept values (1)")
    folder, reached = tmp_path / "bin", tmp_path / "reached"
    folder.mkdir()
    real = bundled_binaries()
    for name in ("pg_dump", "psql"):
        (folder / name).symlink_to(real / name)
    (folder / "pg_restore").write_text(
        f'#!/bin/sh\ncase "$*" in\n*--file=-*) {real}/pg_restore "$@" | head -c 200000; touch {reached}; sleep 60;;\n'
        f'*) exec {real}/pg_restore "$@";;\nesac\n'
    )
    (folder / "pg_restore").chmod(0o755)
    run = product("restore", str(backup), "--replace", "--yes", database=target, path=f"{folder}:{os.environ['PATH']}")
    deadline = time.monotonic() + 300
    while not reached.exists():
        assert run.poll() is None and time.monotonic() < deadline, run.stdout.read()
        time.sleep(0.05)
    with server() as at:
        busy = at.execute(
            "select count(*) from pg_stat_activity where datname = %s and xact_start is not null", [target]
        )
        assert busy.fetchone() == (1,), "the restore had not begun"
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert rows_of(target) == {"kept": ["(1)"]}


def test_errors_of_backups_are_one_tree():
    assert all(issubclass(one, BackupError) for one in (BackupDamaged, BackupNotMade, RestoreRefused))
