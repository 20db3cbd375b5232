"""The timeline of a dialogue as a person sees it: strip, chart and table of its scores, a round that is read again."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)

# Said, read and scored in one transaction, so that the product's own worker finds nothing left to do.
DIALOGUE = """
from django.contrib.auth.models import User
from django.db import transaction
from conversations.models import Conversation
from evaluation.services.scores import scores_run
from memory import bootstrap
from memory.core.types import EntailmentVerdict
from memory.services import space_maintain, space_personal
from tests.fakes.entailment import JudgingEntailment
from tests.integration.evaluation.scored_talk import talk
from tests.integration.memory.dialogues import new_session

CITIES = "Porto Lyon Rome Oslo Bonn Turin Ghent Cadiz Split Varna".split()
FOLLOWS, CLASHES, OPEN = (EntailmentVerdict(*three) for three in ((0.9, 0.08, 0.02), (0.04, 0.06, 0.9), (0.2, 0.8, 0.0)))
model = JudgingEntailment(
    lambda premise, hypothesis: CLASHES if "Rome" in hypothesis else FOLLOWS if "live" in hypothesis else OPEN
)
MOVES = [(f"I live in {city}.", f"You live in {city}.") for city in CITIES]
bootstrap.entailment_model = lambda: model
owner = User.objects.get(username="NAME")
space = space_personal(user=owner)
with transaction.atomic():
    session = new_session(space, "scored")
    Conversation.objects.create(space=space, owner=owner, session=session, title="Where I live")
    talk(session, *MOVES, ("Thank you.", "Noted."), ("What else?", "You sail in spring."))
    space_maintain(space_id=space.pk)
    scores_run()
