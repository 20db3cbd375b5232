"""What a reply states, marked in its words, as a person sees it: by sight, by keyboard, on a phone, after a failure."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import STATED, WAIT_MS, Open, picture
from tests.e2e.test_chat import begin, said, say

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
PROCESSES = 4


@pytest.fixture
def checked(signed_in: Open, scripted: str) -> Page:
    """A conversation whose replies are checked, by the switch of its menu."""
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    begin(page, "Say it at once.", scripted)
    expect(page.locator(".reply .reply-foot")).to_be_visible()
    expect(page.locator(".reply-check")).to_have_count(0)
    page.get_by_label(re.compile("This conversation")).click()
    switch = page.get_by_role("switch", name=re.compile("Check what replies state"))
    expect(switch).to_have_attribute("aria-checked", "false")
    expect(page.get_by_text("Each reply costs two or three more calls of the language model.")).to_be_visible()
    picture(page, "checks-1-menu")
    switch.click()
    expect(page.locator("[role=switch][aria-checked=true]")).to_have_count(1)
    page.get_by_label(re.compile("This conversation")).click()
    expect(switch).to_have_attribute("aria-checked", "true")
    page.keyboard.press("Escape")
    return page


def test_supported_unsupported_and_false_statements_are_told_apart_in_place(checked: Page):
    page = checked
    say(page, "Where am I at home, then? I live in Porto.")
    reply = page.locator(".reply").last
    words, line = reply.locator(".words"), reply.locator(".reply-check")
    expect(words).to_contain_text("spring")
    expect(line).to_contain_text("Checking what this states")
    before = reply.bounding_box()
    expect(line).to_contain_text("1 of 3 statements are supported")
    assert abs(reply.bounding_box()["y"] - before["y"]) < 2
    assert words.inner_text().split() == STATED.replace("**", "").split()
    expect(words.locator("strong")).to_have_text("sail")
    expect(words.locator(".claim.is-unknown").first).to_have_text("You ")
    expect(words.locator("s.claim.is-false")).to_have_text("You live in Rome.")
    expect(words.get_by_text("You live in Porto.")).not_to_have_class(re.compile("claim"))
    picture(page, "checks-2-marked")

    sign = words.get_by_role("button", name="Contradicted: why")
    panel = page.locator(f"#{sign.get_attribute('aria-controls')}")
    expect(panel).to_be_hidden()
    sign.focus()
    page.keyboard.press("Enter")
    expect(panel).to_be_visible()
    expect(sign).to_have_attribute("aria-expanded", "true")
    expect(panel).to_contain_text("Contradicted by:")
    unknown = words.get_by_role("button", name="Not supported: why")
    unknown.click()
    expect(words.get_by_text("Nothing that I know says so.")).to_be_visible()
    line.locator(".term").focus()
    expect(line.get_by_role("tooltip")).to_contain_text("Dialogue Fact Score 0.50")
    picture(page, "checks-3-open")
    page.emulate_media(color_scheme="dark")
    picture(page, "checks-4-dark")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 360, "height": 740})
    picture(page, "checks-5-phone")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1360, "height": 850})

    panel.get_by_role("link", name=re.compile("I live in Porto")).click()
    expect(page.locator("body")).to_contain_text("I live in Porto.")
    page.go_back()
    expect(page.locator(".reply").last.locator("s.claim.is-false")).to_be_visible()

    reply = page.locator(".reply").last
    reply.locator(".how > summary").click()
    expect(reply.locator(".trace")).to_contain_text("Checked what the reply states")
    expect(reply.locator(".trace")).to_contain_text("nothing that I know says so")

    page.get_by_role("link", name="Memory", exact=True).click()
    page.get_by_role("link", name="Timeline").click()
    expect(page.locator(".exchange").last).to_contain_text("1 of 3 supported")
    picture(page, "checks-7-timeline")


def test_reply_without_claims_and_a_failed_check_say_so_and_it_can_be_tried_again(checked: Page):
    page = checked
    said(page, "Say it at once, please.")
    expect(page.locator(".reply-check").last).to_contain_text("Nothing here can be checked.")

    said(page, "Break the check.")
    line = page.locator(".reply-check").last
    expect(line).to_contain_text("What this states could not be checked. The line is dead. Check the cable.")
    picture(page, "checks-6-failed")
    # The script breaks once a process, and a team's server has several that may take the check.
    for _ in range(PROCESSES):
        if "could not be checked" in line.inner_text():
            with page.expect_response(lambda answer: answer.request.method == "POST"):
                line.get_by_role("button", name="Try again").click()
            expect(page.locator(".htmx-request")).to_have_count(0)
            expect(line).not_to_contain_text("Checking what this states")
    expect(line).to_contain_text("1 of 1 statement is supported")
