"""D-SMART, Structured Statement Generation: the two examples of Figure 8, by rules and by a model's hand-written reply."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.round_reading.prompted import PromptedStatementWriter
from memory.core.knowledge_graph.statement.rule_based import RuleBasedStatementWriter
from memory.core.knowledge_graph.statement.share import assistant_share
from memory.core.types import Statement
from tests.fakes.language import real_parser
from tests.fakes.replaying import Replaying
from tests.unit.memory.core.knowledge_graph.rounds import dialogue_round

AURORAS = dialogue_round(
    "Ana: What causes auroras?",
    "assistant: Auroras occur when charged particles from the sun collide with Earth's atmosphere.",
)
ESPRESSO = dialogue_round(
    "Ana: How much caffeine is in espresso?",
    "assistant: A typical 1-ounce espresso shot contains about 63 mg of caffeine.",
)
STATEMENTS = [
    (AURORAS, "Auroras are caused by solar charged particles colliding with Earth's atmosphere."),
    (ESPRESSO, "A 1-ounce espresso shot contains approximately 63 milligrams of caffeine."),
]


@pytest.mark.parametrize(("dialogue", "sentence"), STATEMENTS)
def test_the_papers_statements_rest_on_their_answers(dialogue, sentence) -> None:
    reply = f'{{"statement": [{{"sentence": "{sentence}", "rests_on": 2}}]}}'
    (statement,) = PromptedStatementWriter(Replaying(reply)).write_many([dialogue])
    assert statement == Statement((sentence,), (1,))
    assert assistant_share(statement, dialogue) == statement


def test_rules_keep_the_answers_own_words() -> None:
    statements = RuleBasedStatementWriter(parser=real_parser()).write_many([AURORAS, ESPRESSO])
    assert [statement.text for statement in statements] == [AURORAS.sentences[1].text, ESPRESSO.sentences[1].text]
    assert [statement.sources for statement in statements] == [(1,), (1,)]
