"""What a token opens of the API, decided in one place: by the method, by the address, and by what a view declares.

Reading takes the scope `read`, everything else `write`, and the methods that a view names in `owner_methods` take `admin`.
A token of one space opens the addresses of its rows only, and of views with `is_narrowed_by_token`, which see to it
themselves; an address whose rows nobody has named here is closed to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Model
from rest_framework.exceptions import NotFound
from rest_framework.permissions import SAFE_METHODS, BasePermission

from conversations.models import Conversation, Reply
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, EvaluationRun, RunItem
from memory.models import (
    ConflictRecord,
    EditRecord,
    EntityRecord,
    ImportJobRecord,
    KnowledgeBaseRecord,
    Round,
    Session,
    StateElementRecord,
    TokenRecord,
    TripleRecord,
    Turn,
)
from memory.services.tokens import TokenGrant

if TYPE_CHECKING:  # they read the setting that names this module
    from rest_framework.request import Request
    from rest_framework.views import APIView

READ, WRITE, ADMIN = TokenRecord.Scope.READ, TokenRecord.Scope.WRITE, TokenRecord.Scope.ADMIN
# The rows that a part of an address names, and the way from them to their space.
ROWS: dict[str, tuple[type[Model], str]] = {
    "job_id": (ImportJobRecord, "space_id"),
    "round_id": (Round, "space_id"),
    "session_id": (Session, "space_id"),
    "turn_id": (Turn, "space_id"),
    "element_id": (StateElementRecord, "space_id"),
    "triple_id": (TripleRecord, "space_id"),
    "entity_id": (EntityRecord, "space_id"),
    "conflict_id": (ConflictRecord, "space_id"),
    "edit_id": (EditRecord, "space_id"),
    "base_id": (KnowledgeBaseRecord, "space_id"),
    "conversation_id": (Conversation, "space_id"),
    "reply_id": (Reply, "conversation__space_id"),
    "run_id": (EvaluationRun, "space_id"),
    "item_id": (RunItem, "run__space_id"),
    "project_id": (AnnotationProject, "space_id"),
    "annotated_id": (AnnotationItem, "project__space_id"),
    "annotation_id": (Annotation, "item__project__space_id"),
}


class TokenScope(BasePermission):
    """Lets a token do what its scope and its space allow. Browser sessions are not its concern."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        grant = request.auth
        if not isinstance(grant, TokenGrant):
            return True
        scope = scope_needed(view, request.method or "GET")
        if not grant.allows(scope, grant.space_id):
            may = "read" if grant.scope == READ else "read and write"
            self.message = f"This token may only {may}, and this takes the scope {scope.value}."
            return False
        if grant.space_id is None or getattr(view, "is_narrowed_by_token", False):
            return True
        space_id = space_of_address(view.kwargs)
        if space_id is None:
            self.message = "This token opens one memory, and this address is not of one memory."
            return False
        if not grant.allows(scope, space_id):
            raise NotFound
        return True


def scope_needed(view: APIView, method: str) -> TokenRecord.Scope:
    if ("GET" if method == "HEAD" else method) in getattr(view, "owner_methods", ()):
        return ADMIN
    return READ if method in SAFE_METHODS else WRITE


def space_of_address(kwargs: dict[str, Any]) -> int | None:
    """Return the space that an address is of; None where it names none. A row that does not exist is 404."""
    if "space_id" in kwargs:
        return int(kwargs["space_id"])
    for name, (rows, path) in ROWS.items():
        if name in kwargs:
            space_id = rows._base_manager.filter(pk=kwargs[name]).values_list(path, flat=True).first()
            if space_id is None:
                raise NotFound
            return int(space_id)
    return None
