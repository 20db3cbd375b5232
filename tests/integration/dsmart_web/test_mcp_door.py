"""The memory as tools, by the protocol's own client: over HTTP from the served product, and over standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.product import NEW_TOKEN, ROOT, ServedProduct

pytestmark = pytest.mark.slow
TOOLS = ["ask_with_proof", "correct", "facts_about", "forget", "recall", "remember", "what_changed"]
NEW_PERSON = (
    "from memory.services.accounts import account_create; from memory.services import space_create; "
    "ben = account_create(username='ben', first_name='Ben'); print(space_create(name='Ben only', owner=ben).pk)"
)
BENS_TOKEN = f"from django.contrib.auth.models import User; {NEW_TOKEN}".replace(
    "user=owner_account()", "user=User.objects.get(username='ben')"
)
PROTOCOLS = ["legacy", "auto"]


class Served(ServedProduct):
    token: str
    ben: str
    bens_space: str

    @asynccontextmanager
    async def tools(self, *, token: str = "", space: str = "", mode: Any = "auto") -> AsyncIterator[Client]:
        """A client of the door by HTTP."""
        headers = {"Authorization": f"Bearer {token or self.token}", **({"X-DSMART-Space": space} if space else {})}
        async with (
            create_mcp_http_client(headers=headers) as http,
            Client(streamable_http_client(f"{self.address}/mcp", http_client=http), mode=mode) as client,
        ):
            yield client


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("mcp") / "home", DSMART_MEMORY_WAIT_S="30") as served:
        served.token = served.manage("shell", "--verbosity", "0", "--command", NEW_TOKEN).split()[-1]
        served.bens_space = served.manage("shell", "--verbosity", "0", "--command", NEW_PERSON).split()[-1]
        served.ben = served.manage("shell", "--verbosity", "0", "--command", BENS_TOKEN).split()[-1]
        yield served


@pytest.fixture(scope="module")
def spaces(product: Served) -> httpx.Client:
    return httpx.Client(base_url=product.address, headers={"Authorization": f"Token {product.token}"}, timeout=30)


def new_space(spaces: httpx.Client, name: str) -> str:
    return str(spaces.post("/api/spaces/", json={"name": name}).json()["id"])


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """Return the structured content of a tool's answer."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    [content] = result.content
    assert "\n" not in content.text  # type: ignore[union-attr]
    return str(content.text)  # type: ignore[union-attr]


def told(facts: list[Any]) -> set[tuple[str, str]]:
    return {(fact["predicate"], fact["value"]) for fact in facts}


async def tools_work(client: Client) -> None:
    """Go through all tools over an empty memory."""
    first = await call(client, "remember", text="I live in Paris.", key="a")
    assert (first["state"], told(first["facts"])) == ("learnt", {("livesIn", "Paris")})
    assert await call(client, "remember", text="I live in Paris.", key="a") == first
    moved = await call(client, "remember", text="I moved to Lyon.")
    assert ("livesIn", "Lyon") in told(moved["facts"])
    assert told(moved["replaced"]) == {("livesIn", "Paris")}
    await call(client, "remember", text="My sister Maya works for Airbus.")

    recalled = await call(client, "recall", query="Where does my sister work?", limit=1)
    assert [one["text"] for one in recalled["sentences"]] == ["My sister Maya works for Airbus."]
    assert ("worksFor", "Airbus") in told(recalled["facts"])

    answer = await call(client, "ask_with_proof", question="Where does my sister work?")
    assert "Airbus" in answer["text"] and answer["proof"]
    assert "My sister Maya works for Airbus." in {one["text"] for one in answer["sentences"]} | {
        fact["source"]["text"] for fact in answer["facts"]
    }

    mine = await call(client, "facts_about", name="me")
    assert ("livesIn", "Lyon") in told(mine["facts"]) and ("livesIn", "Paris") not in told(mine["facts"])
    both = await call(client, "facts_about", name="me", include_replaced=True)
    assert {("livesIn", "Lyon"), ("livesIn", "Paris")} <= told(both["facts"])
    assert (await call(client, "facts_about", name="May"))["similar"] == ["Maya"]

    [home] = [fact for fact in mine["facts"] if fact["predicate"] == "livesIn"]
    assert "send is_wrong" in await refusal(client, "correct", fact=home["id"])
    corrected = await call(client, "correct", fact=home["id"], value="Nice")
    assert told([corrected["fact"]]) == {("livesIn", "Nice")}
    assert "replaced meanwhile" in await refusal(client, "correct", fact=home["id"], value="Oslo")
    changes = await call(client, "what_changed")
    ended = [(one["fact"]["value"], (one["replaced_by"] or {}).get("value")) for one in changes["ended"]]
    assert ended == [("Lyon", "Nice"), ("Paris", "Lyon")]
    assert ("livesIn", "Nice") in told(changes["added"])

    works = (await call(client, "facts_about", name="Airbus"))["facts"][0]["id"]
    assert (await call(client, "correct", fact=works, is_wrong=True)) == {"fact": None}
    gone = await call(client, "forget", facts=[corrected["fact"]["id"]])
    assert gone["facts"] == 1
    assert "livesIn" not in str((await call(client, "facts_about", name="me"))["facts"])


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_tools_work_over_http(product: Served, spaces: httpx.Client, mode: str) -> None:
    async with product.tools(space=new_space(spaces, f"Tools {mode}"), mode=mode) as client:
        await tools_work(client)


