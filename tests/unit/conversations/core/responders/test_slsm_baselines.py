"""What `slsm` is compared with: notes that are never revised, and a state that is only added to."""

from __future__ import annotations

from datetime import UTC, datetime

from conversations.core.responders.naive_memory import NaiveMemoryResponder
from conversations.core.responders.slsm.no_revision import AddingStates
from conversations.core.responders.slsm.prompted import PromptedSlsm
from conversations.core.types import Query
from memory.core.semantic_state.elements import Status
from memory.core.types import Role, Utterance
from tests.fakes.evidence import ALLERGY, BUDGET, GUESTS, PLAN, dinner
from tests.unit.conversations.core.responders.test_slsm import KeptHere, query
from tests.unit.conversations.core.responders.test_slsm_prompted import Writing

AT = datetime(2024, 3, 2, 18, 20, tzinfo=UTC)
GONE = "She is not coming."


def test_notes_hold_what_the_user_said_and_what_it_contradicts():
    said = [(Role.USER, "We are six."), (Role.ASSISTANT, "Six, then."), (Role.USER, "No, eight.")]
    history = tuple(Utterance("Ana", role, text, AT) for role, text in said)
    model = Writing("Eight.")
    list(NaiveMemoryResponder(write_answer=model).reply(Query("How many plates?", "Ana", AT, history)))
    notes, dialogue = model.prompts[0].split("</notes", 1)
    assert "- We are six.\n- No, eight." in notes and "Six, then." not in notes
    assert dialogue.endswith("We are six.\nSix, then.\nNo, eight.\nHow many plates?")


def test_first_message_has_no_notes():
    model = Writing("Hello.")
    list(NaiveMemoryResponder(write_answer=model).reply(query("Hello")))
    assert "notes" not in model.prompts[0]


def test_state_without_revision_is_only_added_to():
    said = query(PLAN, BUDGET, ALLERGY, GUESTS, GONE)
    turns = (*said.history, Utterance("Ana", Role.USER, said.text, AT))
    revised = KeptHere().update(turns, round_id=None, extractor=dinner()).state
    added = AddingStates(KeptHere()).update(turns, round_id=None, extractor=dinner()).state
    assert {one.description for one in revised.elements.values()} - {
        one.description for one in added.elements.values()
    } == {"the number of guests: There are eight guests."}
    fallen = {one.description for one in revised.elements.values() if not one.is_current} - {
        one.description for one in added.elements.values() if not one.is_current
    }
    assert {"There are six guests.", "Six plates are enough.", "The sister cannot eat nuts."} <= fallen
    ended = [one for one in added.history if one.after in (Status.CLOSED, Status.CONTRADICTED)]
    assert [added.elements[one.element].description for one in ended] == ["the number of guests"]


def test_prompt_without_revision_has_both_numbers_and_nothing_that_fell():
    model = Writing("Fourteen?")
    states = AddingStates(KeptHere())
    list(PromptedSlsm(states=states, extract_evidence=dinner(), write_answer=model).reply(query(PLAN, BUDGET, GUESTS)))
    assert "There are six guests." in model.prompts[0] and "There are eight guests." in model.prompts[0]
    assert "No longer so since this message" not in model.prompts[0]
