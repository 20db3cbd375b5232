"""Benches measure what they say and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from conversations.models import Conversation
from evaluation.core.report import Row
from evaluation.core.types import group_rounds
from evaluation.management.reporting import report_read
from evaluation.performance import maintenance, replay, reply
from evaluation.performance.catalogue import BENCHES, options_of
from evaluation.performance.dialogue import TURNS, made_up_case
from evaluation.performance.served import guest_create, guest_forget
from evaluation.services.population import name_of, planned, space_populate
from evaluation.services.spaces import temporary_space
from memory.models import EntityRecord, MaintenanceState, Round, SentenceRecord, Space, TripleRecord, Turn
from memory.stores import SpaceMemory
from tests.fakes.engines import WordEmbedder

pytestmark = pytest.mark.django_db


def test_a_populated_space_reads_like_one_that_was_talked_into(small_engine):
    with temporary_space(title="filled") as space:
        space_populate(space=space, triples=503, quiet=True)
        assert TripleRecord.objects.filter(space=space).count() == 503
        assert SentenceRecord.objects.filter(space=space, embedding=None).count() == 0
        assert set(Round.objects.filter(space=space).values_list("maintenance", flat=True)) == {MaintenanceState.DONE}
        sentence = SentenceRecord.objects.filter(space=space, index=1).select_related("turn").first()
        assert sentence.turn.text[sentence.start : sentence.end] == sentence.text
        reader = SpaceMemory(space.pk, embedder=WordEmbedder())
        [entity] = reader.entities_named([name_of(7)])[name_of(7)]
        assert {triple.predicate for triple in reader.triples_about([entity.id])} == {
            "livesIn", "worksFor", "likes", "hasFriend", "visited",
        }  # fmt: skip
    assert not EntityRecord.objects.exists()
    assert not Turn.objects.exists()


def test_the_same_seed_plans_the_same_triples():
    assert list(planned(40, 3)) == list(planned(40, 3))
    assert list(planned(40, 3)) != list(planned(40, 4))
    assert len({name_of(number) for number in range(5000)}) == 5000


def test_the_made_up_dialogue_has_its_length_and_rounds():
    case = made_up_case()
    assert case == made_up_case()
    assert case.turn_count == TURNS
    assert len({turn.key for session in case.sessions for turn in session.turns}) == TURNS
    assert all(len(group) <= 2 for session in case.sessions for group in group_rounds(session.turns))


def test_reply_bench_gives_both_times_at_each_size(small_engine, answering):
    answering(graph="You live in Lyon.")
    options = {"triples": (10, 20), "messages": 3, "responder": "graph", "engine": "", "quiet": True}
    rows = reply.measure(options)
    assert [(row.metric, row.group, row.n) for row in rows] == [
        (metric, size, 3)
        for size in ("10", "20")
        for metric in ("first_token_p50_ms", "first_token_p95_ms", "total_p50_ms", "total_p95_ms")
    ]
    assert not Space.objects.exists()
    assert not Conversation.objects.exists()


def test_reply_bench_says_why_there_is_no_figure(small_engine, monkeypatch):
    from conversations import bootstrap
    from memory.core.errors import ModelUnreachable

    def unreachable(name, *, engine, space_id):
        raise ModelUnreachable("The server does not answer. Start it.")

    monkeypatch.setattr(bootstrap, "responder", unreachable)
    [row] = reply.measure({"triples": (5,), "messages": 1, "responder": "graph", "engine": "", "quiet": True})
    assert (row.value, row.why) == (None, "The server does not answer. Start it.")


def test_maintenance_bench_measures_as_many_rounds_as_asked(small_engine):
    rows = maintenance.measure({"triples": (10,), "rounds": 7, "engine": "", "quiet": True})
    steps = (
        "sentences embeddings postings words edges sessions links extraction statement conflicts update graph senses facts "
        "summaries insights digests other"
    ).split()
    assert {(row.name, row.metric, row.group, row.n) for row in rows} == {
        *(("maintenance", metric, "10", 7) for metric in ("p50_ms", "p95_ms", "cpu_ms", "queries")),
        *(("maintenance", f"{step}_{metric}", "10", 7) for step in steps for metric in ("p50_ms", "p95_ms")),
        ("maintenance", "prompt_triples", "10", 0),
    }
    assert all(row.value is not None and row.value >= 0 for row in rows)


def test_replay_bench_compares_the_first_tenth_with_the_last(small_engine, dialogue_file):
    from tests.integration.evaluation.conftest import moving_case

    rows = replay.measure({"data": dialogue_file(moving_case()), "only": "", "engine": "", "quiet": True})
    found = {row.metric: row.value for row in rows}
    assert found["last_to_first"] == pytest.approx(found["last_decile_ms"] / found["first_decile_ms"])
    assert found["rounds_failed"] == 0


def test_guests_of_a_bench_leave_nothing_behind(db):
    guest = guest_create("bench-guest")
    assert guest.cookie.startswith("sessionid=")
    guest_forget(guest)
    assert not User.objects.filter(username="bench-guest").exists()
    assert not Space.objects.exists()


def test_benches_that_share_an_option_read_it_alike():
    for name, option in options_of(BENCHES).items():
        parsers = {each.parse for bench in BENCHES.values() for each in bench.OPTIONS if each.name == name}
        assert parsers == {option.parse}, name


def test_an_unknown_bench_is_named_with_those_that_there_are():
    with pytest.raises(CommandError, match=r"no bench 'speed'. Benches: reply, maintenance"):
        call_command("bench", "speed", stdout=StringIO())


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read"), ("[]", "no report of a measurement")])
def test_what_cannot_be_compared_is_said_before_anything_is_measured(tmp_path, content, said):
    earlier = tmp_path / "earlier.json"
    if content is not None:
        earlier.write_text(content)
    with pytest.raises(CommandError, match=rf"earlier.json.*{said}"):
        call_command("bench", "maintenance", "--compare", str(earlier), stdout=StringIO())


def test_bench_prints_its_rows_beside_those_of_an_earlier_run(tmp_path, monkeypatch):
    from evaluation.management.commands import bench

    row = Row("maintenance", "p50_ms", 80.0, unit="ms", group="1000")
    earlier, out = tmp_path / "earlier.json", StringIO()
    monkeypatch.setattr(bench, "measured_apart", lambda *_, **__: [row])
    call_command("bench", "maintenance", "--json", str(earlier), stdout=StringIO(), verbosity=0)
    monkeypatch.setattr(bench, "measured_apart", lambda *_, **__: [replace(row, value=20.0)])
    call_command("bench", "maintenance", "--compare", str(earlier), stdout=out, verbosity=0)
    code = report_read(earlier).identity.code
    assert out.getvalue().splitlines()[3:] == [
        "name         metric  group  before  now  unit  ratio",
        "maintenance  p50_ms  1000       80   20  ms     0.25",
        f"Code: {code} before, {code} now.",
    ]


def test_bench_that_is_ended_ends_what_measures(tmp_path):
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "bench", "sentence-graph", "--sentences", "100000"]
    bench = subprocess.Popen(command, env={**os.environ, "DSMART_HOME": str(tmp_path)}, stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{bench.pid}/task/{bench.pid}/children")
    deadline = time.monotonic() + 30
    while not (measuring := children.read_text().split()) and time.monotonic() < deadline:
        time.sleep(0.05)
    bench.terminate()
    assert bench.wait(timeout=30) == 128 + signal.SIGTERM
    assert measuring and not Path(f"/proc/{measuring[0]}").exists()
