"""The hyperparameters of SGMem with the paper's presets, and the recipes of a context."""

from dataclasses import dataclass

from memory.core.types import CHUNKS, DIGESTS, Unit

EPSILON = 1.0  # section 3.4: moves a cosine from [-1, 1] to [0, 2]
POOL = 4  # a baseline that re-orders the nearest units looks at so many times as many as it returns


@dataclass(frozen=True)
class SgmemConfig:
    """SGMem's hyperparameters (section 4.4). The defaults are those for LongMemEval, whose dialogues are a person's own.

    `neighbours` is k, the edges that leave a sentence. `hops` is h. `max_sentences` is n and `min_similarity` is gamma in
    [0, 2]; both choose the sentences that are found at first, not those that the graph adds. `top_k` is K, chunks and
    digests of each kind.
    """

    neighbours: int = 3
    hops: int = 1
    max_sentences: int = 15
    min_similarity: float = 1.0
    top_k: int = 5

    def __post_init__(self) -> None:
        if min(self.neighbours, self.max_sentences) < 1 or min(self.hops, self.top_k) < 0:
            raise ValueError(f"{self} has a count below what it counts.")
        if not 0 <= self.min_similarity <= 2:
            raise ValueError(f"The threshold gamma is in [0, 2], not {self.min_similarity}.")


LONGMEMEVAL = SgmemConfig()
LOCOMO = SgmemConfig(neighbours=1, min_similarity=1.2)
PRESETS = {"longmemeval": LONGMEMEVAL, "locomo": LOCOMO}


@dataclass(frozen=True)
class Recipe:
    """Which chunks and which digests make up a context (section 4.3): T, R or S with nothing, F or MFI; or digests alone."""

    chunk: Unit | None = None
    digests: tuple[Unit, ...] = ()

    def __post_init__(self) -> None:
        if self.chunk is not None and self.chunk not in CHUNKS or not set(self.digests) <= set(DIGESTS):
            raise ValueError(f"{self} is made of other things than a chunk and digests.")
