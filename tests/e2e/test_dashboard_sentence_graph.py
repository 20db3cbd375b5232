"""The sentence graph as a person goes about in it: from a sentence to its neighbours, on from one, by meaning, on a phone."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.e2e.test_dashboard_conflicts import said, tab

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
SAID = ("I keep bees in my garden.", "The bees love the lavender.", "I bought a blue boat.")


@pytest.fixture
def talked(signed_in: Open) -> Page:
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    for text in SAID:
        said(page, text)
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Memory").click()
    return page


def table_of(page: Page) -> list[str]:
    return page.locator("#graph-table tbody tr td:first-child").all_inner_texts()


def test_sentence_leads_to_its_neighbours_and_on(talked: Page, open_page: Open):
    page = talked
    tab(page, "Sentences")
    line = page.locator("#list .fact").filter(has_text=SAID[0])
    line.get_by_role("link", name="neighbours").click()
    drawing = page.get_by_role(
        "application", name=re.compile(r"Picture of the graph: \d+ sentences and places, \d+ links")
    )
    expect(drawing).to_be_visible()
    expect(page.locator("#graph-panel blockquote")).to_have_text(SAID[0])
    expect(page.locator("#graph-panel")).to_contain_text(SAID[1])
    picture(page, "sentence-graph-light")
    wide = open_page(viewport={"width": 1360, "height": 800})
    wide.context.add_cookies(page.context.cookies())
    wide.goto(page.url)
    frame, box = (
        wide.locator("#graph-picture"),
        "one => { const { left, right } = one.getBoundingClientRect(); return [left, right]; }",
    )
    expect(wide.locator("#graph-picture rect").first).to_be_visible()
    left, right = frame.evaluate(box)
    drawn = [one.evaluate(box) for one in wide.locator("#graph-picture rect").all()]
    assert [one for one in drawn if one[0] < left or one[1] > right] == []
    picture(wide, "sentence-graph-1360")

    # By the keyboard: to a neighbour, which is then read beside the picture, and on from it.
    drawing.focus()
    for key in ("ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown") * 5:
        page.keyboard.press(key)
        expect(page.locator("#graph-panel.htmx-request")).to_have_count(0)
        if page.locator("#graph-panel blockquote").inner_text() == SAID[1]:
            break
    expect(page.locator("#graph-panel blockquote")).to_have_text(SAID[1])
    address = page.url
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(address)
    expect(page.locator("#go-on")).to_have_count(0)
    page.get_by_role("link", name="Show as table").click()
    expect(page.locator("#graph-table")).to_be_visible()
    assert table_of(page)[0] == SAID[1] and SAID[0] in table_of(page)
    page.get_by_role("link", name="In its turn, with what was read from it").click()
    expect(page.locator("mark#sentence")).to_have_text(SAID[1])
    page.go_back()

    page.get_by_label("Begin from a sentence").fill("sailing on the water")
    page.keyboard.press("Enter")
    expect(page.locator("#found")).to_contain_text("The nearest in meaning")
    expect(page.locator("#found .fact").first).to_contain_text("blue boat")
    expect(page.locator("#found")).to_contain_text(SAID[2])
    page.emulate_media(color_scheme="dark")
    picture(page, "sentence-graph-dark")

    narrow = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    for label in ("Neighbours", "Digests"):
        narrow.goto(page.url.split("/sentence-graph/")[0] + "/sentences/")
        tab(narrow, label)
        expect(narrow.locator("#graph-table, #list").first).to_be_visible()
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360, label
        picture(narrow, f"narrow-{label.lower()}")
