"""A knowledge base as a person brings it in, looks something up in it, and takes it away again."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
BOOKS = """It\twritten by\tStephen King
Carrie\twritten by\tStephen King
Carrie\thas genre\tHorror
Blinky Bill\twritten by\tDorothy Wall
Dorothy Wall\tborn in\tWellington
"""


@pytest.fixture
def page(signed_in: Open) -> Page:
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    page.get_by_role("link", name="Memory", exact=True).first.click()
    page.get_by_role("navigation", name="What of it").get_by_role("link", name="Knowledge", exact=True).click()
    return page


def bring_in(page: Page, content: str, name: str, licence: str = "") -> None:
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "books.tsv", "mimeType": "text/plain", "buffer": content.encode()}
    )
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Licence").fill(licence)
    page.get_by_role("button", name="Bring in").click()


def test_base_is_brought_in_looked_into_and_removed(page: Page, open_page: Open):
    bases = page.get_by_role("region", name="Knowledge bases")
    expect(bases).to_contain_text("manage.py import_knowledge FILE")
    bring_in(page, "Hello.\n", "Books")
    expect(page.get_by_role("alert").filter(has_text="none of the formats")).to_be_visible()

    bring_in(page, BOOKS, "Books", "CC BY 4.0")
    # It turns ready in front of the reader, who does nothing.
    expect(bases).to_contain_text("5 facts about 7 things")
    expect(bases).to_contain_text("from books.tsv · CC BY 4.0")
    bring_in(page, BOOKS.replace("King", "Kong") + "one\ttwo\n", "Broken")
    expect(bases).to_contain_text("books.tsv, line 6: expected a subject, a relation and an object")

    page.get_by_label("Called").fill("steph")
    page.get_by_role("button", name="Look up").click()
    found = page.get_by_role("region", name="What is known of it")
    expect(found).to_contain_text("Stephen King 2 facts · Books")
    expect(found.get_by_role("listitem").filter(has_text="Carrie written by Stephen King").last).to_be_visible()
    expect(page).to_have_url(re.compile("q=steph"))
    picture(page, "knowledge")

    narrow = open_page(viewport={"width": 360, "height": 800}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(page.url)
    expect(narrow.get_by_role("region", name="What is known of it")).to_contain_text("Stephen King")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
    picture(narrow, "knowledge-narrow")

    for name in ("Broken", "Books"):
        page.get_by_label(f"Remove: {name}").click()
        page.locator(".fact", has_text=f"Remove {name}?").get_by_role("button", name="Remove").click()
        expect(page.get_by_text(f"{name} is removed")).to_be_visible()
    expect(bases).to_contain_text("There is no knowledge from elsewhere yet")
