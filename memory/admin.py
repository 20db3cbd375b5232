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

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        others = {field.name for field in self.opts.fields if field.is_relation}
        return [str(name) for name in self.list_display if name in others]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer(*(self.exclude or ()))  # what is not shown is not read

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


def rows_shown(model: type[Model], columns: str, *, way_to_space: str = "space", **options: str) -> None:
    """Show an administrator the rows of a model: columns of their list and further options, names with blanks between."""
    named = {option: names.split() for option, names in options.items()}
    admin.site.register(model, ReadOnlyAdmin, list_display=columns.split(), way_to_space=way_to_space, **named)


rows_shown(Session, "id space title started_at is_remembered", search_fields="title =key")
rows_shown(Round, "id space session index maintenance maintenance_stage maintained_at", list_filter="maintenance")
rows_shown(Turn, "id space session index role speaker said_at", exclude="search")
rows_shown(SentenceRecord, "id space turn_id index text", exclude="search embedding")
rows_shown(EntityRecord, "id space label kind is_speaker", search_fields="=label")
rows_shown(AliasRecord, "id space entity text", search_fields="=key")
rows_shown(
    TripleRecord,
    "id space subject predicate value polarity recorded_at superseded_at",
    list_filter="polarity modality tense",
    search_fields="=id =predicate",
)
rows_shown(ConflictRecord, "id space old_id new_id rule decision decided_by created_at", list_filter="rule decision")
rows_shown(PredicateRecord, "id space name is_functional declared_by created_at", search_fields="=name")
rows_shown(HeldFragmentRecord, "id space axiom reason created_at", list_filter="axiom")
rows_shown(GraphCheckRecord, "id space reasoner verdict triple_count duration_ms created_at", list_filter="verdict")
# The audit log of edits by hand.
rows_shown(EditRecord, "id space kind summary actor created_at undone_at", list_filter="kind", exclude="undo")
rows_shown(StateRecord, "id space session turn read_until changed_at")
rows_shown(StateElementRecord, "id space session_id key kind status description", list_filter="kind status")
# How elements came to be what they are, and what was refused.
rows_shown(StateChangeRecord, "id space session_id element_id before after because by", list_filter="after")
rows_shown(OutboxRecord, "id task queue created_at", way_to_space="", list_filter="queue")
rows_shown(KnowledgeBaseRecord, "id space name state triples passages licence created_at", list_filter="state form")
