"""`slsm` with a language model: what is in the prompt, and a reply that is held to the constraints."""

from __future__ import annotations

from conversations.core.responders.slsm.prompted import PromptedSlsm
from conversations.core.types import Delta, Stage
from tests.fakes.evidence import BUDGET, GUESTS, PLAN, dinner
from tests.unit.conversations.core.responders.test_slsm import KeptHere, query


class Writing:
    """A model that writes these replies, one after the other; `prompts` are what it was asked."""

    name = "writing"

    def __init__(self, *replies: str) -> None:
        self.replies, self.prompts = list(replies), []

    def stream(self, prompt, *, config):
        self.prompts.append("\n".join(message.content for message in prompt.messages))
        yield from self.replies.pop(0).split(" ")
        return None


def replied(model: Writing, *texts: str) -> tuple[str, list[str]]:
    parts = list(PromptedSlsm(states=KeptHere(), extract_evidence=dinner(), write_answer=model).reply(query(*texts)))
    stages = [one.name for one in parts if isinstance(one, Stage)]
    return "".join(one.text for one in parts if isinstance(one, Delta)), stages


def test_prompt_holds_the_state_the_question_and_what_fell():
    model = Writing("How many will come?")
    text, stages = replied(model, PLAN)
    assert (text, stages) == ("Howmanywillcome?", ["state", "write"])
    assert "The dinner is on Saturday." in model.prompts[0] and "How many guests will there be?" in model.prompts[0]
    model = Writing("Eight then.")
    replied(model, PLAN, BUDGET, GUESTS)
    assert "No longer so since this message" in model.prompts[0] and "There are eight guests." in model.prompts[0]
    assert "The question to end with" not in model.prompts[0] or "had taken" in model.prompts[0]
