"""Reads the process environment. Nothing else in the product does."""

import ipaddress
import math
import os
import secrets
import zoneinfo
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def flag(name: str, default: bool) -> bool:
    value = text(name).lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if value:
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to 1 or 0.")
    return default


def number(name: str, default: float) -> float:
    value = text(name)
    if not value:
        return default
    try:
        read = float(value)
    except ValueError:
        read = math.nan
    if not math.isfinite(read):
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to a number.")
    return read


def limit(name: str, default: float = 0) -> float | None:
    """Return a limit, or None for 0, which means none. Raises `ImproperlyConfigured` for a negative number."""
    read = number(name, default)
    if read < 0:
        raise ImproperlyConfigured(f"{name} is {text(name)!r}. Set it to a number above 0, or to 0 for no limit.")
    return read or None


def whole_limit(name: str, default: int = 0) -> int | None:
    """Return a limit as a whole number, or None for 0."""
    read = limit(name, default)
    if read is not None and read % 1:
        raise ImproperlyConfigured(f"{name} is {text(name)!r}. Set it to a whole number, or to 0 for no limit.")
    return None if read is None else int(read)


def time_zone(name: str, default: str) -> str:
    """Return the name of a time zone that this machine knows."""
    value = text(name) or default
    try:
        zoneinfo.ZoneInfo(value)
    except (ValueError, OSError, KeyError) as error:
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to a time zone such as Europe/Berlin.") from error
    return value


def log_level(name: str, default: str) -> str:
    value = text(name).upper() or default
    if value not in LOG_LEVELS:
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to one of {', '.join(LOG_LEVELS)}.")
    return value


def one_of(name: str, default: str, *others: str) -> str:
    """Return one of several words; the first of them by default."""
    value = text(name) or default
    if value not in (default, *others):
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to one of {', '.join((default, *others))}.")
    return value


def names(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def networks(name: str, default: str = "") -> list[str]:
    """Return networks such as 10.0.0.0/8; a single address is a network of its own."""
    try:
        return [str(ipaddress.ip_network(part)) for part in names(name, default)]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} is {text(name)!r}. Set it to networks such as 10.0.0.0/8, 192.0.2.7, separated by commas."
        ) from error


def pairs(name: str) -> dict[str, str]:
    """Return "a=b, c=d" as a mapping. What is no pair, or names one thing twice, is a mistake."""
    read: dict[str, str] = {}
    for part in names(name):
        key, _, value = (word.strip() for word in part.partition("="))
        if not key or not value or key in read:
            raise ImproperlyConfigured(f"{name} has {part!r}. Set it to pairs such as a=b, c=d, each name once.")
        read[key] = value
    return read


def home() -> Path:
    """Return the folder of the user's data: `DSMART_HOME`, or the platform's usual place."""
    chosen = text("DSMART_HOME")
    if chosen:
        return Path(chosen).expanduser().resolve()
    return Path(text("XDG_DATA_HOME") or Path.home() / ".local" / "share").expanduser() / "dsmart"


def database(url: str) -> dict[str, Any]:
    """Return Django's form of a database's address. Raise `ImproperlyConfigured` unless it is a PostgreSQL one."""
    try:
        parsed: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=600, conn_health_checks=True))
    except (ValueError, KeyError):
        parsed = {}
    if parsed.get("ENGINE") != "django.db.backends.postgresql" or not parsed.get("NAME"):
        raise ImproperlyConfigured(
            "DATABASE_URL is not the address of a PostgreSQL database. "
            "Its form is postgresql://user:password@host:5432/name; without it, the embedded one is used."
        )
    return parsed


def secret_key(folder: Path) -> str:
    """Return the signing key: `DSMART_SECRET_KEY`, or one that is made once and kept in the data folder."""
    given = text("DSMART_SECRET_KEY")
    if given:
        return given
    file = folder / "secret_key"
    try:
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as handle:
                handle.write(secrets.token_urlsafe(50))
        return file.read_text().strip()
    except FileExistsError as error:
        if file.is_file():
            return file.read_text().strip()
        raise ImproperlyConfigured(
            f"The data folder {folder} is a file. Set DSMART_HOME to a folder of yours."
        ) from error
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {folder} cannot be written ({error.strerror}). "
            "Set DSMART_HOME to a folder of yours with free space."
        ) from error
