"""Two people of a team measure, compare, override and take out, with the product's own worker and built-in engine."""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.e2e.test_dashboard_races import hold, wait_for
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
# The first run of a product waits for its models.
RUN_MS = 300_000

TEAM = """
from django.contrib.auth.models import User
from memory.models import Membership
from memory.services import space_create
first, second = (User.objects.get(username=name) for name in NAMES)
space = space_create(name="The team's", owner=first)
Membership.objects.create(space=space, user=second)
"""


@pytest.fixture
def team(server: ServedProduct, signed_in: Open) -> tuple[Page, Page]:
    """Two members of one space, each signed in in a window of their own."""
    names = [f"{name}-{uuid.uuid4().hex[:6]}" for name in ("ana", "ben")]
    pages = [signed_in(name) for name in names]
    server.manage("shell", "-c", TEAM.replace("NAMES", repr(names)))
    return pages[0], pages[1]


def measure(page: Page, name: str, *systems: str) -> None:
    """Begin a run on the first person of the bundled sample, and wait until it has ended."""
    page.get_by_role("link", name="Evaluate", exact=True).click()
    page.get_by_role("link", name="New run").click()
    page.get_by_label("At most so many cases").fill("1")
    page.get_by_label("Seen by the members of").select_option("The team's")
    for system in systems:
        page.locator(f'input[name="responders"][value="{system}"]').check()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Begin the run").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.locator(".run-state").first).to_contain_text("done", timeout=RUN_MS)


def test_two_people_run_compare_override_and_take_out(team: tuple[Page, Page], server: ServedProduct, open_page: Open):
    ana, ben = team
    ana.goto(f"{server.address}/evaluate/")
    expect(ana.get_by_text("Nothing was measured yet.")).to_be_visible()
    measure(ana, "With a tree", "d_smart", "graph")
    figures = ana.get_by_role("region", name=re.compile("By system"))
    expect(figures.get_by_role("row")).to_have_count(3)
    for system in ("graph", "d_smart"):
        told = figures.get_by_role("row").filter(has=ana.get_by_role("link", name=system, exact=True))
        expect(told).to_contain_text(re.compile(rf"{system}\s*\d\.\d\d \d\.\d\d to \d\.\d\d n\s6"))
    expect(ana.locator(".run-progress")).to_contain_text("12 items")
    picture(ana, "evaluate-run")

    measure(ben, "One look", "graph")
    ben.get_by_role("link", name="Runs").first.click()
    names = ben.locator(".run-name strong")
    expect(names).to_have_text(["One look", "With a tree"])
    ben.get_by_label("System").select_option("d_smart")
    expect(names).to_have_text(["With a tree"])
    expect(ben).to_have_url(re.compile("system=d_smart"))
    ben.go_back()
    expect(names).to_have_count(2)
    # Going back loads the page anew; what is ticked is told once its scripts run.
    ben.wait_for_load_state()
    ben.get_by_label("Compare With a tree").check()
    ben.get_by_label("Compare One look").check()
    expect(ben.get_by_text("2 ticked; baseline: With a tree")).to_be_visible()
    picture(ben, "evaluate-runs")
    ben.get_by_role("button", name="Compare the ticked").click()
    expect(ben.locator(".columns-of h3").first).to_have_text("With a tree")
    expect(ben.get_by_text("nothing differs that figures depend on")).to_be_visible()
    expect(ben.get_by_text("They differ on no item.")).to_be_visible()
    ben.get_by_label("Items", exact=True).select_option("all")
    expect(ben).to_have_url(re.compile("items=all"))
    questions = ben.locator(".compared-items .item-question")
    expect(questions).to_have_count(6)
    picture(ben, "evaluate-compare")
    address = ben.url

    links = ben.locator(".compared-items li").first.locator(".side a")
    links.nth(1).click()
    here = ben.locator(".column.is-here")
    expect(ben.locator(".column")).to_have_count(3)
    expect(ben.get_by_role("heading", name="How it came about")).to_be_visible()
    was_right = here.locator(".score").first.locator(".is-supported").count() == 1
    here.get_by_label("Override Accuracy of graph").click()
    here.get_by_label("wrong" if was_right else "right", exact=True).first.check()
    here.get_by_label("Why").first.fill("=The town is named in another sentence.")
    picture(ben, "evaluate-override")
    here.get_by_role("button", name="Let it count").first.click()
    expect(ben.get_by_text("Your score of accuracy counts now, in every figure.")).to_be_visible()
    expect(here.locator(".score").first).to_contain_text("overridden")

    ana.goto(address.replace("items=all", "items=differ"))
    expect(ana.locator(".compared-items .item-question")).to_have_count(1)
    expect(ana.get_by_text("1 item has a person's score")).to_be_visible()
    ana.locator(".compared-items .side a").nth(1).click()
    expect(ana.locator(".column.is-here .score").first).to_contain_text("“=The town is named in another sentence.”")
    ana.locator(".breadcrumbs").get_by_role("link", name="One look").click()
    expect(ana.get_by_text("1 score was given by a person")).to_be_visible()
    taken = {form: taken_out(ana, words) for form, words in (("csv", "Items (CSV)"), ("json", "Figures (JSON)"))}
    rows = list(csv.DictReader(io.StringIO(taken["csv"].read_text(), newline="")))
    [overridden] = [row for row in rows if row["accuracy_by"]]
    assert overridden["accuracy_by"].startswith("ben-") and overridden["accuracy_comment"].startswith("'=The town")
    assert float(overridden["accuracy"]) == 1 - float(overridden["accuracy_measured"])
    told = json.loads(taken["json"].read_text())
    assert told["command"] == "evaluate run" and {row["name"] for row in told["rows"]} == {"graph"}

    eve = open_page()
    eve.goto(server.link_for(f"eve-{uuid.uuid4().hex[:6]}"))
    eve.get_by_role("button", name="Sign in").click()
    eve.wait_for_url(f"{server.address}/")
    eve.goto(address)
    expect(eve.get_by_text("There is nothing here.")).to_be_visible()


