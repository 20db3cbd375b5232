"""The responder `naive_memory`: `base` with notes of all that the user said, in its prompt (SLSM's naive prompt memory).

Departures from the paper: it names the baseline without telling what its notes are; here they are the user's own
words, as far back as the history of a query reaches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.base import GENERATION, messages_of
from conversations.core.responders.deltas import streamed
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.types import Message, MessageRole, Prompt, Role

PROMPT = Path(__file__).parent / "prompts" / "naive_memory.md.j2"


@dataclass(frozen=True, kw_only=True)
class NaiveMemoryResponder:
    """Implements `Responder`: notes are only added, an earlier one stays beside the later one that changes it."""

    name: str = "naive_memory"
    write_answer: LanguageModel

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("write", "writing the reply")
        notes = "\n".join(f"- {one.text}" for one in query.history if one.role is Role.USER)
        noted = render_prompt(PROMPT, notes=notes)
        message = Message(MessageRole.USER, query.text)
        prompt = Prompt((*noted.messages, *messages_of(query.history), message))
        yield from streamed(self.write_answer.stream(prompt, config=GENERATION))
