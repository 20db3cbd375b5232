"""A reply that is proved, as a person sees it: the tree in place, the way to the sentence, and what stays unknown."""

from __future__ import annotations

import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.e2e.test_reasoning_tree import said, say
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
QUESTION = "Who is the boss of my sister?"
UNKNOWN = "Which dog did my sister lose?"


@pytest.fixture
def asked(signed_in: Open, server: ServedProduct, scripted: str) -> Page:
    """A conversation that proves, over a memory to which three things were told, with one question that it proved."""
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    for text in ("My sister is called Maya.", "Petra is the boss of Maya.", "Otto plays the cello on Sundays."):
        said(page, text)
    expect(page.get_by_role("complementary", name="What I remember")).to_contain_text("Otto")
    page.goto(f"{server.address}/")
    page.get_by_label("Engine", exact=True).select_option(scripted)
    page.get_by_label("Answers", exact=True).select_option("goal_mem")
    expect(page.get_by_text("says what is missing where nobody said it")).to_be_visible()
    reply = said(page, QUESTION)
    expect(reply.locator(".words")).to_contain_text("Petra is the boss of your sister Maya.")
    return page


def test_proof_leads_from_the_answer_to_the_sentences(asked: Page, open_page: Open):
    page = asked
    reply = page.locator(".reply").last
    reply.get_by_text("How I found this").focus()
    page.keyboard.press("Enter")
    proof = reply.get_by_role("region", name="How the answer was proved")
    expect(proof).to_contain_text("The answer is proved by what was said.")
    needs = proof.locator(".need")
    expect(needs).to_have_count(2)
    expect(needs.first).to_contain_text("which person is the sister of")
    expect(needs.first).to_contain_text("Found: Maya is the sister of")
    expect(needs.first.locator(".source")).to_contain_text("“My sister is called Maya.” you")
    expect(needs.last).to_contain_text("Not taken: Otto is the boss of Maya, because the words do not say it.")
    picture(page, "proof-open")
    proof.get_by_text("As logic").click()
    expect(proof.get_by_role("table")).to_contain_text("{x/(Petra), y/(Maya)}")
    picture(page, "proof-logic")
    address = page.url

    page.emulate_media(color_scheme="dark")
    picture(page, "proof-dark")
    page.emulate_media(color_scheme="light")
    needs.last.locator(".source a", has_text="Petra").first.click()
    expect(page.locator("mark#sentence")).to_contain_text("Petra is the boss of Maya.")
    page.go_back()
    page.locator(".reply").last.get_by_text("How I found this").click()
    page.locator(".reply").last.get_by_role("link", name="On a page of its own").click()
    expect(page.get_by_role("heading", name="How I found this")).to_be_visible()
    expect(page.get_by_role("region", name="How the answer was proved")).to_contain_text("Found: Petra is the boss")
    picture(page, "proof-page")

    narrow = open_page(viewport={"width": 375, "height": 800}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(address)
    narrow.locator(".reply").last.get_by_text("How I found this").click()
    expect(narrow.locator(".need").last).to_contain_text("Found: Petra")
    narrow.get_by_text("As logic").click()
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 375
    picture(narrow, "proof-narrow")


def test_unproved_question_is_watched_refused_and_listed_until_it_is_known(asked: Page):
    page = asked
    say(page, UNKNOWN)
    reply = page.locator(".reply").last
    reply.get_by_text("How I am looking").click()
    expect(reply).to_contain_text("I am still looking.")
    expect(reply.locator(".need").last).to_contain_text("Not found yet.")
    picture(page, "proof-live")
    expect(reply.locator(".words")).to_contain_text(
        "I don't know. To be sure I would have to know: “Maya lost which dog?”."
    )
    expect(reply.locator(".reply-foot")).to_be_visible()
    expect(reply.locator(".need.is-open")).to_be_visible()
    expect(reply.locator(".need.is-open")).to_contain_text("Nobody has said it. Nobody mentions a dog.")
    picture(page, "proof-unknown")
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Memory").click()
    page.get_by_role("link", name="Unknowns", exact=True).click()
    unknown = page.get_by_role("region", name="What is not known, newest first")
    expect(unknown.get_by_text(UNKNOWN, exact=True)).to_be_visible()
    expect(unknown.get_by_text("Maya lost which dog?")).to_be_visible()
    expect(unknown.get_by_text(QUESTION)).to_have_count(0)
    picture(page, "unknowns")
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    picture(page, "unknowns-narrow")
    unknown.get_by_role("link", name="What I looked for").click()
    expect(page.get_by_role("region", name="How the answer was proved")).to_contain_text("could not be proved")
