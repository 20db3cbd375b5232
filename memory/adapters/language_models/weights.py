"""Loads the weights of a transformers model, or says in one sentence why it cannot."""

import logging
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from memory.adapters.language_models.grammar import GrammarTokens
from memory.adapters.language_models.next_words import word_of
from memory.core.errors import ModelNotFound, ModelRefused

LOGGER = logging.getLogger(__name__)
HUB_PATIENCE_S = 5.0
HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
FORM = "transformers:<folder or hub id>"
# Tokenizers that know no limit say so with an astronomical number.
NO_LIMIT = 10**9


@dataclass
class LoadedModel:
    """A tokenizer and a model on its device. `window` is the limit of tokens of a prompt and its reply together."""

    tokenizer: Any
    model: Any
    device: str
    window: int

    @cached_property
    def grammar_tokens(self) -> GrammarTokens:
        return GrammarTokens(
            self.tokenizer, vocabulary_size=self.model.config.get_text_config().vocab_size, ends=self.ends
        )

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """The tokens that stand for one word each, by the word."""
        texts = self.tokenizer.batch_decode([[token] for token in range(len(self.tokenizer))])
        words: dict[str, list[int]] = {}
        for token, text in enumerate(texts):
            words.setdefault(word_of(text), []).append(token)
        return words

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The tokens that end a reply."""
        configured = self.model.generation_config.eos_token_id
        ends = configured if isinstance(configured, list) else [configured]
        return tuple(dict.fromkeys(end for end in [*ends, self.tokenizer.eos_token_id] if end is not None))


def check_path(path_or_id: str, *, setting: str = "DSMART_ENGINE", form: str = FORM) -> None:
    """Raise `ModelNotFound` for a name that is neither an existing folder nor a possible hub id."""
    folder = Path(path_or_id).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelNotFound(f"The folder {folder} holds no model: it has no config.json. Check {setting}.")
        return
    if folder.exists() or path_or_id.startswith(("/", ".", "~")) or not HUB_ID.fullmatch(path_or_id):
        raise ModelNotFound(f"There is no model folder {path_or_id}. Set {setting} to {form}.")


def load(path_or_id: str, device: str, *, setting: str = "DSMART_ENGINE", form: str = FORM) -> LoadedModel:
    """Return the model, ready to generate. Raises `ModelNotFound` and `ModelRefused`."""
    check_path(path_or_id, setting=setting, form=form)
    tokenizer, model, chosen = read_weights(path_or_id, device, head="AutoModelForCausalLM", setting=setting)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)
    tokenizer.padding_side = "left"
    limits = [tokenizer.model_max_length, getattr(model.config.get_text_config(), "max_position_embeddings", None)]
    window = min((limit for limit in limits if isinstance(limit, int) and 0 < limit < NO_LIMIT), default=NO_LIMIT)
    return LoadedModel(tokenizer=tokenizer, model=model, device=chosen, window=window)


def read_weights(path_or_id: str, device: str, *, head: str, setting: str) -> tuple[Any, Any, str]:
    """Return a tokenizer, a model of transformers' class `head` on its device, and the device.

    Raises `ModelNotFound` and `ModelRefused`, whose messages name the setting that chose the model.
    """
    try:
        import torch
        import transformers  # noqa: F401 (asked for here, so that its absence is said in one sentence)
    except ImportError as error:
        raise ModelRefused(
            f"{error.name} is not installed. Install torch and transformers to run models here."
        ) from error
    chosen = chosen_device(device)
    folder = Path(path_or_id).expanduser()
    try:
        if folder.is_dir():
            tokenizer, model = _read(str(folder), chosen, head, is_local=True)
        else:
            tokenizer, model = _read_hub(path_or_id, chosen, head)
    except ModelNotFound:
        raise
    except Exception as error:
        # What broken files raise is the libraries' own, and of any kind.
        raise ModelNotFound(f"The model {path_or_id} cannot be loaded: {_one_line(error)} Check {setting}.") from error
    try:
        model = model.to(chosen).eval()
    except (torch.OutOfMemoryError, RuntimeError, AssertionError) as error:
        raise ModelRefused(
            f"The model {path_or_id} cannot be put on {chosen}: {str(error).splitlines()[0]} "
            "Set DSMART_TRANSFORMERS_DEVICE to cpu, or choose a smaller model."
        ) from error
    return tokenizer, model, chosen


def chosen_device(device: str) -> str:
    """Return the named device, or the machine's best. Raises `ModelRefused` for one that the machine does not have."""
    import torch

    if device in ("", "auto"):
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelRefused(f"This machine has no device {device!r}. Set DSMART_TRANSFORMERS_DEVICE to auto.") from error
    return device


def _dtype(device: str) -> Any:
    """Return the number format that is fast on the device: a CPU is slow in half precision."""
    import torch

    if device.startswith("cuda"):
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return torch.float16 if device.startswith("mps") else torch.float32


def _read(place: str, device: str, head: str, *, is_local: bool) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a folder or a hub id; `is_local` forbids the network."""
    import transformers

    if is_local:
        transformers.utils.logging.disable_progress_bar()
    else:
        transformers.utils.logging.enable_progress_bar()
    tokenizer = transformers.AutoTokenizer.from_pretrained(place, local_files_only=is_local)
    kind = getattr(transformers, head)
    model = kind.from_pretrained(place, dtype=_dtype(device), local_files_only=is_local)
    return tokenizer, model


def _read_hub(model_id: str, device: str, head: str) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a hub id: from the cache if it is complete, else from the hub.

    Without a network the hub's own client would retry for minutes, so one short request tests it first.
    """
    import httpx
    from huggingface_hub import constants

    try:
        return _read(model_id, device, head, is_local=True)
    except Exception as error:
        reason = _one_line(error)
        LOGGER.info("%s is not read from the cache: %s", model_id, reason)
    missing = f"The model {model_id} is neither a folder nor whole in the local cache"
    if constants.HF_HUB_OFFLINE or os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        raise ModelNotFound(f"{missing}, and HF_HUB_OFFLINE forbids to download it. {reason}")
    try:
        httpx.head(constants.ENDPOINT, timeout=HUB_PATIENCE_S)
    except httpx.HTTPError as error:
        raise ModelNotFound(
            f"{missing}, and {constants.ENDPOINT} does not answer. Give the path of a folder. {reason}"
        ) from error
    return _read(model_id, device, head, is_local=False)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
