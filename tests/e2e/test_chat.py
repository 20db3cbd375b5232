"""The chat as a person uses it, in a real browser against the whole product."""

from __future__ import annotations

import re
import time
import uuid

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import SLOW_WORDS, WAIT_MS, Open, picture
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
# Longer than a scripted reply takes, so that a page that is fetched after it finds the reply ended.
READ_LATE_S = 2.0
PANEL = re.compile(r"/panel/$")
MEMORY_PANEL = '[data-panel][hx-get$="/panel/"]'


@pytest.fixture
def name() -> str:
    return f"ana-{uuid.uuid4().hex[:8]}"


def say(page: Page, text: str) -> None:
    page.get_by_label("Your message", exact=True).fill(text)
    page.get_by_label("Your message", exact=True).press("Enter")


def said(page: Page, text: str) -> None:
    """Say something and wait until it is answered and read into memory."""
    say(page, text)
    expect(page.locator(".round").last).to_contain_text(text)
    expect(page.locator(".round").last.locator(".reply .reply-foot")).to_be_visible()


def begin(page: Page, text: str, engine: str) -> None:
    page.get_by_label("Engine", exact=True).select_option(engine)
    say(page, text)
    page.wait_for_url(re.compile(r"/c/\d+/$"))


def test_memory_grows_changes_its_mind_and_answers(server: ServedProduct, open_page: Open, signed_in: Open, name: str):
    page = open_page()
    page.goto(server.link)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("I know nothing about you yet.")).to_be_visible()
    picture(page, "1-empty")

    said(page, "I live in Paris and I work for Airbus.")
    margin = page.get_by_role("complementary", name="What I remember")
    expect(margin.get_by_text("You live in Paris.", exact=True)).to_be_visible()
    expect(margin.get_by_text("You work for Airbus.", exact=True)).to_be_visible()
    picture(page, "2-two-facts")

    said(page, "Actually, I moved to Lyon last week.")
    changed = margin.locator(".fact.changed")
    expect(changed.locator("s")).to_have_text(re.compile("Paris"))
    expect(changed).to_contain_text("was replaced by")
    expect(changed.locator(".replaced")).to_contain_text("Lyon")
    expect(changed).to_contain_text("Only one of the two can be so at a time. What was said last counts.")
    expect(changed.locator(".source")).to_have_count(2)
    expect(changed.locator("time")).to_have_count(3)
    picture(page, "3-changed")

    said(page, "Where do I live?")
    reply = page.locator(".reply").last
    expect(reply.locator(".words")).to_contain_text("Lyon")
    expect(reply.locator(".words")).not_to_contain_text("Paris")
    expect(reply.locator(".figures")).to_contain_text("in all")
    reply.locator(".ground summary").first.click()
    picture(page, "4-why")
    address = page.url

    page.emulate_media(color_scheme="dark")
    picture(page, "5-dark")
    page.emulate_media(color_scheme="light")
    reply.locator(".ground-body .source a").first.click()
    expect(page.locator("mark#sentence")).to_contain_text("moved to Lyon")
    picture(page, "6-sentence")
    page.go_back()
    expect(page.locator(".reply").last).to_contain_text("Lyon")

    stranger = signed_in(name)
    assert stranger.goto(address).status == 404
    expect(stranger.get_by_role("heading", name="There is nothing here.")).to_be_visible()
    panel = page.locator(MEMORY_PANEL).get_attribute("hx-get")
    assert stranger.goto(server.address + panel).status == 404
    stranger.goto(server.address)
    expect(stranger.get_by_text("I know nothing about you yet.")).to_be_visible()

    narrow = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    narrow.context.add_cookies(page.context.cookies())
    narrow.goto(address)
    expect(narrow.locator(".reply").last).to_contain_text("Lyon")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
    assert narrow.get_by_role("navigation", name="Places").evaluate("nav => nav.scrollWidth <= nav.clientWidth")
    picture(narrow, "7-narrow")
    narrow.get_by_label("Your account").click()
    narrow.get_by_role("button", name="Go to …").click()
    expect(narrow.get_by_role("dialog", name="Go to a place or a conversation")).to_be_visible()
    narrow.keyboard.press("Escape")
    expect(narrow.get_by_label("Your account")).to_be_focused()
    narrow.get_by_role("button", name="Margin: what I remember").click()
    expect(narrow.locator(".fact.changed s")).to_be_visible()
    picture(narrow, "8-narrow-margin")


def test_reply_goes_on_while_the_page_is_reloaded(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "Tell me slowly.", scripted)
    words = page.locator(".reply .words")
    expect(words).to_contain_text("word-5 ")
    page.reload()
    assert "word-5 " in words.inner_text()
    expect(page.locator(".reply[data-live]")).to_be_visible()
    picture(page, "9-in-mid-reply")
    expect(words).to_contain_text("word-60")
    expect(page.locator(".reply[data-state=done]")).to_be_visible()
    assert words.inner_text().split() == SLOW_WORDS.split()


