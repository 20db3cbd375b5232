"""The log: a line of text or of JSON for each record, with the request that it belongs to and without secrets.

Of all that fails because the database is away, one line a minute is written, and no traceback.
"""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from dsmart_web.requests import request_id
from dsmart_web.secrets_out import without_secrets
from memory.adapters.outages import is_away, line_is_due

# What a record may carry beside its message, given as `extra`.
FIELDS = ("method", "path", "route", "status", "milliseconds", "client")
AWAY = (
    "The database is away (%s). Pages and the API answer 503, work waits, and goes on when it is back. "
    "This is told once a minute."
)


class QuietHandler(logging.StreamHandler):
    """Writes to standard error, and of an outage one line a minute."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if error is None or not is_away(error):
            super().emit(record)
        elif line_is_due():
            reason = " ".join(str(error).split()) or type(error).__name__
            told = {"name": record.name, "levelno": logging.ERROR, "levelname": "ERROR", "msg": AWAY, "args": (reason,)}
            super().emit(logging.makeLogRecord(told))


class LineFormatter(logging.Formatter):
    """A line for a person; the request's id is at its end."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        told = without_secrets(super().format(record))
        asked = request_id()
        return f"{told} (request {asked})" if asked else told


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `message`, and where known `request`, `error` and `FIELDS`."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if asked := request_id():
            told["request"] = asked
        for name in FIELDS:
            if (value := record.__dict__.get(name)) is not None:
                told[name] = without_secrets(value) if isinstance(value, str) else value
        if record.exc_info:
            told["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False, default=str)
