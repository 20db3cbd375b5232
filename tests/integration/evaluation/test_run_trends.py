"""Figures over time: of runs, and of the replies of real conversations."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from conversations.models import Conversation, Reply, ReplyState
from evaluation.core.runs.identity import RunIdentity
from evaluation.models import CheckState, EvaluationRun, FactCheck, FactRecord, ScoreState, TurnScore
from evaluation.selectors.live import DayOfReplies, days_of_replies
from evaluation.services.overrides import score_override
from memory.models import Space, Turn
from memory.services import space_create
from tests.integration.evaluation.measured_runs import IDENTITY, item_of, made_run
from tests.integration.evaluation.scored_talk import talk
from tests.integration.evaluation.test_run_pages import plain
from tests.integration.memory.dialogues import new_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def rows_in(html: str, table: str) -> list[list[str]]:
    body = html[html.index("<tbody>", html.index(f'id="{table}"')) :]
    rows = body[: body.index("</tbody>")].split("</tr>")[:-1]
    return [[plain(cell) for cell in re.findall(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def test_trend_tells_a_figure_run_by_run_with_the_version(reader, owner, space):
    later = RunIdentity.from_json({**IDENTITY.as_json(), "code": "def5678"})
    first = made_run(space, owner, name="First", right={"graph": [1.0, 0.0]})
    second = made_run(space, owner, name="Second", right={"graph": [0.0, 0.0]})
    third = made_run(space, owner, name="Third", right={"graph": [1.0, 1.0]}, identity=later, data_name="other.jsonl")
    made_run(space, owner, name="Elsewhere", right={"graph": [1.0]}, benchmark="locomo")
    made_run(space, owner, name="Unended", right={"graph": [1.0, 1.0]}, waiting=1, state="running")
    made_run(space, owner, name="Another system", right={"base": [1.0]})
    EvaluationRun.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(days=3))
    html = reader.get(reverse("run-trend"), {"benchmark": "jsonl", "system": "graph"}).content.decode()
    rows = rows_in(html, "trend-table")
    assert [row[0].split(" ")[0] for row in rows] == ["First", "Second", "Third"]
    assert [("code abc1234" in row[0], "code def5678" in row[0], "same code" in row[0]) for row in rows] == [
        (True, False, False), (False, False, True), (False, True, False),
    ]  # fmt: skip
    assert [(row[1][:4], row[2][:4]) for row in rows] == [("0.50", "–"), ("0.00", "–"), ("–", "1.00")]
    assert html.count("data-line=") == 2 and f'href="{reverse("run", args=[third.pk])}"' in html
    score_override(item=item_of(second, 0), metric="accuracy", value=1.0, comment="Right.", by=owner)
    assert rows_in(reader.get(reverse("run-trend")).content.decode(), "trend-table")[0][1][:4] in ("0.50", "1.00")
    again = reader.get(reverse("run-trend"), {"benchmark": "jsonl", "system": "graph"}).content.decode()
    assert rows_in(again, "trend-table")[1][1][:4] == "0.50"


def test_trend_without_runs_teaches(reader, space):
    assert "Nothing was measured yet." in reader.get(reverse("run-trend")).content.decode()
    asked = {"benchmark": "'; drop", "system": "1" * 400, "metric": "x"}
    assert "Begin a run" in reader.get(reverse("run-trend"), asked).content.decode()


def said(space: Space, owner: User, *replies: tuple[str, float | None, int]) -> list[Turn]:
    """Write a conversation whose replies a responder gave so many days ago; each has its entailment, None is unscored."""
    session = new_session(space, f"talk-{space.pk}-{len(replies)}-{Turn.objects.count()}")
    conversation = Conversation.objects.create(space=space, owner=owner, session=session)
    turns = talk(session, *((f"Message {n}.", f"Reply {n}.") for n, _ in enumerate(replies)))
    for turn, (responder, entailment, days) in zip(turns, replies, strict=True):
        at = timezone.now() - timedelta(days=days)
        Turn.objects.filter(pk=turn.pk).update(is_generated=True, said_at=at)
        Reply.objects.create(
            space=conversation.space,
            conversation=conversation,
            round=turn.round,
            state=ReplyState.DONE,
            engine="builtin",
            responder=responder,
        )
        scored = {"label": "entailment" if entailment > 0.5 else "contradiction", "entailment": entailment, "neutral": 0.0,
                  "contradiction": 1 - entailment} if entailment is not None else {}  # fmt: skip
        TurnScore.objects.create(
            space=space, session=session, turn=turn, model="judging", strategy="strongest_sentence", scored_at=at,
            state=ScoreState.SCORED if scored else ScoreState.NOT_SCORED, **scored,
        )  # fmt: skip
    return turns


def checked(turn: Turn, *verdicts: str) -> None:
    check = FactCheck.objects.create(
        space=turn.space, turn=turn, verifier="v", state=CheckState.CHECKED, checked_at=timezone.now()
    )
    for index, verdict in enumerate(verdicts):
        FactRecord.objects.create(check_of=check, index=index, text="x", start=0, end=1, verdict=verdict)


def test_days_of_conversations_have_cs_der_and_fact_score_by_responder(owner, space):
    turns = said(
        space, owner, ("graph", 0.9, 1), ("graph", 0.1, 1), ("graph", None, 1), ("d_smart", 1.0, 0), ("graph", 0.9, 40)
    )
    checked(turns[0], "true", "false", "not_enough_information", "not_a_claim")
    since = timezone.now() - timedelta(days=10)
    yesterday, today = days_of_replies(owner, since=since)
    assert (yesterday.responder, yesterday.entailed, yesterday.scored, yesterday.unscored) == ("graph", 1, 2, 1)
    assert (yesterday.consistency, yesterday.rate) == (pytest.approx(0.5), 0.5)
    assert (yesterday.facts.score, yesterday.facts.decided, yesterday.facts.claims) == (0.5, 2, 3)
    assert today == DayOfReplies(timezone.localdate(), "d_smart", 1.0, 1, 1, 0)


def test_latest_score_and_check_of_a_reply_count(owner, space):
    [turn] = said(space, owner, ("graph", 0.0, 0))
    TurnScore.objects.create(
        space=space, session=turn.session, turn=turn, model="later", strategy="strongest_sentence", state=ScoreState.SCORED,
        label="entailment", entailment=1.0, neutral=0.0, contradiction=0.0, scored_at=timezone.now() + timedelta(minutes=1),
    )  # fmt: skip
    TurnScore.objects.create(space=space, session=turn.session, turn=turn, strategy="strongest_sentence")
    [day] = days_of_replies(owner, since=timezone.now() - timedelta(days=1))
    assert (day.consistency, day.scored) == (1.0, 1)


def test_only_replies_of_conversations_of_ones_own_spaces_count(owner, space):
    eve = User.objects.create_user("eve")
    said(space_create(name="Eve's", owner=eve), eve, ("graph", 1.0, 0))
    replayed = new_session(space, "replayed")
    [turn] = talk(replayed, ("Hello.", "Reply."))
    TurnScore.objects.create(
        space=space, session=replayed, turn=turn, model="m", strategy="strongest_sentence", state=ScoreState.SCORED,
        label="entailment", entailment=1.0, neutral=0.0, contradiction=0.0, scored_at=timezone.now(),
    )  # fmt: skip
    assert days_of_replies(owner, since=timezone.now() - timedelta(days=999)) == []
    assert len(days_of_replies(eve, since=timezone.now() - timedelta(days=1))) == 1


def test_page_of_conversations_draws_what_it_tells(reader, owner, space):
    assert "No reply was scored in this time." in reader.get(reverse("run-live")).content.decode()
    turns = said(space, owner, ("graph", 0.9, 1), ("d_smart", 0.8, 0), ("graph", None, 0))
    checked(turns[0], "true")
    with CaptureQueriesContext(connection) as seen:
        html = reader.get(reverse("run-live")).content.decode()
    assert len(seen) <= 7 and "2 replies were scored, 1 had nothing to score" in plain(html)
    days = [f"{timezone.localdate() - timedelta(days=days):%Y-%m-%d}" for days in (1, 0)]
    assert rows_in(html, "live-table") == [[days[0], "–", "0.90 n 1"], [days[1], "0.80 n 1", "–"]]
    facts = reader.get(reverse("run-live"), {"metric": "facts", "days": "7", "space": space.pk}).content.decode()
    assert rows_in(facts, "live-table")[0] == [days[0], "1.00 n 1"] and "1 statement was checked" in plain(facts)
    other = space_create(name="Eve's", owner=User.objects.create_user("eve"))
    assert reader.get(reverse("run-live"), {"space": other.pk}).status_code == 404
    assert reader.get(reverse("run-live"), {"space": "x"}).status_code == 404
    assert reader.get(reverse("run-live"), {"days": "x", "metric": "x"}).status_code == 200
