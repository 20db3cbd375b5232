"""A language model is plugged in on the settings page, tested, used and removed, in a real browser."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from memory.adapters.language_models.scripted import Rule
from memory.adapters.language_models.scripted_server import ScriptedServer, ServerConfig
from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
KEY = "sk-of-the-browser"
RULES = [
    Rule(when="Which city is the capital", reply={"capital": "Paris"}, delay_s=1),
    Rule(when="(statements|facts) of .* as the JSON object", reply={"statement": [], "facts": []}),
    Rule(when="(summary|insights) as the JSON object", reply={"summary": "", "insights": []}),
    Rule(reply="Roses are red, says the model."),
]
MAKE_STAFF = "from django.contrib.auth.models import User; User.objects.filter(username='NAME').update(is_staff=True)"


@pytest.fixture
def running() -> Iterator[ScriptedServer]:
    with ScriptedServer(RULES, config=ServerConfig(models=("large", "tiny"), api_key=KEY)) as server:
        yield server


@pytest.fixture
def name() -> str:
    return f"ana-{uuid.uuid4().hex[:8]}"


def say(page: Page, text: str) -> None:
    page.get_by_label("Your message", exact=True).fill(text)
    page.get_by_label("Your message", exact=True).press("Enter")
    page.wait_for_url(re.compile(r"/c/\d+/$"))
    expect(page.locator(".round").last.locator(".reply .reply-foot")).to_be_visible()


def test_model_is_plugged_in_tested_used_and_removed(
    server: ServedProduct, signed_in: Open, name: str, running: ScriptedServer
):
    page = signed_in(name)
    server.manage("shell", "-c", MAKE_STAFF.replace("NAME", name))
    say(page, "Write a poem about roses.")
    page.get_by_role("link", name="Settings > Engines").click()
    page.get_by_role("link", name="Add an engine").click()
    picture(page, "engines-1-empty")

    page.get_by_label("Address").fill(running.base_url)
    page.get_by_label("Key", exact=True).fill("sk-wrong")
    look = page.get_by_role("button", name="Look which there are")
    look.press("Enter")
    expect(page.get_by_text("No list of models came from that address.")).to_be_visible()
    page.get_by_label("Key", exact=True).fill(KEY)
    look.press("Enter")
    expect(page.get_by_text("The server has: large, tiny.")).to_be_visible()
    expect(look).to_be_focused()
    page.get_by_label("Model", exact=True).fill("huge")
    page.get_by_label("Name", exact=True).fill("Poet")
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.get_by_text("Poet is added. Test it below.")).to_be_visible()
    expect(page.get_by_text("Conversations over My memory.")).to_be_visible()

    test = page.get_by_role("button", name="Test Poet")
    test.press("Enter")
    expect(page.get_by_text("It has: large, tiny.")).to_be_visible()
    picture(page, "engines-2-unknown-model")
    page.get_by_label("Model", exact=True).fill("tiny")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Replies from now on are written so.")).to_be_visible()
    test.press("Enter")
    expect(page.get_by_text("Testing: one question with a form")).to_be_visible()
    expect(page.get_by_text("Streams: first words after")).to_be_visible()
    expect(page.get_by_text("Testing: one question with a form")).to_be_hidden()
    expect(page.get_by_text("Structured replies: it keeps to a schema.")).to_be_visible()
    expect(test).to_be_focused()
    assert KEY not in page.content()
    picture(page, "engines-3-tested")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": 360, "height": 780})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the window"
        picture(page, f"engines-4-narrow-{scheme}")
    page.set_viewport_size({"width": 1360, "height": 850})
    page.get_by_role("link", name="Settings", exact=True).first.click()
    expect(page.get_by_role("link", name="Poet")).to_be_visible()
    picture(page, "engines-5-settings")

    page.goto(server.address)
    page.get_by_label("Engine", exact=True).select_option("Poet")
    say(page, "Write a poem about roses.")
    expect(page.locator(".reply .words").last).to_have_text("Roses are red, says the model.")
    expect(page.locator(".reply-foot").last).to_contain_text("Poet")
    conversation = page.url

    page.goto(f"{server.address}/settings/")
    page.get_by_role("link", name="Poet").click()
    page.get_by_text("Remove …").click()
    picture(page, "engines-6-removing")
    page.get_by_role("button", name="Remove Poet for good").click()
    expect(page.get_by_text("Poet is removed, and its key with it.")).to_be_visible()
    page.goto(conversation)
    expect(page.get_by_text("is not offered here any more.")).to_be_visible()
    picture(page, "engines-7-gone")
    page.get_by_label("Your message", exact=True).fill("I live in Lyon.")
    page.get_by_label("Your message", exact=True).press("Enter")
    expect(page.locator(".round")).to_have_count(2)
    expect(page.locator(".reply-foot").last).to_contain_text("builtin")
