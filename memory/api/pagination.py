"""Pages of lists by cursor: a page costs the same at any depth, and no row is shown twice while rows are added."""

from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request


class NewestFirst(CursorPagination):
    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return the cursor of the request; raise 404 for a malformed one."""
        cursor = super().decode_cursor(request)
        if cursor is not None and cursor.position is not None and not str(cursor.position).isdecimal():
            raise NotFound(self.invalid_cursor_message)
        return cursor


class InOrder(NewestFirst):
    """Turns in the order in which they were said."""

    ordering = "index"
