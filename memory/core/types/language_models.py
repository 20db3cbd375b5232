"""Words for what models are asked and what they answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from memory.core.types.text_graphs import TextGraph


class MessageRole(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Message:
    role: MessageRole
    content: str


@dataclass(frozen=True)
class Prompt:
    """What a language model is asked. `schema` is a JSON schema that the reply must follow, or None for free text.

    `graph` is read by models that take one; the others read the messages alone.
    """

    messages: tuple[Message, ...]
    schema: dict[str, object] | None = field(default=None, hash=False)
    graph: TextGraph | None = None


@dataclass(frozen=True)
class SamplingConfig:
    """How a reply is drawn. Defaults: D-SMART, Appendix B (0.8 for generation, 0.0 for scores)."""

    temperature: float = 0.8
    max_tokens: int = 1024
    seed: int | None = None


@dataclass(frozen=True)
class Completion:
    """A language model's whole reply with what it cost; a count is None where the server does not tell."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class TokenUsage:
    """The tokens that a call read and wrote; None where the server does not tell."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class AnswerChances:
    """The probability of each answer that was asked about, in [0, 1] and in order, as the next word of a reply.

    `untold` is the probability of all words that a server did not tell of: an answer among these has 0 here.
    """

    chances: tuple[float, ...]
    untold: float = 0.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class EntailmentLabel(StrEnum):
    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True)
class EntailmentVerdict:
    """The probabilities that a premise entails, leaves open or contradicts a hypothesis; they sum to 1."""

    entailment: float
    neutral: float
    contradiction: float

    @property
    def label(self) -> EntailmentLabel:
        return max(EntailmentLabel, key=lambda label: float(getattr(self, label.value)))

    def at_most(self, *, entailment: float = 1.0, contradiction: float = 1.0) -> EntailmentVerdict:
        """Return the verdict with no more than these probabilities; what goes is left open."""
        most = replace(
            self,
            entailment=min(self.entailment, entailment),
            contradiction=min(self.contradiction, contradiction),
        )
        gone = self.entailment - most.entailment + self.contradiction - most.contradiction
        return replace(most, neutral=self.neutral + gone)
