"""The cards of trained models, as Markdown, each from a template of `model_cards`.

What is always so of a model (what it is, how it is trained, what it cannot do) stands in its template; what it was trained on
and what was measured is given to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from evaluation.core.confusion import LABELS
from evaluation.core.entailment_rows import JudgedPair, accuracy_of, by_source, calibration_of, confusion_of
from evaluation.core.report import ALL, Row, shown

TEMPLATES = Path(__file__).with_name("model_cards")
# What the sources of labelled examples are called, and under which licence their words were published.
SOURCES: Mapping[str, tuple[str, str]] = {
    "own": ("written for this project", "Apache-2.0, as the project"),
    "judgements": ("judged turns, written for this project", "Apache-2.0, as the project"),
    "given": ("the file of --data", "its owner's"),
    "mtbench101": ("users of MT-Bench-101 (Bai et al., 2024); labels by this project", "Apache-2.0"),
    "clinc150": ("requests of CLINC150 (Larson et al., 2019); labels by this project", "CC BY 3.0"),
    "multidogo": ("customers of MultiDoGO (Peskov et al., 2019); labels by this project", "CDLA-Permissive-1.0"),
    "friendsqa": ("dialogue of FriendsQA (Yang and Choi, 2019)", "Apache-2.0"),
    "sgd": ("users of Schema-Guided Dialogue (Rastogi et al., 2020); labels by this project", "CC BY-SA 4.0"),
    "gap": ("GAP (Webster et al., 2018), on sentences of Wikipedia", "Apache-2.0"),
    "gecor": ("GECOR (Quan et al., 2019), on dialogues of CamRest676", "CC BY 4.0"),
    "canard": ("CANARD (Elgohary et al., 2019), on questions of QuAC", "CC BY-SA 4.0"),
    "trec_cast": ("TREC CAsT 2020 to 2022 (Dalton et al.)", "MIT"),
    "opendialkg": ("OpenDialKG (Moon et al., 2019), as the RHO project published it", "CC BY-NC 4.0"),
    "qamr": ("QAMR (Michael et al., 2018), on sentences of Wikipedia and Wikinews", "MIT"),
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
SHARE_ALIKE = "CC BY-SA"


def model_card(template: str, *, sources: Mapping[str, int], figures: Sequence[Row] = (), **told: Any) -> str:
    """Return the card of a model: `sources` counts its examples by source, `figures` are of the held-out ones.

    Weights are share-alike where the words of a source are.
    """
    metrics = list(dict.fromkeys(row.metric for row in figures))
    cells = {(row.group, row.metric): row for row in figures}
    # Markdown, which a browser never gets as it is.
    environment = jinja2.Environment(  # noqa: S701
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, loader=jinja2.FileSystemLoader(TEMPLATES)
    )
    environment.filters |= {"figure": figure, "paragraph": lambda text: " ".join(text.split())}
    return environment.get_template(f"{template}.md.j2").render(
        sources=sources,
        described=described,
        is_share_alike=any(SHARE_ALIKE in described(name)[1] for name in sources),
        figures=figures,
        metrics=metrics,
        lines={
            group or ALL: [cells.get((group, metric)) for metric in metrics]
            for group in dict.fromkeys(row.group for row in figures)
        },
        **told,
    )


def described(source: str) -> tuple[str, str]:
    """Return what a source is, and the licence of its words."""
    return SOURCES.get(source, ("another set", "see its publisher"))


def figure(row: Row | None) -> str:
    """Return a figure with its interval, where it has one: "0.52 (0.49 to 0.55)"."""
    if row is None or row.value is None:
        return "-"
    if row.low is None or row.high is None:
        return shown(row.value)
    return f"{row.value:.3f} ({row.low:.3f} to {row.high:.3f})"


def entailment_card(*, before: Sequence[JudgedPair], after: Sequence[JudgedPair], **told: Any) -> str:
    """Return the card of an entailment model, by the dev pairs judged without and with the temperature."""
    sources = by_source(after)
    accuracies = {source: confusion_of(judged).accuracy for source, judged in sources.items()}
    worst = min(accuracies, key=accuracies.__getitem__, default="")
    return model_card(
        "entailment",
        judged=[
            *((f"`{name}`", by_source(before)[name], judged) for name, judged in sources.items()),
            ("all", before, after),
        ],
        dev_sources=list(sources),
        labels=LABELS,
        weakest=f"`{worst}` ({accuracies[worst]:.3f})" if worst else "what it was not trained on",
        figure_line=figure_line,
        count_lines=count_lines,
        **told,
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
