"""People label, settle and measure agreement: the paper's protocol with three accounts, by keyboard, offline, on a phone."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)

RECORDS = json.loads(Path("tests/data/review_facts.json").read_text())
KEYS = {"Supports": "1", "Refutes": "2", "Not Enough Info": "3"}
RIGHT = {record["atomic_fact"]: KEYS[record["factualLabel"]] for record in RECORDS}
# What the second person says otherwise.
OTHERWISE = {record["atomic_fact"]: key for record, key in zip(RECORDS[2:18:4], ("1", "3", "2", "1"), strict=True)}
TITLES = {"1": "True", "2": "False", "3": "Not enough information"}

SET_UP = """
import json
from pathlib import Path
from django.contrib.auth.models import User
from django.utils import timezone
from memory.services import space_create
from evaluation.core.annotation.drafts import ItemDraft
from evaluation.models import AnnotationItem, ItemScore, ItemState, ReviewMember, RunItem
from evaluation.services.annotation.filling import items_add
from evaluation.services.annotation.projects import project_make
from tests.integration.evaluation.measured_runs import made_run
owner, *others = (User.objects.get(username=name) for name in NAMES)
space = space_create(name="The team's", owner=owner)
records = json.loads(Path("tests/data/review_facts.json").read_text())
def project(name, kind, contents, **settings):
    made = project_make(space=space, by=owner, name=name, kind=kind, **settings)
    items_add(project=made, drafts=[ItemDraft(key=str(n), content=one) for n, one in enumerate(contents)], by=owner)
    return made
def content(record, headline):
    turns = [{"speaker": who, "text": text} for who, text in [*record["history"], ["A", record["A"]]]]
    evidence = [{"title": one["title"], "text": one["text"]} for one in record["evidence"]]
    return {headline: record["atomic_fact"], "dialogue": turns, "evidence": evidence}
"""
A_RUN = """
run = made_run(space, owner, name="Replies of spring", right={"graph": [None] * len(records)}, cases=5)
for item, record in zip(RunItem.objects.filter(run=run).order_by("index"), records, strict=True):
    item.question, item.reply = record["A"], record["B"]
    item.passages = [{"key": one["id"], "text": one["text"], "speaker": one["title"]} for one in record["evidence"]]
    item.save()
print(run.pk)
"""
STATE = """
from evaluation.models import AnnotationItem
for item in AnnotationItem.objects.filter(project=PROJECT).order_by("key"):
    said = [(one.name, one.answer, one.comment, one.guideline.version) for one in item.annotations.order_by("pk")]
    settled = [(one.name, one.answer, one.reason) for one in item.settlements.order_by("pk")]
    print("STATE", (item.key, item.content, item.standing, item.final, item.machine, said, settled))
