"""Parses the JSON of chat completions, whole and streamed, in the forms that servers send."""

from collections.abc import Mapping
from dataclasses import dataclass

from memory.core.types import TokenUsage

# No model reads or writes more at once.
MOST_TOKENS = 10_000_000
# Servers write -9999 for what cannot come next; a larger number is a defect.
MOST_LOGARITHM = 1e6


class NotACompletion(ValueError):
    """Raised for JSON that is not a chat completion."""


class Declined(Exception):
    """Raised where the model or a filter declined to reply; the message is what it said."""


@dataclass(frozen=True)
class ReplyDelta:
    """One piece of a streamed reply: text, the error that ended it, whether it is the last with text, and its tokens.

    `refusal` is what the model or a filter says in place of text.
    """

    text: str = ""
    refusal: str = ""
    is_last: bool = False
    usage: TokenUsage | None = None
    error: Mapping[str, object] | None = None


def text_of(payload: object) -> str:
    """Return the text of a whole completion. Raises `NotACompletion` and `Declined`."""
    choice = _choice(payload)
    message = choice.get("message") if choice is not None else None
    if choice is None or not isinstance(message, Mapping):
        raise NotACompletion("no choices in the completion")
    text = _content(message.get("content"))
    if not text and message.get("refusal"):
        raise Declined(str(message["refusal"]))
    if not text and choice.get("finish_reason") == "content_filter":
        raise Declined("content filter")
    return text


def next_tokens_of(payload: object) -> list[tuple[str, float]]:
    """Return the most probable first tokens of a completion with their natural logarithms, each token once.

    Empty where the server tells none. Raises `NotACompletion`.
    """
    choice = _choice(payload)
    if choice is None:
        raise NotACompletion("no choices in the completion")
    told = choice.get("logprobs")
    places = told.get("content") if isinstance(told, Mapping) else None
    first = places[0] if isinstance(places, list) and places and isinstance(places[0], Mapping) else {}
    top = first.get("top_logprobs")
    tokens = [
        (one["token"], float(one["logprob"]))
        for one in [first, *(top if isinstance(top, list) else [])]
        if isinstance(one, Mapping) and isinstance(one.get("token"), str) and _is_number(one.get("logprob"))
    ]
    return list(dict(tokens).items())


def delta_of(payload: object) -> ReplyDelta:
    """Return the part of a reply that one event of a stream adds, without reasoning. Raises `NotACompletion`."""
    if not isinstance(payload, Mapping):
        raise NotACompletion("an event is no object")
    error = payload.get("error")
    if error:
        return ReplyDelta(error=error if isinstance(error, Mapping) else {"message": str(error)})
    if payload.get("object") == "error":
        return ReplyDelta(error=payload)
    usage = usage_of(payload) if payload.get("usage") else None
    choice = _choice(payload)
    if choice is None:
        return ReplyDelta(usage=usage)
    delta = choice.get("delta")
    said = delta if isinstance(delta, Mapping) else {}
    refusal = "content filter" if choice.get("finish_reason") == "content_filter" else _content(said.get("refusal"))
    is_last = bool(choice.get("finish_reason"))
    return ReplyDelta(text=_content(said.get("content")), refusal=refusal, is_last=is_last, usage=usage)


def usage_of(payload: object) -> TokenUsage:
    """Return the tokens of the prompt and of the reply, None where the server does not tell."""
    usage = payload.get("usage") if isinstance(payload, Mapping) else None
    counts = usage if isinstance(usage, Mapping) else {}
    return TokenUsage(_count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def storable(text: str) -> str:
    """Return text that UTF-8 and a database can hold: lone surrogates and NUL characters replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "\ufffd")


def _choice(payload: object) -> Mapping[str, object] | None:
    choices = payload.get("choices") if isinstance(payload, Mapping) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return choices[0]
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST_LOGARITHM


def _count(value: object) -> int | None:
    """Return a number of tokens, or None for any other value."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def _content(content: object) -> str:
    """Return the text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, list):
        parts = [
            part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") in (None, "text")
        ]
        return storable("".join(part for part in parts if isinstance(part, str)))
    return ""
