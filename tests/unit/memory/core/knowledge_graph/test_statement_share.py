"""The assistant's share of a statement."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.statement.share import assistant_share
from memory.core.types import Statement
from tests.unit.memory.core.knowledge_graph.rounds import dialogue_round

ROUND = dialogue_round("Ana Will: How much caffeine is in espresso?", "assistant: About 63 mg.")


def test_only_what_rests_on_the_assistant_is_kept() -> None:
    statement = Statement(("Espresso is popular.", "Espresso contains 63 mg of caffeine."), (0, 1))
    assert assistant_share(statement, ROUND) == Statement(("Espresso contains 63 mg of caffeine.",), (1,))


@pytest.mark.parametrize("about", ["Ana drinks espresso.", "Will drinks it.", "You drink it.", "The user drinks it."])
def test_what_speaks_of_a_user_is_left_out(about: str) -> None:
    assert assistant_share(Statement((about,), (1,)), ROUND) == Statement()


def test_a_users_name_is_no_other_word() -> None:
    statement = Statement(("It will rain in Anatolia.",), (1,))
    assert assistant_share(statement, ROUND) == statement