"""


def names_of(*names: str) -> list[str]:
    return [f"{name}-{uuid.uuid4().hex[:6]}" for name in names]


def made(server: ServedProduct, names: list[str], script: str) -> list[int]:
    """Run a script over a team of these people, and return the numbers that it prints."""
    printed = server.manage("shell", "-v", "0", "-c", SET_UP.replace("NAMES", repr(names)) + script)
    return [int(number) for number in printed.split()]


def state(server: ServedProduct, project: int) -> list[str]:
    printed = server.manage("shell", "-v", "0", "-c", STATE.replace("PROJECT", str(project)))
    return [line for line in printed.splitlines() if line.startswith("STATE")]


def headline(page: Page):
    return page.locator("#items > article:not([hidden]) .headline")


def shown_one_by_one(page: Page, count: int) -> Iterator[str]:
    """Yield the headline of each item; whoever takes it answers it, and the next one comes."""
    for number in range(count):
        expect(page.locator("#progress")).to_contain_text(re.compile(rf"^{number} done"))
        expect(headline(page)).to_be_visible()
        yield headline(page).inner_text()


def kappa(pairs: list[tuple[str, str]]) -> float:
    raw = sum(one == other for one, other in pairs) / len(pairs)
    ones, others = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(ones[label] * others[label] for label in ones) / len(pairs) ** 2
    return (raw - chance) / (1 - chance)


def test_two_label_blind_a_third_settles_and_the_run_shows_it(server: ServedProduct, signed_in: Open):
    names = names_of("cleo", "ana", "ben")
    cleo, ana, ben = (signed_in(name) for name in names)
    [run] = made(server, names, A_RUN)

    cleo.get_by_role("link", name="Review", exact=True).press("Enter")
    cleo.wait_for_url(f"{server.address}/review/")
    expect(cleo.get_by_text("Nothing is labelled yet.")).to_be_visible()
    cleo.keyboard.press("n")
    cleo.get_by_label("Name", exact=True).first.fill("Facts of spring")
    cleo.get_by_label("Team").first.select_option("The team's")
    cleo.get_by_role("button", name="Make the project").click()
    cleo.get_by_label("Run", exact=True).select_option("Replies of spring")
    cleo.get_by_role("button", name="Add the items").click()
    expect(cleo.get_by_text("20 items are new in Facts of spring.")).to_be_visible()
    project = int(cleo.url.rstrip("/").split("/")[-1])

    for name, page in (("ana", ana), ("ben", ben)):
        cleo.goto(f"{server.address}/review/teams/")
        cleo.get_by_role("link", name="The team's").click()
        cleo.get_by_role("button", name="Make a link").click()
        page.goto(cleo.get_by_label("Invitation link").input_value())
        picture(page, f"review-invitation-{name}")
        page.get_by_role("button", name="Take part").click()
        expect(page.get_by_text("You take part in The team's as annotator.")).to_be_visible()
        page.get_by_role("link", name="Label Facts of spring: 20").press("Enter")
        for fact in shown_one_by_one(page, 20):
            assert "machine" not in page.locator("main").inner_text().casefold()
            page.keyboard.press(RIGHT[fact] if name == "ana" else OTHERWISE.get(fact, RIGHT[fact]))
        expect(page.locator("#nothing")).to_contain_text("That was the last one.")

    cleo.goto(f"{server.address}/review/")
    cleo.get_by_role("link", name="Settle Facts of spring: 4").press("Enter")
    for left in (4, 3, 2, 1):
        expect(cleo.get_by_text(f"{left} item{'s' if left > 1 else ''} for you to settle")).to_be_visible()
        assert not re.search("ana-|ben-", cleo.locator("main").inner_text())
        expect(cleo.get_by_role("button", name="Settle")).to_be_disabled()
        cleo.keyboard.press(RIGHT[cleo.locator(".to-settle .headline").inner_text()])
        if left == 4:
            picture(cleo, "review-settle")
        cleo.keyboard.type("So the evidence says.")
        cleo.keyboard.press("Enter")
    expect(cleo.get_by_text("Nobody disagrees. 20 items are finished.")).to_be_visible()

    cleo.get_by_role("link", name="Agreement").click()
    people = cleo.get_by_role("region", name="People with one another", exact=True)
    expected = kappa([(key, OTHERWISE.get(fact, key)) for fact, key in RIGHT.items()])
    expect(people.get_by_role("row", name="Cohen's kappa")).to_contain_text(f"{expected:.2f}")
    expect(people.get_by_role("row", name="Same answer")).to_contain_text("0.80")
    picture(cleo, "review-agreement")
    agreement = cleo.locator("#review").inner_text()

    cleo.get_by_role("link", name="Results").click()
    expect(cleo.locator(".results .fact")).to_have_count(20)
    cleo.get_by_role("link", name="Put into the run").click()
    expect(cleo.get_by_role("heading", name=re.compile("figures would change"))).to_be_visible()
    cleo.get_by_role("button", name="Put into the run").click()
    expect(cleo.get_by_text(re.compile(r"\d+ figures count now as people said"))).to_be_visible()
    cleo.goto(f"{server.address}/evaluate/runs/{run}/")
    expect(cleo.get_by_text(re.compile(r"\d+ scores? were given by a person"))).to_be_visible()
    picture(cleo, "review-run")
    cleo.goto(f"{server.address}/evaluate/runs/{run}/items/")
    expect(cleo.locator(".overridden").first).to_be_visible()

    cleo.goto(f"{server.address}/review/projects/{project}/results/")
    cleo.get_by_text("Export", exact=True).click()
    with cleo.expect_download() as download:
        cleo.get_by_role("button", name="Finished items, with all that was said (JSON lines)").click()
    cleo.goto(f"{server.address}/review/new/")
    cleo.get_by_label("File", exact=True).set_input_files({"name": "spring.jsonl", "mimeType": "application/jsonl",
                                               "buffer": Path(download.value.path()).read_bytes()})  # fmt: skip
    cleo.get_by_label("Team").last.select_option("The team's")
    cleo.get_by_role("button", name="Bring it in").click()
    expect(cleo.get_by_text("Facts of spring is there, with 20 items.")).to_be_visible()
    again = int(cleo.url.rstrip("/").split("/")[-1])
    assert again != project and state(server, again) == state(server, project)
    cleo.get_by_role("link", name="Agreement").click()
    assert cleo.locator("#review").inner_text() == agreement


FIFTY = """
facts = [content(records[n % 20], "fact") | {"fact": f"{records[n % 20]['atomic_fact']} ({n})"} for n in range(50)]
made = project("Fifty", "fact_verdict", facts, annotators=1)
print(made.pk)
"""
ANSWERS = re.compile(r"/items/\d+/answers/$")
TAKE = re.compile(r"/projects/\d+/take/$")
COUNT_POINTERS = """
window.pointed = [];
for (const name of ["mousedown", "mousemove", "pointerdown", "touchstart", "wheel"])
  window.addEventListener(name, () => window.pointed.push(name), { capture: true });
