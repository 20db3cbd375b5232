"""Training of the dependency parser that the built-in engine reads sentences with.

Trains a small spaCy pipeline (tagger, morphologizer, parser over one shared tok2vec) on a Universal Dependencies
treebank. Each tree becomes a document of its own, because the product segments sentences before it parses them, and
a copy without the final punctuation is added for a share of the trees, because people who chat leave it out.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import spacy
from spacy.scorer import Scorer
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.converters import conllu_to_docs
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_loop
from spacy.util import load_config

from memory.adapters.parser.spacy_parser import pipeline_load

CONFIG = Path(__file__).with_name("training.cfg")


@dataclass(frozen=True)
class ParserScores:
    """Accuracy of a parser on held-out trees, each in [0, 1]; speed in sentences a second."""

    tag: float
    pos: float
    uas: float
    las: float
    sentences: int


def train_parser(*, data: Path, output: Path, work: Path, max_steps: int = 20_000, seed: int = 0) -> ParserScores:
    """Return the scores on the dev set of a parser trained on `data` and saved to `output`.

    `data` holds `train.conllu` and `dev.conllu`; `work` receives the converted corpora and both checkpoints.
    """
    work.mkdir(parents=True, exist_ok=True)
    train_docs = list(read_trees(data / "train.conllu"))
    train_docs += list(without_final_punctuation(train_docs, share=0.2, seed=seed))
    DocBin(docs=train_docs, store_user_data=False).to_disk(work / "train.spacy")
    DocBin(docs=list(read_trees(data / "dev.conllu"))).to_disk(work / "dev.spacy")
    overrides = {
        "paths.train": str(work / "train.spacy"),
        "paths.dev": str(work / "dev.spacy"),
        "system.seed": seed,
        "system.max_steps": max_steps,
    }
    nlp = init_nlp(load_config(CONFIG, overrides=overrides, interpolate=False))
    (work / "checkpoints").mkdir(exist_ok=True)
    _, best = train_loop(nlp, work / "checkpoints")
    save_parser(best, output)
    scores = score_parser(model=output, data=data / "dev.conllu")
    (output / "scores.json").write_text(json.dumps(asdict(scores), indent=2) + "\n")
    return scores


def save_parser(checkpoint: Path, output: Path) -> None:
    """Save a checkpoint as a pipeline of its own: with its licence, without the paths of the machine that trained it."""
    nlp = spacy.load(checkpoint)
    nlp.config["paths"] = {**nlp.config["paths"], "train": None, "dev": None}
    nlp.meta.update(
        name="dsmart_parser",
        version="1.0.0",
        description="Tags, morphology and dependencies of English, trained on UD English-EWT.",
        license="CC BY-SA 4.0",
    )
    nlp.to_disk(output, exclude=["tokenizer"])


def score_parser(*, model: Path, data: Path) -> ParserScores:
    """Return the accuracy of a saved parser on the trees of a CoNLL-U file, each tree parsed as one sentence."""
    nlp = pipeline_load(model)
    gold = list(read_trees(data))
    predicted = nlp.pipe([one_sentence(Doc(nlp.vocab, words=[t.text for t in doc])) for doc in gold])
    examples = [Example(guess, doc) for guess, doc in zip(predicted, gold, strict=True)]
    scorer = Scorer(nlp)
    found = scorer.score(examples)
    return ParserScores(
        tag=round(found["tag_acc"], 4),
        pos=round(found["pos_acc"], 4),
        uas=round(found["dep_uas"], 4),
        las=round(found["dep_las"], 4),
        sentences=len(gold),
    )


def read_trees(path: Path) -> Iterator[Doc]:
    """Return the trees of a CoNLL-U file, each as a document of one sentence."""
    return conllu_to_docs(path.read_text(encoding="utf-8"), n_sents=1, no_print=True)


def without_final_punctuation(docs: list[Doc], *, share: float, seed: int) -> Iterator[Doc]:
    """Return copies of a share of the trees that lack their final punctuation mark."""
    chosen = random.Random(seed)
    for doc in docs:
        ends_in_mark = len(doc) > 3 and doc[-1].dep_ == "punct" and not any(t.head == doc[-1] for t in doc[:-1])
        if ends_in_mark and chosen.random() < share:
            yield doc[:-1].as_doc()


def one_sentence(doc: Doc) -> Doc:
    """Return the document marked as a single sentence, so that the parser builds a single tree."""
    for token in doc:
        token.is_sent_start = token.i == 0
    return doc
