"""The words of a column, as an index of an expression has them."""

from __future__ import annotations

from django.contrib.postgres.search import SearchConfig, SearchVectorField
from django.db.models import F, Func


def words_of(column: str, config: str) -> Func:
    """Return the words of a column that is never null.

    Not `SearchVector`: its `coalesce` keeps an index from answering where rows have a policy.
    """
    return Func(SearchConfig(config), F(column), function="to_tsvector", output_field=SearchVectorField())