"""


def test_fifty_items_by_keyboard_alone(server: ServedProduct, signed_in: Open):
    names = names_of("ana")
    signed = signed_in(names[0])
    [project] = made(server, names, FIFTY)
    page = signed.context.new_page()
    page.add_init_script(COUNT_POINTERS)
    page.goto(f"{server.address}/review/projects/{project}/")
    page.get_by_role("link", name="Label 50").press("Enter")
    skipped = ""
    for number, fact in enumerate(shown_one_by_one(page, 50)):
        if number == 3 and not skipped:
            # Skipped with a reason: it comes back at the end.
            skipped = fact
            page.keyboard.press("s")
            page.keyboard.type("The evidence is of another place.")
            page.keyboard.press("Enter")
            expect(headline(page)).not_to_have_text(skipped)
        if number == 5:
            page.keyboard.press("c")
            page.keyboard.type("The year is told twice.")
            page.keyboard.press("Escape")
        if number == 7:
            # Taken back: the item is there again, as it was answered.
            page.keyboard.press("2")
            expect(headline(page)).not_to_have_text(fact)
            page.keyboard.press("u")
            expect(headline(page)).to_have_text(fact)
            expect(page.locator('article:not([hidden]) [aria-pressed="true"]')).to_have_text(re.compile("False"))
        page.keyboard.press("1")
    expect(page.locator("#nothing")).to_contain_text("That was the last one.")
    expect(page.locator("#progress")).to_contain_text("50 done, 0 left for you")
    expect(page.locator("#keeping")).to_be_empty()
    assert page.evaluate("window.pointed") == []
    kept = state(server, project)
    assert len(kept) == 50 and all("'agreed', {'verdict': 'true'}" in one for one in kept)
    assert sum("'The year is told twice.'" in one for one in kept) == 1
    assert sum("{'verdict': 'false'}" in one for one in kept) == 1


def test_skipped_item_is_not_brought_back_by_what_was_asked_before(server: ServedProduct, signed_in: Open):
    names = names_of("ana")
    page = signed_in(names[0])
    [project] = made(server, names, FIFTY)
    held: list[Route] = []
    page.route(TAKE, lambda route: held.append(route), times=1)
    page.goto(f"{server.address}/review/projects/{project}/label/")
    with page.expect_request(TAKE):
        page.keyboard.press("1")
    expect(page.locator("#progress")).to_contain_text("1 done")
    skipped = headline(page).inner_text()
    given_before = held[0].fetch()
    assert skipped in given_before.text()
    with page.expect_response(re.compile("/skip/$")):
        page.keyboard.press("s")
        page.keyboard.type("The evidence is of another place.")
        page.keyboard.press("Enter")
    expect(page.locator("#keeping")).to_be_empty()
    held[0].fulfill(response=given_before)
    expect(headline(page)).to_be_visible()
    expect(headline(page)).not_to_have_text(skipped)
    expect(page.locator("#items article")).to_have_count(2)
    assert skipped not in page.locator("#items .headline").all_inner_texts()


def test_undo_takes_back_what_was_on_its_way_and_a_held_key_answers_once(server: ServedProduct, signed_in: Open):
    names = names_of("ana")
    page = signed_in(names[0])
    [project] = made(server, names, FIFTY)
    page.goto(f"{server.address}/review/projects/{project}/label/")
    expect(headline(page)).to_be_visible()
    first = headline(page).inner_text()
    page.route(ANSWERS, lambda route: route.abort(), times=1)
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.up("1")
    expect(page.locator("#keeping")).to_contain_text("1 answer waits for the network")
    expect(page.locator("#progress")).to_contain_text("1 done")
    held: list[Route] = []
    page.route(ANSWERS, lambda route: held.append(route), times=1)
    with page.expect_request(ANSWERS):
        page.evaluate("window.dispatchEvent(new Event('online'))")
    page.keyboard.press("u")
    page.keyboard.press("2")
    expect(page.locator("#progress")).to_contain_text("2 done")
    held[0].continue_()
    expect(headline(page)).to_have_text(first)
    expect(page.locator("#progress")).to_contain_text("1 done")
    expect(page.locator("#keeping")).to_be_empty()
    assert sum("'verdict': 'false'" in one and "'agreed'" in one for one in state(server, project)) == 1


OTHERS = """
replies = project("Replies", "human_evaluation", [content(one, "reply") for one in records[:3]], annotators=1)
messages = [{"message": "We moved from Porto to Braga."}, {"message": "Ugh, Mondays."}]
talk = project("Talk", "message_facts", messages, annotators=1)
print(replies.pk, talk.pk)
"""


def test_half_an_answer_is_kept_and_facts_are_written_by_keyboard(server: ServedProduct, signed_in: Open):
    names = names_of("ana")
    page = signed_in(names[0])
    replies, talk = made(server, names, OTHERS)
    page.goto(f"{server.address}/review/projects/{replies}/label/")
    active = page.locator("article:not([hidden]) .question.is-active")
    expect(active).to_contain_text("Coherence")
    page.keyboard.press("2")
    expect(active).to_contain_text("Fluency")
    page.keyboard.press("1")
    page.reload()
    expect(active).to_contain_text("Informativeness")
    expect(page.locator('article:not([hidden]) [aria-pressed="true"]')).to_have_text(
        [re.compile("Coherent"), re.compile("In part")]
    )
    page.keyboard.press("Enter")
    expect(page.locator("article:not([hidden]) [data-fault]")).to_contain_text("Not answered yet: Informativeness")
    page.keyboard.press("0")
    picture(page, "review-three-questions")
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_contain_text("1 done, 2 left")

    page.goto(f"{server.address}/review/projects/{talk}/label/")
    expect(headline(page)).to_be_visible()
    is_second = "Ugh" in headline(page).inner_text()
    if is_second:
        page.keyboard.press("Enter")
        expect(headline(page)).to_contain_text("Porto")
    page.keyboard.press("f")
    for word in ("me", "livesIn", "Braga", ""):
        page.keyboard.type(word)
        page.keyboard.press("Enter")
    for word in ("me", "liveIn", "Porto", "past"):
        page.keyboard.type(word)
        page.keyboard.press("Tab")
    page.keyboard.press("Control+Enter")
    expect(page.locator("article:not([hidden]) [data-fault]")).to_contain_text("Take a predicate of the list")
    page.keyboard.press("Control+a")
    page.keyboard.type("livesIn")
    picture(page, "review-facts")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#progress")).to_contain_text(f"{1 + is_second} done")
    expect(page.locator("#keeping")).to_be_empty()
    expect(page.locator("#items article")).to_have_count(1 - is_second)
    said = "{'facts': [['me', 'livesIn', 'Braga', ''], ['me', 'livesIn', 'Porto', 'past']]}"
    assert sum(said in one for one in state(server, talk)) == 1


KEPT_HERE = "Object.keys(localStorage).filter((key) => key.startsWith('review-'))"


def test_answers_are_kept_while_the_network_is_away_and_sent_once(server: ServedProduct, signed_in: Open):
    names = names_of("ana")
    page = signed_in(names[0])
    [project] = made(server, names, FIFTY)
    address = f"{server.address}/review/projects/{project}/label/"
    page.goto(address)
    expect(headline(page)).to_be_visible()
    page.context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator("#keeping")).to_contain_text("1 answer waits for the network")
    page.keyboard.press("2")
    expect(page.locator("#keeping")).to_contain_text("2 answers wait for the network")
    expect(page.locator("#nothing")).to_contain_text("The next item comes as soon as your answers are stored.")
    picture(page, "review-offline")
    page.keyboard.press("u")
    expect(headline(page)).to_be_visible()
    page.keyboard.press("3")
    page.context.set_offline(False)
    expect(page.locator("#keeping")).to_be_empty()
    # That is empty while the last answer is on its way already, and what is cut off on its way is told of later.
    deadline = time.monotonic() + 20
    while page.evaluate(KEPT_HERE):
        assert time.monotonic() < deadline, "an answer is kept that the server could have"
        page.wait_for_timeout(50)
    expect(headline(page)).to_be_visible()

    page.context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator("#keeping")).to_contain_text("1 answer waits for the network")
    window = page.context
    page.close()
    window.set_offline(False)
    later = window.new_page()
    later.goto(address)
    expect(later.locator("#keeping")).to_be_empty()
    expect(later.locator("#progress")).to_contain_text("3 done, 47 left")
    said = Counter(
        re.search(r"'verdict': '(\w+)'", one).group(1) for one in state(server, project) if "'agreed'" in one
    )
    assert said == {"true": 2, "not_enough_information": 1}
    assert later.evaluate(KEPT_HERE) == []


LABELLED_BY_ANOTHER = """
ReviewMember.objects.create(space=space, user=others[0], role="annotator")
made = project("Facts", "fact_verdict", [content(one, "fact") for one in records])
print(made.pk)
"""
MADE_READER = """
from evaluation.models import ReviewMember
print(ReviewMember.objects.filter(user__username=NAME).update(role="reader"))
"""


def test_who_may_not_label_any_more_is_told_so_and_nothing_waits(server: ServedProduct, signed_in: Open):
    names = names_of("cleo", "ana")
    _, page = (signed_in(name) for name in names)
    [project] = made(server, names, LABELLED_BY_ANOTHER)
    page.goto(f"{server.address}/review/projects/{project}/label/")
    page.keyboard.press("1")
    expect(page.locator("#progress")).to_contain_text("1 done, 19 left")
    expect(page.locator("#items article")).to_have_count(2)
    server.manage("shell", "-v", "0", "-c", MADE_READER.replace("NAME", repr(names[1])))
    page.context.set_offline(True)
    page.keyboard.press("c")
    page.keyboard.type("Half said.")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(page.locator("#keeping")).to_contain_text("2 answers wait for the network")
    page.context.set_offline(False)
    expect(page.locator("#nothing")).to_contain_text("You may not label here any more. Your answers were not stored.")
    expect(page.locator("#keeping")).to_be_empty()
    expect(page.locator("#items article")).to_have_count(0)
    expect(page.locator("#progress")).to_contain_text("1 done, 0 left")
    picture(page, "review-barred")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('review-'))") == []
    assert sum("'true'" in one for one in state(server, project)) == 1


DRAWN = """
import uuid
from evaluation.services.annotation.answers import answer_store
from evaluation.services.annotation.members import invitation_make
ana, ben = others
for user in others:
    ReviewMember.objects.create(space=space, user=user, role="annotator")
