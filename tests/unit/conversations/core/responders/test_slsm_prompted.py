"""`slsm` with a language model: what is in the prompt, and a reply that is held to the constraints."""

from __future__ import annotations

import re

from conversations.core.responders.slsm.prompted import PromptedSlsm
from conversations.core.types import Delta, Stage
from tests.fakes.evidence import ALLERGY, BUDGET, GUESTS, PLAN, dinner
from tests.unit.conversations.core.responders.test_slsm import KeptHere, query


class Writing:
    """A model that writes these replies, one after the other; `prompts` were asked, `read` was read of them."""

    name = "writing"

    def __init__(self, *replies: str) -> None:
        self.replies, self.prompts, self.read = list(replies), [], []

    def stream(self, prompt, *, config):
        self.prompts.append("\n".join(message.content for message in prompt.messages))
        for piece in re.findall(r"\S+\s*", self.replies.pop(0)):
            self.read.append(piece)
            yield piece
        return None


def replied(model: Writing, *texts: str) -> tuple[str, list[str]]:
    parts = list(PromptedSlsm(states=KeptHere(), extract_evidence=dinner(), write_answer=model).reply(query(*texts)))
    stages = [one.name for one in parts if isinstance(one, Stage)]
    return "".join(one.text for one in parts if isinstance(one, Delta)), stages


def test_prompt_holds_the_state_the_question_and_what_fell():
    model = Writing("How many will come?")
    text, stages = replied(model, PLAN)
    assert (text, stages) == ("How many will come?", ["state", "write"])
    assert "The dinner is on Saturday." in model.prompts[0] and "How many guests will there be?" in model.prompts[0]
    model = Writing("Eight then.")
    replied(model, PLAN, BUDGET, GUESTS)
    assert "No longer so since this message" in model.prompts[0] and "There are eight guests." in model.prompts[0]
    assert "The question to end with" not in model.prompts[0] or "had taken" in model.prompts[0]


def test_a_sentence_that_breaks_a_requirement_is_not_shown_and_the_reply_goes_on_without_it():
    model = Writing("Start with soup. A cake with nuts would do. Then tea.", "A lemon cake would do.")
    text, stages = replied(model, PLAN, BUDGET, ALLERGY)
    assert (text, stages) == ("Start with soup. A lemon cake would do.", ["state", "write", "repair"])
    assert "Then " not in model.read, "nothing more of a broken reply is paid for"
    prompt = model.prompts[1]
    assert "It breaks this requirement" in prompt and "A cake with nuts would do." in prompt
    assert prompt.index("Start with soup.") < prompt.index("A cake with nuts would do.")


def test_a_reply_that_cannot_be_mended_says_which_requirement_it_could_not_keep():
    model = Writing("A cake with nuts would do.", "Or nuts on ice cream.", "never asked")
    text, _ = replied(model, PLAN, BUDGET, ALLERGY)
    assert text.startswith("I stop here: I could not go on without breaking “") and "nuts" in text
    assert len(model.prompts) == 2
    assert replied(Writing("Soup. A nut cake with nuts.", "Nuts."), PLAN, BUDGET, ALLERGY)[0].startswith(
        "Soup. I stop here"
    )


def test_a_reply_that_keeps_what_is_required_is_shown_as_it_is_written():
    words = "A lemon cake would do, without nuts. It costs 12 euros.\n\n- tea\n- milk"
    text, stages = replied(Writing(words), PLAN, BUDGET, ALLERGY)
    assert (text, stages) == (words, ["state", "write"])
