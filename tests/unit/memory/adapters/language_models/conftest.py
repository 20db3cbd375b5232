"""A tiny Qwen3 with random weights and a tokenizer of its own: the real code paths of a large one, in milliseconds."""

from __future__ import annotations

from pathlib import Path

import pytest

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="session")
def tiny_qwen3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_qwen3(tmp_path_factory.mktemp("models") / "tiny")


def build_tiny_qwen3(folder: Path, *, chat_template: str | None = CHAT_TEMPLATE) -> Path:
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    pairs.train_from_iterator(
        ["hello world, this is a tiny corpus for a tiny model", '{"name": "a", "n": 1}'] * 5,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pairs, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    tokenizer.chat_template = chat_template
    config = Qwen3Config(
        # More rows than tokens, as real checkpoints have.
        vocab_size=len(tokenizer) + 13,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=512,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        # Weights large enough that the reply depends on the prompt.
        initializer_range=0.3,
        tie_word_embeddings=False,
    )
    model = Qwen3ForCausalLM(config)
    with torch.no_grad():
        # Bytes that are no text by themselves are drawn seldom, so that replies have words to stream.
        for token in range(config.vocab_size):
            text = tokenizer.decode([token]) if token < len(tokenizer) else ""
            model.lm_head.weight[token] *= 1.0 if text.isascii() and text.strip().isalnum() else 0.0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
