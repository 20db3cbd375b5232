"""Names of spaces and sessions that a replay makes: equal in every replay of a file, and of bounded length."""

from __future__ import annotations

import hashlib

NAME_LIMIT = 120
KEY_LIMIT = 200
DIGEST_LENGTH = 10


def fitted(text: str, limit: int) -> str:
    """Return the text; a text over the limit is cut and ends with a digest of the whole."""
    if len(text) <= limit:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]
    return f"{text[: limit - DIGEST_LENGTH - 1]}~{digest}"


def case_space_name(file_stem: str, case_id: str) -> str:
    """Return the name of the space that a case of a file is replayed into: "<file>/<case>"."""
    return fitted(f"{file_stem}/{case_id}", NAME_LIMIT)


def session_key(file_stem: str, case_id: str, key: str) -> str:
    """Return the key of a session that is the same in every replay of the file, whatever space it goes to."""
    return fitted(f"{file_stem}/{case_id}/{key}", KEY_LIMIT)
