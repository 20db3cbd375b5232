"""Fetching the front-end packages: once, from what there is, and never at the cost of the start."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from dsmart_web.embedded import front_end

NPM = """#!{python}
import json, pathlib, sys
here = pathlib.Path.cwd()
(pathlib.Path({log!r})).open("a").write(" ".join(sys.argv[1:]) + "\\n")
{refusal}
lock = json.loads((here / "package-lock.json").read_text())
for package, files in {files!r}.items():
    for file in (*files, "LICENSE"):
        path = here / "node_modules" / package / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(package + "/" + file)
"""


@pytest.fixture
def vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(front_end, "VENDOR", tmp_path / "vendor")
    return tmp_path / "vendor"


def npm_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, refusal: str = "") -> Path:
    """Put an npm on the path that writes what it is asked into a file, which is returned."""
    log, program = tmp_path / "asked", tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(NPM.format(python=sys.executable, log=str(log), refusal=refusal, files=front_end.FILES))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent))
    return log


def nothing_to_install_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(front_end, "NODE", str(tmp_path / "no-such-wheel.whl"))


def test_packages_are_fetched_as_pinned_and_copied_with_their_licenses_once(vendor, tmp_path, monkeypatch):
    asked = npm_found(tmp_path, monkeypatch)
    assert front_end.front_end_prepare() == "fetched, once"
    assert (vendor / "uPlot.min.css").read_text() == "uplot/dist/uPlot.min.css"
    assert {path.name for path in (vendor / "licenses").iterdir()} == {f"{name}.txt" for name in front_end.FILES}
    assert front_end.front_end_prepare() == "unchanged"
    [command] = asked.read_text().splitlines()
    assert command.startswith("ci ") and "--ignore-scripts" in command


def test_a_copy_that_was_interrupted_is_made_anew(vendor, tmp_path, monkeypatch):
    npm_found(tmp_path, monkeypatch)
    front_end.front_end_prepare()
    (vendor / front_end.STAMP).unlink()
    (vendor / "uPlot.min.css").write_text("half")
    assert front_end.front_end_prepare() == "fetched, once"
    assert (vendor / "uPlot.min.css").read_text() == "uplot/dist/uPlot.min.css"


def test_refusal_is_said_and_leaves_the_start_alone(vendor, tmp_path, monkeypatch):
    npm_found(tmp_path, monkeypatch, refusal='sys.stderr.write("npm error code ECONNREFUSED\\n"); sys.exit(1)')
    nothing_to_install_from(monkeypatch, tmp_path)
    said = front_end.front_end_prepare()
    assert "npm error code ECONNREFUSED" in said and "shown as tables" in said
    assert not vendor.exists()


def test_no_npm_anywhere_is_said(vendor, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    nothing_to_install_from(monkeypatch, tmp_path)
    assert "npm was not found" in front_end.front_end_prepare()


def test_what_is_served_is_what_the_lock_file_pins_and_no_address_is_in_it():
    lock = json.loads(front_end.LOCK.read_text())
    pinned = {name.removeprefix("node_modules/"): package for name, package in lock["packages"].items() if name}
    assert set(pinned) == set(front_end.FILES)
    assert all(package["integrity"].startswith("sha512-") for package in pinned.values())
    assert not any("resolved" in package for package in pinned.values())
