"""Downloads WordNet, the source of word senses, from Debian's package into the data folder where that is possible."""

import subprocess
import tempfile
import time
from pathlib import Path

from django.conf import settings

from memory.adapters.wordnet import wordnet_folder

PACKAGE = "wordnet-base"
TIMEOUT_S = 60
TRY_AGAIN_AFTER_S = 24 * 3600
WITHOUT = f"not there, so word senses are left out; install {PACKAGE} or set DSMART_WORDNET"


def wordnet_prepare() -> str:
    """Make WordNet's files available and return their state in a phrase.

    The product runs without them; a failed try waits a day.
    """
    if wordnet_folder(settings.DSMART_WORDNET_FOLDERS) is not None:
        return "ready"
    target: Path = settings.DSMART_HOME / "wordnet"
    failed = settings.DSMART_HOME / ".wordnet-not-there"
    if failed.is_file() and time.time() - failed.stat().st_mtime < TRY_AGAIN_AFTER_S:
        return WITHOUT
    try:
        package_unpack(target)
    except (OSError, subprocess.SubprocessError):
        failed.touch()
        return WITHOUT
    return "fetched, once"


def package_unpack(target: Path) -> None:
    """Download the package and put its files at `target`. Needs Debian's tools but no rights on the machine."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".wordnet-") as folder:
        run(["apt-get", "download", "-qq", PACKAGE], folder)
        package = next(Path(folder).glob("*.deb"))
        run(["dpkg-deb", "-x", package.name, "files"], folder)
        (Path(folder) / "files" / "usr" / "share" / "wordnet").rename(target)


def run(command: list[str], folder: str) -> None:
    subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
