"""The form of requests that a server accepts, learnt from its refusals.

Servers of the OpenAI chat completions API differ in whether they support JSON schemas and in the parameters that their models
take. A form starts from the whole API; each refusal that a smaller form may avoid gives the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from memory.core.prompting import is_strict
from memory.core.types import Prompt, SamplingConfig


class StructuredOutput(StrEnum):
    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


_LESSER = {
    StructuredOutput.JSON_SCHEMA: StructuredOutput.JSON_OBJECT,
    StructuredOutput.JSON_OBJECT: StructuredOutput.NONE,
}
# Reasoning models of OpenAI take neither a temperature nor a seed, and count the reply under another name. Older servers
# do not tell the tokens of a stream.
_OPTIONAL = frozenset({"temperature", "seed", "stream_options"})
# How many of the most probable tokens a request asks for: what OpenAI and vLLM allow at most, and what most others do.
MOST_LOGPROBS, FEW_LOGPROBS = 20, 5


@dataclass(frozen=True)
class RequestForm:
    """The form of the requests to one server and model."""

    structured_output: StructuredOutput = StructuredOutput.JSON_SCHEMA
    length_parameter: str = "max_tokens"
    left_out: frozenset[str] = frozenset()
    top_logprobs: int = MOST_LOGPROBS

    def body(
        self,
        model: str,
        prompt: Prompt,
        config: SamplingConfig,
        *,
        is_stream: bool = False,
        asks_chances: bool = False,
    ) -> dict[str, object]:
        """Return the JSON body of the request. `asks_chances` asks which tokens are the most probable in each place."""
        body: dict[str, object] = {
            "model": model,
            "messages": [{"role": str(message.role), "content": message.content} for message in prompt.messages],
            "temperature": config.temperature,
            self.length_parameter: config.max_tokens,
            "stream": is_stream,
        }
        if is_stream:
            body["stream_options"] = {"include_usage": True}
        if asks_chances:
            body |= {"logprobs": True, "top_logprobs": self.top_logprobs}
        if config.seed is not None:
            body["seed"] = config.seed
        if prompt.schema is not None and self.structured_output is StructuredOutput.JSON_SCHEMA:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": prompt.schema, "strict": is_strict(prompt.schema)},
            }
        elif prompt.schema is not None and self.structured_output is StructuredOutput.JSON_OBJECT:
            body["response_format"] = {"type": "json_object"}
        return {name: value for name, value in body.items() if name not in self.left_out}

    def after_refusal(self, prompt: Prompt, error: Mapping[str, object]) -> RequestForm | None:
        """Return the form to try after a 400 or 422, or None where no smaller form can help.

        A refused parameter is named in the error. Servers without structured output say so in various words or not at all, so
        the smaller form is simply tried.
        """
        if error.get("code") == "context_length_exceeded":
            return None
        parameter = str(error.get("param") or "")
        if parameter == "top_logprobs" or "top_logprobs" in str(error.get("message") or ""):
            return replace(self, top_logprobs=FEW_LOGPROBS) if self.top_logprobs > FEW_LOGPROBS else None
        if parameter == self.length_parameter == "max_tokens":
            return replace(self, length_parameter="max_completion_tokens")
        if "stream_options" in str(error.get("message") or ""):
            parameter = "stream_options"
        if parameter in _OPTIONAL - self.left_out:
            return replace(self, left_out=self.left_out | {parameter})
        if prompt.schema is not None and self.structured_output in _LESSER:
            return replace(self, structured_output=_LESSER[self.structured_output])
        return None
