"""What would break the graph is held back; the whole graph is checked on demand and once a day, one check at a time."""

from __future__ import annotations

import time
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from dsmart_web.embedded.sweeper import Seldom
from memory import bootstrap
from memory.adapters.owl_reasoner import OwlReasoner, ReasonerVerdict
from memory.core.errors import ReasonerFailed
from memory.core.types import Fact, GraphFragment, Modality, Node, Polarity, Role, Span, Tense
from memory.dispatch import seldom_sweep
from memory.models import (
    ConflictRecord,
    EditRecord,
    GraphCheckRecord,
    HeldFragmentRecord,
    MaintenanceState,
    OutboxRecord,
    PredicateRecord,
    Session,
    Space,
    TripleRecord,
)
from memory.services import space_create, space_maintain
from memory.services.graph_checks import (
    BUILT_IN,
    CHECK_TASK,
    CheckRefused,
    check_lock,
    graph_check,
    graph_check_promise,
    graph_check_run,
)
from tests.fakes.engines import engine_of
from tests.integration.memory.dialogues import new_session, say
from tests.integration.memory.graphs import START, entity, rich_memory, spoken, triple

pytestmark = pytest.mark.django_db


class ListedFacts:
    """Reads "Ana hasMother Bo; not Ana likes tea" as the facts of one sentence."""

    def extract_many(self, sentences, *, context=()):
        return [
            GraphFragment() if one.role is Role.ASSISTANT else GraphFragment(tuple(self.facts(one.text)))
            for one in sentences
        ]

    def facts(self, text: str):
        for said in text.removesuffix(".").split("; "):
            subject, predicate, value = said.removeprefix("not ").split(" ", 2)
            polarity = Polarity.NEGATIVE if said.startswith("not ") else Polarity.POSITIVE
            is_literal = predicate in {"age", "birthDate"}
            yield Fact(
                Node(subject, "Person"), predicate, Node(value, is_literal=is_literal), Span(0, len(text)), polarity
            )


@pytest.fixture
def teach(space: Space, extractor, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine_of(ListedFacts(), name=name))

    def taught(*texts: str) -> None:
        say(new_session(space), *texts)
        space_maintain(space_id=space.pk)

    return taught


@pytest.fixture
def broken(space: Space) -> Space:
    """A space with a contradiction that came in past the check of updates."""
    session = Session.objects.create(space=space, started_at=START)
    words = spoken(session, "Ana's mother is Bo and Bo's mother is Ana.")
    ana, bo = entity(space, "Ana", kind="Person"), entity(space, "Bo", kind="Person")
    triple(words, ana, "hasMother", bo)
    triple(words, bo, "hasMother", ana)
    return space


def active(space: Space) -> set[str]:
    rows = TripleRecord.objects.filter(space=space, superseded_at=None).select_related("subject", "object")
    return {f"{row.subject.label} {row.predicate} {row.value}" for row in rows}


def aged(space: Space, hours: float = 25) -> Space:
    """Return the space as if it and its checks were made that long ago."""
    long_ago = timezone.now() - timedelta(hours=hours)
    Space.objects.filter(pk=space.pk).update(created_at=long_ago)
    GraphCheckRecord.objects.filter(space=space).update(created_at=long_ago)
    TripleRecord.objects.filter(space=space).update(recorded_at=long_ago + timedelta(hours=1))
    return space


def promised() -> list[int]:
    return list(OutboxRecord.objects.filter(task=CHECK_TASK).values_list("arguments__check_id", flat=True))


def test_fragment_that_would_break_the_graph_is_held_back_whole(space, teach):
    teach("Ana hasMother Bo.", "Bo hasMother Ana; Bo likes tea.", "Bo likes jam.")
    assert active(space) == {"Ana hasMother Bo", "Bo likes jam"}
    held = HeldFragmentRecord.objects.get(space=space)
    assert held.axiom == "asymmetric"
    assert held.reason == "Ana's mother is Bo. Bo's mother is Ana. It cannot be so both ways round."
    assert [fact["predicate"] for fact in held.facts] == ["hasMother", "likes"]
    assert held.sentence.text == "Bo hasMother Ana; Bo likes tea."
    assert held.round == held.sentence.turn.round
    assert list(held.against.values_list("subject__label", "value")) == [("Ana", "Bo")]
    assert held.round.maintenance == MaintenanceState.DONE


def test_held_facts_have_all_that_it_takes_to_add_them(space, teach):
    teach("Maya hasSister Maya; Maya age 30.")
    held = HeldFragmentRecord.objects.get(space=space)
    assert held.reason == "Maya cannot be her own sister: siblings are two people."
    assert held.facts[1]["object"] == {
        "label": "30", "kind": "", "aliases": [], "is_literal": True, "is_speaker": False, "is_any": False,
        "lemma": "", "pos": "",
    }  # fmt: skip
    assert held.facts[1]["span"] == {"start": 0, "end": len(held.sentence.text)}
    assert (held.facts[1]["polarity"], held.facts[1]["valid_from"]) == ("positive", None)


