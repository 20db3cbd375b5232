"""A team's server: what compose.yaml names exists, and its very commands, as processes, take a message to its reply."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from dsmart_web.celery import QUEUES
from tests.e2e.team_servers import postgres_server, redis_server
from tests.product import ROOT, encoder_exported, free_port, read

VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
GIVEN = {"POSTGRES_PASSWORD": "of-the-database", "REDIS_PASSWORD": "of-the-broker", "DSMART_SECRET_KEY": "s" * 50}
ENDED_S = 90


def filled(value: Any, given: dict[str, str]) -> Any:
    """Return a value of compose.yaml with its variables; one that must be given and is not raises."""
    if isinstance(value, dict):
        return {name: filled(part, given) for name, part in value.items()}
    if isinstance(value, list):
        return [filled(part, given) for part in value]

    def of(found: re.Match[str]) -> str:
        name, kind, rest = found.groups()
        if kind == "?" and not given.get(name):
            raise KeyError(rest)
        return given.get(name) or (rest if kind == "-" else "")

    return VARIABLE.sub(of, value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return filled(yaml.safe_load((ROOT / "compose.yaml").read_text()), GIVEN)["services"]


def ours(services: dict[str, Any]) -> dict[str, Any]:
    return {name: service for name, service in services.items() if "build" in service}


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def test_every_queue_has_a_worker_and_every_part_restarts_and_is_looked_at(services) -> None:
    workers = [service for service in ours(services).values() if service["command"][0] == "celery"]
    served = [queue for worker in workers for queue in option(worker["command"], "--queues").split(",")]
    assert sorted(served) == sorted(QUEUES)
    for name, service in services.items():
        assert service["restart"] == "unless-stopped", name
        assert service["healthcheck"]["test"][0] == "CMD", name
        assert set(service.get("depends_on", {})) <= set(services), name
    assert services["vllm"]["profiles"] == ["vllm"] and not any("profiles" in one for one in ours(services).values())
    published = {name for name, service in services.items() if "ports" in service}
    assert published == {"web"} and services["web"]["ports"] == ["127.0.0.1:8080:8080"]


@pytest.mark.parametrize("missing", sorted(GIVEN))
def test_secret_that_is_not_given_is_named_and_none_is_in_the_file(missing) -> None:
    text = (ROOT / "compose.yaml").read_text()
    with pytest.raises(KeyError, match=rf"Set {missing} in compose\.env\."):
        filled(yaml.safe_load(text), {**GIVEN, missing: ""})
    example = dict(
        line.split("=", 1)
        for line in (ROOT / "compose.env.example").read_text().splitlines()
        if "=" in line and line[0] != "#"
    )
    assert example[missing] == ""


def test_example_names_settings_that_there_are() -> None:
    known = (ROOT / "docs" / "settings.md").read_text() + (ROOT / "compose.yaml").read_text()
    named = re.findall(r"^#?([A-Z_]+)=", (ROOT / "compose.env.example").read_text(), re.MULTILINE)
    assert len(named) > 8 and [name for name in named if name not in known] == []


def test_images_are_pinned_by_what_is_given() -> None:
    pins = {name: f"{name.lower()}@sha256:0" for name in ("PYTHON_IMAGE", "POSTGRES_IMAGE", "REDIS_IMAGE")}
    given = filled(
        yaml.safe_load((ROOT / "compose.yaml").read_text()), {**GIVEN, **pins, "VLLM_VERSION": "v1@sha256:0"}
    )
    made = given["services"]
    assert {service["build"]["args"]["PYTHON_IMAGE"] for service in ours(made).values()} == {pins["PYTHON_IMAGE"]}
    assert [made[name]["image"] for name in ("db", "redis")] == [pins["POSTGRES_IMAGE"], pins["REDIS_IMAGE"]]
    assert made["vllm"]["image"] == "vllm/vllm-openai:v1@sha256:0"
    docker = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"^FROM (\S+)", docker, re.MULTILINE) == ["${PYTHON_IMAGE}"] * 2
    assert "--require-hashes --no-deps -r requirements.lock" in docker


def test_image_has_what_the_services_need_and_runs_as_nobody_special(services) -> None:
    stages = (ROOT / "Dockerfile").read_text().split("\nFROM ")
    last = stages[-1]
    assert len(stages) == 3 and "USER 10001" in last and "whl/cpu" in stages[1] and "COPY --from=build" in last
    command = re.search(r"^CMD (\[.*\])$", last, re.MULTILINE)
    probe = re.search(r"CMD (\[.*probe\"\])$", last, re.MULTILINE)
    assert command is not None and yaml.safe_load(command[1]) == services["web"]["command"]
    assert probe is not None and ["CMD", *yaml.safe_load(probe[1])] == services["web"]["healthcheck"]["test"]
    ignored = set((ROOT / ".dockerignore").read_text().split())
    assert {"compose.env", ".git", ".venv", "var", "tests"} <= ignored


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is not installed")
def test_compose_itself_reads_the_file(tmp_path) -> None:
    for name in ("compose.yaml", "Dockerfile"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "compose.env").write_text("".join(f"{name}={value}\n" for name, value in GIVEN.items()))
    command = ["docker-compose", "--env-file", "compose.env", "--profile", "vllm", "config", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@contextmanager
def started(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    program = {"python": [sys.executable], "celery": [sys.executable, "-m", "celery"]}[command[0]]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*program, *command[1:]], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def probed(service: dict[str, Any], environment: dict[str, str], port: int) -> subprocess.CompletedProcess[str]:
    """Run the health check of a service, at the port that its process listens on here."""
    given = service["healthcheck"]["test"][1:]
    inside = f"import sys; from dsmart_web import probe; probe.PORT = {port}; sys.exit(probe.main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", inside, *given[3:]],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def until(what: Any, logs: list[Path], seconds: float = ENDED_S) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "\n".join(read(log)[-2000:] for log in logs)
        time.sleep(0.3)
    return found


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
def test_commands_of_the_file_take_a_message_to_its_reply_and_tell_one_set_of_figures(services, tmp_path) -> None:
    logs = [tmp_path / f"{name}.log" for name in ours(services)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dsmart-compose-")))
        home = tmp_path / "home"
        home.mkdir()
        (home / "models").symlink_to(encoder_exported(), target_is_directory=True)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DSMART_")},
            **services["web"]["environment"],
            "DATABASE_URL": stack.enter_context(postgres_server(folder)),
            "REDIS_URL": stack.enter_context(redis_server(folder)),
            "DSMART_HOME": str(home),
            "DSMART_METRICS_TOKEN": "of-the-monitor",
            "DJANGO_SETTINGS_MODULE": "dsmart_web.settings",
        }
        port = free_port()
        address = f"http://localhost:{port}"
        assert probed(services["web"], environment, port).returncode == 1
        for name, service in ours(services).items():
            assert service["environment"] == services["web"]["environment"]
            command = list(service["command"])
            for flag, value in (("--port", str(port)), ("--host", "127.0.0.1"), ("--concurrency", "1")):
                if flag in command:
                    command[command.index(flag) + 1] = value
            log = tmp_path / f"{name}.log"
            running = stack.enter_context(started([*command, *hostname(name)], environment, log))
            if name == "web":
                until(lambda run=running: run.poll() is None and "listening on" in read(logs[0]), logs)
        assert probed(services["web"], environment, port).returncode == 0
        token = subprocess.run(
            [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command",
             "from memory.services.accounts import owner_account; from memory.services.tokens import token_make; "
             "print(token_make(user=owner_account()))"],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
        ).stdout.split()[-1]  # fmt: skip
        api = httpx.Client(base_url=address, headers={"Authorization": f"Token {token}"}, timeout=30)
        told = api.post("/api/conversations/", json={}).json()
        posted = f"/api/conversations/{told['id']}/messages/"
        reply = api.post(posted, json={"text": "I live in Lyon."}).json()["id"]
        until(lambda: api.get(f"/api/replies/{reply}/").json()["state"] == "done", logs)
        facts = f"/api/spaces/{told['space']}/triples/"
        until(lambda: [one["object"]["label"] for one in api.get(facts).json()["results"]] == ["Lyon"], logs)
        monitor = {"Authorization": "Bearer of-the-monitor"}
        counted = 'dsmart_reply_stage_seconds_count{stage="total"} 1.0'
        until(lambda: counted in httpx.get(f"{address}/metrics", headers=monitor).text, logs, 20)
        broken = {**environment, "REDIS_URL": "redis://127.0.0.1:1/0"}
        worker = services["worker-reply"]
        assert probed(worker, broken, port).returncode == 1
        assert probed(worker, environment, port).returncode == 0
    said = "".join(read(log) for log in logs)
    assert "Traceback" not in said and "/sign-in/" not in said, said[-3000:]


def hostname(name: str) -> list[str]:
    """Return the option that keeps workers of one host apart; in containers each has a host name of its own."""
    return (
        []
        if name == "web"
        else ["--hostname", f"celery@{socket.gethostname()}" if name == "worker-reply" else f"{name}@here"]
    )
