"""The Redis server that a team's hosts share."""

from urllib.parse import urlsplit

import redis
from django.conf import settings

from dsmart_web.embedded.errors import EmbeddedServiceError

TIMEOUT_S = 5


def broker_check() -> str:
    """Raise a sentence when the server of REDIS_URL cannot be reached; else return where it is, without its password."""
    parts = urlsplit(settings.REDIS_URL)
    try:
        where = f"{parts.hostname or parts.path}:{parts.port or 6379}"
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S
        ) as client:
            client.ping()
    except ValueError as error:
        raise EmbeddedServiceError(f"REDIS_URL is not the address of a Redis server: {error}.") from error
    except redis.RedisError as error:
        raise EmbeddedServiceError(
            f"The Redis server at {where} cannot be reached: {error}. Start it, or correct or unset REDIS_URL."
        ) from error
    return f"at {where}"
