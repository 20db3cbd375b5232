"""What `manage.py train` can train. A new model is a module beside this one, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from evaluation.services.training import (
    answer_reader,
    causal_adapter,
    change_judge,
    entailment,
    evidence_reader,
    graph_generator,
    message_reader,
    parser,
    question_reader,
    reference_reader,
    triple_selector,
)
from evaluation.services.training.request import TrainingRequest, TrainingResult
from memory.adapters.language_models.adapted import LoraSizes

PUBLIC_SETS = "train on the questions of others too: the folder that holds friendsqa and qamr as they were published"
PUBLIC_REFERENCES = (
    "train on the references of others too: the folder that holds gap, gecor, canard_dev and trec_cast as published"
)
PUBLIC_SELECTIONS = (
    "train on OpenDialKG too, whose licence forbids commercial use: the folder of val.csv and valid2id.txt"
)
GRAPH_REPLIES = (
    "JSONL of dialogue, triples and response, or a folder of such files; or turns of OpenDialKG, whose licence forbids "
    "commercial use: a CSV with valid2id.txt beside it"
)
CHAT_REPLIES = "JSONL of messages, the last of which is the reply, or of prompt and response; or a folder of such files"
PUBLIC_PAIRS = "train on the pairs of others too: JSONL of premise, hypothesis, label and source"
PUBLIC_CLAIMS = (
    "train on claims with evidence too: the folder that holds fool_me_twice, begin and factcheck_gpt as published"
)
SOURCES = "the folder of the sets that some examples only name; without it those are left out and counted"
OWN_MESSAGES = "train on labels of your own too: a file that *Review* wrote of a project of messages"
DEV_PAIRS = "the pairs that the card tells of, in the form of those of --public"


class Training(Protocol):
    HELP: str

    def train(self, request: TrainingRequest) -> TrainingResult:
        """Make the model in `request.out`, with its card, and return what was measured of it."""


@dataclass(frozen=True)
class Trainable:
    """A model with the defaults of its training: the folder of its examples, the steps and their learning rate.

    `data` is empty where the examples do not come with the product, `what` says what they are. `files` are further options
    that name files or folders, with what they are. `is_looped` says whether it is trained by the loop of the learned readers.
    `lora` are the adapters of one that is trained on a language model; `has_ways` says whether a way gives its prompts.
    """

    training: Training
    data: str
    steps: int
    decay_share: float = 1.0
    learning_rate: float = 1.5e-4
    warmup_steps: int = 200
    files: Mapping[str, str] = field(default_factory=dict)
    what: str = "the labelled examples"
    is_looped: bool = True
    lora: LoraSizes | None = None
    has_ways: bool = False


TRAININGS: Mapping[str, Trainable] = {
    "message-reader": Trainable(
        message_reader, "messages", 4_800, 0.6, files={"sources": SOURCES, "own": OWN_MESSAGES}
    ),
    "answer-reader": Trainable(answer_reader, "questions", 2_400, 0.6, 1.2e-4, files={"public": PUBLIC_SETS}),
    "question-reader": Trainable(question_reader, "asked", 1_200, 0.6, 1e-4, warmup_steps=100),
    "change-judge": Trainable(change_judge, "changes", 700, 0.6, 1e-4),
    "evidence-reader": Trainable(evidence_reader, "states", 3_600, 0.6, warmup_steps=100),
    "reference-reader": Trainable(
        reference_reader, "references", 2_000, 0.6, warmup_steps=100, files={"public": PUBLIC_REFERENCES}
    ),
    "triple-selector": Trainable(triple_selector, "selection", 1_600, 0.6, 1e-4, files={"public": PUBLIC_SELECTIONS}),
    "graph-generator": Trainable(
        graph_generator, "", 2_000, 0.3, 1e-4, 100, what=GRAPH_REPLIES, lora=LoraSizes(), has_ways=True
    ),
    "causal-adapter": Trainable(
        causal_adapter, "", 2_000, 0.3, 1e-4, 100, what=CHAT_REPLIES, lora=LoraSizes(rank=32, alpha=32)
    ),
    "entailment": Trainable(
        entailment,
        "entailment",
        7_000,
        0.3,
        warmup_steps=300,
        files={"public": PUBLIC_PAIRS, "claims": PUBLIC_CLAIMS, "dev": DEV_PAIRS},
    ),
    "parser": Trainable(parser, "", 20_000, is_looped=False),
}
