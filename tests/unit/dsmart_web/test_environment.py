"""A wrong setting is refused with one sentence that names it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from dsmart_web import environment


@pytest.mark.parametrize("value", ["abc", "nan", "inf", "-inf"])
def test_number_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DSMART_HTTP_RETRIES", value)
    with pytest.raises(ImproperlyConfigured, match="DSMART_HTTP_RETRIES"):
        environment.number("DSMART_HTTP_RETRIES", 3)


@pytest.mark.parametrize("value", ["Mars/Phobos", "../etc/passwd", "/etc/passwd"])
def test_unknown_time_zone_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DSMART_TIME_ZONE", value)
    with pytest.raises(ImproperlyConfigured, match="DSMART_TIME_ZONE"):
        environment.time_zone("DSMART_TIME_ZONE", "UTC")


def test_level_of_the_log_is_read_in_any_case_and_refused_where_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSMART_LOG_LEVEL", "info")
    assert environment.log_level("DSMART_LOG_LEVEL", "WARNING") == "INFO"
    monkeypatch.setenv("DSMART_LOG_LEVEL", "loud")
    with pytest.raises(ImproperlyConfigured, match="DEBUG"):
        environment.log_level("DSMART_LOG_LEVEL", "WARNING")


def test_data_folder_that_is_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DSMART_SECRET_KEY", raising=False)
    file = tmp_path / "home"
    file.write_text("")
    with pytest.raises(ImproperlyConfigured, match="is a file"):
        environment.secret_key(file)


@pytest.mark.parametrize(("value", "limit"), [("", None), ("0", None), ("0.5", 0.5), ("30", 30)])
def test_limit_of_nothing_is_no_limit(monkeypatch: pytest.MonkeyPatch, value: str, limit: float | None) -> None:
    monkeypatch.setenv("DSMART_REASONING_SECONDS", value)
    assert environment.limit("DSMART_REASONING_SECONDS") == limit
    assert environment.limit("DSMART_REASONING_SECONDS", 60) == (limit if value else 60)


@pytest.mark.parametrize("value", ["-1", "-0.001", "0.5", "1.5", "nan", "inf", "many"])
def test_limit_that_counts_nothing_whole_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DSMART_REASONING_CALLS", value)
    with pytest.raises(ImproperlyConfigured, match="DSMART_REASONING_CALLS"):
        environment.whole_limit("DSMART_REASONING_CALLS")


@pytest.mark.parametrize(
    ("value", "read"), [("", {}), ("a=b", {"a": "b"}), (" a = b , c=d=e ,", {"a": "b", "c": "d=e"})]
)
def test_pairs_are_read_with_blanks_around_them(
    monkeypatch: pytest.MonkeyPatch, value: str, read: dict[str, str]
) -> None:
    monkeypatch.setenv("DSMART_ROLES", value)
    assert environment.pairs("DSMART_ROLES") == read


@pytest.mark.parametrize("value", ["a", "a=", "=b", "=", "a=b,a=c", "a:b"])
def test_what_is_no_pair_or_names_a_thing_twice_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DSMART_ROLES", value)
    with pytest.raises(ImproperlyConfigured, match="DSMART_ROLES has"):
        environment.pairs("DSMART_ROLES")


@pytest.mark.parametrize(
    ("roles", "missing"),
    [("extract_facts=amr_http", "DSMART_AMR_URL"), ("score_relevance=learned", "DSMART_RELEVANCE")],
)
def test_a_player_that_has_to_be_told_where_its_model_is_asks_for_that(roles: str, missing: str) -> None:
    started = subprocess.run(
        [sys.executable, "-c", "import dsmart_web.settings"],
        env=os.environ | {"DSMART_ROLES": roles},
        capture_output=True,
        text=True,
        check=False,
    )
    *_, line = started.stderr.splitlines()
    assert (started.returncode, f"Set {missing} to its" in line) == (1, True)
