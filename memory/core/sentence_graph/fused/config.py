"""The weights of `fused`, and where each default comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class FusedConfig:
    """Weights of the parts of a turn's score.

    Each part's scores are scaled so that the best is 1; a weight of 0 drops a part.

    All are round values from the middle of a wide plateau on the five development conversations of LoCoMo: the same are used
    for every benchmark and for the product. `docs/retrieval.md` says what each part adds.
    """

    # Deep enough that the evidence of nearly every question is among what is weighed; 200 finds no more, 50 a little less.
    depth: int = 100
    session_depth: int = 30

    sentence_weight: float = 1.0
    turn_weight: float = 1.0
    window_weight: float = 1.0
    word_weight: float = 1.5
    session_weight: float = 2.0
    speaker_weight: float = 0.5

    # Whoever names a date means it: said then outweighs any one search. Words that only mean that time count less.
    time_weight: float = 2.0
    told_time_weight: float = 0.5
    # People tell of a day on the days after it.
    days_after: int = 3

    # A question that leaves out its asking words and the name is nearer to how an answer is put.
    restates: bool = True
    # A session counts by its best turns, the second half as much as the first, the third a third.
    session_turns: int = 4
    # What a turn loses for each better one of its session, where several pieces are asked for.
    spread_penalty: float = 0.1
    # What is below this cosine is about something else; of the evidence found by meaning alone almost none is.
    least_similarity: float = 0.2

    # With a relevance model: how many turns it reads, and what its best counts.
    rerank_depth: int = 30
    rerank_weight: float = 4.0


FUSED = FusedConfig()
# Whoever reads what was found judges it better than a cosine does, and a question in other words is near to nothing.
FUSED_FOR_READING = replace(FUSED, least_similarity=-1.0)

# Each part left out on its own, for the table of what it adds.
FUSED_WITHOUT: Mapping[str, FusedConfig] = {
    "sentences": replace(FUSED, sentence_weight=0.0),
    "turns": replace(FUSED, turn_weight=0.0),
    "windows": replace(FUSED, window_weight=0.0),
    "words": replace(FUSED, word_weight=0.0),
    "session_words": replace(FUSED, session_weight=0.0),
    "speaker": replace(FUSED, speaker_weight=0.0),
    "time": replace(FUSED, time_weight=0.0, told_time_weight=0.0),
    "told_time": replace(FUSED, told_time_weight=0.0),
    "restating": replace(FUSED, restates=False),
    "several_turns": replace(FUSED, session_turns=1),
    "spreading": replace(FUSED, spread_penalty=0.0),
}
