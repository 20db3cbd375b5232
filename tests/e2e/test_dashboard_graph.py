"""The graph of a memory, as a person goes about in it: search, open, go back in time, compare, follow a fact to its words."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
SAID = ("I live in Paris.", "My sister Maya lives in Oslo.", "I live in Lyon now.")
FIRST_PAINT_MS = 1500


@pytest.fixture
def talked(signed_in: Open) -> Page:
    """A conversation in which three facts were said, one of which replaced another."""
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    for number, text in enumerate(SAID):
        say(page, text)
        expect(page.locator(".reply-foot")).to_have_count(number + 1)
    expect(page.get_by_role("complementary", name="What I remember")).to_contain_text("You live in Lyon.")
    return page


def say(page: Page, text: str) -> None:
    page.get_by_label("Your message", exact=True).fill(text)
    page.get_by_label("Your message", exact=True).press("Enter")
    expect(page.locator(".round").last).to_contain_text(text)


def memory_of(page: Page) -> None:
    page.get_by_role("link", name="Memory", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def drawn(page: Page, things: int, facts: int) -> None:
    """Wait until the picture has so many things and facts."""
    name = f"Picture of the graph: {things} things, {facts} facts"
    expect(page.get_by_role("application", name=name)).to_be_visible()


def seen_otherwise(page: Page, before: bytes) -> bytes:
    """Wait until the picture looks other than before, and return how it looks then."""
    for _ in range(50):
        page.wait_for_timeout(200)
        if (now := looks(page)) != before:
            return now
    raise AssertionError("The picture looks as it did before.")


def looks(page: Page) -> bytes:
    return page.locator("#graph-picture").screenshot(caret="initial")


def places(page: Page) -> dict[str, float]:
    """Return at what height each thing stands in its column."""
    stored = page.evaluate("Object.entries(sessionStorage).filter(([key]) => key.startsWith('graph-places'))[0][1]")
    return dict(json.loads(stored)["kept"])


def rows(page: Page) -> dict[str, str]:
    """Return the facts of the table with their states."""
    shown = page.locator("#graph-table tbody tr")
    return {
        row.locator("td").nth(0).inner_text(): row.locator("td.state").inner_text().lstrip("+− ") for row in shown.all()
    }


def go_to_first_turn(page: Page) -> None:
    page.get_by_label("As of which turn").focus()
    page.keyboard.press("Home")
    expect(page.locator("#as-of-said")).to_contain_text(SAID[0])


def choose_with_arrows(page: Page, thing: str) -> None:
    """Go from thing to thing in the picture until the one that is meant is chosen."""
    page.locator("#graph-picture").focus()
    heading = page.locator("#graph-panel h2")
    for key in ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft") * 4:
        page.keyboard.press(key)
        expect(page.locator("#graph-panel.htmx-request")).to_have_count(0)
        if heading.inner_text() == thing:
            return
    raise AssertionError(f"{thing} was not reached: {heading.inner_text()}")


def test_search_open_and_go_back_in_time_without_a_mouse(talked):
    page = talked
    memory_of(page)
    drawn(page, 4, 3)
    before = places(page)

    choose_with_arrows(page, "Maya")
    seen = looks(page)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"open=\d+"))
    drawn(page, 4, 3)
    after = places(page)
    assert {thing: after[thing] for thing in before} == before, "what was placed keeps its place"
    expect(page.locator("#graph-picture")).to_be_focused()
    picture(page, "dashboard-graph-light")

    go_to_first_turn(page)
    drawn(page, 3, 1)
    seen_otherwise(page, seen)
    expect(page.locator("#graph-panel")).to_contain_text("Nothing is known about it as of this turn.")
    expect(page.get_by_label("As of which turn")).to_be_focused()
    expect(page).to_have_url(re.compile(r"as_of=\d+"))
    page.keyboard.press("End")
    expect(page.locator("#as-of-said")).to_contain_text("Now")
    drawn(page, 4, 3)
    assert {thing: places(page)[thing] for thing in after} == after

    page.keyboard.press("/")
    page.keyboard.type("may")
    expect(page.get_by_role("option", name="Maya")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"entity=\d+"))
    drawn(page, 3, 2)
    expect(page.locator("#graph-panel h2")).to_have_text("Maya")
    page.go_back()
    drawn(page, 4, 3)


def test_fact_leads_to_its_sentence_and_the_table_says_the_same(talked):
    page = talked
    memory_of(page)
    drawn(page, 4, 3)
    page.locator("#graph-picture").focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#graph-panel mark")).to_be_visible()
    chosen = page.locator("#graph-panel .fact-words")
    words = chosen.inner_text()
    expect(page).to_have_url(re.compile(r"fact=\d+"))
    page.reload()
    expect(page.locator("#graph-panel .fact-words")).to_have_text(words)

    page.get_by_role("link", name="Show as table").click()
    expect(page.locator("#graph-table")).to_be_visible()
    assert rows(page) == {
        "You live in Lyon.": "holds",
        "Maya lives in Oslo.": "holds",
        "Your sister is Maya.": "holds",
    }
    page.get_by_role("link", name="You live in Lyon.").first.click()
    expect(page.locator("#graph-panel mark")).to_have_text("I live in Lyon now.")
    page.get_by_role("link", name="The sentence and what was read from it").click()
    expect(page.get_by_role("heading", name="What was said")).to_be_visible()
    expect(page.locator("mark#sentence")).to_have_text("I live in Lyon now.")
    page.go_back()
    page.get_by_role("link", name="In the conversation").click()
    expect(page).to_have_url(re.compile(r"/c/\d+/#round-\d+"))


def test_two_turns_are_compared_and_what_was_replaced_can_be_seen(talked):
    page = talked
    memory_of(page)
    go_to_first_turn(page)
    drawn(page, 2, 1)
    page.get_by_role("link", name="Compare from here").click()
    expect(page.locator("#compared")).to_contain_text("Move the slider")
    page.get_by_role("link", name="Now", exact=True).click()
    expect(page.locator("#compared")).to_contain_text("added")
    drawn(page, 5, 4)
    picture(page, "dashboard-graph-compared")
    page.get_by_role("link", name="Show as table").click()
    expect(page.locator("#graph-table")).to_be_visible()
    assert rows(page) == {
        "You live in Lyon.": "added",
        "Maya lives in Oslo.": "added",
        "Your sister is Maya.": "added",
        "You live in Paris.": "gone",
    }
    page.get_by_role("link", name="Stop comparing").click()
    expect(page.locator("#compared")).to_have_count(0)
    page.get_by_role("link", name="Show what was replaced").click()
    expect(page.locator("#graph-table")).to_contain_text("was replaced")
    assert rows(page)["You live in Paris."] == "was replaced"


def test_graph_changes_while_a_conversation_goes_on_elsewhere(talked, open_page):
    page = talked
    beside = open_page(beside=page)
    beside.goto(page.url)
    memory_of(page)
    drawn(page, 4, 3)
    before = places(page)
    say(beside, "I have a dog named Rex.")
    drawn(page, 6, 5)
    assert {thing: places(page)[thing] for thing in before} == before
    expect(page.locator("#as-of-range")).to_have_attribute("max", "4")
    for window in (page, beside):
        window.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_graph_is_a_list_on_a_narrow_page_and_soon_there_on_a_wide_one(talked, scheme):
    page = talked
    page.emulate_media(color_scheme=scheme)
    memory_of(page)
    drawn(page, 4, 3)
    page.reload()
    drawn(page, 4, 3)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    picture(page, f"dashboard-graph-wide-{scheme}")
    page.set_viewport_size({"width": 360, "height": 780})
    expect(page.locator("#graph-picture")).to_be_hidden()
    assert rows(page) == {
        "You live in Lyon.": "holds",
        "Maya lives in Oslo.": "holds",
        "Your sister is Maya.": "holds",
    }
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    picture(page, f"dashboard-graph-360-{scheme}")
    page.get_by_role("link", name="You live in Lyon.").last.click()
    expect(page.locator("#graph-panel mark")).to_have_text("I live in Lyon now.")
    assert paint < FIRST_PAINT_MS, f"first paint after {paint:.0f} ms"
