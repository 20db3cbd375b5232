"""Bodies of requests: JSON of a stated size."""

import io
from collections.abc import Mapping
from typing import Any

from rest_framework import status
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import JSONParser, MultiPartParser

from memory.core.plain_text import NOT_PLAIN, is_plain

BODY_LIMIT_BYTES = 512 * 1024


class BodyTooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = f"The body of a request can have at most {BODY_LIMIT_BYTES // 1024} KB."
    default_code = "too_large"


class BoundedJSONParser(JSONParser):
    """JSON up to `BODY_LIMIT_BYTES`. Django's own limit does not count what is read from the stream."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        body = stream.read(BODY_LIMIT_BYTES + 1)
        if len(body) > BODY_LIMIT_BYTES:
            raise BodyTooLarge
        try:
            content = super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        if not is_plain(content):
            raise ParseError(NOT_PLAIN)
        return content


class PlainMultiPartParser(MultiPartParser):
    """A form with files whose fields and names are text."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        form = super().parse(stream, media_type, parser_context)
        if not is_plain([*form.data.lists(), *form.files]):
            raise ParseError(NOT_PLAIN)
        return form