facts = project("Facts of spring", "fact_verdict", [content(one, "fact") for one in records])
for number, item in enumerate(AnnotationItem.objects.filter(project=facts).order_by("key")):
    for user, label in ((ana, "true"), (ben, "true" if number % 4 else "false")):
        if number < 16:
            answer_store(item=item, user=user, answer={"verdict": label}, sent_as=uuid.uuid4())
invitation_make(space=space, role="reader", by=owner)
messages = [{"message": "We moved from Porto to Braga, and " + "then " * 40 + "on."}]
talk = project("Talk", "message_facts", messages, annotators=1)
print(facts.pk, talk.pk, space.pk, AnnotationItem.objects.filter(project=facts, standing="agreed").first().pk)
"""


def test_every_page_is_drawn_wide_and_narrow_light_and_dark(server: ServedProduct, signed_in: Open, open_page: Open):
    names = names_of("cleo", "ana", "ben")
    page, *_ = (signed_in(name) for name in names)
    facts, talk, space, item = made(server, names, DRAWN)
    base = f"/review/projects/{facts}/"
    places = {
        "projects": "/review/", "new": "/review/new/", "team": f"/review/teams/{space}/", "project": base,
        "fill": f"{base}items/", "label": f"{base}label/", "settle": f"{base}settle/", "agreement": f"{base}agreement/",
        "agreement-table": f"{base}agreement/?view=table", "results": f"{base}results/", "feedback": f"{base}feedback/",
        "item": f"/review/items/{item}/", "facts": f"/review/projects/{talk}/label/",
    }  # fmt: skip
    narrow = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, color_scheme="dark")
    narrow.context.add_cookies(page.context.cookies())
    for called, place in places.items():
        page.goto(server.address + place)
        expect(page.get_by_role("link", name="Review", exact=True)).to_have_attribute("aria-current", "page")
        page.screenshot(path=f"artifacts/review-{called}-light.png", full_page=True, caret="initial")
        narrow.goto(server.address + place)
        if called == "facts":
            narrow.get_by_role("button", name="Add a fact").tap()
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360, called
        small = narrow.evaluate(TOO_SMALL)
        assert small == [], (called, small)
        narrow.screenshot(path=f"artifacts/review-{called}-narrow-dark.png", full_page=True, caret="initial")
    narrow.goto(server.address + places["label"])
    narrow.get_by_role("button", name="Guideline").tap()
    expect(narrow.get_by_role("heading", name="Guideline")).to_be_in_viewport()
    narrow.screenshot(path="artifacts/review-guideline-narrow-dark.png", caret="initial")
    narrow.keyboard.press("Escape")
    narrow.get_by_role("button", name=re.compile("^True")).tap()
    expect(narrow.locator("#progress")).to_contain_text("1 done")
    narrow.get_by_role("button", name="Undo").first.tap()
    expect(narrow.locator("#progress")).to_contain_text("0 done")
    narrow.get_by_role("button", name="Skip").first.tap()
    expect(narrow.locator("article:not([hidden]) [data-skipping] input")).to_be_focused()


TOO_SMALL = """
[...document.querySelectorAll("main :is(button, .button, select, input:not([type=radio], [type=hidden], [type=checkbox]))")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 40 && !one.matches(".text-button"))
  .map((one) => one.outerHTML.slice(0, 100))
"""
