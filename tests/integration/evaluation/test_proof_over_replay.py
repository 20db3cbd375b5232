"""A question whose answer lies in two sessions is proved over a replayed LoCoMo conversation, with scripted replies.

The conversation is the project's own, in LoCoMo's form. DSMART_TEST_LOCOMO names a file as it was published, whose licence
does not allow it here; then the same proof is sought in its conv-26.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from evaluation.services.replay import file_replay
from tests.integration.conversations.test_d_smart import scripted

pytestmark = pytest.mark.django_db
WRITTEN = Path(__file__).parents[2] / "data" / "proof_over_sessions.json"
PUBLISHED = os.environ.get("DSMART_TEST_LOCOMO", "")
# More facts than a proof may read.
FACTS = 61


@dataclass(frozen=True)
class Asked:
    """A question over a conversation: who moved, and words of the two turns that tell whence."""

    path: Path
    case: str
    who: str
    moved: str
    home: str
    answer: str
    asked_at: str
    turns: tuple[str, str]

    @property
    def question(self) -> str:
        return f"Where did {self.who} move from 4 years ago?"

    def rules(self) -> list[dict[str, Any]]:
        """Return replies that prove it: each turn settles its subgoal by whatever number it is shown with."""
        left = {"subgoal": 1, "bridge": "", "bindings": [{"variable": "y", "value": "home country"}]}
        values = [{"variable": "y", "value": "home country"}, {"variable": "x", "value": self.answer}]
        is_country = {"subgoal": 2, "bridge": "", "bindings": values}
        is_asked = r"[\s\S]*Statements to check:[\s\S]*"
        return [
            {
                "when": "Write goal and subgoals",
                "reply": {
                    "goal": f"({self.who}) moved from (x:country) (4 years ago)",
                    "subgoals": [
                        {"says": f"({self.who}) moved from (y:home) (4 years ago)", "query": self.moved},
                        {"says": "(y:home) is (x:country)", "query": f"{self.who}'s home country"},
                    ],
                    "answer": ["x"],
                },
            },
            *(
                {
                    "when": rf"\b{number}\. \[[^\n]*{self.moved}{is_asked}\n1\. ",
                    "reply": {
                        "grounded": [{**left, "facts": [number]}],
                        "unresolved": [{"subgoal": 2, "why": "No fact names the home country."}],
                    },
                }
                for number in range(1, FACTS)
            ),
            *(
                {
                    "when": rf"\b{number}\. \[[^\n]*{self.home}{is_asked}\n2\. ",
                    "reply": {"grounded": [{**is_country, "facts": [number]}], "unresolved": []},
                }
                for number in range(1, FACTS)
            ),
            {"when": "Say which of these statements follow", "reply": {"grounded": [], "unresolved": []}},
            {
                "when": "Say what to look for next",
                "reply": {
                    "antecedents": [
                        {
                            "subgoal": 2,
                            "says": f"({self.who}) grew up in (x:country)",
                            "relation": "semantic",
                            "query": f"{self.who}'s home country",
                        }
                    ],
                    "why_stopped": "",
                },
            },
            {"reply": f"{self.who} moved from {self.answer}."},
        ]


ASKED = (
    Asked(
        Path(PUBLISHED),
        "conv-26",
        "Caroline",
        "since I moved from my home country",
        "in my home country, Sweden",
        "Sweden",
        "2023-07-01T10:00",
        ("D3:13", "D4:3"),
    )
    if PUBLISHED
    else Asked(
        WRITTEN,
        "nadia-and-tess",
        "Nadia",
        "I moved here from my home country",
        "in my home country, Estonia",
        "Estonia",
        "2024-03-20T10:00",
        ("D1:5", "D2:2"),
    )
)


@pytest.fixture
def printed(owner: User, settings: Any, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Return what `ask --trace` prints after the conversation, without the turns that the test takes away, was replayed."""
    cases = [case for case in json.loads(ASKED.path.read_text()) if case["sample_id"] == ASKED.case]
    without = getattr(request, "param", "")
    for name, turns in cases[0]["conversation"].items():
        if isinstance(turns, list):
            cases[0]["conversation"][name] = [turn for turn in turns if turn["dia_id"] != without]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    file_replay(path=path, owner=owner, quiet=True)
    out = StringIO()
    call_command(
        "ask",
        ASKED.question,
        space=ASKED.case,
        responder="goal_mem",
        engine=scripted(settings, tmp_path, *ASKED.rules()),
        asked_at=ASKED.asked_at,
        trace=True,
        stdout=out,
    )
    return out.getvalue()


def test_two_sessions_prove_where_somebody_moved_from(printed: str) -> None:
    answer, trace = printed.split("\n", 1)
    assert answer == f"{ASKED.who} moved from {ASKED.answer}."
    for words in (ASKED.moved, ASKED.home):
        assert re.search(rf"^  - {ASKED.who}, .*{words}", trace, re.MULTILINE), "what the answer rests on is shown"
    assert f"Proved: {ASKED.who} moved from {ASKED.answer} 4 years ago" in trace
    steps = [trace.index(step) for step in ("moved from home country 4 years ago", f"home country is {ASKED.answer}")]
    assert steps == sorted(steps), "the second hop stands on the first"
    assert trace.index("All of it was found.") > steps[-1]


@pytest.mark.parametrize("printed", ASKED.turns, indirect=True)
def test_without_either_turn_nothing_is_proved(printed: str) -> None:
    assert printed.startswith("I don't know.")
    assert ASKED.answer not in printed.splitlines()[0]
