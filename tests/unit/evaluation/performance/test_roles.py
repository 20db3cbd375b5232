"""Every role that asks a language model, with every reply that is none: each is read, asked for again, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.performance.roles import Garbled, garbage_read, trials_of_roles
from memory.core.backward_chaining.nl_logic import NotLogic
from memory.core.errors import LanguageModelError

GARBAGE = garbage_read(Path(__file__).parents[3] / "data" / "garbage_replies.json")
TRIALS = trials_of_roles()


@pytest.mark.parametrize("name", TRIALS)
def test_reply_that_is_none_fails_in_one_way_only_and_leaves_nothing_unfit(name: str) -> None:
    trial, wrong = TRIALS[name], {}
    for reply in GARBAGE:
        try:
            kept = trial.ask(Garbled(reply))
        except (LanguageModelError, NotLogic):
            continue
        except Exception as error:
            wrong[reply] = repr(error)
        else:
            if not all(map(trial.is_fit, kept)):
                wrong[reply] = f"kept {kept}"
    assert wrong == {}
