"""Replaying files: once, whole, in order, whatever happens on the way."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.core.errors import MalformedBenchmark, UnknownName
from evaluation.services import replay
from evaluation.services.replay import file_replay
from memory.core.errors import ModelUnreachable
from memory.models import MaintenanceState, Round, SentenceRecord, Session, Space, TripleRecord, Turn
from memory.selectors import spaces_of
from memory.services import space_personal
from tests.fakes.engines import small_models
from tests.integration.evaluation.conftest import moving_case

pytestmark = pytest.mark.django_db

SERVICES = ("session_create", "round_open", "round_add_turn", "round_complete", "space_maintain")


class Killed(BaseException):
    """Stands for the end of the process: nothing in the product catches it."""


def content(space: Space) -> dict[str, list[object]]:
    """Return all that a replay writes, without ids and times of recording."""
    turns = Turn.objects.filter(space=space).order_by("session__key", "index")
    rounds = Round.objects.filter(space=space).order_by("session__key", "index")
    sentences = SentenceRecord.objects.filter(space=space).order_by("turn__session__key", "turn__index", "index")
    triples = TripleRecord.objects.filter(space=space).order_by("id")
    return {
        "turns": list(turns.values_list("key", "text", "index")),
        "rounds": list(rounds.values_list("index", "maintenance")),
        "sentences": list(sentences.values_list("text")),
        "triples": list(triples.values_list("value", "superseded_by__value")),
    }


def test_a_case_becomes_sessions_rounds_and_turns_as_said(owner, small_engine, dialogue_file):
    done = file_replay(path=dialogue_file(moving_case()), owner=owner, quiet=True)
    [space] = done.spaces
    assert space.name == "homes/ana"
    assert [session.started_at.isoformat() for session in Session.objects.filter(space=space).order_by("id")] == [
        "2024-03-01T18:20:00+00:00",
        "2024-03-02T18:20:00+00:00",
    ]
    assert [row[2] for row in content(space)["turns"]] == [0, 1, 2] * 2
    assert content(space)["rounds"] == [(0, MaintenanceState.DONE), (1, MaintenanceState.DONE)] * 2
    assert content(space)["triples"] == [("Paris", "Lyon"), ("Lyon", None)]
    assert (done.triples, done.superseded, done.rounds_failed) == (2, 1, 0)
    assert done.total(lambda case: case.turns) == 6


def test_a_second_replay_adds_nothing_and_says_so(owner, small_engine, dialogue_file):
    path = dialogue_file(moving_case())
    [space] = file_replay(path=path, owner=owner, quiet=True).spaces
    before = content(space)
    out = StringIO()
    call_command("replay", str(path), verbosity=0, stdout=out)
    assert content(space) == before
    assert "Nothing was added: 6 turns are there already." in out.getvalue()


def test_a_second_replay_reads_again_what_failed(owner, small_engine, dialogue_file, monkeypatch):
    path = dialogue_file(moving_case())
    monkeypatch.setattr(small_engine, "extract_many", unreachable)
    [space] = file_replay(path=path, owner=owner, quiet=True).spaces
    assert {state for _, state in content(space)["rounds"]} == {MaintenanceState.FAILED}
    monkeypatch.undo()
    small_models(monkeypatch)
    out = StringIO()
    call_command("replay", str(path), verbosity=0, stdout=out)
    assert "4 rounds that had failed were read again; 0 of all rounds have failed now." in out.getvalue()
    assert content(space)["triples"] == [("Paris", "Lyon"), ("Lyon", None)]


def unreachable(*said: object, **context: object) -> None:
    raise ModelUnreachable("The server does not answer.")


def test_a_file_that_grew_adds_only_what_is_new(owner, small_engine, dialogue_file):
    file_replay(path=dialogue_file(moving_case("ana", "Paris")), owner=owner, quiet=True)
    done = file_replay(path=dialogue_file(moving_case("ana", "Paris", "Lyon")), owner=owner, quiet=True)
    assert done.total(lambda case: case.turns) == 3
    assert done.total(lambda case: case.turns_known) == 3
    assert content(done.spaces[0])["triples"] == [("Paris", "Lyon"), ("Lyon", None)]


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_replay_that_was_killed_goes_on_where_it_stopped(
    owner, small_engine, dialogue_file, monkeypatch, service, call
):
    case = moving_case("ana", "Paris", "Lyon", "Nantes")
    whole = file_replay(path=dialogue_file(case, name="whole"), owner=owner, quiet=True)
    calls = 0
    real = getattr(replay, service)

    def killed(**arguments):
        nonlocal calls
        calls += 1
        if calls == call:
            raise Killed
        return real(**arguments)

    path = dialogue_file(case, name="killed")
    with monkeypatch.context() as patch:
        patch.setattr(replay, service, killed)
        with pytest.raises(Killed):
            file_replay(path=path, owner=owner, quiet=True)
    resumed = file_replay(path=path, owner=owner, quiet=True)
    assert content(resumed.spaces[0]) == content(whole.spaces[0])
    assert spaces_of(owner).filter(name="killed/ana").count() == 1


def test_a_malformed_record_imports_nothing(owner, small_engine, dialogue_file):
    broken = moving_case("late")
    broken["sessions"][1]["turns"][2]["role"] = "usr"
    with pytest.raises(MalformedBenchmark, match=r"record 2, field sessions\[1\]\.turns\[2\]\.role"):
        file_replay(path=dialogue_file(moving_case(), broken), owner=owner, quiet=True)
    assert not Turn.objects.exists()
    assert not spaces_of(owner).filter(name__startswith="homes").exists()


def test_one_space_may_take_all_cases(owner, small_engine, dialogue_file):
    path = dialogue_file(moving_case("one"), moving_case("two"))
    done = file_replay(path=path, owner=owner, space_name="All of it", quiet=True)
    assert [space.name for space in done.spaces] == ["All of it"]
    assert Session.objects.filter(space=done.spaces[0]).count() == 4


def test_only_and_limit_choose_cases_and_an_unknown_id_is_said(owner, small_engine, dialogue_file):
    path = dialogue_file(*(moving_case(name) for name in ("one", "two", "three")))
    assert [space.name for space in file_replay(path=path, owner=owner, only="two", quiet=True).spaces] == ["homes/two"]
    assert len(file_replay(path=path, owner=owner, limit=2, quiet=True).spaces) == 2
    with pytest.raises(UnknownName, match=r"no case 'four'. Cases: one, two, three"):
        file_replay(path=path, owner=owner, only="four", quiet=True)


def test_turns_without_words_are_left_out(owner, small_engine, dialogue_file):
    case = moving_case("ana", "Paris")
    case["sessions"][0]["turns"][1]["text"] = " \n"
    done = file_replay(path=dialogue_file(case), owner=owner, quiet=True)
    assert (done.total(lambda item: item.turns), done.total(lambda item: item.turns_blank)) == (2, 1)


def test_the_owners_own_space_stays_the_first(owner, small_engine, dialogue_file):
    file_replay(path=dialogue_file(moving_case()), owner=owner, quiet=True)
    assert space_personal(user=owner).name == "My memory"


def test_the_summary_has_the_one_form(owner, small_engine, dialogue_file, tmp_path):
    out = tmp_path / "summary.json"
    path = dialogue_file(moving_case())
    call_command("replay", str(path), json=out, verbosity=0, stdout=StringIO())
    report = json.loads(out.read_text())
    values = {row["metric"]: row["value"] for row in report["rows"]}
    assert report["command"] == "replay"
    assert list(report["identity"]["data"]) == ["homes.jsonl"]
    assert (values["sessions"], values["rounds"], values["turns"], values["triples"], values["superseded"]) == (
        2,
        4,
        6,
        2,
        1,
    )


def test_a_file_that_is_not_there_is_said_in_one_line(owner, tmp_path):
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("replay", str(tmp_path / "absent.jsonl"), verbosity=0, stdout=StringIO())
