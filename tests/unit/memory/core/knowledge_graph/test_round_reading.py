"""`PromptedRoundReader`: facts and statement of a round in one call, and what one bad part of a reply costs."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.errors import MemoryCoreError, ModelUnreachable, UnparsableReply
from memory.core.knowledge_graph.round_reading.prompted import PromptedReadingConfig, PromptedRoundReader
from memory.core.types import ReadRound, Role, RoundToRead, Tense, Utterance
from tests.fakes.replaying import Replaying
from tests.hypothesis_profiles import examples

FRIDAY = datetime(2024, 5, 3, 9, 30, tzinfo=UTC)


def said(text: str, speaker: str = "Ana", *, at: datetime = FRIDAY) -> Utterance:
    role = Role.ASSISTANT if speaker == "assistant" else Role.USER
    return Utterance(speaker, role, text, at)


SOLD = RoundToRead(
    (said("Sold the Panda yesterday!"), said("A scooter uses 2 litres on 100 km. Enjoy it, Ana!", "assistant")),
    before=(said("I drive a Fiat Panda.", at=datetime(2024, 3, 1, tzinfo=UTC)),),
    known=("Ana's car is a Fiat Panda.",),
)
OWNED = {
    "sentence": 1,
    "quote": "Sold the Panda",
    "subject": "Ana",
    "predicate": "owns",
    "object": "Fiat Panda",
    "tense": "past",
    "valid_to": "2024-05-02",
}
USES = {
    "sentence": 2,
    "quote": "A scooter uses 2 litres",
    "subject": "scooter",
    "predicate": "uses",
    "object": "2 litres",
}
STATEMENT = [
    {"sentence": "Ana sold her Fiat Panda on 2 May 2024.", "rests_on": 1},
    {"sentence": "A scooter uses 2 litres on 100 km.", "rests_on": 2},
]


def reply(facts: object = (OWNED, USES), statement: object = tuple(STATEMENT)) -> str:
    return json.dumps({"facts": facts, "statement": statement})


def read(*replies: str | Exception, one: RoundToRead = SOLD) -> ReadRound:
    [found] = PromptedRoundReader(Replaying(*replies)).read_many([one])
    return found


def test_one_call_reads_facts_and_statement() -> None:
    model = Replaying(reply())
    [found] = PromptedRoundReader(model).read_many([SOLD])
    assert len(model.asked) == 1
    [[owned], [uses]] = [fragment.facts for fragment in found.fragments]
    assert (owned.object.label, owned.tense) == ("Fiat Panda", Tense.PAST)
    assert (uses.subject.label, uses.object.label) == ("scooter", "2 litres")
    assert found.statement.sources == (0, 1)
    assert found.statement.sentences[0] == "Ana sold her Fiat Panda on 2 May 2024."
    assert not found.fault


def test_what_stands_before_and_what_is_known_is_shown() -> None:
    model = Replaying(reply())
    PromptedRoundReader(model).read_many([SOLD])
    content = model.asked[0].messages[-1].content
    assert "(2024-03-01) Ana: I drive a Fiat Panda." in content
    assert "Ana's car is a Fiat Panda." in content
    assert "Said on 2024-05-03 (Friday):" in content
    assert "2. assistant: A scooter" in content


@pytest.mark.parametrize("statement", [[], None, "nothing", [{"sentence": ""}], 7])
def test_a_bad_statement_costs_no_fact(statement: object) -> None:
    assert [len(fragment.facts) for fragment in read(reply(statement=statement)).fragments] == [1, 1]


@pytest.mark.parametrize("facts", [None, "none", {"sentence": 1}, [7]])
def test_bad_facts_cost_no_statement(facts: object) -> None:
    assert len(read(reply(facts=facts)).statement.sentences) == 2


@pytest.mark.parametrize("bad", ["", "Nothing new here.", "{}", '{"facts": 1}', '{"facts": [', "<think>hm"])
def test_a_reply_of_which_nothing_can_be_read_is_asked_for_once_more_and_raised(bad: str) -> None:
    assert len(read(bad, reply()).statement.sentences) == 2
    with pytest.raises(UnparsableReply):
        read(bad, bad)


def test_lines_that_could_not_be_read_cost_no_others() -> None:
    many = RoundToRead(tuple(said(f"I own bike number {number}.") for number in range(4)))
    bikes = [
        {
            "sentence": number,
            "quote": "I own bike",
            "subject": "Ana",
            "predicate": "owns",
            "object": f"bike number {place}",
        }
        for number, place in ((1, 0), (2, 1))
    ]
    reader = PromptedRoundReader(
        Replaying(json.dumps({"facts": bikes}), ModelUnreachable("The line is dead.")),
        config=PromptedReadingConfig(lines=2),
    )
    [found] = reader.read_many([many])
    assert [len(fragment.facts) for fragment in found.fragments] == [1, 1, 0, 0]
    assert found.fault == "The line is dead."
    with pytest.raises(ModelUnreachable):
        read(ModelUnreachable("down"))


@pytest.mark.parametrize(
    "fact",
    [
        {"quote": "Enjoy it, Ana", "subject": "Ana", "predicate": "likes", "object": "scooter"},
        {"quote": "A scooter uses", "subject": "Ana", "predicate": "uses", "object": "scooter"},
    ],
)
def test_the_assistants_word_about_a_person_is_no_news(
    fact: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = read(reply(facts=[fact | {"sentence": 2}]))
    assert [fragment.facts for fragment in found.fragments] == [(), ()]
    assert "not the speaker's to tell" in caplog.text


def test_a_date_is_worked_out_only_where_a_time_was_said() -> None:
    undated = RoundToRead((said("I sold the Panda."),))
    dated = [{"sentence": "Ana sold the Panda on 2 May 2024.", "rests_on": 1}]
    assert read(reply(facts=[], statement=dated), one=undated).statement.sentences == ()
    assert len(read(reply(facts=[], statement=dated[:1])).statement.sentences) == 1


def spoilt(at: int, junk: str) -> str:
    return reply()[:at] + junk + reply()[at + 3 :]


@settings(max_examples=examples(300))
@given(st.text(max_size=120) | st.builds(spoilt, st.integers(0, 500), st.text(max_size=8)))
def test_any_reply_is_read_or_an_error(text: str) -> None:
    try:
        found = read(text, text)
    except MemoryCoreError:
        return
    for fragment, line in zip(found.fragments, SOLD.sentences, strict=True):
        for fact in fragment.facts:
            assert 0 <= fact.span.start < fact.span.end <= len(line.text)
            assert any(character.isalnum() for character in fact.subject.label)
    assert all(0 <= source < 2 for source in found.statement.sources)
