"""`HttpLanguageModel` against a real server on this machine that fails in the ways that servers fail."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Generator, Sequence
from itertools import pairwise

import pytest

from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.request_form import StructuredOutput
from memory.adapters.language_models.scripted import Rule
from memory.adapters.language_models.scripted_server import Fault, ScriptedServer, ServerConfig
from memory.core.errors import ModelRefused, ModelUnreachable, UnparsableReply
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig, TokenUsage

SAMPLING = SamplingConfig(temperature=0.0, max_tokens=64, seed=7)
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
RULES = (
    Rule(when="hello", reply="Hello there, how are you?"),
    Rule(when="number", reply={"n": 4}),
    Rule(reply="Anything."),
)


def prompt(text: str = "hello", schema: dict[str, object] | None = None) -> Prompt:
    return Prompt((Message(MessageRole.SYSTEM, "Be brief."), Message(MessageRole.USER, text)), schema)


def server(*faults: Fault, rules: Sequence[Rule] = RULES, **config: object) -> ScriptedServer:
    return ScriptedServer(rules, config=ServerConfig(**config), faults=faults)  # type: ignore[arg-type]


def model(
    at: ScriptedServer | str,
    *,
    key: str = "",
    name: str = "scripted",
    timeout_s: float = 5,
    retries: int = 2,
    concurrency: int = 8,
) -> HttpLanguageModel:
    base_url = at if isinstance(at, str) else at.base_url
    return HttpLanguageModel(base_url, key, name, timeout_s, retries, concurrency, backoff_s=0.02)


def outcome(at: HttpLanguageModel, asked: Prompt | None = None) -> Completion | Exception:
    return at.complete_many([asked or prompt()], config=SAMPLING)[0]


def events(*payloads: object) -> bytes:
    return b"".join(b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads)


def said(text: str, finish: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


def test_complete_many_returns_outcomes_in_order_with_their_cost() -> None:
    with server() as running:
        first, second = model(running).complete_many([prompt("hello"), prompt("else")], config=SAMPLING)
    assert first == Completion("Hello there, how are you?", 3, 5)
    assert isinstance(second, Completion)
    assert second.text == "Anything."


def test_request_carries_the_sampling_and_the_key() -> None:
    with server(api_key="sk-right") as running:
        outcome(model(running, key="sk-right"))
        request = running.requests[0]
    assert request.headers["Authorization"] == "Bearer sk-right"
    assert {name: request.body[name] for name in ("model", "temperature", "max_tokens", "seed", "stream")} == {
        "model": "scripted",
        "temperature": 0.0,
        "max_tokens": 64,
        "seed": 7,
        "stream": False,
    }
    assert "response_format" not in request.body


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_complete_tries_again_what_passes(status: int) -> None:
    with server(Fault(status), Fault(status)) as running:
        result = outcome(model(running))
        assert isinstance(result, Completion)
        assert len(running.requests) == 3


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [(429, ModelRefused, "quota"), (503, ModelUnreachable, "log"), (408, ModelUnreachable, "later")],
)
def test_complete_gives_up_after_its_retries(status: int, error: type[Exception], words: str) -> None:
    with server(*[Fault(status, {"error": {"message": "overloaded"}})] * 9) as running:
        result = outcome(model(running, retries=2))
        assert len(running.requests) == 3
    assert isinstance(result, error)
    assert words in str(result)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 501])
def test_complete_never_tries_again_what_will_fail_again(status: int) -> None:
    with server(*[Fault(status, {"error": {"message": "no"}})] * 9) as running:
        assert isinstance(outcome(model(running)), ModelRefused | ModelUnreachable)
        assert len(running.requests) == 1


def test_backoff_doubles_and_is_jittered() -> None:
    with server(*[Fault(500)] * 4) as running:
        HttpLanguageModel(running.base_url, "", "scripted", 5, 3, backoff_s=0.1).complete_many(
            [prompt()], config=SAMPLING
        )
        at = [request.received_at for request in running.requests]
    waits = [later - earlier for earlier, later in pairwise(at)]
    for wait, full in zip(waits, (0.1, 0.2, 0.4), strict=True):
        assert full / 2 <= wait < full + 0.6


def test_retry_after_is_waited_out() -> None:
    with server(Fault(429, headers={"Retry-After": "0.6"})) as running:
        assert isinstance(outcome(model(running)), Completion)
        first, second = running.requests
    assert 0.6 <= second.received_at - first.received_at < 1.5


@pytest.mark.parametrize("asked", ["3600", "Fri, 01 Jan 2100 00:00:00 GMT"])
def test_retry_after_too_long_is_not_waited_for(asked: str) -> None:
    began = time.monotonic()
    with server(Fault(429, headers={"Retry-After": asked})) as running:
        assert isinstance(outcome(model(running)), ModelRefused)
        assert len(running.requests) == 1
    assert time.monotonic() - began < 3


def test_retry_after_without_sense_is_passed_over() -> None:
    with server(Fault(503, headers={"Retry-After": "soon"}), Fault(503, headers={"Retry-After": "-5"})) as running:
        assert isinstance(outcome(model(running)), Completion)


def test_connection_that_breaks_before_the_answer_is_tried_again() -> None:
    with server(Fault(hangs_up=True)) as running:
        assert isinstance(outcome(model(running)), Completion)
        assert len(running.requests) == 2


def test_wrong_key_says_which_setting_to_check_and_never_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with server(api_key="sk-right") as running:
        wrong = model(running, key="sk-wrong-secret")
        result = outcome(wrong)
        assert str(result) == f"The server at {running.base_url} refused the key. Check DSMART_HTTP_API_KEY."
    assert isinstance(result, ModelRefused)
    assert "sk-wrong-secret" not in caplog.text + repr(result) + repr(wrong)


def test_key_that_the_server_repeats_is_taken_out() -> None:
    with server(Fault(402, {"error": {"message": "sk-secret has no credit"}})) as running:
        result = outcome(model(running, key="sk-secret"))
    assert "no credit" in str(result)
    assert "sk-secret" not in str(result)


@pytest.mark.parametrize("key", ["sk secret", "sk-sécret", "sk-secret\nHost: else"])
def test_key_that_no_header_can_carry_is_refused_unquoted(key: str) -> None:
    with pytest.raises(ModelRefused) as refused:
        model("http://127.0.0.1:9/v1", key=key)
    assert "DSMART_HTTP_API_KEY" in str(refused.value)
    assert key not in str(refused.value)


def test_unknown_model_lists_what_the_server_has() -> None:
    with server(models=("qwen", "llama")) as running:
        result = outcome(model(running, name="gpt"))
        assert str(result) == (
            f'The server at {running.base_url} has no model "gpt". It has: llama, qwen. '
            "Set DSMART_ENGINE to http:<one of them>."
        )
    assert isinstance(result, ModelRefused)


def test_address_without_the_api_says_how_it_usually_ends() -> None:
    with server() as running:
        result = outcome(model(running.base_url.removesuffix("/v1")))
    assert isinstance(result, ModelRefused)
    assert "/v1" in str(result)


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "ftp://server/v1", "", "http://"])
def test_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ModelUnreachable, match="DSMART_HTTP_BASE_URL"):
        model(address)


def test_server_that_is_not_there_is_unreachable_in_bounded_time() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://user:secret@127.0.0.1:{free.getsockname()[1]}/v1"
    began = time.monotonic()
    result = outcome(model(address))
    assert isinstance(result, ModelUnreachable)
    assert "DSMART_HTTP_BASE_URL" in str(result)
    assert "secret" not in str(result)
    assert time.monotonic() - began < 3


def test_silent_server_times_out_without_a_second_request() -> None:
    with server(Fault(hangs_s=5)) as running:
        result = outcome(model(running, timeout_s=0.3))
        assert len(running.requests) == 1
    assert isinstance(result, ModelUnreachable)
    assert "DSMART_HTTP_TIMEOUT_S" in str(result)


def test_concurrency_is_bounded_over_all_threads_and_used() -> None:
    with server(latency_s=0.2) as running:
        shared = model(running, concurrency=3)
        callers = [
            threading.Thread(target=shared.complete_many, args=([prompt()] * 6,), kwargs={"config": SAMPLING})
            for _ in range(2)
        ]
        for caller in callers:
            caller.start()
        streamed = "".join(shared.stream(prompt(), config=SAMPLING))
        for caller in callers:
            caller.join()
        assert running.most_at_once == 3
        assert len(running.requests) == 13
    assert streamed == "Hello there, how are you?"


def test_one_bad_prompt_does_not_fail_the_others() -> None:
    with server(Fault(400, {"error": {"message": "too odd"}})) as running:
        results = model(running, concurrency=1).complete_many([prompt()] * 3, config=SAMPLING)
    assert [type(result) for result in results] == [ModelRefused, Completion, Completion]
    assert "too odd" in str(results[0])


@pytest.mark.parametrize(
    ("taken", "kinds"),
    [
        (StructuredOutput.JSON_SCHEMA, ["json_schema"]),
        (StructuredOutput.JSON_OBJECT, ["json_schema", "json_object"]),
        (StructuredOutput.NONE, ["json_schema", "json_object", None]),
    ],
)
def test_structured_output_falls_back_to_what_the_server_takes_and_remembers(
    taken: StructuredOutput, kinds: list[str | None]
) -> None:
    with server(structured_output=taken) as running:
        asking = model(running)
        for _ in range(2):
            result = outcome(asking, prompt("number", SCHEMA))
            assert isinstance(result, Completion)
            assert json.loads(result.text) == {"n": 4}
        formats = [request.body.get("response_format") for request in running.requests]
    sent = [form["type"] if isinstance(form, dict) else None for form in formats]
    assert sent == [*kinds, kinds[-1]]


def test_refusal_that_no_lesser_form_cures_is_reported_and_not_remembered() -> None:
    with server(*[Fault(400, {"error": {"message": "first"}})] * 3) as running:
        asking = model(running)
        assert "first" in str(outcome(asking, prompt("number", SCHEMA)))
        outcome(asking, prompt("number", SCHEMA))
        assert running.requests[-1].body["response_format"]["type"] == "json_schema"  # type: ignore[index]


def test_refused_parameters_are_left_out_from_then_on() -> None:
    faults = [Fault(400, {"error": {"message": "no", "param": name}}) for name in ("max_tokens", "temperature", "seed")]
    with server(*faults) as running:
        asking = model(running)
        assert isinstance(outcome(asking), Completion)
        outcome(asking)
        body = running.requests[-1].body
        assert len(running.requests) == 5
    assert body["max_completion_tokens"] == 64
    assert not {"max_tokens", "temperature", "seed"} & body.keys()


@pytest.mark.parametrize(
    "raw", [b"<html>a login page</html>", b"{}", b'{"choices": []}', b"[1]", b"[" * 100_000, b"\xff"]
)
def test_answer_that_is_no_completion_is_unparsable(raw: bytes) -> None:
    with server(Fault(raw_chunks=(raw,))) as running:
        result = outcome(model(running))
    assert isinstance(result, UnparsableReply)
    assert "DSMART_HTTP_BASE_URL" in str(result)
    assert len(str(result)) < 700


def test_stream_yields_pieces_as_they_come() -> None:
    with server(piece_delay_s=0.05) as running:
        arrivals = [(piece, time.monotonic()) for piece in model(running).stream(prompt(), config=SAMPLING)]
    assert "".join(piece for piece, _ in arrivals) == "Hello there, how are you?"
    assert arrivals[-1][1] - arrivals[0][1] >= 0.15


def told(reply: Generator[str, None, TokenUsage | None]) -> tuple[str, TokenUsage | None]:
    """Return the text of a stream and what it tells of its tokens."""
    text = ""
    while True:
        try:
            text += next(reply)
        except StopIteration as end:
            return text, end.value


def test_stream_tells_its_tokens_where_the_server_does() -> None:
    with server() as running:
        reply = told(model(running).stream(prompt(), config=SAMPLING))
        asked = running.requests[0].body["stream_options"]
    assert (reply, asked) == (("Hello there, how are you?", TokenUsage(3, 5)), {"include_usage": True})


def test_stream_of_a_server_that_does_not_tell_its_tokens_has_none() -> None:
    with server(Fault(raw_chunks=(events(said("Done."), said("", "stop")),))) as running:
        assert told(model(running).stream(prompt(), config=SAMPLING)) == ("Done.", None)


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Unrecognized request argument", "param": "stream_options"},
        {"message": "body.stream_options: Extra inputs are not permitted"},
    ],
)
def test_server_that_takes_no_stream_options_is_asked_without_them_from_then_on(error: dict[str, object]) -> None:
    with server(Fault(status=400, body={"error": error})) as running:
        asking = model(running)
        assert told(asking.stream(prompt(), config=SAMPLING)) == ("Hello there, how are you?", None)
        assert told(asking.stream(prompt(), config=SAMPLING)) == ("Hello there, how are you?", None)
        assert ["stream_options" in request.body for request in running.requests] == [True, False, False]


def test_stream_survives_comments_other_fields_and_cut_characters() -> None:
    raw = (
        b"\xef\xbb\xbf: warming up\r\n\r\nevent: message\r\nid: 1\r\nretry: 10\r\ndata: "
        + json.dumps(said("Caf\u00e9 \U0001f600"), ensure_ascii=False).encode()
        + b"\r\n\r\n:\n\ndata:"
        + json.dumps(said(" ok", "stop")).encode()
        + b"\n\ndata: [DONE]\n\n"
    )
    for size in (1, 2, 3, 7, len(raw)):
        chunks = tuple(raw[start : start + size] for start in range(0, len(raw), size))
        with server(Fault(raw_chunks=chunks)) as running:
            assert "".join(model(running).stream(prompt(), config=SAMPLING)) == "Caf\u00e9 \U0001f600 ok"


def test_stream_without_its_last_mark_is_whole_when_a_finish_was_given() -> None:
    with server(Fault(raw_chunks=(events(said("Done."), said("", "stop")),))) as running:
        assert "".join(model(running).stream(prompt(), config=SAMPLING)) == "Done."


@pytest.mark.parametrize("fault", [Fault(cut_after=2), Fault(raw_chunks=(events(said("Hello "), said("there, ")),))])
def test_stream_that_is_cut_raises_after_the_text_that_came(fault: Fault) -> None:
    with server(fault) as running:
        reply = model(running).stream(prompt(), config=SAMPLING)
        assert next(reply) + next(reply) == "Hello there, "
        with pytest.raises(ModelUnreachable, match="broke off"):
            next(reply)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"error": {"message": "out of memory", "code": 500}}, ModelUnreachable),
        ({"error": "out of memory"}, ModelRefused),
        ({"object": "error", "message": "out of memory"}, ModelRefused),
    ],
)
def test_error_in_the_stream_is_raised(error: dict[str, object], kind: type[Exception]) -> None:
    with server(Fault(raw_chunks=(events(said("Hel"), error),))) as running, pytest.raises(kind, match="out of memory"):
        list(model(running).stream(prompt(), config=SAMPLING))


def test_stream_with_a_broken_event_is_unparsable() -> None:
    with server(Fault(raw_chunks=(b"data: {oops\n\n",))) as running, pytest.raises(UnparsableReply):
        list(model(running).stream(prompt(), config=SAMPLING))


def test_stream_leaves_out_reasoning_and_thinking() -> None:
    reasoning = {
        "choices": [{"index": 0, "delta": {"reasoning_content": "hm", "content": None}, "finish_reason": None}]
    }
    raw = events(reasoning, said("<th"), said("ink>is it"), said("</thi"), said("nk>\n\n"), said("Lyon", "stop"))
    with server(Fault(raw_chunks=(raw,))) as running:
        assert list(model(running).stream(prompt(), config=SAMPLING)) == ["Lyon"]


def test_stream_takes_a_whole_completion_from_a_server_that_does_not_stream() -> None:
    whole = {"choices": [{"message": {"content": "All at once."}, "finish_reason": "stop"}]}
    with server(Fault(status=203, body=whole), Fault(json_instead=whole)) as running:
        asking = model(running)
        with pytest.raises(ModelRefused):
            list(asking.stream(prompt(), config=SAMPLING))
        assert "".join(asking.stream(prompt(), config=SAMPLING)) == "All at once."


def test_surrogate_halves_and_nulls_do_not_get_through() -> None:
    raw = b'data: {"choices":[{"delta":{"content":"a\\ud83d\\u0000"},"finish_reason":"stop"}]}\n\n'
    with server(Fault(raw_chunks=(raw,))) as running:
        text = "".join(model(running).stream(prompt("odd \ud83d"), config=SAMPLING))
    assert text == "a\ufffd\ufffd"


def test_closing_the_stream_closes_the_connection_at_once() -> None:
    with server(rules=[Rule(reply="word " * 500, piece_delay_s=0.02)]) as running:
        asking = model(running, concurrency=1)
        reply = asking.stream(prompt(), config=SAMPLING)
        assert next(reply) == "word "
        reply.close()  # type: ignore[attr-defined]
        assert running.hung_up_on.wait(1.0)
        assert next(asking.stream(prompt(), config=SAMPLING)) == "word "


def test_stream_that_only_keeps_alive_times_out() -> None:
    chunks = tuple(b": wait\n\n" for _ in range(100))
    began = time.monotonic()
    with (
        server(Fault(raw_chunks=chunks, chunk_delay_s=0.05)) as running,
        pytest.raises(ModelUnreachable, match="nothing"),
    ):
        list(model(running, timeout_s=0.4).stream(prompt(), config=SAMPLING))
    assert time.monotonic() - began < 4


def test_stream_is_tried_again_before_its_first_word() -> None:
    with server(Fault(503), Fault(hangs_up=True)) as running:
        assert "".join(model(running).stream(prompt(), config=SAMPLING)).startswith("Hello")
        assert len(running.requests) == 3


def test_reply_that_is_only_thinking_says_so() -> None:
    with server(rules=[Rule(reply="<think>and on and on")]) as running:
        result = outcome(model(running))
        with pytest.raises(UnparsableReply, match="64 tokens"):
            list(model(running).stream(prompt(), config=SAMPLING))
    assert isinstance(result, UnparsableReply)


def test_declined_reply_is_a_refusal() -> None:
    declined = {"choices": [{"message": {"content": None, "refusal": "I will not."}, "finish_reason": "stop"}]}
    with server(Fault(json_instead=declined)) as running:
        result = outcome(model(running))
    assert isinstance(result, ModelRefused)
    assert "I will not." in str(result)


@pytest.mark.parametrize(
    ("deltas", "said"),
    [
        ([{"delta": {"refusal": "I will "}}, {"delta": {"refusal": "not."}, "finish_reason": "stop"}], "I will not."),
        ([{"delta": {}, "finish_reason": "content_filter"}], "content filter"),
    ],
)
def test_a_declined_stream_is_a_refusal_too(deltas: list[dict[str, object]], said: str) -> None:
    chunks = tuple(f"data: {json.dumps({'choices': [one]})}\n\n".encode() for one in deltas)
    with (
        server(Fault(raw_chunks=(*chunks, b"data: [DONE]\n\n"))) as running,
        pytest.raises(ModelRefused, match=f'declined to reply: "{said}"'),
    ):
        list(model(running).stream(prompt(), config=SAMPLING))


def test_words_before_a_filter_ends_them_are_the_reply() -> None:
    cut = {"choices": [{"delta": {"content": "Half a"}, "finish_reason": "content_filter"}]}
    with server(Fault(raw_chunks=(f"data: {json.dumps(cut)}\n\n".encode(),))) as running:
        assert "".join(model(running).stream(prompt(), config=SAMPLING)) == "Half a"
