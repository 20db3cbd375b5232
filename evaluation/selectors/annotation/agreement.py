"""Reads how often which labels came together in a project, which is all that agreement is told from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache

from django.db.models import Count, QuerySet

from evaluation.core.annotation.patterns import Pattern, read_pattern
from evaluation.models import AnnotationItem, AnnotationProject, ItemStanding

# The condition of the index that the query is answered from: items that are open would tell labels before others are stored.
COUNTED = [ItemStanding.AGREED, ItemStanding.DISPUTED, ItemStanding.SETTLED]


def items_counted(project: AnnotationProject) -> QuerySet[AnnotationItem]:
    """Return the items that have all their labels, but gold checks and those that were withdrawn."""
    return AnnotationItem.objects.filter(project=project, gold__isnull=True, standing__in=COUNTED)


def patterns_counted(project: AnnotationProject) -> Mapping[str, Counter[Pattern]]:
    """Return how many items have each pattern, by data set; of items that are finished or disputed. One query.

    Gold checks and items that were withdrawn are not counted.
    """
    found: defaultdict[str, Counter[Pattern]] = defaultdict(Counter)
    # The data sets of a project have most of their patterns in common.
    read = cache(read_pattern)
    for dataset, text, count in (
        items_counted(project).order_by().values_list("dataset", "pattern").annotate(count=Count("*"))
    ):
        found[dataset][read(text)] = count
    return dict(found)
