"""Turns a server's error response into an error whose message says what to do."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from memory.core.errors import LanguageModelError, ModelRefused, ModelUnreachable

QUOTE_LIMIT = 300


@dataclass(frozen=True)
class SettingNames:
    """How sentences call what a person sets for a server. A model is set by its name behind `prefix`, if any."""

    address: str = "DSMART_HTTP_BASE_URL"
    key: str = "DSMART_HTTP_API_KEY"
    model: str = "DSMART_ENGINE"
    prefix: str = "http:"

    def value(self, model: str) -> str:
        """Return what is written to set a model."""
        return f"{self.prefix}<{model}>" if self.prefix else model


def shown_url(url: str) -> str:
    """Return the URL without a user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def error_object(body: bytes) -> dict[str, object]:
    """Return the error object of a response, in OpenAI's form or in one of those that other servers use."""
    text = body.decode("utf-8", errors="replace").strip()
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return {"message": text}
    error = payload.get("error", payload) if isinstance(payload, dict) else {"message": text}
    if not isinstance(error, dict):
        return {"message": str(error)}
    if "message" not in error:
        error = {**error, "message": error.get("detail") or text}
    return error


def is_about_chances(error: Mapping[str, object]) -> bool:
    """Return whether an error says that the server tells no probabilities of tokens."""
    return "logprobs" in f"{error.get('param')} {error.get('message')}".lower()


class Refusals:
    """Makes errors that name the server, the model and the settings to change, and never contain the key."""

    def __init__(self, *, base_url: str, api_key: str, model: str, names: SettingNames) -> None:
        self._server = shown_url(base_url)
        self._api_key = api_key
        self._model = model
        self._names = names

    def of_status(
        self, status: int, error: Mapping[str, object], *, models: Sequence[str] | None = None, location: str = ""
    ) -> LanguageModelError:
        """Return the error for a status. `models` are the ids of the server's models, or None where they are unknown."""
        said = self.quoted(error.get("message"))
        if status in (401, 403):
            return ModelRefused(f"The server at {self._server} refused the key. Check {self._names.key}.")
        if self.is_about_the_model(status, error):
            return self._of_model(models)
        if status == 404:
            return ModelRefused(
                f"The server at {self._server} has no chat completions there. "
                f"Check {self._names.address} (it usually ends in /v1)."
            )
        if status == 408:
            return ModelUnreachable(f"The server at {self._server} gave up waiting (408). Try again later.")
        if status in (402, 429):
            return ModelRefused(
                f"The server at {self._server} takes no more requests for now ({status}){said}. "
                "Wait, check the quota, or lower DSMART_HTTP_CONCURRENCY."
            )
        if status >= 500:
            return ModelUnreachable(f"The server at {self._server} failed ({status}){said}. Look at the server's log.")
        if 300 <= status < 400:
            return ModelRefused(
                f"The server at {self._server} sends us on to {shown_url(location)}. Set {self._names.address} to that."
            )
        return ModelRefused(
            f"The server at {self._server} refused the request ({status}){said}. Check what it asks for."
        )

    def is_about_the_model(self, status: int, error: Mapping[str, object]) -> bool:
        """Return whether an error says that the model is unknown, rather than that the URL is wrong."""
        said = str(error.get("message") or "").lower()
        is_named = "model" in said and any(words in said for words in ("not found", "not exist", "unknown", "no model"))
        return error.get("code") == "model_not_found" or (status in (400, 404, 422) and is_named)

    def of_stream_error(self, error: Mapping[str, object]) -> LanguageModelError:
        """Return the error for an error object in the middle of a stream."""
        code = str(error.get("code") or error.get("status") or "")
        said = self.quoted(error.get("message"))
        if code.isdigit() and (int(code) >= 500 or int(code) == 408):
            return ModelUnreachable(f"The server at {self._server} failed in the middle of its reply{said}. Try again.")
        return ModelRefused(f"The server at {self._server} broke off its reply{said}. Look at the server's log.")

    def quoted(self, said: object) -> str:
        """Return ': "..."' with the server's message on one line, cut and without the key; "" where there is none."""
        text = " ".join(str(said or "").split())
        if self._api_key:
            text = text.replace(self._api_key, "[key]")
        if not text:
            return ""
        return f': "{text[:QUOTE_LIMIT]}…"' if len(text) > QUOTE_LIMIT else f': "{text}"'

    def _of_model(self, models: Sequence[str] | None) -> ModelRefused:
        if models is None:
            what_to_do = f"Set {self._names.model} to {self._names.value('a model that it has')}."
        elif not models:
            what_to_do = "It has none at all. Load one on the server."
        else:
            shown = ", ".join(models[:20]) + (", …" if len(models) > 20 else "")
            what_to_do = f"It has: {shown}. Set {self._names.model} to {self._names.value('one of them')}."
        return ModelRefused(f'The server at {self._server} has no model "{self._model}". {what_to_do}')
