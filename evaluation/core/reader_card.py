"""The model card of a learned reader, as Markdown, from what was trained on and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from evaluation.core.report import ALL, Row, shown

OWN_LICENCE = "Apache-2.0, as the project"
# What the sources of labelled examples are called, and under which licence their words were published.
SOURCES: Mapping[str, tuple[str, str]] = {
    "own": ("written for this project", OWN_LICENCE),
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
}
UNKNOWN = ("another set", "see its publisher")
SHARE_ALIKE = "CC BY-SA"
TEMPLATE = Path(__file__).with_name("reader_card.md.j2")


@dataclass(frozen=True)
class ReaderCard:
    """What a card says of a reader.

    `counted` is what `sources` and `held_out` count ("messages"); `figures` are of the held-out examples; `times` are rows
    of `cost_rows`.
    """

    title: str
    what: str
    counted: str
    sources: Mapping[str, int]
    held_out: int
    left_out: int
    trained: str
    command: str
    calibration: str
    figures: Sequence[Row]
    times: Sequence[Row]
    megabytes: float
    limits: str


def reader_card(card: ReaderCard) -> str:
    """Return the card of a reader. Weights are share-alike where the words of a source are."""
    described = {name: SOURCES.get(name, UNKNOWN) for name in card.sources}
    metrics = list(dict.fromkeys(row.metric for row in card.figures))
    groups = list(dict.fromkeys(row.group for row in card.figures))
    cells = {(row.group, row.metric): row for row in card.figures}
    # Markdown, which a browser never gets as it is.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        card=card,
        described=described,
        is_share_alike=any(SHARE_ALIKE in licence for _, licence in described.values()),
        metrics=metrics,
        lines=[(group or ALL, [figure(cells.get((group, metric))) for metric in metrics]) for group in groups],
    )


def figure(row: Row | None) -> str:
    """Return a figure with its interval, where it has one: "0.52 (0.49 to 0.55)"."""
    if row is None or row.value is None:
        return "-"
    if row.low is None or row.high is None:
        return shown(row.value)
    return f"{row.value:.3f} ({row.low:.3f} to {row.high:.3f})"
