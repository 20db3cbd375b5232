"""AMR parsers behind `TextToAmr`: a parsing service over HTTP, and amrlib where it is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

from memory.adapters.language_models.refusals import shown_url
from memory.core.errors import ModelNotFound, ModelRefused, ModelUnreachable, UnparsableReply

# A reply is kept for the error message up to here.
QUOTE_LIMIT = 2_000


class HttpTextToAmr:
    """A `TextToAmr` over HTTP: POST {"sentences": [...]} returns {"graphs": [...]}, one Penman text a sentence.

    A request sends `batch_size` sentences and waits at most `timeout_s` seconds without a byte from the server.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float = 60.0,
        batch_size: int = 32,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._batch_size = max(1, batch_size)
        self._client = httpx.Client(timeout=timeout_s, transport=transport)

    def __repr__(self) -> str:
        return f"HttpTextToAmr({shown_url(self._url)!r})"

    def parse_many(self, sentences: Sequence[str]) -> list[str]:
        """Return one graph a sentence. Raises `ModelUnreachable`, `ModelRefused` or `UnparsableReply`."""
        graphs: list[str] = []
        for start in range(0, len(sentences), self._batch_size):
            graphs += self._parsed(sentences[start : start + self._batch_size])
        return graphs

    def _parsed(self, sentences: Sequence[str]) -> list[str]:
        server = shown_url(self._url)
        try:
            response = self._client.post(self._url, json={"sentences": list(sentences)})
        except httpx.TimeoutException:
            raise ModelUnreachable(
                f"The AMR service at {server} said nothing for {self._timeout_s:g} s. Raise DSMART_AMR_TIMEOUT_S."
            ) from None
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ModelUnreachable(
                f"The AMR service at {server} does not answer ({type(error).__name__}). "
                "Start it, or set DSMART_AMR_URL to where it runs."
            ) from None
        if response.status_code in (408, 429) or response.status_code >= 500:
            raise ModelUnreachable(f"The AMR service at {server} failed with {response.status_code}. Try again later.")
        if response.status_code != 200:
            raise ModelRefused(
                f"The AMR service at {server} refused with {response.status_code}. Check DSMART_AMR_URL."
            )
        try:
            payload = response.json()
        except (ValueError, RecursionError):
            payload = None
        graphs = payload.get("graphs") if isinstance(payload, dict) else None
        is_whole = isinstance(graphs, list) and len(graphs) == len(sentences)
        if not is_whole or not all(isinstance(graph, str) for graph in graphs or []):
            raise UnparsableReply(
                f'The AMR service at {server} did not answer with {{"graphs": [...]}}, '
                f"one text for each of {len(sentences)} sentences.",
                reply=response.text[:QUOTE_LIMIT],
            )
        return list(graphs or [])


class AmrlibTextToAmr:
    """A `TextToAmr` by amrlib, which is not installed by default because its models take hundreds of megabytes.

    Raises `ModelNotFound` where amrlib or the model is missing.
    """

    def __init__(self, model_folder: Path | None = None) -> None:
        try:
            amrlib: Any = importlib.import_module("amrlib")
        except ImportError:
            raise ModelNotFound(
                "amrlib is not installed. Install it with a parsing model, or set DSMART_AMR to http or prompted."
            ) from None
        try:
            self._parse: Callable[..., list[str | None]] = amrlib.load_stog_model(
                model_dir=None if model_folder is None else str(model_folder)
            ).parse_sents
        except (OSError, ImportError, ValueError) as error:
            raise ModelNotFound(f"amrlib has no parsing model at {model_folder or 'its own folder'}: {error}") from None

    def parse_many(self, sentences: Sequence[str]) -> list[str]:
        """Return one graph a sentence, empty where the model gave none."""
        return [graph or "" for graph in self._parse(list(sentences), add_metadata=False)] if sentences else []
