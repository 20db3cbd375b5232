"""The reasons for which a turn is not scored, before any model is asked."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.turn_consistency.types import NotScored, SpokenTurn, Unscored

LONGEST_REPLY_WORDS = 5_000


def unscored(reply: SpokenTurn, history: Sequence[SpokenTurn]) -> NotScored | None:
    """Return why a turn cannot be scored whatever the strategy, or None where it can."""
    if not any(sentence.text.strip() for sentence in reply.sentences):
        return NotScored(Unscored.NO_SENTENCE, "There is no sentence in this turn.")
    if not any(turn.text.strip() for turn in history):
        return NotScored(
            Unscored.NO_HISTORY, "Nothing was said before this turn that it could follow from or contradict."
        )
    words = len(reply.text.split())
    if words > LONGEST_REPLY_WORDS:
        return NotScored(
            Unscored.TOO_LONG, f"This turn has {words:,} words. At most {LONGEST_REPLY_WORDS:,} can be scored."
        )
    return None
