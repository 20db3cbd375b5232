"""A proof as its person sees it: under the reply, on a page of its own, as lines, and among a space's unknowns."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from conversations.models import Conversation, Reply, ReplyTrace
from conversations.selectors import reply_trace
from conversations.services import conversation_create, message_post, reply_run
from memory.core.types import Role
from memory.models import SentenceRecord, StepRecord, Turn
from memory.selectors.tracing import steps_of
from memory.services import round_open, session_forget, space_create
from memory.services.members import member_add
from memory.trace_views.base import Reading, blocks_of
from tests.fakes.proving import QUESTION, SAID, ProvingResponder, SaidUnits, prover_over

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def said(conversation: Conversation) -> Conversation:
    """A conversation of the same person over the same memory, in which the facts were said."""
    return conversation_create(owner=conversation.owner, space=conversation.space, title="Before")


@pytest.fixture
def facts(said: Conversation) -> dict[int, str]:
    return dict(told(said, text) for text in SAID)


def told(conversation: Conversation, text: str) -> tuple[int, str]:
    turn = round_open(session=conversation.session, speaker="Ana", role=Role.USER, text=text, said_at=timezone.now())
    row = SentenceRecord.objects.create(space=turn.space, turn=turn, index=0, start=0, end=len(text), text=text)
    return row.pk, text


Ask = Callable[..., Reply]


@pytest.fixture
def ask(conversation, answering, facts) -> Ask:
    def asked(text: str = QUESTION, *, over: Conversation = conversation, ends_after: int | None = None, **example):
        answering(ProvingResponder(prover_over(SaidUnits(facts), **example), ends_after=ends_after))
        reply = message_post(conversation=over, text=text)
        reply_run(reply_id=reply.pk)
        reply.refresh_from_db()
        assert reply.error == ""
        return reply

    return asked


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def shown(reader: Client, reply: Reply) -> str:
    return reader.get(reverse("reply-reasoning", args=[reply.pk]), **HTMX).content.decode()


def test_proof_tells_what_had_to_be_known_what_was_found_and_what_was_not_taken(reader, ask, facts):
    reply = ask()
    html = shown(reader, reply)
    words = text_of(html)
    places = [
        words.index(line)
        for line in (
            "The answer is proved by what was said.",
            "To answer this I needed to know:",
            "Ana likes matcha or another which flavor?",
            "Found: Ana likes matcha or another matcha , said here: “I like matcha more than anything.” you",
            "which drink contains matcha?",
            "Found: Kyoto Latte contains matcha , said here: “Momoco has served",
            "Not taken: strawberry milk contains strawberry, because something else is known already.",
            "“Elsewhere strawberry milk contains no matcha.”",
            "Found: Kyoto Latte is served in Momoco",
            "As is commonly known: Momoco is a cafe.",
            "Not taken: tea is served in Momoco, because it does not name the words that it rests on. There is no fact 99.",
            "For this I first needed to know:",
            "Ana visited Momoco?",
            "Found: Ana visited Momoco , said here: “I visited Momoco on Tuesday.”",
            "As logic",
        )
    ]
    assert places == sorted(places)
    assert all(reverse("sentence", args=[one]) in html for one in facts)
    assert "<html" not in html and "style=" not in html and "<script>" not in html


def test_logic_is_there_for_who_opens_it(reader, ask):
    html = shown(reader, ask())
    logic = html[html.index("As logic") : html.index("</table")]
    for formula in (
        "(x:drink) contains (y:flavor) ∧ (x:drink) is served in (z:cafe) ⇒ recommend (x:drink) to (Ana)",
        "{x/(Kyoto Latte), z/(Momoco)}",
        "(Kyoto Latte) is served in (Momoco)",
        "rejected (another value holds already)",
        "3 (spatial)",
    ):
        assert formula in logic, formula
    ids = re.findall(r'id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_what_stays_unknown_is_said_with_the_way_that_came_furthest(reader, ask):
    words = text_of(shown(reader, ask(finds_the_cafe=False)))
    assert "The answer could not be proved by what was said." in words
    assert "which drink is served in which cafe? Nobody has said it. No fact says it." in words
    assert "I stopped here" in words
    assert "Another way that I tried There was no other way to try." in words
    assert words.index("Another way that I tried") > words.index("Nobody has said it.")


def test_running_proof_is_shown_as_far_as_it_came_and_a_lost_one_as_cut_short(reader, ask):
    reply = ask(ends_after=4)
    assert "This search was cut short." in shown(reader, reply)
    Reply.objects.filter(pk=reply.pk).update(state="running")
    words = text_of(shown(reader, reply))
    assert "I am still looking." in words and "which drink contains which flavor? Not found yet." in words
    assert "Nobody has said" not in words


def test_proof_is_printed_as_lines(ask, conversation):
    trace = reply_trace(ask())
    assert trace is not None
    reading = Reading(space_id=conversation.space_id, reader="Ana")
    [lines] = [block.lines for block in blocks_of(steps_of(trace), reading) if block.kind == "proof"]
    day = f"{timezone.now():%Y-%m-%d}"
    assert lines == (
        f'Looked for a proof for: "{QUESTION}". The answer is proved by what was said.',
        "  Proved: recommend Kyoto Latte to Ana",
        "  To answer this I needed to know:",
        "    - Ana likes matcha or another which flavor?",
        "      Found: Ana likes matcha or another matcha",
        f'        you, {day}: "I like matcha more than anything."',
        "    - which drink contains matcha?",
        "      Found: Kyoto Latte contains matcha",
        f'        you, {day}: "Momoco has served a Kyoto Latte with matcha since May."',
        "      Not taken: strawberry milk contains strawberry, because something else is known already. "
        "y is “matcha” already, not “strawberry”.",
        f'        you, {day}: "Elsewhere strawberry milk contains no matcha."',
        "    - Kyoto Latte is served in which cafe?",
        "      Found: Kyoto Latte is served in Momoco",
        f'        you, {day}: "Momoco has served a Kyoto Latte with matcha since May."',
        "      As is commonly known: Momoco is a cafe.",
        "      Not taken: tea is served in Momoco, because it does not name the words that it rests on. There is no fact 99.",
        "      For this I first needed to know:",
        "        - Ana visited Momoco?",
        "          Found: Ana visited Momoco",
        f'            you, {day}: "I visited Momoco on Tuesday."',
        "    All of it was found.",
    )


def test_forgetting_what_was_only_read_takes_all_words_and_leaves_the_shape(reader, ask, said):
    reply = ask()
    session_forget(session=said.session)
    rows = StepRecord.objects.filter(trace__replytrace__reply=reply)
    kept = str(list(rows.values_list("words", "figures")))
    assert not any(word in kept for word in ("Kyoto", "Momoco", "matcha", "strawberry", "drink"))
    assert ReplyTrace.objects.get(reply=reply).has_forgotten
    words = text_of(shown(reader, reply))
    assert "forgotten since" in words and "What this was is forgotten now" in words and "Kyoto" not in words


def test_proof_costs_the_same_queries_however_much_it_cites(reader, ask, said, facts):
    def queries() -> int:
        reply = ask()
        with CaptureQueriesContext(connection) as counted:
            shown(reader, reply)
        return len(counted)

    few = queries()
    facts |= dict(told(said, f"Cafe {number} has matcha.") for number in range(8))
    assert queries() == few <= 12


def unknowns(reader: Client, conversation: Conversation, **query: object) -> str:
    return reader.get(reverse("space-unknowns", args=[conversation.space_id]), query).content.decode()


def test_unknowns_are_listed_newest_first_with_what_is_missing_and_lead_to_the_proof(reader, conversation, ask):
    assert "Nothing that you asked stayed unknown." in unknowns(reader, conversation)
    first = ask("Which drink is it?", finds_the_cafe=False)
    ask("Which tea is it?")
    second = ask("Which cafe is it?", finds_the_cafe=False)
    html = unknowns(reader, conversation)
    words = text_of(html[html.index('id="unknowns"') :])
    assert words.index("Which cafe is it?") < words.index("Which drink is it?") and "Which tea is it?" not in words
    assert words.count("Nobody has said: which drink contains matcha? which drink is served in which cafe?") == 2
    for reply in (first, second):
        assert reverse("reply-reasoning", args=[reply.pk]) in html
        assert f"#round-{reply.round_id}" in html
    assert html.count('aria-current="page"') >= 1 and ">Unknowns</a>" in html


def test_unknown_is_gone_once_the_same_question_is_proved_and_back_if_it_is_no_longer(reader, conversation, ask):
    def listed() -> int:
        return unknowns(reader, conversation).count('class="fact"')

    ask(finds_the_cafe=False)
    ask(QUESTION.upper(), finds_the_cafe=False)
    assert listed() == 1, "asked twice, it is one unknown"
    ask(ends_after=3)
    assert listed() == 1, "what was cut short settles nothing"
    ask(f"  {QUESTION.lower()} ")
    assert listed() == 0
    last = ask(finds_the_cafe=False)
    assert listed() == 1 and reverse("reply-reasoning", args=[last.pk]) in unknowns(reader, conversation)


def test_unknowns_obey_turn_and_session(reader, conversation, said, ask):
    first = ask("Which drink is it?", finds_the_cafe=False)
    ask("Which cafe is it?", finds_the_cafe=False)
    ask("Which drink is it?")
    turn = Turn.objects.filter(round=first.round).first()
    assert "Which drink is it?" not in text_of(unknowns(reader, conversation)).split("Nobody has said")[-1]
    then = unknowns(reader, conversation, as_of=turn.pk)
    listed = then[then.index('id="unknowns"') :]
    assert "Which drink is it?" in listed and "Which cafe is it?" not in listed
    assert "Which cafe is it?" in unknowns(reader, conversation, session=conversation.session_id)
    other = unknowns(reader, conversation, session=said.session_id)
    assert 'class="fact"' not in other
    address = reverse("space-unknowns", args=[conversation.space_id])
    for wrong in ({"session": "x"}, {"session": "999999"}, {"before": "x"}, {"as_of": "999999"}):
        assert reader.get(address, wrong).status_code == 404


def test_unknowns_are_paged_and_bounded_in_queries(reader, conversation, ask, django_assert_max_num_queries):
    for number in range(27):
        ask(f"question-{number}.", finds_the_cafe=False)
    address = reverse("space-unknowns", args=[conversation.space_id])
    with django_assert_max_num_queries(10):
        first = reader.get(address).content.decode()
    assert "question-26." in first and "question-2." in first and "question-1." not in first
    older = reader.get(address + re.search(r'href="[^"?]*(\?before=\d+)"', first).group(1)).content.decode()
    assert "question-1." in older and "question-0." in older and "question-2." not in older


def test_unknowns_of_another_person_or_space_are_not_shown(reader, conversation, ask, ana):
    ask("A private question?", finds_the_cafe=False)
    ben = User.objects.create_user("ben")
    stranger = Client()
    stranger.force_login(ben)
    address = reverse("space-unknowns", args=[conversation.space_id])
    assert stranger.get(address).status_code == 404
    member_add(space=conversation.space, user=ben)
    assert "A private question?" not in stranger.get(address).content.decode()
    own = conversation_create(owner=ana, space=space_create(name="Other", owner=ana))
    assert "A private question?" not in unknowns(reader, own)
    assert Client().get(address).status_code == 302


def test_forgotten_unknown_is_not_listed(reader, conversation, ask, said):
    ask(finds_the_cafe=False)
    session_forget(session=said.session)
    assert 'class="fact"' not in unknowns(reader, conversation)
