"""The rows of semantic states: turns that are read once, edits by hand, two devices, and what forgetting leaves."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.urls import reverse

from memory.core.errors import LanguageModelError
from memory.core.semantic_state.elements import ElementKind, PlanMode, Status
from memory.core.semantic_state.evidence import Asserted, Withdrawn
from memory.models import Round, SentenceRecord, Session, StateChangeRecord, StateElementRecord, StateRecord
from memory.selectors.semantic_state import state_panel, state_panel_as_of
from memory.services import round_retract, session_forget, space_create, space_maintain
from memory.services.edits.audit import EditRefused
from memory.services.edits.forget_many import memory_forget
from memory.services.semantic_state import (
    assumption_confirm,
    assumption_refuse,
    constraint_edit,
    element_withdraw,
    state_retract,
    state_update,
    unknown_answer,
)
from memory.services.space_json import space_export
from tests.fakes.evidence import ALLERGY, BUDGET, CHATTER, GUESTS, PLAN, KnownEvidence, dinner
from tests.integration.memory.api import address, client_of, results
from tests.integration.memory.dialogues import new_session, say
from tests.integration.memory.test_forgetting import every_text_of_the_database
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(space) -> Session:
    return new_session(space)


def told(session: Session, *texts: str) -> Round:
    """Say texts, read the state up to the last, and return its round."""
    rounds = say(session, *texts)
    state_update(round=rounds[-1], extractor=dinner())
    return rounds[-1]


def statuses(session: Session) -> dict[str, str]:
    rows = StateElementRecord.objects.filter(session=session).order_by("pk")
    return {row.description: row.status for row in rows}


def element(words: str) -> StateElementRecord:
    return StateElementRecord.objects.get(description__contains=words)


def test_turns_are_read_once_each_against_the_state_that_it_met(session):
    *_, last = say(session, PLAN, BUDGET)
    reader = dinner()
    update = state_update(round=last, extractor=reader)
    assert reader.read == [PLAN, BUDGET]
    assert [one.after for one in update.changes if one.before is Status.OPEN] == [Status.CLOSED]
    again = state_update(round=last, extractor=reader)
    assert (again.changes, again.state) == (update.changes, update.state)
    assert reader.read == [PLAN, BUDGET] and StateRecord.objects.get(session=session).turn == 2
    assert statuses(session) == {
        "The dinner is on Saturday.": "open",
        "the number of guests": "closed",
        "It costs at most 200 euros.": "satisfied",
        "There are six guests.": "open",
        "the number of guests: There are six guests.": "valid",
        "Six plates are enough.": "valid",
    }


def test_changed_fact_takes_with_it_only_what_rested_on_it(session):
    told(session, PLAN, BUDGET, ALLERGY)
    before = statuses(session)
    last = told(session, GUESTS)
    after = statuses(session)
    assert {text for text, status in before.items() if after[text] != status} == {
        "There are six guests.",
        "the number of guests: There are six guests.",
        "Six plates are enough.",
    }
    assert after["the number of guests: There are eight guests."] == "valid", "the answer is the new one"
    fell = StateChangeRecord.objects.get(round=last, element__description="Six plates are enough.")
    assert fell.cause == StateElementRecord.objects.get(description="There are six guests.").key


def test_refused_changes_are_kept_with_the_reason_and_the_rest_is_applied(session):
    [round] = say(session, PLAN)
    reader = KnownEvidence(
        {
            PLAN: [
                Withdrawn(element="f99", words="plan"),
                Asserted(description="It is on Saturday.", words="on Saturday"),
            ]
        }
    )
    update = state_update(round=round, extractor=reader)
    assert len(update.refused) == 1 and "f99" in update.refused[0].proposed
    assert statuses(session) == {"It is on Saturday.": "open"}
    assert [one.because for one in state_panel(session).refused] == [update.refused[0].because]


def test_failure_of_the_extractor_leaves_the_turn_to_be_read(session):
    class Silent:
        def extract(self, turn):
            raise LanguageModelError("It does not answer.")

    [round] = say(session, PLAN)
    with pytest.raises(LanguageModelError):
        state_update(round=round, extractor=Silent())
    assert not StateRecord.objects.exists()
    assert state_update(round=round, extractor=dinner()).changes


def test_words_that_are_forgotten_while_they_are_read_reach_no_state(session):
    class Forgetting(KnownEvidence):
        def extract(self, turn):
            session.turns.filter(text=PLAN).update(text="[forgotten]")
            return super().extract(turn)

    [round] = say(session, PLAN)
    state_update(round=round, extractor=Forgetting(dinner().brought))
    assert not StateElementRecord.objects.exists()


def test_wishes_about_the_memory_are_not_read(session):
    wish, last = say(session, "Forget that I like jazz.", PLAN)
    Round.objects.filter(pk=wish.pk).update(is_wish=True)
    reader = dinner()
    state_update(round=last, extractor=reader)
    assert reader.read == [PLAN]


def test_edited_message_takes_back_what_its_words_changed(session):
    told(session, PLAN, BUDGET)
    before = statuses(session)
    last = told(session, GUESTS)
    assert statuses(session) != before
    round_retract(round=last)
    state_retract(round=last)
    assert statuses(session) == before and StateRecord.objects.get(session=session).turn == 2
    assert state_update(round=last, extractor=dinner()).changes


def test_answer_by_hand_is_a_fact_of_the_persons_and_closes_the_question(session, ana):
    told(session, PLAN)
    unknown_answer(element=element("number of guests"), words=" about   ten ", by=ana)
    assert statuses(session)["the number of guests"] == "closed"
    fact = StateElementRecord.objects.get(kind=ElementKind.FACT, words="about ten")
    assert (fact.details["source"], fact.said_in) == ("user", None)
    assert set(fact.changes.values_list("by", flat=True)) == {ana.pk}
    assert StateRecord.objects.get(session=session).plans[0][1] == PlanMode.PROCEED
    with pytest.raises(EditRefused):
        unknown_answer(element=element("The dinner is on Saturday"), words="no", by=ana)
    with pytest.raises(EditRefused):
        unknown_answer(element=StateElementRecord.objects.get(description="the number of guests"), words="12", by=ana)


def test_confirmed_assumption_becomes_the_persons_fact_and_a_refused_one_is_contradicted(session, ana):
    told(session, PLAN, BUDGET)
    plates = element("Six plates")
    assumption_confirm(element=plates, by=ana)
    facts = StateElementRecord.objects.filter(kind=ElementKind.FACT, description="Six plates are enough.")
    assert [one.status for one in facts] == ["open"]
    plates.refresh_from_db()
    assert plates.is_gone
    guests = StateElementRecord.objects.get(kind=ElementKind.ASSUMPTION, status=Status.VALID)
    assumption_refuse(element=guests, by=ana)
    guests.refresh_from_db()
    assert guests.status == Status.CONTRADICTED
    assert guests.key in [target for _, mode, target in StateRecord.objects.get(session=session).plans]
    assert [one.key for one in state_panel(session).next if one.key == guests.key]


def test_changed_requirement_replaces_the_old_one_and_withdrawal_cascades(session, ana):
    told(session, PLAN, BUDGET, ALLERGY)
    constraint_edit(element=element("at most 200"), words="At most 300 euros", by=ana)
    assert statuses(session)["It costs at most 200 euros."] == "closed"
    assert statuses(session)["At most 300 euros"] == "satisfied"
    element_withdraw(element=element("The sister cannot"), by=ana)
    assert statuses(session)["Nothing with nuts."] == "closed"


def test_only_what_counts_is_loaded(session, django_assert_max_num_queries):
    told(session, PLAN, BUDGET, GUESTS)
    [round] = say(session, CHATTER)
    with django_assert_max_num_queries(24):
        update = state_update(round=round, extractor=dinner())
    assert "Six plates are enough." not in {one.description for one in update.state.elements.values()}
    with django_assert_max_num_queries(3):
        panel = state_panel(session)
        assert panel.known and list(panel.refused) == [] and panel.next == []


def test_state_as_of_a_turn_is_the_one_that_was(session):
    told(session, PLAN)
    told(session, BUDGET)
    asked = session.turns.get(text=PLAN)
    then = state_panel_as_of(session, asked)
    assert [one.description for one in then.open] == ["the number of guests"] and not then.assumed
    assert not state_panel(session).open


def test_forgotten_session_leaves_nothing_of_its_state(session, ana):
    told(session, PLAN, BUDGET)
    unknown = element("number of guests: There")
    assumption_refuse(element=unknown, by=ana)
    session_forget(session=session)
    left = (StateRecord, StateElementRecord, StateChangeRecord)
    assert [rows.objects.count() for rows in left] == [0, 0, 0]
    assert not any("guests" in text for text in every_text_of_the_database())


def test_forgotten_sentence_takes_its_words_out_of_the_state(session, space, ana, extractor):
    told(session, PLAN, ALLERGY)
    space_maintain(space_id=space.pk)
    nuts = SentenceRecord.objects.filter(text__contains="nuts", space=space)
    memory_forget(space=space, by=ana, sentences=[one.pk for one in nuts])
    assert not any("nuts" in text for text in every_text_of_the_database())
    assert statuses(session)["The dinner is on Saturday."] == "open"


def test_export_holds_elements_and_their_history(session, space):
    told(session, PLAN)
    exported = "".join(space_export(space=space, reader=space.members.get()))
    assert '"the number of guests"' in exported and '"state_changes"' in exported


@pytest.mark.django_db(transaction=True)
def test_two_devices_at_once_read_each_turn_once(space):
    session = new_session(space)
    rounds = say(session, PLAN, BUDGET, ALLERGY)
    barrier, failures = threading.Barrier(4), []

    def read() -> None:
        try:
            barrier.wait()
            state_update(round=Round.objects.select_related("session").get(pk=rounds[-1].pk), extractor=dinner())
        except Exception as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [seeing_thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    new = StateChangeRecord.objects.filter(session=session, before="", element__isnull=False)
    assert new.count() == StateElementRecord.objects.filter(session=session).count() == len(statuses(session))
    assert StateRecord.objects.get(session=session).turn == 3


# The API and the pages.


def test_api_lists_elements_tells_their_history_and_takes_edits(session, ana):
    told(session, PLAN, BUDGET)
    asked = client_of(ana)
    current = results(asked.get(address("state", session.pk)))
    assert {one["description"] for one in current} == {
        text for text, status in statuses(session).items() if status != "closed"
    }
    assert len(results(asked.get(address("state", session.pk), {"status": "all"}))) == 6
    plates = element("Six plates")
    answer = asked.post(address("element", plates.pk), {"act": "refuse"}, format="json")
    assert answer.status_code == 200 and answer.json()["status"] == "contradicted"
    assert [one["after"] for one in answer.json()["changes"]] == ["valid", "contradicted"]
    again = asked.post(address("element", plates.pk), {"act": "refuse"}, format="json")
    assert again.status_code == 409
    assert results(asked.get(address("state-refused", session.pk))) == []


def test_states_of_another_person_are_not_found(session, ana):
    told(session, PLAN)
    ben = User.objects.create_user("ben")
    space_create(name="Ben's", owner=ben)
    row = element("Saturday")
    asked, page = client_of(ben), Client()
    page.force_login(ben)
    assert asked.get(address("state", session.pk)).status_code == 404
    assert asked.post(address("element", row.pk), {"act": "withdraw"}, format="json").status_code == 404
    assert page.get(reverse("state-panel", args=[session.pk])).status_code == 404
    assert page.post(reverse("state-act", args=[row.pk]), {"act": "withdraw"}).status_code == 404
    assert statuses(session)["The dinner is on Saturday."] == "open"


HTMX = {"HTTP_HX_REQUEST": "true"}


def test_panel_shows_five_lists_and_takes_an_answer_in_place(session, ana):
    told(session, PLAN, ALLERGY)
    page = Client()
    page.force_login(ana)
    shown = page.get(reverse("state-panel", args=[session.pk]), **HTMX).content.decode()
    for head in ("Known", "Open questions", "Required", "Next"):
        assert f">{head}</h3>" in shown
    assert "How many guests will there be?" in shown and 'name="act" value="answer"' in shown
    question = element("number of guests")
    swapped = page.post(reverse("state-act", args=[question.pk]), {"act": "answer", "words": "nine"}, **HTMX)
    assert "the number of guests: nine" in swapped.content.decode()
    refused = page.post(reverse("state-act", args=[question.pk]), {"act": "answer", "words": "ten"}, **HTMX)
    assert 'role="alert"' in refused.content.decode()


def test_panel_is_empty_unless_the_task_is_kept_track_of(session, ana):
    page = Client()
    page.force_login(ana)
    address_of = reverse("state-panel", args=[session.pk])
    assert page.get(address_of, **HTMX).content.strip() == b""
    assert "No task yet" in page.get(f"{address_of}?kept", **HTMX).content.decode()
    assert "No task yet" in page.get(address_of).content.decode()


def test_history_of_an_element_and_the_pages_of_tasks(session, ana, space, django_assert_max_num_queries):
    told(session, PLAN, BUDGET, GUESTS)
    page = Client()
    page.force_login(ana)
    history = page.get(reverse("state-element", args=[element("Six plates").pk])).content.decode()
    assert "It rests on" in history and "There are six guests." in history
    listed = page.get(reverse("space-tasks", args=[space.pk])).content.decode()
    assert f"?session={session.pk}" in listed
    one = page.get(reverse("space-tasks", args=[space.pk]), {"session": session.pk}).content.decode()
    assert "There are eight guests." in one
    asked = session.turns.get(text=PLAN)
    then = page.get(reverse("space-tasks", args=[space.pk]), {"session": session.pk, "as_of": asked.pk})
    assert "There are eight guests." not in then.content.decode() and "on Saturday" in then.content.decode()
