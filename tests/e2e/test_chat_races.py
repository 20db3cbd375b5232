"""Answers that come late in the chat, and keys that are pressed before them: nothing is lost, doubled or mistaken."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, Request, expect

from tests.e2e.conftest import WAIT_MS, Open
from tests.e2e.test_chat import MEMORY_PANEL, begin, said, say
from tests.e2e.test_dashboard_races import hold, wait_for
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)

# A key that Playwright presses is only done when the page that it leads to is there.
ENTER_TWICE = """for (const late of [0, 300]) setTimeout(() => document.getElementById("id_text").dispatchEvent(
  new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })), late)"""


@pytest.fixture
def name() -> str:
    return f"ana-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def page(signed_in: Open, name: str) -> Page:
    return signed_in(name)


def at(pattern: str):
    return lambda request: re.search(pattern, request.url) is not None


def posts(request: Request) -> bool:
    return request.method == "POST"


def answered(page: Page) -> None:
    """Wait until what was asked for is on the page."""
    expect(page.locator(".htmx-request")).to_have_count(0)


def test_message_is_sent_once_though_enter_is_pressed_twice(page: Page):
    held = hold(page, posts)
    page.get_by_label("Your message", exact=True).fill("I live in Paris.")
    page.evaluate(ENTER_TWICE)
    wait_for(page, held)
    page.wait_for_timeout(600)
    held[0].continue_()
    expect(page.locator(".reply .reply-foot")).to_be_visible()
    assert len(held) == 1
    expect(page.locator("#list-items li")).to_have_count(1)


def test_replies_that_end_together_are_each_asked_for(page: Page, scripted: str):
    begin(page, "Tell me for long.", scripted)
    say(page, "And then this, at once.")
    say(page, "And that, at once.")
    expect(page.locator(".reply[data-state=queued]")).to_have_count(2)
    held = hold(page, at(r"/replies/\d+/$"))
    page.keyboard.press("Escape")
    wait_for(page, held, 3)
    for route in reversed(held):
        route.continue_()
    expect(page.locator(".reply[data-live]")).to_have_count(0)
    expect(page.locator(".reply .words").last).to_have_text("Noted.")


def test_message_that_came_meanwhile_is_not_taken_away_by_an_answer_from_before_it(page: Page, scripted: str):
    begin(page, "One, at once.", scripted)
    expect(page.locator(".reply .reply-foot")).to_be_visible()
    held = hold(page, at(r"\?since="))
    page.evaluate("htmx.trigger(document.body, 'dialogue-changed')")
    wait_for(page, held)
    before = held[0].fetch()
    said(page, "Two, at once.")
    held[0].fulfill(response=before)
    wait_for(page, held, 2)
    expect(page.locator(".message .words")).to_have_text(["One, at once.", "Two, at once."])


def test_memory_that_changes_while_the_margin_is_asked_for_is_asked_for_again(page: Page):
    said(page, "I live in Paris.")
    answered(page)
    held = hold(page, at("/(panel|task)/$"))
    page.evaluate("for (const panel of document.querySelectorAll('[data-panel]')) htmx.trigger(panel, 'memory')")
    wait_for(page, held, 2)
    [memory], [task] = [[one for one in held if kind in one.request.url] for kind in ("/panel/", "/task/")]
    page.evaluate(f"htmx.trigger(document.querySelector('{MEMORY_PANEL}'), 'memory')")
    with page.expect_response(at("/task/$")):
        task.continue_()
    page.wait_for_timeout(500)
    memory.continue_()
    # The task may be asked for again before it: another change of the memory that is still on its way asks for both.
    for count in (3, 4):
        wait_for(page, held, count)
        if "/panel/" in held[count - 1].request.url:
            return
    raise AssertionError(f"Asked for again: {[one.request.url for one in held[2:]]}, not the memory.")


def test_what_is_searched_for_stays_though_the_list_changes(page: Page, server: ServedProduct, scripted: str):
    begin(page, "The lighthouse is green.", scripted)
    expect(page.locator(".reply .reply-foot")).to_be_visible()
    address = page.url
    held = hold(page, lambda request: at("/list/")(request) and "q=lighthouse" not in request.url)
    page.evaluate("htmx.trigger(document.body, 'conversation-changed')")
    wait_for(page, held)
    page.get_by_label("Search what was said").fill("lighthouse")
    marked = page.locator("#list-items mark")
    expect(marked).to_have_text("lighthouse")
    held[0].continue_()
    page.unroute_all()
    with page.expect_response(at("/list/")):
        page.evaluate("htmx.trigger(document.body, 'conversation-changed')")
    answered(page)
    expect(marked).to_have_text("lighthouse")

    # The palette goes where the words lead, not where the list led that stood there before them.
    page.goto(f"{server.address}/settings/")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette").get_by_role("option", selected=True)).to_be_visible()
    held = hold(page, at("q=lighthouse"))
    page.keyboard.type("lighthouse")
    page.keyboard.press("Enter")
    wait_for(page, held)
    held[0].continue_()
    expect(page).to_have_url(address)


def test_what_is_open_in_the_margin_keeps_its_facts_when_the_memory_changes(
    page: Page, server: ServedProduct, name: str
):
    server.manage("shell", "-v", "0", "-c", f"from tests.e2e.memories import filled; filled({name!r}, 66)")
    page.reload()
    about = page.locator(".about:not([open])").last
    expect(about).to_be_visible()
    about = page.locator(f"#{about.get_attribute('id')}")
    about.locator("summary").click()
    expect(about.locator(".fact").first).to_be_visible()
    with page.expect_response(at(r"/panel/$")):
        page.evaluate("htmx.trigger(document.body, 'memory-changed')")
    answered(page)
    expect(about.locator(".fact").first).to_be_visible()
