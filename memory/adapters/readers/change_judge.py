"""The change judge: what a new sentence does to an old one, with calibrated probabilities.

It sees the old sentence, then how much later the new one was said, and the new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from memory.adapters.readers.encoder import OnnxReader, linear, pooled, softmax
from memory.core.errors import ModelUnfit
from memory.core.types import Change, ChangeVerdict, Utterance

KIND = "change judge"
CHANGES = tuple(Change)
DAYS_A_WEEK, DAYS_A_MONTH, DAYS_A_YEAR = 7, 30.44, 365.25
# From so many of the smaller unit on, the larger one is told.
WEEKS_FROM, MONTHS_FROM, YEARS_FROM = 14, 60, 730


class OnnxChangeJudge(OnnxReader):
    """Implements `ChangeJudge` with the folder that `manage.py train change-judge` writes.

    Raises `ModelNotFound` where there are no weights, `ModelUnfit` where they are of another kind or version.
    """

    kind = KIND

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        config = self.load().config
        if "acts_from" not in config:
            raise ModelUnfit(f"The {KIND} in {folder} does not say from which probability it acts. Train it again.")
        self.acts_from = float(config["acts_from"])

    def judge_many(self, pairs: Sequence[tuple[Utterance, Utterance]]) -> list[ChangeVerdict]:
        reader = self.load()
        heads = reader.heads
        pieces = [
            reader.cut(old.text, later_text(new.text, old_said=old.said_at.date(), new_said=new.said_at.date()))
            for old, new in pairs
        ]
        found: dict[int, ChangeVerdict] = {}
        for place, hidden in reader.hidden(pieces):
            logits = linear(heads, "classifier", pooled(heads, "pooler", hidden))
            shares = softmax(logits / float(reader.config["temperature"]))
            found[place] = ChangeVerdict(*(round(float(share), 4) for share in shares))
        return [found[place] for place in range(len(pairs))]


def later_text(new: str, *, old_said: date, new_said: date) -> str:
    """Return the new sentence as it is read after the old one: "5 weeks later: Sold the Panda"."""
    return f"{gap(old_said, new_said)}: {new}"


def gap(before: date, after: date) -> str:
    """Return the time between two days in its largest unit of which there are at least two: "9 days later"."""
    days = max(0, (after - before).days)
    if days == 0:
        return "the same day"
    if days == 1:
        return "a day later"
    if days < WEEKS_FROM:
        return f"{days} days later"
    if days < MONTHS_FROM:
        return f"{days // DAYS_A_WEEK} weeks later"
    if days < YEARS_FROM:
        return f"{round(days / DAYS_A_MONTH)} months later"
    return f"{round(days / DAYS_A_YEAR)} years later"