def test_reply_needs_no_page_and_is_shown_in_a_second_one(signed_in: Open, open_page: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "Tell me slowly.", scripted)
    expect(page.locator(".reply .words")).to_contain_text("word-3 ")
    second = open_page(beside=page)
    address = page.url
    page.close()
    second.goto(address)
    expect(second.locator(".reply .words")).to_contain_text("word-60")
    assert second.locator(".reply .words").inner_text().split() == SLOW_WORDS.split()


def test_reply_survives_a_lost_network(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "Tell me slowly.", scripted)
    expect(page.locator(".reply .words")).to_contain_text("word-3 ")
    page.context.set_offline(True)
    expect(page.get_by_text("Reconnecting …")).to_be_visible()
    picture(page, "10-reconnecting")
    say(page, "Said at once, without a network.")
    page.context.set_offline(False)
    expect(page.get_by_text("Reconnecting …")).to_be_hidden()
    expect(page.locator(".reply .words").first).to_contain_text("word-60")
    assert page.locator(".reply .words").first.inner_text().split() == SLOW_WORDS.split()
    expect(page.locator(".reply .words").nth(1)).to_have_text("Noted.")
    expect(page.locator(".message .words", has_text="Said at once, without a network.")).to_have_count(1)


def test_reply_is_stopped_by_escape_and_answered_again(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "Tell me slowly.", scripted)
    expect(page.locator(".reply .words")).to_contain_text("word-3 ")
    page.keyboard.press("Escape")
    expect(page.get_by_text("You stopped the reply here.")).to_be_visible()
    assert "word-60" not in page.locator(".reply .words").inner_text()
    page.get_by_role("button", name="Answer again").click()
    # The stopped reply's words stand until the new reply takes its place.
    expect(page.get_by_text("You stopped the reply here.")).to_be_hidden()
    expect(page.locator(".reply .words")).to_contain_text("word-3 ")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("You stopped the reply here.")).to_be_visible()


def test_messages_wait_their_turn_and_one_can_be_withdrawn(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "Tell me for long.", scripted)
    say(page, "And then this, at once.")
    say(page, "And that, at once.")
    expect(page.locator(".reply[data-state=queued]")).to_have_count(2)
    expect(page.locator(".round").last).to_contain_text("Waiting its turn")
    picture(page, "11-queue")
    page.locator(".round").last.get_by_role("button", name="Stop").click()
    expect(page.locator(".round").last).to_contain_text("You stopped this before a word was written.")
    page.locator(".round").first.get_by_role("button", name="Stop").click()
    expect(page.locator(".round").nth(1).locator(".reply .words")).to_have_text("Noted.")
    assert page.locator(".message .words").all_inner_texts() == [
        "Tell me for long.",
        "And then this, at once.",
        "And that, at once.",
    ]


def test_failed_reply_says_why_and_another_engine_helps(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "unplug", scripted)
    expect(page.locator(".reply")).to_contain_text("The server did not answer. Start it and try again.")
    picture(page, "12-failed")
    page.get_by_label("This conversation: name, engine, export, delete").click()
    page.get_by_label("Engine of the replies to come").select_option("builtin")
    page.get_by_role("button", name="Choose").click()
    expect(page.get_by_text("The next replies are written as you chose.")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".reply[data-state=done] .figures")).to_contain_text("builtin")


def test_last_message_is_edited_and_sent_again(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "Helo", scripted)
    expect(page.locator(".reply .words")).to_have_text("Noted.")
    page.get_by_label("Edit and send again").click()
    field = page.get_by_label("Your message, in other words")
    expect(field).to_be_focused()
    field.fill("markdown, please")
    field.press("Enter")
    expect(page.locator(".reply h3")).to_have_text("A plan")
    expect(page.locator(".message .words")).to_have_text("markdown, please")
    assert page.locator(".reply .words script").count() == 0
    expect(page.locator(".reply .words").get_by_text("<script>alert(1)</script>")).to_be_visible()
    expect(page.get_by_role("button", name="Copy code")).to_be_visible()
    picture(page, "13-markdown")