print(space.pk)
"""
BREAK = """
from memory.models import Round
broken = Round.objects.filter(space=SPACE).earliest("pk")
broken.triples.all().delete()
Round.objects.filter(pk=broken.pk).update(
    maintenance="failed", maintained_at=None, maintenance_stage="sentences", maintenance_error="The server did not answer."
)
"""


@pytest.fixture
def timeline(server: ServedProduct, signed_in: Open) -> Page:
    """The timeline of a dialogue of twelve rounds with scores."""
    name = f"ana-{uuid.uuid4().hex[:8]}"
    page = signed_in(name)
    said = server.manage("shell", "-c", DIALOGUE.replace("NAME", name))
    page.goto(f"{server.address}/spaces/{said.split()[-1]}/timeline/")
    return page


def test_strip_chart_and_table_tell_the_same(timeline: Page, open_page: Open):
    page = timeline
    strip = page.get_by_role("list", name=re.compile("All replies")).get_by_role("link")
    expect(strip).to_have_count(12)
    labels = [re.sub(r"Round (\d+): ", r"\1 ", one.get_attribute("aria-label")) for one in strip.all()]
    assert labels[0] == "1 supported, CS 0.94" and labels[2] == "3 contradicted, CS 0.07"
    assert labels[10:] == ["11 not scored", "12 neutral, CS 0.60"]

    chart = page.get_by_role("img", name=re.compile("Chart of 12 replies"))
    expect(chart).to_have_attribute("aria-label", re.compile(r"round 12 neutral, CS 0\.60, DER 0\.82 of 11 scored"))
    expect(chart.locator("canvas")).to_be_visible()
    box = chart.bounding_box()
    told = set()
    for step in range(1, 60):
        page.mouse.move(box["x"] + box["width"] * step / 60, box["y"] + box["height"] / 2)
        told.add(page.locator("#timeline-readout").inner_text())
    chart_says = {words for words in told if words.startswith("Round")}
    picture(page, "timeline-light")

    page.get_by_role("link", name="Show as table").click()
    table = page.get_by_role("region", name="The scores of this page's replies").get_by_role("row")
    expect(table).to_have_count(13)
    expect(chart).to_be_hidden()
    rows = [[cell.strip() for cell in row.locator("th, td").all_inner_texts()] for row in table.all()[1:]]
    assert [" ".join(row[:2]) + (f", CS {row[2]}" if row[2] != "–" else "") for row in rows] == labels
    assert chart_says == {
        f"Round {number} {label}{'' if cs == '–' else f', CS {cs}'}, DER {der} of {n} scored"
        for number, label, cs, der, n in rows
    }
    picture(page, "timeline-table")
    page.get_by_role("link", name="Show as chart").click()
    expect(chart.locator("canvas")).to_be_visible()

    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(300)
    picture(page, "timeline-dark")
    strip.nth(2).click()
    expect(page).to_have_url(re.compile(r"#round-\d+$"))
    third = page.locator(".exchange:target")
    expect(third).to_contain_text("“You live in Rome.” contradicts")
    expect(third).to_contain_text("+ 1 fact added − 1 replaced")
    picture(page, "timeline-round-dark")
    third.get_by_role("link", name=re.compile("1 fact added")).click()
    expect(page.locator("#compared")).to_contain_text("+ 1 added − 1 gone")
    page.go_back()
    page.get_by_text("Entailed (DER)").first.hover()
    expect(page.get_by_role("tooltip").filter(has_text="Dialogue Entailment Rate").first).to_be_visible()

    narrow = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(page.url.split("#")[0])
    expect(narrow.get_by_role("region", name="The scores of this page's replies").get_by_role("row")).to_have_count(13)
    expect(narrow.locator("#timeline-chart")).to_be_hidden()
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
    narrow.screenshot(path="artifacts/timeline-narrow.png", full_page=True, caret="initial")


def test_failed_round_is_read_again_and_the_page_tells_when_it_is(timeline: Page, server: ServedProduct):
    page = timeline
    space = re.search(r"/spaces/(\d+)/", page.url).group(1)
    first = page.locator(".exchange").first
    expect(first).to_contain_text("1 fact added")
    server.manage("shell", "-c", BREAK.replace("SPACE", space))
    page.reload()
    expect(first).to_contain_text("This round could not be read into memory. The server did not answer.")
    picture(page, "timeline-failed")
    page.evaluate("window.scrollTo(0, 600)")
    place = page.evaluate("scrollY")
    assert place > 500
    first.get_by_role("button", name="Retry").evaluate("button => button.focus({preventScroll: true})")
    page.keyboard.press("Enter")
    expect(first.get_by_role("button", name="Retry")).to_be_hidden()
    # The first round that a product reads waits for its models.
    expect(first).to_contain_text("1 fact added", timeout=90_000)
    assert page.evaluate("scrollY") == place
    expect(page.locator("#timeline-chart canvas")).to_be_visible()


def test_timeline_grows_while_a_conversation_goes_on_elsewhere(timeline: Page, open_page: Open):
    page = timeline
    talk = open_page(beside=page)
    talk.goto(page.url.split("/spaces/")[0])
    say(talk, "My sister is called Maya.")
    picker = page.get_by_label("Conversation", exact=True)
    expect(picker.get_by_role("option")).to_have_count(2)
    rounds = page.locator(".exchange")
    expect(rounds).to_have_count(12)
    picker.select_option(index=0)
    expect(rounds).to_have_count(1)
    expect(rounds).to_contain_text(re.compile("facts? added"))
    page.set_viewport_size({"width": 1280, "height": 500})
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 120)")
    assert page.evaluate("scrollY") == 120
    say(talk, "Maya lives in Bergen.")
    expect(rounds).to_have_count(2)
    expect(rounds.last).to_contain_text("Maya lives in Bergen.")
    expect(rounds.last).to_contain_text("answered in")
    expect(rounds.last).to_contain_text(re.compile("facts? added"))
    assert page.evaluate("scrollY") == 120
    picture(page, "timeline-live")


def say(page: Page, text: str) -> None:
    page.get_by_label("Your message", exact=True).fill(text)
    page.get_by_label("Your message", exact=True).press("Enter")
    expect(page.locator(".round").last).to_contain_text(text)
    expect(page.locator(".round").last.locator(".reply-foot")).to_be_visible()
