"""The admin pages of memory. Rows of memory are read-only here, because only services may change them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property

from memory.core.english.inflection import plural
from memory.forms import StaffSignInForm
from memory.models import (
    ActRecord,
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    GraphCheckRecord,
    HeldFragmentRecord,
    KnowledgeBaseRecord,
    Membership,
    OutboxRecord,
    PredicateRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    StateChangeRecord,
    StateElementRecord,
    StateRecord,
    TripleRecord,
    Turn,
)
from memory.services.acts import acts_record
from memory.services.quotas import space_quota_set

admin.site.login_form = StaffSignInForm


class BoundedPaginator(Paginator):
    """Counts rows up to a limit, because a full count of a large table would be the slowest part of the page."""

    LIMIT = 10_000

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return rows.order_by().values("pk")[: self.LIMIT].count()


class ToldAdmin(admin.ModelAdmin):
    """Tells the log of every space whose rows somebody reads here without being its member.

    `way_to_space` leads from a row to its space; "" where it has none.
    """

    way_to_space = "space"

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        found = super().get_object(request, object_id, from_field)
        if found is not None:
            self.reading_tell(request, [found.pk], f"{self.opts.verbose_name} {found.pk}")
        return found

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        response = super().changelist_view(request, extra_context)
        listed = getattr(response, "context_data", {}).get("cl")
        if listed is not None:
            self.reading_tell(request, [row.pk for row in listed.result_list], f"a list of {self.opts.verbose_name}")
        return response

    def reading_tell(self, request: HttpRequest, rows: list[Any], words: str) -> None:
        if self.way_to_space and rows:
            members = f"{self.way_to_space}__memberships__user" if self.way_to_space != "pk" else "memberships__user"
            strange = self.model._default_manager.filter(pk__in=rows).exclude(**{members: request.user})
            spaces = strange.order_by().values_list(self.way_to_space, flat=True).distinct()
            acts_record(kind=ActRecord.Kind.STAFF_READ, spaces=spaces, words=words)


class ReadOnlyAdmin(ToldAdmin):
    """Lists and shows rows, newest first, in a bounded number of queries at any size of the table."""

    ordering = ("-id",)
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator

    def __init__(self, model: type[Model], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        # What a row is called is told here, not by the model: words of the admin alone are no change of the schema.
        name = str(model._meta.verbose_name).removesuffix(" record")
        model._meta.verbose_name, model._meta.verbose_name_plural = name, plural(name)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class MembershipInline(admin.TabularInline):
    model = Membership
    raw_id_fields = ("user",)
    extra = 0


@admin.register(Space)
class SpaceAdmin(ToldAdmin):
    """Names, members and limits may be changed. Spaces are forgotten on their settings page, where it is confirmed."""

    way_to_space = "pk"

    list_display = ("id", "name", "created_at")
    search_fields = ("name",)
    ordering = ("-id",)
    inlines = (MembershipInline,)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Space, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if {"turn_limit", "byte_limit", "import_limit"} & set(form.changed_data):
            space_quota_set(space=obj, turns=obj.turn_limit, size=obj.byte_limit, imports=obj.import_limit)


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "title", "started_at", "is_remembered")
    list_select_related = ("space",)
    search_fields = ("title", "=key")


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "session", "index", "maintenance", "maintenance_stage", "maintained_at")
    list_select_related = ("space", "session")
    list_filter = ("maintenance",)


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "session", "index", "role", "speaker", "said_at")
    list_select_related = ("space", "session")
    exclude = ("search",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        return super().get_queryset(request).defer("search")


@admin.register(SentenceRecord)
class SentenceAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "turn_id", "index", "text")
    list_select_related = ("space",)
    raw_id_fields = ("space", "turn")
    exclude = ("search", "embedding")

    def get_queryset(self, request: HttpRequest) -> QuerySet[SentenceRecord]:
        return super().get_queryset(request).defer("search", "embedding")


@admin.register(EntityRecord)
class EntityAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "label", "kind", "is_speaker")
    list_select_related = ("space",)
    search_fields = ("=label",)


@admin.register(AliasRecord)
class AliasAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "entity", "text")
    list_select_related = ("space", "entity")
    search_fields = ("=key",)


@admin.register(TripleRecord)
class TripleAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "subject", "predicate", "value", "polarity", "recorded_at", "superseded_at")
    list_select_related = ("space", "subject")
    raw_id_fields = ("space", "subject", "object", "superseded_by", "round", "sentence")
    list_filter = ("polarity", "modality", "tense")
    search_fields = ("=id", "=predicate")


@admin.register(ConflictRecord)
class ConflictAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "old_id", "new_id", "rule", "decision", "decided_by", "created_at")
    list_select_related = ("space", "decided_by")
    raw_id_fields = ("space", "old", "new", "decided_by")
    list_filter = ("rule", "decision")


@admin.register(PredicateRecord)
class PredicateAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "name", "is_functional", "declared_by", "created_at")
    list_select_related = ("space", "declared_by")
    raw_id_fields = ("space", "declared_by")
    search_fields = ("=name",)


@admin.register(HeldFragmentRecord)
class HeldFragmentAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "axiom", "reason", "created_at")
    list_select_related = ("space",)
    raw_id_fields = ("space", "round", "sentence", "against")
    list_filter = ("axiom",)


@admin.register(GraphCheckRecord)
class GraphCheckAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "reasoner", "verdict", "triple_count", "duration_ms", "created_at")
    list_select_related = ("space",)
    raw_id_fields = ("space",)
    list_filter = ("verdict",)


@admin.register(EditRecord)
class EditAdmin(ReadOnlyAdmin):
    """The audit log of edits by hand."""

    list_display = ("id", "space", "kind", "summary", "actor", "created_at", "undone_at")
    list_select_related = ("space", "actor")
    raw_id_fields = ("space", "actor", "undone_by")
    list_filter = ("kind",)
    exclude = ("undo",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[EditRecord]:
        return super().get_queryset(request).defer("undo")


@admin.register(StateRecord)
class StateAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "session", "turn", "read_until", "changed_at")
    list_select_related = ("space", "session")


@admin.register(StateElementRecord)
class StateElementAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "session_id", "key", "kind", "status", "description")
    list_select_related = ("space",)
    raw_id_fields = ("space", "session", "said_in", "triple")
    list_filter = ("kind", "status")


@admin.register(StateChangeRecord)
class StateChangeAdmin(ReadOnlyAdmin):
    """How elements came to be what they are, and what was refused."""

    list_display = ("id", "space", "session_id", "element_id", "before", "after", "because", "by")
    list_select_related = ("space", "by")
    raw_id_fields = ("space", "session", "element", "round", "by")
    list_filter = ("after",)


@admin.register(OutboxRecord)
class OutboxAdmin(ReadOnlyAdmin):
    way_to_space = ""
    list_display = ("id", "task", "queue", "created_at")
    list_filter = ("queue",)


@admin.register(KnowledgeBaseRecord)
class KnowledgeBaseAdmin(ReadOnlyAdmin):
    list_display = ("id", "space", "name", "state", "triples", "passages", "licence", "created_at")
    list_select_related = ("space",)
    list_filter = ("state", "form")
