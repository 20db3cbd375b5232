"""The steps that make a data folder ready. Each is quick when there is nothing to do, and returns in a phrase what it did."""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from dsmart_web.embedded.database import database_running
from dsmart_web.embedded.errors import EmbeddedServiceError
from memory.adapters.row_security.scope import as_owner
from memory.adapters.row_security.wall import WallMissing, wall_check, wall_make, wall_stands

MIGRATION_LOCK = 0x64736D617274  # "dsmart"
SPACE_NEEDED_BYTES = 64 * 1024 * 1024
EXPORT_TIMEOUT_S = 600


@contextmanager
def product_ready() -> Iterator[None]:
    """Keep the database running inside the block, with its tables and the sentence encoder up to date."""
    data_folder_prepare()
    with database_running():
        tables_prepare()
        embedder_export()
        yield


def data_folder_prepare() -> str:
    """Make the data folder, and check that it is writable and the disk is not full."""
    folder: Path = settings.DSMART_HOME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"\0" * 4096)
        probe.unlink()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise EmbeddedServiceError(
            f"The data folder {folder} cannot be written ({error.strerror}). "
            "Set DSMART_HOME to a folder of yours with free space."
        ) from error
    if free < SPACE_NEEDED_BYTES:
        raise EmbeddedServiceError(
            f"The disk of the data folder {folder} is full ({free // 2**20} MB left, {SPACE_NEEDED_BYTES // 2**20} needed). "
            "Free some space, or set DSMART_HOME to a folder with free space."
        )
    return str(folder)


def tables_prepare() -> str:
    """Bring the tables up to date, as their owner, and see that the application can take its own role."""
    try:
        with as_owner():
            done = migrations_apply()
        if not wall_stands():
            with alone():
                if not wall_stands():
                    wall_make()
            wall_check()
    except WallMissing as error:
        raise EmbeddedServiceError(str(error)) from error
    return done


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other host prepares the tables, and let none begin before the block ends."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(%s)", [MIGRATION_LOCK])
        try:
            yield
        finally:
            cursor.execute("select pg_advisory_unlock(%s)", [MIGRATION_LOCK])


def migrations_apply() -> str:
    """Apply what is pending. Several hosts may start at once: one migrates, the others wait for it."""
    try:
        if not _pending():
            return "up to date"
        with alone():
            pending = _pending()
            call_command("migrate", verbosity=0, interactive=False)
        return f"{pending} applied"
    except DatabaseError as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise EmbeddedServiceError(
            f"The tables cannot be brought up to date: {reason}. The role of DATABASE_URL must own the database, "
            "and a superuser must have run CREATE EXTENSION vector in it once."
        ) from error


def embedder_export() -> str:
    """Export the sentence encoder once, in a process of its own: torch, which it needs, must not stay in this one."""
    from memory.adapters.embedder import NETWORK_FILE

    if (settings.DSMART_MODELS / NETWORK_FILE).is_file():
        return "ready"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(settings.BASE_DIR)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "memory.adapters.embedding_export", str(settings.DSMART_MODELS)],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            timeout=EXPORT_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise EmbeddedServiceError(f"The sentence encoder was not exported within {EXPORT_TIMEOUT_S} s.") from error
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise EmbeddedServiceError(f"The sentence encoder cannot be exported to {settings.DSMART_MODELS}: {said}")
    return "exported, once"


def static_collect() -> str:
    """Collect, compress and fingerprint the static files if one of them changed since the last time."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    current = _static_fingerprint()
    if stamp.is_file() and stamp.read_text() == current:
        return "unchanged"
    try:
        shutil.rmtree(settings.STATIC_ROOT, ignore_errors=True)
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.write_text(current)
    except (OSError, ValueError) as error:
        raise EmbeddedServiceError(
            f"The static files cannot be collected to {settings.STATIC_ROOT}: {error}."
        ) from error
    return "collected"


def _pending() -> int:
    """Return how many migrations are not applied. Only where one may be missing are the files read, which takes a while."""
    places = {app.label: find_spec(f"{app.name}.migrations") for app in apps.get_app_configs()}
    folders = {label: spec.submodule_search_locations for label, spec in places.items() if spec}
    named = {(label, one.name) for label, searched in folders.items() for one in iter_modules(searched)}
    if named <= set(MigrationRecorder(connection).applied_migrations()):
        return 0
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _static_fingerprint() -> str:
    """Return a digest of names, sizes and times of our own files; those of packages change with their release alone."""
    digest = hashlib.sha256()
    for package in ("django", "django-htmx", "djangorestframework", "drf-spectacular-sidecar", "whitenoise"):
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    packages = Path(sys.prefix).resolve()
    for finder in get_finders():
        for path, storage in finder.list([]):
            file = Path(storage.path(path)).resolve()
            if not file.is_relative_to(packages):
                status = file.stat()
                digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
