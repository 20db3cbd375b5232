"""Replies are held against what holds when they are given: not against what was superseded, ended or taken back by then."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from conversations.models import Reply, ReplyTriple
from conversations.services import conversation_create
from evaluation.core.turn_consistency.types import Passage
from evaluation.selectors import session_scores
from evaluation.services.holding import StoredHolding
from evaluation.services.scores import scores_run
from memory.core.types import EntailmentLabel, EntailmentVerdict, Span
from memory.models import SentenceRecord, TripleRecord, Turn
from memory.services import space_maintain
from memory.services.edits.correct import triple_correct, triple_retract
from tests.fakes.entailment import UNDECIDED
from tests.integration.evaluation.scored_talk import talk
from tests.integration.memory.dialogues import new_session

pytestmark = pytest.mark.django_db
CITIES = ("Porto", "Lyon", "Rome")
FOLLOWS = EntailmentVerdict(0.8, 0.15, 0.05)
CLASHES = EntailmentVerdict(0.02, 0.03, 0.95)


def of_cities(premise: str, hypothesis: str) -> EntailmentVerdict:
    """Two cities clash, one follows from itself."""
    said, claimed = ({city for city in CITIES if city in text} for text in (premise, hypothesis))
    if not said or not claimed:
        return UNDECIDED
    return FOLLOWS if said == claimed else CLASHES


def labels(session) -> list[EntailmentLabel | None]:
    scores_run()
    return [one.label for one in session_scores(session)]


def holding_of(reply: Turn, *turns: Turn) -> dict[str, str]:
    """Return what is left of the sentences of turns, as of a reply, by their words."""
    texts = {turn.pk: turn.text for turn in turns}
    passages = [
        Passage(turn_id, Span(start, end))
        for turn_id, start, end in SentenceRecord.objects.filter(turn__in=turns).values_list("turn", "start", "end")
    ]
    left = StoredHolding(Turn.objects.select_related("round").get(pk=reply.pk), "Ana")(passages)
    return {texts[at.turn][at.span.start : at.span.end]: words for at, words in left.items()}


def test_reply_after_a_change_agrees_and_one_that_tells_the_old_does_not(space, model):
    model.judge = of_cities
    session = new_session(space)
    talk(
        session,
        ("I live in Porto.", "You live in Porto."),
        ("I live in Lyon.", "You live in Lyon."),
        ("Where do I live?", "You live in Lyon."),
        ("Where did I live?", "You lived in Porto before."),
        ("And now?", "You live in Porto."),
    )
    space_maintain(space_id=space.pk)
    agrees, clashes = EntailmentLabel.ENTAILMENT, EntailmentLabel.CONTRADICTION
    assert labels(session) == [agrees, agrees, agrees, agrees, clashes]


def test_what_is_taken_back_or_corrected_by_hand_is_held_against_later_replies_no_more(space, model, owner):
    session = new_session(space)
    [before] = talk(session, ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    [told] = TripleRecord.objects.filter(space=space)
    triple_correct(triple=told, value="Lyon", by=owner)
    [after] = talk(session, ("Where do I live?", "You live in Lyon."))
    Turn.objects.filter(pk=after.pk).update(said_at=timezone.now())
    asked = Turn.objects.get(round=before.round, role="user")
    assert holding_of(before, asked) == {}, "it held when that reply was given"
    assert holding_of(after, asked, before) == {"I live in Porto.": "", "You live in Porto.": ""}
    triple_retract(triple=TripleRecord.objects.get(space=space, superseded_at=None), by=owner)
    assert holding_of(after, asked) == {"I live in Porto.": ""}


def test_of_a_sentence_that_holds_in_part_that_part_is_left(space, model):
    session = new_session(space)
    [first] = talk(session, ("I live in Porto and I live in Lyon.", "Fine."))
    space_maintain(space_id=space.pk)
    TripleRecord.objects.filter(value="Porto").update(superseded_at=None, valid_to=first.said_at)
    TripleRecord.objects.filter(value="Lyon").update(superseded_at=None)
    [last] = talk(session, ("Where do I live?", "You live in Lyon."))
    asked = Turn.objects.get(round=first.round, role="user")
    assert holding_of(last, asked) == {"I live in Porto and I live in Lyon.": "You live in Lyon."}


def test_earlier_reply_that_rested_on_what_is_over_is_no_premise(space, model, owner):
    first = new_session(space)
    talk(first, ("I live in Porto.", "Fine."))
    space_maintain(space_id=space.pk)
    told = TripleRecord.objects.get(space=space)
    chat = conversation_create(owner=owner, space=space)
    [recalled] = talk(chat.session, ("Where do I live?", "You live in Porto. It is late."))
    reply = Reply.objects.create(
        space=chat.space, conversation=chat, round=recalled.round, engine="builtin", responder="graph"
    )
    ReplyTriple.objects.create(reply=reply, triple=told, rank=0, why="asked for")
    space_maintain(space_id=space.pk)
    triple_retract(triple=told, by=owner)
    [after] = talk(chat.session, ("Where do I live?", "You live in Lyon."))
    Turn.objects.filter(pk=after.pk).update(said_at=timezone.now() + timedelta(seconds=1))
    assert holding_of(after, recalled) == {"You live in Porto.": ""}


def test_it_costs_three_queries_whatever_the_session_holds(space, model):
    session = new_session(space)
    replies = talk(session, *((f"I live in {CITIES[place % 3]}.", "Fine.") for place in range(9)))
    space_maintain(space_id=space.pk)
    turns = list(Turn.objects.filter(session=session, role="user").order_by("index"))
    for count in (1, 8):
        reply = Turn.objects.select_related("round").get(pk=replies[-1].pk)
        passages = [Passage(turn.pk, Span(0, len(turn.text))) for turn in turns[:count]]
        with CaptureQueriesContext(
            connection,
        ) as asked:
            left = StoredHolding(reply, "Ana")(passages)
        assert (len(asked), len(left)) == (3, count)
