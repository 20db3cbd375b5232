"""Pages of lists: a cursor, so that a page costs the same at any depth and no row is shown twice while rows are added."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200


class InOrder(NewestFirst):
    """Turns as they were said."""

    ordering = "index"
