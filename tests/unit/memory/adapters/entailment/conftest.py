"""Tiny BERTs with random weights and a tokenizer of their own: the real code paths of a large one, in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

LABELS = ("entailment", "neutral", "contradiction")
WORDS = (
    "a the cat dog sleeps runs is not in on house red blue i you my your am are live paris rome and old new now".split()
)
WINDOW = 24


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_bert(tmp_path_factory.mktemp("bert") / "tiny")


@pytest.fixture(scope="session")
def tiny_bert_with() -> Callable[..., Path]:
    return build_tiny_bert


def build_tiny_bert(folder: Path, *, labels: Sequence[str] = LABELS, window: int = WINDOW, layers: int = 2) -> Path:
    """Return a folder with a classifier; the same weights, whatever its outputs are called."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(0)
    vocabulary = {word: place for place, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", *WORDS])}
    pieces = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer(lowercase=True)
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=128,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=window,
        pad_token_id=0,
        initializer_range=0.2,
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={label: place for place, label in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
