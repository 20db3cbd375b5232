"""Puts a search state into prompts: its facts, its trajectory and the dialogue before it.

Lines are plain text without marks; a template fences what people said (`fenced`). The caller renders triples, because the
words for predicates belong to another room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.core.reasoning_tree.types import Action, ActionKind
from memory.core.types import Triple, Utterance

# A longer utterance is cut: it goes into every prompt of a level, and what it told is in memory.
UTTERANCE_LIMIT = 600
TripleRenderer = Callable[[Triple], str]


def action_name(kind: ActionKind) -> str:
    """Return the name of an action as prompts and replies write it ("EXPAND ENTITY")."""
    return kind.value.replace("_", " ").upper()


def action_line(action: Action) -> str:
    """Return an action on one line, as in "FIND PATH [Maya] [Airbus]" or "THINK: Maya is the sister."."""
    name = action_name(action.kind)
    if action.arguments:
        return " ".join([name, *(f"[{argument}]" for argument in action.arguments)])
    return f"{name}: {on_one_line(action.text)}"


def fact_lines(triples: Sequence[Triple], render: TripleRenderer) -> str:
    """Return the triples one a line, in their order."""
    return "\n".join(f"- {on_one_line(render(triple))}" for triple in triples)


def trajectory_lines(trajectory: Sequence[Action]) -> str:
    """Return the steps taken, numbered, one a line."""
    return "\n".join(f"{number}. {action_line(action)}" for number, action in enumerate(trajectory, start=1))


def history_lines(history: Sequence[Utterance], *, limit: int) -> str:
    """Return the last utterances of a dialogue, oldest first, one a line."""
    recent = history[-limit:] if limit > 0 else ()
    return "\n".join(f"{one.speaker} ({one.role}): {cut(on_one_line(one.text), UTTERANCE_LIMIT)}" for one in recent)


def cut(text: str, limit: int) -> str:
    return f"{text[:limit]}…" if len(text) > limit else text


def on_one_line(text: str) -> str:
    return " ".join(text.split())