@pytest.mark.parametrize(
    "said",
    [
        "Ana hasSister Ana.",
        "Ana age purple.",
        "Ana birthDate next summer.",
    ],
)
def test_each_of_these_alone_is_held_back(space, teach, said):
    teach(said)
    assert active(space) == set()
    assert HeldFragmentRecord.objects.filter(space=space).count() == 1


def test_change_of_mind_is_an_update_and_nothing_is_held_back(space, teach):
    teach("Ana livesIn Paris.", "Ana livesIn Lyon.", "Ana likes tea.", "Ana dislikes tea.", "not Ana likes jam.")
    assert HeldFragmentRecord.objects.count() == 0
    assert active(space) == {"Ana livesIn Lyon", "Ana dislikes tea", "Ana likes jam"}


@pytest.mark.parametrize(("reasoner", "explained"), [("hermit", False), ("pellet", False), (BUILT_IN, False)])
def test_every_reasoner_names_what_clashes(broken, reasoner, explained):
    check = graph_check(space=broken, reasoner=reasoner, is_explained=explained)
    assert check.verdict == "inconsistent"
    assert "Ana's mother is Bo. Bo's mother is Ana. It cannot be so both ways round." in check.explanation
    assert ("Pellet: " in check.explanation) == (reasoner == "pellet")
    assert (check.triple_count, check.reasoner) == (2, reasoner)
    assert GraphCheckRecord.objects.get().duration_ms == check.duration_ms > 0


def test_memory_with_a_whole_history_is_consistent_to_hermit(space, ana):
    rich_memory(space, ana)
    TripleRecord.objects.filter(space=space, predicate="worksFor", is_any=True).delete()
    check = graph_check(space=space)
    assert (check.verdict, check.explanation) == ("consistent", "")
    assert check.triple_count == TripleRecord.objects.filter(
        superseded_at=None, tense=Tense.PRESENT, modality=Modality.ASSERTED
    ).exclude(valid_from__gt=timezone.now()).count()  # fmt: skip


def test_graph_is_read_in_pages(broken, monkeypatch, django_assert_num_queries):
    from memory.services import graph_checks

    monkeypatch.setattr(graph_checks, "PAGE", 1)
    with django_assert_num_queries(3):
        assert len(graph_checks.space_current_triples(broken.pk)) == 2


def test_reasoner_that_fails_is_a_verdict_of_its_own(broken, monkeypatch, capsys):
    def fail(self, graph):
        raise ReasonerFailed("HermiT had no verdict after 300 seconds.")

    monkeypatch.setattr(OwlReasoner, "check", fail)
    with pytest.raises(CommandError, match="no verdict after 300 seconds") as raised:
        call_command("check_graph", "--space", broken.name)
    assert raised.value.returncode == 2
    assert GraphCheckRecord.objects.get().verdict == "failed"


def test_reasoner_that_finds_more_than_the_check_of_our_own_says_so(space, monkeypatch):
    monkeypatch.setattr(OwlReasoner, "check", lambda self, graph: ReasonerVerdict(is_consistent=False))
    assert graph_check(space=space).explanation == "hermit finds the graph inconsistent and does not say where."


def test_command_prints_the_verdict_and_ends_with_its_status(broken):
    out = StringIO()
    with pytest.raises(SystemExit) as raised:
        call_command("check_graph", "--space", str(broken.pk), "--explain", stdout=out)
    first, *clashes = out.getvalue().splitlines()
    assert raised.value.code == 1
    assert first.startswith("inconsistent (hermit, 2 current triples, ")
    assert clashes[0] == "  Ana's mother is Bo. Bo's mother is Ana. It cannot be so both ways round."
    assert clashes[1].startswith("  Pellet: ")
    assert "never holds both ways round." in clashes[1]


def test_command_ends_quietly_where_all_is_well(space):
    out = StringIO()
    call_command("check_graph", "--space", space.name, "--reasoner", BUILT_IN, stdout=out)
    assert out.getvalue().startswith("consistent (built-in, 0 current triples, ")


def test_command_names_a_space_that_is_not_there(space, ana):
    with pytest.raises(CommandError, match="There is no space 'nowhere'") as raised:
        call_command("check_graph", "--space", "nowhere")
    assert raised.value.returncode == 2
    space_create(name=space.name, owner=ana)
    with pytest.raises(CommandError, match="names several spaces"):
        call_command("check_graph", "--space", space.name)


