"""Files that a person takes out: named after what is in them, kept by no cache on their way."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.text import slugify

NAME_LENGTH = 60


def download(
    document: str | Iterator[str], *, media_type: str, name: str, suffix: str, otherwise: str = "export"
) -> HttpResponseBase:
    """Return a document as a file, streamed where it comes in pieces; `otherwise` names what has no name of letters."""
    response: HttpResponseBase
    if isinstance(document, str):
        response = HttpResponse(document, content_type=media_type)
    else:
        response = StreamingHttpResponse(pieces(document), content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{slugify(name)[:NAME_LENGTH] or otherwise}.{suffix}"'
    response["Cache-Control"] = "private, no-store"
    return response


async def pieces(document: Iterator[str]) -> AsyncIterator[str]:
    """Yield the document in larger pieces: a hop between threads for every row would cost more than the row."""
    while piece := await sync_to_async(gathered)(document):
        yield piece


def gathered(document: Iterator[str], rows: int = 500) -> str:
    return "".join(piece for _, piece in zip(range(rows), document, strict=False))


def numbered(name: str, number: int) -> str:
    """Return a name that ends in a number, as long as a file's may be."""
    return f"{slugify(name)[: NAME_LENGTH - 12]}-{number}".strip("-")
