"""Versions of messages as a person uses them: edited, answered anew, switched by mouse and keys, in two tabs, on a phone."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.e2e.test_chat import begin, said, say

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)


@pytest.fixture
def name() -> str:
    return f"ana-{uuid.uuid4().hex[:8]}"


def edit(page: Page, old: str, new: str) -> None:
    message = page.locator(".message", has_text=old)
    message.hover()
    message.get_by_label("Edit and send again").click()
    # It takes keys as a message does once it has the focus.
    expect(page.get_by_label("Your message, in other words")).to_be_focused()
    page.get_by_label("Your message, in other words").fill(new)
    page.get_by_label("Your message, in other words").press("Enter")
    expect(page.locator(".round").last).to_contain_text(new)
    expect(page.locator(".round").last.locator(".reply-foot")).to_be_visible()


def messages(page: Page) -> list[str]:
    return page.locator(".message .words").all_inner_texts()


def test_versions_are_switched_with_what_followed_and_with_what_was_learnt(signed_in: Open, name: str):
    page = signed_in(name)
    said(page, "I live in Paris.")
    said(page, "I have a dog called Rex.")
    said(page, "Where do I live?")
    why = page.get_by_role("region", name="Why: what this reply rests on")
    expect(why).to_contain_text("You live in Paris.")
    margin = page.get_by_role("complementary", name="What I remember")
    expect(margin.get_by_text("You live in Paris.", exact=True)).to_be_visible()
    edit(page, "I live in Paris.", "I live in Lyon.")
    expect(page.locator(".message .words")).to_have_text(["I live in Lyon."])
    expect(margin.get_by_text("You live in Lyon.", exact=True)).to_be_visible()
    expect(margin.get_by_text("You live in Paris.", exact=True)).to_be_hidden()
    versions = page.get_by_role("group", name="Versions of this message")
    expect(versions).to_contain_text("2 / 2")
    picture(page, "branches-1-edited")

    back = versions.get_by_role("button", name="Earlier version")
    back.focus()
    page.keyboard.press("ArrowLeft")
    expect(versions).to_contain_text("1 / 2")
    expect(page.locator(".message .words")).to_have_text(
        ["I live in Paris.", "I have a dog called Rex.", "Where do I live?"]
    )
    expect(page.locator("#announcer")).to_have_text("Version 1 of 2")
    expect(back).to_be_focused()
    expect(margin.get_by_text("You live in Paris.", exact=True)).to_be_visible()
    expect(margin.get_by_text("You live in Lyon.", exact=True)).to_be_hidden()
    expect(why).to_contain_text("You live in Paris.")
    picture(page, "branches-2-first")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".message .words")).to_have_text(["I live in Lyon."])
    page.emulate_media(color_scheme="dark")
    picture(page, "branches-3-dark")
    page.emulate_media(color_scheme="light")
    page.reload()
    assert messages(page) == ["I live in Lyon."]


def test_reply_that_is_given_anew_is_a_version_and_the_end_stays_where_it_is(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "First.", scripted)
    expect(page.locator(".reply-foot")).to_be_visible()
    said(page, "Second.")
    page.locator(".round").last.get_by_role("button", name="Answer again").click()
    versions = page.get_by_role("group", name="Versions of this message")
    expect(versions).to_contain_text("2 / 2")
    expect(page.locator(".round").last.locator(".reply-foot")).to_be_visible()
    assert messages(page) == ["First.", "Second."]
    first = page.locator(".round").first
    first.evaluate("round => { round.dataset.seen = 'yes'; }")
    page.locator(".round").last.get_by_role("button", name="Earlier version").click()
    expect(versions).to_contain_text("1 / 2")
    expect(first).to_have_attribute("data-seen", "yes")
    page.locator(".round").first.get_by_role("button", name="Answer again").click()
    expect(page.locator(".message .words")).to_have_text(["First."])


def test_another_tab_follows_and_no_version_is_shown_while_a_reply_is_written(
    signed_in: Open, open_page: Open, name: str, scripted: str
):
    page = signed_in(name)
    begin(page, "One.", scripted)
    expect(page.locator(".reply-foot")).to_be_visible()
    other = open_page(beside=page)
    other.goto(page.url)
    edit(page, "One.", "Two.")
    expect(other.locator(".message .words")).to_have_text(["Two."])
    versions = other.get_by_role("group", name="Versions of this message")
    expect(versions).to_contain_text("2 / 2")
    versions.get_by_role("button", name="Earlier version").click()
    expect(page.locator(".message .words")).to_have_text(["One."])
    say(page, "Tell me slowly.")
    expect(page.locator(".reply .words").last).to_contain_text("word-1")
    versions.get_by_role("button", name="Later version").click()
    expect(other.get_by_text("A reply is still being written. Stop it first.")).to_be_visible()
    expect(other.locator(".reply .words").last).to_contain_text("word-3")
    assert messages(other) == ["One.", "Tell me slowly."]
    page.keyboard.press("Escape")


def test_versions_on_a_phone(signed_in: Open, name: str, scripted: str):
    page = signed_in(name, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    begin(page, "Hello, at once.", scripted)
    expect(page.locator(".reply-foot")).to_be_visible()
    page.get_by_role("button", name="Answer again").tap()
    versions = page.get_by_role("group", name="Versions of this message")
    expect(versions).to_contain_text("2 / 2")
    button = versions.get_by_role("button", name="Earlier version")
    box = button.bounding_box()
    assert box is not None and min(box["width"], box["height"]) >= 40
    expect(page.locator(".reply-foot")).to_be_visible()
    picture(page, "branches-4-phone")
    button.tap()
    expect(versions).to_contain_text("1 / 2")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_versions_without_a_script(signed_in: Open, open_page: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "One.", scripted)
    expect(page.locator(".reply-foot")).to_be_visible()
    edit(page, "One.", "Two.")
    plain = open_page(java_script_enabled=False)
    plain.context.add_cookies(page.context.cookies())
    plain.goto(page.url)
    plain.get_by_role("button", name="Earlier version").click()
    expect(plain.locator(".message .words")).to_have_text(["One."])


def test_conversation_is_titled_by_what_it_is_about_once(signed_in: Open, name: str):
    page = signed_in(name)
    said(page, "Hi! I need to buy a leaving present for my colleague Henrik, he retires this month.")
    link = page.locator("#list-items a", has_text=re.compile("present", re.IGNORECASE))
    expect(link).to_be_visible()
    expect(link).not_to_contain_text("Hi!")
    title = link.inner_text()
    assert len(title) <= 60
    said(page, "I live in Paris.")
    expect(page.locator("#list-items a").first).to_have_text(title)
    expect(page.locator("h1")).to_have_text(title)
