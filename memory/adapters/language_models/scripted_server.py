"""A server of the OpenAI chat completions API that plays a script, for tests and measurements of latency.

It listens on 127.0.0.1, in threads of its own, with the standard library alone. It records requests without judging them, and
fails as it is told to.
"""

import json
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self, cast

from memory.adapters.language_models.request_form import StructuredOutput
from memory.adapters.language_models.scripted import PIECE, Rule, Script
from memory.core.errors import LanguageModelError, ModelUnreachable

_RANKS = {StructuredOutput.NONE: 0, StructuredOutput.JSON_OBJECT: 1, StructuredOutput.JSON_SCHEMA: 2}


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request: a status with a body, no response, a stream that is cut, or odd bytes in it.

    `raw_chunks` are sent as the chunks of the stream; `json_instead` is sent as a JSON response with status 200.
    """

    status: int = 200
    body: dict[str, object] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    hangs_s: float = 0.0
    hangs_up: bool = False
    cut_after: int | None = None
    json_instead: dict[str, object] | None = None
    raw_chunks: tuple[bytes, ...] = ()
    chunk_delay_s: float = 0.0


@dataclass(frozen=True)
class ServerConfig:
    """How the server behaves without a fault. An empty `api_key` accepts everybody.

    It tells of at most `top_logprobs` tokens and refuses to tell of more; with 0 it passes over that it was asked.
    """

    models: tuple[str, ...] = ("scripted",)
    api_key: str = ""
    latency_s: float = 0.0
    piece_delay_s: float = 0.0
    structured_output: StructuredOutput = StructuredOutput.JSON_SCHEMA
    top_logprobs: int = 20


@dataclass(frozen=True)
class RecordedRequest:
    path: str
    headers: dict[str, str]
    body: dict[str, object]
    received_at: float


class ScriptedServer:
    """The server as a context manager. Each completion request uses up the next of `faults`, then the script."""

    def __init__(
        self, rules: Sequence[Rule], *, config: ServerConfig | None = None, faults: Sequence[Fault] = ()
    ) -> None:
        self.config = config or ServerConfig()
        self.script = Script(rules)
        self.requests: list[RecordedRequest] = []
        self.most_at_once = 0
        self.hung_up_on = threading.Event()
        self._faults = list(faults)
        self._at_once = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _QuietServer(("127.0.0.1", 0), _Handler)
        self._server.scripted = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def receive(self, request: RecordedRequest) -> Fault | None:
        """Record a completion request and return its fault, or None."""
        with self._lock:
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            return self._faults.pop(0) if self._faults else None

    def done(self) -> None:
        with self._lock:
            self._at_once -= 1

    def pause(self, seconds: float) -> None:
        """Wait, at most until the server is stopped."""
        if seconds > 0:
            self._closing.wait(seconds)


def logprobs(tokens: Sequence[tuple[str, float]], *, most: int) -> dict[str, object]:
    """Return the first place of a completion with its most probable tokens, as the API writes it."""
    top = [
        {"token": token, "logprob": logarithm, "bytes": list(token.encode())}
        for token, logarithm in sorted(tokens, key=lambda one: -one[1])
    ]
    return {"content": [{**one, "top_logprobs": top[:most]} for one in top[:1]]}


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    scripted: ScriptedServer

    def handle_error(self, request: object, client_address: object) -> None:
        self.scripted.hung_up_on.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body of an answer are sent apart; held back for an acknowledgement, each answer would take 40 ms more.
    disable_nagle_algorithm = True
    server: _QuietServer

    def log_message(self, format: str, *args: object) -> None:
        return None

    def do_GET(self) -> None:
        models = [{"id": name, "object": "model"} for name in self.server.scripted.config.models]
        if not self._is_let_in():
            self._answer(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        elif self.path == "/v1/models":
            self._answer(200, {"object": "list", "data": models})
        else:
            self._answer(404, {"error": {"message": "Not Found"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        scripted = self.server.scripted
        request = RecordedRequest(self.path, dict(self.headers), body, time.monotonic())
        fault = scripted.receive(request)
        try:
            self._complete(body, fault)
        except OSError:
            scripted.hung_up_on.set()
            self.close_connection = True
        finally:
            scripted.done()

    def _complete(self, body: dict[str, object], fault: Fault | None) -> None:
        scripted, config = self.server.scripted, self.server.scripted.config
        fault = fault or Fault()
        scripted.pause(fault.hangs_s)
        if fault.hangs_up:
            self.close_connection = True
            return
        if fault.status != 200:
            self._answer(fault.status, fault.body, fault.headers)
            return
        refusal = self._refusal(body)
        if refusal is not None:
            self._answer(*refusal)
            return
        scripted.pause(config.latency_s)
        if fault.json_instead is not None:
            self._answer(200, fault.json_instead)
            return
        if fault.raw_chunks:
            self._start_stream()
            for chunk in fault.raw_chunks:
                self._chunk(chunk)
                scripted.pause(fault.chunk_delay_s)
            self._end_stream()
            return
        messages = cast("list[dict[str, object]]", body["messages"])
        try:
            rule = scripted.script.rule_for(str(messages[-1]["content"]))
            scripted.pause(rule.delay_s)
            text, tokens = rule.text(), rule.next_tokens()
        except LanguageModelError as error:
            self._answer(503 if isinstance(error, ModelUnreachable) else 400, {"error": {"message": str(error)}})
            return
        words = sum(len(PIECE.findall(str(message["content"]))) for message in messages)
        usage: dict[str, int] | None = {"prompt_tokens": words, "completion_tokens": len(PIECE.findall(text))}
        if body.get("stream"):
            is_counted = body.get("stream_options") == {"include_usage": True}
            usage = usage if is_counted else None
            self._stream(text, max(rule.piece_delay_s, config.piece_delay_s), fault.cut_after, usage)
        else:
            message = {"role": "assistant", "content": text}
            choice: dict[str, object] = {"index": 0, "message": message, "finish_reason": "stop"}
            if body.get("logprobs") and config.top_logprobs:
                choice["logprobs"] = logprobs(tokens, most=cast("int", body.get("top_logprobs", 0)))
            self._answer(200, {"object": "chat.completion", "choices": [choice], "usage": usage})

    def _refusal(self, body: dict[str, object]) -> tuple[int, dict[str, object]] | None:
        config = self.server.scripted.config
        if not self._is_let_in():
            return 401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}
        if self.path != "/v1/chat/completions":
            return 404, {"error": {"message": "Not Found"}}
        if body.get("model") not in config.models:
            return 404, {
                "error": {"message": f"The model {body.get('model')} does not exist", "code": "model_not_found"}
            }
        form = body.get("response_format")
        kind = StructuredOutput(str(form["type"])) if isinstance(form, dict) else StructuredOutput.NONE
        if _RANKS[kind] > _RANKS[config.structured_output]:
            return 400, {"error": {"message": f"response_format {kind} is not supported", "param": "response_format"}}
        if 0 < config.top_logprobs < cast("int", body.get("top_logprobs", 0)):
            return 400, {"error": {"message": f"top_logprobs must be at most {config.top_logprobs}"}}
        return None

    def _stream(self, text: str, piece_delay_s: float, cut_after: int | None, usage: dict[str, int] | None) -> None:
        self._start_stream()
        for number, piece in enumerate(PIECE.findall(text)):
            if number == cut_after:
                self.close_connection = True
                return
            if number:
                self.server.scripted.pause(piece_delay_s)
            self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if usage is not None:
            self._event({"choices": [], "usage": usage})
        self._chunk(b"data: [DONE]\n\n")
        self._end_stream()

    def _is_let_in(self) -> bool:
        key = self.server.scripted.config.api_key
        return not key or self.headers.get("Authorization") == f"Bearer {key}"

    def _answer(self, status: int, body: dict[str, object], headers: dict[str, str] | None = None) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _start_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, payload: dict[str, object]) -> None:
        self._chunk(b"data: " + json.dumps(payload).encode() + b"\n\n")

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()

    def _end_stream(self) -> None:
        with suppress(OSError):
            self.wfile.write(b"0\r\n\r\n")
