"""Which property a frame's roles stand for: the table of the lifting, in `frames.txt`.

AMR makes every event a node of its own, so that nothing it says can ever clash with what was said before. Lifting turns
a frame and two of its roles into a property between the things that fill them (live-01 + location -> livesIn).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("frames.txt")
_COLUMNS = 7


@dataclass(frozen=True)
class Lifting:
    """One property of a frame: who fills its subject and its object, the first of the roles that is there.

    `kind` is what its object is; a `change` puts its subject into a state, so that its past form tells of the present.
    """

    predicate: str
    phrase: str
    subject_roles: tuple[str, ...]
    object_roles: tuple[str, ...]
    kind: str
    is_change: bool


@cache
def frame_liftings() -> dict[str, tuple[Lifting, ...]]:
    """Return the properties of each frame that has any, in the order of the table."""
    found: dict[str, tuple[Lifting, ...]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        frames, predicate, phrase, subjects, objects, kind, change = cells + [""] * (_COLUMNS - len(cells))
        lifting = Lifting(predicate, phrase, tuple(subjects.split()), tuple(objects.split()), kind, bool(change))
        for frame in frames.split():
            found[frame] = (*found.get(frame, ()), lifting)
    return found


# What hangs below these is not said to be so.
SUPPOSING = frozenset(
    "possible-01 permit-01 wish-01 hope-01 want-01 plan-01 intend-01 dream-01 imagine-01 recommend-01 obligate-01 "
    "consider-02 suppose-01 doubt-01 wonder-01 likely-01 pretend-01 desire-01 prefer-01 have-condition-91 try-01 decide-01 "
    "need-01".split()
)
REPORTING = frozenset(
    "say-01 tell-01 claim-01 report-01 state-01 believe-01 think-01 mention-01 announce-01 hear-01 write-01 insist-01 "
    "suggest-01 guess-01 assume-01 deny-01 promise-01".split()
)
# Ending what hangs below denies it.
ENDING = frozenset("stop-01 stop-03 quit-05 quit-01 cease-01 give-up-07 end-01".split())