async def test_tools_are_described_with_schemas_that_hold(product: Served) -> None:
    async with product.tools() as client:
        tools = (await client.list_tools()).tools
        assert sorted(tool.name for tool in tools) == TOOLS
        for tool in tools:
            assert tool.description and len(tool.description) > 60
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
                assert schema["properties"]
        hints = {tool.name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in tools}
        assert hints["recall"] == (True, None) and hints["forget"] == (False, True)


async def test_mistakes_are_tool_errors_of_one_sentence(product: Served, spaces: httpx.Client) -> None:
    async with product.tools(space=new_space(spaces, "Mistakes")) as client:
        for tool, arguments, said in (
            ("correct", {"fact": 999_999, "value": "Oslo"}, "There is no such fact in this memory."),
            ("correct", {"fact": 10**40, "value": "Oslo"}, "The argument fact cannot be taken"),
            ("recall", {"query": "x", "limit": 1000}, "The argument limit cannot be taken"),
            ("recall", {}, "The argument query cannot be taken"),
            ("recall", {"query": "a\0b"}, "not text"),
            ("remember", {"text": "   "}, "The message is empty."),
            ("remember", {"text": "x" * 30_000}, "The argument text cannot be taken"),
            ("remember", {"text": "Forget that I live in Paris."}, "Use correct or forget for it."),
            ("remember", {"text": "I work.", "said_at": "whenever"}, "The argument said_at cannot be taken"),
            ("what_changed", {"since": "0001-01-01T00:00:00Z"}, "no such date can be kept"),
            ("ask_with_proof", {"question": "Who?", "responder": "base"}, "asks a language model"),
            ("ask_with_proof", {"question": "Who?", "engine": "gpt"}, "There is no engine 'gpt' here."),
            ("forget", {"facts": [999_999]}, "nothing was forgotten"),
            ("forget", {"facts": [1] * 2000}, "The argument facts cannot be taken"),
        ):  # fmt: skip
            assert said in await refusal(client, tool, **arguments), tool
        assert (await call(client, "what_changed"))["added"] == []


async def test_rows_of_other_spaces_are_not_found(product: Served, spaces: httpx.Client) -> None:
    async with product.tools(space=new_space(spaces, "Mine")) as mine:
        [fact] = (await call(mine, "remember", text="I live in Paris."))["facts"]
        async with product.tools(space=new_space(spaces, "Other")) as other, product.tools(token=product.ben) as bens:
            for client in (other, bens):
                assert "no such fact" in await refusal(client, "correct", fact=fact["id"], value="Oslo")
                gone = {"facts": [fact["id"]], "sentences": [fact["source"]["id"]]}
                assert "nothing was forgotten" in await refusal(client, "forget", **gone)
                assert (await call(client, "recall", query="I live in Paris."))["sentences"] == []
                assert (await call(client, "what_changed", since="2000-01-01T00:00:00Z"))["added"] == []
        assert told((await call(mine, "facts_about", name="me"))["facts"]) == {("livesIn", "Paris")}


