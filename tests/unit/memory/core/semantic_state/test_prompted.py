"""The evidence that is read out of a model's reply, and out of hundreds of spoilt ones."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest

from memory.core.errors import LanguageModelError, UnparsableReply
from memory.core.plain_text import is_plain
from memory.core.semantic_state.elements import EMPTY_STATE, SemanticState, Status
from memory.core.semantic_state.evidence import (
    Asserted,
    Evidence,
    Missed,
    Required,
    Resolved,
    StateTurn,
    Ungrounded,
    Withdrawn,
)
from memory.core.semantic_state.prompted import EXTRACT_EVIDENCE, PromptedEvidenceExtractor
from memory.core.semantic_state.revision import revise
from memory.core.types import Completion, Prompt, Role, SamplingConfig, Utterance

TEXT = "Turns out mum and dad can't  make it, so it's just nine of us. Ooh and a lake nearby would be nice!"
NOTES = [
    Asserted(description="Priya's parents come to the picnic.", words="her parents", ref="p"),
    Required(description="There are chairs.", words="chairs, as her parents come", basis=("p",)),
    Missed(description="the number of people", question="How many people will there be?"),
    Required(description="It costs at most 80 pounds.", words="80 quid"),
]
STATE = revise(EMPTY_STATE, NOTES, turn=1)
TURN = StateTurn(STATE, Utterance("Priya", Role.USER, TEXT, datetime(2024, 5, 3, tzinfo=UTC)))
ODD: list[Any] = [
    None, "", " ", 0, -1, 99, 3, "3", 1e308, True, [], {}, [[]], ["f1"], ["u99"], ["n1"], "f1", "tool", "plan",
    "nul \x00 and half \ud800", "very " * 400, {"a": {"b": []}},
]  # fmt: skip


class Says:
    """A `LanguageModel` with the same reply to everything."""

    name = "says"

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.asked: list[Prompt] = []

    def complete_many(self, prompts: list[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.asked += prompts
        return [Completion(self.reply) for _ in prompts]


def example() -> str:
    """Return the reply of the prompt's own example."""
    found = re.search(r"^Answer:\n(.*)$", EXTRACT_EVIDENCE.read_text(), re.MULTILINE)
    assert found
    return found[1]


def extracted(reply: str) -> tuple[Evidence, ...]:
    return tuple(PromptedEvidenceExtractor(Says(reply)).extract(TURN))  # type: ignore[arg-type]


def test_the_example_of_the_prompt_is_read_and_revises_its_state() -> None:
    evidence = extracted(example())
    assert evidence == (
        Withdrawn(element="f1", words="mum and dad can't  make it"),
        Asserted(description="Nine people come.", words="just nine of us", ref="n2"),
        Resolved(unknown="u3", by="n2", words="just nine of us"),
        Required(description="A lake is nearby.", words="a lake nearby would be nice", ref="n3", weight=0.5),
    )
    state = revise(STATE, evidence, turn=2)
    assert {key: one.status for key, one in state.elements.items()} == {
        "f1": Status.CLOSED,
        "c2": Status.CLOSED,
        "u3": Status.CLOSED,
        "c4": Status.SATISFIED,
        "f5": Status.OPEN,
        "a6": Status.VALID,
        "c7": Status.SATISFIED,
    }
    assert state.refused == ()


def test_the_prompt_shows_what_counts_and_no_plan() -> None:
    prompt = PromptedEvidenceExtractor(Says("")).prompt(TURN)  # type: ignore[arg-type]
    shown = prompt.messages[-1].content
    assert "c2 (constraint): There are chairs. (rests on f1)" in shown
    assert TEXT in shown
    assert "verify" not in "".join(one.content for one in prompt.messages)
    assert prompt.schema is not None


def test_words_that_nobody_said_are_kept_as_refused() -> None:
    reply = {"evidence": [{"kind": "fact", "words": "ten of us", "says": "Ten come.", "name": "n1"}]}
    assert extracted(json.dumps(reply)) == (
        Ungrounded(proposed="fact: Ten come.", because='The message does not say "ten of us".'),
    )


def test_bad_entries_are_refused_and_the_rest_counts() -> None:
    good = json.loads(example())
    good["evidence"][0]["ends"] = ["f9"]
    good["evidence"][2]["strength"] = 3
    good["evidence"].append({"kind": "plan", "says": "Ask for the day."})
    state = revise(STATE, extracted(json.dumps(good)), turn=2)
    because = ["There is no element f9.", "A weight is between 0 and 1, and 3.0 is not."]
    assert [one.because for one in state.refused][:2] == because
    assert state.refused[2].proposed == "Ask for the day."
    assert state.elements["f5"].description == "Nine people come."


def test_a_reply_without_the_form_is_asked_for_once_more_and_then_named() -> None:
    model = Says("I cannot do that.")
    with pytest.raises(UnparsableReply):
        PromptedEvidenceExtractor(model).extract(TURN)  # type: ignore[arg-type]
    assert len(model.asked) == 2


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths(part, (*path, key))


def mutants() -> Iterator[str]:
    """Yield the example reply with every part swapped, dropped and doubled, and cut off all along."""
    good = json.loads(example())
    for *way, last in paths(good):
        for put in (*ODD, ...):
            changed = deepcopy(good)
            parent = changed
            for key in way:
                parent = parent[key]
            if put is ... and isinstance(parent, list):
                parent.append(deepcopy(parent[last]))
            elif put is ...:
                del parent[last]
            else:
                parent[last] = put
            yield json.dumps(changed)
    yield from (example()[:end] for end in range(0, len(example()), 7))


def test_a_mutated_reply_revises_the_state_within_its_invariants_or_fails_by_name() -> None:
    outcomes: Counter[str] = Counter()
    for reply in mutants():
        try:
            evidence = extracted(reply)
        except LanguageModelError as error:
            outcomes[type(error).__name__] += 1
            continue
        outcomes["read"] += 1
        state = revise(STATE, evidence, turn=2)
        assert is_plain([asdict(element) for element in state.elements.values()])
        assert_grounded(state)
    assert outcomes["read"] > 500 and outcomes["UnparsableReply"] > 100, outcomes


def assert_grounded(state: SemanticState) -> None:
    """Check that all that counts rests on what counts, and that what the user said is in the turn."""
    for one in state.elements.values():
        if one.is_current:
            assert all(state.elements[key].is_current for key in one.basis)
        if one.kind in ("fact", "constraint") and one.turn == 2:
            assert one.words and one.words in TEXT