def test_fact_is_corrected_and_forgotten_in_place(signed_in: Open, name: str):
    page = signed_in(name)
    said(page, "I live in Paris.")
    margin = page.get_by_role("complementary", name="What I remember")
    margin.get_by_label("Correct or forget: You live in Paris.").click()
    margin.get_by_text("correct", exact=True).click()
    margin.get_by_label("What is right, instead of Paris").fill("Nantes")
    margin.get_by_label("What is right, instead of Paris").press("Enter")
    expect(margin.locator(".fact.changed s")).to_have_text("You live in Paris.")
    expect(margin.get_by_text("You corrected it.")).to_be_visible()
    margin.get_by_role("button", name="Undo: Corrected").click()
    expect(margin.get_by_text("You corrected it.")).to_have_count(0)
    expect(margin.locator(".fact-words", has_text="You live in Paris.")).to_be_visible()
    margin.get_by_label("Correct or forget: You live in Paris.").click()
    margin.get_by_text("correct", exact=True).click()
    margin.get_by_label("What is right, instead of Paris").fill("Nantes")
    margin.get_by_label("What is right, instead of Paris").press("Enter")
    expect(margin.get_by_text("You corrected it.")).to_be_visible()
    margin.get_by_label("Correct or forget: You live in Nantes.").click()
    margin.get_by_text("forget", exact=True).last.click()
    picture(page, "14-forget")
    margin.get_by_role("button", name="Forget").last.click()
    expect(margin.get_by_text("You live in Nantes.", exact=True)).to_have_count(0)


def wait_for(page: Page, held: list[Route]) -> None:
    """Wait until a request is held: the one that was asked for, or one that the page began just before."""
    for _ in range(200):
        if held:
            return
        page.wait_for_timeout(100)
    raise AssertionError("nothing was asked for")


def test_what_is_written_in_the_margin_is_not_taken_away_by_a_refresh_from_before(signed_in: Open, name: str):
    page = signed_in(name)
    said(page, "I live in Paris.")
    margin = page.get_by_role("complementary", name="What I remember")
    margin.get_by_label("Correct or forget: You live in Paris.").click()
    margin.get_by_text("correct", exact=True).click()
    value = margin.get_by_label("What is right, instead of Paris")
    expect(value).to_be_visible()
    held: list[Route] = []
    page.route(PANEL, lambda route: held.append(route))
    page.evaluate(f"window.htmx.trigger(document.querySelector('{MEMORY_PANEL}'), 'memory')")
    wait_for(page, held)
    value.fill("Nantes")
    with page.expect_response(PANEL):
        held[0].continue_()
    page.wait_for_timeout(500)
    expect(value).to_have_value("Nantes")
    page.unroute(PANEL)
    value.press("Enter")
    expect(margin.get_by_text("You corrected it.")).to_be_visible()


def test_refresh_from_before_an_act_is_not_shown_after_it(signed_in: Open, name: str):
    page = signed_in(name)
    said(page, "I live in Paris.")
    margin = page.get_by_role("complementary", name="What I remember")
    expect(margin.locator(".fact-words")).to_have_text("You live in Paris.")
    held: list[Route] = []
    page.route(PANEL, lambda route: held.append(route), times=1)
    page.evaluate(f"window.htmx.trigger(document.querySelector('{MEMORY_PANEL}'), 'memory')")
    wait_for(page, held)
    margin.get_by_label("Correct or forget: You live in Paris.").click()
    margin.get_by_text("correct", exact=True).click()
    margin.get_by_label("What is right, instead of Paris").fill("Nantes")
    margin.get_by_label("What is right, instead of Paris").press("Enter")
    expect(margin.get_by_role("button", name="Undo: Corrected")).to_be_visible()
    page.evaluate(
        f"""new MutationObserver(() => {{ window.shown ||= document.body.innerText.includes("From before.") }})
        .observe(document.querySelector('{MEMORY_PANEL}'), {{ childList: true, subtree: true }})"""
    )
    held[0].fulfill(body="<p>From before.</p>")
    expect(margin.get_by_text("You corrected it.")).to_be_visible()
    assert not page.evaluate("window.shown")


def test_fact_is_called_wrong_and_a_conflict_decided_otherwise(signed_in: Open, name: str):
    page = signed_in(name)
    said(page, "I live in Paris.")
    said(page, "We moved to Lyon last week.")
    margin = page.get_by_role("complementary", name="What I remember")
    changed = margin.locator(".fact.changed")
    changed.get_by_label("Correct or forget: You live in Paris.").click()
    changed.get_by_text("decide otherwise", exact=True).click()
    changed.get_by_role("button", name="Decide so").click()
    expect(changed).to_contain_text("stays, although it was also said")
    expect(changed).to_contain_text("You decided so.")
    picture(page, "14-decided")
    known = margin.get_by_role("region", name="What holds now")
    known.get_by_label("Correct or forget: You live in Paris.").click()
    known.get_by_text("it is wrong", exact=True).click()
    known.get_by_role("button", name="It is wrong").click()
    expect(margin.get_by_role("region", name="What holds now")).to_contain_text("I know nothing about you yet.")
    margin.get_by_role("button", name="Undo: Said that this is wrong").click()
    expect(known.locator(".fact-words")).to_have_text("You live in Paris.")


