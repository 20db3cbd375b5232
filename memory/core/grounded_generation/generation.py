"""The prompts of a reply: from a textualised graph (equation 4, Table 7), and beside a graph (equation 10)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memory.core.prompting import render_prompt
from memory.core.types import Prompt, TextGraph

PROMPT = Path(__file__).parent / "prompts" / "generate.md.j2"
GRAPH_AWARE = Path(__file__).parent / "prompts" / "graph_aware.md.j2"


def generation_prompt(
    knowledge: Sequence[str], dialogue: Sequence[tuple[str, str]], message: str, *, today: str = ""
) -> Prompt:
    """Return the prompt of p_gen: triples in words, the turns before with their speakers, and the message to reply to."""
    return render_prompt(
        PROMPT,
        knowledge=[f"- {' '.join(text.split())}" for text in knowledge],
        dialogue=told(dialogue),
        message=message,
        today=today,
    )


def graph_aware_prompt(graph: TextGraph | None, dialogue: Sequence[tuple[str, str]], message: str) -> Prompt:
    """Return the turns before and the message beside a graph, which alone tells what is known."""
    return replace(render_prompt(GRAPH_AWARE, dialogue=told(dialogue), message=message), graph=graph)


def told(dialogue: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{speaker}: {' '.join(text.split())}" for speaker, text in dialogue]
