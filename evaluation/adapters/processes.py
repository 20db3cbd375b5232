"""Reads the memory of running processes from /proc (Linux)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Residence:
    """Memory in kilobytes: `rss` counts a shared page fully for every process, `pss` divides it among them."""

    rss: int
    pss: int


def is_known() -> bool:
    """Return whether this machine has /proc with these figures."""
    return (PROC / "self" / "smaps_rollup").is_file()


def residence(pid: int) -> Residence:
    """Return the memory of a process, 0 for one that has ended. Raises `PermissionError` for another user's."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return Residence(0, 0)
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
    return Residence(rss=sizes.get("Rss", 0), pss=sizes.get("Pss", 0))


def family(pid: int) -> list[int]:
    """Return the process and all its descendants."""
    children: dict[int, list[int]] = defaultdict(list)
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            parent = parent_of(folder)
            if parent is not None:
                children[parent].append(int(folder.name))
    found = [pid]
    for member in found:
        found.extend(children[member])
    return found


def parent_of(folder: Path) -> int | None:
    try:
        # The name of the program, in parentheses, may hold anything.
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(fields[1])
