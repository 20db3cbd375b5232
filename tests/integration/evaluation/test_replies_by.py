"""Whose turns count as replies is chosen of a dialogue; only those are scored and counted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from conversations.core.chat_exports.catalogue import ChatExport
from conversations.services.chat_imports import Choices, chats_import
from evaluation.core.errors import UnknownName
from evaluation.models import TurnScore
from evaluation.selectors import session_figures, session_scores
from evaluation.selectors.live import days_of_replies
from evaluation.services.score_promises import replies_choose
from evaluation.services.scores import scores_run
from evaluation.services.spoken import asker_of, stored_turn_to_score
from memory.core.types import EntailmentVerdict, Role
from memory.models import Session, Turn
from memory.services import round_add_turn, round_complete, round_open, space_maintain
from tests.chat_exports import claude_chat, claude_message, written
from tests.integration.evaluation.scored_talk import talk
from tests.integration.memory.dialogues import START, new_session

pytestmark = pytest.mark.django_db
FOLLOWS = EntailmentVerdict(0.9, 0.08, 0.02)


@pytest.fixture
def two_people(space, model) -> Session:
    """Caroline and Melanie talk; neither is an assistant."""
    model.judge = lambda premise, hypothesis: FOLLOWS
    session = new_session(space)
    for number, place in enumerate(("Porto", "Lyon")):
        at = START + timedelta(minutes=number)
        turn = round_open(session=session, speaker="Caroline", role=Role.USER, text=f"I live in {place}.", said_at=at)
        answer = f"So you live in {place}, Caroline."
        round_add_turn(round=turn.round, speaker="Melanie", role=Role.USER, text=answer, said_at=at)
        round_complete(round=turn.round)
    space_maintain(space_id=space.pk)
    return session


def scored(session: Session) -> list[str]:
    turns = TurnScore.objects.filter(session=session, state="scored").order_by("turn__index")
    return list(turns.values_list("turn__speaker", flat=True))


def test_nobody_replies_in_a_dialogue_of_two_people_until_somebody_is_chosen(two_people):
    assert scores_run() == 0 and session_scores(two_people) == []
    assert replies_choose(session=two_people, speaker="Melanie") == 2
    two_people.refresh_from_db()
    assert scores_run() == 2 and scored(two_people) == ["Melanie"] * 2
    assert [one.turn_index for one in session_scores(two_people)] == [1, 3]
    figures = session_figures(two_people)
    assert (figures.turns, figures.rate.scored) == (2, 2)
    assert replies_choose(session=two_people, speaker="Melanie") == 0, "what is scored stays"


def test_other_choice_takes_the_scores_of_the_first_away(two_people):
    replies_choose(session=two_people, speaker="Melanie")
    scores_run()
    assert replies_choose(session=two_people, speaker="Caroline") == 2
    scores_run()
    assert set(TurnScore.objects.values_list("turn__speaker", flat=True)) == {"Caroline"}
    assert replies_choose(session=two_people, speaker=Session.NOBODY) == 0
    assert not TurnScore.objects.exists()


def test_reply_of_a_person_answers_the_other_one(two_people):
    [first, _, third, fourth] = Turn.objects.filter(session=two_people).order_by("index")
    assert asker_of(stored_turn_to_score(fourth)) == "Caroline"
    assert asker_of(stored_turn_to_score(third)) == "Melanie"
    assert asker_of(stored_turn_to_score(first)) == ""


def test_speaker_who_says_nothing_is_refused(two_people):
    with pytest.raises(UnknownName, match="Ben says nothing in this conversation"):
        replies_choose(session=two_people, speaker="Ben")
    assert Session.objects.get().replies_by == ""


def test_assistant_of_other_sessions_is_scored_as_before(space, model):
    model.judge = lambda premise, hypothesis: FOLLOWS
    session = new_session(space)
    talk(session, ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    assert scores_run() == 1 and scored(session) == ["assistant"]


@pytest.mark.parametrize(("replies", "counted"), [(True, 1), (False, 0)])
def test_imported_chat_is_scored_by_choice(space, model, owner, replies, counted):
    model.judge = lambda premise, hypothesis: FOLLOWS
    now = timezone.now().isoformat()
    told = [
        claude_message("a", "human", "I live in Porto.", created_at=now),
        claude_message("b", "assistant", "You live in Porto.", created_at=now),
    ]
    export = ChatExport(written([claude_chat("c", "t", *told)]), name="x")
    chats_import(space=space, owner=owner, export=export, choices=Choices(replies=replies))
    space_maintain(space_id=space.pk)
    assert scores_run() == counted
    days = days_of_replies(owner, since=timezone.now() - timedelta(days=2))
    assert [(day.responder, day.scored) for day in days] == [("", 1)] * counted


def test_page_and_api_choose_who_replies(two_people, space, owner):
    browser, api, stranger = Client(), APIClient(), APIClient()
    browser.force_login(owner)
    api.force_authenticate(owner)
    stranger.force_authenticate(User.objects.create_user("ben"))
    timeline = reverse("space-timeline", args=[space.pk]) + f"?session={two_people.pk}"
    page = browser.get(timeline).content.decode()
    assert '<option value="Melanie" >Melanie</option>' in page
    path = reverse("replies-by", args=[space.pk, two_people.pk])
    page = browser.post(path, {"speaker": "Melanie"}, follow=True).content.decode()
    assert '<option value="Melanie" selected>Melanie</option>' in page
    assert TurnScore.objects.count() == 2
    page = browser.post(path, {"speaker": "Ben"}, follow=True).content.decode()
    assert "Ben says nothing in this conversation. Choose somebody who does." in page
    api_path = reverse("api-session-replies", args=[two_people.pk])
    assert api.put(api_path, {"speaker": "Ben"}, format="json").status_code == 400
    assert stranger.put(api_path, {"speaker": "Melanie"}, format="json").status_code == 404
    assert api.put(api_path, {"speaker": "Caroline"}, format="json").status_code == 204
    assert set(TurnScore.objects.values_list("turn__speaker", flat=True)) == {"Caroline"}


def test_command_chooses_who_replies(two_people, space, capsys):
    call_command("score_turns", "--space", space.name, "--replies-by", "Melanie", verbosity=0)
    assert "2 were read by" in capsys.readouterr().out and scored(two_people) == ["Melanie"] * 2
    for words, why in (
        (["--replies-by", "Melanie"], "--replies-by needs --space"),
        (["--space", space.name, "--replies-by", "Ben"], "Ben says nothing in"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("score_turns", *words, verbosity=0)
