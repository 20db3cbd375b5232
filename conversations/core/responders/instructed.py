"""A language model that keeps to what another program asks of the assistant when it writes a reply.

The instruction stands after the responder's own, in the one system message that servers take. It is a program's and no
person's: nothing of it is remembered.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig, TokenUsage

PROMPT = Path(__file__).parent / "prompts" / "instruction.md.j2"


@dataclass(frozen=True)
class InstructedModel:
    """Implements `LanguageModel` by another one."""

    model: LanguageModel
    instruction: str

    @property
    def name(self) -> str:
        return self.model.name

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        return self.model.complete_many([self._instructed(prompt) for prompt in prompts], config=config)

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        return self.model.stream(self._instructed(prompt), config=config)

    def _instructed(self, prompt: Prompt) -> Prompt:
        [asked] = render_prompt(PROMPT, instruction=self.instruction).messages
        first, *rest = prompt.messages
        if first.role is not MessageRole.SYSTEM:
            return replace(prompt, messages=(asked, *prompt.messages))
        return replace(prompt, messages=(Message(first.role, f"{first.content}\n\n{asked.content}"), *rest))
