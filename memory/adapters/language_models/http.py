"""A language model on any server with the OpenAI chat completions API (vLLM, Ollama, llama.cpp, a cloud)."""

import json
import logging
import math
import random
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx

from memory.adapters.language_models import replies
from memory.adapters.language_models.addresses import public_address
from memory.adapters.language_models.events import EventTooLong, event_data
from memory.adapters.language_models.next_words import answer_chances
from memory.adapters.language_models.refusals import Refusals, SettingNames, error_object, is_about_chances, shown_url
from memory.adapters.language_models.request_form import RequestForm, StructuredOutput
from memory.core.errors import LanguageModelError, ModelRefused, ModelUnreachable, OnlyThinking, UnparsableReply
from memory.core.thinking import UnfinishedThinking, stream_without_thinking, without_thinking
from memory.core.types import AnswerChances, Completion, Prompt, SamplingConfig, TokenUsage

OutcomeT = TypeVar("OutcomeT")

LOGGER = logging.getLogger(__name__)
CONNECT_TIMEOUT_S = 10.0
BACKOFF_LIMIT_S = 30.0
# How many time-outs a request waits for one of the connections, or for the end of an answer, before it gives up.
PATIENCE = 10
# Bytes of a whole completion. The longest that models write are a hundredth of it.
BODY_LIMIT = 16_000_000
# Characters of a streamed reply. A server that sends more minds no limit of tokens, and would fill the database.
STREAM_LIMIT = 200_000
# A reply of one word, since only what may come first is asked about.
FIRST_WORD = SamplingConfig(temperature=0.0, max_tokens=1)
WITHOUT_THINKING = "Turn its thinking off on the server, or choose a model without it."