@pytest.mark.django_db(transaction=True)
def test_two_checks_of_a_space_never_run_at_once(broken):
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("select pg_try_advisory_lock(%s)", [0x63686B << 32 | broken.pk])
        with pytest.raises(CheckRefused, match="is running"):
            graph_check(space=broken, reasoner=BUILT_IN)
        check = graph_check_promise(space=broken)
        assert not graph_check_run(check_id=check.pk)
    finally:
        other.close()
    # The server notices the end of a connection a moment later.
    deadline = time.monotonic() + 10
    is_mine = False
    while not is_mine and time.monotonic() < deadline:
        with check_lock(broken.pk) as is_mine:
            time.sleep(0.05)
    assert is_mine


def test_space_that_changed_is_checked_once_a_day(broken):
    aged(broken)
    seldom_sweep()
    seldom_sweep()
    [check_id] = promised()
    assert graph_check_run(check_id=check_id)
    check = GraphCheckRecord.objects.get(pk=check_id)
    assert (check.verdict, check.reasoner) == ("inconsistent", "hermit")
    assert not graph_check_run(check_id=check_id), "A task that is sent twice runs once."
    seldom_sweep()
    assert promised() == [check_id]


def test_space_that_did_not_change_is_left_alone(broken):
    aged(broken)
    GraphCheckRecord.objects.create(space=broken, reasoner="hermit", verdict="consistent")
    GraphCheckRecord.objects.update(created_at=timezone.now() - timedelta(hours=24, minutes=1))
    TripleRecord.objects.update(recorded_at=timezone.now() - timedelta(hours=30))
    seldom_sweep()
    assert promised() == []


@pytest.mark.parametrize("change", ["learnt", "superseded", "edited", "declared"])
def test_any_change_since_the_last_check_makes_a_new_one_due(broken, change):
    aged(broken)
    GraphCheckRecord.objects.create(space=broken, reasoner="hermit", verdict="consistent")
    GraphCheckRecord.objects.update(created_at=timezone.now() - timedelta(hours=25))
    TripleRecord.objects.update(recorded_at=timezone.now() - timedelta(hours=30))
    now = timezone.now()
    if change == "learnt":
        TripleRecord.objects.filter(value="Bo").update(recorded_at=now)
        TripleRecord.objects.filter(value="Ana").update(superseded_at=now - timedelta(hours=40))
    elif change == "superseded":
        TripleRecord.objects.filter(value="Bo").update(superseded_at=now)
    elif change == "edited":
        EditRecord.objects.create(space=broken, kind="merge", summary="Bo is Bob.")
    else:
        PredicateRecord.objects.create(space=broken, name="drives", is_functional=True)
    seldom_sweep()
    assert len(promised()) == 1


def test_new_space_is_not_checked_on_its_first_day(broken):
    seldom_sweep()
    assert promised() == []


def test_schedule_can_be_switched_off(broken, settings):
    aged(broken)
    settings.DSMART_CHECK_HOURS = 0
    seldom_sweep()
    assert promised() == []


def test_a_sweep_promises_a_few_checks_only(broken, ana):
    aged(broken)
    for number in range(6):
        space = space_create(name=f"space {number}", owner=ana)
        words = spoken(Session.objects.create(space=space, started_at=START), "I like tea.")
        triple(words, entity(space, "Ana"), "likes", entity(space, "tea"))
        aged(space)
    seldom_sweep()
    assert len(promised()) == 5
    seldom_sweep()
    assert len(promised()) == 7


def test_check_whose_process_died_is_given_up_and_promised_again(broken):
    aged(broken)
    seldom_sweep()
    dead = GraphCheckRecord.objects.get()
    aged(broken)
    TripleRecord.objects.update(recorded_at=timezone.now())
    seldom_sweep()
    dead.refresh_from_db()
    assert (dead.verdict, dead.explanation) == ("failed", "The process that was to run this check ended.")
    assert len(promised()) == 2


def test_conflicts_are_settled_before_the_check(space, teach):
    teach("Ana spouse Bo.", "Ana spouse Cy.")
    assert active(space) == {"Ana spouse Cy"}
    assert ConflictRecord.objects.count() == 1
    assert HeldFragmentRecord.objects.count() == 0


def test_seldom_passes_over_its_turns_until_the_interval_is_over(monkeypatch):
    ran: list[int] = []
    clock = [100.0]
    monkeypatch.setattr("dsmart_web.embedded.sweeper.time.monotonic", lambda: clock[0])
    seldom = Seldom(lambda: ran.append(1), interval_s=60)
    for moment in (100.0, 103.0, 159.0, 160.0, 163.0):
        clock[0] = moment
        seldom()
    assert len(ran) == 2
