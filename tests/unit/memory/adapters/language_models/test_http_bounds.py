"""`HttpLanguageModel` against a server that minds no bounds: of size, of time, of what a number can be."""

from __future__ import annotations

import json
import time

import pytest

from memory.adapters.language_models import http
from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.scripted_server import Fault, ScriptedServer
from memory.core.errors import ModelUnreachable, UnparsableReply
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig

PROMPT = Prompt((Message(MessageRole.USER, "hello"),))


def model(at: ScriptedServer, *, timeout_s: float = 5) -> HttpLanguageModel:
    return HttpLanguageModel(at.base_url, "", "scripted", timeout_s, 0)


def outcome(fault: Fault, *, timeout_s: float = 5) -> Completion | Exception:
    with ScriptedServer((), faults=[fault]) as running:
        [result] = model(running, timeout_s=timeout_s).complete_many([PROMPT], config=SamplingConfig())
    return result


def streamed(fault: Fault) -> str:
    with ScriptedServer((), faults=[fault]) as running:
        return "".join(model(running).stream(PROMPT, config=SamplingConfig()))


@pytest.mark.parametrize("count", [-1, 10**9, 10**30, True, "7", 1.5, None])
def test_number_of_tokens_that_is_none_is_not_told(count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 5}
    whole = {"choices": [{"message": {"content": "Yes."}}], "usage": usage}
    assert outcome(Fault(json_instead=whole)) == Completion("Yes.", None, 5)


def test_completion_that_sends_blanks_for_ever_times_out() -> None:
    began = time.monotonic()
    result = outcome(Fault(raw_chunks=(b" ",) * 200, chunk_delay_s=0.05), timeout_s=0.4)
    assert isinstance(result, ModelUnreachable)
    assert time.monotonic() - began < 4


def test_completion_that_drips_for_ever_is_given_up() -> None:
    began = time.monotonic()
    result = outcome(Fault(raw_chunks=(b"x",) * 400, chunk_delay_s=0.05), timeout_s=0.2)
    assert isinstance(result, ModelUnreachable)
    assert 1.5 < time.monotonic() - began < 6


def test_completion_after_blanks_that_kept_the_connection_alive_is_read() -> None:
    whole = json.dumps({"choices": [{"message": {"content": "Yes."}}]}).encode()
    result = outcome(Fault(raw_chunks=(b" ", b" ", b"\n", whole), chunk_delay_s=0.1), timeout_s=1)
    assert isinstance(result, Completion)
    assert result.text == "Yes."


def test_completion_without_end_is_no_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "BODY_LIMIT", 10_000)
    assert isinstance(outcome(Fault(raw_chunks=(b"x" * 1_000,) * 50)), UnparsableReply)


def test_stream_without_end_is_cut_off() -> None:
    piece = json.dumps({"choices": [{"delta": {"content": "word " * 1_000}}]}).encode()
    with pytest.raises(UnparsableReply, match="did not end its reply: 200,000 characters"):
        streamed(Fault(raw_chunks=(b"data: " + piece + b"\n\n",) * 60))
