"""What the figures of a run depend on, and what its cache does."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evaluation.core.runs.identity import RunIdentity

MADE = RunIdentity(
    code="abc",
    code_digest="c",
    prompts="p",
    data="d",
    engine="builtin",
    engine_digest="",
    embedder="minilm",
    config={"DSMART_AMR": "'off'"},
    measure={"kind": "answers"},
)


def key(identity: RunIdentity, **item: object) -> str:
    return identity.item_key(**{"case": "1", "item": {"id": "q"}, "system": "graph", "repeat": 0, **item})


def test_identity_is_the_same_after_json() -> None:
    again = RunIdentity.from_json(json.loads(json.dumps(MADE.as_json())))
    assert (again, again.digest) == (MADE, MADE.digest)


def test_commit_alone_changes_no_digest() -> None:
    other = replace(MADE, code="def+changes")
    assert (other.digest, other.differences(MADE)) == (MADE.digest, [])


@pytest.mark.parametrize(
    ("change", "said", "is_of_the_reply"),
    [
        ({"code_digest": "x"}, "the code", True),
        ({"prompts": "x"}, "the prompts", True),
        ({"engine_digest": "x"}, "what plays the engine", True),
        ({"embedder": "x"}, "the embedder", True),
        ({"config": {"DSMART_AMR": "'http'"}}, "DSMART_AMR", True),
        ({"config": {}}, "DSMART_AMR", True),
        ({"measure": {"kind": "dialogues"}}, "what is measured", True),
        ({"data": "x"}, "the data file", False),
        ({"judge": "words"}, "the judge", False),
        ({"judge_digest": "x"}, "the judge's prompt", False),
        ({"seed": 3}, "the seed", False),
    ],
)
def test_change_is_named_and_loses_the_cache_where_a_reply_depends_on_it(
    change: dict[str, object], said: str, is_of_the_reply: bool
) -> None:
    other = replace(MADE, **change)  # type: ignore[arg-type]
    assert MADE.differences(other) == [said]
    assert other.digest != MADE.digest
    assert (key(other) != key(MADE)) == is_of_the_reply


@pytest.mark.parametrize("item", [{"case": "2"}, {"item": {"id": "r"}}, {"system": "base"}, {"repeat": 1}])
def test_key_is_of_one_item(item: dict[str, object]) -> None:
    assert key(MADE, **item) != key(MADE) == key(MADE)
