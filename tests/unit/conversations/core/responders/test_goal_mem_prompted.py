"""The responder `goal_mem` with a language model: what it is asked, what it is shown, and what it replies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

import pytest

from conversations.core.responders.goal_mem.evidence import EvidenceRecall
from conversations.core.responders.goal_mem.prompted import PromptedGoalMem
from conversations.core.responders.goal_mem.proving import progress_line
from conversations.core.tracing.proof import Outcome, ProofAttempt, ProofSearch
from conversations.core.types import Delta, Grounds, Query, ReplyPart, Stage
from evaluation.core.refusals import says_not_known
from memory.core.backward_chaining.prompted import (
    PromptedGoalDecomposer,
    PromptedSubgoalRefiner,
    PromptedSubgoalUnifier,
)
from memory.core.backward_chaining.types import Attempt
from memory.core.errors import LanguageModelError, ModelUnreachable
from memory.core.types import Completion, MemoryUnit, Prompt, RetrievalQuery, SamplingConfig
from tests.fakes.memory import FakeMemory
from tests.fakes.proving import SaidUnits
from tests.unit.conversations.core.responders.conftest import NOW

QUESTION = "Who is the boss of my sister?"
RULE = {
    "goal": "(x:person) is the boss of (Ana)'s sister",
    "subgoals": [
        {"says": "(y:person) is the sister of (Ana)", "query": "my sister"},
        {"says": "(x:person) is the boss of (y:person)", "query": "boss of the sister"},
    ],
    "answer": ["x"],
}
NO_OTHER = {**RULE, "subgoals": []}
SAID = ("My sister is Maya.", "Petra is the boss of Maya.", "My sister likes opera.")


class Proving:
    """A model that takes every question apart alike, grounds what stands in the facts, and streams fixed words."""

    name = "proving"

    def __init__(self, *, rules: Sequence[object] = (RULE, NO_OTHER), words: Sequence[str] = ("Petra", " is.")) -> None:
        self.rules = iter(rules)
        self.words = words
        self.asked: list[str] = []
        self.written: list[str] = []

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        return [self._said(prompt.messages[-1].content) for prompt in prompts]

    def _said(self, asked: str) -> Completion | Exception:
        self.asked.append(asked)
        if "Write goal and subgoals" in asked:
            reply = next(self.rules)
        elif "Say which of these statements" in asked:
            reply = {"grounded": self._grounded(asked), "unresolved": []}
        else:
            reply = {"antecedents": [], "why_stopped": "Nothing else was mentioned."}
        return reply if isinstance(reply, Exception) else Completion(json.dumps(reply))

    def _grounded(self, asked: str) -> list[object]:
        facts = {line.partition(". ")[2]: line.partition(".")[0] for line in asked.split("\n") if "] Ana: " in line}
        found = []
        for subgoal, fact, bindings in ((1, SAID[0], {"y": "Maya"}), (2, SAID[1], {"x": "Petra", "y": "Maya"})):
            number = next((int(number) for line, number in facts.items() if fact in line), None)
            values = [{"variable": name, "value": value} for name, value in bindings.items()]
            if number is not None:
                found.append({"subgoal": subgoal, "facts": [number], "bridge": "", "bindings": values})
        return found

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Iterator[str]:
        self.written.append(prompt.messages[-1].content)
        yield from self.words


def replied(model: Proving, *said: str, text: str = QUESTION) -> list[ReplyPart]:
    memory = FakeMemory()
    units = {memory.say("Ana", one).id: one for one in said}
    responder = PromptedGoalMem(
        recall=SaidUnits(units),
        memory=memory,
        decompose_goal=PromptedGoalDecomposer(model),
        unify_subgoals=PromptedSubgoalUnifier(model),
        refine_subgoals=PromptedSubgoalRefiner(model),
        write_answer=model,
        entailment=None,
    )
    return list(responder.reply(Query(text, "Ana", NOW)))


def text_of(parts: Sequence[ReplyPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, Delta))


def test_a_proved_answer_is_written_from_its_supporting_facts_alone() -> None:
    model = Proving()
    parts = replied(model, *SAID)
    assert text_of(parts) == "Petra is."
    [prompt] = model.written
    assert "Petra is the boss of Ana's sister" in prompt
    assert "Ana: My sister is Maya." in prompt and "Ana: Petra is the boss of Maya." in prompt
    assert "opera" not in prompt and "not known" not in prompt
    assert any("opera" in asked for asked in model.asked), "it was found, and supports nothing"
    [grounds] = [part for part in parts if isinstance(part, Grounds)]
    assert [one.sentence.text for one in grounds.sentences] == list(SAID[:2])
    assert parts.index(grounds) < next(place for place, part in enumerate(parts) if isinstance(part, Delta))


def test_attempt_that_names_nothing_to_look_for_is_told_as_another_way() -> None:
    assert progress_line(Attempt(2, None)) == "looking for another way"


def test_the_way_to_a_proof_is_told_as_it_is_gone() -> None:
    parts = replied(Proving(), *SAID)
    assert [part.detail for part in parts if isinstance(part, Stage)] == [
        "read your question",
        "looking for 2 things that I need to know",
        "found 2 of 2 things that I need to know",
        "writing the reply",
    ]
    searches = [part for part in parts if isinstance(part, ProofSearch)]
    assert [one.outcome for one in searches] == [None, Outcome.PROVED]
    assert [one.ending for one in parts if isinstance(one, ProofAttempt)] == ["", "proved"]


def test_what_is_not_proved_is_not_answered_and_no_model_writes_it() -> None:
    model = Proving()
    parts = replied(model, SAID[0], SAID[2])
    text = text_of(parts)
    assert text == "I don't know. To be sure I would have to know: “which person is the boss of Maya?”."
    assert says_not_known(text)
    assert not model.written and not [part for part in parts if isinstance(part, Grounds)]


def test_of_two_questions_the_proved_one_is_answered_and_the_other_named_as_unknown() -> None:
    lost = {
        "goal": "(x:dog) of (Ana) is lost",
        "subgoals": [{"says": "(Ana) lost (x:dog)", "query": "lost dog"}],
        "answer": ["x"],
    }
    model = Proving(rules=[RULE, lost, NO_OTHER])
    parts = replied(model, *SAID, text=f"{QUESTION} Which dog did I lose?")
    [prompt] = model.written
    assert "What was asked and is not known:" in prompt and "Ana lost which dog?" in prompt
    ended = [(one.search, one.outcome) for one in parts if isinstance(one, ProofSearch) and one.outcome]
    assert ended == [(0, Outcome.PROVED), (1, Outcome.UNKNOWN)]


def test_a_server_that_is_away_fails_the_reply_with_its_sentence() -> None:
    model = Proving(rules=[ModelUnreachable("The server does not answer. Start it.")] * 3)
    with pytest.raises(LanguageModelError, match=r"The server does not answer\. Start it\. Try again"):
        replied(model, *SAID)
    assert len(model.asked) == 3


def test_one_attempt_that_looked_in_vain_is_enough_for_not_knowing() -> None:
    model = Proving(rules=[RULE, ModelUnreachable("Away."), ModelUnreachable("Away.")])
    assert text_of(replied(model, SAID[0])).startswith("I don't know.")


@pytest.mark.parametrize("message", ["Hello!", "Thank you", "I bought a boat.", "ok"])
def test_what_asks_nothing_is_replied_to_without_a_search(message: str) -> None:
    model = Proving(words=["Noted."])
    parts = replied(model, *SAID, text=message)
    assert text_of(parts) == "Noted."
    assert not model.asked and not [part for part in parts if isinstance(part, ProofSearch)]


def test_a_request_is_proved_as_a_whole() -> None:
    model = Proving()
    request = "I like opera. Recommend a gift for the boss of my sister."
    parts = replied(model, *SAID, text=request)
    assert [one.question for one in parts if isinstance(one, ProofSearch)] == [request, request]


def test_only_what_somebody_told_is_evidence() -> None:
    class Units:
        name, size = "units", 4

        def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
            said: datetime = NOW
            told = [
                MemoryUnit(f"turn:{one}", f"{one}", said, sentence_ids=(one,) if one % 2 else ()) for one in range(9)
            ]
            return told[:limit]

    recall = EvidenceRecall(Units())
    assert (recall.name, recall.size) == ("units", 4)
    assert [one.text for one in recall.retrieve(RetrievalQuery("?", NOW), limit=2)] == ["1", "3"]
    assert [one.text for one in recall.retrieve(RetrievalQuery("?", NOW), limit=1)] == ["1"]
