"""One running product and one browser for all tests of a process; pictures and logs are kept in artifacts/.

Where DATABASE_URL and REDIS_URL are set, the products of all processes share them, as the hosts of a team do.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import permutations
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.product import ROOT, ServedProduct

ARTIFACTS = ROOT / "artifacts"
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
WAIT_MS = 20_000
SLOW_WORDS = " ".join(f"word-{number}" for number in range(1, 61))
SISTER = {"subgoal": 1, "bridge": "", "bindings": [{"variable": "y", "value": "Maya"}]}
PROOFS = [
    {
        "when": "were tried[\\s\\S]*Write goal and subgoals",
        "reply": {"goal": "(Ana) is asked", "subgoals": [], "answer": []},
    },
    {
        "when": "dog[\\s\\S]*Write goal and subgoals",
        "reply": {
            "goal": "(x:dog) was lost by the sister of (Ana)",
            "subgoals": [
                {"says": "(y:person) is the sister of (Ana)", "query": "my sister"},
                {"says": "(y:person) lost (x:dog)", "query": "Maya lost a dog"},
            ],
            "answer": ["x"],
        },
    },
    {
        "when": "boss[\\s\\S]*Write goal and subgoals",
        "reply": {
            "goal": "(x:person) is the boss of the sister of (Ana)",
            "subgoals": [
                {"says": "(y:person) is the sister of (Ana)", "query": "my sister"},
                {"says": "(x:person) is the boss of (y:person)", "query": "Maya has a boss"},
            ],
            "answer": ["x"],
        },
    },
    *(
        {
            "when": f"{number}\\. \\[[^\\n]*my sister[\\s\\S]*which dog[\\s\\S]*Say which of these statements",
            "reply": {
                "grounded": [{**SISTER, "facts": [number]}],
                "unresolved": [{"subgoal": 2, "why": "Nobody mentions a dog."}],
            },
            "delay_s": 3,
        }
        for number in range(1, 6)
    ),
    *(
        {
            "when": f"(?=[\\s\\S]*{sister}\\. \\[[^\\n]*my sister)(?=[\\s\\S]*{boss}\\. \\[[^\\n]*Petra)"
            "[\\s\\S]*Say which of these statements",
            "reply": {
                "grounded": [
                    {**SISTER, "facts": [sister]},
                    {
                        "subgoal": 2,
                        "facts": [sister, boss],
                        "bridge": "",
                        "bindings": [{"variable": "x", "value": "Petra"}, {"variable": "y", "value": "Maya"}],
                    },
                    {
                        "subgoal": 2,
                        "facts": [sister],
                        "bridge": "",
                        "bindings": [{"variable": "x", "value": "Otto"}, {"variable": "y", "value": "Maya"}],
                    },
                ],
                "unresolved": [],
            },
        }
        for sister, boss in permutations(range(1, 6), 2)
    ),
    {
        "when": "Say what to look for next",
        "reply": {"antecedents": [], "why_stopped": "There is nothing else that was mentioned."},
    },
    {"when": "What was proved", "reply": "Petra is the boss of your sister Maya."},
]
DINNER = (
    "Help me plan a dinner on Saturday.",
    "At most 200 euros please.",
    "We will be six.",
    "My sister cannot eat nuts, so nothing with nuts.",
    "It turns out that we are eight.",
)


def brings(message: str, *entries: dict[str, object]) -> dict[str, object]:
    """Return what a model reads as evidence in a message."""
    return {
        "when": f"{message}\\s*</message[^>]*>\\s*Say what the message changes",
        "reply": {"evidence": list(entries)},
    }


TASKS = [
    brings(
        DINNER[0],
        {"kind": "fact", "words": "on Saturday", "says": "The dinner is on Saturday."},
        {
            "kind": "unknown",
            "says": "the number of guests",
            "question": "How many guests will there be?",
        },
    ),
    brings(DINNER[1], {"kind": "constraint", "words": "At most 200 euros", "says": "It costs at most 200 euros."}),
    brings(
        DINNER[2],
        {"kind": "fact", "words": "six", "says": "There are six guests.", "name": "n1", "answers": ["u2"]},
        {"kind": "assumption", "says": "Six plates are enough.", "rests_on": ["n1"], "strength": 0.8},
    ),
    brings(
        DINNER[3],
        {"kind": "fact", "words": "My sister cannot eat nuts", "says": "The sister cannot eat nuts.", "name": "n1"},
        {"kind": "constraint", "words": "nothing with nuts", "says": "Nothing with nuts.", "rests_on": ["n1"]},
    ),
    brings(DINNER[4], {"kind": "fact", "words": "eight", "says": "There are eight guests.", "ends": ["f4"]}),
    {"when": "Say what the message changes", "reply": {"evidence": []}},
    {"when": "It breaks this requirement:", "reply": "A lemon cake would do as well."},
    {"when": "The question to end with:", "reply": "A risotto would do. How many guests will there be?"},
    {"when": "No longer so since this message:", "reply": "Eight plates instead of six."},
    {"when": f"{DINNER[3]}\\s*</message", "reply": "Soup to begin with. A cake with nuts would do."},
    {"when": "The state of the task:", "reply": "A risotto would do."},
]
STATED = "You live in Porto. You **sail** in spring. You live in Rome."
CHECKS = [
    {
        "when": "broken cable[\\s\\S]*",
        "times": 1,
        "error": "unreachable",
        "message": "The line is dead. Check the cable.",
    },
    {
        "when": "Sentence 1:[\\s\\S]*broken cable",
        "reply": {"facts": [{"sentence": 1, "fact": "You live by the broken cable."}]},
    },
    {
        "when": "Fact 1:[\\s\\S]*broken cable",
        "reply": {"verdicts": [{"fact": 1, "status": "true", "source": 1}]},
    },
    {
        "when": "Sentence 1:[\\s\\S]*You live in Porto",
        "reply": {
            "facts": [
                {"sentence": 1, "fact": "You live in Porto."},
                {"sentence": 2, "fact": "You sail in spring."},
                {"sentence": 3, "fact": "You live in Rome."},
            ]
        },
    },
    {
        "when": "Source 2[\\s\\S]*I live in Porto[\\s\\S]*Fact 3:",
        "reply": {
            "verdicts": [
                {"fact": 1, "status": "true", "source": 2},
                {"fact": 2, "status": "not_enough_information", "source": None},
                {"fact": 3, "status": "false", "source": 2},
            ]
        },
        "delay_s": 2,
    },
    {"when": "Sentence 1:", "reply": {"facts": [{"sentence": 1, "fact": "Noted."}]}},
    {"when": "Where am I at home, then", "reply": STATED},
    {"when": "Break the check\\.", "reply": "You live by the broken cable."},
]
SCRIPT = [
    {"when": "these lines state as the JSON object", "reply": {"statement": [], "facts": []}},
    {"when": "(summary|insights) as the JSON object", "reply": {"summary": "", "insights": []}},
    {"when": "title as the JSON object", "reply": {"title": ""}},
    {
        "when": r"patiently[\s\S]*Name the next step as the JSON object",
        "reply": {"action": "THINK", "entities": [], "text": "Maya may work somewhere."},
        "times": 1,
        "delay_s": 3,
    },
    {
        "when": r"patiently[\s\S]*Name the next step as the JSON object",
        "reply": {"action": "THINK", "entities": [], "text": "Maya may work somewhere."},
        "delay_s": 15,
    },
    {
        "when": "Grade this search as the JSON object",
        "reply": {"relevance": 0.6, "progress": 0.6, "potential": 0.6},
        "delay_s": 1,
    },
    *PROOFS,
    *CHECKS,
    *TASKS,
    {"when": "at once", "reply": "Noted."},
    {"when": "slowly", "reply": SLOW_WORDS, "piece_delay_s": 0.1},
    {"when": "for long", "reply": SLOW_WORDS, "piece_delay_s": 0.5},
    {
        "when": "markdown",
        "reply": "# A plan\n\n1. **one**\n2. two\n\n```python\nprint('hello')\n```\n\n<script>alert(1)</script>",
    },
    {"when": "unplug", "error": "unreachable", "message": "The server did not answer. Start it and try again."},
    {"reply": "Noted.", "piece_delay_s": 0.01},
]
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def scripted(worker_id: str) -> str:
    """The engine that plays the script. Its name is the same for all products: any worker of a team may reply."""
    ARTIFACTS.mkdir(exist_ok=True)
    written = ARTIFACTS / f"script-{worker_id}.jsonl"
    written.write_text("".join(json.dumps(rule) + "\n" for rule in SCRIPT))
    script = written.replace(ARTIFACTS / "script.jsonl")
    return f"scripted:{script.relative_to(ROOT)}"


@pytest.fixture(scope="session")
def server(scripted: str, worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProduct]:
    """The product with DATABASE_URL and REDIS_URL where they are set; with REDIS_URL its worker is a process of its own."""
    logs = ARTIFACTS / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    # Engines that a test adds are served by the test itself, on this machine.
    extra = {"DSMART_EXTRA_ENGINES": scripted, "DSMART_PRIVATE_ADDRESSES": "1"}
    redis = os.environ.get("REDIS_URL") or os.environ.get("DSMART_TEST_REDIS_URL")
    if redis:
        extra["REDIS_URL"] = redis
    home = tmp_path_factory.mktemp("e2e") / "home"
    with ServedProduct(home, log=logs / f"serve-{worker_id}.log", **extra) as product, ExitStack() as stack:
        if redis:
            stack.enter_context(product.worker(logs / f"worker-{worker_id}.log"))
        yield product


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Open pages in windows of their own, or beside another page; what the browser complains of fails the test."""
    windows: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(*, beside: Page | None = None, **options: Any) -> Page:
        if beside is None:
            window = chromium.new_context(**{"viewport": {"width": 1360, "height": 850}, **options})
            window.set_default_timeout(WAIT_MS)
            windows.append(window)
        else:
            window = beside.context
        page = window.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if is_complaint(said) else None)
        return page

    yield opened
    for window in windows:
        for number, page in enumerate(window.pages):
            if not page.is_closed():
                picture(page, f"{request.node.name}-{number}")
        window.close()
    assert not complaints, complaints


EXPECTED_ERRORS = ("Failed to load resource", "WebSocket connection", "htmx:sendAbort", "htmx:afterRequest")


def is_complaint(said: Any) -> bool:
    # A request that fails is the browser's to report and the test's to expect, and so is one that a newer page cuts off;
    # the policy and our own errors are neither.
    return said.type == "error" and not any(words in said.text for words in EXPECTED_ERRORS)


@pytest.fixture
def signed_in(server: ServedProduct, open_page: Open) -> Open:
    """Return a way to open the blank page as an account of that name."""

    def as_account(name: str, **options: Any) -> Page:
        page = open_page(**options)
        page.goto(server.link_for(name))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{server.address}/")
        return page

    return as_account


def picture(page: Page, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    # Hiding the caret, the default, is done by a style that the page's own policy refuses.
    page.screenshot(path=str(ARTIFACTS / f"{name}.png"), caret="initial")
