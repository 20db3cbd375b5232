"""Groups the turns of recorded dialogues into rounds by the order of speakers: the files do not say who answers whom."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.types import CaseTurn


def group_rounds(turns: Sequence[CaseTurn]) -> list[tuple[CaseTurn, ...]]:
    """Return the session's turns as rounds, in order.

    The first turn opens the first round. A new round opens when the side that opened the session (its role and speaker)
    speaks again after somebody else: several messages in a row, and the replies of several people, stay in one round.
    """
    rounds: list[list[CaseTurn]] = []
    answered = False
    for turn in turns:
        is_opener = bool(rounds) and (turn.role, turn.speaker) == (turns[0].role, turns[0].speaker)
        if not rounds or (is_opener and answered):
            rounds.append([])
            answered = False
        elif not is_opener:
            answered = True
        rounds[-1].append(turn)
    return [tuple(round_turns) for round_turns in rounds]