def listing(product: Served, headers: dict[str, str], **request: Any) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    return httpx.post(f"{product.address}/mcp", headers={**usual, **headers}, **(request or {"json": body}))


def test_door_is_closed_to_strangers_and_to_spaces_of_others(product: Served) -> None:
    bearer = {"Authorization": f"Bearer {product.token}"}
    assert listing(product, bearer).status_code == 200
    for headers in ({}, {"Authorization": "Bearer nobody's"}, {"Authorization": f"Basic {product.token}"}):
        answer = listing(product, headers)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert answer.json()["error"]["message"].startswith(
            "This key is not known here, or it was revoked or has expired."
        )
    refusals = {
        listing(product, {**bearer, "X-DSMART-Space": name}).status_code
        for name in ("Ben only", product.bens_space, "0")
    }
    assert refusals == {404}
    assert httpx.get(f"{product.address}/mcp", headers=bearer).status_code == 405
    assert httpx.delete(f"{product.address}/mcp", headers=bearer).status_code == 405
    assert listing(product, bearer, content=b"{").status_code == 400
    large = listing(product, bearer, content=b"x" * 600_000)
    assert (large.status_code, large.json()["detail"]) == (413, "This is too large. At most 512 KB can be sent here.")


async def test_flood_is_told_to_wait_and_others_are_served_meanwhile(product: Served) -> None:
    bearer = {"Authorization": f"Bearer {product.ben}"}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "x"}},
    }
    usual = {"Accept": "application/json, text/event-stream", **bearer}
    async with httpx.AsyncClient(timeout=60) as http:
        flood = [http.post(f"{product.address}/mcp", headers=usual, json=body) for _ in range(40)]
        answers, health = await asyncio.gather(asyncio.gather(*flood), http.get(f"{product.address}/healthz"))
    assert health.status_code == 200
    assert {answer.status_code for answer in answers} == {200, 429}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert int(refused.headers["Retry-After"]) > 0
    assert "calls are being answered" in refused.json()["error"]["message"]
    assert listing(product, bearer).status_code == 200


def stdio(product: ServedProduct, *arguments: str) -> StdioServerParameters:
    command = [str(ROOT / "manage.py"), "mcp", *arguments]
    return StdioServerParameters(command=sys.executable, args=command, env=product.environment, cwd="/")


async def test_tools_work_over_standard_input_and_output(product: Served, spaces: httpx.Client) -> None:
    space = new_space(spaces, "Stdio")
    async with Client(stdio(product, "--space", "Stdio"), read_timeout_seconds=120) as client:
        await tools_work(client)
    assert "Paris" in str(spaces.get(f"/api/spaces/{space}/triples/?status=all").json()["results"])
    async with Client(stdio(product, "--user", "ben", "--space", "Ben only"), read_timeout_seconds=120) as client:
        assert (await call(client, "recall", query="Paris"))["sentences"] == []


def test_standard_output_carries_the_protocol_alone_without_a_served_product(tmp_path: Path, product: Served) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "models").symlink_to(product.home / "models", target_is_directory=True)
    calls = [
        {"method": "initialize", "id": 1, "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }},
        {"method": "notifications/initialized"},
        {"method": "tools/call", "id": 2, "params": {"name": "remember", "arguments": {"text": "I live in Paris."}}},
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "mcp"],
        env={**product.environment, "DSMART_HOME": str(home), "DSMART_LOG_LEVEL": "DEBUG"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    try:
        lines = []
        for one in calls:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **one}) + "\n")
            process.stdin.flush()
            if "id" in one:
                lines.append(json.loads(process.stdout.readline()))
        rest, log = process.communicate(timeout=60)
    finally:
        process.kill()
    assert [line["id"] for line in lines] == [1, 2] and rest == ""
    assert lines[1]["result"]["structuredContent"]["facts"][0]["value"] == "Paris"
    assert log, "the log goes to the standard error"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--user", "nobody"], "There is no account 'nobody'."),
        (["--space", "Ben only"], "There is no space 'Ben only' among yours."),
    ],
)
def test_command_says_what_is_not_there(product: Served, arguments: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "mcp", *arguments],
        cwd=ROOT,
        env={**os.environ, **product.environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
