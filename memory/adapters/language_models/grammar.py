"""Constrains each row of a batch to its own JSON schema during generation (llguidance)."""

import json
from collections.abc import Sequence
from typing import Any

from memory.core.errors import ModelRefused


class GrammarTokens:
    """A tokenizer in llguidance's form; making one takes about a second."""

    def __init__(self, tokenizer: Any, *, vocabulary_size: int, ends: Sequence[int]) -> None:
        import llguidance.hf

        self._tokens = llguidance.hf.from_tokenizer(
            tokenizer, n_vocab=max(vocabulary_size, len(tokenizer)), eos_token=list(ends) or None
        )

    def matcher(self, schema: dict[str, object]) -> Any:
        """Return a matcher at the start of a reply. Raises `ModelRefused` for a schema that has no grammar."""
        import llguidance

        # Unbounded white space lets a model stall inside a valid prefix.
        grammar = llguidance.LLMatcher.grammar_from_json_schema(
            json.dumps(schema),
            overrides={"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "},
        )
        matcher = llguidance.LLMatcher(self._tokens, grammar)
        if matcher.is_error():
            raise ModelRefused(f"The schema of the reply cannot be enforced: {matcher.get_error().splitlines()[0]}")
        return matcher


class GrammarLogits:
    """A logits processor for a batch: a row with a matcher can only draw tokens that its schema allows next."""

    def __init__(self, matchers: Sequence[Any | None], *, prompt_length: int, ends: Sequence[int]) -> None:
        self._matchers = matchers
        self._read = prompt_length
        self._ends = ends

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        import numpy as np
        import torch

        fresh = input_ids[:, self._read :].tolist()
        self._read = input_ids.shape[1]
        for row, matcher in enumerate(self._matchers):
            if matcher is None:
                continue
            if not matcher.is_stopped():
                matcher.consume_tokens(fresh[row])
            allowed = torch.zeros(scores.shape[1], dtype=torch.bool)
            if matcher.is_stopped():
                # The reply is whole (or past saving): it has to end here.
                allowed[list(self._ends)] = True
            else:
                bits = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8), bitorder="little")
                size = min(len(bits), scores.shape[1])
                allowed[:size] = torch.from_numpy(bits[:size].astype(bool))
            scores[row].masked_fill_(~allowed.to(scores.device), float("-inf"))
        return scores