def test_fact_is_set_right_without_script_and_by_keyboard(signed_in: Open, open_page: Open, name: str):
    page = signed_in(name)
    said(page, "I live in Paris.")
    panel = page.locator(MEMORY_PANEL).get_attribute("hx-get")
    origin = page.url.split("/c/")[0]
    plain = open_page(java_script_enabled=False)
    plain.context.add_cookies(page.context.cookies())
    plain.goto(origin + panel)
    plain.get_by_label("Correct or forget: You live in Paris.").focus()
    plain.keyboard.press("Enter")
    plain.keyboard.press("Tab")
    plain.keyboard.press("Tab")
    plain.keyboard.press("Enter")
    plain.keyboard.press("Tab")
    expect(plain.get_by_label("What is right, instead of Paris")).to_be_focused()
    plain.keyboard.type("Nantes")
    plain.keyboard.press("Enter")
    expect(plain.get_by_role("heading", name="You live in Nantes.")).to_be_visible()
    picture(plain, "14-without-script")
    plain.get_by_role("button", name="Undo").click()
    expect(plain.get_by_text("Everything is as it was before.")).to_be_visible()
    expect(plain.get_by_text("You live in Paris.", exact=True)).to_be_visible()


def test_keyboard_reaches_everything(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)
    begin(page, "The lighthouse is green.", scripted)
    expect(page.locator(".reply .words")).to_have_text("Noted.")
    expect(page.locator("#announcer")).to_have_text("Reply finished. Noted.")
    expect(page.get_by_label("Your message", exact=True)).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("lighthouse")
    expect(page.locator("#palette").get_by_role("option", selected=True)).to_contain_text("The lighthouse is green.")
    picture(page, "15-palette")
    page.keyboard.press("Escape")
    page.get_by_label("Your message", exact=True).evaluate("field => field.blur()")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    picture(page, "16-shortcuts")
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    page.keyboard.type("lighthouse")
    expect(page.locator(".conversations mark")).to_have_text("lighthouse")
    skip = page.get_by_role("link", name="Skip to the margin")
    assert page.evaluate("document.querySelector('a').innerText") == "Skip to writing"
    skip.focus()
    skip.press("Enter")
    expect(page.get_by_role("complementary", name="What I remember")).to_be_focused()


def test_reply_that_ended_before_it_was_shown_is_told(signed_in: Open, name: str, scripted: str):
    page = signed_in(name)

    def fetch_late(route: Route) -> None:
        time.sleep(READ_LATE_S)
        route.continue_()

    page.route(re.compile(r"/c/\d+/$|/replies/\d+/round/"), fetch_late)
    begin(page, "The lighthouse is green.", scripted)
    expect(page.locator("#announcer")).to_have_text("Reply finished. Noted.")
    page.evaluate("document.getElementById('announcer').textContent = ''")
    say(page, "The lighthouse is green today.")
    expect(page.locator(".reply .words")).to_have_count(2)
    expect(page.locator("#announcer")).to_have_text("Reply finished. Noted.")
    page.reload()
    expect(page.locator(".reply .words")).to_have_count(2)
    expect(page.locator("#announcer")).to_have_text("")


def test_conversation_is_renamed_exported_archived_and_deleted(
    signed_in: Open, server: ServedProduct, name: str, scripted: str
):
    page = signed_in(name)
    begin(page, "Hello there.", scripted)
    expect(page.locator(".reply .words")).to_have_text("Noted.")
    menu = page.get_by_label("This conversation: name, engine, export, delete")
    menu.click()
    picture(page, "17-menu")
    page.get_by_label("Name", exact=True).fill("A greeting")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="A greeting")).to_be_visible()
    menu.click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as JSON").click()
    file = download.value
    assert file.suggested_filename == "a-greeting.json"
    page.goto(f"{server.address}/history/")
    page.get_by_label("File", exact=True).set_input_files(file.path())
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".reply .words")).to_have_text("Noted.")
    menu.click()
    page.get_by_text("Delete …").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Deleted, and what was learnt from it is forgotten.")).to_be_visible()
    page.get_by_role("link", name="A greeting").click()
    menu.click()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("Archived. What you said in it is still remembered.")).to_be_visible()
    page.get_by_role("link", name="Archived").click()
    expect(page.get_by_role("main").get_by_role("link", name=re.compile("A greeting"))).to_be_visible()
    picture(page, "18-archive")


def test_chat_without_memory_teaches_nothing(signed_in: Open, name: str):
    page = signed_in(name)
    page.get_by_label("Chat without memory").check()
    said(page, "I live in Paris.")
    expect(page.locator(".dialogue-head")).to_contain_text("without memory")
    page.reload()
    expect(page.get_by_text("I know nothing about you yet.")).to_be_visible()
