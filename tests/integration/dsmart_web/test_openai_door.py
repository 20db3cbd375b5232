"""OpenAI's own client against the served product: whole and streamed replies, refusals, stops, and two at once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import openai
import pytest
from hypothesis import HealthCheck, given, settings
from openai import OpenAI

from tests.hypothesis_profiles import examples
from tests.product import NEW_TOKEN, ServedProduct
from tests.unit.conversations.test_openai_requests import BODIES, JSON_VALUES

pytestmark = pytest.mark.slow
SLOWLY = "This is told slowly, word by word, so that there is time to stop it before its end."
LEARNT = {"facts": [], "statement": [], "conflicts": [], "summary": "", "insights": []}


class Served(ServedProduct):
    """The product with the built-in engine, and one that plays a script."""

    token: str
    script: str


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("openai")
    script = folder / "script.jsonl"
    rules = [
        {"when": "as the JSON object", "reply": LEARNT},
        {"when": "### Task:", "reply": "A short title"},
        {"when": "tell me slowly", "reply": SLOWLY, "piece_delay_s": 0.3},
        {"when": "tell me late", "reply": "Too late", "delay_s": 25},
        {"when": "fail now", "error": "unreachable", "message": "The line is dead. Check the cable."},
        {"reply": "Said from the script."},
    ]
    script.write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    served = Served(folder / "home", DSMART_EXTRA_ENGINES=f"scripted:{script}", DSMART_DOOR_WAIT_S="10")
    served.script = f"scripted:{script}"
    with served:
        served.token = served.manage("shell", "--verbosity", "0", "--command", NEW_TOKEN).split()[-1]
        yield served


@pytest.fixture
def client(product: Served) -> OpenAI:
    return OpenAI(base_url=f"{product.address}/v1", api_key=product.token, max_retries=0, timeout=60)


@pytest.fixture
def api(product: Served) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=product.address, headers={"Authorization": f"Token {product.token}"}, timeout=30
    ) as made:
        yield made


def until(what: Callable[[], Any], seconds: float = 30) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)
    return found


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str | None) -> dict[str, str]:
    return {"role": "assistant", "content": text or ""}


def new_space(api: httpx.Client, name: str) -> int:
    return int(api.post("/api/spaces/", json={"name": name}).json()["id"])


def told_in(api: httpx.Client, space: int) -> list[str]:
    """Return the messages of the conversations over a space, oldest first."""
    found = [one for one in api.get("/api/conversations/?limit=200").json()["results"] if one["space"] == space]
    rounds = [api.get(f"/api/conversations/{one['id']}/messages/").json() for one in reversed(found)]
    return [round["message"] for messages in rounds for round in messages]


def test_reply_knows_what_an_earlier_chat_told(client: OpenAI, api: httpx.Client) -> None:
    space = new_space(api, "Told")
    first = client.with_options(default_headers={"X-DSMART-Space": "Told"})
    noted = first.chat.completions.create(model="default", messages=[user("I live in Lyon.")])
    assert (noted.object, noted.model, noted.choices[0].finish_reason) == ("chat.completion", "default", "stop")
    until(lambda: api.get(f"/api/spaces/{space}/triples/").json()["results"])
    answer = client.chat.completions.create(model="d_smart@builtin", messages=[user("Where do I live?")], user="Told")
    assert "Lyon" in (answer.choices[0].message.content or "")
    told = answer.model_extra["dsmart"]
    assert (told["space"], told["state"], told["responder"], told["engine"]) == (space, "done", "d_smart", "builtin")
    [fact] = told["facts"]
    assert (fact["predicate"], fact["value"], fact["source"]["text"]) == ("livesIn", "Lyon", "I live in Lyon.")
    assert answer.usage is not None and answer.usage.total_tokens == 0, "rules ask no language model"


def test_chat_that_is_sent_whole_goes_on_in_its_conversation(client: OpenAI, api: httpx.Client) -> None:
    space = new_space(api, "Whole")
    messages = [{"role": "system", "content": "Maya lives in Oslo. Be brief."}, user("My sister is called Maya.")]
    for question in ("I work for Airbus.", "Where do I work?"):
        reply = client.chat.completions.create(model="default", messages=messages, user="Whole")
        messages += [assistant(reply.choices[0].message.content), user(question)]
    reply = client.chat.completions.create(model="default", messages=messages, user="Whole")
    assert "Airbus" in (reply.choices[0].message.content or "")
    assert told_in(api, space) == ["My sister is called Maya.", "I work for Airbus.", "Where do I work?"]
    facts = until(lambda: len(found := api.get(f"/api/spaces/{space}/triples/").json()["results"]) >= 2 and found)
    assert "Oslo" not in str(facts), "a system message is nobody's word"


def test_streamed_reply_comes_in_pieces_with_grounds_and_usage(client: OpenAI, product: Served) -> None:
    stream = client.chat.completions.create(
        model=f"graph@{product.script}",
        messages=[user("Please tell me slowly.")],
        stream=True,
        stream_options={"include_usage": True},
        temperature=0.3,
        user="",
    )
    came: list[tuple[float, Any]] = [(time.monotonic(), chunk) for chunk in stream]
    chunks = [chunk for _, chunk in came]
    words = [
        (at, chunk.choices[0].delta.content) for at, chunk in came if chunk.choices and chunk.choices[0].delta.content
    ]
    assert "".join(word for _, word in words) == SLOWLY
    assert len(words) > 3 and words[-1][0] - words[0][0] > 1
    assert chunks[0].choices[0].delta.role == "assistant"
    [last] = [chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason]
    assert (last.choices[0].finish_reason, last.model_extra["dsmart"]["state"]) == ("stop", "done")
    assert chunks[-1].choices == [] and chunks[-1].usage.total_tokens >= 0
    assert len({chunk.id for chunk in chunks}) == 1


def test_closed_stream_stops_the_reply_and_the_same_message_is_answered_anew(
    client: OpenAI, api: httpx.Client, product: Served
) -> None:
    space = new_space(api, "Stopped")
    asked = {"model": f"graph@{product.script}", "messages": [user("Do tell me slowly.")], "user": "Stopped"}
    with client.chat.completions.create(**asked, stream=True) as stream:
        for chunk in stream:
            if chunk.choices[0].delta.content:
                break
    conversation = until(lambda: api.get("/api/conversations/").json()["results"][0]["id"])

    def ended() -> Any:
        [round] = api.get(f"/api/conversations/{conversation}/messages/").json()
        return round["reply"] if round["reply"]["state"] not in ("queued", "running") else None

    stopped = until(ended)
    assert stopped["state"] == "stopped"
    assert SLOWLY.startswith(stopped["text"]) and len(stopped["text"]) < len(SLOWLY)
    stream = client.chat.completions.create(**asked, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == SLOWLY
    assert told_in(api, space) == ["Do tell me slowly."]


def test_client_that_waits_no_longer_stops_its_reply(client: OpenAI, api: httpx.Client, product: Served) -> None:
    new_space(api, "Impatient")
    asked = {"model": f"graph@{product.script}", "messages": [user("Tell me slowly, please.")], "user": "Impatient"}
    with pytest.raises(openai.APITimeoutError):
        client.with_options(timeout=2).chat.completions.create(**asked)
    gone_at = time.monotonic()
    conversation = api.get("/api/conversations/").json()["results"][0]["id"]

    def state() -> str:
        return str(api.get(f"/api/conversations/{conversation}/messages/").json()[0]["reply"]["state"])

    until(lambda: state() not in ("queued", "running"))
    assert state() == "stopped"
    assert time.monotonic() - gone_at < 5, "it was stopped by the client, and not by the limit"


def test_two_clients_at_once_get_each_their_reply_and_a_double_request_one(
    client: OpenAI, api: httpx.Client, product: Served
) -> None:
    space = new_space(api, "Two")
    found: dict[str, list[str]] = {"first": [], "again": [], "other": []}

    def ask(name: str, text: str) -> None:
        stream = client.chat.completions.create(
            model=f"graph@{product.script}", messages=[user(text)], stream=True, user="Two"
        )
        chunks = list(stream)
        found[name] = [
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks),
            str(chunks[-1].model_extra["dsmart"]["reply"]),
        ]

    texts = {"first": "Now tell me slowly.", "again": "Now tell me slowly.", "other": "And tell me slowly too."}
    threads = [threading.Thread(target=ask, args=one) for one in texts.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found["first"] == found["again"]
    assert [text for text, _ in found.values()] == [SLOWLY] * 3
    assert found["other"][1] != found["first"][1]
    assert sorted(told_in(api, space)) == sorted(set(texts.values()))


def test_reply_that_takes_too_long_is_stopped_and_told(client: OpenAI, api: httpx.Client, product: Served) -> None:
    new_space(api, "Late")
    began = time.monotonic()
    with pytest.raises(openai.InternalServerError) as raised:
        client.with_options(max_retries=2).chat.completions.create(
            model=f"graph@{product.script}", messages=[user("Please tell me late.")], user="Late"
        )
    assert (raised.value.status_code, raised.value.code) == (504, "timeout")
    assert time.monotonic() - began < 19, "it is not tried again"


@pytest.mark.parametrize("is_streamed", [False, True])
def test_failed_reply_is_an_error_of_the_client(
    client: OpenAI, api: httpx.Client, product: Served, is_streamed: bool
) -> None:
    new_space(api, f"Failing {is_streamed}")
    asked = {"model": f"graph@{product.script}", "messages": [user("fail now")], "user": f"Failing {is_streamed}"}
    with pytest.raises(openai.APIError) as raised:
        list(client.chat.completions.create(**asked, stream=is_streamed))
    assert (raised.value.code, raised.value.type) == ("reply_failed", "server_error")
    assert "The line is dead. Check the cable." in raised.value.message


def test_task_of_a_program_is_answered_without_memory(client: OpenAI, api: httpx.Client, product: Served) -> None:
    space = new_space(api, "Tasks")
    task = user("### Task:\nGenerate a title for this chat:\nI live in Rome.")
    for model in (f"d_smart@{product.script}", f"plain@{product.script}"):
        answer = client.chat.completions.create(model=model, messages=[task], user="Tasks", max_tokens=20)
        assert answer.choices[0].message.content == "A short title"
    with pytest.raises(openai.NotFoundError) as raised:
        client.chat.completions.create(model="plain", messages=[task], user="Tasks")
    assert raised.value.code == "model_not_found"
    with pytest.raises(openai.APIError) as failed:
        client.chat.completions.create(model="default", messages=[task], user="Tasks")
    assert failed.value.code == "no_language_model"
    assert told_in(api, space) == []


def test_models_are_listed_and_found_by_name(client: OpenAI, product: Served) -> None:
    ids = [one.id for one in client.models.list()]
    assert {
        "default",
        "d_smart",
        "d_smart@builtin",
        "builtin",
        f"base@{product.script}",
        f"plain@{product.script}",
    } <= {*ids}
    assert "base@builtin" not in ids and "plain" not in ids, "nobody could play them"
    assert client.models.retrieve(f"base@{product.script}").id == f"base@{product.script}"
    for name in ("gpt-4o", "base@builtin", "nobody@builtin"):
        with pytest.raises(openai.NotFoundError):
            client.models.retrieve(name)
    with pytest.raises(openai.NotFoundError, match=r"There is no model 'gpt-4o' here\. GET /v1/models lists"):
        client.chat.completions.create(model="gpt-4o", messages=[user("Hello")])


IMAGE = {
    "role": "user",
    "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}],
}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": [IMAGE]}, "messages[0].content[1].type"),
        ({"messages": [user("a"), {"role": "tool", "content": "b", "tool_call_id": "1"}]}, "messages[1].role"),
        ({"messages": [user("a"), assistant("b")]}, "messages"),
        ({"messages": [user(" ")]}, "messages"),
        ({"messages": []}, "messages"),
        ({"tools": [TOOL]}, "tools"),
        ({"functions": [TOOL["function"]]}, "functions"),
        ({"n": 2}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"audio": {"voice": "alloy", "format": "wav"}}, "audio"),
        ({"model": "gpt-4o"}, "model"),
        ({"user": "nobody's"}, "user"),
        ({"temperature": 7}, "temperature"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(client: OpenAI, fields: dict[str, Any], param: str) -> None:
    asked: dict[str, Any] = {"model": "default", "messages": [user("I live in Oslo.")], **fields}
    with pytest.raises(openai.APIStatusError) as raised:
        client.chat.completions.create(**asked)
    assert raised.value.status_code == (404 if param in {"model", "user"} else 400)
    assert raised.value.param == param
    assert raised.value.body["message"].endswith(".")  # type: ignore[index]


def test_chat_with_pictures_and_tools_before_stays_usable(client: OpenAI, api: httpx.Client) -> None:
    space = new_space(api, "Mixed")
    called = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[Any] = [
        IMAGE,
        {**assistant("I call."), "tool_calls": [called]},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        assistant("It is 42."),
        user("I live in Bergen."),
        {"role": "system", "content": "Be brief."},
    ]
    reply = client.chat.completions.create(model="default", messages=messages, user="Mixed")
    messages += [assistant(reply.choices[0].message.content), user("Where do I live?")]
    reply = client.chat.completions.create(model="default", messages=messages, user="Mixed")
    assert "Bergen" in (reply.choices[0].message.content or "")
    assert told_in(api, space) == ["Look", "I live in Bergen.", "Where do I live?"]


@given(body=BODIES | JSON_VALUES)
@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_answered_or_refused_as_json(product: Served, body: Any) -> None:
    headers = {"Authorization": f"Bearer {product.token}", "Content-Type": "application/json"}
    sent = json.dumps(body).encode()
    answer = httpx.post(f"{product.address}/v1/chat/completions", content=sent, headers=headers, timeout=60)
    assert answer.status_code == 200 or 400 <= answer.status_code < 500, answer.text
    if answer.headers["Content-Type"] != "text/event-stream":
        assert set(answer.json()) & {"choices", "error"}


def test_strangers_and_other_peoples_spaces_are_refused_alike(client: OpenAI, product: Served) -> None:
    with pytest.raises(openai.AuthenticationError) as raised:
        client.with_options(api_key="nobody's").models.list()
    assert raised.value.code == "invalid_api_key"
    product.link_for("ben")
    other = product.manage(
        "shell", "--verbosity", "0", "--command",
        "from django.contrib.auth.models import User; from memory.services import space_create; "
        "print(space_create(name='Ben only', owner=User.objects.get(username='ben')).pk)",
    ).split()[-1]  # fmt: skip
    refusals = []
    for name in ("Ben only", other, "999999"):
        with pytest.raises(openai.NotFoundError) as missing:
            client.chat.completions.create(
                model="default", messages=[user("Hello")], extra_headers={"X-DSMART-Space": name}
            )
        refusals.append(missing.value.message.replace(name, "NAME"))
        assert missing.value.param == "X-DSMART-Space"
    assert len(set(refusals)) == 1


def test_broken_bodies_are_refused_in_openais_form(product: Served) -> None:
    with httpx.Client(base_url=product.address, headers={"Authorization": f"Bearer {product.token}"}) as http:
        for body, status in (
            (b"{", 400), (b"[]", 400), (b"[" * 100_000, 400), (b'{"model": "default", "messages": "hi"}', 400),
            (b'{"model": "default", "messages": [{"role": "user", "content": "\\u0000"}]}', 400),
            (b'{"model": "default", "messages": [{"role": "user", "content": "' + b"x" * 5_000_000 + b'"}]}', 413),
            (b'{"model": "default", "messages": [{"role": "user", "content": "' + b"x" * 100_000 + b'"}]}', 400),
        ):  # fmt: skip
            answer = http.post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == status, answer.text
            assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
        for answer, status in ((http.get("/v1/chat/completions"), 405), (http.post("/v1/embeddings", json={}), 404)):
            assert (answer.status_code, set(answer.json()["error"])) == (status, {"message", "type", "param", "code"})


def test_flood_of_messages_is_told_to_wait(client: OpenAI, product: Served) -> None:
    def flood() -> None:
        for _ in range(70):
            with suppress(openai.BadRequestError):
                client.chat.completions.create(model="default", messages=[user("### Task:\nName this chat.")])

    with pytest.raises(openai.RateLimitError) as raised:
        flood()
    assert raised.value.code == "rate_limit_exceeded"
    assert int(raised.value.response.headers["Retry-After"]) > 0
