"""The model card of a trained entailment model, as Markdown, from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from evaluation.core.confusion import LABELS
from evaluation.core.entailment_rows import JudgedPair, accuracy_of, by_source, calibration_of, confusion_of

# What the sources of the training file are called, where they are from, and under which licence they were published.
SOURCES: Mapping[str, tuple[str, str]] = {
    "own": ("dialogue, written for this project", "Apache-2.0, as the project"),
    "lingnli": ("LingNLI (Parrish et al., 2021)", "MIT or unstated"),
    "conjnli": ("ConjNLI (Saha et al., 2020)", "MIT or unstated"),
    "cad-snli": ("Counterfactually augmented SNLI (Kaushik et al., 2020)", "Apache-2.0"),
    "fool-me-twice": ("Fool Me Twice (Eisenschlos et al., 2021)", "Apache-2.0, its Wikipedia sentences CC BY-SA"),
    "begin": ("BEGIN (Dziri et al., 2022)", "CC BY 4.0, the part of TopicalChat CDLA-Sharing 1.0"),
    "factcheck-gpt": ("Factcheck-GPT (Wang et al., 2024)", "Apache-2.0"),
    "gu-dnli": ("GU-CLASP dialogue NLI", "MIT"),
    "semiauto-base_wiki": ("Semi-automatic NLI, Wikipedia part", "CC BY-SA"),
    "semiauto-sim_wiki": ("Semi-automatic NLI, Wikipedia part, similar sentences", "CC BY-SA"),
    "semiauto-translate_wiki": ("Semi-automatic NLI, Wikipedia part, translated", "CC BY-SA"),
    "snli-dev": ("SNLI, development part (Bowman et al., 2015)", "CC BY-SA 4.0"),
}
UNKNOWN = ("", "see its publisher")
TEMPLATE = Path(__file__).with_name("model_card.md.j2")


@dataclass(frozen=True)
class TrainedModel:
    """What a card says of a model. `before` and `after` are the dev pairs judged without and with the temperature."""

    command: str
    is_begun: bool
    steps: int
    decay_steps: int
    train_sources: Mapping[str, int]
    weights: Mapping[str, float]
    held_out: int
    held_out_accuracy: float
    temperature: float
    agreement: float
    agreement_pairs: int
    megabytes: float
    before: Sequence[JudgedPair]
    after: Sequence[JudgedPair]


def model_card(model: TrainedModel) -> str:
    after = by_source(model.after)
    accuracies = {source: confusion_of(judged).accuracy for source, judged in after.items()}
    worst = min(accuracies, key=accuracies.__getitem__, default="")
    # Markdown, which a browser never gets as it is.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        model=model,
        before=by_source(model.before),
        after=after,
        labels=LABELS,
        sources=SOURCES,
        unknown=UNKNOWN,
        weakest=f"`{worst}` ({accuracies[worst]:.3f})" if worst else "what it was not trained on",
        figures=figure_line,
        counts=count_lines,
    )


def figure_line(name: str, before: Sequence[JudgedPair], after: Sequence[JudgedPair]) -> str:
    accuracy, macro_f1 = accuracy_of(name, after), confusion_of(after).macro_f1
    errors = " | ".join(f"{calibration_of(judged) or 0:.3f}" for judged in (before, after))
    span = f"{accuracy.low:.3f} to {accuracy.high:.3f}"
    return f"| {name} | {len(after):,} | {accuracy.value:.3f} | {span} | {macro_f1:.3f} | {errors} |"


def count_lines(name: str, judged: Sequence[JudgedPair]) -> str:
    counts = confusion_of(judged).counts
    return "\n".join(
        f"| {name} | {expected} | {' | '.join(f'{counts[expected, predicted]:,}' for predicted in LABELS)} |"
        for expected in LABELS
    )
