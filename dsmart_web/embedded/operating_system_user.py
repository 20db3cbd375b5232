"""Finds the user that PostgreSQL runs as: PostgreSQL refuses to run as root, so for root an unprivileged user is made.

That user can usually enter neither a data folder nor a virtual environment below `/root`. The data folder is therefore passed
as an open directory, `/proc/self/fd/N`, which needs no permission on the folders above; the binaries, which resolve their own
path, are copied once to a folder that everybody can enter.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dsmart_web.embedded.errors import EmbeddedServiceError

NAME = "dsmart-postgres"
SHARED_BINARIES = Path("/var/lib/dsmart-postgres")


@dataclass(frozen=True)
class ServerUser:
    """The user that the server runs as; without ids, the one who started the product."""

    uid: int | None = None
    gid: int | None = None

    @property
    def is_other(self) -> bool:
        return self.uid is not None

    def own(self, thing: Path | int) -> None:
        """Make the user the owner of a folder or an open file."""
        if self.uid is not None and self.gid is not None:
            os.chown(thing, self.uid, self.gid)

    @contextmanager
    def entering(self, folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield the name of `folder` for the server's user, and the arguments of `subprocess` that make it valid."""
        if not self.is_other:
            yield str(folder), {"cwd": "/"}
            return
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{descriptor}", {**self._arguments(), "pass_fds": [descriptor]}
        finally:
            os.close(descriptor)

    def reachable(self, binaries: Path) -> Path:
        """Return a folder with the programs of `binaries` that the user can run: that one, or a copy of it."""
        if not self.is_other or self._can_run(binaries):
            return binaries
        package = binaries.parent.parent
        release = f"{package.name}-{int(binaries.stat().st_mtime)}"
        copied = SHARED_BINARIES / release / package.name / binaries.parent.name / binaries.name
        if not copied.exists():
            _copy(package, binaries.parent.name, SHARED_BINARIES / release)
        if not self._can_run(copied):
            raise EmbeddedServiceError(
                f"The user {NAME!r} cannot run PostgreSQL from {binaries} nor from {copied}. "
                "Run the product as an ordinary user, or set DATABASE_URL."
            )
        return copied

    def _arguments(self) -> dict[str, object]:
        return {"user": self.uid, "group": self.gid, "extra_groups": [], "cwd": "/"}

    def _can_run(self, binaries: Path) -> bool:
        try:
            subprocess.run(
                [binaries / "postgres", "--version"],
                check=True,
                capture_output=True,
                **self._arguments(),  # type: ignore[call-overload]
            )
        except (OSError, subprocess.CalledProcessError):
            return False
        return True


def server_user() -> ServerUser:
    """Return the user for the server: ourselves, or, for root, the unprivileged user, created if missing."""
    if os.geteuid() != 0:
        return ServerUser()
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        _create()
        entry = pwd.getpwnam(NAME)
    return ServerUser(entry.pw_uid, entry.pw_gid)


def _create() -> None:
    programs = {
        "useradd": ["--system", "--user-group", "--no-create-home", "--home-dir", "/", "--shell", "/bin/false", NAME],
        "adduser": ["-S", "-H", "-h", "/", "-s", "/bin/false", NAME],
    }
    reason = "neither useradd nor adduser is installed"
    for program, arguments in programs.items():
        path = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        if path is None:
            continue
        done = subprocess.run([path, *arguments], capture_output=True, text=True)
        if done.returncode in (0, 9):  # 9: another process made the user in the meantime
            return
        reason = done.stderr.strip() or f"{program} failed with status {done.returncode}"
    raise EmbeddedServiceError(
        f"PostgreSQL does not run as root, and the user {NAME!r} cannot be created: {reason}. "
        f"Run the product as an ordinary user, create the user {NAME!r}, or set DATABASE_URL."
    )


def _copy(package: Path, part: str, target: Path) -> None:
    try:
        SHARED_BINARIES.mkdir(mode=0o755, parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(dir=SHARED_BINARIES))
        try:
            building.chmod(0o755)
            shutil.copytree(package / part, building / package.name / part, symlinks=True)
            libraries = package.with_name(f"{package.name}.libs")
            if libraries.exists():
                shutil.copytree(libraries, building / libraries.name, symlinks=True)
            if not target.exists():
                building.rename(target)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise EmbeddedServiceError(
            f"PostgreSQL cannot be copied to {SHARED_BINARIES}, where the user {NAME!r} could run it "
            f"({error.strerror}). Run the product as an ordinary user, or set DATABASE_URL."
        ) from error
