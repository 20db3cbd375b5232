"""Scores on pages: a replayed dialogue on its timeline, the mark beside a reply in the chat, a score asked for again."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from conversations.models import Conversation, Reply, ReplyState
from evaluation.core.turn_consistency.types import running_entailment_rates
from evaluation.models import ScoreState, TurnScore
from evaluation.services.consistency import consistency_measure
from evaluation.services.scores import scores_run
from evaluation.templatetags.scores import figure
from evaluation.views.scores import ASKED_MOST
from memory.models import OutboxRecord, Round, Session
from memory.services import session_create, space_maintain
from tests.fakes.entailment import JudgingEntailment
from tests.integration.evaluation.scored_talk import talk, use
from tests.integration.evaluation.test_scores_shown import MT_BENCH_101
from tests.integration.evaluation.test_timeline import judged, plain, shown, strip_in, table_in
from tests.integration.memory.dialogues import START, new_session

pytestmark = pytest.mark.django_db
WORDS = {"entailment": "supported", "neutral": "neutral", "contradiction": "contradicted", None: "not scored"}


@pytest.fixture
def reader(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def test_replayed_mt_bench_101_dialogue_has_the_labels_and_rates_of_the_pure_functions(
    reader, owner, small_engine, monkeypatch, tmp_path
):
    path = tmp_path / "bench.jsonl"
    path.write_text(json.dumps(MT_BENCH_101) + "\n")
    use(monkeypatch, JudgingEntailment(judged))
    call_command("replay", str(path), verbosity=0)
    scores_run()
    pure = [reply.outcome for reply in consistency_measure(path=path, quiet=True).replies]
    labels = [getattr(outcome, "label", None) for outcome in pure]
    scores = [getattr(outcome, "consistency", None) for outcome in pure]
    rates = running_entailment_rates(labels)
    assert len(set(labels)) == len(labels) == 4, labels

    html = shown(reader, Session.objects.get().space)
    assert [row[1:] for row in table_in(html)] == [
        [WORDS[label], figure(score), figure(rate.rate), str(rate.scored)]
        for label, score, rate in zip(labels, scores, rates, strict=True)
    ]
    assert [mark.split(",")[0] for mark in strip_in(html)] == [
        f"{number}: {WORDS[label]}" for number, label in enumerate(labels, start=1)
    ]
    session = Session.objects.get()
    data = reader.get(reverse("space-timeline-data", args=[session.space_id])).json()
    assert data["der"] == [rate.rate for rate in rates]
    assert data["cs"] == [score if score is None else pytest.approx(score) for score in scores]


def mark_of(client: Client, round: Round, **asked: object) -> str:
    answer = client.get(reverse("round-score", args=[round.pk]), asked)
    assert answer.status_code == 200
    return answer.content.decode()


def test_mark_in_the_chat_waits_for_its_score_and_leads_to_its_round(reader, space, model):
    model.judge = judged
    session = new_session(space, "talked")
    talk(session, ("I live in Porto.", "You live in Porto."), ("Where do I live?", "You live in Rome."))
    first, second = session.rounds.order_by("index")
    # Nothing is read yet: the mark asks again, later each time, and not for ever.
    assert "asked=1" in mark_of(reader, second) and "delay:2s" in mark_of(reader, second)
    assert "asked=4" in mark_of(reader, second, asked=3) and "delay:5s" in mark_of(reader, second, asked=3)
    assert "hx-get" not in mark_of(reader, second, asked=ASKED_MOST)
    assert "hx-get" in mark_of(reader, second, asked="x") and "hx-get" not in mark_of(reader, second, asked="999")

    space_maintain(space_id=space.pk)
    assert "hx-get" in mark_of(reader, second)
    scores_run()
    html = mark_of(reader, second)
    assert plain(html) == "may contradict" and "hx-get" not in html
    timeline = reverse("space-timeline", args=[space.pk])
    assert f'href="{timeline}?session={session.pk}#round-{second.pk}"' in html
    assert f'id="round-{second.pk}"' in shown(reader, space, session=session.pk)
    assert plain(mark_of(reader, first)) == "supported"


def test_mark_is_empty_where_nothing_can_be_told(reader, space, model, settings):
    session = new_session(space, "talked")
    talk(session, ("Hello.", "Hello!"))
    settings.DSMART_SCORES = False
    space_maintain(space_id=space.pk)
    html = mark_of(reader, session.rounds.get())
    assert plain(html) == "" and "hx-get" not in html
    settings.DSMART_SCORES = True
    silent = session_create(space=space, started_at=START, is_remembered=False)
    talk(silent, ("Hello.", "You live in Rome."))
    assert plain(mark_of(reader, silent.rounds.get())) == ""


def test_chat_asks_for_the_mark_of_each_reply_that_is_whole(reader, owner, space, model):
    session = new_session(space, "talked")
    talk(session, ("I live in Porto.", "You live in Porto."), ("And now?", "…"))
    rounds = list(session.rounds.order_by("index"))
    conversation = Conversation.objects.create(space=space, owner=owner, session=session)
    for round, state in zip(rounds, (ReplyState.DONE, ReplyState.FAILED), strict=True):
        Reply.objects.create(
            space=conversation.space,
            round=round,
            conversation=conversation,
            state=state,
            text="You live in Porto.",
            engine="x",
        )
    html = reader.get(reverse("conversation", args=[conversation.pk])).content.decode()
    marks = [reverse("round-score", args=[round.pk]) in html for round in rounds]
    assert marks == [True, False]


def test_score_that_failed_is_asked_for_again_from_the_page(reader, space, monkeypatch):
    use(monkeypatch, None, "No model is here.")
    session = new_session(space, "talked")
    talk(session, ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    scores_run()
    html = shown(reader, space)
    assert "Not scored: No model is here." in plain(html)
    again = reverse("score-again", args=[space.pk, session.rounds.get().pk])
    assert f'action="{again}"' in html

    use(monkeypatch, JudgingEntailment(judged))
    OutboxRecord.objects.all().delete()
    answer = reader.post(again, {"back": "//evil.example"})
    assert (answer.status_code, answer.url) == (302, reverse("space-timeline", args=[space.pk]))
    assert TurnScore.objects.get().state == ScoreState.PENDING and OutboxRecord.objects.count() == 1
    scores_run()
    html = shown(reader, space)
    assert strip_in(html) == ["1: supported, CS 0.94"] and "score again" not in html
    # What has a score keeps it, and nobody can ask for it by another method.
    reader.post(again)
    assert TurnScore.objects.get().state == ScoreState.SCORED
    assert reader.get(again).status_code == 405


def test_reply_that_has_nothing_to_score_is_not_offered_again(reader, space, model):
    session = new_session(space, "talked")
    talk(session, ("Hello.", "Hello!"))
    space_maintain(space_id=space.pk)
    scores_run()
    html = shown(reader, space)
    assert "Not scored: It says nothing of its own" in plain(html) and "score again" not in html


def test_scores_of_another_are_not_found(space, model):
    session = new_session(space, "talked")
    talk(session, ("I live in Porto.", "You live in Porto."))
    round = session.rounds.get()
    ben = Client()
    ben.force_login(User.objects.create_user("ben"))
    assert ben.get(reverse("round-score", args=[round.pk])).status_code == 404
    assert ben.post(reverse("score-again", args=[space.pk, round.pk])).status_code == 404
    assert Client().get(reverse("round-score", args=[round.pk])).status_code == 302


def test_how_replies_are_judged_is_told_to_a_person(reader):
    said = plain(reader.get(reverse("about-entailment")).content.decode())
    assert "supported : it follows from what was said" in said and "DSMART_ENTAILMENT" in said
    assert not re.search(r"manage\.py|ONNX|\bport\b|\.md|--\w", said.split("How replies are judged", 2)[2])
