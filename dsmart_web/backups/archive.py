"""The file of a backup: a ZIP archive, uncompressed, with PostgreSQL's dump, the card, and the secret key where asked for."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from dsmart_web.backups.errors import BackupDamaged, BackupNotMade
from dsmart_web.backups.manifest import Manifest, manifest_read
from dsmart_web.backups.programs import program, reason_in

DUMP, CARD, SECRET = "dump", "manifest.json", "secret_key"
AT_ONCE = 1024 * 1024
FULL = {
    errno.ENOSPC: "The disk is full.",
    errno.EDQUOT: "Your disk quota is used up.",
    errno.EFBIG: "The file is larger than files may be here.",
}


@contextmanager
def written_whole(file: Path, *, replace: bool) -> Iterator[IO[bytes]]:
    """Let a file of mode 0600 be written beside its place, and put it there when the block ends without an error.

    Raises `BackupNotMade` where it cannot be written; whatever was begun is removed then.
    """
    if file.is_dir():
        raise BackupNotMade(f"{file} is a folder. Name a file in it.")
    if file.exists() and not replace:
        raise BackupNotMade(f"{file} is there already. Name another file, or add --replace.")
    partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
    try:
        with os.fdopen(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        if file.exists() and not replace:
            raise BackupNotMade(f"{file} was made by somebody else meanwhile. Name another file, or add --replace.")
        partial.replace(file)
    except OSError as error:
        reason = FULL.get(error.errno or 0, f"{error.strerror or error}.")
        raise BackupNotMade(
            f"{file} cannot be written. {reason} Nothing is left of it; choose another place."
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink()


def archive_write(
    handle: IO[bytes], pieces: Iterator[bytes], *, card: Callable[[str], Manifest], secret: str = ""
) -> Manifest:
    """Write a dump as it comes, then the card that `card` makes of its digest, and return the card."""
    digest = hashlib.sha256()
    with zipfile.ZipFile(handle, "w", zipfile.ZIP_STORED) as archive:
        with archive.open(DUMP, "w", force_zip64=True) as member:
            for piece in pieces:
                digest.update(piece)
                member.write(piece)
        made = card(digest.hexdigest())
        archive.writestr(CARD, made.as_json())
        if secret:
            archive.writestr(SECRET, secret)
    return made


@contextmanager
def archive_opened(file: Path | IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Open a backup. Raises `BackupDamaged` for a file that cannot be opened or read to its end."""
    try:
        with zipfile.ZipFile(file) as archive:
            if not {DUMP, CARD} <= set(archive.namelist()):
                raise BackupDamaged("The file is not a backup of this product.")
            yield archive
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise BackupDamaged("The file is not a backup, or it is damaged. Take another copy.") from error
    except FileNotFoundError as error:
        raise BackupDamaged("There is no such file.") from error
    except OSError as error:
        raise BackupDamaged(f"The file cannot be read: {error.strerror or error}.") from error


def archive_check(file: Path | IO[bytes]) -> Manifest:
    """Return the card of a backup after its dump was read to the end and its table of contents by PostgreSQL.

    Raises `BackupDamaged`.
    """
    with archive_opened(file) as archive:
        made = manifest_read(archive.read(CARD))
        digest = hashlib.sha256()
        for piece in dump_pieces(archive):
            digest.update(piece)
        if digest.hexdigest() != made.sha256:
            raise BackupDamaged("The file is damaged: its dump is not the one that was written. Take another copy.")
        contents_check(archive)
    return made


def contents_check(archive: zipfile.ZipFile) -> None:
    with tempfile.TemporaryFile() as said:
        listing = subprocess.Popen(
            [program("pg_restore"), "--list"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        )
        assert listing.stdin is not None  # noqa: S101 (for the type)
        # It reads the head of the dump and ends.
        with suppress(BrokenPipeError), listing.stdin as into:
            for piece in dump_pieces(archive):
                into.write(piece)
        if listing.wait():
            said.seek(0)
            reason = reason_in(said.read().decode(errors="replace"), "pg_restore")
            raise BackupDamaged(f"PostgreSQL cannot read the dump in the file: {reason}")


def dump_pieces(archive: zipfile.ZipFile) -> Iterator[bytes]:
    with archive.open(DUMP) as member:
        while piece := member.read(AT_ONCE):
            yield piece
