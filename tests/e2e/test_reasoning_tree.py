"""A reply that is searched for, as a person sees it: the line of progress, the tree in place, the way to the sentence."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
QUESTION = "Where does my sister's employer have its office?"


@pytest.fixture
def name() -> str:
    return f"ana-{uuid.uuid4().hex[:8]}"


def say(page: Page, text: str) -> None:
    page.get_by_label("Your message", exact=True).fill(text)
    page.get_by_label("Your message", exact=True).press("Enter")


def said(page: Page, text: str) -> Locator:
    """Say something, wait until it is answered, and return the reply."""
    say(page, text)
    expect(page.locator(".round").last).to_contain_text(text)
    reply = page.locator(".round").last.locator(".reply")
    expect(reply.locator(".reply-foot")).to_be_visible()
    return reply


@pytest.fixture
def asked(signed_in: Open, name: str) -> Page:
    """A conversation that searches, in which three facts were said and a question that joins them was asked."""
    page = signed_in(name)
    page.get_by_label("Answers", exact=True).select_option("d_smart")
    expect(page.get_by_text("Goes from one fact to the next")).to_be_visible()
    for text in ("My sister is called Maya.", "Maya works for Airbus.", "Airbus has its office in Toulouse."):
        said(page, text)
    expect(page.get_by_role("complementary", name="What I remember")).to_contain_text("Toulouse")
    reply = said(page, QUESTION)
    expect(reply.locator(".words")).to_contain_text("Toulouse")
    return page


def test_two_hop_question_shows_its_search_from_the_answer_to_the_sentence(asked: Page, open_page: Open):
    page = asked
    reply = page.locator(".reply").last
    reply.get_by_text("How I found this").click()
    steps = reply.get_by_role("list", name="The steps, each below the one that it goes on from")
    expect(steps).to_contain_text("Started from your question")
    expect(steps.locator(".is-way").last).to_contain_text("the answer")
    picture(page, "tree-open")

    step = steps.locator(".is-way > details").first
    step.locator("summary").first.focus()
    page.keyboard.press("Enter")
    expect(step.locator(".step-facts a").first).to_be_visible()
    picture(page, "tree-step-open")

    reply.get_by_text("Show as a table").click()
    table = reply.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(steps.locator(".step").count() + 1)
    expect(table).to_contain_text("Toulouse")
    address = page.url

    page.emulate_media(color_scheme="dark")
    picture(page, "tree-dark")
    page.emulate_media(color_scheme="light")
    step.locator(".step-facts .source a").first.click()
    expect(page.locator("mark#sentence")).to_be_visible()
    page.go_back()
    reply = page.locator(".reply").last
    reply.get_by_text("How I found this").click()
    reply.get_by_role("link", name="On a page of its own").last.click()
    expect(page.get_by_role("heading", name="How I found this")).to_be_visible()
    expect(page.get_by_role("blockquote").get_by_text(QUESTION)).to_be_visible()
    page.get_by_role("link", name="All searches of this memory").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text(QUESTION)
    picture(page, "tree-list")

    narrow = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(address)
    narrow.locator(".reply").last.get_by_text("How I found this").click()
    expect(narrow.locator(".steps .is-way").last).to_contain_text("the answer")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
    picture(narrow, "tree-narrow")


def test_running_search_is_watched_and_stopped(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    page.get_by_label("Engine", exact=True).select_option(scripted)
    page.get_by_label("Answers", exact=True).select_option("d_smart")
    say(page, "Think patiently: where does Maya work?")
    reply = page.locator(".reply")
    expect(reply.locator(".stage")).to_have_text("thought it over")
    reply.get_by_text("How I am looking").click()
    expect(reply).to_contain_text("I am still looking.")
    expect(reply.locator(".steps").first).to_contain_text("Thought it over")
    picture(page, "tree-live")
    page.reload()
    reply.get_by_text("How I am looking").click()
    expect(reply.locator(".steps").first).to_contain_text("Thought it over")
    page.keyboard.press("Escape")
    expect(page.get_by_text("You stopped this before a word was written.")).to_be_visible(timeout=10_000)
    expect(reply).to_contain_text("This search was cut short.")
    expect(reply.locator(".steps").first).to_contain_text("Thought it over")
    first_search = reply.locator(".as-table").get_attribute("id")
    page.get_by_role("button", name="Answer again").click()
    expect(reply.locator(".stop")).to_be_visible()
    reply.get_by_text("How I am looking").click()
    expect(reply).to_contain_text("I am still looking.")
    expect(reply.locator(".as-table")).to_have_count(1)
    expect(page.locator(f"#{first_search}")).to_have_count(0)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("You stopped this before a word was written.")).to_be_visible()


def test_search_of_another_is_not_found(asked: Page, signed_in: Open, server: ServedProduct):
    asked.locator(".reply").last.get_by_text("How I found this").click()
    address = asked.get_by_role("link", name="On a page of its own").last.get_attribute("href")
    stranger = signed_in(f"ben-{uuid.uuid4().hex[:8]}")
    assert stranger.goto(server.address + address).status == 404


def test_way_that_needs_a_language_model_is_not_offered_without_one(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    free = page.get_by_label("Answers", exact=True).locator("option[value=base]")
    expect(free).to_be_disabled()
    expect(free).to_have_text(re.compile("needs a language model"))
    page.get_by_label("Engine", exact=True).select_option(scripted)
    expect(free).to_be_enabled()
    page.get_by_label("Answers", exact=True).select_option("base")
    expect(page.get_by_text("The language model answers by itself")).to_be_visible()
    page.get_by_label("Engine", exact=True).select_option("builtin")
    expect(page.get_by_label("Answers", exact=True)).to_have_value("")
