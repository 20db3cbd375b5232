"""Takes out of a text what would let a reader in: the last wall before the log, behind code that names no secret."""

import functools
import re
from urllib.parse import unquote, urlsplit

from django.conf import settings

GONE = "[left out]"
# A shorter value would be found in ordinary words.
SHORTEST = 12
_FIELD = r"[\w-]*(?:password|passwd|secret|token(?!s)|api[_-]?key|credential|sessionid)[\w-]*"
PATTERNS = (
    # A link that signs in or invites: what is behind its path.
    (re.compile(r"((?:/|%2F)sign-in(?:/|%2F))[^\s\"'<>?#&]+", re.IGNORECASE), rf"\1{GONE}"),
    (re.compile(r"((?:/|%2F)invitations(?:/|%2F))(?!\d+(?:/|%2F|\b))[^\s\"'<>?#&]+", re.IGNORECASE), rf"\1{GONE}"),
    # A name and a password before a host.
    (re.compile(r"(\w+://)[^\s/@\"']+@"), rf"\1{GONE}@"),
    # Headers, whole.
    (
        re.compile(
            r"(\b(?:authorization|(?:set-)?cookie|x-api-key)\b[\"']?\s*[:=,]\s*b?[\"']?)[^\"'\n]+", re.IGNORECASE
        ),
        rf"\1{GONE}",
    ),
    (re.compile(r"\b([Bb]earer|Token|Basic)\s+(?=\S*\d)[\w.~+/=:-]{8,}"), rf"\1 {GONE}"),
    # A parameter of an address, a field of a form or of JSON, an argument.
    (re.compile(rf"(\b{_FIELD}[\"']?\s*[=:]\s*b?[\"']?)[^\s\"'&,;<>)}}\]]+", re.IGNORECASE), rf"\1{GONE}"),
    (re.compile(r"([?&](?:key|sig|code)=)[^\s\"'&#]+", re.IGNORECASE), rf"\1{GONE}"),
    # What keys of well-known services look like.
    (re.compile(r"\b(?:sk|pk|hf|ghp|gho|xox[bp])[-_][\w-]{12,}"), GONE),
)


def without_secrets(text: str) -> str:
    """Return a text without the product's own secrets and without whatever has the form of one."""
    for secret in own_secrets():
        text = text.replace(secret, GONE)
    for pattern, instead in PATTERNS:
        text = pattern.sub(instead, text)
    return text


@functools.cache
def own_secrets() -> tuple[str, ...]:
    """Return the values that settings hold and nobody may read, the longest first."""
    found = {settings.SECRET_KEY, settings.DSMART_HTTP_API_KEY, settings.DSMART_METRICS_TOKEN}
    found |= {str(settings.DATABASES["default"].get("PASSWORD") or ""), urlsplit(settings.REDIS_URL).password or ""}
    found |= {unquote(secret) for secret in found}
    return tuple(sorted((secret for secret in found if len(secret) >= SHORTEST), key=len, reverse=True))
