"""The prompt of a reply from a textualised graph (equation 4, Table 7)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory.core.prompting import render_prompt
from memory.core.types import Prompt

PROMPT = Path(__file__).parent / "prompts" / "generate.md.j2"


def generation_prompt(
    knowledge: Sequence[str], dialogue: Sequence[tuple[str, str]], message: str, *, today: str = ""
) -> Prompt:
    """Return the prompt of p_gen: triples in words, the turns before with their speakers, and the message to reply to."""
    return render_prompt(
        PROMPT,
        knowledge=[f"- {' '.join(text.split())}" for text in knowledge],
        dialogue=[f"{speaker}: {' '.join(text.split())}" for speaker, text in dialogue],
        message=message,
        today=today,
    )
