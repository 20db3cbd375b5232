"""The head of the dashboard: the line of rounds, the place in time, the tabs, and what none of them may show."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.core.types import Role
from memory.models import MaintenanceState, Round, Space, Turn
from memory.selectors import as_of, moment_in
from memory.services import space_create
from memory.services.members import member_add
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db
NO_TURN = ["abc", "-1", "0", "1.5", "9" * 19, "9" * 400, "٣", "1 or 1=1"]


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def first_turns(space: Space) -> list[int]:
    return list(Turn.objects.filter(space=space, role=Role.USER).order_by("round_id").values_list("pk", flat=True))


def line(space: Space, turn: Turn | None = None) -> tuple[list[int], int, int | None, int | None]:
    moment = moment_in(space, turn)
    return [stop.turn_id for stop in moment.stops], moment.position, moment.before, moment.after


def test_line_has_every_round_of_a_short_dialogue_and_now_after_them(space):
    say(new_session(space, "a"), "One.", "Two.", "Three.")
    first, second, third = first_turns(space)
    assert line(space) == ([first, second, third], 3, third, None)
    at = Turn.objects.select_related("round").get(pk=second)
    assert line(space, at) == ([first, second, third], 1, first, third)


def test_reply_stands_where_its_round_stands(space):
    say(new_session(space, "a"), "One.", "Two.")
    first, second = first_turns(space)
    reply = Turn.objects.select_related("round").get(round__turns=first, role=Role.ASSISTANT)
    assert line(space, reply) == ([first, second], 0, None, second)


def test_what_was_said_without_memory_is_not_on_the_line(space):
    say(new_session(space, "a"), "One.", "Secret.", "Three.")
    first, secret, third = first_turns(space)
    Round.objects.filter(turns=secret).update(maintenance=MaintenanceState.SKIPPED)
    assert line(space) == ([first, third], 2, third, None)


def test_long_line_has_some_stops_and_every_round_is_still_a_step_away(space, monkeypatch):
    monkeypatch.setattr(as_of, "STOPS", 5)
    session, elsewhere = new_session(space, "a"), new_session(space_create(name="Other", owner=space.members.get()))
    for number in range(30):
        say(session, f"Round {number}.")
        say(elsewhere, f"Elsewhere {number}.")
    turns = first_turns(space)
    stops, *_ = line(space)
    assert len(stops) <= 5 and stops[0] == turns[0] and stops[-1] == turns[-1]
    assert stops == sorted(stops) and set(stops) < set(turns)
    for before, here, after in zip(turns, turns[1:], turns[2:], strict=False):
        at = Turn.objects.select_related("round").get(pk=here)
        assert line(space, at)[2:] == (before, after)
    assert line(space)[2] == turns[-1]


def test_no_line_where_nothing_was_said(space, reader):
    assert line(space) == ([], 0, None, None)
    html = reader.get(reverse("space-graph", args=[space.pk])).content.decode()
    assert "Nothing is remembered yet." in html


def test_line_costs_one_query_at_any_length(space, monkeypatch, django_assert_num_queries):
    say(new_session(space, "a"), *[f"Round {number}." for number in range(8)])
    for stops in (200, 3):
        monkeypatch.setattr(as_of, "STOPS", stops)
        with django_assert_num_queries(1):
            moment_in(space, None)


def test_memory_leads_to_the_graph_of_the_readers_own_space_at_the_turn_that_was_asked_for(reader, ana):
    answer = reader.get(reverse("memory"), follow=True)
    space = Space.objects.get(members=ana)
    assert answer.redirect_chain[-1][0] == reverse("space-graph", args=[space.pk])
    ben = User.objects.create_user("ben")
    own = space_create(name="Ben's", owner=ben)
    member_add(space=space, user=ben)
    reader.force_login(ben)
    assert reader.get(reverse("memory")).url == reverse("space-memory", args=[own.pk])
    reader.force_login(ana)
    moved = reader.get(reverse("space-memory", args=[space.pk]), {"as_of": "7"})
    assert moved.url == reverse("space-graph", args=[space.pk]) + "?as_of=7"


def test_head_names_the_turn_and_leads_to_the_rounds_beside_it(space, reader):
    say(new_session(space, "a"), "I live in Paris.", "I live in <b>Lyon</b>.", "I live in Nice.")
    first, second, third = first_turns(space)
    page = reader.get(reverse("space-graph", args=[space.pk]), {"as_of": second, "past": "1"})
    html = page.content.decode()
    assert "I live in &lt;b&gt;Lyon&lt;/b&gt;." in html and "As of" in html
    assert page.context["steps"] == {
        "before": f"{page.request['PATH_INFO']}?past=1&as_of={first}",
        "after": f"{page.request['PATH_INFO']}?past=1&as_of={third}",
        "now": f"{page.request['PATH_INFO']}?past=1",
    }
    assert all(f"as_of={second}" in address for *_, address in page.context["tabs"])


@pytest.mark.parametrize("name", ["as_of", "against"])
@pytest.mark.parametrize("asked", NO_TURN)
def test_what_is_no_turn_is_not_found(space, reader, name, asked):
    for page in ("space-graph", "space-graph-data"):
        assert reader.get(reverse(page, args=[space.pk]), {name: asked}).status_code == 404


@pytest.mark.parametrize("name", ["as_of", "against"])
def test_turn_of_another_space_is_not_found_even_if_it_is_the_readers(space, reader, ana, name):
    other = space_create(name="Other", owner=ana)
    say(new_session(other), "Elsewhere.")
    [turn] = first_turns(other)
    for page in ("space-graph", "space-graph-data"):
        assert reader.get(reverse(page, args=[space.pk]), {name: turn}).status_code == 404
        assert reader.get(reverse(page, args=[other.pk]), {name: turn}).status_code == 200


def test_switcher_offers_the_readers_spaces_and_no_others(space, reader, ana):
    mine = space_create(name="Second memory", owner=ana)
    space_create(name="Not mine", owner=User.objects.create_user("ben"))
    html = reader.get(reverse("space-graph", args=[space.pk])).content.decode()
    assert "Second memory" in html and reverse("space-graph", args=[mine.pk]) in html
    assert "Not mine" not in html


def test_palette_leads_to_memory(reader):
    assert reverse("memory") in reader.get(reverse("palette"), {"q": "memo"}).content.decode()


def test_page_costs_at_most_twelve_queries_whatever_is_asked(space, reader, extractor, monkeypatch):
    from memory.models import EntityRecord, TripleRecord
    from memory.services import space_maintain

    say(new_session(space, "a"), *[f"I live in Town{number}." for number in range(8)])
    space_maintain(space_id=space.pk)
    turns = first_turns(space)
    fact, entity = TripleRecord.objects.latest("pk"), EntityRecord.objects.earliest("pk")
    everything = {"as_of": turns[5], "against": turns[1], "entity": entity.pk, "open": [entity.pk] * 3, "fact": fact.pk}
    for stops in (200, 3):
        monkeypatch.setattr(as_of, "STOPS", stops)
        for asked in ({}, {"as_of": turns[2]}, {"as_of": turns[2], "against": turns[0]}, {"past": "1"}, everything):
            with CaptureQueriesContext(
                connection,
            ) as made:
                assert reader.get(reverse("space-graph", args=[space.pk]), asked).status_code == 200
            assert len(made) <= 12, json.dumps([query["sql"][:120] for query in made], indent=1)


def test_turns_are_shown_with_their_dates(space, reader):
    session = new_session(space, "a")
    say(session, "One.")
    Turn.objects.filter(session=session).update(said_at=datetime(2019, 5, 6, 7, 8, tzinfo=UTC))
    html = reader.get(reverse("space-graph", args=[space.pk]), {"as_of": first_turns(space)[0]}).content.decode()
    assert "6 May 2019, 07:08" in html
