"""Agreement beyond chance, of counts over any leading axes: nan where it cannot be told.

- Cohen's kappa (1960) of two people; of several pairs the mean agreement over the mean agreement by chance, each pair by the
  number of its items (Davies and Fleiss, 1982; De Vries et al., 2008), which is Cohen's for a single pair.
- Krippendorff's alpha (2019, section 12.3) of everybody, for labels without and with an order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# A chance agreement that differs from 1 by less is 1.
ROUNDING = 1e-12


def raw_agreement(tables: Floats) -> Floats:
    """Return the share of equal labels in tables (..., pair, label, label)."""
    return divided(np.trace(tables, axis1=-2, axis2=-1).sum(-1), tables.sum((-3, -2, -1)))


def cohens_kappa(tables: Floats) -> Floats:
    sizes = tables.sum((-2, -1))
    by_chance = divided((tables.sum(-1) * tables.sum(-2)).sum(-1), sizes)
    chance = divided(np.nansum(by_chance, axis=-1), sizes.sum(-1))
    return divided(raw_agreement(tables) - chance, 1 - chance)


def krippendorffs_alpha(coincidences: Floats, *, is_ordinal: bool) -> Floats:
    """Return alpha of coincidences (..., label, label); with an order, labels differ by how many lie between them."""
    times = coincidences.sum(-1)
    total = times.sum(-1)
    if is_ordinal:
        ranks = np.cumsum(times, axis=-1) - times / 2
        apart = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    else:
        apart = 1 - np.eye(coincidences.shape[-1])
    seen = (coincidences * apart).sum((-2, -1))
    by_chance = divided((times[..., :, None] * times[..., None, :] * apart).sum((-2, -1)), total - 1)
    return 1 - divided(seen, by_chance)


def shared_facts(facts: Floats) -> Floats:
    """Return the F1 of the facts of two sides in (..., pair, shared or in all): 2 shared / all of both."""
    return divided(2 * facts[..., 0].sum(-1), facts[..., 1].sum(-1))


def divided(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > ROUNDING)
