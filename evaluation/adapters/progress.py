"""The progress bar of long commands, on standard error: share done, speed, time left."""

from __future__ import annotations

from tqdm import tqdm

BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} {unit} [{elapsed} so far, {remaining} to go, {rate_fmt}]"


def progress_bar(total: int, *, title: str, unit: str, hidden: bool = False) -> tqdm[None]:
    """Return a bar that is a context manager, with `update(count)`."""
    return tqdm(total=total, desc=title, unit=unit, bar_format=BAR, disable=hidden, dynamic_ncols=True, mininterval=0.5)
