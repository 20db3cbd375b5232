"""An embedder bound to a space, so that vectors of two embedders are never mixed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.core.errors import EmbedderChanged, ModelUnfit
from memory.core.ports import Embedder
from memory.models import Space
from memory.models.dialogue import EMBEDDING_DIMENSION

REEMBED = "manage.py reembed"


class SpaceEmbedder:
    """Embeds texts for a space.

    Raises `EmbedderChanged` if another embedder made the space's vectors, and `ModelUnfit` for a dimension that the database
    cannot store. The space's row is read once, before the first text; a writer of vectors checks it again under the space's
    lock.
    """

    def __init__(self, space_id: int, embedder: Embedder, *, known: str | None = None) -> None:
        """`known` is the name of the embedder that made the space's vectors, where the caller has read it already."""
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._space_id = space_id
        self._embedder = embedder
        self._known = known
        self._is_checked = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.check()
        return self._embedder.embed(texts)

    def check(self) -> None:
        """Raise unless this embedder's vectors can be compared with those of the space."""
        if self._is_checked:
            return
        dimension_check(self._embedder)
        if self._known is None:
            self._known = Space.objects.values_list("embedder", flat=True).get(pk=self._space_id)
        if self._known not in ("", self.name):
            raise EmbedderChanged(changed_sentence(self._known, self.name))
        self._is_checked = True


def dimension_check(embedder: Embedder) -> None:
    if embedder.dimension != EMBEDDING_DIMENSION:
        raise ModelUnfit(
            f"The embedder {embedder.name!r} makes vectors of {embedder.dimension} numbers, "
            f"and the database holds vectors of {EMBEDDING_DIMENSION}. Use an embedder of that dimension."
        )


def changed_sentence(known: str, name: str) -> str:
    return (
        f"The vectors of this memory were made by {known!r}, and the embedder is {name!r} now: they cannot be compared. "
        f"Run `{REEMBED}` to make them anew; until then this memory is searched by words alone."
    )
