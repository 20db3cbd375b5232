"""What a measurement was made with."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from evaluation.adapters.identity import code_version, content_digest, identity


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", "-C", str(folder), *name, *arguments], check=True, capture_output=True)


def test_digest_follows_content_and_names(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"words")
    assert content_digest(file) == hashlib.sha256(b"words").hexdigest()
    before = content_digest(tmp_path)
    file.rename(tmp_path / "b.txt")
    assert content_digest(tmp_path) != before


def test_code_is_the_commit_and_says_when_files_differ(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-qm", "first")
    commit = code_version(tmp_path)
    assert len(commit) == 40
    (tmp_path / "a.py").write_text("2\n")
    assert code_version(tmp_path) == f"{commit}+changes"


def test_code_without_a_checkout_is_the_version(tmp_path: Path) -> None:
    assert len(code_version(tmp_path)) < 40


def test_config_changes_the_identity_and_its_order_does_not(tmp_path: Path) -> None:
    one = identity(code_folder=tmp_path, config={"a": 1, "b": 2})
    assert one == identity(code_folder=tmp_path, config={"b": 2, "a": 1})
    assert one.config != identity(code_folder=tmp_path, config={"a": 1, "b": 3}).config
    assert "cores" in one.machine
