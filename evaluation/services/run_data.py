"""Where the data of a run that is asked for in the browser come from: an upload, the server's folder, a bundled sample."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO

from django.conf import settings

from evaluation import benchmarks
from evaluation.core.errors import RunRefused

UPLOAD_LIMIT = 16 * 1024 * 1024
# No file system takes names of more than 255.
NAME_BYTES = 200
ENDINGS = (".json", ".jsonl")
DEEPEST, MOST = 3, 500
SAMPLES = Path(benchmarks.__file__).parent / "samples"


def sample_files() -> dict[str, Path]:
    """Return the samples that the project wrote itself, by name."""
    return {path.name: path for path in sorted(SAMPLES.glob("*.jsonl"))}


def folder_files() -> dict[str, Path]:
    """Return the benchmark files of the folder that the settings name, by their place in it; at most `MOST`."""
    folder = settings.DSMART_BENCHMARKS
    if folder is None or not folder.is_dir():
        return {}
    found = (
        path
        for depth in range(DEEPEST)
        for path in sorted(folder.glob("*/" * depth + "*"))
        if path.suffix in ENDINGS and path.is_file() and path.resolve().is_relative_to(folder.resolve())
    )
    return {path.relative_to(folder).as_posix(): path for path, _ in zip(found, range(MOST), strict=False)}


@contextmanager
def uploaded(file: BinaryIO, name: str) -> Iterator[Path]:
    """Give the path of an uploaded file, under the end of its name, while the block reads it.

    Raises `RunRefused` for one that is too large.
    """
    with tempfile.TemporaryDirectory(prefix="dsmart-run-") as folder:
        end = PurePath(name.replace("\\", "/")).name.encode(errors="ignore")[-NAME_BYTES:].decode(errors="ignore")
        path = Path(folder) / (end or "data.jsonl")
        with path.open("wb") as target:
            shutil.copyfileobj(file, target)
        if path.stat().st_size > UPLOAD_LIMIT:
            raise RunRefused(
                f"The file is larger than {UPLOAD_LIMIT // 1024**2} MB. Put it into the server's folder of benchmarks "
                "(DSMART_BENCHMARKS), or run it with `manage.py evaluate run`."
            )
        yield path
