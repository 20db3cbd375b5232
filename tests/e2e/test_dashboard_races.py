"""Answers that come late or out of their order on the dashboard: what the reader asked for last is what stands there."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, Page, Request, Route, expect

from tests.e2e.conftest import WAIT_MS, Open
from tests.e2e.test_dashboard_conflicts import tab
from tests.e2e.test_dashboard_graph import drawn, go_to_first_turn, memory_of, say, talked

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
__all__ = ["talked"]

Meant = Callable[[Request], bool]
CHANGED = "htmx.trigger(document.body, 'memory-changed')"
# Longer than a page waits after a change before it asks for itself anew.
LATE_MS = 1500


def triggered_by(name: str) -> Meant:
    return lambda request: request.headers.get("hx-trigger") == name


def aimed_at(name: str) -> Meant:
    return lambda request: request.headers.get("hx-target") == name


# The label of a tab, what is clicked there, how its request is known from one for the page anew, and where it leads.
WAYS = [
    ("Graph", ("link", "Show as table"), triggered_by("graph-view"), "view=table"),
    ("Neighbours", ("link", "Show as table"), triggered_by("graph-view"), "view=table"),
    ("Timeline", ("button", "Show"), triggered_by("dialogue"), r"session=\d+"),
    ("Facts", ("button", "Show"), aimed_at("dashboard"), "standing="),
]


def of_htmx(request: Request) -> bool:
    return request.headers.get("hx-request") == "true"


def hold(page: Page, meant: Meant) -> list[Route]:
    """Hold back the requests that are meant, and return where they gather."""
    held: list[Route] = []
    page.route("**/*", lambda route: held.append(route) if meant(route.request) else route.fallback())
    return held


def wait_for(page: Page, held: list, count: int = 1) -> None:
    for _ in range(WAIT_MS // 50):
        if len(held) >= count:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{len(held)} of {count} requests were made, on {page.url}.")


def let_go(page: Page, route: Route) -> None:
    """Let a request go on, and wait until its answer would be on the page."""
    route.continue_()
    page.wait_for_timeout(LATE_MS)


@pytest.mark.parametrize("order", ["in their order", "the other way round"])
def test_later_of_two_clicks_holds_whichever_is_answered_first(talked: Page, order: str):
    page = talked
    memory_of(page)
    go_to_first_turn(page)
    page.get_by_role("link", name="Compare from here").click()
    expect(page.locator("#compared")).to_contain_text("Move the slider")
    held = hold(page, lambda request: triggered_by("graph-view")(request) or triggered_by("graph-uncompare")(request))
    page.get_by_role("link", name="Show as table").click()
    wait_for(page, held)
    page.get_by_role("link", name="Stop comparing").click()
    wait_for(page, held, 2)
    for route in held if order == "in their order" else reversed(held):
        let_go(page, route)
    expect(page.locator("#compared")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("against=|view="))
    expect(page.locator("#graph-past")).to_be_visible()


def test_what_is_clicked_is_shown_though_the_memory_changes_meanwhile(talked: Page):
    page = talked
    memory_of(page)
    for label, (role, name), is_click, address in WAYS:
        tab(page, label)
        held = hold(page, is_click)
        page.get_by_role(role, name=name, exact=True).click()
        wait_for(page, held)
        meanwhile: list[str] = []
        note = lambda request, seen=meanwhile: seen.append(request.url) if of_htmx(request) else None  # noqa: E731
        page.on("request", note)
        page.evaluate(CHANGED)
        page.wait_for_timeout(LATE_MS)
        page.remove_listener("request", note)
        assert meanwhile == [], label
        # Then it is shown, and the change is asked for.
        with page.expect_request(of_htmx):
            held[0].continue_()
        expect(page).to_have_url(re.compile(address))
        page.unroute_all()
        page.wait_for_load_state("networkidle")


def test_page_that_is_asked_for_anew_gives_way_to_what_is_clicked(talked: Page):
    page = talked
    memory_of(page)
    for label, (role, name), is_click, address in WAYS:
        tab(page, label)
        held = hold(page, lambda request, meant=is_click: of_htmx(request) and not meant(request))
        # What is put on the page listens once it has settled: later than the page tries to ask for itself again.
        page.evaluate("settle => { htmx.config.defaultSettleDelay = settle }", LATE_MS)
        page.evaluate(CHANGED)
        wait_for(page, held)
        page.get_by_role(role, name=name, exact=True).click()
        expect(page).to_have_url(re.compile(address))
        # What was broken off is asked for again, of the page that is there now.
        wait_for(page, held, 2)
        assert re.search(address, held[1].request.url), label
        for route in held:
            let_go(page, route)
        expect(page).to_have_url(re.compile(address))
        page.unroute_all()
        page.wait_for_load_state("networkidle")


def test_slider_goes_where_it_was_moved_though_the_memory_changes_meanwhile(talked: Page):
    page = talked
    memory_of(page)
    drawn(page, 4, 3)
    held = hold(page, lambda request: of_htmx(request) and "as_of=" not in request.url)
    page.evaluate(CHANGED)
    wait_for(page, held)
    go_to_first_turn(page)
    let_go(page, held[0])
    expect(page.get_by_label("As of which turn")).to_have_value("0")
    drawn(page, 2, 1)


def test_picture_shows_what_is_newest_though_an_older_answer_comes_last(talked: Page, open_page: Open):
    page = talked
    beside = open_page(beside=page)
    beside.goto(page.url)
    old: list[tuple[Route, APIResponse]] = []
    page.route(re.compile("/graph/data/"), lambda route: old.append((route, route.fetch())), times=1)
    memory_of(page)
    wait_for(page, old)
    say(beside, "I have a dog named Rex.")
    drawn(page, 6, 5)
    route, answer = old[0]
    route.fulfill(response=answer)
    page.wait_for_timeout(LATE_MS)
    drawn(page, 6, 5)
    for window in (page, beside):
        window.wait_for_load_state("networkidle")
