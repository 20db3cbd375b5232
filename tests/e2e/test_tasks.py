"""A dinner that is planned piece by piece, as a person sees it: the question, what falls, the mended reply."""

from __future__ import annotations

import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import DINNER, WAIT_MS, Open, picture
from tests.e2e.test_reasoning_tree import said
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
PLAN, BUDGET, GUESTS, ALLERGY, CHANGED = DINNER


@pytest.fixture
def task(signed_in: Open, server: ServedProduct, scripted: str) -> Page:
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    page.get_by_label("Engine", exact=True).select_option(scripted)
    page.get_by_label("Answers", exact=True).select_option("slsm")
    expect(page.get_by_text("asks what is missing")).to_be_visible()
    return page


def test_dinner_is_planned_and_replanned(task: Page, open_page: Open):
    page = task
    asking = said(page, PLAN)
    expect(asking.locator(".words")).to_contain_text("How many guests will there be?")
    panel = page.locator(".task-panel")
    expect(panel.get_by_role("region", name="Open questions")).to_contain_text("number of guests")
    expect(panel.get_by_role("region", name="Next")).to_contain_text("How many guests will there be?")

    said(page, BUDGET)
    expect(panel.get_by_role("region", name="Required")).to_contain_text("200 euros")
    said(page, GUESTS)
    expect(panel.get_by_role("region", name="Open questions")).to_have_count(0)
    expect(panel.get_by_role("region", name="Assumed")).to_contain_text("Six plates")
    expect(panel.get_by_role("region", name="Next")).to_contain_text("Nothing stands against going on.")

    mended = said(page, ALLERGY)
    expect(mended.locator(".words")).to_contain_text("Soup to begin with. A lemon cake would do as well.")
    expect(mended.locator(".words")).not_to_contain_text("nuts")
    expect(panel.get_by_role("region", name="Required")).to_contain_text("nuts")

    changed = said(page, CHANGED)
    expect(panel.get_by_role("region", name="Known")).to_contain_text("eight")
    expect(panel).not_to_contain_text("Six plates")
    changed.get_by_text("How I found this").click()
    step = changed.get_by_role("region", name="What your message changed of the task")
    expect(step).to_contain_text("Six plates")
    expect(step).to_contain_text("It rested on")
    picture(page, "task")
    page.emulate_media(color_scheme="dark")
    picture(page, "task-dark")
    page.emulate_media(color_scheme="light")

    narrow = open_page(viewport={"width": 375, "height": 800}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(page.url)
    narrow.get_by_label("Margin: what I remember").click()
    expect(narrow.locator(".task-panel")).to_contain_text("eight")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 375
    picture(narrow, "task-narrow")


def test_dinner_is_planned_without_a_language_model(signed_in: Open):
    page = signed_in(f"bea-{uuid.uuid4().hex[:8]}")
    page.get_by_label("Answers", exact=True).select_option("slsm")
    expect(page.get_by_text("asks what is missing")).to_be_visible()
    asking = said(page, "Help me plan a birthday dinner for Saturday.")
    expect(asking.locator(".words")).to_contain_text("How many people will there be?")
    panel = page.locator(".task-panel")
    expect(panel.get_by_role("region", name="Next")).to_contain_text("How many people will there be?")
    said(page, "There will be six of us.")
    expect(panel.get_by_role("region", name="Known")).to_contain_text("six of us")
    expect(panel.get_by_role("region", name="Open questions")).to_have_count(0)
    said(page, "Nothing with nuts please.")
    said(page, "The cake has to cost under 40 euros.")
    broken = said(page, "The cake costs 55 euros.")
    expect(broken.locator(".words")).to_contain_text(
        "“The cake has to cost under 40 euros” cannot be kept as things stand"
    )
    expect(panel.get_by_role("region", name="Required")).to_contain_text("Nothing with nuts")
    picture(page, "task-built-in")


def test_question_is_answered_in_place_by_keyboard(task: Page):
    page = task
    said(page, PLAN)
    panel = page.locator(".task-panel")
    field = panel.get_by_label("Your answer to: How many guests will there be?")
    field.fill("nine")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("region", name="Known")).to_contain_text("nine")
    expect(panel.get_by_role("region", name="Open questions")).to_have_count(0)
    expect(panel.get_by_role("heading", name="The task")).to_be_focused()
    panel.get_by_label("More about: the number of guests: nine").click()
    panel.get_by_role("link", name="history").first.click()
    expect(page.get_by_role("heading", name="Its history")).to_be_visible()
    picture(page, "task-history")
