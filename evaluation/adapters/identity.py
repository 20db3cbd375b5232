"""What a measurement was made with: the code's commit, digests of data and configuration, the machine."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from evaluation.core.report import Identity

PACKAGE = "dsmart-web"
CHUNK_BYTES = 1024 * 1024
# Of files of gigabytes so many pieces are read, evenly apart.
READ_WHOLE_BYTES = 256 * CHUNK_BYTES
PIECES, PIECE_BYTES = 256, 64 * 1024


def identity(
    *, code_folder: Path, data: Sequence[Path] = (), config: Mapping[str, object] | None = None, seed: int = 0
) -> Identity:
    """Return the identity of a measurement of these files with this configuration."""
    return Identity(
        code=code_version(code_folder),
        data={path.name: content_digest(path) for path in data},
        config=hashlib.sha256(json.dumps(config or {}, sort_keys=True, default=str).encode()).hexdigest(),
        seed=seed,
        machine=machine(),
    )


def code_version(folder: Path) -> str:
    """Return the commit of the checkout, with "+changes" where files differ from it, or else the package's version."""
    commit = git(folder, "rev-parse", "HEAD")
    if commit:
        return f"{commit}+changes" if git(folder, "status", "--porcelain", "--untracked-files=no") else commit
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return "unknown"


def git(folder: Path, *arguments: str) -> str:
    """Return the output of a git command, or "" where there is no git or no checkout."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def content_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of all files of a folder with their names."""
    digest = hashlib.sha256()
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for file in files:
        if path.is_dir():
            digest.update(str(file.relative_to(path)).encode())
        with file.open("rb") as content:
            while chunk := content.read(CHUNK_BYTES):
                digest.update(chunk)
    return digest.hexdigest()


def weights_files_digest(folder: Path) -> str:
    """Return the SHA-256 of the files of a folder of weights: their names and content, of very large ones size and pieces."""
    digest = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        facts = file.stat()
        content = piecewise_digest(file, facts.st_size, facts.st_mtime_ns)
        digest.update(f"{file.relative_to(folder).as_posix()}\0{content}\0".encode())
    return digest.hexdigest()


@lru_cache
def piecewise_digest(file: Path, size: int, changed_ns: int) -> str:
    """Return the SHA-256 of a file of this size, kept until the file is written again."""
    if size <= READ_WHOLE_BYTES:
        return content_digest(file)
    digest = hashlib.sha256(str(size).encode())
    with file.open("rb") as content:
        for piece in range(PIECES):
            content.seek((size - PIECE_BYTES) * piece // (PIECES - 1))
            digest.update(content.read(PIECE_BYTES))
    return digest.hexdigest()


def files_digest(folder: Path, rooms: Sequence[str], *, endings: Sequence[str], without: Set[str] = frozenset()) -> str:
    """Return the SHA-256 of the files of some endings below rooms of a folder, with their names.

    Files below a folder of a name of `without` are left out.
    """
    digest = hashlib.sha256()
    for room in rooms:
        for file in sorted((folder / room).rglob("*")):
            place = file.relative_to(folder)
            if file.suffix in endings and without.isdisjoint(place.parts):
                digest.update(f"{place.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{processor()}, {cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or "unknown processor"
