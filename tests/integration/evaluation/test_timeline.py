"""The timeline of a dialogue: it shows what the pure functions give, what each round did, and whose it is."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from conversations.models import Conversation, Reply, ReplyState
from evaluation.core.turn_consistency.types import mean_consistency, running_entailment_rates
from evaluation.models import ScoreState, TurnScore
from evaluation.selectors import session_figures, session_scores
from evaluation.selectors import timeline as selectors
from evaluation.services.scores import scores_run
from evaluation.views import timeline as views
from memory.core.ports import EntailmentModel
from memory.core.types import EntailmentVerdict, Role
from memory.models import MaintenanceState, OutboxRecord, Round, Session, Space, TripleRecord, Turn
from memory.selectors import graph_difference
from memory.services import session_create, space_create, space_maintain
from memory.services.accounts import owner_account
from tests.fakes.engines import small_models
from tests.fakes.entailment import JudgingEntailment
from tests.integration.evaluation.scored_talk import talk, use
from tests.integration.memory.dialogues import START, new_session

pytestmark = pytest.mark.django_db
FOLLOWS = EntailmentVerdict(0.9, 0.08, 0.02)
CLASHES = EntailmentVerdict(0.05, 0.15, 0.8)
OPEN = EntailmentVerdict(0.2, 0.8, 0.0)
DIALOGUE = (
    ("I live in Porto.", "You live in Porto."),
    ("Thanks.", "Noted."),
    ("Where do I live?", "You live in Rome."),
    ("I live in Lyon.", "Porto is a fine town."),
)
HOSTILE = ("'; drop table memory_space; --", "1" * 400, "<script>alert(1)</script>", "-1", "0", "٣", "1.5")
MOST_QUERIES = 12


def judged(premise: str, hypothesis: str) -> EntailmentVerdict:
    return CLASHES if "Rome" in hypothesis else FOLLOWS if "live" in hypothesis else OPEN


@pytest.fixture
def reader(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture(scope="module")
def told(module_db) -> int:
    """A dialogue of four rounds, remembered and scored: one reply follows, one claims nothing, one clashes, one is open."""
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        use(patch, JudgingEntailment(judged))
        space = space_create(name="Ana's memory", owner=owner_account())
        session = new_session(space, "talked")
        talk(session, *DIALOGUE)
        space_maintain(space_id=space.pk)
        scores_run()
    return session.pk


@pytest.fixture
def talked(told: int, db, small_engine, model) -> Session:
    model.judge = judged
    return Session.objects.get(pk=told)


@pytest.fixture
def space(talked: Session) -> Space:
    return talked.space


@pytest.fixture
def empty(owner: User, small_engine) -> Space:
    return space_create(name="Ana's other memory", owner=owner)


def shown(client: Client, space: Space, **asked: object) -> str:
    answer = client.get(reverse("space-timeline", args=[space.pk]), asked)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def rounds_in(html: str) -> dict[int, str]:
    """Return the plain words of each round of the page, by its key."""
    parts = re.split(r'<li class="exchange" id="round-(\d+)">', html)
    return {int(key): plain(text) for key, text in zip(parts[1::2], parts[2::2], strict=True)}


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def strip_in(html: str) -> list[str]:
    strip = html[html.index('id="strip"') : html.index("</ol>", html.index('id="strip"'))]
    return re.findall(r'aria-label="Round (\d+: [^"]*)"', strip)


def table_in(html: str) -> list[list[str]]:
    body = html[html.index("<tbody>") : html.index("</tbody>")]
    return [
        [plain(cell) for cell in re.findall(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in body.split("</tr>")[:-1]
    ]


def test_figures_of_the_page_are_those_of_the_pure_functions(reader, space, talked):
    verdicts = [FOLLOWS, None, CLASHES, OPEN]
    rates = running_entailment_rates(verdict and verdict.label for verdict in verdicts)
    assert [rate.rate for rate in rates] == [1.0, 1.0, 0.5, pytest.approx(1 / 3)]
    html = shown(reader, space)
    assert strip_in(html) == [
        "1: supported, CS 0.94", "2: not scored", "3: contradicted, CS 0.13", "4: neutral, CS 0.60",
    ]  # fmt: skip
    assert table_in(html) == [
        ["1", "supported", "0.94", "1.00", "1"],
        ["2", "not scored", "–", "1.00", "1"],
        ["3", "contradicted", "0.13", "0.50", "2"],
        ["4", "neutral", "0.60", "0.33", "3"],
    ]
    figures = plain(html[html.index('id="timeline-figures"') : html.index("</dl>")])
    mean = mean_consistency([FOLLOWS, CLASHES, OPEN])
    assert f"{mean:.2f} mean of 3" in figures and "0.33 of 3 scored" in figures and "Replies 4 1 not scored" in figures
    assert "judging, sentence by sentence (judging, strongest_sentence)" in figures
    assert "built-in model is small" not in html

    data = reader.get(reverse("space-timeline-data", args=[space.pk])).json()
    assert data["cs"] == [pytest.approx(0.94), None, 0.125, pytest.approx(0.6)]
    assert data["mean"] == pytest.approx(mean)
    assert data["der"] == [1.0, 1.0, 0.5, 1 / 3]
    assert (data["scored"], data["number"]) == ([1, 1, 2, 3], [1, 2, 3, 4])
    assert data["label"] == ["entailment", "not_scored", "contradiction", "neutral"]
    assert data["round"] == list(rounds_in(html))


def test_line_is_what_the_api_reads_and_goes_on_where_it_is_cut(talked, monkeypatch):
    whole = selectors.reply_line(talked, at=None)
    api = session_scores(talked)
    assert [(one.turn_id, one.verdict, one.running, one.state) for one in whole.points] == [
        (one.turn_id, one.verdict, one.running, one.state) for one in api
    ]
    figures = session_figures(talked)
    assert (whole.consistency, whole.rate, whole.turns) == (
        pytest.approx(figures.consistency), figures.rate, figures.turns,
    )  # fmt: skip
    for length in (1, 2, 3):
        monkeypatch.setattr(selectors, "LINE", length)
        cut = selectors.reply_line(talked, at=None)
        assert cut.points == whole.points[-length:]
        assert (cut.rate, cut.turns, cut.consistency) == (whole.rate, 4, pytest.approx(whole.consistency))


def test_last_reader_of_a_turn_is_shown(reader, space, talked):
    first = TurnScore.objects.filter(state=ScoreState.SCORED).earliest("turn")
    TurnScore.objects.create(
        space=space, session=talked, turn=first.turn, model="later", strategy=first.strategy, state=ScoreState.SCORED,
        label="neutral", entailment=0.1, neutral=0.9, contradiction=0.0, scored_at=first.scored_at.replace(year=2100),
    )  # fmt: skip
    TurnScore.objects.create(space=space, session=talked, turn=first.turn, strategy=first.strategy)
    TurnScore.objects.create(
        space=space, session=talked, turn=first.turn, model="other", strategy="whole_history", state=ScoreState.SCORED,
        label="contradiction", entailment=0.0, neutral=0.0, contradiction=1.0, scored_at=first.scored_at,
    )  # fmt: skip
    html = shown(reader, space)
    assert strip_in(html)[0] == "1: neutral, CS 0.55"
    assert [row[1] for row in table_in(html)] == ["neutral", "not scored", "contradicted", "neutral"]


def test_round_tells_its_words_what_decided_and_what_it_changed(reader, space, talked):
    first, second, third, fourth = rounds_in(shown(reader, space)).values()
    assert "I live in Porto." in first and "+ 1 fact added" in first and "supported CS 0.94 DER 1.00 of 1" in first
    assert "“You live in Porto.” follows from “I live in Porto.”" in first and "read in" in first
    assert "Not scored: It says nothing of its own" in second and "no fact changed" in second and "CS" not in second
    assert "“You live in Rome.” contradicts “" in third and "CS 0.13 DER 0.50 of 2" in third
    assert "+ 1 fact added − 1 replaced" in fourth and "is neither said nor denied by" in fourth


def test_counts_of_a_round_are_the_graphs_difference_to_the_round_before(space, talked):
    turns = list(Turn.objects.filter(session=talked, role=Role.USER).select_related("round").order_by("index"))
    shown_rounds = selectors.rounds_between(talked, 0, 9, at=None)
    assert [one.before for one in shown_rounds] == [None, *(turn.pk for turn in turns[:-1])]
    for earlier, later, one in zip(turns, turns[1:], shown_rounds[1:], strict=False):
        difference = graph_difference(space, earlier, later)
        assert (one.added, one.superseded) == (difference.added.count(), difference.superseded.count())


def test_facts_of_a_round_lead_to_the_difference_that_it_made(reader, space, talked):
    turns = list(Turn.objects.filter(session=talked).order_by("index"))
    html = unescape(shown(reader, space))
    address = f"{reverse('space-graph', args=[space.pk])}?as_of={turns[-1].pk}&against={turns[4].pk}"
    assert address in html
    difference = reader.get(address)
    assert difference.status_code == 200 and "+ 1 added" in plain(difference.content.decode())


def test_words_lead_to_the_sentences_and_to_ones_own_conversation(reader, space, talked, owner):
    html = shown(reader, space)
    assert reverse("sentence", args=[talked.turns.first().sentences.get().pk]) in html
    conversation = Conversation.objects.create(space=space, owner=owner, session=talked, title="Where I live")
    html = shown(reader, space)
    assert f"{reverse('conversation', args=[conversation.pk])}#round-{talked.rounds.first().pk}" in html
    assert "Where I live · 2 Mar 2024" in html
    Conversation.objects.filter(pk=conversation.pk).update(owner=User.objects.create_user("ben"))
    assert reverse("conversation", args=[conversation.pk]) not in shown(reader, space)


def test_times_of_the_reply_the_stages_and_the_score_are_told(reader, space, talked):
    conversation = Conversation.objects.create(space=space, owner=space.members.get(), session=talked)
    first = talked.rounds.first()
    Round.objects.filter(pk=first.pk).update(stage_ms={"sentences": 12.4, "graph": 80.6, "senses": 1.2})
    TurnScore.objects.filter(turn__round=first).update(milliseconds=41)
    Reply.objects.create(
        space=conversation.space,
        conversation=conversation,
        round=first,
        state=ReplyState.DONE,
        engine="e",
        first_token_ms=90,
        total_ms=1500,
    )
    failed = talked.rounds.last()
    Reply.objects.create(
        space=conversation.space,
        conversation=conversation,
        round=failed,
        state=ReplyState.FAILED,
        engine="e",
        error="The server did not answer.",
    )
    rounds = rounds_in(shown(reader, space))
    assert "answered in 1.5 s, read in 94 ms" in rounds[first.pk]
    assert "sentences 12 ms facts and conflicts 81 ms word senses 1 ms score 41 ms" in rounds[first.pk]
    assert "The reply failed. The server did not answer." in rounds[failed.pk]


def test_pending_and_unread_replies_say_so_and_have_no_figure(reader, empty, monkeypatch):
    use(monkeypatch, None, "There are no weights in /nowhere.")
    session = new_session(empty)
    talk(session, ("I live in Porto.", "You live in Porto."))
    assert strip_in(shown(reader, empty)) == ["1: not scored"]
    assert "being read into memory" in plain(shown(reader, empty))
    space_maintain(space_id=empty.pk)
    html = shown(reader, empty)
    assert strip_in(html) == ["1: is being scored"] and "1 being scored" in plain(html)
    scores_run()
    html = shown(reader, empty)
    assert strip_in(html) == ["1: not scored"] and "Not scored: There are no weights in /nowhere." in plain(html)
    assert table_in(html) == [["1", "not scored", "–", "–", "0"]]
    [told] = rounds_in(html).values()
    assert "0.5" not in told and "CS" not in told
    data = reader.get(reverse("space-timeline-data", args=[empty.pk])).json()
    assert (data["cs"], data["der"], data["label"]) == ([None], [None], ["not_scored"])


def test_built_in_model_is_shown_with_its_limits(reader, empty, model: EntailmentModel):
    model.name = "built-in/0123456789ab"  # type: ignore[misc]
    talk(new_session(empty), ("I live in Porto.", "You live in Porto."))
    space_maintain(space_id=empty.pk)
    scores_run()
    html = plain(shown(reader, empty))
    assert "Judged by built-in, sentence by sentence (built-in/0123456789ab, strongest_sentence)" in html
    assert "The built-in model is small and errs often" in html


def test_failed_round_is_retried_from_the_page(reader, space, talked):
    failed = talked.rounds.last()
    Round.objects.filter(pk=failed.pk).update(
        maintenance=MaintenanceState.FAILED, maintenance_error="No reply came.", maintained_at=None
    )
    OutboxRecord.objects.all().delete()
    html = shown(reader, space, session=talked.pk)
    assert "This round could not be read into memory. No reply came." in rounds_in(html)[failed.pk]
    path = reverse("timeline-retry", args=[space.pk, failed.pk])
    back = f"{reverse('space-timeline', args=[space.pk])}?session={talked.pk}"
    assert f'value="{back}"' in unescape(html)
    answer = reader.post(path, {"back": back})
    assert (answer.status_code, answer["Location"]) == (302, back)
    failed.refresh_from_db()
    assert failed.maintenance == MaintenanceState.PENDING and OutboxRecord.objects.count() == 1
    assert "being read into memory" in rounds_in(shown(reader, space))[failed.pk]
    assert reader.post(path, {"back": "https://elsewhere.example/"})["Location"] == back.split("?")[0]
    assert reader.get(path).status_code == 405


def test_as_of_shows_the_rounds_up_to_the_turn(reader, space, talked):
    turns = list(talked.turns.order_by("index"))
    html = shown(reader, space, as_of=turns[4].pk)
    assert [row[:3] for row in table_in(html)][-1] == ["3", "contradicted", "0.13"] and len(rounds_in(html)) == 3
    assert "0.50 of 2 scored" in plain(html)
    data = reader.get(reverse("space-timeline-data", args=[space.pk]), {"as_of": turns[4].pk}).json()
    assert len(data["cs"]) == 3
    later = new_session(space, "later")
    talk(later, ("I live in Rome.", "You live in Rome."))
    assert len(rounds_in(shown(reader, space))) == 1
    assert len(rounds_in(shown(reader, space, as_of=turns[0].pk))) == 1
    html = plain(shown(reader, space, session=later.pk, as_of=turns[4].pk))
    assert "This conversation had not begun at this turn." in html


def test_rounds_stay_on_their_page_and_each_is_on_one(reader, empty, model, monkeypatch):
    monkeypatch.setattr(views, "ROUNDS", 3)
    session = new_session(empty)
    talk(session, *((f"Message {number}.", f"Reply {number}.") for number in range(17)))
    keys = list(session.rounds.order_by("index").values_list("pk", flat=True))
    pages, before = [], ""
    while True:
        html = shown(reader, empty, **({"before": before} if before else {}))
        pages.insert(0, list(rounds_in(html)))
        found = re.search(r'before=(\d+)" rel="prev"', html)
        if not found:
            break
        before = found.group(1)
    assert [key for page in pages for key in page] == keys
    assert [len(page) for page in pages] == [6, 6, 5]
    assert 'rel="next"' in html
    monkeypatch.setattr(views, "STRIP", 5)
    html = shown(reader, empty)
    assert "Replies 13 to 17 of 17" in plain(html)
    data = reader.get(reverse("space-timeline-data", args=[empty.pk])).json()
    for key, before in zip(data["round"], data["before"], strict=True):
        assert key in rounds_in(shown(reader, empty, before=before))
    talk(session, ("One more.", "Reply."))
    assert list(rounds_in(shown(reader, empty)))[:5] == pages[-1]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_parameters_are_ignored_or_not_found(reader, space, talked, value):
    for name in ("session", "as_of"):
        for view in ("space-timeline", "space-timeline-data"):
            assert reader.get(reverse(view, args=[space.pk]), {name: value}).status_code == 404
    for name in ("before", "view", "nonsense"):
        html = shown(reader, space, **{name: value})
        assert len(rounds_in(html)) == 4 and "<script>alert" not in html


def test_timeline_of_another_is_not_found(reader, space, talked):
    stranger = Client()
    stranger.force_login(User.objects.create_user("ben"))
    theirs = space_create(name="Ben's", owner=User.objects.get(username="ben"))
    failed = talked.rounds.last()
    Round.objects.filter(pk=failed.pk).update(maintenance=MaintenanceState.FAILED)
    for view in ("space-timeline", "space-timeline-data"):
        assert stranger.get(reverse(view, args=[space.pk])).status_code == 404
        assert stranger.get(reverse(view, args=[theirs.pk]), {"session": talked.pk}).status_code == 404
        assert Client().get(reverse(view, args=[space.pk])).status_code == 302
    for holder in (space, theirs):
        assert stranger.post(reverse("timeline-retry", args=[holder.pk, failed.pk])).status_code == 404
    failed.refresh_from_db()
    assert failed.maintenance == MaintenanceState.FAILED


def test_what_is_said_without_memory_is_not_shown(reader, empty):
    session = session_create(space=empty, started_at=START, is_remembered=False)
    talk(session, ("A secret.", "Noted."))
    assert "Nothing was said yet." in plain(shown(reader, empty))
    assert reader.get(reverse("space-timeline", args=[empty.pk]), {"session": session.pk}).status_code == 404


def test_timeline_costs_the_same_at_2000_turns(reader, space, talked):
    session = new_session(space, "long")
    Round.objects.bulk_create(
        Round(session=session, space=space, index=index, maintenance=MaintenanceState.DONE) for index in range(1000)
    )
    turns = [
        Turn(
            round=round, session=session, space=space, index=2 * round.index + side, role=role, speaker=str(role),
            text=f"Words {round.index}.", said_at=START,
        )
        for round in session.rounds.order_by("index")
        for side, role in enumerate((Role.USER, Role.ASSISTANT))
    ]  # fmt: skip
    Turn.objects.bulk_create(turns)
    strategy = TurnScore.objects.values_list("strategy", flat=True).first()
    TurnScore.objects.bulk_create(
        TurnScore(
            space=space, session=session, turn=turn, model="judging", strategy=strategy, state=ScoreState.SCORED,
            label="entailment", entailment=0.9, neutral=0.1, contradiction=0.0, scored_at=START,
        )
        for turn in turns
        if turn.role == Role.ASSISTANT
    )  # fmt: skip
    assert TripleRecord.objects.filter(space=space).exists()
    asked = {"session": session.pk, "as_of": turns[-1].pk, "before": 500}
    for query in ({}, {"session": session.pk}, asked):
        with CaptureQueriesContext(connection) as queries:
            html = shown(reader, space, **query)
        assert len(queries) <= MOST_QUERIES, [one["sql"] for one in queries]
        assert 10 <= len(rounds_in(html)) <= 20 and len(html) < 100_000
    assert "of 1000 scored" in plain(html)
    with CaptureQueriesContext(connection) as queries:
        data = reader.get(reverse("space-timeline-data", args=[space.pk]), asked).json()
    assert len(queries) <= MOST_QUERIES and len(data["cs"]) == 1000
