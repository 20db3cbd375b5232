"""The adapters of AMR parsers: the HTTP service over a transport of httpx's own, amrlib as a module of the test's."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import httpx
import pytest

from memory.adapters.text_to_amr import AmrlibTextToAmr, HttpTextToAmr
from memory.core.errors import ModelNotFound, ModelRefused, ModelUnreachable, UnparsableReply

URL = "http://user:secret@amr.example/parse"


def service(answer: Callable[[httpx.Request], httpx.Response], *, batch_size: int = 32) -> HttpTextToAmr:
    return HttpTextToAmr(URL, timeout_s=2, batch_size=batch_size, transport=httpx.MockTransport(answer))


def test_each_sentence_gets_its_graph_in_batches() -> None:
    asked: list[list[str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sentences = json.loads(request.content)["sentences"]
        asked.append(sentences)
        return httpx.Response(200, json={"graphs": [f"(x / {text})" for text in sentences]})

    parser = service(answer, batch_size=2)
    assert parser.parse_many(["a", "b", "c"]) == ["(x / a)", "(x / b)", "(x / c)"]
    assert asked == [["a", "b"], ["c"]]
    assert parser.parse_many([]) == []


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, text="not json"),
        httpx.Response(200, json=["(x / a)"]),
        httpx.Response(200, json={"graphs": []}),
        httpx.Response(200, json={"graphs": ["(x / a)", "(x / b)"]}),
        httpx.Response(200, json={"graphs": [None]}),
        httpx.Response(200, json={"graphs": "(x / a)"}),
        httpx.Response(200, text="[" * 100_000),
    ],
)
def test_an_answer_of_another_form_is_unparsable(response: httpx.Response) -> None:
    with pytest.raises(UnparsableReply) as caught:
        service(lambda _: response).parse_many(["a"])
    assert caught.value.reply == response.text[:2_000]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (500, ModelUnreachable),
        (503, ModelUnreachable),
        (429, ModelUnreachable),
        (404, ModelRefused),
        (302, ModelRefused),
    ],
)
def test_a_status_says_whether_a_later_try_may_succeed(status: int, error: type[Exception]) -> None:
    with pytest.raises(error, match=str(status)) as caught:
        service(lambda _: httpx.Response(status)).parse_many(["a"])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("failure", [httpx.ReadTimeout("slow"), httpx.ConnectError("down"), httpx.ReadError("cut")])
def test_a_silent_server_is_unreachable(failure: Exception) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise failure

    with pytest.raises(ModelUnreachable, match="DSMART_AMR"):
        service(answer).parse_many(["a"])


def test_amrlib_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amrlib", None)
    with pytest.raises(ModelNotFound, match="amrlib is not installed"):
        AmrlibTextToAmr()


def test_amrlib_parses_with_the_model_of_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def load(model_dir: str | None) -> SimpleNamespace:
        if model_dir is None:
            raise FileNotFoundError("no model")
        return SimpleNamespace(
            parse_sents=lambda texts, add_metadata: [f"(x / {text})" if text else None for text in texts]
        )

    module = ModuleType("amrlib")
    module.load_stog_model = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "amrlib", module)
    assert AmrlibTextToAmr(tmp_path).parse_many(["a", ""]) == ["(x / a)", ""]
    with pytest.raises(ModelNotFound, match="no model"):
        AmrlibTextToAmr()