def taken_out(page: Page, words: str) -> Path:
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name=words).click()
    page.keyboard.press("Escape")
    return Path(download.value.path())


SAMPLES = """
from django.contrib.auth.models import User
from memory.services import space_create
from tests.integration.evaluation.measured_runs import item_of, made_run
owner = User.objects.get(username="NAME")
space = space_create(name="Measured", owner=owner)
answers = [
    made_run(
        space, owner, name=f"Night {n}", right={"graph": [1.0, 0.0, 1.0, 1.0], "base": [float(n), 0.0, None, 1.0]}, failed=[1]
    )
    for n in range(2)
]
turns = made_run(
    space, owner, name="Turn by turn", right={"graph": [0.5, 0.75, 0.25]}, kind="dialogues", metric="cs", cases=1
)
made_run(space, owner, name="Goes on", right={"graph": [1.0] * 4}, waiting=3, state="stopped")
print(*(run.pk for run in answers), turns.pk, item_of(answers[1], 0).pk)
"""


def test_every_page_is_drawn_wide_and_narrow_light_and_dark(server: ServedProduct, signed_in: Open, open_page: Open):
    name = f"cleo-{uuid.uuid4().hex[:6]}"
    page = signed_in(name)
    first, second, turns, item = server.manage("shell", "-v", "0", "-c", SAMPLES.replace("NAME", name)).split()[-4:]
    places = {
        "runs": "/evaluate/",
        "new": "/evaluate/new/",
        "run": f"/evaluate/runs/{turns}/",
        "items": f"/evaluate/runs/{second}/items/",
        "item": f"/evaluate/items/{item}/",
        "compare": f"/evaluate/compare/?run={first}&run={second}",
        "trend": "/evaluate/trend/?benchmark=jsonl&system=base",
        "live": "/evaluate/conversations/",
    }
    narrow = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    for called, place in places.items():
        page.emulate_media(color_scheme="light")
        page.goto(server.address + place)
        expect(page.get_by_role("link", name="Evaluate", exact=True)).to_have_attribute("aria-current", "page")
        if called in ("run", "trend"):
            expect(page.locator(".chart-frame canvas")).to_be_visible()
            expect(page.locator(".chart-table")).to_be_hidden()
        page.screenshot(path=f"artifacts/evaluate-{called}-light.png", full_page=True, caret="initial")
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(200)
        page.screenshot(path=f"artifacts/evaluate-{called}-dark.png", full_page=True, caret="initial")
        narrow.goto(server.address + place)
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360, called
        narrow.screenshot(path=f"artifacts/evaluate-{called}-narrow.png", full_page=True, caret="initial")
    page.goto(server.address + places["run"])
    # What is chosen is shown, though the figures are asked for anew meanwhile.
    held = hold(page, lambda request: "metric=" in request.url)
    page.get_by_role("button", name="Show", exact=True).click()
    wait_for(page, held)
    page.evaluate("htmx.trigger(document.body, 'run-news')")
    page.wait_for_timeout(500)
    held[0].continue_()
    expect(page.locator("#figures")).to_have_attribute("hx-get", re.compile("metric="))
    page.unroute_all()
    page.get_by_role("link", name="Show as table").click()
    expect(page.locator(".chart-table").get_by_role("row")).to_have_count(4)
    expect(page.locator(".chart-frame")).to_be_hidden()
    page.wait_for_load_state()
    page.keyboard.press("n")
    expect(page).to_have_url(f"{server.address}/evaluate/new/")
    expect(page.get_by_text("Which retrievers")).to_be_hidden()
    page.get_by_label(re.compile("^Retrieval")).check()
    expect(page.get_by_text("Which retrievers")).to_be_visible()
    expect(page.get_by_text("Which ways of answering")).to_be_hidden()
