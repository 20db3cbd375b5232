"""Chats of another program as a person brings them in: looked at first, read into the memory, and answered from."""

from __future__ import annotations

import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.chat_exports import chatgpt_chat, chatgpt_message, written
from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
# A page of an import that goes on looks again within this time.
LOOKED_MS = 2_500


def bring(page: Page, server: ServedProduct, content: bytes) -> None:
    page.goto(f"{server.address}/history/")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "conversations.json", "mimeType": "application/json", "buffer": content}
    )
    page.get_by_role("button", name="Import", exact=True).click()


def test_export_is_looked_at_brought_in_once_and_answered_from(server: ServedProduct, signed_in: Open, open_page: Open):
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    state = page.get_by_role("region", name="How far it is")
    bring(page, server, b"Hello.")
    expect(page.get_by_role("main")).to_contain_text("conversations.json holds no chats that can be read.")

    harbour = chatgpt_message("chat-2-a", "root", "user", "My sister is called Maya.", at=60)
    export = written([chatgpt_chat(), chatgpt_chat("chat-2", "A harbour", harbour)]).getvalue()
    bring(page, server, export)
    expect(state).to_contain_text("ChatGPT: 2 chats with 5 messages")
    picture(page, "import-preview")
    page.get_by_text("Choose chats").click()
    page.get_by_label("A harbour").uncheck()
    page.wait_for_timeout(LOOKED_MS)
    expect(page.get_by_label("Those that are ticked below")).to_be_checked()
    expect(page.get_by_label("A harbour")).not_to_be_checked()
    page.get_by_role("button", name="Bring in").click()
    expect(state).to_contain_text("Brought in.")
    page.get_by_role("link", name="Show the conversations").click()
    expect(page.get_by_role("main")).to_contain_text("A move")
    expect(page.get_by_role("main")).not_to_contain_text("A harbour")

    bring(page, server, export)
    expect(state).to_contain_text("4 of the messages are here already")
    narrow = open_page(viewport={"width": 360, "height": 800}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(page.url)
    expect(narrow.get_by_role("button", name="Bring in")).to_be_visible()
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
    picture(narrow, "import-narrow")
    page.get_by_role("button", name="Bring in").click()
    expect(state).to_contain_text("Brought in.")

    page.goto(f"{server.address}/")
    page.get_by_label("Your message", exact=True).fill("Where do I live?")
    page.get_by_label("Your message", exact=True).press("Enter")
    expect(page.locator(".round").last).to_contain_text("You live in Lyon.")
