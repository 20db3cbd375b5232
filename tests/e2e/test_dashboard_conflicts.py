"""A conflict as a person meets it on the dashboard: seen, turned round, taken back; facts that are ticked and forgotten."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)


@pytest.fixture
def name() -> str:
    return f"ana-{uuid.uuid4().hex[:8]}"


def said(page: Page, text: str) -> None:
    """Say something and wait until it is answered and read into memory."""
    page.get_by_label("Your message", exact=True).fill(text)
    page.get_by_label("Your message", exact=True).press("Enter")
    expect(page.locator(".round").last).to_contain_text(text)
    expect(page.locator(".round").last.locator(".reply .reply-foot")).to_be_visible()


def tab(page: Page, label: str) -> None:
    """Go to a tab, and wait until its styles are there and its scripts run."""
    page.get_by_role("navigation", name="What of it").get_by_role("link", name=label, exact=True).click()
    expect(page.locator("#tabs [aria-current]")).to_have_text(label)
    page.wait_for_load_state()


def settled(page: Page) -> None:
    """Wait until the page has asked for all that a change makes it ask for: leaving earlier breaks a request off."""
    page.wait_for_timeout(1500)
    expect(page.locator(".htmx-request")).to_have_count(0)


@pytest.fixture
def told(signed_in: Open, name: str) -> Page:
    """The page of somebody who moved from Paris to Lyon and has a job."""
    page = signed_in(name)
    said(page, "I live in Paris and I work for Airbus.")
    said(page, "Actually, I moved to Lyon last week.")
    margin = page.get_by_role("complementary", name="What I remember")
    expect(margin.locator(".fact.changed")).to_contain_text("Lyon")
    return page


def test_a_conflict_is_reversed_the_fact_changes_and_it_is_undone(told: Page, open_page: Open):
    page = told
    talk = page.url
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Memory").click()
    tab(page, "Facts")
    facts = page.locator("#list .facts")
    expect(facts).to_contain_text("Lyon")
    expect(facts).not_to_contain_text("You live in Paris.")
    picture(page, "30-facts")
    facts_address = page.url

    tab(page, "Conflicts")
    conflict = page.locator(".conflict")
    expect(conflict.locator(".side").first.locator("s")).to_have_text("You live in Paris.")
    expect(conflict.locator(".side").last.locator("strong")).to_contain_text("Lyon")
    expect(conflict.locator(".source")).to_have_count(2)
    expect(conflict).to_contain_text("Only one of the two can be so at a time.")
    picture(page, "31-conflicts")
    page.emulate_media(color_scheme="dark")
    picture(page, "32-conflicts-dark")
    page.emulate_media(color_scheme="light")

    beside = open_page(beside=page)
    beside.goto(facts_address)
    expect(beside.locator("#list .facts")).to_contain_text("Lyon")

    # By the keyboard alone: open, read what it would do, decide.
    page.get_by_text("decide otherwise or correct").focus()
    page.keyboard.press("Enter")
    otherwise = page.get_by_text("decide otherwise", exact=True)
    expect(otherwise).to_be_visible()
    otherwise.focus()
    page.keyboard.press("Enter")
    expect(conflict).to_contain_text("Then this holds: You live in Paris.")
    picture(page, "33-decide")
    page.get_by_role("button", name="Decide so").focus()
    page.keyboard.press("Enter")
    expect(conflict.locator(".side").first.locator("strong")).to_have_text("You live in Paris.")
    expect(conflict).to_contain_text("You decided so.")
    expect(beside.locator("#list .facts")).to_contain_text("You live in Paris.")
    expect(beside.locator("#list .facts")).not_to_contain_text("Lyon")
    picture(page, "34-reversed")

    settled(page)
    conflict.get_by_role("link", name="this conflict by itself").click()
    expect(page.get_by_role("heading", name="Changed by hand")).to_be_visible()
    picture(page, "35-one-conflict")
    page.go_back()
    page.locator(".conflict .undo button").click()
    expect(conflict.locator(".side").last.locator("strong")).to_contain_text("Lyon")
    expect(beside.locator("#list .facts")).not_to_contain_text("You live in Paris.")
    settled(page)
    conflict.get_by_role("link", name="in the conversation").first.click()
    page.wait_for_url(re.compile(re.escape(talk.split("#")[0])))


def test_facts_are_ticked_and_forgotten_after_it_was_said_what_goes(told: Page, open_page: Open):
    page = told
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Memory").click()
    tab(page, "Facts")
    page.get_by_label("Tick: You work for Airbus.").check()
    expect(page.locator("[data-picked]")).to_have_text("1 ticked")
    page.get_by_role("button", name="Forget the ticked …").click()
    expect(page.get_by_role("heading", name="What will go")).to_be_visible()
    expect(page.locator(".going").first).to_contain_text("1 fact")
    picture(page, "36-what-goes")
    page.get_by_role("button", name="Forget only the facts").click()
    expect(page.locator("#list .facts")).to_contain_text("Lyon")
    expect(page.locator("#list .facts")).not_to_contain_text("Airbus")

    tab(page, "Sentences")
    expect(page.locator("#list .facts")).to_contain_text("I live in Paris and I work for Airbus.")
    picture(page, "37-sentences")
    tab(page, "Entities")
    page.locator("#list").get_by_role("link", name="Lyon").click()
    expect(page.get_by_role("heading", name="Lyon")).to_be_visible()
    page.get_by_text("rename, add or take away names").click()
    page.get_by_label("It is also called").fill("Lugdunum")
    page.get_by_role("button", name="Save the names").click()
    expect(page.locator(".entity-head")).to_contain_text("also called “Lugdunum”")
    picture(page, "38-entity")

    narrow = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(page.url)
    for label in ("Conflicts", "Facts", "Sentences", "Entities"):
        tab(narrow, label)
        expect(narrow.locator("#list")).to_be_visible()
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360, label
        picture(narrow, f"39-narrow-{label.lower()}")


def test_lists_work_without_script(told: Page, open_page: Open):
    page = told
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Memory").click()
    address = page.url.replace("/graph/", "/triples/")
    plain = open_page(java_script_enabled=False)
    plain.context.add_cookies(page.context.cookies())
    plain.goto(address)
    plain.get_by_label("What", exact=True).select_option("replaced")
    plain.get_by_role("button", name="Show", exact=True).click()
    expect(plain.locator("#list .facts")).to_contain_text("Paris")
    plain.get_by_label("Tick: You live in Paris.").check()
    plain.get_by_role("button", name="Forget the ticked …").click()
    plain.get_by_role("button", name="Forget only the facts").click()
    expect(plain.get_by_text("Forgotten for good: 1 fact.")).to_be_visible()
    expect(plain.locator("#list")).to_contain_text("No fact here.")
