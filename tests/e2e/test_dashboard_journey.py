"""One way through the dashboard, on one page: back in time, into a conflict, turned round, seen in the graph, taken back."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.e2e.test_dashboard_conflicts import said, settled, tab
from tests.e2e.test_dashboard_graph import drawn, rows

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)


def facts_drawn(page: Page) -> dict[str, str]:
    """Return the facts of the graph's table, which shows what the picture does, with their states."""
    tab(page, "Graph")
    drawn(page, 3, 2)
    page.get_by_role("link", name="Show as table").click()
    expect(page.locator("#graph-table")).to_be_visible()
    return rows(page)


def test_slider_conflict_reversal_graph_and_undo_in_one_way(signed_in: Open):
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    said(page, "I live in Paris and I work for Airbus.")
    said(page, "Actually, I moved to Lyon last week.")
    expect(page.locator(".fact.changed")).to_contain_text("Lyon")
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Memory").click()
    drawn(page, 3, 2)

    slider = page.get_by_label("As of which turn")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator("#as-of-said")).to_contain_text("I live in Paris and I work for Airbus.")
    expect(page).to_have_url(re.compile(r"as_of=\d+"))
    assert facts_drawn(page) == {"You live in Paris.": "holds", "You work for Airbus.": "holds"}
    tab(page, "Conflicts")
    expect(page.get_by_text("No conflict here.")).to_be_visible()
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator("#as-of-said")).to_contain_text("Now")

    conflict = page.locator(".conflict")
    conflict.get_by_role("link", name="this conflict by itself").click()
    expect(page.locator(".conflict .side").last.locator("strong")).to_have_text("You live in Lyon.")
    page.get_by_text("decide otherwise", exact=True).click()
    page.get_by_role("button", name="Decide so").click()
    expect(page.locator(".outcome")).to_contain_text("Decided. This holds: You live in Paris.")
    settled(page)
    assert facts_drawn(page) == {"You live in Paris.": "holds", "You work for Airbus.": "holds"}
    picture(page, "journey-reversed")

    tab(page, "Conflicts")
    expect(conflict.locator(".side").first.locator("strong")).to_have_text("You live in Paris.")
    conflict.locator(".undo button").click()
    expect(conflict.locator(".side").last.locator("strong")).to_have_text("You live in Lyon.")
    settled(page)
    assert facts_drawn(page) == {"You live in Lyon.": "holds", "You work for Airbus.": "holds"}
    picture(page, "journey-undone")
