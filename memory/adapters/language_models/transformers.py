"""A language model on this machine, run by transformers. torch is imported at the first use, not before."""

import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from memory.adapters.language_models.chat_format import (
    PLAIN_STOP,
    THINKING_OPENED,
    chat_text,
    has_plain_format,
    tokens_of,
    until,
)
from memory.adapters.language_models.grammar import GrammarLogits
from memory.adapters.language_models.next_words import answer_tokens
from memory.adapters.language_models.weights import LoadedModel, check_path, load
from memory.core.errors import LanguageModelError, MemoryCoreError, ModelRefused, OnlyThinking
from memory.core.thinking import UnfinishedThinking, stream_without_thinking, without_thinking
from memory.core.types import AnswerChances, Completion, Prompt, SamplingConfig, TokenUsage

OutcomeT = TypeVar("OutcomeT")
GREEDY: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None, "min_p": None}


@dataclass(frozen=True)
class PromptRow:
    """One prompt of a batch: its index, its tokens, and how many more tokens the window has room for."""

    place: int
    prompt: Prompt
    tokens: list[int]
    room: int
    is_thinking: bool


WITHOUT_THINKING = "Choose a model without thinking, or allow longer replies."


class TransformersLanguageModel:
    """A `LanguageModel` with local weights: a folder, or the id of a model on the hub.

    Prompts are batched by length and padded on the left. One generation runs at a time; other threads wait. Raises
    `ModelNotFound` at once for a folder that does not exist, and at the first use for anything else.
    """

    def __init__(self, path_or_id: str, device: str = "auto", batch_size: int = 16) -> None:
        check_path(path_or_id)
        self.name = f"transformers:{path_or_id}"
        self._path_or_id = path_or_id
        self._device = device
        self._batch_size = max(1, batch_size)
        self._generating = threading.Lock()
        self._loading = threading.Lock()
        self._loaded: LoadedModel | None = None

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        """Return one outcome a prompt, in order. With a seed, the same prompts give the same completions."""

        def completions(loaded: LoadedModel, rows: Sequence[PromptRow]) -> list[Completion | LanguageModelError]:
            replies = self._generate(loaded, rows, config)
            return [self._completion(loaded, row, reply, config) for row, reply in zip(rows, replies, strict=True)]

        return self._outcomes(prompts, completions)

    def probabilities_many(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[AnswerChances | Exception]:
        """Return one outcome a prompt, in order, by one forward pass a batch."""

        def chances(loaded: LoadedModel, rows: Sequence[PromptRow]) -> list[AnswerChances | LanguageModelError]:
            forms = answer_tokens(loaded.words, answers)
            probabilities = self._next_probabilities(loaded, rows)
            return [
                AnswerChances(tuple(min(1.0, float(own[tokens].sum())) for tokens in forms), 0.0, len(row.tokens), 1)
                for row, own in zip(rows, probabilities, strict=True)
            ]

        return self._outcomes(prompts, chances, is_answered_at_once=True)

    def _outcomes(
        self,
        prompts: Sequence[Prompt],
        run: Callable[[LoadedModel, Sequence[PromptRow]], list[OutcomeT | LanguageModelError]],
        *,
        is_answered_at_once: bool = False,
    ) -> list[OutcomeT | Exception]:
        outcomes: list[OutcomeT | Exception] = [ModelRefused("not asked")] * len(prompts)
        try:
            loaded = self._load()
        except MemoryCoreError as error:
            return [error] * len(prompts)
        rows: list[PromptRow] = []
        for place, prompt in enumerate(prompts):
            try:
                rows.append(self._row(loaded, place, prompt, is_answered_at_once=is_answered_at_once))
            except LanguageModelError as error:
                outcomes[place] = error
        rows.sort(key=lambda row: len(row.tokens))
        for start in range(0, len(rows), self._batch_size):
            batch = rows[start : start + self._batch_size]
            for row, outcome in zip(batch, self._run(loaded, batch, run), strict=True):
                outcomes[row.place] = outcome
        return outcomes

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        """Yield the reply as it is generated. Closing the iterator stops the generation before its next token."""
        from transformers import TextIteratorStreamer

        loaded = self._load()
        row = self._row(loaded, 0, prompt)
        streamer = TextIteratorStreamer(loaded.tokenizer, skip_prompt=True, skip_special_tokens=True)
        stopped = threading.Event()
        failures: list[Exception] = []
        written: list[int] = []

        def run() -> None:
            try:
                with self._generating:
                    if not stopped.is_set():
                        [reply] = self._generate(loaded, [row], config, streamer=streamer, stopped=stopped)
                        written.append(len(reply))
            except Exception as error:
                failures.append(error)
            finally:
                streamer.end()

        thread = threading.Thread(target=run, name="generation", daemon=True)
        thread.start()
        try:
            pieces = (piece for piece in streamer if piece)
            if has_plain_format(loaded.tokenizer):
                pieces = until(pieces, PLAIN_STOP)  # type: ignore[assignment]
            yield from stream_without_thinking(pieces, is_thinking=row.is_thinking)
        except UnfinishedThinking:
            if not failures:
                raise OnlyThinking(config.max_tokens, WITHOUT_THINKING) from None
        finally:
            stopped.set()
            thread.join()
        if failures:
            raise self._failure(loaded, failures[0]) from failures[0]
        return TokenUsage(len(row.tokens), *written)

    def _load(self) -> LoadedModel:
        with self._loading:
            if self._loaded is None:
                self._loaded = load(self._path_or_id, self._device)
            return self._loaded

    def _row(self, loaded: LoadedModel, place: int, prompt: Prompt, *, is_answered_at_once: bool = False) -> PromptRow:
        text = chat_text(loaded.tokenizer, prompt, is_answered_at_once=is_answered_at_once)
        tokens = self._tokens(loaded, prompt, text)
        room = loaded.window - len(tokens)
        if room < 1:
            raise ModelRefused(
                f"The prompt has {len(tokens):,} tokens, and {self._path_or_id} reads at most {loaded.window:,}. "
                "Give it less context, or choose a model with a longer window."
            )
        return PromptRow(place, prompt, tokens, room, is_thinking=text.rstrip().endswith(THINKING_OPENED))

    def _tokens(self, loaded: LoadedModel, prompt: Prompt, text: str) -> list[int]:
        return tokens_of(loaded.tokenizer, text)

    def _inputs(self, loaded: LoadedModel, rows: Sequence[PromptRow]) -> dict[str, Any]:
        """Return what the model reads of a batch: tokens padded on the left, and their mask."""
        batch = loaded.tokenizer.pad(
            {"input_ids": [row.tokens for row in rows]}, return_tensors="pt", padding_side="left"
        )
        return {name: values.to(loaded.model.device) for name, values in batch.items()}

    def _run(
        self,
        loaded: LoadedModel,
        rows: Sequence[PromptRow],
        run: Callable[[LoadedModel, Sequence[PromptRow]], list[OutcomeT | LanguageModelError]],
    ) -> list[OutcomeT | LanguageModelError]:
        """Return the outcomes of one batch; a batch that does not fit the device's memory is halved."""
        import torch

        try:
            with self._generating:
                return run(loaded, rows)
        except torch.OutOfMemoryError as error:
            if len(rows) == 1:
                return [self._failure(loaded, error)]
        except Exception as error:
            return [self._failure(loaded, error)] * len(rows)
        half = len(rows) // 2
        return [*self._run(loaded, rows[:half], run), *self._run(loaded, rows[half:], run)]

    def _completion(
        self, loaded: LoadedModel, row: PromptRow, reply: list[int], config: SamplingConfig
    ) -> Completion | LanguageModelError:
        text = loaded.tokenizer.decode(reply, skip_special_tokens=True)
        if has_plain_format(loaded.tokenizer):
            text = text.partition(PLAIN_STOP)[0].strip()
        try:
            said = without_thinking(THINKING_OPENED + text if row.is_thinking else text)
        except UnfinishedThinking:
            return OnlyThinking(config.max_tokens, WITHOUT_THINKING)
        return Completion(said, len(row.tokens), len(reply))

    def _generate(
        self,
        loaded: LoadedModel,
        rows: Sequence[PromptRow],
        config: SamplingConfig,
        *,
        streamer: Any = None,
        stopped: threading.Event | None = None,
    ) -> list[list[int]]:
        """Return the tokens of each reply without end tokens. The caller holds the lock."""
        import torch
        from transformers import LogitsProcessorList, StoppingCriteriaList

        tokenizer = loaded.tokenizer
        length = max(len(row.tokens) for row in rows)
        limits = [min(config.max_tokens, row.room) for row in rows]
        matchers = [row.prompt.schema and loaded.grammar_tokens.matcher(row.prompt.schema) for row in rows]
        drawing: dict[str, Any] = (
            {"do_sample": True, "temperature": config.temperature} if config.temperature > 0 else dict(GREEDY)
        )
        if has_plain_format(tokenizer):
            drawing.update(stop_strings=[PLAIN_STOP], tokenizer=tokenizer)
        devices = [loaded.model.device] if loaded.device.startswith("cuda") else []
        with torch.inference_mode(), torch.random.fork_rng(devices=devices):
            if config.seed is not None:
                torch.manual_seed(config.seed)
            output = loaded.model.generate(
                **self._inputs(loaded, rows),
                max_new_tokens=max(limits),
                eos_token_id=list(loaded.ends) or None,
                pad_token_id=tokenizer.pad_token_id,
                logits_processor=LogitsProcessorList(
                    [GrammarLogits(matchers, prompt_length=length, ends=loaded.ends)] if any(matchers) else []
                ),
                stopping_criteria=StoppingCriteriaList([_RowLimits(limits, length), _Stopped(stopped)]),
                streamer=streamer,
                **drawing,
            )
        return [
            self._reply(loaded, tokens[:limit])
            for tokens, limit in zip(output[:, length:].tolist(), limits, strict=True)
        ]

    def _next_probabilities(self, loaded: LoadedModel, rows: Sequence[PromptRow]) -> Any:
        """Return the probability of each token of the vocabulary after each prompt. The caller holds the lock."""
        import torch

        with torch.inference_mode():
            output = loaded.model.generate(
                **self._inputs(loaded, rows),
                max_new_tokens=1,
                pad_token_id=loaded.tokenizer.pad_token_id,
                output_logits=True,
                return_dict_in_generate=True,
                **GREEDY,
            )
            return torch.softmax(output.logits[0].float(), dim=-1).cpu()

    @staticmethod
    def _reply(loaded: LoadedModel, tokens: list[int]) -> list[int]:
        """Return the tokens before the first end token, after which a batch has padding only."""
        end = next((place for place, token in enumerate(tokens) if token in loaded.ends), len(tokens))
        return tokens[:end]

    def _failure(self, loaded: LoadedModel, error: Exception) -> LanguageModelError:
        import torch

        if isinstance(error, LanguageModelError):
            return error
        if isinstance(error, torch.OutOfMemoryError):
            return ModelRefused(
                f"{self._path_or_id} ran out of memory on {loaded.device} with a single prompt. "
                "Give it less context, or choose a smaller model."
            )
        return ModelRefused(f"{self._path_or_id} failed on {loaded.device}: {' '.join(str(error).split())[:300]}")


class _RowLimits:
    """Ends each row of a batch at its own limit of new tokens."""

    def __init__(self, limits: Sequence[int], prompt_length: int) -> None:
        self._limits = limits
        self._prompt_length = prompt_length

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        import torch

        written = input_ids.shape[1] - self._prompt_length
        return torch.tensor([written >= limit for limit in self._limits], device=input_ids.device)


class _Stopped:
    """Ends the generation when its iterator was closed."""

    def __init__(self, stopped: threading.Event | None) -> None:
        self._stopped = stopped

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        import torch

        is_stopped = self._stopped is not None and self._stopped.is_set()
        return torch.full((input_ids.shape[0],), is_stopped, device=input_ids.device)