class PublicTransport(httpx.HTTPTransport):
    """Connects to public addresses only, and to the very one that was looked at, whatever its name means a moment later."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.host
        request.url = request.url.copy_with(host=public_address(name))
        request.extensions = {**request.extensions, "sni_hostname": name}
        return super().handle_request(request)


class HttpLanguageModel:
    """A `LanguageModel` behind an OpenAI-compatible server.

    A request fails after `timeout_s` seconds without a byte from the server; it is not repeated then, since the server still
    works on it and a second request would double its load. Statuses 408, 429 and 5xx and broken connections are retried
    `retries` times, after `backoff_s` seconds, doubled each time and jittered, or after the time in Retry-After. At most
    `concurrency` requests are in flight, over all threads. Redirects are not followed. With `only_public` nothing in a
    private network is connected to. `names` are what sentences tell a person to set.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        timeout_s: float = 60.0,
        retries: int = 3,
        concurrency: int = 16,
        *,
        backoff_s: float = 0.5,
        only_public: bool = False,
        names: SettingNames | None = None,
    ) -> None:
        self.name = f"http:{model}"
        self._base_url = base_url.rstrip("/")
        self._model = model
        self._timeout_s = timeout_s
        self._retries = max(0, retries)
        self._concurrency = max(1, concurrency)
        self._backoff_s = backoff_s
        self._names = names or SettingNames()
        self._refusals = Refusals(base_url=self._base_url, api_key=api_key, model=model, names=self._names)
        self._turns = threading.BoundedSemaphore(self._concurrency)
        self._form = RequestForm()
        if re.search(r"[^\x21-\x7e]", api_key):
            raise ModelRefused(f"The key has spaces or other characters that no key has. Check {self._names.key}.")
        if not re.match(r"https?://[^/]", self._base_url):
            raise ModelUnreachable(
                f"{shown_url(self._base_url)!r} is no address of a server. "
                f"Set {self._names.address} to one such as http://127.0.0.1:8000/v1."
            )
        limits = httpx.Limits(max_connections=self._concurrency + 1, max_keepalive_connections=self._concurrency)
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S)),
            limits=limits,
            transport=PublicTransport(limits=limits) if only_public else None,
            follow_redirects=False,
        )

    def __repr__(self) -> str:
        return f"HttpLanguageModel({shown_url(self._base_url)!r}, model={self._model!r})"

    @property
    def structured_output(self) -> StructuredOutput:
        """How the server holds replies to a schema, as far as its answers have told."""
        return self._form.structured_output

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        """Return one outcome a prompt, in order. At most `concurrency` requests are in flight."""
        return self._each(prompts, lambda prompt: self._completion(self._whole(prompt, config), config))

    def probabilities_many(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[AnswerChances | Exception]:
        """Return one outcome a prompt, in order, from the most probable first tokens that the server tells of."""
        return self._each(
            prompts, lambda prompt: self._chances(self._whole(prompt, FIRST_WORD, asks_chances=True), answers)
        )

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        """Yield the reply as the server sends it. Closing the iterator closes the connection.

        A stream that breaks off is not requested again, because part of its text has been yielded. Raises
        `LanguageModelError`.
        """
        told: list[TokenUsage] = []
        with self._turn(), ExitStack() as stack:
            response = self._answer(stack, prompt, config, is_stream=True)
            try:
                yield from stream_without_thinking(self._texts(response, told))
            except UnfinishedThinking:
                raise OnlyThinking(config.max_tokens, WITHOUT_THINKING) from None
            except httpx.RequestError as error:
                raise self._unreachable(error, is_under_way=True) from None
        return told[-1] if told else None

    def models(self) -> list[str] | None:
        """Return the ids of the server's models, or None where it does not list them."""
        try:
            with self._client.stream("GET", f"{self._base_url}/models", timeout=CONNECT_TIMEOUT_S) as response:
                payload = json.loads(self._body(response.raise_for_status()))
            return sorted(str(model["id"]) for model in payload["data"])
        except (httpx.HTTPError, httpx.InvalidURL, LanguageModelError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def _each(self, prompts: Sequence[Prompt], ask: Callable[[Prompt], OutcomeT]) -> list[OutcomeT | Exception]:
        """Return what each prompt is answered with, or the `LanguageModelError` that it met."""

        def outcome(prompt: Prompt) -> OutcomeT | Exception:
            try:
                return ask(prompt)
            except LanguageModelError as error:
                return error

        if len(prompts) <= 1:
            return list(map(outcome, prompts))
        with ThreadPoolExecutor(min(self._concurrency, len(prompts)), thread_name_prefix="completion") as pool:
            return list(pool.map(outcome, prompts))

    def _whole(self, prompt: Prompt, config: SamplingConfig, *, asks_chances: bool = False) -> bytes:
        with self._turn(), ExitStack() as stack:
            return self._body(self._answer(stack, prompt, config, asks_chances=asks_chances))

    def _body(self, response: httpx.Response) -> bytes:
        """Return the body of a whole completion; a body over the size limit is cut off."""
        began = last_said = time.monotonic()
        body = bytearray()
        try:
            for chunk in response.iter_bytes():
                now = time.monotonic()
                # Blanks keep a connection alive, but a server that sends nothing else for ever does not answer.
                last_said = last_said if chunk.isspace() else now
                if now - last_said > self._timeout_s or now - began > PATIENCE * self._timeout_s:
                    raise self._silent()
                body += chunk
                if len(body) > BODY_LIMIT:
                    raise self._no_completion(b"")
        except httpx.RequestError as error:
            raise self._unreachable(error, is_under_way=True) from None
        return bytes(body)

    def _completion(self, body: bytes, config: SamplingConfig) -> Completion:
        try:
            payload = json.loads(body)
            text = replies.text_of(payload)
        except (ValueError, RecursionError):
            raise self._no_completion(body) from None
        except replies.Declined as refusal:
            raise ModelRefused(f"The model declined to reply{self._refusals.quoted(refusal)}.") from None
        try:
            said = without_thinking(text)
        except UnfinishedThinking:
            raise OnlyThinking(config.max_tokens, WITHOUT_THINKING) from None
        usage = replies.usage_of(payload)
        return Completion(said, usage.prompt_tokens, usage.completion_tokens)

    def _chances(self, body: bytes, answers: Sequence[str]) -> AnswerChances:
        try:
            payload = json.loads(body)
            tokens = replies.next_tokens_of(payload)
        except (ValueError, RecursionError):
            raise self._no_completion(body) from None
        if not tokens:
            raise self._no_chances()
        return answer_chances(tokens, answers, usage=replies.usage_of(payload))

    def _texts(self, response: httpx.Response, told: list[TokenUsage]) -> Iterator[str]:
        """Yield the texts of a streamed reply; the token usage that the server reports is added to `told`."""
        if "json" in response.headers.get("content-type", ""):
            body = self._body(response)
            try:
                payload = json.loads(body)
                told.append(replies.usage_of(payload))
                yield replies.text_of(payload)
            except (ValueError, RecursionError):
                raise self._no_completion(body) from None
            except replies.Declined as refusal:
                raise ModelRefused(f"The model declined to reply{self._refusals.quoted(refusal)}.") from None
            return
        is_whole = False
        length, declined = 0, ""
        last_said = time.monotonic()
        try:
            for data in event_data(response.iter_bytes()):
                if not data:
                    # Comments keep a connection alive, but a server that sends nothing else for ever does not answer.
                    if time.monotonic() - last_said > self._timeout_s:
                        raise self._silent()
                    continue
                last_said = time.monotonic()
                if data.strip() == "[DONE]":
                    is_whole = True
                    break
                try:
                    delta = replies.delta_of(json.loads(data))
                except (ValueError, RecursionError):
                    raise self._no_completion(data.encode(errors="replace")) from None
                if delta.error is not None:
                    raise self._refusals.of_stream_error(delta.error)
                is_whole = is_whole or delta.is_last
                if delta.usage is not None:
                    told.append(delta.usage)
                length, declined = length + len(delta.text), declined + delta.refusal
                if length + len(declined) > STREAM_LIMIT:
                    raise UnparsableReply(
                        f"The server at {shown_url(self._base_url)} did not end its reply: {STREAM_LIMIT:,} characters "
                        "came. Look at whether it heeds the limit of tokens.",
                        reply="",
                    )
                if delta.text:
                    yield delta.text
        except EventTooLong:
            raise self._no_completion(b"") from None
        if not is_whole:
            raise self._broken_off()
        if declined and not length:
            raise ModelRefused(f"The model declined to reply{self._refusals.quoted(declined)}.")

    def _answer(
        self,
        stack: ExitStack,
        prompt: Prompt,
        config: SamplingConfig,
        *,
        is_stream: bool = False,
        asks_chances: bool = False,
    ) -> httpx.Response:
        """Return the open response to a request, in the fullest `RequestForm` that the server accepts.

        Raises `LanguageModelError`.
        """
        form = self._form
        first: LanguageModelError | None = None
        while True:
            body = form.body(self._model, prompt, config, is_stream=is_stream, asks_chances=asks_chances)
            response = self._sent(stack, body)
            if response.status_code == 200:
                if form != self._form:
                    LOGGER.info("The server at %s takes requests as %s.", shown_url(self._base_url), form)
                    self._form = form
                return response
            error = error_object(response.content)
            first = first or self._refusal(response, error)
            is_of_form = response.status_code in (400, 422) and not self._refusals.is_about_the_model(
                response.status_code, error
            )
            lesser = form.after_refusal(prompt, error) if is_of_form else None
            if lesser is None:
                raise self._no_chances() if asks_chances and is_of_form and is_about_chances(error) else first
            form = lesser

    def _refusal(self, response: httpx.Response, error: dict[str, object]) -> LanguageModelError:
        status = response.status_code
        is_unknown = self._refusals.is_about_the_model(status, error)
        models = self.models() if is_unknown or status == 404 else None
        if status == 404 and models is not None and self._model not in models:
            error = {**error, "code": "model_not_found"}
        return self._refusals.of_status(status, error, models=models, location=response.headers.get("location", ""))

    def _sent(self, stack: ExitStack, body: dict[str, object]) -> httpx.Response:
        """Return an open response with status 200, or a read one with another status, after retries."""
        for attempt in range(self._retries + 1):
            request = self._client.build_request(
                "POST",
                f"{self._base_url}/chat/completions",
                content=json.dumps(body).encode("ascii"),
                headers={"Content-Type": "application/json"},
            )
            wait_s = min(self._backoff_s * 2**attempt, BACKOFF_LIMIT_S) * random.uniform(0.5, 1.0)
            try:
                response = self._client.send(request, stream=True)
                stack.callback(response.close)
                if response.status_code == 200:
                    return response
                response.read()
            except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout) as error:
                if attempt == self._retries:
                    raise self._unreachable(error) from None
                LOGGER.info(
                    "No answer from %s (%s), try %d.", shown_url(self._base_url), type(error).__name__, attempt + 1
                )
            except (httpx.RequestError, httpx.InvalidURL) as error:
                raise self._unreachable(error) from None
            else:
                asked_s = _retry_after(response)
                if not _is_passing(response.status_code) or attempt == self._retries:
                    return response
                if asked_s is not None:
                    wait_s = asked_s
                if wait_s > max(BACKOFF_LIMIT_S, self._timeout_s):
                    return response
                LOGGER.info("%d from %s, try %d.", response.status_code, shown_url(self._base_url), attempt + 1)
            time.sleep(wait_s)
        raise AssertionError("unreachable: the last try returns or raises")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold one of the `concurrency` places for a request."""
        patience_s = PATIENCE * self._timeout_s
        if not self._turns.acquire(timeout=min(patience_s, threading.TIMEOUT_MAX)):
            raise ModelUnreachable(
                f"All {self._concurrency} connections to the server at {shown_url(self._base_url)} stayed busy for "
                f"{patience_s:.0f} s. Raise DSMART_HTTP_CONCURRENCY or try later."
            )
        try:
            yield
        finally:
            self._turns.release()

    def _unreachable(self, error: Exception, *, is_under_way: bool = False) -> ModelUnreachable:
        server = shown_url(self._base_url)
        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            return self._silent()
        if is_under_way:
            return self._broken_off()
        return ModelUnreachable(
            f"The server at {server} does not answer ({type(error).__name__}). "
            f"Start it, or set {self._names.address} to where it runs."
        )

    def _broken_off(self) -> ModelUnreachable:
        return ModelUnreachable(
            f"The server at {shown_url(self._base_url)} broke off in the middle of its reply. Try again."
        )

    def _silent(self) -> ModelUnreachable:
        return ModelUnreachable(
            f"The server at {shown_url(self._base_url)} said nothing for {self._timeout_s:g} s. "
            "Raise DSMART_HTTP_TIMEOUT_S, or look at the server's load."
        )

    def _no_chances(self) -> ModelRefused:
        return ModelRefused(
            f"The server at {shown_url(self._base_url)} does not tell how probable its words are (logprobs). "
            "Choose an engine whose server does, or another player of the role (DSMART_ROLES)."
        )

    def _no_completion(self, body: bytes) -> UnparsableReply:
        text = body.decode("utf-8", errors="replace")
        return UnparsableReply(
            f"The server at {shown_url(self._base_url)} answered with something that is no chat completion"
            f"{self._refusals.quoted(text)}. Check {self._names.address}.",
            reply=text,
        )


def _is_passing(status: int) -> bool:
    """Return whether a status is about the server's state rather than about the request."""
    return status in (408, 429) or (status >= 500 and status != 501)


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds of the Retry-After header, or None where there is none."""
    asked = response.headers.get("retry-after", "").strip()
    if not asked:
        return None
    try:
        seconds = float(asked)
    except ValueError:
        try:
            at = parsedate_to_datetime(asked)
        except ValueError:
            return None
        seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
