"""A reply that ends while a page is reading it: a hundred times, at moments left to chance."""

from __future__ import annotations

import random
import uuid

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import WAIT_MS, Open
from tests.e2e.test_chat import begin, say

pytestmark = pytest.mark.e2e

# A person may send sixty messages in a minute.
PEOPLE = 2
MESSAGES = 50
# A quick reply ends within this time, so that a page reads it before, at and after its end.
SPREAD_MS = 120
# What is tested is that a page need not ask again by itself after a while.
NEVER_AGAIN = "window.setInterval = () => 0;"
READ_LATE = """
  const fetched = window.fetch;
  window.fetch = async (...request) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * %d));
    return fetched(...request);
  };
"""


def test_reply_that_ends_while_it_is_read_never_looks_unfinished(signed_in: Open, open_page: Open, scripted: str):
    chance = random.Random(11)
    pages = []
    for _ in range(PEOPLE):
        page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
        # The round of a new message is fetched at a moment of its own: before the reply, in the middle of it or after it.
        page.add_init_script(READ_LATE % SPREAD_MS + NEVER_AGAIN)
        page.get_by_label("Chat without memory").check()
        begin(page, "Answer number 1 at once.", scripted)
        pages.append(page)
    beside = open_page(beside=pages[0])
    beside.add_init_script(NEVER_AGAIN)
    for number in range(1, MESSAGES + 1):
        if number > 1:
            for page in pages:
                say(page, f"Answer number {number} at once.")
        shown = [*pages]
        if number % 10 == 0:
            beside.wait_for_timeout(chance.uniform(0, SPREAD_MS))
            beside.goto(pages[0].url)
            shown.append(beside)
        for page in shown:
            asked = page.locator(".round", has_text=f"Answer number {number} at once.")
            expect(asked.locator(".reply .reply-foot")).to_be_visible(timeout=WAIT_MS)
            expect(asked.locator(".reply .words")).to_have_text("Noted.")
            expect(page.locator(".reply[data-live]")).to_have_count(0)
