"""Scores as selectors and the API show them, and what becomes of them when turns are replaced or forgotten."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from conversations import bootstrap as conversation_bootstrap
from conversations.services import conversation_create, message_edit, message_post, reply_regenerate
from conversations.services.generation import reply_run
from evaluation.core.turn_consistency.turns import STRATEGIES, replies_in, score_turn
from evaluation.core.turn_consistency.types import mean_consistency, running_entailment_rates
from evaluation.models import ScoreState, TurnScore
from evaluation.selectors import session_figures, session_scores
from evaluation.services.consistency import consistency_measure
from evaluation.services.scores import scores_run
from evaluation.services.spoken import SpokenVectors, stored_turn_to_score
from memory import bootstrap
from memory.core.types import EntailmentLabel, EntailmentVerdict
from memory.models import Session, Turn
from memory.services import session_forget, space_maintain
from tests.fakes.engines import OneMeaningEmbedder, WordByWordResponder
from tests.fakes.entailment import JudgingEntailment, TurnByTurn, verdict_with
from tests.integration.evaluation.scored_talk import talk, use
from tests.integration.memory.dialogues import new_session
from tests.papers.d_smart_cases import CASES, UNSCORED

pytestmark = pytest.mark.django_db
FOLLOWS = EntailmentVerdict(0.9, 0.08, 0.02)
CLASHES = EntailmentVerdict(0.05, 0.15, 0.8)
OPEN = EntailmentVerdict(0.2, 0.7, 0.1)


@pytest.mark.parametrize(
    ("case", "strategy"),
    [
        pytest.param(case, strategy, id=f"{case.name}-{strategy}")
        for case in CASES
        for strategy in STRATEGIES
        if strategy == "whole_history" or case.name not in UNSCORED
    ],
)
def test_cases_of_the_paper_are_stored_and_shown_with_the_printed_figures(space, monkeypatch, settings, case, strategy):
    settings.DSMART_SCORE_STRATEGY = strategy
    monkeypatch.setattr(bootstrap, "embedder", OneMeaningEmbedder)
    session = new_session(space)
    talk(session, *case.messages)
    space_maintain(space_id=space.pk)
    # The newest turn is read first.
    use(monkeypatch, TurnByTurn(*(verdict_with(turn.consistency, turn.label) for turn in reversed(case.turns))))
    scores_run()
    shown = session_scores(session)
    assert [round(turn.consistency, 2) for turn in shown] == [turn.consistency for turn in case.turns]
    assert [turn.label for turn in shown] == [turn.label for turn in case.turns]
    assert shown[-1].running.rate == pytest.approx(case.rate, abs=0.0005)
    figures = session_figures(session)
    assert (figures.rate, figures.turns) == (shown[-1].running, 3)
    assert figures.consistency == pytest.approx(sum(turn.consistency for turn in case.turns) / 3)


def judged_by_words(premise: str, hypothesis: str) -> EntailmentVerdict:
    """A verdict that any two texts have, the same everywhere: how many words they share."""
    first, second = (set(text.lower().strip(".").split()) for text in (premise, hypothesis))
    share = len(first & second) / len(first | second)
    return EntailmentVerdict(share, (1 - share) / 3, (1 - share) * 2 / 3)


MT_BENCH_101 = {
    "task": "CM",
    "id": 7,
    "history": [
        {"user": "I live in Porto. My cat is red.", "bot": "You live in Porto. Your cat is red."},
        {"user": "Where do I live?", "bot": "You live in Rome. How is your cat?"},
        {"user": "No.", "bot": "Sorry!"},
        {"user": "My cat is called Tom.", "bot": "Your cat is called Tom. It is red. Tom is a fine name."},
    ],
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_label_strip_of_a_replayed_dialogue_is_what_the_pure_functions_give(
    owner, small_engine, monkeypatch, settings, tmp_path, strategy
):
    settings.DSMART_SCORE_STRATEGY = strategy
    path = tmp_path / "bench.jsonl"
    path.write_text(json.dumps(MT_BENCH_101) + "\n")
    model = JudgingEntailment(judged_by_words)
    use(monkeypatch, model)
    call_command("replay", str(path), verbosity=0)
    scores_run()
    session = Session.objects.get()
    shown = session_scores(session)

    pure = [reply.outcome for reply in consistency_measure(path=path, quiet=True).replies]
    labels = [getattr(outcome, "label", None) for outcome in pure]
    assert [turn.label for turn in shown] == labels
    assert labels.count(None) == (1 if strategy == "strongest_sentence" else 0)
    assert [turn.consistency for turn in shown] == pytest.approx([getattr(one, "consistency", None) for one in pure])
    assert [turn.running for turn in shown] == running_entailment_rates(labels)
    verdicts = [outcome.verdict for outcome in pure if hasattr(outcome, "verdict")]
    assert session_figures(session).consistency == pytest.approx(mean_consistency(verdicts))
    assert {turn.why for turn in shown if turn.label is None} <= {
        "It says nothing of its own that could agree or disagree: it asks, greets, advises, explains or takes note."
    }


def test_page_of_scores_goes_on_with_the_rate_and_costs_the_same_at_any_length(space, model):
    session = new_session(space)
    talk(session, *((f"I live in City{number}.", f"You live in City{number}.") for number in range(30)))
    space_maintain(space_id=space.pk)
    model.judge = lambda premise, hypothesis: FOLLOWS if "3" in hypothesis else OPEN
    scores_run()
    whole = session_scores(session)
    assert len(whole) == 30
    page = session_scores(session, after=whole[19].turn_index, limit=5)
    assert page == whole[20:25]
    with CaptureQueriesContext(connection) as long:
        session_scores(session, after=5, limit=20)
    with CaptureQueriesContext(connection) as short:
        session_scores(session, after=5, limit=1)
    assert len(long) == len(short) == 3


def test_stored_dialogue_is_read_in_the_same_number_of_queries_at_any_length(space, model):
    session = new_session(space)
    replies = talk(session, *((f"I live in City{number}.", f"You live in City{number}.") for number in range(30)))
    space_maintain(space_id=space.pk)
    counts = []
    for reply in (replies[1], replies[-1]):
        with CaptureQueriesContext(connection) as queries:
            stored_turn_to_score(reply)
        counts.append(sum(query["sql"].startswith("SELECT") for query in queries))
    assert counts == [2, 2]
    turn = stored_turn_to_score(replies[-1])
    assert len(turn.history) == 59
    spoken = SpokenVectors([*turn.history, turn.reply])
    strategy = STRATEGIES["strongest_sentence"]
    assert replies_in([*turn.history, turn.reply])[-1] == turn
    stored = TurnScore.objects.filter(turn=replies[-1])
    scores_run()
    assert (
        stored.get().label
        == score_turn(turn, strategy=strategy, model=model, vectors=spoken, parser=bootstrap.parser()).label
    )


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch):
    """What the responder says next."""
    said = {"text": ""}

    def set_text(text: str) -> None:
        said["text"] = text

    monkeypatch.setattr(
        conversation_bootstrap, "responder", lambda name, *, engine, space_id: WordByWordResponder(said["text"])
    )
    return set_text


def test_edited_or_regenerated_turn_is_put_aside_with_its_score_and_the_new_one_is_scored(space, model, owner, answer):
    model.judge = lambda premise, hypothesis: CLASHES if "Rome" in hypothesis else FOLLOWS
    conversation = conversation_create(owner=owner, space=space)
    answer("You live in Rome.")
    reply = message_post(conversation=conversation, text="I live in Porto.")
    reply_run(reply_id=reply.pk)
    space_maintain(space_id=space.pk)
    scores_run()
    assert [turn.label for turn in session_scores(conversation.session)] == [EntailmentLabel.CONTRADICTION]

    answer("You live in Porto.")
    again = reply_regenerate(reply=reply)
    assert not session_scores(conversation.session)
    reply_run(reply_id=again.pk)
    space_maintain(space_id=space.pk)
    scores_run()
    assert [turn.label for turn in session_scores(conversation.session)] == [EntailmentLabel.ENTAILMENT]

    edited = message_edit(reply=again, text="I live in Lyon.")
    assert not session_scores(conversation.session)
    reply_run(reply_id=edited.pk)
    space_maintain(space_id=space.pk)
    scores_run()
    [shown] = session_scores(conversation.session)
    assert shown.premise.text == "I live in Lyon."


def test_session_forgotten_while_a_turn_is_read_leaves_no_score(space, model):
    session = new_session(space)
    talk(session, ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    model.before = lambda: session_forget(session=session)
    assert scores_run() == 0
    assert not TurnScore.objects.exists()


def test_scores_by_the_api(space, model, owner):
    session = new_session(space)
    replies = talk(
        session, ("I live in Porto.", "You live in Porto."), ("Thanks.", "Noted."), ("Where?", "You live in Rome.")
    )
    space_maintain(space_id=space.pk)
    model.judge = lambda premise, hypothesis: CLASHES if "Rome" in hypothesis else FOLLOWS
    scores_run()
    api = APIClient()
    api.force_authenticate(owner)
    path = reverse("api-session-scores", args=[session.pk])
    shown = api.get(path).json()
    assert (shown["entailment_rate"], shown["scored"], shown["turns"], shown["next"]) == (0.5, 2, 3, None)
    assert shown["consistency"] == pytest.approx((0.94 + 0.125) / 2)
    first, second, third = shown["results"]
    assert [one["turn"] for one in shown["results"]] == [reply.pk for reply in replies]
    assert (first["label"], first["entailment_rate"], third["entailment_rate"]) == ("entailment", 1.0, 0.5)
    assert (second["state"], second["consistency"], second["probabilities"], second["reason"]) == (
        "not_scored", None, None, "no_claim",
    )  # fmt: skip
    assert third["hypothesis"] == {"turn": replies[2].pk, "start": 0, "end": 17, "text": "You live in Rome."}
    assert third["premise"]["text"] in ("I live in Porto.", "You live in Porto.")
    assert third["probabilities"] == {"entailment": 0.05, "neutral": 0.15, "contradiction": 0.8}

    page = api.get(path, {"limit": 2}).json()
    assert [one["turn"] for one in page["results"]] == [reply.pk for reply in replies[:2]]
    rest = api.get(path, {"after": page["next"]}).json()["results"]
    assert rest == [third]
    assert api.get(path, {"limit": 0}).status_code == 400
    stranger = APIClient()
    stranger.force_authenticate(User.objects.create_user("ben"))
    assert stranger.get(path).status_code == 404


def test_reply_to_a_wish_has_no_score_and_is_nothing_that_later_replies_are_held_against(space, model):
    session = new_session(space)
    [before] = talk(session, ("I live in Porto.", "You live in Porto."))
    [told] = talk(session, ("It's Lisbon, not Porto.", "Corrected: you live in Lisbon, not Porto."), is_wish=True)
    [after] = talk(session, ("Where do I live?", "You live in Lisbon."))
    space_maintain(space_id=space.pk)
    model.judge = lambda premise, hypothesis: FOLLOWS
    scores_run()
    shown = {one.turn_id: one for one in session_scores(session)}
    assert (shown[told.pk].state, shown[told.pk].reason, shown[told.pk].label) == ("not_scored", "wish", None)
    assert [shown[turn.pk].state for turn in (before, after)] == ["scored", "scored"]
    assert session_figures(session).rate.scored == 2
    assert not any("Corrected" in text for pair in model.asked for text in pair)


def test_command_scores_what_was_said_before(space, model, settings, capsys):
    settings.DSMART_SCORES = False
    session = new_session(space)
    talk(session, *((f"I live in City{number}.", f"You live in City{number}.") for number in range(10)))
    space_maintain(space_id=space.pk)
    settings.DSMART_SCORES = True
    call_command("score_turns", space=space.name, limit=4, verbosity=0)
    assert "4 turns were promised a score, 4 were read by judging" in capsys.readouterr().out
    assert [turn.state for turn in session_scores(session)] == ["not_asked"] * 6 + ["scored"] * 4
    call_command("score_turns", verbosity=0)
    assert "6 turns were promised a score, 6 were read" in capsys.readouterr().out
    call_command("score_turns", verbosity=0)
    assert "0 turns were promised a score, 0 were read" in capsys.readouterr().out
    assert TurnScore.objects.filter(state=ScoreState.SCORED).count() == 10


def test_command_without_a_model_or_with_an_unknown_space_says_so(space, monkeypatch):
    use(monkeypatch, JudgingEntailment())
    with pytest.raises(CommandError, match="There is no space 'nowhere'"):
        call_command("score_turns", space="nowhere")
    use(monkeypatch, None, "There are no weights in /nowhere.")
    with pytest.raises(CommandError, match="There are no weights in /nowhere"):
        call_command("score_turns")


def test_turn_that_was_taken_back_before_it_was_read_is_no_fault(space, model, caplog, monkeypatch):
    [reply] = talk(new_session(space), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=space.pk)
    model_of = bootstrap.entailment_model

    def take_back() -> object:
        Turn.objects.filter(pk=reply.pk).delete()
        return model_of()

    monkeypatch.setattr(bootstrap, "entailment_model", take_back)
    assert scores_run() == 0
    assert not caplog.records and model.calls == []
