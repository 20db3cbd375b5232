"""An open conversation while the database is away: it says so, and comes back by itself."""

from __future__ import annotations

import uuid

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.e2e.conftest import WAIT_MS, Open
from tests.e2e.test_chat import begin

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)


def test_conversation_says_that_the_memory_is_away_and_comes_back(signed_in: Open, scripted: str) -> None:
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    begin(page, "Answer number 1 at once.", scripted)
    is_away, asked = True, []

    def socket(route: WebSocketRoute) -> None:
        # As the server does: accepted, and closed with the code.
        if is_away:
            route.close(code=4503)
        else:
            route.connect_to_server()

    def address(route: Route) -> None:
        if is_away and route.request.method == "HEAD":
            asked.append(route.request.url)
            route.fulfill(status=503, headers={"Retry-After": "5"})
        else:
            route.continue_()

    page.route_web_socket("**/ws/conversations/*/", socket)
    page.route("**/c/*/", address)
    page.reload()
    notice = page.locator("#connection")
    expect(notice).to_contain_text("The memory is away, trying again")
    expect(notice).to_be_visible()
    page.wait_for_timeout(7_000)
    expect(notice).to_be_visible()
    assert asked, "the page asks whether the memory is back before it opens a socket"
    is_away = False
    expect(notice).to_be_hidden(timeout=30_000)
