"""How a reply was found, as its person sees it: under the reply, on a page of its own, in the list of a space, by the API."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from conversations.core.types import Reasoning
from conversations.models import Conversation, Reply
from conversations.services import conversation_create, message_post, reply_run
from conversations.services.queue import reply_claim
from memory.core.reasoning_tree.types import ActionKind, Level, StopReason
from memory.models import TripleRecord
from memory.services import space_personal, triple_forget
from memory.services.members import member_add
from tests.fakes.engines import WordByWordResponder
from tests.fakes.searching import ROOT, SearchingResponder, call, node, result
from tests.integration.conversations.searches import Example, example, fact

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def said(conversation: Conversation) -> Conversation:
    return conversation_create(owner=conversation.owner, space=conversation.space, title="Before")


@pytest.fixture
def search(said: Conversation) -> Example:
    return example(fact(said.session, "Maya", "worksFor", "Airbus"), fact(said.session, "Airbus", "isIn", "Toulouse"))


@pytest.fixture
def ask(conversation, answering, search):
    def asked(text: str = "Where is Maya's employer?", **ending) -> Reply:
        calls = [call("policy"), call("policy"), call("value"), call("value"), call("value", 10, 3)]
        answering(SearchingResponder(*search.levels, result(search.answer, **ending), *calls))
        reply = message_post(conversation=conversation, text=text)
        reply_run(reply_id=reply.pk)
        reply.refresh_from_db()
        return reply

    return asked


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_reply_offers_its_search_and_a_reply_without_one_does_not(reader, conversation, ask, answering):
    found = ask()
    html = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert f'id="how-{found.pk}"' in html and "How I found this" in html
    answering(WordByWordResponder("Noted."))
    plain = message_post(conversation=conversation, text="Thanks.")
    reply_run(reply_id=plain.pk)
    html = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert f'id="how-{plain.pk}"' not in html


def test_tree_in_place_tells_each_step_what_became_of_it_and_leads_to_the_words(reader, ask):
    reply = ask()
    html = reader.get(reverse("reply-reasoning", args=[reply.pk]), **HTMX).content.decode()
    words = text_of(html)
    assert "<html" not in html
    for line in (
        "Looked at Maya 1 fact · score 0.80 · led to the answer",
        "Looked at Bob could not be used",
        "Nothing called &quot;Bob&quot; is remembered.",
        "Thought it over: Maya may work somewhere. score 0.30 · set aside",
        "Looked for a way between Maya and Toulouse same as another step",
        "Drafted an answer: In Toulouse. score 0.95 · the answer",
        "I stopped when every way that was still in view had come to an answer.",
    ):
        assert line in words, line
    triple = TripleRecord.objects.get(value="Toulouse")
    assert reverse("triple", args=[triple.pk]) in html and reverse("sentence", args=[triple.sentence_id]) in html


def test_table_has_what_the_tree_has(reader, ask):
    html = reader.get(reverse("reply-reasoning", args=[ask().pk])).content.decode()
    table = html[html.index("<table") : html.index("</table")]
    numbers = re.findall(r'<tr>\s*<td class="number">(\d+)</td>', table)
    table = text_of(table)
    assert numbers == ["0", "1", "2", "3", "4", "5", "6"]
    for line in ("Looked at Airbus", "0.90", "could not be used", "In Toulouse.", "where it was said"):
        assert line in table, line


def test_page_of_its_own_shows_question_and_reply_and_only_the_way_is_highlighted(reader, ask):
    html = reader.get(reverse("reply-reasoning", args=[ask().pk])).content.decode()
    assert "Where is Maya&#x27;s employer?" in html and "<html" in html and "Yes." in html
    assert len(re.findall(r'class="step [^"]*is-way', html)) == 4
    assert "style=" not in html and "<script>" not in html


@pytest.mark.parametrize(
    ("stopped_by", "told"),
    [
        (StopReason.ENOUGH, "when the best step of all was an answer, and good enough"),
        (StopReason.DEPTH, "after 5 levels"),
        (StopReason.EXPANSIONS, "after going on from 12 steps"),
        (StopReason.CALLS, "the 30 calls that a reply may make were used up"),
        (StopReason.EXHAUSTED, "nothing more to try"),
    ],
)
def test_why_a_search_ended_is_said_in_plain_words(reader, ask, stopped_by, told):
    html = reader.get(reverse("reply-reasoning", args=[ask(stopped_by=stopped_by).pk])).content.decode()
    assert told in html


def test_failures_are_shown_as_text(reader, ask):
    html = reader.get(
        reverse("reply-reasoning", args=[ask(failures=("<b>great</b> is no score.",)).pk])
    ).content.decode()
    assert "&lt;b&gt;great&lt;/b&gt; is no score." in html


def test_running_search_is_shown_as_far_as_it_came(reader, conversation, search):
    reply = message_post(conversation=conversation, text="Where?")
    trace = reply_claim(reply.pk)
    for level in search.levels[:3]:
        trace.step(*Reasoning(level).steps())
    trace.flush()
    html = reader.get(reverse("reply-reasoning", args=[reply.pk]), **HTMX).content.decode()
    assert "I am still looking." in html and "Looked at Airbus" in html and "Drafted an answer" not in html
    page = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "How I am looking" in page and f'id="how-{reply.pk}" >' in page


def test_reply_without_a_search_says_how_to_get_one(reader, conversation, answering):
    answering(WordByWordResponder("You are welcome."))
    reply = message_post(conversation=conversation, text="Thanks.")
    assert "has not begun yet" in reader.get(reverse("reply-reasoning", args=[reply.pk])).content.decode()
    reply_run(reply_id=reply.pk)
    html = reader.get(reverse("reply-reasoning", args=[reply.pk])).content.decode()
    assert "written without a search" in html


def test_step_with_many_facts_leads_to_all_of_them(reader, conversation, said, answering):
    facts = [fact(said.session, "Maya", "knows", f"Person {number}") for number in range(11)]
    look = node(1, ROOT, ActionKind.EXPAND_ENTITY, "Maya", added=facts)
    answering(SearchingResponder(Level(0, (ROOT,), 0, 0.0), Level(1, (look,), 2, 1.0)))
    reply = message_post(conversation=conversation, text="Who?")
    reply_run(reply_id=reply.pk)
    address = reverse("reply-reasoning", args=[reply.pk])
    first = reader.get(address).content.decode()
    assert "and 3 more" in first and "Person 7" in first and "Person 8" not in first
    everything = reader.get(address, {"step": 3}).content.decode()
    assert "Person 10" in everything and "more" not in text_of(everything[everything.index("<main") :])
    for wrong in ("999999", "x", "1" * 30):
        assert reader.get(address, {"step": wrong}).status_code == 404


def test_searches_of_one_reply_are_told_apart(reader, conversation, answering, search):
    answering(SearchingResponder(*search.levels, result(search.answer), *search.levels[:2], result(None)))
    reply = message_post(conversation=conversation, text="Where? And when?")
    reply_run(reply_id=reply.pk)
    html = reader.get(reverse("reply-reasoning", args=[reply.pk])).content.decode()
    assert html.count("The steps, each below the one that it goes on from") == 2
    ids = re.findall(r'id="(step-\d+-\d+)"', html)
    assert len(ids) == len(set(ids)) == 3


def test_forgotten_facts_leave_the_page_and_it_says_so(reader, ask):
    reply = ask()
    triple_forget(triple=TripleRecord.objects.get(value="Toulouse"))
    html = reader.get(reverse("reply-reasoning", args=[reply.pk]), **HTMX).content.decode()
    assert "forgotten since" in html and "Toulouse" not in html and "Looked at Maya" in html


def test_tree_costs_the_same_queries_however_large_it_is(reader, conversation, said, answering):
    facts = [fact(said.session, "Maya", "knows", f"Person {number}") for number in range(10)]

    def queries(width: int) -> int:
        nodes = tuple(
            node(number + 1, ROOT, ActionKind.EXPAND_ENTITY, "Maya", added=facts[: number + 1])
            for number in range(width)
        )
        answering(SearchingResponder(Level(0, (ROOT,), 0, 0.0), Level(1, nodes, 2, 1.0), result(nodes[0])))
        reply = message_post(conversation=conversation, text="Who?")
        reply_run(reply_id=reply.pk)
        with CaptureQueriesContext(connection) as counted:
            reader.get(reverse("reply-reasoning", args=[reply.pk]))
        return len(counted)

    assert queries(1) == queries(10) <= 12


def test_list_of_a_space_shows_questions_and_figures_newest_first(reader, conversation, ask):
    ask("First question?")
    ask("Second question?", stopped_by=StopReason.CALLS)
    Reply.objects.update(total_ms=1_234)
    html = reader.get(reverse("space-reasoning", args=[conversation.space_id])).content.decode()
    rows = [re.sub(r"[ \n]+", " ", text_of(row)).strip() for row in html.split("<tr>")[2:]]
    assert ["Second question?" in rows[0], "First question?" in rows[1]] == [True, True]
    # Steps, calls, tokens, time: the search, its seven nodes and five calls of 13 tokens each.
    assert "Search step by step 14 5 65 1.2 s" in rows[1], rows[1]


def test_list_is_paged_and_bounded_in_queries(reader, conversation, ask, django_assert_max_num_queries):
    for number in range(27):
        ask(f"question-{number}.")
    address = reverse("space-reasoning", args=[conversation.space_id])
    with django_assert_max_num_queries(12):
        first = reader.get(address).content.decode()
    assert "question-26." in first and "question-2." in first and "question-1." not in first
    older = reader.get(address + re.search(r'href="[^"?]*(\?before=\d+)"', first).group(1)).content.decode()
    assert "question-1." in older and "question-0." in older and "question-2." not in older
    assert reader.get(address, {"before": "x"}).status_code == 404


def test_list_obeys_turn_and_session(reader, conversation, said, ask):
    first = ask("First question?")
    ask("Second question?")
    address = reverse("space-reasoning", args=[conversation.space_id])
    turn = first.round.turns.first()
    html = reader.get(address, {"as_of": turn.pk}).content.decode()
    assert "First question?" in html and "Second question?" not in html
    html = reader.get(address, {"session": said.session_id}).content.decode()
    assert "First question?" not in html
    html = reader.get(address, {"session": conversation.session_id}).content.decode()
    assert "Second question?" in html
    for session in ("x", "999999", str(10**30)):
        assert reader.get(address, {"session": session}).status_code == 404


def test_members_of_one_space_do_not_see_each_others_searches(conversation, ask, reader):
    reply = ask("A private question?")
    ben = User.objects.create_user("ben")
    member_add(space=conversation.space, user=ben)
    other = Client()
    other.force_login(ben)
    listed = other.get(reverse("space-reasoning", args=[conversation.space_id]))
    assert listed.status_code == 200 and "A private question?" not in listed.content.decode()
    for name in ("reply-reasoning", "api-reply-trace"):
        assert other.get(reverse(name, args=[reply.pk])).status_code == 404
    elsewhere = conversation_create(owner=ben, space=space_personal(user=ben))
    address = reverse("space-reasoning", args=[elsewhere.space_id])
    assert other.get(address, {"session": conversation.session_id}).status_code == 404
    assert other.get(address, {"as_of": reply.round.turns.first().pk}).status_code == 404


def test_api_gives_the_trace_by_pages(reader, ask):
    reply = ask()
    address = reverse("api-reply-trace", args=[reply.pk])
    steps = reader.get(address).json()
    assert [(one["number"], one["kind"]) for one in steps] == [
        (1, "search"), *((number, "search_node") for number in range(2, 9)),
        *((number, "model_call") for number in range(9, 14)),
        (14, "answer"),
    ]  # fmt: skip
    triple = TripleRecord.objects.get(value="Airbus")
    assert steps[2]["data"] == {
        "search": 0, "node": 1, "parent": 0, "depth": 1, "action": "expand_entity", "fate": "kept", "value": 0.8,
        "milliseconds": 1.5, "found": [triple.pk], "about": [{"text": "", "entity": triple.subject_id}], "text": "",
        "reason": "",
    }  # fmt: skip
    assert steps[3]["data"]["about"] == [{"text": "Bob", "entity": None}]
    assert steps[-2]["data"] == {
        "role": "value", "model": "scripted:x", "outcome": "answered", "milliseconds": 20.0, "prompt_tokens": 10,
        "completion_tokens": 3, "error": "",
    }  # fmt: skip
    assert reader.get(address, {"after": 11}).json() == steps[11:]
    assert reader.get(address, {"after": "x"}).status_code == 400


def test_api_has_no_step_of_a_reply_that_waits(reader, conversation):
    reply = message_post(conversation=conversation, text="Thanks.")
    assert reader.get(reverse("api-reply-trace", args=[reply.pk])).json() == []


def test_reply_tells_its_calls_on_its_line_on_its_page_and_in_the_api(reader, conversation, ask):
    reply = ask()
    line = text_of(reader.get(reverse("conversation", args=[conversation.pk])).content.decode())
    assert "· 5 calls · 65 tokens ·" in line
    page = text_of(reader.get(reverse("reply-reasoning", args=[reply.pk])).content.decode())
    assert re.search(r"5 calls One question put .*?, 50 tokens .*? read, 15 written, 100 ms", page)
    assert "Asked the language model: policy 2 calls · 20 + 6 tokens · 40 ms" in page
    use = {"calls": 5, "prompt_tokens": 50, "completion_tokens": 15, "untold": 0, "milliseconds": 100.0}
    assert reader.get(reverse("api-reply", args=[reply.pk])).json()["model_use"] == use


def test_calls_whose_tokens_are_not_told_are_said_to_be_so(reader, conversation, answering):
    answering(SearchingResponder(call("writing", None, None), call("writing", 4, 2)))
    reply = message_post(conversation=conversation, text="Hello")
    reply_run(reply_id=reply.pk)
    page = text_of(reader.get(reverse("reply-reasoning", args=[reply.pk])).content.decode())
    assert "read, 2 written (not told of 1), 40 ms" in page and "not told not told" in page


def test_search_without_an_end_is_said_to_be_cut_short(reader, conversation, answering, search):
    answering(SearchingResponder(*search.levels))
    reply = message_post(conversation=conversation, text="Where?")
    reply_run(reply_id=reply.pk)
    assert "This search was cut short." in reader.get(reverse("reply-reasoning", args=[reply.pk])).content.decode()
